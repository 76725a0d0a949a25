// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/gene_field.h"

#include "core/query/gene_lookup.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/name_search.h"

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMost = 12;

bool isWhole(const GeneMatch& match)
{
    return match.fit == GeneFit::Exact || match.fit == GeneFit::Alias;
}

const Element* tableOf(const Dataset& dataset, bool raw)
{
    const Element* table = raw ? (dataset.raw() != nullptr ? dataset.raw()->child("var") : nullptr) : dataset.var();
    return table != nullptr && table->kind == ElementKind::Table && table->readable ? table : nullptr;
}

// What tells it from others, beside what it is called: what was met, else another of its names.
QString detailOf(const GeneField::Match& match)
{
    const GeneMatch& gene = match.gene;
    const std::string name = toStdString(match.name());
    for (const std::string& other : {gene.text, gene.name, gene.other})
        if (!other.empty() && other != name)
            return toQString(other);
    return u"row %1"_s.arg(countText(gene.row));
}

} // namespace

QString GeneField::Match::name() const
{
    if (!gene.symbol.empty() || !looksLikeGeneId(gene.name))
        return toQString(gene.symbol.empty() ? gene.name : gene.symbol);
    // An id says nothing to a person where another column has a name.
    for (const std::string& other : {gene.text, gene.other})
        if (!other.empty() && !looksLikeGeneId(other))
            return toQString(other);
    return toQString(gene.name);
}

GeneField::GeneField(ModelContext context, QWidget* parent)
    : SearchListField(u"Gene"_s, parent), m_context(context), m_request(context.quick)
{
    setIconName(u"helix"_s);
    setKeyHint(u"Ctrl+G"_s);
}

void GeneField::setPlace(Place place)
{
    // What is learnt about the same file later does not disturb who is typing.
    if (place.dataset != m_place.dataset)
        forget();
    m_place = std::move(place);
    setEnabled(m_place.dataset
               && (tableOf(*m_place.dataset, false) != nullptr || tableOf(*m_place.dataset, true) != nullptr));
}

void GeneField::forget()
{
    m_request.cancel();
    m_matches.clear();
    m_matchOf.clear();
}

Result<GeneField::Found> GeneField::findAll(const Place& place, const std::string& text,
                                         const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    Found found;
    const Element* var = tableOf(*place.dataset, false);
    if (var != nullptr) {
        auto genes = completeGenes({place.dataset, var, place.symbols, text, kMost}, reading, stop);
        if (!genes)
            return std::move(genes).error();
        found.genes = *std::move(genes);
    }
    // Raw is asked where var does not have the very gene.
    const Element* rawVar = tableOf(*place.dataset, true);
    if (rawVar != nullptr && (found.genes.empty() || !isWhole(found.genes.front()))) {
        auto raw = completeGenes({place.dataset, rawVar, place.rawSymbols, text, kMost}, reading, stop);
        if (!raw)
            return std::move(raw).error();
        std::vector<std::string> names;
        for (const GeneMatch& match : *raw)
            names.push_back(match.name);
        if (var != nullptr && !names.empty()) {
            auto inVar = findGenes(place.dataset, *var, names, reading, stop);
            if (!inVar)
                return std::move(inVar).error();
            for (std::size_t k = 0; k < names.size(); ++k)
                if ((*inVar)[k].count == 0)
                    found.raw.push_back(std::move((*raw)[k]));
        } else {
            found.raw = *std::move(raw);
        }
    }
    if (!found.genes.empty() || !found.raw.empty() || var == nullptr)
        return found;
    auto near = nearGenes(place.dataset, *var, text, reading, stop);
    if (!near)
        return std::move(near).error();
    for (const std::string& name : *near) {
        auto genes = completeGenes({place.dataset, var, place.symbols, name, 1}, reading, stop);
        if (!genes)
            return std::move(genes).error();
        if (genes->empty())
            continue;
        const Index row = genes->front().row;
        if (std::none_of(found.near.begin(), found.near.end(), [row](const GeneMatch& other) { return other.row == row; }))
            found.near.push_back(std::move(genes->front()));
    }
    return found;
}

void GeneField::look(const QString& text)
{
    forget();
    if (!m_place.dataset)
        return;
    m_request.request<Found>(
        [place = m_place, text = toStdString(text), reading = m_context.reading](std::stop_token stop) {
            return findAll(place, text, reading, stop);
        },
        [this, text](Result<Found> found) {
            if (found)
                showFound(text, *std::move(found));
            else
                refuse(errorText(found.error()));
        });
}

void GeneField::showFound(const QString& text, Found found)
{
    const Dataset& dataset = *m_place.dataset;
    std::vector<Entry> entries;
    OnEnter onEnter = OnEnter::TakeFirst;
    const auto say = [&](const QString& sentence) {
        entries.push_back({sentence, {}, true});
        m_matchOf.push_back(-1);
    };
    const auto add = [&](std::vector<GeneMatch>& genes, bool ofRaw, const QString& note) {
        for (GeneMatch& gene : genes) {
            m_matches.push_back({std::move(gene), ofRaw});
            m_matchOf.push_back(static_cast<int>(m_matches.size()) - 1);
            const QString detail = detailOf(m_matches.back());
            entries.push_back({m_matches.back().name(), detail.isEmpty() || note.isEmpty() ? detail + note
                                                                                           : detail + u" · "_s + note});
        }
    };
    const bool hasVar = tableOf(dataset, false) != nullptr;
    const auto shared = std::count_if(found.genes.begin(), found.genes.end(), [&](const GeneMatch& match) {
        return isWhole(match) && match.fit == found.genes.front().fit;
    });
    if (shared > 1) {
        say(u"%1 genes are called “%2”. Which one?"_s.arg(countText(shared), text));
        onEnter = OnEnter::Ask;
    }
    const QString holds = m_place.rawUnit.isEmpty() ? QString() : u" ("_s + m_place.rawUnit + u')';
    std::vector<GeneMatch> very; // the very gene, which only raw has
    while (!found.raw.empty() && isWhole(found.raw.front())) {
        very.push_back(std::move(found.raw.front()));
        found.raw.erase(found.raw.begin());
    }
    if (!very.empty() && hasVar) {
        say(u"%1 is not among the %2 genes of X; raw has it%3."_s.arg(text, countText(dataset.var()->rows), holds));
        onEnter = OnEnter::Ask;
    }
    add(very, true, u"from raw"_s);
    if (!very.empty() && !found.genes.empty())
        say(u"In X:"_s);
    add(found.genes, false, {});
    if (!found.raw.empty()) {
        if (hasVar)
            say(u"Only in raw%1:"_s.arg(holds));
        add(found.raw, true, u"from raw"_s);
    }
    if (m_matches.empty()) {
        if (found.near.empty()) {
            refuse(u"No gene “%1” here."_s.arg(text));
            return;
        }
        say(u"No gene “%1”. Did you mean:"_s.arg(text));
        add(found.near, false, {});
        onEnter = OnEnter::Ask;
    }
    setEntries(std::move(entries), onEnter);
}

void GeneField::take(int place)
{
    const int match = m_matchOf[static_cast<std::size_t>(place)];
    if (match >= 0)
        Q_EMIT picked(m_matches[static_cast<std::size_t>(match)]);
}

} // namespace cellfolio
