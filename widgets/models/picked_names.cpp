// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/picked_names.h"

#include "widgets/bridge/cell_format.h"

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

void PickedNames::clear()
{
    m_learning.cancel();
    m_asked = false;
    m_dataset.reset();
    m_known.clear();
    m_wanted.clear();
}

const PickedNames::Known* PickedNames::known(Axis axis, const Selection& rows) const
{
    const auto found = std::find_if(m_known.begin(), m_known.end(),
                                    [&](const Known& one) { return one.axis == axis && one.rows == rows; });
    return found == m_known.end() ? nullptr : &*found;
}

void PickedNames::learn(const ViewState& state)
{
    if (state.view.dataset() != m_dataset) {
        clear();
        m_dataset = state.view.dataset();
    }
    m_wanted.clear();
    std::vector<Known> kept;
    for (const Axis axis : {Axis::Obs, Axis::Var})
        for (const FilterStep& step : state.steps(axis)) {
            if (!step.picked)
                continue;
            if (const Known* one = known(axis, *step.picked))
                kept.push_back(*one);
            else
                m_wanted.push_back({axis, *step.picked, nullptr});
        }
    // Undo may bring others back; they are learnt again then.
    m_known = std::move(kept);
    next();
}

void PickedNames::next()
{
    if (m_asked || m_wanted.empty())
        return;
    m_asked = true;
    const Known one = m_wanted.front();
    const DatasetView all(m_dataset);
    const DatasetView view(m_dataset, one.axis == Axis::Obs ? one.rows : all.obs(),
                           one.axis == Axis::Var ? one.rows : all.var());
    using Document = std::shared_ptr<const query::ViewDocument>;
    m_learning.request<Document>(
        [view, reading = m_context.reading](std::stop_token stop) -> Result<Document> {
            auto document = query::describeView(view, "picked rows", {}, reading, stop);
            if (!document)
                return std::move(document).error();
            return Document(std::make_shared<const query::ViewDocument>(std::move(*document)));
        },
        [this, one, dataset = m_dataset](Result<Document> document) {
            m_asked = false;
            if (dataset != m_dataset)
                return;
            // Without names they cannot be found again, which is said when that matters.
            m_known.push_back({one.axis, one.rows, document ? *document : nullptr});
            std::erase_if(m_wanted, [&](const Known& other) { return other.axis == one.axis && other.rows == one.rows; });
            next();
        });
}

std::vector<PickedNames::Pick> PickedNames::picksOf(const ViewState& state) const
{
    std::vector<Pick> picks;
    for (const Axis axis : {Axis::Obs, Axis::Var}) {
        const std::vector<FilterStep>& steps = state.steps(axis);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (!steps[i].picked)
                continue;
            const Known* one = known(axis, *steps[i].picked);
            picks.push_back({axis, i, steps[i], one == nullptr ? nullptr : one->names});
        }
    }
    return picks;
}

Result<PickedNames::Found> PickedNames::findAgain(std::vector<Pick> picks, const std::shared_ptr<const Dataset>& dataset,
                                                  const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    Found found;
    QStringList sentences;
    for (Pick& pick : picks) {
        if (pick.names == nullptr) {
            ++found.dropped;
            continue;
        }
        auto matched = query::matchView(*pick.names, dataset, reading, stop);
        if (!matched) {
            if (matched.error().code() == ErrorCode::Cancelled)
                return std::move(matched).error();
            sentences.append(u"“%1”: %2"_s.arg(pick.step.text(), errorText(matched.error())));
            continue;
        }
        const MatchedAxis& axis = pick.axis == Axis::Obs ? matched->obs : matched->var;
        const Index all = pick.step.picked->size();
        pick.step.picked = Selection::of(axis.selection.toSet());
        pick.step.after = {};
        if (axis.lost > 0) {
            QStringList names;
            for (const std::string& name : axis.lostNames)
                names.append(toQString(name));
            const QString which = names.isEmpty() ? QString() : u": "_s + names.join(u", "_s)
                    + (axis.lost > static_cast<Index>(names.size()) ? u" …"_s : QString());
            sentences.append(u"%1 of %2 of “%3” are no longer in the file%4."_s.arg(
                countText(axis.lost),
                countedText(all, pick.axis == Axis::Obs ? u"cell"_s : u"gene"_s, pick.axis == Axis::Obs ? u"cells"_s : u"genes"_s),
                pick.step.text(), which));
        } else if (axis.byName) {
            sentences.append(u"“%1” were all found again by name."_s.arg(pick.step.text()));
        }
        found.picks.push_back(std::move(pick));
    }
    found.sentence = sentences.join(u' ');
    return found;
}

} // namespace cellfolio
