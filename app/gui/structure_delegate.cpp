// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/structure_delegate.h"

#include "widgets/models/structure_model.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/numbers.h"
#include "widgets/style/quiet_style.h"
#include "widgets/style/theme.h"

#include <QtGui/QPainter>

namespace cellfolio {

namespace {

void drawChip(QPainter& painter, const StructureChip& chip, int& left, const QRect& row)
{
    const Theme& theme = Theme::current();
    QColor tile = theme.hover;
    QColor ink = theme.text2;
    if (chip.tone == StructureChip::Tone::Warning) {
        tile = theme.warnSoft;
        ink = theme.warn;
    } else if (chip.tone == StructureChip::Tone::Error) {
        tile = theme.errSoft;
        ink = theme.err;
    }
    const QFontMetrics metrics(fonts::caption());
    const QRect box(left, row.center().y() - measures::kChip / 2 + 1, metrics.horizontalAdvance(chip.text) + 10,
                    measures::kChip);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tile);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.drawRoundedRect(box, measures::kChipRadius, measures::kChipRadius);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(fonts::caption());
    painter.setPen(ink);
    painter.drawText(box, Qt::AlignCenter, chip.text);
    left = box.right() + 6;
}

} // namespace

void StructureDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const
{
    const Theme& theme = Theme::current();
    painter->save();
    const bool picked = (option.state & QStyle::State_Selected) != 0;
    const bool hovered = (option.state & QStyle::State_MouseOver) != 0;
    if (picked || hovered)
        painter->fillRect(option.rect, picked ? theme.accentSoft : theme.hover);
    const QRect row = option.rect.adjusted(2, 0, -8, 0);

    const QRectF iconBox(row.left(), row.center().y() - measures::kIcon / 2.0 + 0.5, measures::kIcon,
                         measures::kIcon);
    paintIcon(*painter, index.data(StructureModel::IconRole).toString(), iconBox,
              picked ? theme.accent : theme.text2);

    const QFont captionFont = fonts::caption();
    const auto chips = index.data(StructureModel::ChipsRole).value<QList<StructureChip>>();
    int chipsWidth = 0;
    for (const StructureChip& chip : chips)
        chipsWidth += QFontMetrics(captionFont).horizontalAdvance(chip.text) + 16;

    const bool strong = index.data(StructureModel::StrongRole).toBool();
    painter->setFont(strong ? fonts::tableSemibold() : fonts::table());
    painter->setPen(theme.text);
    const QFontMetrics metrics(painter->font());
    const int nameLeft = row.left() + measures::kIcon + 8;
    // The size on disk stands there too where there is room for all of it.
    QString brief = index.data(StructureModel::BriefRole).toString();
    if (const QString size = index.data(StructureModel::SizeRole).toString(); !size.isEmpty()) {
        const QString both = brief + QStringLiteral(" · ") + size;
        const double wanted = metrics.horizontalAdvance(index.data().toString()) + chipsWidth + 22
            + numberWidth(captionFont, both);
        if (wanted <= row.right() - nameLeft)
            brief = both;
    }
    const int briefWidth = static_cast<int>(numberWidth(captionFont, brief)) + 1;
    const int room = std::max(24, row.right() - nameLeft - briefWidth - chipsWidth - 10);
    const QString name = metrics.elidedText(index.data().toString(), Qt::ElideMiddle, room);
    painter->drawText(QRect(nameLeft, row.top(), room, row.height()), Qt::AlignLeft | Qt::AlignVCenter, name);
    int left = nameLeft + metrics.horizontalAdvance(name) + 8;
    for (const StructureChip& chip : chips)
        drawChip(*painter, chip, left, row);

    painter->setFont(captionFont);
    painter->setPen(theme.text2);
    const int briefLeft = std::max(left, row.right() - briefWidth);
    const QRectF briefBox(briefLeft, row.top(), row.right() - briefLeft + 1, row.height());
    drawNumber(*painter, briefBox, elideNumber(captionFont, brief, briefBox.width()));
    if ((option.state & QStyle::State_HasFocus) != 0 && (option.state & QStyle::State_KeyboardFocusChange) != 0)
        drawFocusRing(*painter, option.rect);
    painter->restore();
}

QSize StructureDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    return {120, measures::rowHeight(fonts::table())};
}

} // namespace cellfolio
