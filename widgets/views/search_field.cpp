// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/search_field.h"

#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/style_sheet.h"
#include "widgets/style/theme.h"

#include <QtCore/QTimerEvent>
#include <QtGui/QKeyEvent>
#include <QtGui/QPainter>

namespace cellfolio
{

namespace
{

constexpr int kWait = 200; // ms after the last key

} // namespace

SearchField::SearchField(const QString& placeholder, QWidget* parent)
    : QLineEdit(parent), m_icon(QStringLiteral("search"))
{
    setPlaceholderText(placeholder);
    setAccessibleName(placeholder);
    setTextMargins(26, 0, 0, 0);
    connect(this, &QLineEdit::textChanged, this, [this] {
        setRefused({});
        if (m_timer)
            killTimer(m_timer);
        m_timer = startTimer(kWait);
    });
}

void SearchField::setIconName(const QString& name)
{
    m_icon = name;
    update();
}

void SearchField::setKeyHint(const QString& key)
{
    m_keyHint = key;
    update();
}

void SearchField::setRefused(const QString& sentence)
{
    setToolTip(sentence);
    setStyleProperty(this, "refused", !sentence.isEmpty());
}

void SearchField::announce()
{
    if (m_timer) {
        killTimer(m_timer);
        m_timer = 0;
    }
    if (m_announced == text())
        return;
    m_announced = text();
    Q_EMIT searched(m_announced);
}

void SearchField::paintEvent(QPaintEvent* event)
{
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    const Theme& theme = Theme::current();
    const QRectF box(10, (height() - measures::kIcon) / 2.0, measures::kIcon, measures::kIcon);
    paintIcon(painter, m_icon, box,
              !isEnabled() ? theme.disabled
              : hasFocus() ? theme.accent
                           : theme.text2);
    if (m_keyHint.isEmpty() || !text().isEmpty())
        return;
    painter.setFont(fonts::caption());
    painter.setPen(isEnabled() ? theme.text2 : theme.disabled);
    painter.drawText(rect().adjusted(0, 0, -9, 0), Qt::AlignRight | Qt::AlignVCenter, m_keyHint);
}

void SearchField::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        announce();
        break;
    case Qt::Key_Escape:
        if (text().isEmpty())
            Q_EMIT cancelled();
        else
            clear();
        announce();
        return;
    case Qt::Key_Down:
        announce();
        Q_EMIT downPressed();
        return;
    default:
        break;
    }
    QLineEdit::keyPressEvent(event);
}

void SearchField::timerEvent(QTimerEvent* event)
{
    if (event->timerId() == m_timer)
        announce();
    else
        QLineEdit::timerEvent(event);
}

void SearchField::changeEvent(QEvent* event)
{
    QLineEdit::changeEvent(event);
    if (event->type() == QEvent::EnabledChange || event->type() == QEvent::PaletteChange)
        update();
}

} // namespace cellfolio
