// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export_run.h"

#include "core/anndata/rules.h"

namespace cellfolio {

std::optional<Selection> ExportRun::along(const Element& element, std::size_t dimension) const
{
    const Selection* selection = options.along(element, dimension);
    return selection == nullptr || selection->isAll() ? std::nullopt : std::optional(*selection);
}

bool ExportRun::isWhole(const Element& element) const
{
    return !along(element, 0) && !along(element, 1);
}

bool ExportRun::wants(const std::string& path) const
{
    return options.wants(path);
}

Result<void> ExportRun::mayGoOn() const
{
    return context.stop.stop_requested() ? Result<void>(Error::cancelled()) : Result<void>();
}

Finding& ExportRun::found(std::string_view rule, const std::string& path, std::string message)
{
    result.findings.push_back(exportFinding(rule, path, std::move(message)));
    result.findings.back().fixable = false;
    return result.findings.back();
}

void ExportRun::drop(const Element& element, const std::string& why, std::string_view rule)
{
    Finding& finding = found(rule, element.path, "\"" + element.path + "\" is left out: " + why);
    finding.severity = Severity::Warning;
    finding.fix.clear();
    did(element.path, Action::Dropped);
}

Finding exportFinding(std::string_view rule, const std::string& path, std::string message)
{
    if (rule.starts_with('A'))
        return makeFinding(rule, path, std::move(message));
    Finding finding;
    finding.id = std::string(rule);
    finding.severity = Severity::Warning;
    finding.element = path;
    finding.message = std::move(message);
    return finding;
}

Selection partOf(const std::optional<Selection>& selection, Index extent, Index first, Index count)
{
    return selection ? selection->part(first, count) : Selection::of(extent, Slice{first, 1, count});
}

} // namespace cellfolio
