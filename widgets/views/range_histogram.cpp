// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/range_histogram.h"

#include "widgets/style/theme.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>

#include <algorithm>
#include <cmath>

namespace cellfolio
{

namespace
{

constexpr int kPlot = 52;
constexpr int kTop = 2;
constexpr int kSide = 7; // room for a ring at the ends
constexpr int kRing = 10;
constexpr int kFoot = 14; // rings below the axis
constexpr int kZeros = 22;
constexpr int kZerosGap = 8;
constexpr double kReach = 9; // px around a handle that take it

} // namespace

RangeHistogram::RangeHistogram(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
}

void RangeHistogram::setData(RangeHistogramData data)
{
    if (data == m_data)
        return;
    m_data = std::move(data);
    update();
}

void RangeHistogram::setRange(std::optional<double> low, std::optional<double> high)
{
    if (low == m_low && high == m_high)
        return;
    m_low = low;
    m_high = high;
    update();
}

QSize RangeHistogram::sizeHint() const
{
    return {260, kTop + kPlot + kFoot};
}

QSize RangeHistogram::minimumSizeHint() const
{
    return {100, kTop + kPlot + kFoot};
}

double RangeHistogram::plotLeft() const
{
    return kSide + (m_data.zeros ? kZeros + kZerosGap : 0);
}

double RangeHistogram::plotRight() const
{
    return std::max(plotLeft() + 1, double(width() - kSide));
}

double RangeHistogram::xOf(double value) const
{
    if (m_data.zeros && value <= 0)
        return kSide;
    const double span = end() - m_data.first;
    const double share = span > 0 ? (value - m_data.first) / span : 0;
    return plotLeft() + std::clamp(share, 0.0, 1.0) * (plotRight() - plotLeft());
}

// A whole number's bar reaches to the next one: the upper handle stands behind what it includes.
double RangeHistogram::handleX(bool high) const
{
    if (!high)
        return m_low ? xOf(*m_low) : kSide;
    if (!m_high)
        return plotRight();
    if (m_data.zeros && *m_high <= 0)
        return kSide + kZeros;
    return m_data.whole && m_data.barWidth == 1 ? xOf(*m_high + 1) : xOf(*m_high);
}

double RangeHistogram::rounded(double value) const
{
    if (m_data.whole)
        return std::round(value);
    const double span = end() - m_data.first;
    if (!(span > 0))
        return value;
    const double step = std::pow(10.0, std::floor(std::log10(span / 500)));
    return std::round(value / step) * step;
}

std::optional<double> RangeHistogram::valueAt(double x, bool high) const
{
    if (high ? x >= plotRight() - 0.5 : x <= kSide + 0.5)
        return std::nullopt;
    if (m_data.zeros && x < plotLeft() - kZerosGap / 2.0)
        return high ? std::optional(0.0) : std::nullopt;
    const double share = (x - plotLeft()) / (plotRight() - plotLeft());
    const double value = m_data.first + std::clamp(share, 0.0, 1.0) * (end() - m_data.first);
    if (m_data.zeros && share <= 0)
        return m_data.first; // all but the zeros
    // Whole numbers: the bar under the upper handle's left edge is in.
    const double shown = rounded(high && m_data.whole && m_data.barWidth == 1 ? value - 1 : value);
    if (high && shown >= m_data.last)
        return std::nullopt;
    if (!high && !m_data.zeros && shown <= m_data.first)
        return std::nullopt;
    return shown;
}

void RangeHistogram::take(std::optional<double> value)
{
    std::optional<double>& own = m_useHigh ? m_high : m_low;
    // A handle stops at the other.
    if (value && m_useHigh && m_low)
        value = std::max(*value, *m_low);
    if (value && !m_useHigh && m_high)
        value = std::min(*value, *m_high);
    if (own == value)
        return;
    own = value;
    update();
    Q_EMIT edited();
}

void RangeHistogram::moveTo(double x)
{
    take(valueAt(x, m_useHigh));
}

void RangeHistogram::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || m_data.bars.empty())
        return;
    const double x = event->position().x();
    const double toLow = std::abs(x - handleX(false));
    const double toHigh = std::abs(x - handleX(true));
    // Handles on top of each other: the one that can move that way.
    m_useHigh = toLow == toHigh ? x > handleX(true) || handleX(true) < width() / 2.0 : toHigh < toLow;
    m_dragging = true;
    update();
    if (std::min(toLow, toHigh) > kReach)
        moveTo(x);
}

