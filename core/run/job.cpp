// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/job.h"

#include <algorithm>

namespace cellfolio {

void JobProgress::setPhases(std::vector<JobPhase> phases)
{
    if (phases.empty())
        phases.push_back({});
    const std::lock_guard lock(m_mutex);
    m_counters.clear();
    for (std::size_t k = 0; k < phases.size(); ++k)
        m_counters.push_back(std::make_shared<Progress>());
    m_phases = std::move(phases);
    m_current = 0;
}

Progress& JobProgress::enter(std::size_t phase)
{
    const std::lock_guard lock(m_mutex);
    m_current = phase;
    return *m_counters[phase];
}

JobProgress::Snapshot JobProgress::snapshot() const
{
    const std::lock_guard lock(m_mutex);
    Snapshot result;
    result.phase = m_phases[m_current].name;
    double all = 0;
    double done = 0;
    for (std::size_t k = 0; k < m_phases.size(); ++k) {
        const Progress& counter = *m_counters[k];
        all += m_phases[k].weight;
        result.done += counter.done();
        result.entries += counter.entries();
        if (k < m_current)
            done += m_phases[k].weight;
        else if (k == m_current && counter.total() > 0)
            done += m_phases[k].weight
                  * std::min(1.0, static_cast<double>(counter.done()) / static_cast<double>(counter.total()));
    }
    // A total that turns out larger than it was thought must not move the bar back.
    m_shown = std::max(m_shown, all > 0 ? done / all : 0);
    result.share = m_shown;
    return result;
}

void JobLog::write(std::string text)
{
    const std::lock_guard lock(m_mutex);
    if (m_lines.size() < kMostLines)
        m_lines.push_back({std::chrono::system_clock::now(), std::move(text)});
}

std::vector<JobLog::Line> JobLog::lines() const
{
    const std::lock_guard lock(m_mutex);
    return m_lines;
}

void JobContext::setMeter(std::function<MemorySnapshot()> meter)
{
    const std::lock_guard lock(m_mutex);
    m_meter = std::move(meter);
}

MemorySnapshot JobContext::measureMemory() const
{
    const std::lock_guard lock(m_mutex);
    return m_meter ? m_meter() : MemorySnapshot{};
}

} // namespace cellfolio
