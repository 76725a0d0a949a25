// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/matrix_findings.h"

#include "core/anndata/rules.h"
#include "core/base/text.h"
#include "core/validate/content_rules.h"

#include <cmath>
#include <limits>
#include <optional>

namespace cellfolio {

namespace {

constexpr Index kMostInR = std::numeric_limits<std::int32_t>::max();

// "12.3 %", never "0 %" of something or "100 %" of not all.
std::string share(Index part, Index whole)
{
    if (part == 0)
        return "0 %";
    if (whole <= 0 || part >= whole)
        return "100 %";
    const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
    if (percent < 0.1)
        return "less than 0.1 %";
    if (percent > 99.9)
        return "more than 99.9 %";
    return exactText(std::round(percent * 10) / 10) + " %";
}

class Judge
{
public:
    Judge(const Element& matrix, const MatrixPlace& place, const MatrixFacts& facts)
        : m_matrix(matrix), m_place(place), m_facts(facts), m_name(inQuotes(matrix.path))
    {
    }

    std::vector<Finding> run()
    {
        if (m_facts.sparse)
            structure();
        if (m_place.role != MatrixRole::Other)
            values();
        zeros();
        rows();
        graph();
        return std::move(m_found);
    }

private:
    Finding& say(const char* id, const PlaceList& places, std::string message)
    {
        Finding finding = ruleFinding(id, m_matrix.path, std::move(message));
        finding.count = places.count();
        finding.places = places.first();
        m_found.push_back(std::move(finding));
        return m_found.back();
    }
    Finding& say(const char* id, std::string message)
    {
        m_found.push_back(ruleFinding(id, m_matrix.path, std::move(message)));
        return m_found.back();
    }

    // "row 3, column 5" of the first place.
    static std::string first(const PlaceList& places)
    {
        const std::vector<FindingPlace> list = places.first();
        if (list.empty())
            return {};
        std::string text;
        if (list.front().row)
            text = "row " + exactText(*list.front().row);
        if (list.front().column)
            text += (text.empty() ? "column " : ", column ") + exactText(*list.front().column);
        return text;
    }

    void structure()
    {
        const bool byRows = m_facts.byRows;
        const std::string line = byRows ? "row" : "column";
        const std::string index = byRows ? "column" : "row";
        if (m_facts.falls.count() > 0)
            say("A032", m_facts.falls, "In " + m_name + ", " + m_facts.firstFall);
        if (m_facts.outside.count() > 0) {
            const FindingPlace place = m_facts.outside.first().front();
            say("A034", m_facts.outside,
                "The indices of " + m_name + " leave its range: " + line + " "
                    + exactText(byRows ? *place.row : *place.column) + " names " + index + " "
                    + exactText(byRows ? *place.column : *place.row) + " of "
                    + exactText(byRows ? m_facts.columns : m_facts.rows) + ".");
        }
        if (m_facts.unsorted.count() > 0)
            say("B006", m_facts.unsorted,
                counted(m_facts.unsorted.count(), line, line + "s") + " of " + m_name
                    + (m_facts.unsorted.count() == 1 ? " is" : " are") + " not sorted by " + index
                    + "; R refuses such a matrix.");
        if (m_facts.duplicates.count() > 0) {
            std::string message =
                m_name + " has " + (m_facts.atLeast ? "at least " : "")
                + counted(m_facts.duplicates.count(), "duplicate entry", "duplicate entries")
                + ": more than one at the same place. Programs disagree on the value there; "
                  "this one adds them up.";
            if (m_facts.pairs > 0 && m_facts.equalPairs == 0)
                message += " None of them repeats the value before it.";
            else if (m_facts.pairs > 0)
                message += " " + share(m_facts.equalPairs, m_facts.pairs)
                         + " of them repeat the value before them"
                         + (2 * m_facts.equalPairs > m_facts.pairs
                                ? ": they may be the same count written twice."
                                : ".");
            say("B007", m_facts.duplicates, message);
        }
        if (m_facts.overflow.count() > 0)
            say("B007o", m_facts.overflow,
                "At " + counted(m_facts.overflow.count(), "place", "places") + " of " + m_name
                    + " the sum of duplicate entries does not fit "
                    + std::string(nameOf(m_facts.type)) + ", first at " + first(m_facts.overflow)
                    + ".");
    }

