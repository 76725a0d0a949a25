// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/column_profiles.h"

#include <algorithm>

namespace cellfolio {

ColumnProfiles::ColumnProfiles(ModelContext context, std::shared_ptr<const Dataset> dataset,
                               const Element& table, QObject* parent)
    : QObject(parent), m_context(std::move(context)), m_dataset(std::move(dataset)), m_table(table),
      m_request(m_context.patient), m_insideRequest(m_context.patient)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(0);
    connect(&m_timer, &QTimer::timeout, this, &ColumnProfiles::next);
}

void ColumnProfiles::want(std::vector<int> columns)
{
    m_wanted = std::move(columns);
    m_timer.start();
}

const ProfileData* ColumnProfiles::peek(int column) const
{
    const auto found = m_states.find(column);
    return found == m_states.end() || !found->second.data ? nullptr : &*found->second.data;
}

const std::optional<Error>& ColumnProfiles::problemOf(int column) const
{
    static const std::optional<Error> none;
    const auto found = m_states.find(column);
    return found == m_states.end() ? none : found->second.problem;
}

bool ColumnProfiles::isKnown() const
{
    return std::all_of(m_wanted.begin(), m_wanted.end(), [&](int column) {
        const auto found = m_states.find(column);
        return found != m_states.end() && (found->second.data || found->second.finished);
    });
}

bool ColumnProfiles::isSettled() const
{
    return !m_timer.isActive() && !m_request.isBusy() && !m_insideRunning
        && std::all_of(m_wanted.begin(), m_wanted.end(), [&](int column) {
               const auto found = m_states.find(column);
               return found != m_states.end() && found->second.finished;
           });
}

// One at a time: whoever scrolls on never waits for the columns behind him.
void ColumnProfiles::next()
{
    if (m_request.isBusy())
        return;
    const auto unknown = std::find_if(m_wanted.begin(), m_wanted.end(), [&](int column) {
        return !m_states[column].data && !m_states[column].finished;
    });
    const auto place = unknown != m_wanted.end()
        ? unknown
        : std::find_if(m_wanted.begin(), m_wanted.end(),
                       [&](int column) { return !m_states[column].finished; });
    if (place == m_wanted.end()) {
        nextInside();
        return;
    }
    const int column = *place;
    const bool first = unknown != m_wanted.end();
    ProfileTask task{m_dataset, &m_table,
                     column == 0 ? nullptr : m_table.children[static_cast<std::size_t>(column - 1)].get(),
                     m_context.reading};
    m_request.request<ProfileData>(
        [task, first](std::stop_token stop) {
            return first ? sampleProfile(task, stop) : exactProfile(task, stop);
        },
        [this, column, first](Result<ProfileData> answer) {
            State& state = m_states[column];
            if (answer) {
                state.finished = answer->exact || !first;
                state.data = std::move(*answer);
            } else {
                state.finished = true;
                state.problem = answer.error();
            }
            m_timer.start();
            Q_EMIT changed(column);
        });
}

void ColumnProfiles::setInside(std::shared_ptr<const IndexSet> inside)
{
    m_insideRequest.cancel();
    m_insideRunning = false;
    m_inside = std::move(inside);
    for (auto& [column, state] : m_states) {
        state.inside.reset();
        state.insideAsked = false;
        if (state.data)
            Q_EMIT changed(column);
    }
    m_timer.start();
}

const ProfilePart* ColumnProfiles::peekInside(int column) const
{
    const auto found = m_states.find(column);
    return found == m_states.end() || !found->second.inside ? nullptr : &*found->second.inside;
}

bool ColumnProfiles::wantsInside(int column) const
{
    const auto found = m_states.find(column);
    return column != 0 && found != m_states.end() && found->second.data && found->second.data->exact
        && !found->second.insideAsked;
}

void ColumnProfiles::nextInside()
{
    if (!m_inside || m_insideRunning)
        return;
    const auto place = std::find_if(m_wanted.begin(), m_wanted.end(), [this](int column) { return wantsInside(column); });
    if (place == m_wanted.end())
        return;
    const int column = *place;
    m_states[column].insideAsked = true;
    m_insideRunning = true;
    ProfileTask task{m_dataset, &m_table, m_table.children[static_cast<std::size_t>(column - 1)].get(),
                     m_context.reading};
    m_insideRequest.request<ProfilePart>(
        [task, whole = *m_states[column].data, inside = m_inside](std::stop_token stop) {
            return partOfProfile(task, whole, *inside, stop);
        },
        [this, column](Result<ProfilePart> part) {
            m_insideRunning = false;
            // Without it the head shows the file alone, and says so.
            if (part)
                m_states[column].inside = std::move(*part);
            m_timer.start();
            Q_EMIT changed(column);
        });
}

} // namespace cellfolio
