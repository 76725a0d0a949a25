// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/quiet_style.h"

#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

#include <QtGui/QPainter>
#include <QtGui/QPainterPath>
#include <QtWidgets/QStyleFactory>
#include <QtWidgets/QStyleOption>

namespace cellfolio
{

namespace
{

// Check box or radio button: 14 px in the middle of `where`.
void drawMark(QPainter& painter, const QRect& where, QStyle::State state, bool round)
{
    const Theme& theme = Theme::current();
    const bool enabled = state & QStyle::State_Enabled;
    const bool on = state & QStyle::State_On;
    const bool partly = state & QStyle::State_NoChange;
    const bool filled = on || partly;
    const QRectF box(where.center().x() + 1 - 7, where.center().y() + 1 - 7, 14, 14);

    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const bool hovered = enabled && (state & QStyle::State_MouseOver);
    if (filled && enabled) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(hovered ? theme.accentFillHover : theme.accentFill);
    } else {
        painter.setPen(QPen(enabled ? theme.line : theme.softLine, 1));
        painter.setBrush(!enabled ? theme.frame : hovered ? theme.hover : theme.base);
    }
    const QRectF shape = filled && enabled ? box : box.adjusted(0.5, 0.5, -0.5, -0.5);
    if (round)
        painter.drawEllipse(shape);
    else
        painter.drawRoundedRect(shape, 3, 3);

    const QColor ink = enabled ? theme.onAccent : theme.disabled;
    if (on && round) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        painter.drawEllipse(box.center(), 2.75, 2.75);
    } else if (filled && !round) {
        painter.setPen(QPen(ink, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        const QPointF o = box.topLeft();
        if (partly)
            painter.drawLine(o + QPointF(4, 7), o + QPointF(10, 7));
        else
            painter.drawPolyline(
                QPolygonF({o + QPointF(3.6, 7.3), o + QPointF(6, 9.7), o + QPointF(10.6, 4.7)}));
    }
    painter.restore();
}

} // namespace

void drawFocusRing(QPainter& painter, const QRectF& where)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(Theme::current().accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(where.adjusted(1, 1, -1, -1), 2, 2);
    painter.restore();
}

QuietStyle::QuietStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void QuietStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                               QPainter* painter, const QWidget* widget) const
{
    switch (element) {
    case PE_FrameTabBarBase: // else a stray line beside corner widgets
        return;
    case PE_FrameFocusRect:
        drawFocusRing(*painter, option->rect);
        return;
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
        drawMark(*painter, option->rect, option->state, false);
        return;
    case PE_IndicatorRadioButton:
        drawMark(*painter, option->rect, option->state, true);
        return;
    case PE_IndicatorBranch:
        if (option->state & State_Children) {
            const QRectF r(option->rect);
            const QRectF box(r.right() - 15, r.center().y() - 7, 14, 14);
            paintIcon(*painter,
                      option->state & State_Open ? QStringLiteral("chevron-down")
                                                 : QStringLiteral("chevron-right"),
                      box, Theme::current().text2);
        }
        return;
    case PE_IndicatorMenuCheckMark:
        paintIcon(*painter, QStringLiteral("check"), QRectF(option->rect),
                  option->state & State_Enabled ? Theme::current().text
                                                : Theme::current().disabled);
        return;
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

int QuietStyle::pixelMetric(PixelMetric metric, const QStyleOption* option,
                            const QWidget* widget) const
{
    switch (metric) {
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
    case PM_SmallIconSize:
    case PM_ListViewIconSize:
        return 16;
    case PM_ToolBarIconSize:
    case PM_ButtonIconSize:
        return 16;
    case PM_ToolBarItemSpacing:
        return 4;
    case PM_SplitterWidth:
        return 1;
    case PM_TreeViewIndentation:
        return 16;
    case PM_ScrollBarExtent:
        return 12;
    case PM_MenuButtonIndicator:
        return 10;
    case PM_FocusFrameHMargin: // icon and text of a list's row keep clear of the focus ring
        return 5;
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
        return 0;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

QRect QuietStyle::subElementRect(SubElement element, const QStyleOption* option,
                                 const QWidget* widget) const
{
    // Round the whole row: round the text alone the ring would cut into it.
    if (element == SE_ItemViewItemFocusRect)
        return option->rect;
    return QProxyStyle::subElementRect(element, option, widget);
}

int QuietStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                          QStyleHintReturn* returned) const
{
    switch (hint) {
    case SH_EtchDisabledText:
        return 0;
    case SH_ItemView_ShowDecorationSelected:
        return 1;
    case SH_UnderlineShortcut:
        return 0;
    case SH_DialogButtonBox_ButtonsHaveIcons: // words say it; the system's icons are coloured
        return 0;
    case SH_ComboBox_Popup: // a list under the box, not a menu over it
        return 0;
    default:
        return QProxyStyle::styleHint(hint, option, widget, returned);
    }
}

} // namespace cellfolio
