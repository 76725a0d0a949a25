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

// What could stand where the caret is in a filter expression (CLI.md §2.4), as far as the text
// before it says. Positions count QChars of the text.
struct CompletionPlace {
    enum class Kind {
        None,      // nothing to offer: a number, a regular expression, plain text
        Word,      // a column, a function or a word of the language
        Category,  // a value of `column`
        Gene,      // a gene of X
        RawGene,   // of raw
        Layer,     // the name of a layer
        ObsmKey,   // the name of an array in obsm
        Selection, // the name of a selection or view
    };
    Kind kind = Kind::None;
    int from = 0; // what a completion replaces: [from, to)
    int to = 0;
    QString typed;      // of it, before the caret, without quotes
    bool inText = false; // between double quotes
    const Element* column = nullptr; // of a category
};

CompletionPlace completionPlace(const QString& text, int caret, const Element& table);

struct Completion {
    QString shown;
    QString note;   // "10 categories", "gene", "240 cells"
    QString insert; // for [from, to); the caret goes behind it
    QString icon;
};

struct CompletionQuery {
    CompletionPlace place;
    QString text; // the whole expression
    std::shared_ptr<const Dataset> dataset;
    const Element* table = nullptr;      // whose rows the expression chooses
    const Element* symbols = nullptr;    // column of var with gene symbols; may be null
    const Element* rawSymbols = nullptr; // of raw/var
    QStringList selections;              // names for selection("…")
    bool asked = false; // by hand: also where nothing has been typed yet
    std::size_t most = 10;
};

// The best completions first: what begins with what was typed, then what holds it; case does not
// matter. Blocking where categories or names are read; empty where there is nothing to offer.
Result<std::vector<Completion>> completionsFor(const CompletionQuery& query,
                                               const std::shared_ptr<Reading>& reading,
                                               std::stop_token stop = {});

} // namespace cellfolio
