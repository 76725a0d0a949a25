// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sheet.h"

#include "app/cli/awkward_reader.h"
#include "app/cli/grid_reader.h"
#include "core/anndata/column_reader.h"
#include "core/base/text.h"

#include <algorithm>
#include <optional>

namespace cellfolio::cli {
namespace {

// What all sheets share: the axes of the request and its session.
class ViewSheet : public Sheet
{
public:
    explicit ViewSheet(const ViewRequest& request) : m_request(request)
    {
        const ChosenAxis& axis = request.axes.axes[0];
        rows = axis.selection.size();
        corner = axis.key;
    }

    Result<std::vector<std::string>> rowNames(Index first, Index count) const override
    {
        return axisNames(m_request.session, m_request.target, m_request.axes.axes[0], first, count);
    }

protected:
    Selection rowPart(Index first, Index count) const
    {
        return m_request.axes.rows().part(first, count);
    }
    // A cell of text holds some 64 bytes; a block of them stays within a piece.
    Index textRows(Index columnCount) const
    {
        return std::clamp<Index>(
            m_request.session.pieceBytes() / (64 * std::max<Index>(1, columnCount)), 1, 1 << 14);
    }

    const ViewRequest& m_request;
};

class TableSheet : public ViewSheet
{
public:
    TableSheet(const ViewRequest& request, std::vector<const Element*> list)
        : ViewSheet(request), m_columns(std::move(list)), m_readers(m_columns.size())
    {
        columns = narrow<Index>(m_columns.size());
        if (corner.empty())
            corner = "index";
    }

    Result<std::vector<std::string>> header(Index first, Index count) const override
    {
        std::vector<std::string> names;
        for (Index c = first; c < first + count; ++c)
            names.push_back(m_columns[at(c)]->name);
        return names;
    }

    Result<Block> block(Index firstRow, Index rowCount, Index firstColumn,
                        Index columnCount) const override
    {
        auto parts = std::make_shared<std::vector<std::optional<ColumnValues>>>();
        for (Index c = firstColumn; c < firstColumn + columnCount; ++c) {
            const Element& column = *m_columns[at(c)];
            std::optional<ColumnReader>& reader = m_readers[at(c)];
            if (!column.readable) {
                parts->emplace_back();
                continue;
            }
            if (!reader) {
                auto opened = ColumnReader::open(m_request.target.dataset, column,
                                                 m_request.session.reading);
                if (!opened)
                    return std::move(opened).error();
                reader.emplace(std::move(*opened));
            }
            auto part = reader->read(rowPart(firstRow, rowCount), m_request.session.stop);
            if (!part)
                return std::move(part).error();
            parts->emplace_back(std::move(*part));
        }
        Block result;
        result.text = [parts](Index row, Index column) {
            const auto& part = (*parts)[at(column)];
            return part ? part->text(row) : std::string();
        };
        result.isNumber = [parts](Index column) {
            const auto& part = (*parts)[at(column)];
            return part && part->kind != ColumnKind::Categorical &&
                   part->values.type() != DType::String;
        };
        return result;
    }

    Index rowsAtOnce(Index columnCount) const override { return textRows(columnCount); }

private:
    std::vector<const Element*> m_columns;
    mutable std::vector<std::optional<ColumnReader>> m_readers;
};

// A place of more than two dimensions is a list in a cell.
std::string cellText(const Values& values, Index first, Index inner)
{
    if (inner == 1)
        return values.text(first);
    std::string text = "[";
    for (Index i = 0; i < inner; ++i)
        text += (i == 0 ? "" : ", ") + values.text(first + i);
    return text + "]";
}

class GridSheet : public ViewSheet
{
public:
    GridSheet(const ViewRequest& request, GridReader grid)
        : ViewSheet(request), m_grid(std::move(grid)),
          m_columns(request.axes.axes.size() > 1 ? request.axes.columns() : Selection::all(1))
    {
        columns = m_columns.size();
    }

    Result<std::vector<std::string>> header(Index first, Index count) const override
    {
        if (m_request.axes.axes.size() < 2)
            return std::vector<std::string>{m_request.element().name};
        return axisNames(m_request.session, m_request.target, m_request.axes.axes[1], first, count);
    }

    Result<Block> block(Index firstRow, Index rowCount, Index firstColumn,
                        Index columnCount) const override
    {
        auto values =
            m_grid.block(rowPart(firstRow, rowCount), m_columns.part(firstColumn, columnCount),
                         m_request.session.stop);
        if (!values)
            return std::move(values).error();
        const auto shared = std::make_shared<const Values>(std::move(*values));
        const Index inner = m_grid.inner();
        Block result;
        result.text = [shared, columnCount, inner](Index row, Index column) {
            return cellText(*shared, (row * columnCount + column) * inner, inner);
        };
        result.isNumber = [shared](Index) { return shared->type() != DType::String; };
        return result;
    }

