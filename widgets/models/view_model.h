// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/picked_names.h"
#include "widgets/models/view_history.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QObject>
#include <QtCore/QTimer>

#include <memory>
#include <optional>

namespace cellfolio {

// What is known of a step besides its rule.
struct StepNote {
    QString label;  // what lists call it; empty: the expression
    QString origin; // which control keeps it in step; see FilterStep
    QString written = {};
};

// A step that could not be applied. The view stays as it was.
struct StepProblem {
    Axis axis = Axis::Obs;
    int id = 0;
    QString expression;
    QString origin;
    Error error; // sentence, offset in bytes, suggestions
};

// The current view of one open file: one selection of cells, one of genes, and the ordered steps
// that led there. Every change is evaluated in the background, a newer one takes the place of one
// under way, and the view swaps once it has come; where that takes longer than kSlowAfter, it shows
// what has been found so far, which only grows at its end. Undo goes through the views themselves.
//
//     const int id = view.setStep(Axis::Obs, 0, u"n_genes > 500"_s);   // a new step
//     view.setStep(Axis::Obs, id, u"n_genes > 900"_s);                 // another rule for it
//     view.removeStep(id);
//
// UI thread only; never blocks. Memory: a bit a row for each step, and for each state undo keeps.
class ViewModel : public QObject
{
    Q_OBJECT
public:
    explicit ViewModel(ModelContext context, QObject* parent = nullptr);
    ~ViewModel() override;

    // Another file: all of it is shown and nothing can be undone.
    void setDataset(std::shared_ptr<const Dataset> dataset);
    // Another version of the file shown: expressions are applied to it anew, and failed() says of
    // those that cannot be, which are dropped. Rows that were picked by hand are found again by
    // their names, never by their number; picksFound() says what is lost. Where the names had not
    // been learnt yet the steps are dropped, and picksDropped() says it.
    void setDatasetAgain(std::shared_ptr<const Dataset> dataset);
    void clear();

    // While a change takes long: what it has found so far.
    const DatasetView& view() const { return m_partial ? *m_partial : m_history.current().view; }
    bool isPartial() const { return m_partial.has_value(); }
    bool isPartial(Axis axis) const { return m_partial && m_partialAxis == axis; }
    const Selection& rows(Axis axis) const { return view().of(axis); }
    // Steps as they are applied now; those of a try that is under way are not in it.
    const std::vector<FilterStep>& steps(Axis axis) const { return m_history.current().steps(axis); }
    // As they were asked for: with the change under way, of which `after` and counts are older.
    const std::vector<FilterStep>& wantedSteps(Axis axis) const
    {
        return m_wanted ? m_wanted->steps(axis) : steps(axis);
    }
    const FilterStep* step(int id) const; // null: none such
    const FilterStep* stepOf(Axis axis, const QString& origin) const;
    StepsCount count(Axis axis) const { return countOf(steps(axis), rows(axis)); }
    bool isNarrowed() const { return !steps(Axis::Obs).empty() || !steps(Axis::Var).empty(); }

    // Gives step `id` this rule, or, where there is no such step (0), makes one at the end. Returns
    // its id. Changes of one step within kOneChange count as one for undo.
    int setStep(Axis axis, int id, const QString& expression, const StepNote& note = {});
    // Picked rows of the file instead of an expression. Requires: ascending, of the axis' extent.
    int setPicked(Axis axis, int id, Selection rows, const StepNote& note);
    void removeStep(int id);
    void setStepEnabled(int id, bool enabled);
    void setStepKeepsMissing(int id, bool keeps); // see FilterStep
    // Everything at once: a kept view, the state of all cards.
    void setSteps(Axis axis, std::vector<FilterStep> steps, const QString& change);
    void setSteps(std::vector<FilterStep> obs, std::vector<FilterStep> var, const QString& change);
    void reset();          // everything is shown
    void reset(Axis axis);
    // Rows that expressions may name as selection("NAME"); counts from the next change on.
    void setNamedRows(Axis axis, NamedRows rows);
    const std::shared_ptr<const NamedRows>& namedRows(Axis axis) const;
    // The genes of the file as steps read them; null: no file.
    const std::shared_ptr<GeneSources>& genes() const { return m_genes; }
    // Where names that are not among those are asked for, for any file: the views kept for it.
    void setNamedLookup(Axis axis, NamedLookup lookUp);
    // Genes of the file that is set next, shared with all who read them; without it the model makes
    // its own.
    void setGenes(std::shared_ptr<GeneSources> genes) { m_genes = std::move(genes); }

