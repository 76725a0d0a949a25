// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/element_json.h"

#include "app/cli/element_axes.h"

namespace cellfolio::cli {
namespace {

bool isArrayLike(const Element& element)
{
    switch (element.kind) {
    case ElementKind::Matrix:
    case ElementKind::Array:
    case ElementKind::Scalar:
    case ElementKind::Records:
    case ElementKind::Column:
    case ElementKind::Awkward:
        return true;
    default:
        return false;
    }
}

void writeChunks(JsonWriter& json, const hdf5::ArrayInfo& array)
{
    if (array.layout == hdf5::Layout::Chunked)
        json.member("chunks", array.chunk);
    else
        json.memberNull("chunks");
    json.key("filters");
    json.beginArray();
    for (const hdf5::Filter& filter : array.filters)
        json.text(filter.text());
    json.endArray();
}

void writeDtype(JsonWriter& json, std::string_view key, std::optional<DType> dtype)
{
    if (dtype && *dtype != DType::Other)
        json.member(key, nameOf(*dtype));
    else
        json.memberNull(key);
}

void writeParts(JsonWriter& json, const Element& element)
{
    if (element.parts.empty())
        return;
    json.key("parts");
    json.beginArray();
    for (const ElementPart& part : element.parts) {
        if (!part.array)
            continue;
        json.beginObject();
        json.member("name", part.name);
        writeDtype(json, "dtype", part.array.dtype());
        json.member("shape", part.array.shape());
        writeChunks(json, part.array.info());
        json.endObject();
    }
    json.endArray();
}

void writeColumnMembers(JsonWriter& json, const Element& element)
{
    json.member("column", nameOf(element.column));
    if (element.column == ColumnKind::Categorical) {
        json.member("categories", element.categoryCount);
        json.member("ordered", element.ordered);
    }
}

void writeTableMembers(JsonWriter& json, const Element& element)
{
    if (element.index || !element.indexName.empty())
        json.member("index", element.indexName);
    else
        json.memberNull("index");
    json.key("columns");
    json.beginArray();
    for (const Element* column : columnsOf(element))
        json.text(column->name);
    json.endArray();
}

void writeLink(JsonWriter& json, const Element& element)
{
    json.key("link");
    if (element.linkType.empty()) {
        json.null();
        return;
    }
    json.beginObject();
    json.member("type", element.linkType);
    json.member("target", element.linkTarget);
    json.endObject();
}

// The datasets behind an element, those of a table its columns' and index's.
std::vector<const ArrayRef*> arraysOf(const Element& element)
{
    std::vector<const ArrayRef*> arrays;
    if (element.values)
        arrays.push_back(&element.values);
    for (const ElementPart& part : element.parts) {
        if (part.array)
            arrays.push_back(&part.array);
    }
    return arrays;
}

Result<void> writeStorage(Session& session, const std::shared_ptr<const Dataset>& dataset,
                          const Element& element)
{
    JsonWriter& json = session.json;
    if (element.storage == Storage::None)
        json.memberNull("storage");
    else
        json.member("storage", nameOf(element.storage));
    if (element.isSparse())
        json.member("stored", element.stored);
    if (element.indices)
        writeDtype(json, "indices_dtype", element.indices.dtype());
    if (element.indptr)
        writeDtype(json, "indptr_dtype", element.indptr.dtype());
    if (element.values)
        writeChunks(json, element.values.info());
    writeParts(json, element);
    auto bytes = storedBytes(session, *dataset, element);
    if (!bytes)
        return std::move(bytes).error();
    json.member("stored_bytes", *bytes);
    return {};
}

} // namespace

std::optional<HoldsResult> holdsOf(Session& session, const std::shared_ptr<const Dataset>& dataset,
                                   const Element& element)
{
    if (element.kind != ElementKind::Matrix || !element.readable)
        return std::nullopt;
    auto holds = sampleHolds(dataset, element, session.reading, session.stop);
    // A matrix that cannot be read is named by its finding; `info` still tells the rest.
    if (!holds || holds->holds == Holds::Unknown)
        return std::nullopt;
    return std::move(*holds);
}

Result<std::optional<Index>> storedBytes(Session& session, const Dataset& dataset,
                                         const Element& element)
{
    const auto arrays = arraysOf(element);
    if (arrays.empty())
        return std::optional<Index>();
    const bool asked = session.arguments.has("sizes");
    Index total = 0;
    for (const ArrayRef* array : arrays) {
        if (!asked && array->info().layout == hdf5::Layout::Chunked)
            return std::optional<Index>();
        auto bytes = dataset.file().storedBytes(*array->object, session.stop);
        if (!bytes)
            return std::move(bytes).error();
        total += *bytes;
    }
    return std::optional<Index>(total);
}

Result<void> writeElementJson(Session& session, const std::shared_ptr<const Dataset>& dataset,
                              const Element& element)
{
    JsonWriter& json = session.json;
    json.beginObject();
    json.member("path", element.path);
    json.member("kind", nameOf(element.kind));
    json.member("encoding", element.encoding);
    json.member("version", element.version);
    if (element.shape)
        json.member("shape", *element.shape);
    else
        json.memberNull("shape");
    if (element.kind == ElementKind::Table) {
        writeTableMembers(json, element);
    } else if (isArrayLike(element)) {
        writeDtype(json, "dtype", element.dtype);
        if (element.bigEndian)
            json.member("byteorder", "big");
        if (element.kind == ElementKind::Column)
            writeColumnMembers(json, element);
        if (auto written = writeStorage(session, dataset, element); !written)
            return written;
    }
    if (element.kind == ElementKind::Awkward)
        json.member("length", element.awkwardLength);
    if (const auto holds = holdsOf(session, dataset, element)) {
        json.member("holds", nameOf(holds->holds));
        if (holds->total)
            json.member("holds_total", *holds->total);
    }
    writeLink(json, element);
    if (!element.aliasOf.empty())
        json.member("alias_of", element.aliasOf);
    if (!element.readable && element.whyNot)
        json.member("why_not", element.whyNot->message());
    json.endObject();
    return {};
}

} // namespace cellfolio::cli
