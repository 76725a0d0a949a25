// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/view_history.h"

#include <cassert>

namespace cellfolio {

Index ViewState::bytes() const
{
    Index total = view.obs().bytes() + view.var().bytes();
    for (const auto* list : {&obs, &var})
        for (const FilterStep& step : *list)
            total += step.after.bytes() + (step.picked ? step.picked->bytes() : 0);
    return total;
}

void ViewHistory::start(ViewState state)
{
    m_states.clear();
    m_states.push_back(std::move(state));
    m_place = 0;
}

void ViewHistory::push(ViewState state)
{
    m_states.erase(m_states.begin() + static_cast<std::ptrdiff_t>(m_place) + 1, m_states.end());
    m_states.push_back(std::move(state));
    m_place = m_states.size() - 1;
    trim();
}

void ViewHistory::replace(ViewState state)
{
    m_states.erase(m_states.begin() + static_cast<std::ptrdiff_t>(m_place) + 1, m_states.end());
    m_states[m_place] = std::move(state);
}

const ViewState& ViewHistory::undo()
{
    assert(canUndo());
    --m_place;
    return current();
}

const ViewState& ViewHistory::redo()
{
    assert(canRedo());
    ++m_place;
    return current();
}

void ViewHistory::trim()
{
    Index total = 0;
    std::size_t kept = 0;
    while (kept < m_states.size() && kept < kMostStates) {
        total += m_states[m_states.size() - 1 - kept].bytes();
        if (total > m_room && kept > 1) // one step back is always possible
            break;
        ++kept;
    }
    const std::size_t gone = m_states.size() - kept;
    m_states.erase(m_states.begin(), m_states.begin() + static_cast<std::ptrdiff_t>(gone));
    m_place -= gone;
}

} // namespace cellfolio
