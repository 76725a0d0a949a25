// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/paging/access_plan.h"

#include <algorithm>

namespace cellfolio {

AccessPlan AccessPlan::make(const Selection& selection, Index gap, Index longest)
{
    AccessPlan plan;
    const Index n = selection.size();
    plan.m_landings.resize(at(n));
    for (Index k = 0; k < n; ++k)
        plan.m_landings[at(k)] = Landing{selection[k], k};
    const auto byPosition = [](const Landing& a, const Landing& b) {
        return a.position < b.position;
    };
    if (!std::is_sorted(plan.m_landings.begin(), plan.m_landings.end(), byPosition))
        std::stable_sort(plan.m_landings.begin(), plan.m_landings.end(), byPosition);
    for (std::size_t i = 0; i < plan.m_landings.size(); ++i) {
        const Index position = plan.m_landings[i].position;
        if (!plan.m_runs.empty()) {
            Run& last = plan.m_runs.back();
            const Index end = last.first + last.count;
            if (position < end || (position - end <= gap && position + 1 - last.first <= longest)) {
                last.count = std::max(last.count, position + 1 - last.first);
                last.end = i + 1;
                continue;
            }
        }
        plan.m_runs.push_back(Run{position, 1, i, i + 1});
    }
    return plan;
}

} // namespace cellfolio
