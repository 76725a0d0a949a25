// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/element_text.h"

#include "widgets/bridge/cell_format.h"

#include <QtCore/QFileInfo>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

QString dtypeText(const Element& element)
{
    return element.dtype ? toQString(nameOf(*element.dtype)) : QString();
}

QString topLevel(const Element& element)
{
    const std::size_t slash = element.path.find('/');
    return toQString(std::string_view(element.path).substr(0, slash));
}

QString childrenText(const Element& element)
{
    const Index count = static_cast<Index>(element.children.size());
    const QString name = toQString(element.name);
    if (count == 0)
        return u"none"_s;
    if (name == "layers"_L1)
        return countedText(count, u"layer"_s, u"layers"_s);
    if (name == "obsm"_L1 || name == "varm"_L1)
        return countedText(count, u"array"_s, u"arrays"_s);
    if (name == "obsp"_L1 || name == "varp"_L1)
        return countedText(count, u"graph"_s, u"graphs"_s);
    return countedText(count, u"entry"_s, u"entries"_s);
}

QString columnIcon(const Element& column)
{
    switch (column.column) {
    case ColumnKind::Categorical: return u"tag"_s;
    case ColumnKind::Boolean:
    case ColumnKind::NullableBoolean: return u"check"_s;
    case ColumnKind::String:
    case ColumnKind::NullableString: return u"letter-t"_s;
    case ColumnKind::Opaque: return u"alert-triangle"_s;
    case ColumnKind::Numeric:
    case ColumnKind::NullableInteger: return u"numbers"_s;
    }
    return u"numbers"_s;
}

} // namespace

QString iconOf(const Element& element)
{
    if (element.path.empty())
        return u"file-database"_s;
    if (!element.readable)
        return u"alert-triangle"_s;
    const QString top = topLevel(element);
    switch (element.kind) {
    case ElementKind::Column: return columnIcon(element);
    case ElementKind::Matrix: return u"grid-dots"_s;
    case ElementKind::Table: return u"table"_s;
    case ElementKind::Array:
        if (top == "obsm"_L1 || top == "varm"_L1)
            return u"chart-dots"_s;
        if (top == "obsp"_L1 || top == "varp"_L1)
            return u"affiliate"_s;
        return u"grid-dots"_s;
    case ElementKind::Scalar:
        return element.dtype == DType::String ? u"letter-t"_s : u"numbers"_s;
    case ElementKind::Mapping: {
        const QString name = toQString(element.name);
        if (name == "layers"_L1)
            return u"stack-2"_s;
        if (name == "obsm"_L1 || name == "varm"_L1)
            return u"chart-dots-3"_s;
        if (name == "obsp"_L1 || name == "varp"_L1)
            return u"affiliate"_s;
        if (name == "raw"_L1)
            return u"archive"_s;
        return u"braces"_s;
    }
    case ElementKind::Records: return u"list-details"_s;
    case ElementKind::Awkward: return u"list-details"_s;
    case ElementKind::Null: return u"minus"_s;
    case ElementKind::Link: return u"link"_s;
    case ElementKind::Unknown: return u"help"_s;
    }
    return u"help"_s;
}

QString briefOf(const Element& element)
{
    switch (element.kind) {
    case ElementKind::Column:
        if (element.column == ColumnKind::Categorical && element.categoryCount)
            return countedText(*element.categoryCount, u"category"_s, u"categories"_s);
        return columnTypeText(element);
    case ElementKind::Table:
        return countedText(static_cast<Index>(element.children.size()), u"column"_s, u"columns"_s);
    case ElementKind::Matrix:
    case ElementKind::Array: {
        const QString top = topLevel(element);
        if (element.isSparse() && element.stored && (top == "obsp"_L1 || top == "varp"_L1))
            return countText(*element.stored);
        return element.shape ? shapeText(*element.shape) : dtypeText(element);
    }
    case ElementKind::Scalar: return dtypeText(element);
    case ElementKind::Mapping: {
        if (element.name != "raw")
            return childrenText(element);
        const Element* var = element.child("var");
        return var != nullptr ? countedText(var->rows, u"gene"_s, u"genes"_s) : QString();
    }
    case ElementKind::Records:
        return element.shape ? countedText(element.shape->empty() ? 1 : element.shape->front(),
                                           u"record"_s, u"records"_s)
                             : u"records"_s;
    case ElementKind::Awkward: return countedText(element.awkwardLength, u"list"_s, u"lists"_s);
    case ElementKind::Null: return u"none"_s;
    case ElementKind::Link: return u"not followed"_s;
    case ElementKind::Unknown: return element.encoding ? toQString(*element.encoding) : u"unknown"_s;
    }
    return {};
}

