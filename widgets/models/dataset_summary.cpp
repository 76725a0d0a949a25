// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/dataset_summary.h"

#include "core/anndata/column_reader.h"
#include "core/paging/array_reader.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/element_text.h"
#include "widgets/models/name_search.h"

#include <QtCore/QStringList>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

// A longer title would push out what the matrices hold; the tree has all of it.
constexpr qsizetype kLongestTitle = 64;

Result<std::string> textOf(const Element* scalar, const std::shared_ptr<Reading>& reading,
                           std::stop_token stop)
{
    if (scalar == nullptr || !scalar->readable || !scalar->values || scalar->dtype != DType::String
        || scalar->values.info().count() != 1)
        return std::string();
    auto value = ArrayReader(scalar->values, reading, scalar->path).all(stop);
    if (!value)
        return std::move(value).error();
    return value->empty() ? std::string() : value->text(0);
}

Result<std::string> onlyCategory(const std::shared_ptr<const Dataset>& dataset, const Element* column,
                                 const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    if (column == nullptr || !column->readable || column->column != ColumnKind::Categorical
        || column->categoryCount != 1)
        return std::string();
    auto reader = ColumnReader::open(dataset, *column, reading);
    if (!reader)
        return std::move(reader).error();
    auto names = reader->categories(stop);
    if (!names)
        return std::move(names).error();
    return (*names)->empty() ? std::string() : (*names)->text(0);
}

} // namespace

Result<DatasetFacts> readFacts(const std::shared_ptr<const Dataset>& dataset,
                               const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    DatasetFacts facts;
    const Element* uns = dataset->root().child("uns");
    const Element* obs = dataset->obs();
    if (uns != nullptr) {
        // A title that cannot be read costs the title and nothing else; the tree shows the damage.
        if (auto title = textOf(uns->child("title"), reading, stop))
            facts.title = std::move(*title);
        if (auto organism = textOf(uns->child("organism"), reading, stop))
            facts.organism = std::move(*organism);
    }
    if (facts.organism.empty() && obs != nullptr)
        if (auto organism = onlyCategory(dataset, obs->child("organism"), reading, stop))
            facts.organism = std::move(*organism);
    if (dataset->var() != nullptr && dataset->var()->readable) {
        auto symbols = symbolColumn(dataset, *dataset->var(), reading, stop);
        if (!symbols)
            return std::move(symbols).error();
        facts.symbols = *symbols;
    }
    if (const Element* raw = dataset->raw(); raw != nullptr && raw->child("var") != nullptr
        && raw->child("var")->kind == ElementKind::Table) {
        auto symbols = symbolColumn(dataset, *raw->child("var"), reading, stop);
        if (!symbols)
            return std::move(symbols).error();
        facts.rawSymbols = *symbols;
    }
    return facts;
}

std::vector<const Element*> matricesOf(const Dataset& dataset)
{
    std::vector<const Element*> list;
    const auto add = [&](const Element* element) {
        if (element != nullptr && element->kind == ElementKind::Matrix && isShownAsMatrix(*element))
            list.push_back(element);
    };
    add(dataset.x());
    if (dataset.raw() != nullptr)
        add(dataset.raw()->child("X"));
    if (const Element* layers = dataset.root().child("layers"))
        for (const auto& layer : layers->children)
            add(layer.get());
    return list;
}

QString extentText(const Dataset& dataset)
{
    QStringList parts;
    if (dataset.nObs())
        parts.append(countedText(*dataset.nObs(), u"cell"_s, u"cells"_s));
    if (dataset.nVars())
        parts.append(countedText(*dataset.nVars(), u"gene"_s, u"genes"_s));
    return parts.join(u" × "_s);
}

QString summaryLine(const Dataset& dataset, const DatasetFacts& facts,
                    const std::vector<KnownHolds>& holds)
{
    QStringList parts;
    if (!facts.title.empty()) {
        const QString title = toQString(facts.title).simplified();
        parts.append(title.size() <= kLongestTitle ? title : title.left(kLongestTitle - 1) + u'…');
    }
    if (!facts.organism.empty())
        parts.append(toQString(facts.organism));
    if (const QString extent = extentText(dataset); !extent.isEmpty())
        parts.append(extent);
    if (dataset.x() == nullptr || dataset.x()->kind == ElementKind::Null)
        parts.append(u"no X"_s);
    for (const KnownHolds& known : holds) {
        const std::string& path = known.matrix->path;
        if (known.holds.holds == Holds::Unknown || (path != "X" && path != "raw/X"))
            continue;
        parts.append((path == "X" ? u"X: "_s : u"raw: "_s) + toQString(known.holds.text()));
    }
    if (facts.symbols != nullptr)
        parts.append(u"genes by symbol (%1)"_s.arg(toQString(facts.symbols->name)));
    return parts.join(u" · "_s);
}

} // namespace cellfolio