    bool canUndo() const { return m_wanted.has_value() || m_history.canUndo(); }
    bool canRedo() const { return !m_wanted && m_history.canRedo(); }
    QString undoText() const { return m_wanted ? m_wanted->change : m_history.undoText(); }
    QString redoText() const { return m_history.redoText(); }
    void undo(); // of a change under way: gives it up
    void redo();

    bool isEvaluating() const { return m_wanted.has_value() || m_matching.isBusy(); }
    // Whether the names of picked rows are being read, by which a changed file is searched for them.
    bool isLearningNames() const { return m_names.isLearning(); }
    // Gives up what is under way.
    void stop();
    // Rows looked at and to look at, for a change that takes long; 0 of 0: not known.
    Index progressDone() const;
    Index progressTotal() const;
    const std::optional<StepProblem>& problem() const { return m_problem; } // of the last try

    // For tests: when it is said what is awaited and shown what has been found, in ms.
    void setPatience(int slowAfter, int lookEvery);

    static constexpr int kOneChange = 1500; // ms
    static constexpr int kSlowAfter = 300;  // ms until it is said what is awaited
    static constexpr int kLookEvery = 200;  // ms between two looks from then on

Q_SIGNALS:
    // Other rows of the axis are shown, or by other steps.
    void viewChanged(cellfolio::Axis axis);
    // A change is under way (true) or has ended (false).
    void evaluating(bool busy);
    // For changes that take longer than kSlowAfter, several times a second.
    void progressed(qint64 done, qint64 total);
    void failed(const cellfolio::StepProblem& problem);
    void historyChanged(); // canUndo(), canRedo() or their texts may have changed
    void picksDropped(int steps);
    void picksFound(const QString& sentence);

private:
    ViewState& wanted(const QString& change);
    FilterStep* wantedStep(int id);
    FilterStep& madeStep(Axis axis, int id, const StepNote& note, const QString& change);
    void evaluate(int ofStep);
    void fail(int id, const Error& error);
    void show(ViewState state, int ofStep);
    void go(const ViewState& (ViewHistory::*move)());
    void announce(const ViewState& before);
    void ended();
    void showSoFar();
    void dropPartial();
    void findPicksAgain(std::vector<PickedNames::Pick> picks);
    StepsTask task(Axis axis) const;

    ModelContext m_context;
    std::shared_ptr<const Dataset> m_dataset;
    std::shared_ptr<GeneSources> m_genes;
    ViewHistory m_history;
    PickedNames m_names;
    std::optional<ViewState> m_wanted; // the state that is being evaluated
    std::optional<StepProblem> m_problem;
    std::shared_ptr<const NamedRows> m_named[2];
    NamedLookup m_lookUp[2];
    std::shared_ptr<Progress> m_progress;
    std::shared_ptr<StepsSoFar> m_soFar[2];
    std::optional<DatasetView> m_partial;
    Axis m_partialAxis = Axis::Obs;
    qint64 m_nextLook = 0; // ms since the change was asked for
    QElapsedTimer m_sinceAsked;
    int m_slowAfter = kSlowAfter;
    int m_lookEvery = kLookEvery;
    bool m_dropping = false; // steps that this version of the file does not allow are let go
    int m_nextId = 1;
    int m_lastStep = 0; // whose change made the current state
    QElapsedTimer m_sinceLast;
    QTimer m_slow;
    Latest m_request;
    Latest m_matching; // of picked rows in another version of the file
};

} // namespace cellfolio