QString columnTypeText(const Element& column)
{
    const QString type = dtypeText(column);
    switch (column.column) {
    case ColumnKind::Numeric: return type;
    case ColumnKind::Boolean: return u"yes or no"_s;
    case ColumnKind::String: return u"text"_s;
    case ColumnKind::Categorical: return u"categories"_s;
    case ColumnKind::NullableInteger: return type + u" or none"_s;
    case ColumnKind::NullableBoolean: return u"yes, no or none"_s;
    case ColumnKind::NullableString: return u"text or none"_s;
    case ColumnKind::Opaque: return u"not readable"_s;
    }
    return type;
}

QString pathOf(const Element& element)
{
    return element.path.empty() ? u"/"_s : toQString(element.path);
}

QString storedAs(const Element& element)
{
    const QString type = dtypeText(element) + (element.bigEndian ? u" (big-endian)"_s : QString());
    switch (element.storage) {
    case Storage::Csr: return u"CSR (row by row), "_s + type;
    case Storage::Csc: return u"CSC (column by column), "_s + type;
    case Storage::Dense: return u"dense array, "_s + type;
    case Storage::Compound: return u"records"_s;
    case Storage::None: break;
    }
    if (element.kind == ElementKind::Column)
        return columnTypeText(element)
            + (element.column == ColumnKind::Categorical ? u" of "_s + type : QString());
    if (element.kind == ElementKind::Scalar)
        return u"one value, "_s + type;
    return toQString(nameOf(element.kind));
}

QString filtersOf(const hdf5::ArrayInfo& info)
{
    QStringList names;
    for (const hdf5::Filter& filter : info.filters)
        names.append(toQString(filter.text()) + (filter.decodable ? QString() : u" (not available)"_s));
    return names.isEmpty() ? u"not compressed"_s : names.join(u", "_s);
}

QString chunksOf(const hdf5::ArrayInfo& info)
{
    switch (info.layout) {
    case hdf5::Layout::Chunked: return shapeText(info.chunk);
    case hdf5::Layout::Contiguous: return u"in one piece"_s;
    case hdf5::Layout::Compact: return u"beside its description"_s;
    case hdf5::Layout::Virtual: return u"in other files (virtual)"_s;
    }
    return {};
}

std::vector<ArrayRef> arraysOf(const Element& element)
{
    std::vector<ArrayRef> arrays;
    const auto add = [&](const ArrayRef& array) {
        if (array && std::none_of(arrays.begin(), arrays.end(),
                                  [&](const ArrayRef& known) { return known.object == array.object; }))
            arrays.push_back(array);
    };
    add(element.values);
    for (const ElementPart& part : element.parts)
        add(part.array);
    return arrays;
}

bool isShownAsMatrix(const Element& element)
{
    if (!element.readable || (element.kind != ElementKind::Matrix && element.kind != ElementKind::Array))
        return false;
    if (!element.dtype || !isReal(*element.dtype) || !element.shape)
        return false;
    return element.isSparse() || element.shape->size() == 2
        || (element.kind == ElementKind::Matrix && element.shape->size() == 1);
}

bool isPlottable(const Element& element, Index obs)
{
    if (!element.readable)
        return false;
    if (element.kind == ElementKind::Table) {
        const auto numbers = std::count_if(
            element.children.begin(), element.children.end(), [](const auto& column) {
                return column->readable && column->column == ColumnKind::Numeric && column->dtype
                    && isReal(*column->dtype);
            });
        return element.rows == obs && numbers >= 2;
    }
    return element.kind == ElementKind::Array && element.storage == Storage::Dense && element.dtype
        && isReal(*element.dtype) && element.shape && element.shape->size() == 2
        && element.values.shape().size() == 2 && (*element.shape)[0] == obs
        && (*element.shape)[1] >= 2;
}

QString fileNameOf(const Dataset& dataset)
{
    return QFileInfo(QString::fromStdString(dataset.file().path().string())).fileName();
}

} // namespace cellfolio
