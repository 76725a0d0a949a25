// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/table_copy.h"

#include "core/anndata/column_reader.h"

#include <algorithm>
#include <cstring>

namespace cellfolio::impute {

namespace {

constexpr Index kWindow = Index{1} << 15;

// Codes in the narrowest type that holds the categories.
Values narrowed(const Values& codes, DType type)
{
    Values narrow(type, codes.size());
    visitReal(type, [&]<typename T>(const T*) {
        if constexpr (std::is_integral_v<T>) {
            const std::span<T> to = narrow.as<T>();
            for (Index k = 0; k < codes.size(); ++k)
                to[at(k)] = codes.isMissing(k) ? static_cast<T>(-1) : static_cast<T>(codes.integer(k));
        }
    });
    return narrow;
}

Values maskOf(const Values& values)
{
    Values mask(DType::Bool, values.size());
    for (Index k = 0; k < values.size(); ++k)
        mask.as<std::uint8_t>()[at(k)] = values.isMissing(k) ? 1 : 0;
    return mask;
}

// Hands out the rows of a column in windows.
template <typename Take>
Result<void> windows(const ColumnReader& reader, const Selection& rows, std::stop_token stop,
                     const Take& take)
{
    for (Index first = 0; first < rows.size(); first += kWindow) {
        auto values = reader.read(rows.part(first, std::min(kWindow, rows.size() - first)), stop);
        if (!values)
            return std::move(values).error();
        if (auto done = take(*values); !done)
            return done;
    }
    return {};
}

bool isNullable(ColumnKind kind)
{
    return kind == ColumnKind::NullableInteger || kind == ColumnKind::NullableBoolean
        || kind == ColumnKind::NullableString;
}

} // namespace

std::vector<const Element*> writableColumns(const Element& table, std::vector<std::string>* left)
{
    std::vector<const Element*> columns;
    for (const auto& child : table.children) {
        if (child->kind != ElementKind::Column)
            continue;
        const bool plain = child->column != ColumnKind::Opaque && child->readable && child->shape
                        && child->shape->size() == 1;
        if (plain)
            columns.push_back(child.get());
        else if (left != nullptr)
            left->push_back(child->path);
    }
    return columns;
}

Result<void> copyColumn(H5adWriter& writer, const std::string& path,
                        const std::shared_ptr<const Dataset>& dataset, const Element& column,
                        const Selection& rows, const std::shared_ptr<Reading>& reading,
                        std::stop_token stop)
{
    auto reader = ColumnReader::open(dataset, column, reading);
    if (!reader)
        return std::move(reader).error();
    if (column.column == ColumnKind::Categorical && reader->holdsCategories()) {
        auto categories = reader->categories(stop);
        if (!categories)
            return std::move(categories).error();
        if (auto begun = writer.beginCategorical(path, column.ordered); !begun)
            return begun;
        if (auto done = writer.array(path + "/categories", **categories); !done)
            return done;
        const DType type = H5adWriter::codeType((*categories)->size());
        auto codes = writer.array(path + "/codes", type, rows.size());
        if (!codes)
            return std::move(codes).error();
        if (auto done = windows(*reader, rows, stop,
                                [&](const ColumnValues& values) {
                                    return codes->append(narrowed(values.values, type));
                                });
            !done)
            return done;
        return codes->finish();
    }
    auto first = reader->read(rows.part(0, std::min(Index{1}, rows.size())), stop);
    if (!first)
        return std::move(first).error();
    const DType type = first->values.type();
    const bool nullable = isNullable(column.column);
    if (nullable)
        if (auto begun = writer.beginNullable(path, column.column); !begun)
            return begun;
    auto values = writer.array(nullable ? path + "/values" : path, type, rows.size());
    if (!values)
        return std::move(values).error();
    if (auto done = windows(*reader, rows, stop,
                            [&](const ColumnValues& part) { return values->append(part.values); });
        !done)
        return done;
    if (auto done = values->finish(); !done || !nullable)
        return done;
    auto mask = writer.array(path + "/mask", DType::Bool, rows.size());
    if (!mask)
        return std::move(mask).error();
    if (auto done = windows(*reader, rows, stop,
                            [&](const ColumnValues& part) { return mask->append(maskOf(part.values)); });
        !done)
        return done;
    return mask->finish();
}

Result<void> copyNames(H5adWriter& writer, const std::string& path,
                       const std::shared_ptr<const Dataset>& dataset, const Element* table,
                       const Selection& rows, const std::shared_ptr<Reading>& reading,
                       std::stop_token stop)
{
    auto names = writer.array(path, DType::String, rows.size());
    if (!names)
        return std::move(names).error();
    for (Index first = 0; first < rows.size(); first += kWindow) {
        const Selection part = rows.part(first, std::min(kWindow, rows.size() - first));
        std::vector<std::string> texts;
        if (table == nullptr) {
            part.forEach([&](Index row) { texts.push_back(std::to_string(row)); });
        } else {
            auto read = readNames(dataset, *table, part, reading, stop);
            if (!read)
                return std::move(read).error();
            texts = std::move(*read);
        }
        if (auto done = names->append(std::span<const std::string>(texts)); !done)
            return done;
    }
    return names->finish();
}

Result<void> copyRows(H5adWriter& writer, const std::string& path,
                      const std::shared_ptr<const Dataset>& dataset, const Element& array,
                      const Selection& rows, const std::shared_ptr<Reading>& reading,
                      std::stop_token stop)
{
    static_cast<void>(dataset); // the array keeps its file open
    const ArrayReader reader(array.values, reading, array.path);
    std::vector<Index> shape = reader.array().shape();
    shape.front() = rows.size();
    Index width = 1;
    for (std::size_t k = 1; k < shape.size(); ++k)
        width *= shape[k];
    auto dense = writer.dense(path, reader.dtype(), shape);
    if (!dense)
        return std::move(dense).error();
    const Index band = dense->bandRows();
    const Index window =
        std::max(Index{1}, kWindow / std::max(Index{1}, width * band)) * band;
    for (Index first = 0; first < rows.size(); first += window) {
        const Index count = std::min(window, rows.size() - first);
        auto values = reader.rows(rows.part(first, count), stop);
        if (!values)
            return std::move(values).error();
        if (auto done = dense->write(first, count, values->data(), 1, stop); !done)
            return done;
    }
    return {};
}

Result<void> writeDoubles(H5adWriter& writer, const std::string& path, const std::vector<double>& values)
{
    Values list(DType::Float64, static_cast<Index>(values.size()));
    if (!values.empty())
        std::memcpy(list.data(), values.data(), values.size() * sizeof(double));
    return writer.array(path, list);
}

Result<void> writeFlags(H5adWriter& writer, const std::string& path, const std::vector<bool>& values)
{
    Values list(DType::Bool, static_cast<Index>(values.size()));
    for (std::size_t k = 0; k < values.size(); ++k)
        list.as<std::uint8_t>()[k] = values[k] ? 1 : 0;
    return writer.array(path, list);
}

Result<void> writeCategorical(H5adWriter& writer, const std::string& path,
                              const std::vector<Index>& codes, const std::vector<std::string>& labels)
{
    if (auto begun = writer.beginCategorical(path, false); !begun)
        return begun;
    if (auto done = writer.array(path + "/categories", Values(labels)); !done)
        return done;
    Values list(DType::Int64, static_cast<Index>(codes.size()));
    for (std::size_t k = 0; k < codes.size(); ++k)
        list.as<Index>()[k] = codes[k];
    return writer.array(path + "/codes",
                        narrowed(list, H5adWriter::codeType(static_cast<Index>(labels.size()))));
}

} // namespace cellfolio::impute
