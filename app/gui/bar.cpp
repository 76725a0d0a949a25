// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/bar.h"

#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"

#include <QtGui/QAction>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>

namespace cellfolio {

using namespace Qt::StringLiterals;

Bar::Bar(QWidget* parent) : QFrame(parent), m_row(new QHBoxLayout(this))
{
    setProperty("surface", u"baseBar"_s);
    setFixedHeight(measures::kBar + 1);
    m_row->setContentsMargins(12, 0, 8, 0);
    m_row->setSpacing(8);
}

void Bar::addCaption(const QString& text)
{
    auto* label = new QLabel(text, this);
    label->setProperty("role", u"quiet"_s);
    label->setFont(fonts::body());
    m_row->addWidget(label);
}

void Bar::addControl(QWidget* control)
{
    m_row->addWidget(control);
}

void Bar::addStretch()
{
    m_row->addStretch(1);
}

QToolButton* Bar::addTool(const QString& iconName, const QString& word, const QString& toolTip, bool checkable)
{
    auto* button = new QToolButton(this);
    button->setIcon(icon(iconName));
    button->setIconSize({measures::kToolIcon, measures::kToolIcon});
    button->setToolButtonStyle(word.isEmpty() ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    button->setText(word.isEmpty() ? QString() : u' ' + word);
    button->setToolTip(toolTip);
    button->setAccessibleName(toolTip);
    button->setCheckable(checkable);
    m_row->addWidget(button);
    return button;
}

QToolButton* Bar::addTool(QAction* action, bool withWord)
{
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setIconSize({measures::kToolIcon, measures::kToolIcon});
    button->setToolButtonStyle(withWord ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
    button->setAccessibleName(action->toolTip());
    m_row->addWidget(button);
    return button;
}

void giveToolTip(QAction* action, const QString& sentence)
{
    const QString key = action->shortcut().toString(QKeySequence::NativeText);
    action->setToolTip(key.isEmpty() ? sentence : sentence + u" · "_s + key);
    action->setStatusTip(QString());
}

} // namespace cellfolio
