// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset_view.h"
#include "widgets/models/filter_steps.h"

#include <QtCore/QString>

#include <cstddef>
#include <vector>

namespace cellfolio {

// What a window shows of its file, and by which steps it came to that. A value.
struct ViewState {
    DatasetView view;
    std::vector<FilterStep> obs;
    std::vector<FilterStep> var;
    QString change; // what led here from the state before: "filter n_genes > 500"

    const std::vector<FilterStep>& steps(Axis axis) const { return axis == Axis::Obs ? obs : var; }
    std::vector<FilterStep>& steps(Axis axis) { return axis == Axis::Obs ? obs : var; }
    // Memory of its selections; states that share them each count them.
    Index bytes() const;
};

// The states somebody went through: undo and redo are assignments. Bounded: beyond kMostStates, or
// once the states take more than `room` bytes, the oldest are forgotten.
class ViewHistory
{
public:
    explicit ViewHistory(Index room = Index{64} << 20) : m_room(room) {}

    // Begins anew; nothing to undo.
    void start(ViewState state);
    // A new state; what could be redone is gone.
    void push(ViewState state);
    // The current state becomes another one; undo goes back to what was before it.
    void replace(ViewState state);

    const ViewState& current() const { return m_states[m_place]; }
    bool canUndo() const { return m_place > 0; }
    bool canRedo() const { return m_place + 1 < m_states.size(); }
    QString undoText() const { return canUndo() ? m_states[m_place].change : QString(); }
    QString redoText() const { return canRedo() ? m_states[m_place + 1].change : QString(); }
    const ViewState& undo();
    const ViewState& redo();
    std::size_t count() const { return m_states.size(); }

    static constexpr std::size_t kMostStates = 100;

private:
    void trim();

    Index m_room;
    std::vector<ViewState> m_states{1};
    std::size_t m_place = 0;
};

} // namespace cellfolio
