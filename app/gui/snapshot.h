// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/style/theme.h"

#include <QtCore/QSize>
#include <QtCore/QString>
#include <QtCore/QStringList>

#include <optional>

namespace cellfolio {

class Program;

// A picture of the window without a screen.
struct SnapshotOptions {
    QString output;
    QString file;       // empty: the start page
    QString tab;        // cells, genes, matrix, embedding, findings; empty: what opens first
    QString colorBy;    // column of obs
    QString gene;       // or a gene, found as the gene box finds it
    QString geneMatrix; // of this matrix; empty: X
    QString element;    // an element to show
    QStringList where;    // filter expressions over obs, one after the other
    QStringList whereVar; // and over var
    bool filters = false; // the dock with the filter cards
    QStringList cards;    // columns of obs or var that have one
    bool jobs = false;    // the dock with the jobs
    QString exportFor;    // the export dialog for this audience: python, seurat …
    QString exportTo;     // its new file; empty: as the dialog proposes
    bool runExport = false; // and its job has run
    QSize size = {1280, 800};
    int waitSeconds = 120;
};

// Opens, waits until the first screen is filled, draws, writes. Returns the exit code of the command
// line's contract; says on standard error what went wrong. A file that cannot be opened is drawn as
// the window shows it, and ends with the code of its error.
int takeSnapshot(Program& program, const SnapshotOptions& options);

// "1280x800"; none where it is no size between 320 and 8000.
std::optional<QSize> parseSize(const QString& text);

} // namespace cellfolio
