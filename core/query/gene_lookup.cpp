// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/gene_lookup.h"

#include "core/base/text.h"
#include "core/query/gene_names.h"

#include <algorithm>
#include <unordered_map>

namespace cellfolio {
namespace {

constexpr Index kKept = 8;            // rows told of an ambiguous name
constexpr Index kLookedAt = 200'000;  // rows looked at for suggestions

struct Place {
    std::vector<Index> rows;
    Index count = 0;
};
using Wanted = std::unordered_map<std::string, Place>;

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

Result<std::vector<GeneAnswer>> findGenes(const std::shared_ptr<const Dataset>& dataset,
                                          const Element& var, const std::vector<std::string>& names,
                                          const std::shared_ptr<Reading>& reading,
                                          std::stop_token stop)
{
    auto opened = query::GeneNames::open(dataset, var, reading, stop);
    if (!opened)
        return std::move(opened).error();
    const query::GeneNames& all = *opened;
    std::vector<GeneAnswer> answers(names.size());
    const auto lookUp = [&](const Element* column, auto&& spelling) -> Result<void> {
        Wanted wanted;
        for (std::size_t k = 0; k < names.size(); ++k) {
            if (answers[k].count == 0)
                wanted.try_emplace(spelling(names[k]));
        }
        if (wanted.empty())
            return {};
        auto scanned = all.each(column, var.rows, [&](Index row, std::string_view text) {
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
    const auto bare = [](std::string_view text) {
        return query::withoutVersion(lowered(text));
    };
    const auto everywhere = [&](auto&& spelling) -> Result<void> {
        for (const Element* column : all.places()) {
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
    auto all = query::GeneNames::open(dataset, var, reading, stop);
    if (!all)
        return std::move(all).error();
    std::vector<std::string> best;
    std::vector<std::string> batch;
    const auto merge = [&] {
        batch.insert(batch.end(), best.begin(), best.end());
        best = nearest(name, batch);
        batch.clear();
    };
    for (const Element* place : all->places()) {
        auto scanned = all->each(place, kLookedAt, [&](Index, std::string_view text) {
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

Result<std::vector<const Element*>> geneNameColumns(const std::shared_ptr<const Dataset>& dataset,
                                                    const Element& var,
                                                    const std::shared_ptr<Reading>& reading,
                                                    std::stop_token stop)
{
    auto all = query::GeneNames::open(dataset, var, reading, stop);
    if (!all)
        return std::move(all).error();
    return all->columns();
}

Result<std::string> nameOfGene(const std::shared_ptr<const Dataset>& dataset, const Element& var,
                               Index row, const std::string& wished,
                               const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    auto all = query::GeneNames::open(dataset, var, reading, stop);
    if (!all)
        return std::move(all).error();
    std::vector<std::string> names;
    if (!wished.empty())
        names.push_back(wished);
    for (const Element* place : all->places()) {
        auto texts = all->at(place, Selection::indices(var.rows, {row}));
        if (!texts)
            return std::move(texts).error();
        if (!texts->front().empty())
            names.push_back(std::move(texts->front()));
    }
    auto answers = findGenes(dataset, var, names, reading, stop);
    if (!answers)
        return std::move(answers).error();
    for (std::size_t k = 0; k < names.size(); ++k)
        if ((*answers)[k].count == 1 && (*answers)[k].rows.front() == row)
            return names[k];
    return std::string();
}

} // namespace cellfolio
