// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/paging/array_reader.h"

#include <algorithm>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace cellfolio {

// An ordered list of items of one level of a ragged array, as stretches of items that follow each
// other. Items may repeat. What it holds grows with the stretches, not with the items.
class RaggedStretches
{
public:
    struct Run {
        Index first = 0;
        Index count = 0;
    };
    // Items of a window: what one step of the work holds.
    static constexpr Index kWindow = Index{1} << 14;
    // No level has more items than this.
    static constexpr Index kMost = Index{1} << 62;

    // Items that follow the last stretch make it longer. count >= 0; beyond kMost the count stays
    // above it.
    void add(Index first, Index count)
    {
        if (count == 0)
            return;
        if (!m_runs.empty() && m_runs.back().first + m_runs.back().count == first
            && m_runs.back().count <= kMost && count <= kMost)
            m_runs.back().count += count;
        else
            m_runs.push_back({first, count});
        m_count = count > kMost - m_count ? kMost + 1 : m_count + count;
    }

    const std::vector<Run>& runs() const noexcept { return m_runs; }
    Index count() const noexcept { return m_count; }

    // Calls visit(RaggedStretches) with at most kWindow items each time, in order; it returns
    // Result<void>, and the first failure ends it.
    template <typename Visit>
    Result<void> forEachWindow(Visit&& visit) const
    {
        RaggedStretches window;
        for (const Run& run : m_runs) {
            for (Index done = 0; done < run.count;) {
                const Index taken = std::min(kWindow - window.m_count, run.count - done);
                window.add(run.first + done, taken);
                done += taken;
                if (window.m_count == kWindow) {
                    if (auto visited = visit(std::as_const(window)); !visited)
                        return visited;
                    window = {};
                }
            }
        }
        return window.m_count > 0 ? visit(std::as_const(window)) : Result<void>();
    }

private:
    std::vector<Run> m_runs;
    Index m_count = 0;
};

// The values of these stretches, one after the other, of an array that is taken as flat, whatever
// its dimensions. Each lies in the array; all together are few.
Result<Values> readStretches(const ArrayReader& reader, std::span<const RaggedStretches::Run> runs,
                             std::stop_token stop);

} // namespace cellfolio
