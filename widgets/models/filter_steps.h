// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/matrix/gene_sources.h"
#include "core/paging/reading.h"
#include "core/query/filter_so_far.h"
#include "core/run/progress.h"
#include "core/select/selection.h"

#include <QtCore/QString>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

// One step that narrows the cells or the genes of a view: an expression, or rows picked by hand.
// A value; copies share what their selections hold.
struct FilterStep {
    int id = 0;                      // the same step keeps it over changes, undo and redo
    QString expression;              // CLI.md §2.4; empty: `picked`
    std::optional<Selection> picked; // rows of the file, ascending
    QString label;  // what lists call it; empty: the expression
    QString origin; // which control keeps it in step ("box n_genes", "card 3"); empty: none
    QString written; // what that control shows for it, in its own terms
    bool enabled = true; // off: kept in the list, narrows nothing
    // Rows for which the expression is unknown, because a compared value is missing, stay as well.
    bool keepsMissing = false;

    // What came of it, counted among the rows that the steps before it left.
    Index before = 0;  // those rows
    Index chosen = 0;  // what it leaves of them
    Index missing = 0; // left out because a compared value is missing
    Selection after;   // the rows of the file it leaves

    // The same rule in the same state, whatever came of it and whatever it is called.
    bool narrowsLike(const FilterStep& other) const
    {
        return expression == other.expression && picked == other.picked && enabled == other.enabled
            && keepsMissing == other.keepsMissing;
    }
    // The label, else the expression.
    QString text() const;
};

// Rows that expressions may name: selection("NAME").
using NamedRows = std::map<std::string, Selection>;
// The same by asking for one name at a time; called off the UI thread. NotFound with near misses.
using NamedLookup
    = std::function<Result<Selection>(const std::shared_ptr<const Dataset>& dataset, const std::string& name)>;

// What the last of the steps that are being applied has found, for somebody who looks on: rows of
// the file, in its order, that only grow at their end. Thread-safe.
class StepsSoFar
{
public:
    struct Part {
        Selection rows;      // found among those that are settled
        Index decided = 0;   // settled of the rows that came to the last step
        Index total = 0;     // of those
    };
    void ask() { m_filter.ask(); }
    std::optional<Part> take();

    // The worker: the last step begins with these rows.
    FilterSoFar* begin(Selection rows, bool keepsMissing);

private:
    FilterSoFar m_filter;
    std::mutex m_mutex;
    std::optional<Selection> m_rows;
    bool m_keepsMissing = false;
};

// One axis of a file that steps are applied to.
struct StepsTask {
    std::shared_ptr<const Dataset> dataset;
    const Element* table = nullptr; // obs or var; null: expressions fail, picked rows work
    Index rows = 0;
    std::shared_ptr<Reading> reading;
    std::shared_ptr<const NamedRows> named; // may be null
    NamedLookup lookUp;                     // for names that are not in it; may be empty
    std::shared_ptr<GeneSources> genes;     // of the dataset; may be null
    std::shared_ptr<StepsSoFar> soFar;      // told of the last step; may be null
    std::shared_ptr<Progress> progress;     // counts the rows of the step at hand; may be null
};

struct StepsAnswer {
    std::vector<FilterStep> steps; // with what came of each
    Selection rows;                // left by all of them
    int failedId = 0;              // the step that could not be applied; 0: none
    std::optional<Error> problem;  // why; `rows` is empty then
};

// Applies the steps in order to all rows of the axis. Those at the beginning that narrow like those
// of `known` (an earlier answer for the same file and names) are taken from there. Blocking; not
// for the UI thread. Cancelled when it was stopped; a step that fails is an answer.
Result<StepsAnswer> applySteps(const StepsTask& task, std::vector<FilterStep> steps,
                               const std::vector<FilterStep>& known, std::stop_token stop);

// Why the rows that a view does not show are not in it.
struct StepsCount {
    Index rows = 0;    // of the axis
    Index shown = 0;
    Index missing = 0; // left out because a compared value is missing
    Index notIn = 0;   // left out by the filters otherwise
};
StepsCount countOf(const std::vector<FilterStep>& steps, const Selection& shown);

} // namespace cellfolio
