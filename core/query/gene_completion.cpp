// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/gene_completion.h"

#include "core/base/text.h"
#include "core/query/gene_names.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>

namespace cellfolio {
namespace {

// What was typed, in the spellings it is compared in.
struct Typed {
    std::string exact;
    std::string low;
    std::string bare; // without an id's version

    explicit Typed(const std::string& text)
        : exact(text), low(lowered(text)), bare(query::withoutVersion(low))
    {
    }
    std::optional<GeneFit> fit(std::string_view name) const
    {
        if (name == exact)
            return GeneFit::Exact;
        const std::string other = lowered(name);
        if (other == low || query::withoutVersion(other) == bare)
            return GeneFit::Alias;
        const std::size_t place = other.find(low);
        if (place == std::string::npos)
            return std::nullopt;
        return place == 0 ? GeneFit::Begins : GeneFit::Holds;
    }
};

bool isBetter(const GeneMatch& a, const GeneMatch& b)
{
    return std::tuple(a.fit, a.text.size(), a.row) < std::tuple(b.fit, b.text.size(), b.row);
}

// The best of many, each row once; bounded.
class Best
{
public:
    explicit Best(std::size_t most) : m_most(most) {}

    void add(GeneMatch match)
    {
        m_all.push_back(std::move(match));
        if (m_all.size() >= 8 * m_most + 64)
            trim();
    }
    std::vector<GeneMatch> take()
    {
        trim();
        return std::move(m_all);
    }

private:
    void trim()
    {
        std::stable_sort(m_all.begin(), m_all.end(), isBetter);
        std::unordered_set<Index> rows;
        std::erase_if(m_all, [&](const GeneMatch& match) { return !rows.insert(match.row).second; });
        if (m_all.size() > m_most)
            m_all.resize(m_most);
    }

    std::size_t m_most;
    std::vector<GeneMatch> m_all;
};

} // namespace

Result<std::vector<GeneMatch>> completeGenes(const GeneQuery& query,
                                             const std::shared_ptr<Reading>& reading,
                                             std::stop_token stop)
{
    if (query.text.empty() || query.most == 0)
        return std::vector<GeneMatch>();
    auto names = query::GeneNames::open(query.dataset, *query.var, reading, stop);
    if (!names)
        return std::move(names).error();
    std::vector<const Element*> places = names->places();
    if (query.symbols != nullptr
        && std::find(places.begin(), places.end(), query.symbols) == places.end())
        places.push_back(query.symbols);
    const Typed typed(query.text);
    Best best(query.most);
    for (const Element* place : places) {
        auto done = names->each(place, query.var->rows, [&](Index row, std::string_view text) {
            if (const auto fit = typed.fit(text))
                best.add({row, *fit, std::string(text),
                          place != nullptr ? place->name : std::string(), {}, {}, {}});
        });
        if (!done)
            return std::move(done).error();
    }
    std::vector<GeneMatch> matches = best.take();
    std::vector<Index> rows;
    for (const GeneMatch& match : matches)
        rows.push_back(match.row);
    const Selection chosen = Selection::indices(query.var->rows, rows);
    auto own = names->at(nullptr, chosen);
    if (!own)
        return std::move(own).error();
    for (std::size_t i = 0; i < matches.size(); ++i)
        matches[i].name = std::move((*own)[i]);
    if (query.symbols != nullptr && !matches.empty()) {
        auto symbols = names->at(query.symbols, chosen);
        if (!symbols)
            return std::move(symbols).error();
        for (std::size_t i = 0; i < matches.size(); ++i)
            matches[i].symbol = std::move((*symbols)[i]);
    }
    for (std::size_t k = 1; k < places.size() && !matches.empty(); ++k) {
        auto texts = names->at(places[k], chosen);
        if (!texts)
            return std::move(texts).error();
        for (std::size_t i = 0; i < matches.size(); ++i) {
            GeneMatch& match = matches[i];
            if (match.other.empty() && (*texts)[i] != match.name && (*texts)[i] != match.symbol)
                match.other = std::move((*texts)[i]);
        }
    }
    return matches;
}

} // namespace cellfolio
