// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/elided_label.h"

#include "widgets/style/theme.h"

#include <QtGui/QClipboard>
#include <QtGui/QContextMenuEvent>
#include <QtGui/QGuiApplication>
#include <QtGui/QHelpEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolTip>

#include <algorithm>

namespace cellfolio
{

ElidedLabel::ElidedLabel(QWidget* parent) : QFrame(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

ElidedLabel::ElidedLabel(const QString& text, QWidget* parent) : ElidedLabel(parent)
{
    setText(text);
}

void ElidedLabel::setText(const QString& text)
{
    if (m_text == text)
        return;
    m_text = text;
    m_text.replace(u'\n', u' ');
    setAccessibleName(m_text);
    updateGeometry();
    update();
}

void ElidedLabel::setElideMode(Qt::TextElideMode mode)
{
    m_mode = mode;
    update();
}

void ElidedLabel::setQuiet(bool quiet)
{
    m_quiet = quiet;
    update();
}

void ElidedLabel::setCopyable(bool copyable)
{
    m_copyable = copyable;
    setFocusPolicy(copyable ? Qt::ClickFocus : Qt::NoFocus);
}

void ElidedLabel::setAlignment(Qt::Alignment alignment)
{
    m_alignment = alignment;
    update();
}

bool ElidedLabel::isElided() const
{
    return fontMetrics().horizontalAdvance(m_text) > contentsRect().width();
}

QSize ElidedLabel::sizeHint() const
{
    // One pixel more than measured: advances of single letters do not add up to whole pixels.
    return {fontMetrics().horizontalAdvance(m_text) + 1, fontMetrics().height() + 2};
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {std::min(sizeHint().width(), fontMetrics().averageCharWidth() * 5),
            sizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = Theme::current();
    if (m_copyable && hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.accentSoft);
        painter.drawRoundedRect(rect(), 3, 3);
    }
    painter.setPen(!isEnabled() ? theme.disabled : m_quiet ? theme.text2 : theme.text);
    painter.drawText(contentsRect(), int(m_alignment) | Qt::TextSingleLine,
                     fontMetrics().elidedText(m_text, m_mode, contentsRect().width()));
}

bool ElidedLabel::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip && toolTip().isEmpty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (isElided())
            QToolTip::showText(help->globalPos(), m_text, this);
        else
            QToolTip::hideText();
        return true;
    }
    return QFrame::event(event);
}

void ElidedLabel::contextMenuEvent(QContextMenuEvent* event)
{
    if (!m_copyable) {
        QFrame::contextMenuEvent(event);
        return;
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Copy"), this, [this] { QGuiApplication::clipboard()->setText(m_text); });
    menu->popup(event->globalPos());
}

void ElidedLabel::keyPressEvent(QKeyEvent* event)
{
    if (m_copyable && event->matches(QKeySequence::Copy))
        QGuiApplication::clipboard()->setText(m_text);
    else
        QFrame::keyPressEvent(event);
}

} // namespace cellfolio
