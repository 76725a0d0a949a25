// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

namespace cellfolio {

class Session;
class WorkStrip;

// In the status line: the gene that is being read and the genes that are being prepared, each with
// its progress and the way to end it. Short readings are not mentioned.
class GeneStatus : public QWidget
{
    Q_OBJECT
public:
    explicit GeneStatus(Session& session, QWidget* parent = nullptr);

    WorkStrip* reading() const { return m_reading; }
    WorkStrip* preparing() const { return m_preparing; }

private:
    void refresh();

    Session& m_session;
    WorkStrip* m_reading = nullptr;
    WorkStrip* m_preparing = nullptr;
};

} // namespace cellfolio
