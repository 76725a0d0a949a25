// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export_options.h"

#include <algorithm>

namespace cellfolio {

std::optional<Profile> profileNamed(std::string_view name)
{
    if (name == "keep")
        return Profile::Keep;
    if (name == "anndata")
        return Profile::AnnData;
    if (name == "r")
        return Profile::R;
    if (name == "seuratdisk")
        return Profile::SeuratDisk;
    if (name == "cellxgene")
        return Profile::CellxGene;
    return std::nullopt;
}

namespace {

// "obsm/X_pca" lies in "obsm", and "obsm" in itself.
bool liesIn(std::string_view path, std::string_view folder) noexcept
{
    return path == folder || (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/');
}

} // namespace

bool ExportOptions::wants(std::string_view path) const noexcept
{
    const auto holds = [path](const std::string& left) { return liesIn(path, left); };
    if (std::any_of(without.begin(), without.end(), holds))
        return false;
    return slots.empty() || std::any_of(slots.begin(), slots.end(), [path](const std::string& slot) {
               return liesIn(path, slot) || liesIn(slot, path);
           });
}

bool ExportOptions::converts(std::string_view path) const noexcept
{
    if (converted.empty())
        return path == "X" || path.starts_with("layers/");
    return std::find(converted.begin(), converted.end(), path) != converted.end();
}

bool ExportOptions::isPlainCopy() const noexcept
{
    return profile == Profile::Keep && view.isAll() && !fromRaw && slots.empty() && without.empty()
        && storage == Storage::None && !dtype && indexWidth == IndexWidth::Keep && storing.as == Storing::As::Source
        && storing.chunk == 0 && !dropUnusedCategories
        && view.dataset()->format() == FileFormat::H5ad;
}

const Selection* ExportOptions::along(const Element& element, std::size_t dimension) const noexcept
{
    const std::optional<Axis> axis = dimension == 0 ? element.firstAxis : element.secondAxis;
    if (!axis)
        return nullptr;
    if (*axis == Axis::Obs)
        return &view.obs();
    // The genes of raw are its own, unless they become those of the new file.
    return element.ofRaw == fromRaw ? &genes() : nullptr;
}

Result<void> ExportContext::mayCommit() const
{
    if (stop.stop_requested() || (beginCommit && !beginCommit()))
        return Error::cancelled();
    return {};
}

std::string_view nameOf(Action action)
{
    switch (action) {
    case Action::Copied: return "copied";
    case Action::Rewritten: return "rewritten";
    case Action::Converted: return "converted";
    case Action::Created: return "created";
    case Action::Dropped: return "dropped";
    }
    return "";
}

} // namespace cellfolio
