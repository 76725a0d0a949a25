// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/gene_names.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>

namespace cellfolio::query {
namespace {

constexpr Index kWindow = Index{1} << 14;
constexpr Index kJudged = 1000; // rows by which a column is judged

bool isText(const Element& column)
{
    return column.column == ColumnKind::String || column.column == ColumnKind::NullableString
        || (column.column == ColumnKind::Categorical && column.dtype == DType::String);
}

std::string plainName(const Element& column)
{
    std::string name;
    for (const char c : lowered(column.name))
        name += c == '-' || c == '.' || c == ' ' ? '_' : c;
    return name;
}

// What such columns are called by those who write them.
bool isCalledSo(const Element& column)
{
    constexpr std::array<std::string_view, 28> kNames{
        "gene", "genes", "gene_id", "gene_ids", "gene_name", "gene_names", "gene_symbol",
        "gene_symbols", "genesymbol", "genename", "geneid", "gene_short_name", "symbol", "symbols",
        "feature_name", "feature_names", "feature_id", "feature_ids", "features", "ensembl",
        "ensembl_id", "ensembl_ids", "ensemblid", "ensg", "accession", "hgnc_symbol", "mgi_symbol",
        "original_name"};
    return std::find(kNames.begin(), kNames.end(), plainName(column)) != kNames.end();
}

// Whole numbers that are ids, as those of NCBI are.
bool holdsNumberedIds(const Element& column)
{
    constexpr std::array<std::string_view, 6> kNames{"entrez",     "entrez_id",    "entrezgene",
                                                     "entrezgene_id", "ncbi_gene_id", "ncbi_id"};
    return (column.column == ColumnKind::Numeric || column.column == ColumnKind::NullableInteger)
        && column.dtype && isInteger(*column.dtype)
        && std::find(kNames.begin(), kNames.end(), plainName(column)) != kNames.end();
}

} // namespace

std::string withoutVersion(std::string_view name)
{
    const std::size_t point = name.rfind('.');
    if (point == std::string_view::npos || point + 1 == name.size())
        return std::string(name);
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const std::string_view version = name.substr(point + 1);
    const std::string_view id = name.substr(0, point);
    const auto digits = std::find_if_not(id.rbegin(), id.rend(), isDigit) - id.rbegin();
    const bool versioned = std::all_of(version.begin(), version.end(), isDigit) && digits >= 6;
    return std::string(versioned ? id : name);
}

Result<GeneNames> GeneNames::open(std::shared_ptr<const Dataset> dataset, const Element& var,
                                  std::shared_ptr<Reading> reading, std::stop_token stop)
{
    GeneNames names(std::move(dataset), var, std::move(reading), std::move(stop));
    std::vector<const Element*> others;
    for (const auto& child : var.children) {
        if (child->kind != ElementKind::Column || !child->readable)
            continue;
        if ((isText(*child) && isCalledSo(*child)) || holdsNumberedIds(*child)) {
            names.m_columns.push_back(child.get());
            continue;
        }
        if (!isText(*child))
            continue;
        auto tells = names.tellsApart(*child);
        if (!tells)
            return std::move(tells).error();
        if (*tells)
            others.push_back(child.get());
    }
    names.m_columns.insert(names.m_columns.end(), others.begin(), others.end());
    return names;
}

// Symbols and ids differ nearly everywhere; chromosomes, biotypes and kinds of feature do not.
Result<bool> GeneNames::tellsApart(const Element& column) const
{
    if (column.column == ColumnKind::Categorical)
        return column.categoryCount && *column.categoryCount * 4 >= m_var->rows * 3;
    std::unordered_set<std::string> seen;
    Index told = 0;
    const Index looked = std::min(kJudged, m_var->rows);
    auto done = each(&column, looked, [&](Index, std::string_view text) {
        told += text.empty() ? 0 : 1;
        if (!text.empty())
            seen.emplace(text);
    });
    if (!done && done.error().code() == ErrorCode::Cancelled)
        return std::move(done).error();
    if (!done)
        return false; // damaged: it answers to nothing
    return told * 2 >= looked && static_cast<Index>(seen.size()) * 10 >= told * 9;
}

std::vector<const Element*> GeneNames::places() const
{
    std::vector<const Element*> all{nullptr};
    all.insert(all.end(), m_columns.begin(), m_columns.end());
    return all;
}

Result<void> GeneNames::each(const Element* place, Index most, const Visitor& visit) const
{
    const Index total = std::min(m_var->rows, most);
    std::optional<ColumnReader> reader;
    if (place != nullptr) {
        auto opened = ColumnReader::open(m_dataset, *place, m_reading);
        if (!opened)
            return {}; // a damaged column answers to nothing; asking for it by name tells why
        reader.emplace(std::move(*opened));
    }
    for (Index first = 0; first < total; first += kWindow) {
        if (m_stop.stop_requested())
            return Error::cancelled();
        const Selection part =
            Selection::of(m_var->rows, {first, 1, std::min(kWindow, total - first)});
        if (!reader) {
            auto names = readNames(m_dataset, *m_var, part, m_reading, m_stop);
            if (!names)
                return std::move(names).error();
            for (std::size_t i = 0; i < names->size(); ++i)
                visit(first + static_cast<Index>(i), (*names)[i]);
            continue;
        }
        auto values = reader->read(part, m_stop);
        if (!values)
            return std::move(values).error();
        for (Index i = 0; i < values->size(); ++i) {
            if (!values->isMissing(i))
                visit(first + i, values->text(i));
        }
    }
    return {};
}

Result<std::vector<std::string>> GeneNames::at(const Element* place, const Selection& rows) const
{
    if (place == nullptr)
        return readNames(m_dataset, *m_var, rows, m_reading, m_stop);
    auto reader = ColumnReader::open(m_dataset, *place, m_reading);
    if (!reader)
        return std::vector<std::string>(cellfolio::at(rows.size()));
    auto values = reader->read(rows, m_stop);
    if (!values)
        return std::move(values).error();
    std::vector<std::string> texts;
    for (Index i = 0; i < values->size(); ++i)
        texts.push_back(values->text(i));
    return texts;
}

} // namespace cellfolio::query
