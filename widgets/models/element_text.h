// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"

#include <QtCore/QString>

// What the tree, the inspector and the tabs say about an element, in words that a biologist reads.
namespace cellfolio {

// Name of a bundled icon.
QString iconOf(const Element& element);
// What stands at the right of its row: "700 × 765", "10 categories", "CSR float32", "8 columns".
QString briefOf(const Element& element);
// "categories", "whole numbers (int64)", "text", "yes or no" …; for a column.
QString columnTypeText(const Element& column);
// Its path as people say it: "obs/cell_type"; the file's name for the root.
QString pathOf(const Element& element);
// "CSR (stored cell by cell), float32", "dense float64 array" …
QString storedAs(const Element& element);
// "gzip:4, shuffle"; "none" where there is none.
QString filtersOf(const hdf5::ArrayInfo& info);
// "10,000 × 50" or "in one piece".
QString chunksOf(const hdf5::ArrayInfo& info);

// The stored arrays behind it, each once.
std::vector<ArrayRef> arraysOf(const Element& element);

// Whether a tab can show it.
bool isShownAsMatrix(const Element& element);
// Whether it can be drawn as a map of the cells.
bool isPlottable(const Element& element, Index obs);

// The data set's own title, or the file's name.
QString fileNameOf(const Dataset& dataset);

} // namespace cellfolio