    void values()
    {
        const ValueFinds& finds = m_facts.finds;
        const bool raw = m_place.role == MatrixRole::Raw;
        const auto places = [this](const PlaceList& list) {
            return counted(list.count(), "value", "values") + " of " + m_name
                 + (list.count() == 1 ? " is " : " are ");
        };
        if (finds.nan.count() > 0)
            say("B001", finds.nan, places(finds.nan) + "\"not a number\" (NaN), first at "
                                       + first(finds.nan) + ".")
                .severity = raw ? Severity::Error : Severity::Warning;
        if (finds.infinite.count() > 0)
            say("B002", finds.infinite,
                places(finds.infinite) + "infinite, first at " + first(finds.infinite) + ".")
                .severity = raw ? Severity::Error : Severity::Warning;
        if (finds.negative.count() > 0 && m_place.countsExpected())
            say("B003", finds.negative,
                places(finds.negative) + "negative, first at " + first(finds.negative)
                    + (raw ? ": this is not raw." : ": it holds no counts."))
                .severity = raw ? Severity::Error : Severity::Info;
        if (finds.fraction.count() > 0 && raw) {
            std::string message = places(finds.fraction) + "no whole "
                                + (finds.fraction.count() == 1 ? "number" : "numbers") + " ("
                                + share(finds.fraction.count(), m_facts.stored)
                                + " of what is stored), first at " + first(finds.fraction)
                                + "; raw counts have no fractions.";
            if (const double unit = commonUnit(finds.sample); unit > 0)
                message += " Nearly all are multiples of " + exactText(static_cast<float>(unit))
                         + ".";
            say("B004", finds.fraction, message);
        }
        if (finds.large.count() > 0 && holdCounts(m_facts))
            say("B016", finds.large,
                counted(finds.large.count(), "count", "counts") + " of " + m_name
                    + (finds.large.count() == 1 ? " is" : " are")
                    + " above 16 777 216, which float32 does not hold exactly.");
        density();
        if (m_place.role == MatrixRole::X)
            range();
    }

    void density()
    {
        if (m_facts.digest.values == 0 || !isReal(m_facts.type))
            return;
        const Index places = m_facts.rows * m_facts.columns;
        const Index item = static_cast<Index>(sizeOf(m_facts.type));
        const Index dense = places * item;
        if (m_facts.sparse) {
            const Index width = static_cast<Index>(sizeOf(m_matrix.indices.dtype()));
            const Index sparse = m_facts.stored * (item + width);
            if (sparse > dense)
                say("B009", share(places - std::min(places, m_facts.digest.nonZero), places) + " of "
                                + m_name + " is zero, yet it is stored sparse: that takes " + byteText(sparse) + ", dense would take "
                                + byteText(dense) + ".");
            return;
        }
        if (m_matrix.shape->size() != 2)
            return;
        const Index zeros = places - m_facts.digest.nonZero;
        const Index width = m_facts.digest.nonZero >= kMostInR ? 8 : 4;
        const Index sparse = m_facts.digest.nonZero * (item + width) + (m_facts.rows + 1) * width;
        if (2 * zeros >= places && sparse < dense)
            say("B009", share(zeros, places) + " of " + m_name
                            + " is zero, yet it is stored dense: CSR would take "
                            + byteText(sparse) + " instead of " + byteText(dense) + ".");
    }

    // The narrowest integer type that holds all values.
    static std::optional<DType> narrowest(double min, double max)
    {
        struct Range {
            DType type;
            double min;
            double max;
        };
        constexpr Range kRanges[] = {{DType::UInt8, 0, 255},
                                     {DType::Int8, -128, 127},
                                     {DType::UInt16, 0, 65535},
                                     {DType::Int16, -32768, 32767},
                                     {DType::UInt32, 0, 4294967295.0},
                                     {DType::Int32, -2147483648.0, 2147483647.0}};
        for (const Range& range : kRanges)
            if (min >= range.min && max <= range.max)
                return range.type;
        return std::nullopt;
    }

    void range()
    {
        const Digest& digest = m_facts.digest;
        const Index noNumbers = digest.nan + digest.positiveInf + digest.negativeInf;
        if (!digest.any || digest.fraction || noNumbers > 0 || m_facts.type == DType::Bool)
            return;
        const std::optional<DType> fits = narrowest(digest.min, digest.max);
        if (!fits || sizeOf(*fits) >= sizeOf(m_facts.type))
            return;
        const auto size = [this](DType type) {
            return byteText(m_facts.stored * static_cast<Index>(sizeOf(type)));
        };
        say("B029", "All values of " + m_name + " are whole, from " + exactText(digest.min) + " to "
                        + exactText(digest.max) + ": as " + std::string(nameOf(*fits))
                        + " they would take "
                        + size(*fits) + " instead of " + size(m_facts.type) + ".");
    }

    void zeros()
    {
        const PlaceList& zeros = m_facts.finds.zeros;
        if (zeros.count() > 0)
            say("B008", zeros,
                m_name + " stores " + counted(zeros.count(), "zero", "zeros") + " ("
                    + share(zeros.count(), m_facts.digest.values) + " of its entries).");
    }

