// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/sheet_export.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"
#include "core/matrix/matrix_reader.h"
#include "core/paging/array_reader.h"

#include <algorithm>

namespace cellfolio {

namespace {

constexpr Index kMostCells = Index{1} << 18; // of a window
constexpr Index kMostRows = Index{1} << 14;

std::string cornerOf(const Element& element, const std::string& wanted)
{
    if (!wanted.empty())
        return wanted;
    return !element.firstAxis ? "index" : *element.firstAxis == Axis::Obs ? "obs" : "var";
}

} // namespace

Selection SheetExport::along(const Element& element, std::size_t dimension, Index extent) const
{
    const Selection* selection = m_options.along(element, dimension);
    return selection != nullptr ? *selection : Selection::all(extent);
}

Result<std::vector<std::string>> SheetExport::names(const Element& element, int dimension, const Selection& rows) const
{
    const Element* table = element.kind == ElementKind::Table && dimension == 0
                             ? &element
                             : m_options.view.dataset()->namesOf(element, dimension);
    if (table == nullptr) {
        std::vector<std::string> numbers;
        rows.forEach([&](Index p) { numbers.push_back(std::to_string(p)); });
        return numbers;
    }
    return readNames(m_options.view.dataset(), *table, rows, m_context.reading, m_context.stop);
}

Result<void> SheetExport::write(const Element& element, TextSink& sink, const Form& form)
{
    if (element.whyNot)
        return *element.whyNot;
    switch (element.kind) {
    case ElementKind::Table: {
        std::vector<const Element*> columns;
        for (const auto& column : element.children)
            if (column->kind == ElementKind::Column)
                columns.push_back(column.get());
        return writeTable(element, columns, sink, form);
    }
    case ElementKind::Column:
        if (element.parent != nullptr && element.parent->kind == ElementKind::Table)
            return writeTable(*element.parent, {&element}, sink, form);
        break;
    case ElementKind::Matrix:
    case ElementKind::Array:
        if (element.shape && (element.shape->size() == 1 || element.shape->size() == 2))
            return writeGrid(element, sink, form);
        break;
    default:
        break;
    }
    return Error(ErrorCode::Refused, "\"" + element.path + "\" is no table and no matrix, so it cannot be written as text.")
        .at(element.path);
}

Result<void> SheetExport::writeTable(const Element& table, const std::vector<const Element*>& columns, TextSink& sink,
                                     const Form& form)
{
    const Selection rows = along(table, 0, table.rows);
    sink.cell(cornerOf(table, form.corner), form.mark);
    std::vector<std::optional<ColumnReader>> readers;
    for (const Element* column : columns) {
        sink.write(form.mark);
        sink.cell(toUtf8(column->name), form.mark);
        auto reader = ColumnReader::open(m_options.view.dataset(), *column, m_context.reading);
        if (!reader)
            return std::move(reader).error().at(column->path);
        readers.emplace_back(*std::move(reader));
    }
    sink.write('\n');
    const Index window = std::clamp<Index>(kMostCells / std::max<Index>(1, static_cast<Index>(columns.size())), 1, kMostRows);
    for (Index first = 0; first < rows.size(); first += window) {
        const Selection part = rows.part(first, std::min(window, rows.size() - first));
        auto names = this->names(table, 0, part);
        if (!names)
            return std::move(names).error();
        std::vector<ColumnValues> values;
        for (const auto& reader : readers) {
            auto read = reader->read(part, m_context.stop);
            if (!read)
                return std::move(read).error().at(reader->element().path);
            values.push_back(*std::move(read));
        }
        for (Index i = 0; i < part.size(); ++i) {
            sink.cell(toUtf8((*names)[at(i)]), form.mark);
            for (const ColumnValues& column : values) {
                sink.write(form.mark);
                sink.cell(toUtf8(column.text(i)), form.mark);
            }
            sink.write('\n');
        }
        if (auto sound = sink.check(); !sound)
            return sound;
        if (m_context.stop.stop_requested())
            return Error::cancelled();
        if (m_context.progress != nullptr)
            m_context.progress->advance(part.size() * bytesARow(columns.size()));
    }
    return {};
}

Result<void> SheetExport::writeGrid(const Element& array, TextSink& sink, const Form& form)
{
    const bool flat = array.shape->size() == 1;
    const bool text = array.dtype == DType::String;
    const Selection rows = along(array, 0, array.shape->front());
    const Selection columns = flat ? Selection::all(1) : along(array, 1, (*array.shape)[1]);
    std::shared_ptr<const MatrixReader> matrix;
    if (!text) {
        auto opened = MatrixReader::open(m_options.view.dataset(), array, m_context.reading);
        if (!opened)
            return std::move(opened).error();
        matrix = *std::move(opened);
    }
    const ArrayReader reader(array.values, m_context.reading, array.path);
    sink.cell(cornerOf(array, form.corner), form.mark);
    constexpr Index kNames = Index{1} << 14;
    for (Index first = 0; first < columns.size(); first += kNames) {
        auto heads = names(array, 1, columns.part(first, std::min(kNames, columns.size() - first)));
        if (!heads)
            return std::move(heads).error();
        for (const std::string& head : *heads) {
            sink.write(form.mark);
            sink.cell(toUtf8(head), form.mark);
        }
    }
    sink.write('\n');
    const Index window = std::clamp<Index>(kMostCells / std::max<Index>(1, columns.size()), 1, kMostRows);
    for (Index first = 0; first < rows.size(); first += window) {
        const Selection part = rows.part(first, std::min(window, rows.size() - first));
        auto labels = names(array, 0, part);
        if (!labels)
            return std::move(labels).error();
        auto values = matrix ? matrix->block(part, columns, m_context.stop)
                    : flat   ? reader.rows(part, m_context.stop)
                             : reader.rowsAndColumns(part, columns, m_context.stop);
        if (!values)
            return std::move(values).error();
        for (Index i = 0; i < part.size(); ++i) {
            sink.cell(toUtf8((*labels)[at(i)]), form.mark);
            for (Index k = 0; k < columns.size(); ++k) {
                sink.write(form.mark);
                if (text)
                    sink.cell(toUtf8(values->texts()[at(i * columns.size() + k)]), form.mark);
                else
                    sink.write(values->text(i * columns.size() + k));
            }
            sink.write('\n');
        }
        if (auto sound = sink.check(); !sound)
            return sound;
        if (m_context.stop.stop_requested())
            return Error::cancelled();
        if (m_context.progress != nullptr) {
            m_context.progress->advance(values->bytes());
            m_context.progress->countEntries(values->size());
        }
    }
    return {};
}

} // namespace cellfolio
