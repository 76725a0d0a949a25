// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/offer_bar.h"

#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

#include <QtCore/QEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>

namespace cellfolio
{

OfferBar::OfferBar(QWidget* parent)
    : QWidget(parent), m_label(new QLabel(this)), m_accept(new QPushButton(this)),
      m_decline(new QPushButton(this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(38, 6, 12, 7);
    row->setSpacing(8);
    m_label->setWordWrap(true);
    m_label->setFont(fonts::table());
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(m_label, 1);
    m_accept->setProperty("primary", true);
    for (QPushButton* button : {m_accept, m_decline}) {
        button->setProperty("small", true);
        row->addWidget(button, 0, Qt::AlignVCenter);
    }
    connect(m_accept, &QPushButton::clicked, this, &OfferBar::accepted);
    connect(m_decline, &QPushButton::clicked, this, &OfferBar::declined);
    hide();
}

void OfferBar::showOffer(const QString& sentence, const QString& accept, const QString& decline)
{
    m_label->setText(sentence);
    m_accept->setText(accept);
    m_accept->setVisible(!accept.isEmpty());
    m_decline->setText(decline);
    m_decline->setVisible(!decline.isEmpty());
    setAccessibleName(sentence);
    show();
}

QString OfferBar::sentence() const
{
    return m_label->text();
}

void OfferBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.hover);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.hairline);
    paintIcon(painter, QStringLiteral("helix"), QRectF(12, (height() - 16) / 2.0, 16, 16), theme.text2);
}

void OfferBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        update();
}

} // namespace cellfolio
