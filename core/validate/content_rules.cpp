// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/content_rules.h"

#include "core/anndata/rules.h"

#include <algorithm>
#include <array>

namespace cellfolio {

namespace {

enum class Reads { Nothing, Values };
enum class Fixable { No, Yes };

struct ContentRule {
    std::string_view id;
    Severity severity;
    Reads reads;
    Fixable fixable;
    std::string_view fix;
};

constexpr std::array kRules{
    ContentRule{"B001", Severity::Warning, Reads::Values, Fixable::Yes,
                "Set them to 0, or remove the cells that have them."},
    ContentRule{"B002", Severity::Warning, Reads::Values, Fixable::Yes,
                "Set them to 0, or remove the cells that have them."},
    ContentRule{"B003", Severity::Info, Reads::Values, Fixable::Yes,
                "If raw counts are meant, choose the layer that holds them."},
    ContentRule{"B004", Severity::Error, Reads::Values, Fixable::No,
                "Take raw counts from before they were normalized or corrected."},
    ContentRule{"B005", Severity::Warning, Reads::Nothing, Fixable::Yes,
                "Convert it to float32, where every value stays what it is."},
    ContentRule{"B006", Severity::Warning, Reads::Values, Fixable::Yes,
                "Canonicalize the file: it sorts them."},
    ContentRule{"B007", Severity::Warning, Reads::Values, Fixable::Yes,
                "Canonicalize the file: it adds them up, after showing the first ones."},
    ContentRule{"B007o", Severity::Error, Reads::Values, Fixable::Yes,
                "Widen the values to the next type while they are added up."},
    ContentRule{"B008", Severity::Info, Reads::Values, Fixable::Yes,
                "Drop them while canonicalizing; no value changes."},
    ContentRule{"B009", Severity::Warning, Reads::Values, Fixable::Yes,
                "Convert it to the smaller storage."},
    ContentRule{"B010", Severity::Info, Reads::Nothing, Fixable::Yes, "Convert it to CSR."},
    ContentRule{"B011", Severity::Warning, Reads::Values, Fixable::No,
                "Filter these cells out, unless they are meant to be there."},
    ContentRule{"B012", Severity::Info, Reads::Values, Fixable::No, ""},
    ContentRule{"B013", Severity::Warning, Reads::Values, Fixable::Yes, "Make the names unique."},
    ContentRule{"B014", Severity::Warning, Reads::Values, Fixable::Yes, "Make the names unique."},
    ContentRule{"B015", Severity::Warning, Reads::Values, Fixable::No,
                "See whether a sample was added twice; keep one of each."},
    ContentRule{"B016", Severity::Info, Reads::Values, Fixable::No,
                "Store such counts as float64 or as integers."},
    ContentRule{"B017", Severity::Warning, Reads::Values, Fixable::No,
                "Normalize X, or leave raw out."},
    ContentRule{"B018", Severity::Warning, Reads::Values, Fixable::No, ""},
    ContentRule{"B019", Severity::Warning, Reads::Values, Fixable::No,
                "Compute it again; until then these places are left out of plots."},
    ContentRule{"B020", Severity::Info, Reads::Values, Fixable::No, ""},
    ContentRule{"B022", Severity::Info, Reads::Values, Fixable::No, ""},
    ContentRule{"B023", Severity::Warning, Reads::Nothing, Fixable::No, ""},
    ContentRule{"B024", Severity::Warning, Reads::Nothing, Fixable::No,
                "For R, write the file in several parts."},
    ContentRule{"B025", Severity::Info, Reads::Values, Fixable::No,
                "Look at this cell: it may be several, or none."},
    ContentRule{"B026", Severity::Info, Reads::Values, Fixable::Yes,
                "Drop them; colours are kept in step."},
    ContentRule{"B027", Severity::Info, Reads::Values, Fixable::No, ""},
    ContentRule{"B028", Severity::Warning, Reads::Nothing, Fixable::No,
                "Remove the colours: programs then choose their own."},
    ContentRule{"B029", Severity::Info, Reads::Values, Fixable::No,
                "Convert it to the smaller type."},
};

std::vector<std::string> idsOf(Reads reads)
{
    std::vector<std::string> result;
    for (const ContentRule& rule : kRules)
        if (rule.reads == reads)
            result.emplace_back(rule.id);
    return result;
}

} // namespace

Finding ruleFinding(std::string_view id, const std::string& elementPath, std::string message)
{
    const auto rule =
        std::find_if(kRules.begin(), kRules.end(), [id](const auto& r) { return r.id == id; });
    if (rule == kRules.end())
        return makeFinding(id, findingElement(elementPath), std::move(message));
    Finding finding;
    finding.id = std::string(id);
    finding.severity = rule->severity;
    finding.element = findingElement(elementPath);
    finding.message = std::move(message);
    finding.fix = std::string(rule->fix);
    finding.fixable = rule->fixable == Fixable::Yes;
    return finding;
}

const std::vector<std::string>& quickContentRuleIds()
{
    static const std::vector<std::string> ids = idsOf(Reads::Nothing);
    return ids;
}

const std::vector<std::string>& contentRuleIds()
{
    static const std::vector<std::string> ids = idsOf(Reads::Values);
    return ids;
}

} // namespace cellfolio
