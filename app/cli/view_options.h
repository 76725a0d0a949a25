// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/session.h"
#include "core/anndata/dataset.h"
#include "core/query/filter_expression.h"
#include "core/query/kept_views.h"
#include "core/select/selection_text.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cellfolio::cli {

struct ChosenAxis;

// The data set behind FILE and the element of it that a command is about.
struct Target {
    std::shared_ptr<const Dataset> dataset;
    const Element* element = nullptr;
};

// The selections of a command line, in the order given, parsed before any file is opened.
struct SelectionOption {
    enum class Of { Obs, Var, First, Second };
    Of of;
    SelectionText text;
};

// Which cells and genes a command line asks for, parsed before any file is opened. Whatever the
// order they are given in, views come first, then expressions, then selections; of one kind, each
// counts within what the one before left.
struct ViewOptions {
    std::vector<std::string> views; // names, or paths that end in .json
    std::vector<FilterExpression> where;
    std::vector<FilterExpression> whereVar;
    std::vector<SelectionOption> selections;

    const std::vector<FilterExpression>& expressions(Axis axis) const
    {
        return axis == Axis::Obs ? where : whereVar;
    }
    bool empty() const
    {
        return views.empty() && where.empty() && whereVar.empty() && selections.empty();
    }
};
Result<ViewOptions> viewOptions(const Arguments& arguments);

// Whether this names a document rather than a view that is kept.
bool isViewFile(const std::string& text);

// What became of the rows of an axis on the way through views and expressions.
struct Narrowed {
    Selection rows;        // of the file
    Index outsideView = 0; // rows that the views left out
    Index notInFilter = 0; // for which an expression is false
    Index missing = 0;     // for which it is unknown
};

// Applies the views and expressions of the options to the rows of one table (obs, var, raw/var).
// Says on standard error which rows of a view were not found again.
class ViewResolver
{
public:
    ViewResolver(Session& session, std::shared_ptr<const Dataset> dataset,
                 const ViewOptions& options)
        : m_session(session), m_dataset(std::move(dataset)), m_options(options)
    {
    }

    // `table`: with the rows of the axis. Views speak of var, never of raw/var.
    Result<Narrowed> narrow(Axis axis, const Element& table);
    // Rows of a kept view, however often it is asked for.
    Result<MatchedView> view(const std::string& name);

private:
    Session& m_session;
    std::shared_ptr<const Dataset> m_dataset;
    const ViewOptions& m_options;
    std::map<std::string, MatchedView> m_views;
};

// The same for the axes of an element. Fails where an expression speaks of an axis it has not.
Result<void> narrowAxes(Session& session, const Target& target, const ViewOptions& options,
                        std::vector<ChosenAxis>& axes);

} // namespace cellfolio::cli
