// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/table_check.h"

#include "core/anndata/column_reader.h"
#include "core/anndata/rules.h"
#include "core/base/text.h"
#include "core/validate/content_rules.h"
#include "core/validate/place_list.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cellfolio {

namespace {

constexpr Index kWindow = Index{64} << 10;

std::optional<Finding> sameEverywhere(const Element& column, Index rows, Index missing,
                                      const std::string& value)
{
    // A single row is the same everywhere by nature.
    if (rows < 2)
        return std::nullopt;
    if (missing == rows)
        return ruleFinding("B027", column.path,
                           "Column " + inQuotes(column.path) + " is missing in every row.");
    if (missing > 0)
        return std::nullopt;
    return ruleFinding("B027", column.path,
                       "Column " + inQuotes(column.path) + " is " + inQuotes(toUtf8(value))
                           + " in every row.");
}

// Codes are looked at where they lie, all of them; texts of categories only for what is told.
Result<std::vector<Finding>> checkCategorical(const std::shared_ptr<const Dataset>& dataset,
                                              const Element& column,
                                              const std::shared_ptr<Reading>& reading,
                                              const std::stop_token& stop)
{
    const Index count = column.categoryCount.value_or(0);
    Result<ColumnReader> reader = ColumnReader::open(dataset, column, reading);
    if (!reader)
        return std::move(reader).error();
    Result<MemoryReservation> room = reading->budget().reserve(MemoryTag::Job, count / 8 + 8);
    if (!room)
        return std::move(room).error();
    std::vector<std::uint64_t> used(at(count / 64 + 1), 0);
    Index missing = 0;
    for (Index first = 0; first < reader->rows(); first += kWindow) {
        const Index n = std::min(kWindow, reader->rows() - first);
        const ArrayReader codes(column.values, reading, column.path);
        Result<Values> window = codes.rows(first, n, stop);
        if (!window)
            return std::move(window).error();
        if (!isInteger(window->type()))
            return std::vector<Finding>();
        for (Index i = 0; i < n; ++i) {
            const std::int64_t code = window->integer(i);
            if (code < 0 || code >= count) {
                ++missing; // those beyond the list are told by A018
                continue;
            }
            used[at(code / 64)] |= std::uint64_t{1} << (code % 64);
        }
    }
    std::vector<Finding> found;
    PlaceList unused;
    Index usedCount = 0;
    Index only = 0;
    for (Index k = 0; k < count; ++k) {
        if ((used[at(k / 64)] >> (k % 64) & 1) != 0) {
            ++usedCount;
            only = k;
            continue;
        }
        unused.meet(k, [k] {
            FindingPlace place;
            place.offset = k;
            return place;
        });
    }
    const auto textOf = [&](Index category) -> Result<std::string> {
        Result<Values> text = reader->categoryWindow(category, 1, stop);
        if (!text)
            return std::move(text).error();
        return text->text(0);
    };
    if (unused.count() > 0) {
        Finding finding = ruleFinding(
            "B026", column.path,
            counted(unused.count(), "category", "categories") + " of " + inQuotes(column.path)
                + (unused.count() == 1 ? " occurs" : " occur") + " in no row");
        finding.count = unused.count();
        finding.places = unused.first();
        for (FindingPlace& place : finding.places) {
            Result<std::string> text = textOf(*place.offset);
            if (!text)
                return std::move(text).error();
            place.value = *std::move(text);
        }
        finding.message += unused.count() == 1
                             ? ": " + inQuotes(toUtf8(finding.places.front().value)) + "."
                             : ", " + inQuotes(toUtf8(finding.places.front().value))
                                   + " among them.";
        found.push_back(std::move(finding));
    }
    const Index rows = reader->rows();
    if (usedCount <= 1 && (missing == 0 || missing == rows)) {
        std::string value;
        if (usedCount == 1) {
            Result<std::string> text = textOf(only);
            if (!text)
                return std::move(text).error();
            value = *std::move(text);
        }
        if (std::optional<Finding> same = sameEverywhere(column, rows, missing, value))
            found.push_back(*std::move(same));
    }
    return found;
}

// Up to the first value that differs: mostly the first window.
Result<std::vector<Finding>> checkPlain(const std::shared_ptr<const Dataset>& dataset,
                                        const Element& column,
                                        const std::shared_ptr<Reading>& reading,
                                        const std::stop_token& stop)
{
    Result<ColumnReader> reader = ColumnReader::open(dataset, column, reading);
    if (!reader)
        return std::move(reader).error();
    const Index rows = reader->rows();
    std::string value;
    bool any = false;
    Index missing = 0;
    for (Index first = 0; first < rows; first += kWindow) {
        const Index n = std::min(kWindow, rows - first);
        Result<ColumnValues> window =
            reader->read(Selection::of(rows, {first, 1, n}), stop);
        if (!window)
            return std::move(window).error();
        for (Index i = 0; i < n; ++i) {
            const Values& values = window->values;
            const bool none =
                window->isMissing(i) || (isFloat(values.type()) && std::isnan(values.number(i)));
            if (none) {
                ++missing;
            } else {
                std::string text = window->text(i);
                if (any && text != value)
                    return std::vector<Finding>();
                value = std::move(text);
                any = true;
            }
            if (any && missing > 0)
                return std::vector<Finding>();
        }
    }
    std::vector<Finding> found;
    if (std::optional<Finding> same = sameEverywhere(column, rows, missing, value))
        found.push_back(*std::move(same));
    return found;
}

} // namespace

Result<std::vector<Finding>> checkColumn(const std::shared_ptr<const Dataset>& dataset,
                                         const Element& column,
                                         const std::shared_ptr<Reading>& reading,
                                         std::stop_token stop)
{
    const bool codes = column.column == ColumnKind::Categorical && column.values
                    && column.values.shape().size() == 1;
    return codes ? checkCategorical(dataset, column, reading, stop)
                 : checkPlain(dataset, column, reading, stop);
}

std::vector<Finding> checkColors(const Dataset& dataset)
{
    constexpr std::string_view kEnding = "_colors";
    std::vector<Finding> found;
    for (const Element* element : dataset.elements()) {
        if (element->parent == nullptr || element->parent->name != "uns"
            || !element->name.ends_with(kEnding) || !element->shape || element->shape->size() != 1)
            continue;
        const Element* owner = element->parent->parent;
        const Element* obs = owner != nullptr ? owner->child("obs") : nullptr;
        if (obs == nullptr)
            continue;
        const std::string name = element->name.substr(0, element->name.size() - kEnding.size());
        const Element* column = obs->child(name);
        if (column == nullptr || column->column != ColumnKind::Categorical
            || !column->categoryCount)
            continue;
        const Index colors = element->shape->front();
        if (colors == *column->categoryCount)
            continue;
        found.push_back(ruleFinding("B028", element->path,
                                    inQuotes(element->path) + " has "
                                        + counted(colors, "colour", "colours") + ", "
                                        + inQuotes(column->path) + " has "
                                        + counted(*column->categoryCount, "category", "categories")
                                        + "."));
    }
    return found;
}

} // namespace cellfolio
