// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/content_rules.h"

#include "core/anndata/rules.h"

#include <array>

namespace cellfolio {

namespace {

struct ContentRule {
    std::string_view id;
    Severity severity;
    bool fixable;
    std::string_view fix;
};

constexpr std::array kRules{
    ContentRule{"B006", Severity::Warning, true, "Canonicalize the file: it sorts them."},
    ContentRule{"B007", Severity::Warning, true,
                "Canonicalize the file: it adds them up, after showing the first ones."},
    ContentRule{"B013", Severity::Warning, true, "Make the names unique."},
    ContentRule{"B014", Severity::Warning, true, "Make the names unique."},
    ContentRule{"B019", Severity::Warning, false,
                "Compute it again; until then these places are left out of plots."},
};

} // namespace

Finding ruleFinding(std::string_view id, const std::string& elementPath, std::string message)
{
    for (const ContentRule& rule : kRules) {
        if (rule.id != id)
            continue;
        Finding finding;
        finding.id = std::string(id);
        finding.severity = rule.severity;
        finding.element = findingElement(elementPath);
        finding.message = std::move(message);
        finding.fix = std::string(rule.fix);
        finding.fixable = rule.fixable;
        return finding;
    }
    return makeFinding(id, findingElement(elementPath), std::move(message));
}

const std::vector<std::string>& contentRuleIds()
{
    static const std::vector<std::string> ids = [] {
        std::vector<std::string> result;
        for (const ContentRule& rule : kRules)
            result.emplace_back(rule.id);
        return result;
    }();
    return ids;
}

const std::vector<std::string>& missingRuleIds()
{
    static const std::vector<std::string> ids{
        "B001", "B002", "B003", "B004", "B005", "B007o", "B008", "B009", "B010", "B011",
        "B012", "B015", "B016", "B017", "B018", "B020",  "B022", "B023", "B024", "B025",
        "B026", "B027", "B028", "B029"};
    return ids;
}

} // namespace cellfolio
