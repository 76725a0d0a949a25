// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <QtCore/QVariant>

class QWidget;

namespace cellfolio
{

// The program's one style sheet with @tokens for colours; Theme::fill makes it usable.
//
// Dynamic properties it knows (set them before the widget is shown, or unpolish and polish):
//   QPushButton   primary, quiet, small, soft, large
//   QToolButton   flat (no icon padding)
//   QLineEdit     cell (in a header), refused
//   QLabel        role = "title" | "caption" | "quiet" | "error" | "warning"
//   QWidget       surface = "frame" | "base" | "bar" (frame with a hairline below)
QString styleSheetTemplate();

// Sets a property and polishes the widget anew. UI thread.
void setStyleProperty(QWidget* widget, const char* name, const QVariant& value);

} // namespace cellfolio
