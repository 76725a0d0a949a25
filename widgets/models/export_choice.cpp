// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/export_choice.h"

#include "core/export/export_options.h"
#include "widgets/bridge/cell_format.h"

#include <QtCore/QFileInfo>
#include <QtCore/QRegularExpression>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

const std::vector<AudienceText>& audiences()
{
    static const std::vector<AudienceText> all{
        {Audience::Python, u"file-database"_s, u"Python"_s, u"every element"_s},
        {Audience::Seurat, u"folder"_s, u"R: Seurat"_s, u"a folder"_s},
        {Audience::RObject, u"file-database"_s, u"R: other"_s, u"anndataR …"_s},
        {Audience::CellxGene, u"eye"_s, u"CELLxGENE"_s, u"for the portal"_s},
        {Audience::Table, u"file-spreadsheet"_s, u"Spreadsheet"_s, u"CSV, TSV"_s},
        {Audience::TenX, u"box"_s, u"10x readers"_s, u"one matrix"_s},
        {Audience::Numpy, u"numbers"_s, u"NumPy"_s, u"one array"_s},
        {Audience::Loom, u"file-zip"_s, u"Loom"_s, u"no graphs"_s}};
    return all;
}

const AudienceText& textOf(Audience audience)
{
    return *std::find_if(audiences().begin(), audiences().end(),
                         [audience](const AudienceText& text) { return text.audience == audience; });
}

std::optional<Audience> audienceNamed(const QString& name)
{
    static const QStringList names{u"python"_s, u"seurat"_s, u"r"_s, u"cellxgene"_s, u"table"_s, u"10x"_s, u"numpy"_s, u"loom"_s};
    const qsizetype place = names.indexOf(name);
    return place < 0 ? std::nullopt : std::optional(audiences()[static_cast<std::size_t>(place)].audience);
}

std::vector<std::pair<QString, QString>> ExportChoice::formsOf(Audience audience)
{
    switch (audience) {
    case Audience::Seurat: return {{QString(), u"a folder with load_seurat.R"_s}};
    case Audience::Table:
        return {{u".csv"_s, u"CSV"_s}, {u".csv.gz"_s, u"CSV, gzip"_s}, {u".tsv"_s, u"TSV"_s}, {u".tsv.gz"_s, u"TSV, gzip"_s}};
    case Audience::TenX:
        return {{QString(), u"a folder: matrix.mtx.gz, barcodes, features"_s}, {u".h5"_s, u"one .h5 file (version 3)"_s}};
    case Audience::Numpy: return {{u".npz"_s, u".npz (sparse as SciPy reads it)"_s}, {u".npy"_s, u".npy (dense)"_s}};
    case Audience::Loom: return {{u".loom"_s, u"loom 3.0.0"_s}};
    default: return {{u".h5ad"_s, u"h5ad"_s}};
    }
}

FileKind ExportChoice::kind() const
{
    switch (audience) {
    case Audience::Seurat: return FileKind::Seurat;
    case Audience::Table: return form.startsWith(".tsv"_L1) ? FileKind::Tsv : FileKind::Csv;
    case Audience::TenX: return form == ".h5"_L1 ? FileKind::TenX : FileKind::Mtx;
    case Audience::Numpy: return form == ".npy"_L1 ? FileKind::Npy : FileKind::Npz;
    case Audience::Loom: return FileKind::Loom;
    default: return FileKind::H5ad;
    }
}

Profile ExportChoice::profile() const
{
    switch (audience) {
    case Audience::RObject: return Profile::R;
    case Audience::CellxGene: return Profile::CellxGene;
    default: return keepEncodings ? Profile::Keep : Profile::AnnData;
    }
}

bool ExportChoice::hasElement() const
{
    return audience == Audience::Table || audience == Audience::TenX || audience == Audience::Numpy;
}

ExportTask ExportChoice::task(const DatasetView& view) const
{
    ExportTask task;
    task.file.kind = kind();
    if (hasElement())
        task.file.element = toStdString(element);
    ExportOptions& options = task.file.options;
    options.view = view;
    // Genes of raw are its own: the view's say nothing of them.
    const Element* raw = view.dataset()->raw();
    if (raw != nullptr && raw->child("var") != nullptr)
        options.rawGenes = Selection::all(raw->child("var")->rows);
    options.overwrite = overwrite;
    if (isH5ad()) {
        options.profile = profile();
        options.fromRaw = fromRaw;
        options.dropUnusedCategories = dropUnused;
        options.storage = storage;
        for (const QString& path : without)
            options.without.push_back(toStdString(path));
        if (const auto chosen = hdf5::Compression::named(toStdString(compression)))
            options.storing = {Storing::As::Chosen, *chosen};
    }
    task.split = toStdString(split);
    task.output = toStdString(target);
    return task;
}