    Index rowsAtOnce(Index columnCount) const override
    {
        return m_grid.pieceOf(rows, columnCount, m_request.session.pieceBytes()).rows;
    }

private:
    GridReader m_grid;
    Selection m_columns;
};

class RecordSheet : public ViewSheet
{
public:
    explicit RecordSheet(const ViewRequest& request) : ViewSheet(request)
    {
        columns = narrow<Index>(members().size());
    }

    Result<std::vector<std::string>> header(Index first, Index count) const override
    {
        std::vector<std::string> names;
        for (Index c = first; c < first + count; ++c)
            names.push_back(members()[at(c)].name);
        return names;
    }

    Result<Block> block(Index firstRow, Index rowCount, Index firstColumn,
                        Index columnCount) const override
    {
        auto fields = std::make_shared<std::vector<Values>>();
        for (Index c = firstColumn; c < firstColumn + columnCount; ++c) {
            ArrayRef field = m_request.element().values;
            field.member = narrow<int>(c);
            if (field.dtype() == DType::Other) {
                fields->emplace_back();
                continue;
            }
            auto values = ArrayReader(field, m_request.session.reading,
                                      m_request.element().path + "/" + members()[at(c)].name)
                              .rows(rowPart(firstRow, rowCount), m_request.session.stop);
            if (!values)
                return std::move(values).error();
            fields->push_back(std::move(*values));
        }
        Block result;
        result.text = [fields, rowCount](Index row, Index column) {
            const Values& field = (*fields)[at(column)];
            if (field.empty())
                return std::string();
            const Index inner = field.size() / rowCount;
            return cellText(field, row * inner, inner);
        };
        result.isNumber = [fields](Index column) {
            return (*fields)[at(column)].type() != DType::String;
        };
        return result;
    }

    Index rowsAtOnce(Index columnCount) const override { return textRows(columnCount); }

private:
    const std::vector<hdf5::Member>& members() const
    {
        return m_request.element().values.info().type.members;
    }
};

// Rows of nested lists, one cell each.
class AwkwardSheet : public ViewSheet
{
public:
    AwkwardSheet(const ViewRequest& request, AwkwardReader reader)
        : ViewSheet(request), m_reader(std::move(reader))
    {
        columns = 1;
    }

    Result<std::vector<std::string>> header(Index, Index) const override
    {
        return std::vector<std::string>{m_request.element().name};
    }

    Result<Block> block(Index firstRow, Index rowCount, Index, Index) const override
    {
        const Selection part = rowPart(firstRow, rowCount);
        auto texts = std::make_shared<std::vector<std::string>>();
        for (Index k = 0; k < rowCount; ++k) {
            auto text = m_reader.rowText(part[k], m_request.session.stop);
            if (!text)
                return std::move(text).error();
            texts->push_back(std::move(*text));
        }
        Block result;
        result.text = [texts](Index row, Index) { return (*texts)[at(row)]; };
        result.isNumber = [](Index) { return false; };
        return result;
    }

    Index rowsAtOnce(Index) const override { return 64; }

private:
    AwkwardReader m_reader;
};

} // namespace

Result<std::unique_ptr<Sheet>> openSheet(const ViewRequest& request)
{
    const Element& element = request.element();
    if (!element.readable && element.whyNot)
        return *element.whyNot;
    if (readsAsColumn(element))
        return std::unique_ptr<Sheet>(std::make_unique<TableSheet>(request, std::vector{&element}));
    switch (element.kind) {
    case ElementKind::Table:
        return std::unique_ptr<Sheet>(std::make_unique<TableSheet>(request, request.columns()));
    case ElementKind::Matrix:
    case ElementKind::Array: {
        if (request.axes.axes.empty())
            break;
        auto grid = GridReader::open(request.target.dataset, element, request.session.reading);
        if (!grid)
            return std::move(grid).error();
        return std::unique_ptr<Sheet>(std::make_unique<GridSheet>(request, std::move(*grid)));
    }
    case ElementKind::Records:
        if (request.axes.axes.empty() || !element.values)
            break;
        return std::unique_ptr<Sheet>(std::make_unique<RecordSheet>(request));
    case ElementKind::Awkward: {
        auto reader = AwkwardReader::open(element, request.session.reading);
        if (!reader)
            return std::move(reader).error();
        return std::unique_ptr<Sheet>(std::make_unique<AwkwardSheet>(request, std::move(*reader)));
    }
    case ElementKind::Scalar:
    case ElementKind::Mapping:
    case ElementKind::Null:
    case ElementKind::Link:
    case ElementKind::Unknown:
    case ElementKind::Column:
        break;
    }
    return Error(ErrorCode::Refused, (element.path.empty() ? "The file" : element.path)
                                         + std::string(" has no rows and columns."))
        .at(element.path)
        .advise("Use --json for mappings and single values.");
}

} // namespace cellfolio::cli
