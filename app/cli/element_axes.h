// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/session.h"
#include "app/cli/view_options.h"
#include "core/anndata/dataset.h"
#include "core/select/selection.h"
#include "core/select/selection_text.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cellfolio::cli {

// Opens FILE and finds ELEMENT ("" where FILE names it behind "::"). Ambiguous, with the names,
// where the file holds several data sets and the element is none of the whole.
Result<Target> openTarget(const std::string& file, const std::string& elementPath);

// One axis of an element as it was chosen.
struct ChosenAxis {
    Selection selection;             // on the file's axis
    bool chosen = false;             // something was asked for
    const Element* names = nullptr;  // the table with its names, or null
    std::string key;                 // "obs", "var", "index"; empty where it has no name
};

// The axes of an element: its first two dimensions, fewer where it has fewer. A table's second
// axis is its columns. Fails where an option speaks of an axis that is not there, but for --view,
// of which an element follows what fits it.
struct ChosenAxes {
    std::vector<ChosenAxis> axes;

    const Selection& rows() const { return axes[0].selection; }
    const Selection& columns() const { return axes[1].selection; }
};
Result<ChosenAxes> chooseAxes(Session& session, const Target& target,
                              const ViewOptions& options);
// Narrows one axis of an element by one selection.
Result<void> pickWithin(Session& session, const Target& target, std::size_t dimension,
                        ChosenAxis& axis, const SelectionOption& option);
// What a dimension of an element runs along, if along one of the axes.
std::optional<Axis> axisOf(const Element& element, std::size_t dimension);

// The text of a file an option names; "-" is standard input, read once.
Result<std::string> textBehind(const std::string& path);

// Number of dimensions a selection may speak of, and the length of each.
std::vector<Index> selectableShape(const Element& element);
// Columns of a table, in their order.
std::vector<const Element*> columnsOf(const Element& table);
// Whether it reads as a column: a column of a table, or one that stands by itself, such as a
// categorical in uns.
bool readsAsColumn(const Element& element);
// Whether the element lies in uns.
bool liesInUns(const Element& element);

// FileChanged when the path no longer leads to the bytes that were opened: what was read may be of
// two files.
Result<void> stillTheSame(const Dataset& dataset);

// Names of part of a chosen axis; positions as text where it has none.
Result<std::vector<std::string>> axisNames(Session& session, const Target& target,
                                           const ChosenAxis& axis, Index first, Index count);
// Rows handled at once where only names are read.
constexpr Index kNamesWindow = 1 << 14;

} // namespace cellfolio::cli