QStringList elementsFor(Audience audience, const Dataset& dataset, const std::vector<KnownHolds>& holds)
{
    QStringList paths;
    const auto add = [&paths](const Element* element) {
        if (element != nullptr && element->readable && !paths.contains(toQString(element->path)))
            paths.append(toQString(element->path));
    };
    if (audience == Audience::Table) {
        add(dataset.obs());
        add(dataset.var());
    }
    if (audience == Audience::TenX)
        for (const KnownHolds& known : holds)
            if (known.holds.holds == Holds::Counts)
                add(known.matrix);
    for (const Element* matrix : matricesOf(dataset))
        add(matrix);
    if (audience == Audience::TenX)
        return paths;
    for (const Element* element : dataset.elements()) {
        const bool grid = (element->kind == ElementKind::Array || element->kind == ElementKind::Matrix) && element->shape
                       && (element->shape->size() == 1 || element->shape->size() == 2) && element->dtype
                       && (audience == Audience::Table || isReal(*element->dtype));
        const bool table = audience == Audience::Table && element->kind == ElementKind::Table;
        if (grid || table)
            add(element);
    }
    return paths;
}

namespace {

// As parseNameList() reads it.
QString nameList(const QStringList& names)
{
    QStringList quoted;
    for (const QString& name : names)
        quoted.append(name.contains(u',') || name.contains(u'"') || name.trimmed() != name
                          ? u'"' + QString(name).replace(u'"', u"\"\""_s) + u'"'
                          : name);
    return quoted.join(u',');
}

} // namespace

QString quotedForShell(const QString& word)
{
    static const QRegularExpression plain(u"^[A-Za-z0-9_@%+=:,./-]+$"_s);
    if (plain.match(word).hasMatch())
        return word;
    return u'\'' + QString(word).replace(u'\'', u"'\\''"_s) + u'\'';
}

QString commandOf(const ExportChoice& choice, const QString& file, const ViewWords& view, Index memory)
{
    QStringList words{u"cellfolio-cli"_s, u"export"_s, file};
    words += view.options;
    const auto add = [&words](const QString& option, const QString& value) { words += {option, value}; };
    switch (choice.kind()) {
    case FileKind::Mtx: add(u"--format"_s, u"mtx"_s); break;
    case FileKind::Seurat: add(u"--format"_s, u"seurat"_s); break;
    default: break; // the ending says it
    }
    if (choice.hasElement())
        add(u"--element"_s, choice.element);
    if (choice.isH5ad()) {
        switch (choice.profile()) {
        case Profile::Keep: add(u"--profile"_s, u"keep"_s); break;
        case Profile::R: add(u"--profile"_s, u"r"_s); break;
        case Profile::CellxGene: add(u"--profile"_s, u"cellxgene"_s); break;
        default: break;
        }
        if (!choice.without.isEmpty())
            add(u"--without"_s, nameList(choice.without));
        if (choice.fromRaw)
            words += u"--from-raw"_s;
        if (choice.dropUnused)
            words += u"--drop-unused-categories"_s;
        if (choice.storage != Storage::None)
            add(u"--storage"_s, choice.storage == Storage::Csr   ? u"csr"_s
                                : choice.storage == Storage::Csc ? u"csc"_s
                                                                 : u"dense"_s);
        if (!choice.compression.isEmpty())
            add(u"--compression"_s, choice.compression);
    }
    if (!choice.split.isEmpty())
        add(u"--split"_s, choice.split);
    if (choice.overwrite)
        words += u"--overwrite"_s;
    if (memory != MemoryBudget::kCommandLineDefault)
        add(u"--memory"_s, QString::number(memory >> 20) + u'M');
    add(u"-o"_s, choice.target);
    for (QString& word : words)
        word = quotedForShell(word);
    return words.join(u' ');
}

QString proposedTarget(const ExportChoice& choice, const QString& file, const QString& view)
{
    const QFileInfo source(file);
    QString stem = source.fileName();
    for (const QString& ending : {u".h5ad"_s, u".h5mu"_s, u".h5"_s, u".hdf5"_s, u".loom"_s})
        if (stem.endsWith(ending, Qt::CaseInsensitive)) {
            stem.chop(ending.size());
            break;
        }
    QString addition = view.isEmpty() ? u"export"_s : view;
    static const QRegularExpression odd(u"[^\\w.+]+"_s, QRegularExpression::UseUnicodePropertiesOption);
    addition.replace(odd, u"-"_s);
    if (choice.hasElement() && !choice.element.isEmpty())
        addition += u'-' + QString(choice.element).replace(odd, u"-"_s);
    if (!choice.split.isEmpty())
        addition += u"-{}"_s;
    QString form = choice.form;
    if (choice.isH5ad())
        form = u".h5ad"_s;
    if (choice.audience == Audience::Loom)
        form = u".loom"_s;
    if (choice.audience == Audience::Seurat)
        addition += u"-seurat"_s;
    else if (choice.kind() == FileKind::Mtx)
        addition += u"-10x"_s;
    return source.absolutePath() + u'/' + stem + u'-' + addition + form;
}

} // namespace cellfolio
