// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/dataset.h"

#include "core/anndata/dataset_builder.h"
#include "core/base/text.h"

#include <filesystem>
#include <system_error>

namespace cellfolio {

namespace {

struct Location {
    std::filesystem::path path;
    std::string inside;
};

// A file whose own name holds "::" wins; else the longest name that is there.
Location splitLocation(const std::string& location)
{
    const auto exists = [](const std::string& name) {
        std::error_code error;
        return std::filesystem::exists(std::filesystem::path(name), error);
    };
    if (exists(location))
        return {location, ""};
    for (std::size_t mark = location.rfind("::"); mark != std::string::npos && mark > 0;
         mark = location.rfind("::", mark - 1))
        if (exists(location.substr(0, mark)))
            return {location.substr(0, mark), location.substr(mark + 2)};
    const std::size_t mark = location.find("::");
    if (mark == std::string::npos || mark == 0)
        return {location, ""};
    return {location.substr(0, mark), location.substr(mark + 2)};
}

void collect(const Element& element, std::vector<const Element*>& all)
{
    for (const auto& child : element.children) {
        all.push_back(child.get());
        collect(*child, all);
    }
}

// "raw.X/data" is "raw/X/data" of the old layout.
std::string modernPath(std::string path)
{
    for (const char* old : {"raw.X", "raw.var", "raw.varm"}) {
        const std::string_view name(old);
        const bool whole =
            path.size() == name.size() || (path.size() > name.size() && path[name.size()] == '/');
        if (whole && path.compare(0, name.size(), name) == 0) {
            path[3] = '/';
            break;
        }
    }
    return path;
}

// Comparing with more names than this would take longer than a person waits.
constexpr std::size_t kMostCompared = 5000;

} // namespace

std::string_view nameOf(FileFormat format)
{
    switch (format) {
    case FileFormat::H5ad:
        return "h5ad";
    case FileFormat::H5mu:
        return "h5mu";
    case FileFormat::TenX:
        return "10x";
    case FileFormat::Loom:
        return "loom";
    }
    return "h5ad";
}

Result<std::shared_ptr<const Dataset>> Dataset::open(const std::string& location)
{
    Location where = splitLocation(location);
    auto file = hdf5::File::open(where.path);
    if (!file)
        return std::move(file).error();
    const hdf5::Object* root = &(*file)->root();
    return DatasetBuilder::build({std::move(*file), root, location, std::move(where.inside)});
}

std::vector<const Element*> Dataset::elements() const
{
    std::vector<const Element*> all;
    collect(*m_root, all);
    return all;
}

Result<const Element*> Dataset::find(std::string_view path) const
{
    if (!path.empty() && path.front() == '/')
        path.remove_prefix(1);
    while (!path.empty() && path.back() == '/')
        path.remove_suffix(1);
    if (path.empty())
        return m_root.get();
    const std::string wanted(path);
    if (const auto found = m_byPath.find(wanted); found != m_byPath.end())
        return found->second;
    if (const auto found = m_byPath.find(modernPath(wanted)); found != m_byPath.end())
        return found->second;

    // Names beside the one that is missing are nearer than any elsewhere.
    std::vector<std::string> names;
    std::string parent = wanted;
    while (names.empty() && !parent.empty()) {
        const std::size_t slash = parent.rfind('/');
        parent = slash == std::string::npos ? "" : parent.substr(0, slash);
        const auto holder = m_byPath.find(parent);
        if (holder != m_byPath.end())
            for (const auto& child : holder->second->children)
                if (names.size() < kMostCompared)
                    names.push_back(child->path);
    }
    Error error(ErrorCode::NotFound, "There is no \"" + wanted + "\" in this file.");
    return std::move(error).at(wanted).suggest(nearest(wanted, names));
}

const Element* Dataset::namesOf(const Element& element, int dimension) const noexcept
{
    const std::optional<Axis> axis = dimension == 0   ? element.firstAxis
                                     : dimension == 1 ? element.secondAxis
                                                      : std::nullopt;
    if (!axis)
        return nullptr;
    const Element* dataSet = &element;
    while (dataSet && !dataSet->isDataSet)
        dataSet = dataSet->parent;
    if (dataSet && *axis == Axis::Var && element.ofRaw)
        dataSet = dataSet->child("raw");
    const Element* table = dataSet ? dataSet->child(*axis == Axis::Obs ? "obs" : "var") : nullptr;
    return table && table->kind == ElementKind::Table ? table : nullptr;
}

} // namespace cellfolio
