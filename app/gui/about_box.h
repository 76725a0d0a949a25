// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>

namespace cellfolio {

class Program;

// Version, licence, and what the program is made of.
class AboutBox : public QDialog
{
    Q_OBJECT
public:
    AboutBox(Program& program, QWidget* parent = nullptr);
};

} // namespace cellfolio