void RangeHistogram::mouseMoveEvent(QMouseEvent* event)
{
    const double x = event->position().x();
    if (m_dragging)
        moveTo(x);
    const bool near = std::min(std::abs(x - handleX(false)), std::abs(x - handleX(true))) <= kReach;
    setCursor(m_dragging || near ? Qt::SizeHorCursor : Qt::ArrowCursor);
}

void RangeHistogram::mouseReleaseEvent(QMouseEvent*)
{
    m_dragging = false;
}

void RangeHistogram::keyPressEvent(QKeyEvent* event)
{
    const double step = (event->modifiers() & Qt::ShiftModifier) != 0 ? 0.1 : 0.01;
    const auto move = [&](double sign) {
        const double span = end() - m_data.first;
        const double by = std::max(span * step, m_data.whole ? 1.0 : 0.0);
        const double from = m_useHigh ? m_high.value_or(m_data.last) : m_low.value_or(m_data.first);
        const double to = rounded(from + sign * by);
        const bool open = m_useHigh ? to >= m_data.last : !m_data.zeros && to <= m_data.first;
        take(open ? std::nullopt : std::optional(to));
    };
    switch (event->key()) {
    case Qt::Key_Left: move(-1); break;
    case Qt::Key_Right: move(1); break;
    case Qt::Key_Home:
    case Qt::Key_End: take(std::nullopt); break;
    case Qt::Key_Up:
    case Qt::Key_Down:
        m_useHigh = !m_useHigh;
        update();
        break;
    default: QWidget::keyPressEvent(event);
    }
}

void RangeHistogram::focusInEvent(QFocusEvent* event)
{
    if (event->reason() == Qt::TabFocusReason)
        m_useHigh = false;
    QWidget::focusInEvent(event);
    update();
}

void RangeHistogram::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const double ratio = devicePixelRatioF();
    const auto snap = [ratio](double v) { return std::round(v * ratio) / ratio; };
    const double bottom = kTop + kPlot;
    const double lowX = handleX(false);
    const double highX = handleX(true);

    double highest = 0;
    for (const double bar : m_data.bars)
        highest = std::max(highest, bar);
    const auto bar = [&](double left, double right, double all, double part, double most) {
        if (!(all > 0) || !(most > 0))
            return;
        const auto draw = [&](double count, const QColor& colour) {
            const double top = snap(bottom - std::clamp(count / most * kPlot, 1.0, double(kPlot)));
            painter.fillRect(QRectF(snap(left), top, std::max(1 / ratio, snap(right) - snap(left)), bottom - top), colour);
        };
        draw(all, theme.barPale);
        if (part > 0)
            draw(part, theme.bar);
    };
    if (m_data.zeros)
        // Mostly far more than any other: drawn to the full height, and said in figures below.
        bar(kSide, kSide + kZeros, *m_data.zeros, *m_data.zeros > 0 ? m_data.zerosInView : 0, *m_data.zeros);
    if (!m_data.bars.empty()) {
        const double step = (plotRight() - plotLeft()) / double(m_data.bars.size());
        const bool apart = m_data.inView.size() == m_data.bars.size();
        for (std::size_t i = 0; i < m_data.bars.size(); ++i) {
            const double left = plotLeft() + double(i) * step;
            bar(left, left + step - (step >= 3 ? 1 : 0), m_data.bars[i], apart ? m_data.inView[i] : m_data.bars[i], highest);
        }
    }
    painter.fillRect(QRectF(kSide, bottom, width() - 2 * kSide, 1), theme.hairline);
    if (m_data.bars.empty())
        return;

    painter.setRenderHint(QPainter::Antialiasing);
    for (const bool high : {false, true}) {
        const double x = snap(high ? highX : lowX);
        const bool open = high ? !m_high : !m_low;
        const bool inUse = hasFocus() && m_useHigh == high;
        painter.setPen(QPen(theme.accent, open ? 1.0 : 1.5));
        painter.drawLine(QPointF(x, kTop), QPointF(x, bottom + 1));
        painter.setPen(QPen(theme.accent, 1.5));
        painter.setBrush(inUse ? theme.accent : theme.raised);
        painter.drawEllipse(QPointF(x, bottom + 1 + kRing / 2.0), kRing / 2.0 - 0.75, kRing / 2.0 - 0.75);
    }
}

} // namespace cellfolio