    void rows()
    {
        if (!m_facts.rowFacts || m_facts.rows == 0 || m_facts.columns == 0)
            return;
        const RowFacts& rows = *m_facts.rowFacts;
        if (rows.emptyRows.count() > 0)
            say("B011", rows.emptyRows,
                counted(rows.emptyRows.count(), "cell", "cells") + " of " + m_name
                    + (rows.emptyRows.count() == 1 ? " has" : " have")
                    + " nothing but zeros, first " + first(rows.emptyRows) + ".");
        if (rows.emptyColumns.count() > 0)
            say("B012", rows.emptyColumns,
                counted(rows.emptyColumns.count(), "gene", "genes") + " of " + m_name
                    + (rows.emptyColumns.count() == 1 ? " is" : " are")
                    + " zero in every cell, first " + first(rows.emptyColumns) + ".");
        const bool counts = m_place.role == MatrixRole::Raw || holdCounts(m_facts);
        if (rows.twins.count() > 0 && m_place.countsExpected() && counts) {
            const FindingPlace twin = rows.twins.first().front();
            say("B015", rows.twins,
                counted(rows.twins.count(), "cell", "cells") + " of " + m_name
                    + (rows.twins.count() == 1 ? " has" : " have")
                    + " exactly the same counts as one before: row " + exactText(*twin.row) + " "
                    + twin.value + ".");
        }
        if (m_facts.sparse && rows.medianLength > 0 && rows.longest > 100 * rows.medianLength) {
            Finding& finding =
                say("B025", "Cell " + exactText(rows.longestRow) + " of " + m_name + " has "
                                + counted(rows.longest, "gene", "genes")
                                + ", more than a hundred times as many as usual ("
                                + exactText(rows.medianLength) + ").");
            finding.count = 1;
            finding.places.emplace_back().row = rows.longestRow;
        }
    }

    void graph()
    {
        if (!m_facts.graph || m_facts.duplicates.count() > 0)
            return;
        const GraphFacts& graph = *m_facts.graph;
        const Index own = graph.diagonal.count();
        if (graph.symmetric && own == 0)
            return;
        std::string message = m_name + " is "
                            + (graph.symmetric          ? "symmetric"
                               : graph.patternSymmetric
                                   ? "symmetric in its places, not in its values"
                                   : "not symmetric");
        if (own > 0)
            message += "; " + counted(own, "row has", "rows have") + " a value with "
                     + (own == 1 ? "itself" : "themselves");
        say("B020", graph.diagonal, message + ".");
    }

    const Element& m_matrix;
    const MatrixPlace& m_place;
    const MatrixFacts& m_facts;
    std::string m_name;
    std::vector<Finding> m_found;
};

} // namespace

bool holdCounts(const MatrixFacts& facts)
{
    const Digest& digest = facts.digest;
    return digest.any && digest.nonZero > 0 && digest.nan == 0 && digest.min >= 0
        && !digest.fraction && digest.positiveInf == 0;
}

std::vector<Finding> judgeMatrix(const Element& matrix, const MatrixPlace& place,
                                 const MatrixFacts& facts)
{
    return Judge(matrix, place, facts).run();
}

std::vector<Finding> judgeStorage(const Element& matrix, const MatrixPlace& place)
{
    std::vector<Finding> found;
    const std::string name = inQuotes(matrix.path);
    if (place.role == MatrixRole::Raw && matrix.dtype && *matrix.dtype != DType::Float32)
        found.push_back(ruleFinding("B005", matrix.path,
                                    name + " is stored as " + std::string(nameOf(*matrix.dtype))
                                        + "; CELLxGENE wants float32."));
    if (matrix.storage == Storage::Csc
        && (place.role == MatrixRole::X || place.role == MatrixRole::Layer))
        found.push_back(ruleFinding("B010", matrix.path,
                                    name + " is stored by gene (CSC): reading cells is slow."));
    if (place.role != MatrixRole::Other && matrix.shape && matrix.shape->size() == 2) {
        const Index rows = (*matrix.shape)[0];
        const Index columns = (*matrix.shape)[1];
        if (rows == 0 || columns == 0)
            found.push_back(ruleFinding(
                "B023", matrix.path,
                name + " has no " + (rows == 0 ? "cells" : "genes")
                    + (rows == 0 && columns == 0 ? " and no genes." : ".")));
    }
    if (matrix.isSparse() && matrix.stored && *matrix.stored > kMostInR)
        found.push_back(ruleFinding("B024", matrix.path,
                                    name + " stores " + grouped(*matrix.stored)
                                        + " values; R cannot hold more than 2,147,483,647 in one "
                                          "matrix."));
    return found;
}

} // namespace cellfolio
