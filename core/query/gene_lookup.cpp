// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/gene_lookup.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <unordered_map>

namespace cellfolio {
namespace {

constexpr Index kWindow = Index{1} << 14;
constexpr Index kKept = 8;            // rows told of an ambiguous name
constexpr Index kLookedAt = 200'000;  // rows looked at for suggestions

// As two readings of a name that differ only in case are the same: ASCII, which gene names are.
std::string lowered(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return result;
}

// "ensg00000141510.17" → "ensg00000141510"; others as they are: "ac012345.1" is a whole name, so
// only what stands before the point of an Ensembl-like id counts.
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

struct Place {
    std::vector<Index> rows;
    Index count = 0;
};
using Wanted = std::unordered_map<std::string, Place>;

using TextVisitor = std::function<void(Index row, std::string_view text)>;

class GeneScan
{
public:
    GeneScan(std::shared_ptr<const Dataset> dataset, const Element& var,
             std::shared_ptr<Reading> reading, std::stop_token stop)
        : m_dataset(std::move(dataset)), m_var(var), m_reading(std::move(reading)),
          m_stop(std::move(stop))
    {
        for (const auto& child : m_var.children) {
            if (child->kind == ElementKind::Column && holdsGeneNames(*child))
                m_columns.push_back(child.get());
        }
    }

    const std::vector<const Element*>& columns() const noexcept { return m_columns; }

    // The names of the first `most` rows, or the texts of a column.
    Result<void> each(const Element* column, Index most, const TextVisitor& visit) const
    {
        const Index total = std::min(m_var.rows, most);
        std::optional<ColumnReader> reader;
        if (column != nullptr) {
            auto opened = ColumnReader::open(m_dataset, *column, m_reading);
            if (!opened)
                return {}; // a damaged column answers to nothing; asking for it by name tells why
            reader.emplace(std::move(*opened));
        }
        for (Index first = 0; first < total; first += kWindow) {
            if (m_stop.stop_requested())
                return Error::cancelled();
            const Selection part =
                Selection::of(m_var.rows, {first, 1, std::min(kWindow, total - first)});
            if (!reader) {
                auto names = readNames(m_dataset, m_var, part, m_reading, m_stop);
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

private:
    std::shared_ptr<const Dataset> m_dataset;
    const Element& m_var;
    std::shared_ptr<Reading> m_reading;
    std::stop_token m_stop;
    std::vector<const Element*> m_columns;
};

void note(Wanted& wanted, const std::string& key, Index row)
{
    const auto found = wanted.find(key);
    if (found == wanted.end())
        return;
    Place& place = found->second;
    // Two spellings of one row are one answer.
    if (!place.rows.empty() && std::find(place.rows.begin(), place.rows.end(), row) != place.rows.end())
        return;
    if (++place.count <= kKept)
        place.rows.push_back(row);
}

} // namespace

bool holdsGeneNames(const Element& column)
{
    if (column.column != ColumnKind::String && column.column != ColumnKind::NullableString
        && !(column.column == ColumnKind::Categorical && column.dtype == DType::String))
        return false;
    std::string name;
    for (const char c : lowered(column.name))
        name += c == '-' || c == '.' || c == ' ' ? '_' : c;
    constexpr std::array<std::string_view, 28> kNames{
        "gene", "genes", "gene_id", "gene_ids", "gene_name", "gene_names", "gene_symbol",
        "gene_symbols", "genesymbol", "genename", "geneid", "gene_short_name", "symbol", "symbols",
        "feature_name", "feature_names", "feature_id", "feature_ids", "features", "ensembl",
        "ensembl_id", "ensembl_ids", "ensemblid", "ensg", "accession", "hgnc_symbol", "mgi_symbol",
        "original_name"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Result<std::vector<GeneAnswer>> findGenes(const std::shared_ptr<const Dataset>& dataset,
                                          const Element& var, const std::vector<std::string>& names,
                                          const std::shared_ptr<Reading>& reading,
                                          std::stop_token stop)
{
    const GeneScan scan(dataset, var, reading, stop);
    std::vector<GeneAnswer> answers(names.size());
    const auto lookUp = [&](const Element* column, auto&& spelling) -> Result<void> {
        Wanted wanted;
        for (std::size_t k = 0; k < names.size(); ++k) {
            if (answers[k].count == 0)
                wanted.try_emplace(spelling(names[k]));
        }
        if (wanted.empty())
            return {};
        auto scanned = scan.each(column, var.rows, [&](Index row, std::string_view text) {
            note(wanted, spelling(text), row);
        });
        if (!scanned)
            return scanned;
        for (std::size_t k = 0; k < names.size(); ++k) {
            if (answers[k].count > 0)
                continue;
            const Place& place = wanted.at(spelling(names[k]));
            answers[k] = {place.rows, place.count, column != nullptr ? column->name : ""};
        }
        return {};
    };
    const auto exact = [](std::string_view text) { return std::string(text); };
    const auto loose = [](std::string_view text) { return lowered(text); };
    const auto bare = [](std::string_view text) { return withoutVersion(lowered(text)); };
    const auto everywhere = [&](auto&& spelling) -> Result<void> {
        if (auto done = lookUp(nullptr, spelling); !done)
            return done;
        for (const Element* column : scan.columns()) {
            if (auto done = lookUp(column, spelling); !done)
                return done;
        }
        return {};
    };
    if (auto done = everywhere(exact); !done)
        return std::move(done).error();
    if (auto done = everywhere(loose); !done)
        return std::move(done).error();
    if (auto done = everywhere(bare); !done)
        return std::move(done).error();
    return answers;
}

Result<std::vector<std::string>> nearGenes(const std::shared_ptr<const Dataset>& dataset,
                                           const Element& var, const std::string& name,
                                           const std::shared_ptr<Reading>& reading,
                                           std::stop_token stop)
{
    const GeneScan scan(dataset, var, reading, stop);
    std::vector<std::string> best;
    std::vector<std::string> batch;
    const auto merge = [&] {
        batch.insert(batch.end(), best.begin(), best.end());
        best = nearest(name, batch);
        batch.clear();
    };
    std::vector<const Element*> places{nullptr};
    places.insert(places.end(), scan.columns().begin(), scan.columns().end());
    for (const Element* place : places) {
        auto scanned = scan.each(place, kLookedAt, [&](Index, std::string_view text) {
            batch.emplace_back(text);
            if (batch.size() >= 4096)
                merge();
        });
        if (!scanned)
            return std::move(scanned).error();
        merge();
    }
    return best;
}

} // namespace cellfolio
