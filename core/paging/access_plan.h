// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/select/selection.h"

#include <vector>

namespace cellfolio {

// A selection in file order: runs of neighbouring positions, and where each position of a run lands
// in the result. Order and repeats are restored in memory; the file is read forwards, each place
// once.
class AccessPlan
{
public:
    struct Run {
        Index first = 0;        // position in the file
        Index count = 0;        // positions read, those in gaps included
        std::size_t begin = 0;  // landings of this run: [begin, end)
        std::size_t end = 0;
    };
    struct Landing {
        Index position = 0; // in the file
        Index place = 0;    // in the result
    };

    // Positions at most `gap` apart are read in one run, of at most `longest` positions.
    static AccessPlan make(const Selection& selection, Index gap, Index longest);

    const std::vector<Run>& runs() const noexcept { return m_runs; }
    const Landing& landing(std::size_t i) const noexcept { return m_landings[i]; }

private:
    std::vector<Run> m_runs;
    std::vector<Landing> m_landings; // by position
};

} // namespace cellfolio
