// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_task.h"
#include "widgets/models/dataset_summary.h"

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <optional>
#include <utility>
#include <vector>

namespace cellfolio {

// For whom a view is exported; the first question of the dialog.
enum class Audience { Python, Seurat, RObject, CellxGene, Table, TenX, Numpy, Loom };

struct AudienceText {
    Audience audience;
    QString icon;
    QString name; // "Python"
    QString what; // "every element"
};
const std::vector<AudienceText>& audiences();
const AudienceText& textOf(Audience audience);
// "python", "seurat", "r", "cellxgene", "table", "10x", "numpy", "loom".
std::optional<Audience> audienceNamed(const QString& name);

// How a view is to be exported, as the dialog has it. A value.
struct ExportChoice {
    Audience audience = Audience::Python;
    // For those who take one element; empty: none of them.
    QString element;
    QString form;                      // ending of the new file, ".csv" …; "" for a folder
    // For h5ad.
    QStringList without;               // elements that are left out
    bool keepEncodings = false;        // of Python: nothing is brought up to date
    bool fromRaw = false;              // raw becomes X
    bool dropUnused = false;
    Storage storage = Storage::None;   // of X and layers; None: as they are
    QString compression;               // as the command line names it; empty: as it is
    // For all.
    QString split; // column of obs
    QString target;
    bool overwrite = false;

    FileKind kind() const;
    Profile profile() const;
    bool isH5ad() const { return kind() == FileKind::H5ad; }
    bool hasElement() const;
    bool makesFolder() const { return kind() == FileKind::Mtx || kind() == FileKind::Seurat; }
    // Of the forms that the audience can take; the first is the usual one.
    static std::vector<std::pair<QString, QString>> formsOf(Audience audience); // ending, words

    // What core is asked for.
    ExportTask task(const DatasetView& view) const;
};

// Elements that the audience can take one of, the likeliest first: counts for readers of 10x, obs for
// a table. `holds`: what is known of the matrices.
QStringList elementsFor(Audience audience, const Dataset& dataset, const std::vector<KnownHolds>& holds);

// What of a view a command line can say.
struct ViewWords {
    QStringList options; // "--where", "n_genes > 500" …
    QString problem;     // why it cannot say it, and what to do; empty: it can
};

// The same on the command line, quoted for a shell; options that are as by themselves are left out.
QString commandOf(const ExportChoice& choice, const QString& file, const ViewWords& view, Index memory);
// 'a b' where a shell needs it.
QString quotedForShell(const QString& word);

// A name for the new file beside the old one: "atlas-T-cells.h5ad"; `view` may be empty. With {} where
// the choice splits.
QString proposedTarget(const ExportChoice& choice, const QString& file, const QString& view);

} // namespace cellfolio
