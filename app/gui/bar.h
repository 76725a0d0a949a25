// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QFrame>

class QAction;
class QHBoxLayout;
class QToolButton;

namespace cellfolio {

// The bar under the tabs: 42 px and a hairline, controls from the left, tools at the right.
class Bar : public QFrame
{
    Q_OBJECT
public:
    explicit Bar(QWidget* parent = nullptr);

    void addCaption(const QString& text);
    void addControl(QWidget* control);
    void addStretch();
    // A button with an icon, and its word where there is room for it.
    QToolButton* addTool(const QString& iconName, const QString& word, const QString& toolTip,
                         bool checkable = false);
    QToolButton* addTool(QAction* action, bool withWord = false);

private:
    QHBoxLayout* m_row = nullptr;
};

// "Go to row · Ctrl+L" as a tooltip; every action has one.
void giveToolTip(QAction* action, const QString& sentence);

} // namespace cellfolio
