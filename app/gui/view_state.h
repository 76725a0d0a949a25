// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"
#include "widgets/views/long_scroll_area.h"
#include "widgets/views/range_set.h"
#include "widgets/views/table_source.h"

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cellfolio {

// What somebody has made of the views of one file, in terms that hold for another version of it:
// names of columns and elements, rows by name and number. For a reload. Plain values.

// A row or column of the file. No name: it was not in memory, then the number alone counts.
struct NamedRow {
    Index row = -1;
    std::string name;
};

struct TableState {
    std::optional<QStringList> columns; // shown ones in their order, "" the names; none: all of them
    std::vector<std::pair<QString, int>> widths; // that were chosen: column as in `columns`, pixels
    QString sortColumn;                 // shown name; as in `columns`
    SortMark sortMark = SortMark::None;
    std::optional<RangeSet> selected; // rows of the file; none: too many to keep
    bool hadSelection = false;
    NamedRow current; // the cell with the focus
    int currentColumn = -1; // shown place
    NamedRow seen;    // a row that was in view: the focused one, else the first
    LongScrollArea::Offset offset;
};

struct MatrixState {
    std::string path;
    QString order; // column of obs; empty: the file's order
    NamedRow row; // picked ones, else the first in view
    NamedRow column;
    bool picked = false;
    LongScrollArea::Offset offset;
};

struct EmbeddingState {
    std::string path;
    QString colorBy; // column; empty: by nothing, or by a gene
    std::string geneMatrix;
    std::string gene; // as findGenes() finds it; empty: none
    TableState table;
};

struct PageState {
    QString tab; // FilePage::nameOf
    std::string valuePath; // what the tab Value showed
    TableState cells;
    TableState genes;
    MatrixState matrix;
    EmbeddingState embedding;
};

} // namespace cellfolio
