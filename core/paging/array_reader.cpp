// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/paging/array_reader.h"

#include "core/hdf5/stored_type.h"
#include "core/paging/access_plan.h"
#include "core/paging/page_cache.h"
#include "core/paging/tile_loader.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace cellfolio {

namespace {

using hdf5::StoredType;
using hdf5::TypeClass;

// Reading over a gap this long costs less than starting anew.
constexpr Index kGapBytes = Index{16} << 10;
constexpr Index kLongestRunBytes = Index{4} << 20;
// A text of usual length, with what its reference and its own memory take.
constexpr Index kTextBytes = 64;

// Memory that a value takes while it is handled.
Index bytesOf(DType type)
{
    return type == DType::String ? kTextBytes : std::max<Index>(1, static_cast<Index>(sizeOf(type)));
}

Index product(const std::vector<Index>& lengths)
{
    return std::accumulate(lengths.begin(), lengths.end(), Index{1}, std::multiplies<>());
}

// One value (or small array of values) inside a stored record.
struct Field {
    const StoredType* type = nullptr; // of one value
    std::size_t offset = 0;
    std::size_t record = 0;           // bytes of a whole record
    Index perRecord = 1;
};

Field fieldOf(const ArrayRef& array)
{
    Field field;
    const StoredType& type = array.type();
    field.type = type.cls == TypeClass::Array ? type.base.get() : &type;
    field.perRecord = product(type.arrayShape);
    field.record = at(array.info().type.size);
    if (array.member >= 0)
        field.offset = at(array.info().type.members[at(array.member)].offset);
    return field;
}

// Takes `count` records from stored bytes into values at `place` (in values).
void extract(const Field& field, const std::byte* stored, Index count, Values& values, Index place)
{
    const std::byte* first = stored + field.offset;
    const auto width = at(field.type->size);
    if (field.type->value == DType::String) {
        for (Index i = 0; i < count; ++i) {
            for (Index k = 0; k < field.perRecord; ++k)
                values.texts()[at(place + i * field.perRecord + k)] =
                    hdf5::fixedText(*field.type, first + at(i) * field.record + at(k) * width);
        }
        return;
    }
    std::byte* target = values.data() + at(place) * sizeOf(values.type());
    if (field.perRecord == 1) {
        hdf5::toNative(*field.type, first, field.record, count, target);
        return;
    }
    for (Index i = 0; i < count; ++i)
        hdf5::toNative(*field.type, first + at(i) * field.record, width, field.perRecord,
                       target + at(i * field.perRecord) * width);
}

// Steps through all positions of a box in row-major order but for its last axis.
template <typename F>
void forEachRow(const std::vector<Index>& lengths, F&& f)
{
    const std::size_t rank = lengths.size();
    if (product(lengths) == 0)
        return;
    std::vector<Index> place(rank, 0);
    for (;;) {
        f(place);
        std::size_t d = rank - 1;
        for (;;) {
            if (d == 0)
                return;
            --d;
            if (++place[d] < lengths[d])
                break;
            place[d] = 0;
        }
    }
}

} // namespace

const StoredType& ArrayRef::type() const
{
    return member >= 0 ? info().type.members[at(member)].type : info().type;
}

bool ArrayRef::bigEndian() const
{
    const StoredType& t = type();
    return t.cls == TypeClass::Array ? t.base->bigEndian : t.bigEndian;
}

std::vector<Index> ArrayRef::shape() const
{
    std::vector<Index> result = info().shape;
    const StoredType& t = type();
    result.insert(result.end(), t.arrayShape.begin(), t.arrayShape.end());
    return result;
}

Index ArrayRef::length() const
{
    if (info().isNull)
        return 0;
    return info().shape.empty() ? 1 : info().shape[0];
}

ArrayReader::ArrayReader(ArrayRef array, std::shared_ptr<Reading> reading, std::string elementPath)
    : m_array(std::move(array)), m_reading(std::move(reading)), m_path(std::move(elementPath))
{
    const Field field = fieldOf(m_array);
    m_paged = canLoadTiles(m_array.info()) && field.type->direct;
}

