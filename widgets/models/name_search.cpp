// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/name_search.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <optional>

namespace cellfolio {

namespace {

constexpr Index kWindow = 32768; // names read at once

enum class Fit { No, Holds, Begins, Is };

Fit fitOf(std::string_view name, const std::string& wanted)
{
    if (name.size() < wanted.size())
        return Fit::No;
    const std::string low = lowered(name);
    if (low == wanted)
        return Fit::Is;
    const std::size_t place = low.find(wanted);
    if (place == std::string::npos)
        return Fit::No;
    return place == 0 ? Fit::Begins : Fit::Holds;
}

bool allDigits(std::string_view text)
{
    return !text.empty()
        && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

bool looksLikeGeneId(std::string_view name)
{
    const std::string_view whole = name.substr(0, name.find('.'));
    if (whole.size() > 8 && whole.substr(0, 3) == "ENS") {
        const std::size_t digits = whole.find_first_of("0123456789");
        return digits != std::string_view::npos && allDigits(whole.substr(digits))
            && whole.size() - digits >= 6;
    }
    for (const std::string_view prefix : {"FBgn", "WBGene", "MGI:", "HGNC:"})
        if (whole.substr(0, prefix.size()) == prefix && allDigits(whole.substr(prefix.size())))
            return true;
    return false;
}

Result<std::vector<NameMatch>> findNames(const NameQuery& query,
                                         const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    const Selection among = query.rows.value_or(Selection::all(query.table->rows));
    const Index rows = among.size();
    const std::string wanted = lowered(query.text);
    std::array<std::vector<NameMatch>, 3> found; // is, begins, holds
    if (wanted.empty())
        return std::vector<NameMatch>{};

    std::optional<ColumnReader> symbols;
    if (query.symbols != nullptr) {
        auto opened = ColumnReader::open(query.dataset, *query.symbols, reading);
        if (!opened)
            return std::move(opened).error();
        symbols = std::move(*opened);
    }
    for (Index first = 0; first < rows && found[0].size() < query.most; first += kWindow) {
        if (stop.stop_requested())
            return Error::cancelled();
        const Selection part = among.part(first, std::min(kWindow, rows - first));
        auto names = readNames(query.dataset, *query.table, part, reading, stop);
        if (!names)
            return std::move(names).error();
        std::optional<ColumnValues> second;
        if (symbols) {
            auto read = symbols->read(part, stop);
            if (!read)
                return std::move(read).error();
            second = std::move(*read);
        }
        for (Index i = 0; i < part.size(); ++i) {
            const std::string& name = (*names)[at(i)];
            std::string symbol = second ? second->text(i) : std::string();
            const Fit fit = std::max(fitOf(name, wanted), second ? fitOf(symbol, wanted) : Fit::No);
            if (fit == Fit::No)
                continue;
            auto& list = found[fit == Fit::Is ? 0 : fit == Fit::Begins ? 1 : 2];
            if (list.size() < query.most)
                list.push_back({part[i], name, std::move(symbol)});
        }
    }
    std::vector<NameMatch> matches;
    for (auto& list : found)
        for (NameMatch& match : list)
            if (matches.size() < query.most)
                matches.push_back(std::move(match));
    return matches;
}

Result<std::optional<Index>> findRowAgain(const std::shared_ptr<const Dataset>& dataset,
                                          const Element& table, const std::string& name, Index row,
                                          const std::shared_ptr<Reading>& reading,
                                          std::stop_token stop)
{
    const auto place = [&](Index first, Index count) -> Result<std::optional<Index>> {
        auto names = readNames(dataset, table, Selection::of(table.rows, {first, 1, count}), reading, stop);
        if (!names)
            return std::move(names).error();
        for (Index i = 0; i < count; ++i)
            if ((*names)[at(i)] == name)
                return std::optional<Index>(first + i);
        return std::optional<Index>();
    };
    if (row >= 0 && row < table.rows) {
        auto same = place(row, 1);
        if (!same || *same)
            return same;
    }
    for (Index first = 0; first < table.rows; first += kWindow) {
        if (stop.stop_requested())
            return Error::cancelled();
        auto found = place(first, std::min(kWindow, table.rows - first));
        if (!found || *found)
            return found;
    }
    return std::optional<Index>();
}

Result<const Element*> symbolColumn(const std::shared_ptr<const Dataset>& dataset, const Element& var,
                                    const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    static constexpr std::array names{"feature_name", "gene_symbols", "gene_symbol", "gene_name",
                                      "gene_names",   "symbol",       "symbols",     "gene_short_name",
                                      "hgnc_symbol",  "SYMBOL",       "Symbol",      "Gene",
                                      "GeneSymbol",   "gene",         "name"};
    const Element* column = nullptr;
    for (const char* name : names) {
        const Element* candidate = var.child(name);
        if (candidate != nullptr && candidate->readable
            && (candidate->column == ColumnKind::String || candidate->column == ColumnKind::NullableString
                || candidate->column == ColumnKind::Categorical)) {
            column = candidate;
            break;
        }
    }
    if (column == nullptr || var.rows == 0)
        return static_cast<const Element*>(nullptr);
    const Index looked = std::min<Index>(var.rows, 50);
    auto heads = readNames(dataset, var, Selection::of(var.rows, {0, 1, looked}), reading, stop);
    if (!heads)
        return std::move(heads).error();
    const auto ids = std::count_if(heads->begin(), heads->end(), [](const std::string& name) {
        return looksLikeGeneId(name) || allDigits(name);
    });
    return ids * 2 > looked ? column : static_cast<const Element*>(nullptr);
}

} // namespace cellfolio
