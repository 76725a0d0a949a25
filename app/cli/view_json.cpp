// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/view_json.h"

#include "app/cli/awkward_reader.h"
#include "app/cli/failure.h"
#include "app/cli/grid_reader.h"
#include "app/cli/value_json.h"
#include "core/anndata/column_reader.h"

#include <algorithm>

namespace cellfolio::cli {
namespace {

constexpr Index kColumnWindow = 1 << 15;

// One place of the first two dimensions: the value, or nested lists of the dimensions behind.
void writeNested(JsonWriter& json, const Values& values, Index first,
                 const std::vector<Index>& shape, std::size_t dimension)
{
    if (dimension >= shape.size()) {
        json.values(values, first, 1);
        return;
    }
    Index size = 1;
    for (std::size_t d = dimension + 1; d < shape.size(); ++d)
        size *= shape[d];
    json.beginArray();
    if (dimension + 1 == shape.size()) {
        json.values(values, first, shape[dimension]);
    } else {
        for (Index i = 0; i < shape[dimension]; ++i)
            writeNested(json, values, first + i * size, shape, dimension + 1);
    }
    json.endArray();
}

Result<void> writeAwkward(const ViewRequest& request)
{
    JsonWriter& json = request.session.json;
    auto reader = AwkwardReader::open(request.element(), request.session.reading);
    if (!reader)
        return std::move(reader).error();
    const Selection& rows = request.axes.rows();
    json.beginArray();
    for (Index k = 0; k < rows.size(); ++k) {
        if (auto on = request.session.mayGoOn(); !on)
            return on;
        if (auto row = reader->writeRow(json, rows[k], request.session.stop); !row)
            return row;
    }
    json.endArray();
    return {};
}

void writeShape(const ViewRequest& request)
{
    std::vector<Index> shape = request.element().shape.value_or(std::vector<Index>());
    const auto& axes = request.axes.axes;
    shape.resize(std::max(shape.size(), axes.size()));
    for (std::size_t d = 0; d < axes.size(); ++d)
        shape[d] = axes[d].selection.size();
    request.session.json.member("shape", shape);
}

// Keys and names of the axes an array follows.
Result<void> writeArrayAxes(const ViewRequest& request)
{
    const Element& element = request.element();
    const auto& axes = request.axes.axes;
    Session& session = request.session;
    if (!axes.empty() && !axes[0].key.empty()) {
        if (auto axis = writeAxisJson(session, request.target, axes[0], axes[0].key); !axis)
            return axis;
    }
    if (axes.size() < 2)
        return {};
    if (element.kind == ElementKind::Matrix)
        return writeAxisJson(session, request.target, axes[1], "var");
    session.json.key("columns");
    session.json.beginArray();
    const Index total = axes[1].selection.size();
    for (Index first = 0; first < total; first += kNamesWindow) {
        auto names = axisNames(session, request.target, axes[1], first,
                               std::min(kNamesWindow, total - first));
        if (!names)
            return std::move(names).error();
        for (const std::string& name : *names)
            session.json.text(name);
    }
    session.json.endArray();
    return {};
}

Result<void> writeArray(const ViewRequest& request)
{
    JsonWriter& json = request.session.json;
    writeShape(request);
    if (auto axes = writeArrayAxes(request); !axes)
        return axes;
    json.key("values");
    return request.element().kind == ElementKind::Awkward ? writeAwkward(request)
                                                          : writeGridJson(request);
}

Result<void> writeColumn(const ViewRequest& request)
{
    Session& session = request.session;
    const ChosenAxis& axis = request.axes.axes[0];
    writeShape(request);
    if (!axis.key.empty()) {
        if (auto names = writeAxisJson(session, request.target, axis, axis.key); !names)
            return names;
    }
    session.json.member("column", nameOf(request.element().column));
    if (request.element().column == ColumnKind::Categorical)
        session.json.member("ordered", request.element().ordered);
    session.json.key("values");
    return writeColumnValuesJson(session, request.target, request.element(), axis.selection);
}

Result<void> writeTable(const ViewRequest& request)
{
    Session& session = request.session;
    writeShape(request);
    const ChosenAxis& axis = request.axes.axes[0];
    if (auto names =
            writeAxisJson(session, request.target, axis, axis.key.empty() ? "index" : axis.key);
        !names)
        return names;
    session.json.key("columns");
    return writeTableColumnsJson(session, request.target, request.columns(), axis.selection);
}

} // namespace

std::vector<const Element*> ViewRequest::columns() const
{
    const auto all = columnsOf(element());
    std::vector<const Element*> chosen;
    const Selection& selection = axes.columns();
    for (Index k = 0; k < selection.size(); ++k)
        chosen.push_back(all[at(selection[k])]);
    return chosen;
}

Result<void> writeAxisJson(Session& session, const Target& target, const ChosenAxis& axis,
                           std::string_view key)
{
    JsonWriter& json = session.json;
    const Index total = axis.selection.size();
    json.key(key);
    json.beginArray();
    for (Index first = 0; first < total; first += kNamesWindow) {
        if (auto on = session.mayGoOn(); !on)
            return on;
        auto names = axisNames(session, target, axis, first, std::min(kNamesWindow, total - first));
        if (!names)
            return std::move(names).error();
        for (const std::string& name : *names)
            json.text(name);
    }
    json.endArray();
    json.key(std::string(key) + "_positions");
    json.beginArray();
    for (Index k = 0; k < total; ++k)
        json.integer(axis.selection[k]);
    json.endArray();
    return {};
}

Result<void> writeGridJson(const ViewRequest& request)
{
    Session& session = request.session;
    JsonWriter& json = session.json;
    if (readsAsColumn(request.element()))
        return writeColumnValuesJson(session, request.target, request.element(),
                                     request.axes.rows());
    auto grid = GridReader::open(request.target.dataset, request.element(), session.reading);
    if (!grid)
        return std::move(grid).error();
    const bool flat = grid->shape().size() == 1;
    const Selection& rows = request.axes.rows();
    const Selection columns = flat ? Selection::all(1) : request.axes.columns();
    const auto piece = grid->pieceOf(rows.size(), columns.size(), session.pieceBytes());
    const std::vector<Index>& shape = grid->shape();
    const Index inner = grid->inner();

    json.beginArray();
    for (Index row = 0; row < rows.size(); row += piece.rows) {
        const Index rowCount = std::min(piece.rows, rows.size() - row);
        // Rows wider than a piece come one at a time, in parts; others in blocks of whole rows.
        const bool whole = piece.columns >= columns.size();
        if (!whole)
            json.beginArray();
        for (Index column = 0; column == 0 || column < columns.size(); column += piece.columns) {
            if (auto on = session.mayGoOn(); !on)
                return on;
            const Index columnCount = std::min(piece.columns, columns.size() - column);
            auto values = grid->block(rows.part(row, rowCount), columns.part(column, columnCount),
                                      session.stop);
            if (!values)
                return std::move(values).error();
            for (Index r = 0; r < rowCount; ++r) {
                const Index start = r * columnCount * inner;
                if (whole && !flat)
                    json.beginArray();
                if (shape.size() <= 2) {
                    json.values(*values, start, columnCount);
                } else {
                    for (Index c = 0; c < columnCount; ++c)
                        writeNested(json, *values, start + c * inner, shape, 2);
                }
                if (whole && !flat)
                    json.endArray();
            }
        }
        if (!whole)
            json.endArray();
    }
    json.endArray();
    return {};
}

Result<void> writeColumnValuesJson(Session& session, const Target& target, const Element& column,
                                   const Selection& rows)
{
    JsonWriter& json = session.json;
    auto reader = ColumnReader::open(target.dataset, column, session.reading);
    if (!reader)
        return std::move(reader).error();
    json.beginArray();
    for (Index first = 0; first < rows.size(); first += kColumnWindow) {
        if (auto on = session.mayGoOn(); !on)
            return on;
        const Index count = std::min(kColumnWindow, rows.size() - first);
        auto part = reader->read(rows.part(first, count), session.stop);
        if (!part)
            return std::move(part).error();
        if (part->kind != ColumnKind::Categorical) {
            json.values(part->values, 0, part->size());
            continue;
        }
        for (Index i = 0; i < part->size(); ++i) {
            if (part->isMissing(i))
                json.null();
            else
                json.values(*part->categories, part->values.integer(i), 1);
        }
    }
    json.endArray();
    return {};
}

Result<void> writeTableColumnsJson(Session& session, const Target& target,
                                   const std::vector<const Element*>& columns,
                                   const Selection& rows)
{
    JsonWriter& json = session.json;
    json.beginArray();
    for (const Element* column : columns) {
        json.beginObject();
        json.member("name", column->name);
        json.member("column", nameOf(column->column));
        if (column->column == ColumnKind::Categorical)
            json.member("ordered", column->ordered);
        if (!column->readable && column->whyNot) {
            // One column that cannot be shown does not keep the rest of the table away.
            json.memberNull("values");
            json.member("why", column->whyNot->message());
        } else {
            json.key("values");
            if (auto written = writeColumnValuesJson(session, target, *column, rows); !written)
                return written;
        }
        json.endObject();
    }
    json.endArray();
    return {};
}

Result<void> writeViewJson(const ViewRequest& request)
{
    const Element& element = request.element();
    JsonWriter& json = request.session.json;
    json.member("element", element.path.empty() ? std::string("/") : element.path);
    const Index before = json.illFormedTexts();
    const auto write = [&]() -> Result<void> {
        switch (element.kind) {
        case ElementKind::Table:
            return writeTable(request);
        case ElementKind::Column:
            return writeColumn(request);
        case ElementKind::Matrix:
        case ElementKind::Array:
        case ElementKind::Awkward:
            if (!liesInUns(element))
                return writeArray(request);
            break;
        default:
            break;
        }
        return writeValueJson(request);
    };
    if (auto written = write(); !written)
        return written;
    if (const Index count = json.illFormedTexts() - before; count > 0) {
        Finding finding;
        finding.id = "A023";
        finding.severity = Severity::Error;
        finding.element = element.path;
        finding.message =
            "Some of these texts are not UTF-8; what could not be read is shown as U+FFFD.";
        finding.fix = "Re-declare them as UTF-8, or decode them as Latin-1.";
        finding.fixable = true;
        finding.count = count;
        json.key("findings");
        json.beginArray();
        writeFinding(json, finding);
        json.endArray();
    }
    return {};
}

} // namespace cellfolio::cli