Result<Values> ArrayReader::block(const std::vector<Index>& start, const std::vector<Index>& count,
                                  std::stop_token stop) const
{
    // Dimensions of an array field lie inside a record: only whole ones are read, then cut.
    const hdf5::ArrayInfo& info = m_array.info();
    const std::size_t rank = info.shape.size();
    std::vector<Index> outerStart(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(std::min(rank, start.size())));
    std::vector<Index> outerCount(count.begin(), count.begin() + static_cast<std::ptrdiff_t>(std::min(rank, count.size())));
    Result<Values> values = Values();
    if (m_paged) {
        values = blockThroughPages(outerStart, outerCount, stop);
    } else {
        hdf5::File::Slab slab;
        slab.start = outerStart;
        slab.count = outerCount;
        slab.member = m_array.member;
        values = m_array.file->read(*m_array.object, slab, hdf5::Lane::Interactive, stop);
        if (!values)
            return std::move(values).error().at(m_path);
    }
    if (!values || start.size() <= rank)
        return values;
    const std::vector<Index>& inner = m_array.type().arrayShape;
    const std::vector<Index> innerStart(start.begin() + static_cast<std::ptrdiff_t>(rank), start.end());
    const std::vector<Index> innerCount(count.begin() + static_cast<std::ptrdiff_t>(rank), count.end());
    if (innerCount == inner)
        return values;
    std::vector<Index> places;
    const Index records = product(outerCount);
    const Index perRecord = product(inner);
    for (Index r = 0; r < records; ++r) {
        forEachRow(innerCount, [&](const std::vector<Index>& row) {
            Index from = 0;
            for (std::size_t d = 0; d < inner.size(); ++d)
                from = from * inner[d] + innerStart[d] + (d + 1 < inner.size() ? row[d] : 0);
            for (Index k = 0; k < innerCount.back(); ++k)
                places.push_back(r * perRecord + from + k);
        });
    }
    return values->gather(places);
}

Result<Values> ArrayReader::blockThroughPages(const std::vector<Index>& start,
                                              const std::vector<Index>& count,
                                              std::stop_token stop) const
{
    const hdf5::ArrayInfo& info = m_array.info();
    const Field field = fieldOf(m_array);
    const std::size_t rank = info.shape.size();
    const Index records = product(count);
    Values values(m_array.dtype(), records * field.perRecord);
    if (records == 0)
        return values;
    PageCache& cache = m_reading->pages();
    TileLoader loader(m_array.file, *m_array.object, cache, hdf5::Lane::Interactive);
    const Tiling& tiling = loader.tiling();
    std::vector<Index> firstTile(rank);
    std::vector<Index> tileCount(rank);
    for (std::size_t d = 0; d < rank; ++d) {
        firstTile[d] = start[d] / tiling.tile()[d];
        tileCount[d] = (start[d] + count[d] - 1) / tiling.tile()[d] - firstTile[d] + 1;
    }
    const Index pageBytes = tiling.itemsOfTile() * info.type.size;
    // A read that would fill half the cache goes past it.
    const bool keep = product(tileCount) <= std::max<Index>(1, cache.limit() / 2 / std::max<Index>(1, pageBytes));
    Page passing;

    const auto visitTile = [&](const std::vector<Index>& gridPosition) -> Result<void> {
        const Index tile = tiling.tileAt(gridPosition);
        std::shared_ptr<const Page> page;
        const PageKey key{m_array.file->id(), m_array.object->address, tile};
        if (keep || (page = cache.peek(key))) {
            if (!page) {
                auto got = cache.get(
                    key,
                    [&]() -> Result<std::shared_ptr<Page>> {
                        auto fresh = std::make_shared<Page>();
                        auto charge = m_reading->budget().reserve(MemoryTag::Pages, pageBytes);
                        if (!charge) {
                            cache.shrinkTo(std::max<Index>(0, cache.bytes() - 2 * pageBytes));
                            charge = m_reading->budget().reserve(MemoryTag::Pages, pageBytes);
                        }
                        if (!charge)
                            return std::move(charge).error();
                        fresh->charge = std::move(*charge);
                        auto extent = loader.load(tile, fresh->bytes, stop);
                        if (!extent)
                            return std::move(extent).error();
                        fresh->extent = std::move(*extent);
                        return fresh;
                    },
                    stop);
                if (!got)
                    return std::move(got).error();
                page = *got;
            }
        } else {
            auto extent = loader.load(tile, passing.bytes, stop);
            if (!extent)
                return std::move(extent).error();
            passing.extent = std::move(*extent);
        }
        const Page& source = page ? *page : passing;
        // The part of the tile that was asked for, row by row.
        const std::vector<Index> origin = tiling.origin(tile);
        std::vector<Index> low(rank);
        std::vector<Index> length(rank);
        for (std::size_t d = 0; d < rank; ++d) {
            low[d] = std::max(start[d], origin[d]);
            length[d] = std::min(start[d] + count[d], origin[d] + tiling.tile()[d]) - low[d];
        }
        forEachRow(length, [&](const std::vector<Index>& row) {
            Index from = 0;
            Index to = 0;
            for (std::size_t d = 0; d < rank; ++d) {
                const Index offset = d + 1 < rank ? row[d] : 0;
                from = from * source.extent[d] + (low[d] - origin[d] + offset);
                to = to * count[d] + (low[d] - start[d] + offset);
            }
            extract(field, source.bytes.data() + at(from) * field.record, length[rank - 1], values,
                    to * field.perRecord);
        });
        return {};
    };

    std::vector<Index> place(rank, 0);
    for (;;) {
        if (stop.stop_requested())
            return Error::cancelled();
        std::vector<Index> gridPosition(rank);
        for (std::size_t d = 0; d < rank; ++d)
            gridPosition[d] = firstTile[d] + place[d];
        if (auto visited = visitTile(gridPosition); !visited)
            return std::move(visited).error().at(m_path);
        std::size_t d = rank;
        while (d > 0) {
            --d;
            if (++place[d] < tileCount[d])
                break;
            place[d] = 0;
            if (d == 0)
                return values;
        }
    }
}

