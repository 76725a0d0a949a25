// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QProxyStyle>

namespace cellfolio
{

// Fusion without its noise: own check boxes and radio buttons, a visible focus ring, no etched
// text, no stray tab line, chevrons as tree branches. Colours come from Theme::current().
class QuietStyle : public QProxyStyle
{
    Q_OBJECT
public:
    QuietStyle();

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget = nullptr) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option = nullptr,
                    const QWidget* widget = nullptr) const override;
    QRect subElementRect(SubElement element, const QStyleOption* option,
                         const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option = nullptr,
                  const QWidget* widget = nullptr,
                  QStyleHintReturn* returned = nullptr) const override;
};

// The ring that shows where the keyboard is: 2 px accent, radius 3, inside `where`. For delegates
// and painted widgets.
void drawFocusRing(QPainter& painter, const QRectF& where);

} // namespace cellfolio
