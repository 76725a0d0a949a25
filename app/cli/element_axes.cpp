// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/element_axes.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"

#include <algorithm>

namespace cellfolio::cli {
namespace {

// The table with the names along a dimension. Columns take their table's; a table outside obs and
// var has its own.
const Element* namesOf(const Dataset& dataset, const Element& element, std::size_t dimension)
{
    if (element.kind == ElementKind::Table && dimension == 1)
        return nullptr;
    if (const Element* names = dataset.namesOf(element, static_cast<int>(dimension)))
        return names;
    if (dimension > 0)
        return nullptr;
    if (element.kind == ElementKind::Table)
        return &element;
    if (element.kind == ElementKind::Column && element.parent != nullptr
        && element.parent->kind == ElementKind::Table)
        return element.parent;
    return nullptr;
}

std::string keyOf(const Element& element, std::size_t dimension, const Element* names)
{
    if (const auto axis = axisOf(element, dimension))
        return *axis == Axis::Obs ? "obs" : "var";
    return names != nullptr ? "index" : "";
}

// What a sentence calls the axis.
std::string axisTitle(const Element& element, std::size_t dimension, const ChosenAxis& axis)
{
    if (axis.names != nullptr)
        return axis.names->path.empty() ? element.path : axis.names->path;
    if (element.kind == ElementKind::Table && dimension == 1)
        return "the columns of " + element.path;
    return (dimension == 0 ? "the first axis of " : "the second axis of ") + element.path;
}

NameScan scanOf(Session& session, const Target& target, const ChosenAxis& axis)
{
    return [&session, &target, axis](const NameVisitor& visit) -> Result<void> {
        const Index total = axis.selection.size();
        for (Index first = 0; first < total; first += kNamesWindow) {
            if (auto on = session.mayGoOn(); !on)
                return on;
            auto names =
                axisNames(session, target, axis, first, std::min(kNamesWindow, total - first));
            if (!names)
                return std::move(names).error();
            for (std::size_t i = 0; i < names->size(); ++i) {
                if (!visit(first + narrow<Index>(i), (*names)[i]))
                    return {};
            }
        }
        return {};
    };
}

NameScan scanOfColumns(const Element& table, const Selection& selection)
{
    return [&table, selection](const NameVisitor& visit) -> Result<void> {
        const auto columns = columnsOf(table);
        for (Index k = 0; k < selection.size(); ++k) {
            if (!visit(k, columns[at(selection[k])]->name))
                return {};
        }
        return {};
    };
}

bool speaksOf(const SelectionOption& option, const Element& element, std::size_t dimension)
{
    switch (option.of) {
    case SelectionOption::Of::First: return dimension == 0;
    case SelectionOption::Of::Second: return dimension == 1;
    case SelectionOption::Of::Obs: return axisOf(element, dimension) == Axis::Obs;
    case SelectionOption::Of::Var: return axisOf(element, dimension) == Axis::Var;
    }
    return false;
}

Error noSuchAxis(const SelectionOption& option, const Element& element)
{
    const auto sentence = [&]() -> std::string {
        switch (option.of) {
        case SelectionOption::Of::Obs: return " has no obs axis.";
        case SelectionOption::Of::Var: return " has no var axis.";
        case SelectionOption::Of::First: return " has no rows to choose from.";
        case SelectionOption::Of::Second: return " has no second axis.";
        }
        return {};
    };
    return Error(ErrorCode::NotFound,
                 (element.path.empty() ? "The file" : element.path) + sentence())
        .at(element.path.empty() ? "/" : element.path)
        .advise("--rows and --cols speak of the first and second axis, whatever they are.");
}

std::string listOf(const std::vector<Modality>& modalities)
{
    std::string text;
    for (std::size_t i = 0; i < modalities.size(); ++i)
        text += (i == 0 ? "" : i + 1 == modalities.size() ? " and " : ", ") + modalities[i].name;
    return text;
}

} // namespace

Result<Target> openTarget(const std::string& file, const std::string& elementPath)
{
    auto dataset = Dataset::open(file);
    if (!dataset)
        return std::move(dataset).error();
    const std::string& inside = (*dataset)->inside();
    const std::string path = inside.empty()        ? elementPath
                           : elementPath.empty() ? inside
                                                 : joinPath(inside, elementPath);
    auto element = (*dataset)->find(path);
    if (element)
        return Target{*dataset, *element};
    const auto& modalities = (*dataset)->modalities();
    if (!(*dataset)->isWhole() || modalities.empty() ||
        element.error().code() != ErrorCode::NotFound || splitPath(path).empty() ||
        splitPath(path).front() == "mod")
        return std::move(element).error();
    std::vector<std::string> names;
    for (const Modality& modality : modalities)
        names.push_back(modality.name);
    return Error(ErrorCode::Ambiguous,
                 "The file holds several data sets: " + listOf(modalities) + ".")
        .at("/")
        .advise("Name one behind the file, such as " + file + "::" + names.front() + ".")
        .suggest(names);
}

Result<std::string> textBehind(const std::string& path)
{
    if (path != "-")
        return readTextFile(path);
    // Kept, since a selection on both axes of a graph is resolved twice.
    static const Result<std::string> kInput = readTextFile("/dev/stdin");
    return kInput;
}

std::optional<Axis> axisOf(const Element& element, std::size_t dimension)
{
    if (element.kind == ElementKind::Column && dimension == 0 && !element.firstAxis
        && element.parent != nullptr)
        return element.parent->firstAxis;
    return dimension == 0 ? element.firstAxis : element.secondAxis;
}

Result<void> pickWithin(Session& session, const Target& target, std::size_t dimension,
                        ChosenAxis& axis, const SelectionOption& option)
{
    const Element& element = *target.element;
    SelectionAxis on;
    on.extent = axis.selection.size();
    on.element = axisTitle(element, dimension, axis);
    on.read = textBehind;
    on.most = session.pieceBytes() / narrow<Index>(sizeof(Index));
    if (axis.key == "columns")
        on.names = scanOfColumns(element, axis.selection);
    else if (axis.names != nullptr)
        on.names = scanOf(session, target, axis);
    auto inner = option.text.resolve(on);
    if (!inner)
        return std::move(inner).error();
    axis.selection = axis.selection.then(*inner);
    axis.chosen = true;
    return {};
}

Result<ChosenAxes> chooseAxes(Session& session, const Target& target,
                              const ViewOptions& options)
{
    const Element& element = *target.element;
    ChosenAxes result;
    for (const Index length : selectableShape(element)) {
        ChosenAxis axis;
        const std::size_t dimension = result.axes.size();
        axis.selection = Selection::all(length);
        axis.names = namesOf(*target.dataset, element, dimension);
        axis.key = element.kind == ElementKind::Table && dimension == 1
                     ? "columns"
                     : keyOf(element, dimension, axis.names);
        result.axes.push_back(std::move(axis));
    }
    if (auto narrowed = narrowAxes(session, target, options, result.axes); !narrowed)
        return std::move(narrowed).error();
    for (const SelectionOption& option : options.selections) {
        bool spoken = false;
        for (std::size_t dimension = 0; dimension < result.axes.size(); ++dimension) {
            if (!speaksOf(option, element, dimension))
                continue;
            spoken = true;
            if (auto picked = pickWithin(session, target, dimension, result.axes[dimension], option);
                !picked)
                return std::move(picked).error();
        }
        if (!spoken)
            return noSuchAxis(option, element);
    }
    return result;
}

std::vector<Index> selectableShape(const Element& element)
{
    switch (element.kind) {
    case ElementKind::Table:
        return {element.rows, narrow<Index>(columnsOf(element).size())};
    case ElementKind::Column:
        return {element.shape && !element.shape->empty() ? element.shape->front()
                : element.parent != nullptr              ? element.parent->rows
                                                         : 0};
    case ElementKind::Awkward:
        return {element.awkwardLength};
    case ElementKind::Matrix:
    case ElementKind::Array:
    case ElementKind::Records: {
        std::vector<Index> shape = element.shape.value_or(std::vector<Index>());
        if (shape.size() > 2)
            shape.resize(2);
        return shape;
    }
    default:
        return {};
    }
}

std::vector<const Element*> columnsOf(const Element& table)
{
    std::vector<const Element*> columns;
    for (const auto& child : table.children) {
        if (child->kind == ElementKind::Column)
            columns.push_back(child.get());
    }
    return columns;
}

bool readsAsColumn(const Element& element)
{
    if (element.kind == ElementKind::Column)
        return true;
    return element.kind == ElementKind::Array
        && (element.categories || element.mask || !element.fixedCategories.empty());
}

bool liesInUns(const Element& element)
{
    const std::vector<std::string> parts = splitPath(element.path);
    const std::size_t first = parts.size() > 2 && parts[0] == "mod" ? 2 : 0;
    return parts.size() > first && parts[first] == "uns";
}

Result<void> stillTheSame(const Dataset& dataset)
{
    if (!dataset.file().changedOnDisk())
        return {};
    return Error(ErrorCode::FileChanged,
                 "The file was changed by another program while it was read.")
        .at("/")
        .advise("Run this again when the other program is done.");
}

Result<std::vector<std::string>> axisNames(Session& session, const Target& target,
                                           const ChosenAxis& axis, Index first, Index count)
{
    const Selection part = axis.selection.part(first, count);
    if (axis.names != nullptr)
        return readNames(target.dataset, *axis.names, part, session.reading, session.stop);
    std::vector<std::string> names;
    names.reserve(at(count));
    for (Index k = 0; k < count; ++k)
        names.push_back(std::to_string(part[k]));
    return names;
}

} // namespace cellfolio::cli