Result<Values> ArrayReader::rows(Index first, Index count, std::stop_token stop) const
{
    std::vector<Index> start(m_array.shape().size(), 0);
    std::vector<Index> counts = m_array.shape();
    if (!counts.empty()) {
        start[0] = first;
        counts[0] = count;
    }
    return block(start, counts, stop);
}

Result<Values> ArrayReader::all(std::stop_token stop) const
{
    if (m_array.info().isNull)
        return Values(dtype(), 0);
    const std::vector<Index> shape = m_array.shape();
    return block(std::vector<Index>(shape.size(), 0), shape, stop);
}

Result<Values> ArrayReader::rows(const Selection& rows, std::stop_token stop) const
{
    const std::vector<Index> shape = m_array.shape();
    if (shape.size() >= 2)
        return rowsAndColumns(rows, Selection::all(shape[1]), stop);
    if (const Slice* slice = rows.asSlice(); slice && slice->step == 1)
        return this->rows(slice->first, slice->count, stop);
    const Index width = bytesOf(dtype());
    const AccessPlan plan = AccessPlan::make(rows, kGapBytes / width, kLongestRunBytes / width);
    Values result(dtype(), rows.size());
    for (const AccessPlan::Run& run : plan.runs()) {
        auto part = this->rows(run.first, run.count, stop);
        if (!part)
            return part;
        for (std::size_t i = run.begin; i < run.end; ++i) {
            const AccessPlan::Landing& landing = plan.landing(i);
            const std::size_t from = at(landing.position - run.first);
            if (dtype() == DType::String)
                result.texts()[at(landing.place)] = part->texts()[from];
            else
                std::memcpy(result.data() + at(landing.place) * at(width),
                            part->data() + from * at(width), at(width));
        }
    }
    return result;
}

Result<Values> ArrayReader::rowsAndColumns(const Selection& rows, const Selection& columns,
                                           std::stop_token stop) const
{
    const std::vector<Index> shape = m_array.shape();
    const Index inner = product(std::vector<Index>(shape.begin() + 2, shape.end()));
    const Index width = bytesOf(dtype()) * inner;
    const Slice* rowSlice = rows.asSlice();
    const Slice* columnSlice = columns.asSlice();
    if (rowSlice && columnSlice && rowSlice->step == 1 && columnSlice->step == 1) {
        std::vector<Index> start(shape.size(), 0);
        std::vector<Index> count = shape;
        start[0] = rowSlice->first;
        count[0] = rowSlice->count;
        start[1] = columnSlice->first;
        count[1] = columnSlice->count;
        return block(start, count, stop);
    }
    const AccessPlan columnPlan =
        AccessPlan::make(columns, kGapBytes / width, std::max<Index>(1, kLongestRunBytes / width));
    Index widest = 1;
    for (const AccessPlan::Run& run : columnPlan.runs())
        widest = std::max(widest, run.count);
    const AccessPlan rowPlan =
        AccessPlan::make(rows, std::max<Index>(1, kGapBytes / (width * widest)),
                         std::max<Index>(1, kLongestRunBytes / (width * widest)));
    Values result(dtype(), rows.size() * columns.size() * inner);
    const std::size_t cell = at(width);
    for (const AccessPlan::Run& rowRun : rowPlan.runs()) {
        for (const AccessPlan::Run& columnRun : columnPlan.runs()) {
            std::vector<Index> start(shape.size(), 0);
            std::vector<Index> count = shape;
            start[0] = rowRun.first;
            count[0] = rowRun.count;
            start[1] = columnRun.first;
            count[1] = columnRun.count;
            auto part = block(start, count, stop);
            if (!part)
                return part;
            for (std::size_t i = rowRun.begin; i < rowRun.end; ++i) {
                const AccessPlan::Landing& row = rowPlan.landing(i);
                for (std::size_t j = columnRun.begin; j < columnRun.end; ++j) {
                    const AccessPlan::Landing& column = columnPlan.landing(j);
                    const Index from = (row.position - rowRun.first) * columnRun.count
                                       + (column.position - columnRun.first);
                    const Index to = row.place * columns.size() + column.place;
                    if (dtype() == DType::String) {
                        for (Index k = 0; k < inner; ++k)
                            result.texts()[at(to * inner + k)] = part->texts()[at(from * inner + k)];
                    } else {
                        std::memcpy(result.data() + at(to) * cell, part->data() + at(from) * cell, cell);
                    }
                }
            }
        }
    }
    return result;
}

} // namespace cellfolio
