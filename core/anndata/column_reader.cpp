// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/column_reader.h"

#include "core/anndata/element_builder.h"
#include "core/paging/array_reader.h"

#include <algorithm>
#include <mutex>

namespace cellfolio {

// The list is read by the first who needs it, outside the lock: two who race read it twice, and
// both get the copy that was kept.
struct ColumnReader::Shared {
    std::mutex mutex;
    std::shared_ptr<const Values> categories;
    MemoryReservation reservation;
};

namespace {

Error unreadable(const Element& column)
{
    if (column.whyNot)
        return *column.whyNot;
    return Error(ErrorCode::UnsupportedEncoding,
                 inQuotes(column.path) + " cannot be shown as a column.")
        .at(column.path);
}

} // namespace

std::string ColumnValues::text(Index i) const
{
    if (isMissing(i))
        return {};
    return categories ? categories->text(values.integer(i)) : values.text(i);
}

Result<ColumnReader> ColumnReader::open(std::shared_ptr<const Dataset> dataset,
                                        const Element& column, std::shared_ptr<Reading> reading)
{
    const bool oneDimensional = column.shape && column.shape->size() == 1;
    if (!column.readable || column.column == ColumnKind::Opaque || !column.values ||
        !oneDimensional)
        return unreadable(column);
    ColumnReader reader;
    reader.m_dataset = std::move(dataset);
    reader.m_element = &column;
    reader.m_reading = std::move(reading);
    reader.m_shared = std::make_shared<Shared>();
    reader.m_rows = column.shape->front();
    return reader;
}

bool ColumnReader::holdsCategories() const noexcept
{
    return m_element->column == ColumnKind::Categorical &&
           m_element->categoryCount.value_or(0) <= kMostHeld;
}

Result<Values> ColumnReader::categoryWindow(Index first, Index count, std::stop_token stop) const
{
    const Element& column = *m_element;
    if (!column.categories) {
        const auto from = column.fixedCategories.begin() + first;
        return Values(std::vector<std::string>(from, from + count));
    }
    const ArrayReader list(column.categories, m_reading, column.path);
    if (column.categories.shape().empty())
        return list.all(stop); // one category, stored as a scalar
    return list.rows(first, count, stop);
}

Result<std::shared_ptr<const Values>> ColumnReader::categories(std::stop_token stop) const
{
    if (m_element->column != ColumnKind::Categorical)
        return Error(ErrorCode::Internal, inQuotes(m_element->path) + " has no categories.")
            .at(m_element->path);
    {
        const std::lock_guard lock(m_shared->mutex);
        if (m_shared->categories)
            return m_shared->categories;
    }
    auto values = categoryWindow(0, m_element->categoryCount.value_or(0), stop);
    if (!values)
        return std::move(values).error();
    auto reserved = m_reading->budget().reserve(MemoryTag::Strings, values->bytes());
    if (!reserved)
        return std::move(reserved).error().at(m_element->path);
    const std::lock_guard lock(m_shared->mutex);
    if (!m_shared->categories) {
        m_shared->categories = std::make_shared<const Values>(std::move(*values));
        m_shared->reservation = std::move(*reserved);
    }
    return m_shared->categories;
}

Result<ColumnValues> ColumnReader::readCategorical(const Selection& rows,
                                                   std::stop_token stop) const
{
    const Element& column = *m_element;
    const ArrayReader reader(column.values, m_reading, column.path);
    auto codes = reader.rows(rows, stop);
    if (!codes)
        return std::move(codes).error();

    const Index count = column.categoryCount.value_or(0);
    ColumnValues result;
    result.kind = ColumnKind::Categorical;
    result.ordered = column.ordered;
    result.values = Values(DType::Int64, codes->size());
    const auto target = result.values.as<std::int64_t>();
    for (Index i = 0; i < codes->size(); ++i) {
        const std::int64_t code = codes->integer(i);
        const bool known = code >= 0 && code < count;
        target[at(i)] = known ? code : -1;
        if (!known)
            result.values.setMissing(i);
    }
    if (holdsCategories()) {
        auto list = categories(stop);
        if (!list)
            return std::move(list).error();
        result.categories = std::move(*list);
        return result;
    }

    // The list is too long to hold: only the categories of these rows are read, each once.
    std::vector<Index> needed;
    for (Index i = 0; i < result.values.size(); ++i)
        if (!result.values.isMissing(i))
            needed.push_back(target[at(i)]);
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    const ArrayReader list(column.categories, m_reading, column.path);
    auto found = list.rows(Selection::indices(count, needed), stop);
    if (!found)
        return std::move(found).error();
    const bool any = !needed.empty();
    std::vector<Index> places(at(result.values.size()), 0);
    for (Index i = 0; i < result.values.size(); ++i)
        if (!result.values.isMissing(i))
            places[at(i)] =
                std::lower_bound(needed.begin(), needed.end(), target[at(i)]) - needed.begin();
    ColumnValues plain;
    plain.kind = plainColumnKind(found->type());
    plain.values = any ? found->gather(places) : Values(found->type(), result.values.size());
    for (Index i = 0; i < result.values.size(); ++i)
        if (result.values.isMissing(i))
            plain.values.setMissing(i);
    return plain;
}

Result<ColumnValues> ColumnReader::readNullable(const Selection& rows, std::stop_token stop) const
{
    const Element& column = *m_element;
    auto values = ArrayReader(column.values, m_reading, column.path).rows(rows, stop);
    if (!values)
        return std::move(values).error();
    ColumnValues result;
    result.kind = column.column;
    result.values = std::move(*values);
    if (!column.mask)
        return result;
    auto mask = ArrayReader(column.mask, m_reading, column.path).rows(rows, stop);
    if (!mask)
        return std::move(mask).error();
    for (Index i = 0; i < mask->size(); ++i)
        if (mask->integer(i) != 0)
            result.values.setMissing(i);
    return result;
}

Result<ColumnValues> ColumnReader::read(const Selection& rows, std::stop_token stop) const
{
    switch (m_element->column) {
    case ColumnKind::Categorical:
        return readCategorical(rows, stop);
    case ColumnKind::NullableInteger:
    case ColumnKind::NullableBoolean:
    case ColumnKind::NullableString:
        return readNullable(rows, stop);
    default:
        break;
    }
    auto values = ArrayReader(m_element->values, m_reading, m_element->path).rows(rows, stop);
    if (!values)
        return std::move(values).error();
    ColumnValues result;
    result.kind = m_element->column;
    result.values = std::move(*values);
    return result;
}

Result<std::vector<std::string>> readNames(const std::shared_ptr<const Dataset>& dataset,
                                           const Element& table, const Selection& rows,
                                           const std::shared_ptr<Reading>& reading,
                                           std::stop_token stop)
{
    std::vector<std::string> names;
    names.reserve(at(rows.size()));
    if (!table.index) {
        for (Index i = 0; i < rows.size(); ++i)
            names.push_back(std::to_string(rows[i]));
        return names;
    }
    auto reader = ColumnReader::open(dataset, *table.index, reading);
    if (!reader)
        return std::move(reader).error();
    auto values = reader->read(rows, stop);
    if (!values)
        return std::move(values).error();
    if (values->kind == ColumnKind::String && !values->values.hasMissing())
        return std::move(values->values.texts());
    for (Index i = 0; i < values->size(); ++i)
        names.push_back(values->text(i));
    return names;
}

} // namespace cellfolio
