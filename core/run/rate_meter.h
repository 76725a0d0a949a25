// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <deque>

namespace cellfolio {

// How fast a count grows, over the last seconds. Not thread-safe.
class RateMeter
{
public:
    static constexpr double kWindow = 5; // s

    // `seconds`: since any start, never smaller than the time before; `count` may start anew.
    void add(double seconds, Index count)
    {
        if (!m_samples.empty() && count < m_samples.back().count)
            m_samples.clear();
        if (m_samples.empty() || count > m_samples.back().count)
            m_grew = seconds;
        m_samples.push_back({seconds, count});
        while (m_samples.size() > 2 && m_samples[1].seconds <= seconds - kWindow)
            m_samples.pop_front();
    }
    // A second; 0 until there are two samples.
    double rate() const
    {
        if (m_samples.size() < 2)
            return 0;
        const double took = m_samples.back().seconds - m_samples.front().seconds;
        return took > 0 ? static_cast<double>(m_samples.back().count - m_samples.front().count) / took : 0;
    }
    // When it grew last.
    double lastGrowth() const { return m_grew; }

private:
    struct Sample {
        double seconds;
        Index count;
    };
    std::deque<Sample> m_samples;
    double m_grew = 0;
};

} // namespace cellfolio
