// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QtGlobal>

class QScrollBar;

namespace cellfolio
{

// A scroll position of 64 bits behind a scroll bar of 31. As long as the content fits the bar's
// range one step of the bar is one pixel; above that the bar only carries the proportion, and
// wheel, keys and jumps move the position itself, to the pixel. A plain value; the view owns it.
class LongScroll
{
public:
    // Requires content >= 0, page >= 0. The position is clamped.
    void setExtent(qint64 content, qint64 page);

    qint64 position() const noexcept { return m_position; }
    qint64 content() const noexcept { return m_content; }
    qint64 page() const noexcept { return m_page; }
    qint64 maximum() const noexcept { return m_content > m_page ? m_content - m_page : 0; }

    // True when it moved.
    bool setPosition(qint64 position) noexcept;
    bool moveBy(qint64 delta) noexcept; // does not overflow

    // Least movement that shows first..last; the start wins where both do not fit.
    bool show(qint64 first, qint64 last) noexcept;

    // Writes range, page and value into the bar. Only rangeChanged is emitted, never valueChanged.
    void toBar(QScrollBar& bar, int singleStep) const;

    // What a click on the bar or a key asks of it (QAbstractSlider::SliderAction): moves by `line`
    // or `page` whatever one step of the bar stands for, and puts the bar where that led. False for
    // what is no step or page; then the bar's own position counts.
    bool act(QScrollBar& bar, int action, qint64 line, qint64 page);

    // The position that the user gave the bar; exact where nothing is scaled. True when it moved.
    bool fromBar(const QScrollBar& bar) noexcept;

private:
    static constexpr qint64 kBarRange = 1 << 30;
    int barValue() const noexcept;

    qint64 m_content = 0;
    qint64 m_page = 0;
    qint64 m_position = 0;
};

} // namespace cellfolio
