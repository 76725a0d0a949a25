// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/long_scroll.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QScrollBar>

#include <algorithm>

namespace cellfolio
{

namespace
{

// value * to / from without leaving 64 bits. Requires 0 <= value <= from <= 2^30.
qint64 scaledUp(qint64 value, qint64 from, qint64 to)
{
    return value * (to / from) + value * (to % from) / from;
}

} // namespace

void LongScroll::setExtent(qint64 content, qint64 page)
{
    m_content = std::max<qint64>(content, 0);
    m_page = std::max<qint64>(page, 0);
    setPosition(m_position);
}

bool LongScroll::setPosition(qint64 position) noexcept
{
    const qint64 clamped = std::clamp<qint64>(position, 0, maximum());
    if (clamped == m_position)
        return false;
    m_position = clamped;
    return true;
}

bool LongScroll::moveBy(qint64 delta) noexcept
{
    const qint64 target = delta > 0
                              ? (delta > maximum() - m_position ? maximum() : m_position + delta)
                              : (-delta > m_position ? 0 : m_position + delta);
    return setPosition(target);
}

bool LongScroll::show(qint64 first, qint64 last) noexcept
{
    if (first < m_position || last - first + 1 > m_page)
        return setPosition(first);
    if (last >= m_position + m_page)
        return setPosition(last - m_page + 1);
    return false;
}

int LongScroll::barValue() const noexcept
{
    if (maximum() <= kBarRange)
        return int(m_position);
    // Down to the bar's step; both ends stay ends.
    if (m_position == maximum())
        return int(kBarRange);
    return int(double(m_position) / double(maximum()) * double(kBarRange));
}

bool LongScroll::act(QScrollBar& bar, int action, qint64 line, qint64 page)
{
    switch (action) {
    case QAbstractSlider::SliderSingleStepAdd:
        moveBy(line);
        break;
    case QAbstractSlider::SliderSingleStepSub:
        moveBy(-line);
        break;
    case QAbstractSlider::SliderPageStepAdd:
        moveBy(page);
        break;
    case QAbstractSlider::SliderPageStepSub:
        moveBy(-page);
        break;
    default:
        return false;
    }
    toBar(bar, int(line));
    bar.setSliderPosition(bar.value());
    return true;
}

void LongScroll::toBar(QScrollBar& bar, int singleStep) const
{
    const int range = int(std::min(maximum(), kBarRange));
    const double scale = maximum() > 0 ? double(range) / double(maximum()) : 1.0;
    const bool newRange = bar.minimum() != 0 || bar.maximum() != range;
    {
        const QSignalBlocker quiet(bar);
        bar.setRange(0, range);
        bar.setPageStep(std::max(1, int(double(m_page) * scale)));
        bar.setSingleStep(std::max(1, int(double(singleStep) * scale)));
        bar.setValue(barValue());
    }
    // The scroll area shows and hides its bars by this signal.
    if (newRange)
        Q_EMIT bar.rangeChanged(0, range);
}

bool LongScroll::fromBar(const QScrollBar& bar) noexcept
{
    if (bar.value() == barValue())
        return false; // the bar only follows: what lies below its step must not be lost
    if (maximum() <= kBarRange)
        return setPosition(bar.value());
    return setPosition(scaledUp(bar.value(), kBarRange, maximum()));
}

} // namespace cellfolio
