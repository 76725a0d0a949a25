// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>

class QHelpEvent;
class QWidget;

namespace cellfolio
{

// Shows text of a file as a tooltip: to the letter, whatever looks like markup in it, and with long
// lines wrapped. An empty text hides the tooltip.
void showPlainToolTip(const QHelpEvent& event, const QString& text, QWidget* widget);

// The text as QToolTip takes it.
QString plainToolTip(const QString& text);

} // namespace cellfolio
