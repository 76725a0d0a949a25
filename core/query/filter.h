// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/paging/reading.h"
#include "core/query/filter_expression.h"
#include "core/query/filter_so_far.h"
#include "core/run/progress.h"
#include "core/select/selection.h"
#include "core/select/selection_text.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace cellfolio {

class GeneSource;

namespace query {
struct CheckedFilter;
}

// What an expression is checked against: one table of an open file, whose rows it chooses.
struct FilterContext {
    std::shared_ptr<const Dataset> dataset;
    const Element* table = nullptr; // obs, var or raw/var of the dataset
    std::shared_ptr<Reading> reading;
    // Rows of the table behind selection("NAME"); empty: there are no named ones. NotFound with
    // suggestions where the name is unknown.
    std::function<Result<Selection>(const std::string& name)> selection;
    // Where the columns of a matrix come from; empty: the filter opens the matrix itself, with the
    // gene index of GeneIndexSettings where one fits.
    std::function<Result<std::shared_ptr<GeneSource>>(const Element& matrix)> genes;
    // The text behind in file("PATH").
    TextSource read = readTextFile;
    std::stop_token stop = {};
};

struct FilterOptions {
    std::stop_token stop = {};
    Progress* progress = nullptr; // counts rows; a filter of several passes counts each
    // Given what is found while the last pass runs. Only for rows that ascend, and for expressions
    // whose last pass alone decides: one of a single pass, or an and, or of such.
    FilterSoFar* soFar = nullptr;
};

// Which of the rows at hand an expression chose.
struct FilterAnswer {
    // Numbers of the chosen among the rows at hand, 0 … rows.size()-1: rows.then(chosen) is the
    // narrowed view.
    Selection chosen;
    // Rows not chosen because a compared value is missing: the expression is unknown for them.
    Index missing = 0;
    // Values looked at, about: what the filter cost, whatever the machine.
    Index valuesRead = 0;
};

// A filter expression checked against a file: every name found, every type right. Holds category
// lists and the file, no rows. Thread-safe, cheap to copy; run() blocks.
class Filter
{
public:
    // Reads names, category lists and the files the expression names. NotFound (a column, gene,
    // category or selection that is not there, with near misses as suggestions), Ambiguous (a gene
    // that several rows of var answer to), BadExpression (a type that does not fit); each with the
    // offset of the fault in the expression.
    static Result<Filter> check(const FilterExpression& expression, const FilterContext& context);

    // Evaluates it over `rows` of the table (their order and repeats do not matter to the outcome
    // of a row; mean() and the like speak of exactly these rows). Streams only what the expression
    // names, in file order, in parallel, within the budget. What is dear (text, genes) is read for
    // rows that the rest left open, and no others.
    Result<FilterAnswer> run(const Selection& rows, const FilterOptions& options = {}) const;

    const FilterExpression& expression() const noexcept { return m_expression; }

private:
    Filter(FilterExpression expression, std::shared_ptr<const query::CheckedFilter> checked)
        : m_expression(std::move(expression)), m_checked(std::move(checked))
    {
    }

    FilterExpression m_expression;
    std::shared_ptr<const query::CheckedFilter> m_checked;
};

} // namespace cellfolio
