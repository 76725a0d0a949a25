// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/matrix/holds.h"
#include "core/run/progress.h"
#include "core/select/selection.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cellfolio {

__extension__ typedef __int128 Int128; // holds any sum of 64-bit integers

// An exact sum: of integers an integer (128 bits inside, given as text when past 64), of floats a
// double.
struct Sum {
    bool integral = false;
    Int128 whole = 0;
    double real = 0;
    std::string text() const; // exact
    double number() const;
};

// Figures of a set of places (CLI.md, `stats`). NaN is left out of sum, mean, sd, min, max.
struct Figures {
    Index n = 0;              // places
    Index stored = 0;         // entries on disk (dense: n)
    Index nnz = 0;            // stored entries that differ from zero; NaN does
    Index explicitZeros = 0;  // stored zeros of a sparse matrix (dense: 0)
    Sum sum;
    std::optional<double> mean;
    std::optional<double> sd; // n - 1; none below two values
    std::optional<double> min; // of all places, zeros included; none where there is no value
    std::optional<double> max;
    // min and max exactly, in the matrix's own dtype
    std::string minText;
    std::string maxText;
    Index missing = 0;
    Index nan = 0;
    Index inf = 0;
    std::vector<std::pair<double, double>> quantiles; // probability, value (linear, as NumPy)
};

struct StatsOptions {
    std::optional<Selection> rows;    // of the first axis; none: all
    std::optional<Selection> columns; // of the second
    std::vector<double> quantiles;
    std::stop_token stop = {};
    Progress* progress = nullptr;
};

struct MatrixStats {
    Figures figures;
    HoldsResult holds; // exact; Unknown for what is no X, layer or raw/X
};

// One streaming pass, parallel, within the budget. Works on matrices and arrays of any rank.
// Repeated rows or columns of a selection count as often as they stand there.
Result<MatrixStats> matrixStats(const std::shared_ptr<const Dataset>& dataset, const Element& matrix,
                                const std::shared_ptr<Reading>& reading, const StatsOptions& options);

struct LineSums;

// Figures of each row or column of a matrix, kept compactly and spelled out one at a time: a
// million lines take about 120 MB this way, charged to the budget they came from, which must live
// as long. Movable only.
class LineFigures
{
public:
    LineFigures();
    LineFigures(LineFigures&&) noexcept;
    LineFigures& operator=(LineFigures&&) noexcept;
    ~LineFigures();

    Index size() const noexcept;
    Figures operator[](Index k) const; // in selection order

private:
    friend class LineCounting;
    struct Content;
    std::unique_ptr<Content> m_content;
};

// The figures for each row (axis 0) or column (axis 1) of a 2-D matrix, in selection order. One
// pass; exact quantiles take more: the values of as many lines as fit the budget are sorted in
// each. OutOfBudget when the sums of all lines do not fit.
Result<LineFigures> lineFigures(const std::shared_ptr<const Dataset>& dataset, const Element& matrix,
                                int axis, const std::shared_ptr<Reading>& reading,
                                const StatsOptions& options);

// The same, all spelled out: about three times the memory.
Result<std::vector<Figures>> matrixStatsBy(const std::shared_ptr<const Dataset>& dataset,
                                           const Element& matrix, int axis,
                                           const std::shared_ptr<Reading>& reading,
                                           const StatsOptions& options);

struct CategoryCount {
    std::string value;
    Index count = 0;
};

struct ColumnStats {
    ColumnKind kind = ColumnKind::Opaque;
    Index n = 0;
    Index missing = 0; // masked, code -1, NaN
    // Numbers and booleans: all of Figures (n includes missing; mean and sd do not).
    std::optional<Figures> figures;
    // Categories in their order with their counts (categorical), or the most common texts.
    std::vector<CategoryCount> categories;
    std::vector<CategoryCount> mostCommon;
    std::optional<Index> distinct; // none when counting would burst the budget
    bool ordered = false;
};

Result<ColumnStats> columnStats(const std::shared_ptr<const Dataset>& dataset, const Element& column,
                                const std::shared_ptr<Reading>& reading, const StatsOptions& options);

} // namespace cellfolio
