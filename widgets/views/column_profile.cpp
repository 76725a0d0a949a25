// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/column_profile.h"

#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/numbers.h"
#include "widgets/style/theme.h"

#include <QtGui/QFontMetrics>
#include <QtGui/QPainter>

#include <algorithm>
#include <cmath>

namespace cellfolio
{

using measures::scaled;

namespace
{

// Lines inside the head, from its top.
constexpr int kNameTop = 7;
constexpr int kNameHeight = 18;
constexpr int kTypeTop = 26;
constexpr int kCaptionHeight = 15;
constexpr int kPlotTop = 45;
constexpr int kPlotHeight = 34;
constexpr int kCaptionTop = 82;
constexpr int kLeft = 8;
constexpr int kRight = 10;
constexpr int kNameLeft = 20; // after the icon
constexpr int kChevron = 16;
constexpr double kWidestBar = 13;

// Two texts on one line; the left one gives way.
void drawPair(QPainter& painter, const QRect& line, const QString& left, const QString& right)
{
    const int rightWidth = right.isEmpty() ? 0 : int(std::ceil(numberWidth(painter.font(), right)));
    const int room = line.width() - (rightWidth ? rightWidth + 6 : 0);
    if (rightWidth && rightWidth <= line.width())
        drawNumber(painter, line, right);
    if (room > 12)
        drawNumber(painter, line, elideNumber(painter.font(), left, room), Qt::AlignLeft);
}

struct Bars {
    std::vector<double> whole;
    std::vector<double> inView;
    std::vector<QColor> colors;
};

// As many bars as have two device pixels each; several of the source's share one where there are
// more, by their largest, so that no peak is lost.
Bars fitting(const ColumnProfile& profile, std::size_t most)
{
    Bars bars;
    const bool separate = profile.barsInView.size() == profile.bars.size();
    const std::size_t n = profile.bars.size();
    const std::size_t each = std::max<std::size_t>(1, (n + most - 1) / most);
    for (std::size_t i = 0; i < n; i += each) {
        double whole = 0;
        double inView = 0;
        for (std::size_t k = i; k < std::min(n, i + each); ++k) {
            whole = std::max(whole, profile.bars[k]);
            inView = std::max(inView, separate ? profile.barsInView[k] : profile.bars[k]);
        }
        bars.whole.push_back(whole);
        bars.inView.push_back(inView);
        bars.colors.push_back(i < profile.colors.size() ? profile.colors[i] : QColor());
    }
    return bars;
}

void paintBars(QPainter& painter, const QRect& plot, const ColumnProfile& profile)
{
    const Theme& theme = Theme::current();
    const double ratio = painter.device()->devicePixelRatio();
    const auto snap = [ratio](double v) { return std::round(v * ratio) / ratio; };
    painter.fillRect(QRect(plot.left(), plot.bottom(), plot.width(), 1), theme.hairline);
    if (profile.bars.empty() || plot.width() < 8)
        return;
    const bool categories = profile.kind == ColumnProfile::Kind::Categories;
    const Bars bars = fitting(profile, std::size_t(plot.width() / 2));
    double highest = 0;
    for (std::size_t i = 0; i < bars.whole.size(); ++i)
        highest = std::max({highest, bars.whole[i], bars.inView[i]});
    if (!(highest > 0))
        return;
    double step = double(plot.width()) / double(bars.whole.size());
    step = std::min(step, categories ? kWidestBar + 1 : kWidestBar);
    const double gap = step >= 3 ? 1.0 : 0.0;
    const auto bar = [&](std::size_t i, double value, const QColor& colour) {
        if (!(value > 0))
            return;
        // Edges on device pixels: rounding logical ones leaves uneven gaps at 1.25 and 1.5.
        const double left = snap(plot.left() + double(i) * step);
        const double right =
            std::max(snap(plot.left() + double(i + 1) * step) - gap, left + 1 / ratio);
        const double bottom = plot.bottom() + 1;
        const double top = snap(bottom - std::max(1.0, value / highest * plot.height()));
        painter.fillRect(QRectF(left, top, right - left, bottom - top), colour);
    };
    for (std::size_t i = 0; i < bars.whole.size(); ++i) {
        QColor solid = theme.bar;
        QColor pale = theme.barPale;
        if (categories && bars.colors[i].isValid()) {
            solid = theme.onCanvas(bars.colors[i]);
            pale = mixed(theme.frame, solid, theme.isDark() ? 0.28 : 0.24);
        }
        bar(i, bars.whole[i], pale);
        bar(i, bars.inView[i], solid);
    }
}

QString about(const ColumnProfile& profile, const QString& text)
{
    return profile.sampled && !text.isEmpty() ? QChar(0x2248) + QStringLiteral(" ") + text : text;
}

} // namespace

void paintProfile(QPainter& painter, const QRect& where, const ColumnProfile& profile,
                  const ProfilePaint& how)
{
    const Theme& theme = Theme::current();
    if (how.selected || how.hovered)
        painter.fillRect(where, how.selected ? theme.accentSoft : theme.hover);
    const QRect inner = where.adjusted(kLeft, 0, -kRight, 0);
    if (inner.width() < 10)
        return;
    painter.save();
    painter.setClipRect(where.adjusted(2, 0, -2, 0), Qt::IntersectClip);

    const bool sorted = how.sort != SortMark::None;
    int nameLeft = inner.left();
    if (!profile.icon.isEmpty()) {
        paintIcon(painter, profile.icon,
                  QRectF(inner.left() - 1, where.top() + scaled(kNameTop) + 1, 16, 16),
                  sorted ? theme.accent : theme.text2);
        nameLeft += scaled(kNameLeft);
    }
    painter.setFont(fonts::tableSemibold());
    painter.setPen(theme.text);
    const int nameRoom = inner.right() + 1 - nameLeft - (sorted ? kChevron + 2 : 0);
    const QString name = painter.fontMetrics().elidedText(profile.name, Qt::ElideMiddle, nameRoom);
    painter.drawText(QRect(nameLeft, where.top() + scaled(kNameTop), nameRoom, scaled(kNameHeight)),
                     Qt::AlignVCenter | Qt::TextSingleLine, name);
    if (sorted) {
        const int end = nameLeft + painter.fontMetrics().horizontalAdvance(name) + 4;
        paintIcon(painter,
                  how.sort == SortMark::Ascending ? QStringLiteral("chevron-up")
                                                  : QStringLiteral("chevron-down"),
                  QRectF(end, where.top() + scaled(kNameTop) + 2, 14, 14), theme.accent);
    }

    painter.setFont(fonts::caption());
    painter.setPen(theme.text2);
    drawPair(
        painter,
        QRect(inner.left(), where.top() + scaled(kTypeTop), inner.width(), scaled(kCaptionHeight)),
        profile.type, profile.missing);

    const QRect plot(inner.left(), where.top() + scaled(kPlotTop), inner.width(),
                     scaled(kPlotHeight));
    switch (profile.kind) {
    case ColumnProfile::Kind::None:
        break;
    case ColumnProfile::Kind::Histogram:
    case ColumnProfile::Kind::Categories:
        paintBars(painter, plot, profile);
        break;
    case ColumnProfile::Kind::Samples: {
        painter.setPen(theme.text2);
        QRect line(plot.left(), plot.top() + 2, plot.width(), scaled(kCaptionHeight));
        for (qsizetype i = 0; i < std::min<qsizetype>(2, profile.samples.size()); ++i) {
            painter.drawText(line, Qt::AlignVCenter | Qt::TextSingleLine,
                             painter.fontMetrics().elidedText(profile.samples[i].left(400),
                                                              Qt::ElideMiddle, line.width()));
            line.translate(0, scaled(16));
        }
        break;
    }
    }
    painter.setPen(theme.text2);
    drawPair(painter,
             QRect(inner.left(), where.top() + scaled(kCaptionTop), inner.width(),
                   scaled(kCaptionHeight)),
             about(profile, profile.captionLeft), profile.captionRight);
    painter.restore();
}

int profileWidth(const ColumnProfile& profile)
{
    const QFontMetrics name(fonts::tableSemibold());
    const auto pair = [](const QString& left, const QString& right) {
        double width = numberWidth(fonts::caption(), left);
        if (!right.isEmpty())
            width += 8 + numberWidth(fonts::caption(), right);
        return int(std::ceil(width));
    };
    const int nameWidth = name.horizontalAdvance(profile.name) +
                          (profile.icon.isEmpty() ? 0 : scaled(kNameLeft)) + kChevron + 2;
    return kLeft + kRight + 2 +
           std::max({nameWidth, pair(profile.type, profile.missing),
                     pair(about(profile, profile.captionLeft), profile.captionRight)});
}

} // namespace cellfolio
