// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/banner.h"

#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"
#include "widgets/views/elided_label.h"

#include <QtCore/QEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>

namespace cellfolio
{

namespace
{

struct Look {
    QColor tile;
    QColor ink;
    QString icon;
};

Look lookOf(Banner::Tone tone)
{
    const Theme& theme = Theme::current();
    switch (tone) {
    case Banner::Tone::Note:
        return {theme.hover, theme.text2, QStringLiteral("info-circle")};
    case Banner::Tone::Warning:
        return {theme.warnSoft, theme.warn, QStringLiteral("alert-triangle")};
    case Banner::Tone::Error:
        return {theme.errSoft, theme.err, QStringLiteral("alert-circle")};
    }
    return {};
}

} // namespace

Banner::Banner(QWidget* parent)
    : QWidget(parent), m_label(new ElidedLabel(this)), m_button(new QPushButton(this)),
      m_close(new QToolButton(this))
{
    setFixedHeight(measures::scaled(36));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(38, 0, 8, 0);
    row->setSpacing(8);
    m_label->setElideMode(Qt::ElideRight);
    m_label->setCopyable(true);
    m_label->setFont(fonts::table());
    row->addWidget(m_label, 1);
    m_button->setProperty("quiet", true);
    m_button->setProperty("small", true);
    row->addWidget(m_button);
    m_close->setIcon(icon("x"));
    m_close->setToolTip(tr("Close"));
    m_close->setAccessibleName(tr("Close this message"));
    row->addWidget(m_close);
    connect(m_button, &QPushButton::clicked, this, &Banner::buttonClicked);
    connect(m_close, &QToolButton::clicked, this, [this] {
        hide();
        Q_EMIT closed();
    });
    hide();
}

void Banner::showMessage(Tone tone, const QString& sentence, const QString& button)
{
    m_tone = tone;
    m_label->setText(sentence);
    m_button->setText(button);
    m_button->setVisible(!button.isEmpty());
    setAccessibleName(sentence);
    update();
    show();
}

QString Banner::sentence() const
{
    return m_label->text();
}

void Banner::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Look look = lookOf(m_tone);
    painter.fillRect(rect(), look.tile);
    painter.fillRect(QRect(0, height() - 1, width(), 1), Theme::current().hairline);
    paintIcon(painter, look.icon, QRectF(12, (height() - 16) / 2.0, 16, 16), look.ink);
}

void Banner::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        update();
}

} // namespace cellfolio
