// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/value_json.h"

#include "app/cli/awkward_reader.h"
#include "app/cli/grid_reader.h"
#include "core/paging/array_reader.h"

#include <algorithm>

namespace cellfolio::cli {
namespace {

// The whole of an element, for what lies inside a mapping.
ChosenAxes wholeAxes(const Element& element)
{
    ChosenAxes axes;
    for (const Index length : selectableShape(element)) {
        ChosenAxis axis;
        axis.selection = Selection::all(length);
        axes.axes.push_back(std::move(axis));
    }
    return axes;
}

Index valueCount(const Element& element)
{
    Index count = 1;
    for (const Index extent : element.shape.value_or(std::vector<Index>())) {
        if (extent > 0 && count > std::numeric_limits<Index>::max() / extent)
            return std::numeric_limits<Index>::max();
        count *= extent;
    }
    return count;
}

void writeSummary(JsonWriter& json, const Element& element)
{
    json.beginObject();
    json.member("shape", element.shape.value_or(std::vector<Index>()));
    if (element.dtype)
        json.member("dtype", nameOf(*element.dtype));
    else
        json.memberNull("dtype");
    json.endObject();
}

// A table whose columns would each be an array too long for a mapping.
void writeTableSummary(JsonWriter& json, const Element& table)
{
    const auto columns = columnsOf(table);
    json.beginObject();
    json.member("shape", std::vector<Index>{table.rows, narrow<Index>(columns.size())});
    json.memberNull("dtype");
    json.key("columns");
    json.beginArray();
    for (const Element* column : columns)
        json.text(column->name);
    json.endArray();
    json.endObject();
}

Error cannotShow(const Element& element)
{
    if (element.whyNot)
        return *element.whyNot;
    if (element.kind == ElementKind::Link)
        return Error(ErrorCode::NotFound, "It is a link to " + element.linkTarget
                                              + ", which is listed and not followed.")
            .at(element.path)
            .advise("Open the file it points to.");
    return Error(ErrorCode::UnsupportedEncoding, "It is stored in a way that cannot be shown.")
        .at(element.path);
}

Result<void> writeScalar(Session& session, const Element& element)
{
    auto values = ArrayReader(element.values, session.reading, element.path).all(session.stop);
    if (!values)
        return std::move(values).error();
    if (values->size() == 1)
        session.json.values(*values, 0, 1);
    else
        session.json.null();
    return {};
}

// A field of records, or the whole dataset when it is no compound, as nested lists.
Result<void> writeField(Session& session, const ArrayRef& array, const std::string& path,
                        const Selection& rows)
{
    JsonWriter& json = session.json;
    if (array.dtype() == DType::Other) {
        json.null();
        return {};
    }
    const GridReader grid = GridReader::of(array, session.reading, path);
    const std::vector<Index>& shape = grid.shape();
    Index width = 1;
    for (std::size_t d = 1; d < shape.size(); ++d)
        width *= shape[d];
    const ArrayReader reader(array, session.reading, path);
    const Index window =
        std::max<Index>(1, session.pieceBytes() / (64 * std::max<Index>(1, width)));
    json.beginArray();
    for (Index first = 0; first < rows.size(); first += window) {
        if (auto on = session.mayGoOn(); !on)
            return on;
        const Index count = std::min(window, rows.size() - first);
        auto values = reader.rows(rows.part(first, count), session.stop);
        if (!values)
            return std::move(values).error();
        for (Index r = 0; r < count; ++r) {
            if (shape.size() > 1)
                json.beginArray();
            json.values(*values, r * width, width);
            if (shape.size() > 1)
                json.endArray();
        }
    }
    json.endArray();
    return {};
}

Result<void> writeRecords(Session& session, const Element& element, const ChosenAxes& axes)
{
    JsonWriter& json = session.json;
    if (!element.values)
        return cannotShow(element);
    const auto& members = element.values.info().type.members;
    json.beginObject();
    for (std::size_t m = 0; m < members.size(); ++m) {
        ArrayRef field = element.values;
        field.member = narrow<int>(m);
        json.key(members[m].name);
        if (axes.axes.empty()) {
            // A single record: one value a field.
            auto value = ArrayReader(field, session.reading, element.path).all(session.stop);
            if (!value)
                return std::move(value).error();
            if (value->size() == 1)
                json.values(*value, 0, 1);
            else
                json.null();
            continue;
        }
        if (auto written = writeField(session, field, element.path + "/" + members[m].name,
                                      axes.rows());
            !written)
            return written;
    }
    json.endObject();
    return {};
}

Result<void> writeAny(const ViewRequest& request, bool inMapping);

Result<void> writeMapping(const ViewRequest& request)
{
    JsonWriter& json = request.session.json;
    json.beginObject();
    for (const auto& child : request.element().children) {
        if (auto on = request.session.mayGoOn(); !on)
            return on;
        json.key(child->name);
        const Target target{request.target.dataset, child.get()};
        const ChosenAxes axes = wholeAxes(*child);
        if (auto written = writeAny({request.session, target, axes}, true); !written)
            return written;
    }
    json.endObject();
    return {};
}

Result<void> writeNestedTable(const ViewRequest& request)
{
    JsonWriter& json = request.session.json;
    ChosenAxis index = request.axes.axes[0];
    index.names = &request.element();
    json.beginObject();
    json.member("shape",
                std::vector<Index>{request.axes.rows().size(), request.axes.columns().size()});
    if (auto names = writeAxisJson(request.session, request.target, index, "index"); !names)
        return names;
    json.key("columns");
    if (auto columns = writeTableColumnsJson(request.session, request.target, request.columns(),
                                             request.axes.rows());
        !columns)
        return columns;
    json.endObject();
    return {};
}

// A thing inside a mapping that cannot be shown does not keep the rest away: it says why.
void writeWhyNot(JsonWriter& json, const Element& element)
{
    json.beginObject();
    json.member("kind", nameOf(element.kind));
    if (element.kind == ElementKind::Link) {
        json.key("link");
        json.beginObject();
        json.member("type", element.linkType);
        json.member("target", element.linkTarget);
        json.endObject();
    }
    json.member("why", cannotShow(element).message());
    json.endObject();
}

Result<void> writeAny(const ViewRequest& request, bool inMapping)
{
    const Element& element = request.element();
    Session& session = request.session;
    JsonWriter& json = session.json;
    const bool showable = element.readable && element.kind != ElementKind::Unknown
                       && element.kind != ElementKind::Link;
    if (!showable) {
        if (!inMapping)
            return cannotShow(element);
        writeWhyNot(json, element);
        return {};
    }
    switch (element.kind) {
    case ElementKind::Scalar:
        return writeScalar(session, element);
    case ElementKind::Null:
        json.null();
        return {};
    case ElementKind::Mapping:
        return writeMapping(request);
    case ElementKind::Records:
        if (inMapping && valueCount(element) > kValuesInMapping) {
            writeSummary(json, element);
            return {};
        }
        return writeRecords(session, element, request.axes);
    case ElementKind::Table:
        if (inMapping && element.rows > kValuesInMapping) {
            writeTableSummary(json, element);
            return {};
        }
        return writeNestedTable(request);
    case ElementKind::Awkward: {
        auto reader = AwkwardReader::open(element, session.reading);
        if (!reader && inMapping) {
            writeSummary(json, element);
            return {};
        }
        if (!reader)
            return std::move(reader).error();
        json.beginArray();
        const Selection& rows = request.axes.rows();
        for (Index k = 0; k < rows.size(); ++k) {
            if (auto row = reader->writeRow(json, rows[k], session.stop); !row)
                return row;
        }
        json.endArray();
        return {};
    }
    case ElementKind::Matrix:
    case ElementKind::Array:
        if (request.axes.axes.empty())
            return writeScalar(session, element);
        if (inMapping && valueCount(element) > kValuesInMapping) {
            writeSummary(json, element);
            return {};
        }
        return writeGridJson(request);
    case ElementKind::Column:
        return writeColumnValuesJson(session, request.target, element, request.axes.rows());
    case ElementKind::Link:
    case ElementKind::Unknown:
        break;
    }
    return cannotShow(element);
}

} // namespace

Result<void> writeValueJson(const ViewRequest& request)
{
    request.session.json.key("value");
    return writeAny(request, false);
}

} // namespace cellfolio::cli
