// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/paging/reading.h"

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <memory>
#include <stop_token>
#include <vector>

namespace cellfolio {

// Which of some names a file has.
struct NamesFound {
    Index found = 0;  // of the names
    Index rows = 0;   // of the table that have one of them
    QStringList lost; // the others, in their order
};

// Where names may be looked up: the rows' names, or a column of text.
struct NamePlace {
    std::shared_ptr<const Dataset> dataset;
    const Element* table = nullptr;
    const Element* column = nullptr; // null: the names of the rows
};

// Compares exactly, as an expression does. Streams the column; memory is that of the names asked
// for. Blocking.
Result<NamesFound> findListed(const NamePlace& place, const QStringList& names,
                              const std::shared_ptr<Reading>& reading, std::stop_token stop = {});

// The names in a text that somebody pasted: one a line, of which the part before a tab counts; or,
// in a single line, apart by commas, semicolons or tabs. Quotes around a name are taken off; each
// name once, in the order of the text.
QStringList listedNames(const QString& text);

} // namespace cellfolio
