// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/query/view_document.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/view_history.h"

#include <memory>
#include <optional>
#include <vector>

namespace cellfolio {

// Steps of rows picked by hand, over a change of the file: what they are called is learnt while the
// file they were picked in can be read, and they are found again by those names. UI thread only.
class PickedNames
{
public:
    explicit PickedNames(ModelContext context) : m_context(context), m_learning(context.patient) {}

    // A pick as names, and where it stood among the steps.
    struct Pick {
        Axis axis = Axis::Obs;
        std::size_t place = 0;
        FilterStep step;
        std::shared_ptr<const query::ViewDocument> names; // null: not known
    };

    void clear();
    // Learns the names of the picks of a state in the background, one after the other; forgets
    // those of others.
    void learn(const ViewState& state);
    bool isLearning() const { return m_asked; }
    // The picks of a state with what is known of them.
    std::vector<Pick> picksOf(const ViewState& state) const;

    struct Found {
        std::vector<Pick> picks;  // with the rows they have now; those that nothing is known of are gone
        int dropped = 0;          // of which nothing was known
        QString sentence;         // what was found by name, and what is lost; empty: nothing to say
    };
    // Blocking; not for the UI thread.
    static Result<Found> findAgain(std::vector<Pick> picks, const std::shared_ptr<const Dataset>& dataset,
                                   const std::shared_ptr<Reading>& reading, std::stop_token stop);

private:
    struct Known {
        Axis axis;
        Selection rows;
        std::shared_ptr<const query::ViewDocument> names; // null: cannot be known
    };
    const Known* known(Axis axis, const Selection& rows) const;
    void next();

    ModelContext m_context;
    std::shared_ptr<const Dataset> m_dataset;
    std::vector<Known> m_known;
    std::vector<Known> m_wanted;
    bool m_asked = false;
    Latest m_learning;
};

} // namespace cellfolio
