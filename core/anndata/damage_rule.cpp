// SPDX-License-Identifier: GPL-3.0-or-later
// A056: every chunk can be decoded and its checksum holds.
#include "core/anndata/value_check.h"
#include "core/base/text.h"
#include "core/paging/array_reader.h"

#include <algorithm>

namespace cellfolio {

namespace {

// Rows read at once when looking for the damage: those of one row of chunks.
Index bandOf(const hdf5::ArrayInfo& info)
{
    if (info.layout == hdf5::Layout::Chunked && !info.chunk.empty())
        return std::max<Index>(1, info.chunk.front());
    Index width = std::max<Index>(1, info.type.size);
    for (std::size_t d = 1; d < info.shape.size(); ++d)
        width *= std::max<Index>(1, info.shape[d]);
    return std::max<Index>(1, (Index{1} << 20) / width);
}

} // namespace

Result<void> ValueCheck::checkDecoding(const Element& element, const ArrayRef& array)
{
    const hdf5::ArrayInfo& info = array.info();
    // What has no filters has nothing to decode: a bad disk shows when it is read.
    if (!wants("A056") || info.filters.empty() || info.isScalar || !isReal(array.dtype()) ||
        array.member >= 0 || m_options.passedElsewhere.count(array.object) != 0 ||
        !first("A056", array))
        return {};
    ScanOptions options;
    options.stop = m_options.stop;
    auto scanned = scanTiles(array, element.path, *m_reading, options,
                             [](const ScanTile&) -> Result<void> { return {}; });
    if (scanned)
        return {};
    if (scanned.error().code() != ErrorCode::Corrupt && scanned.error().code() != ErrorCode::Io)
        return scanned;

    // Band by band, which rows are lost.
    const ArrayReader reader(array, m_reading, element.path);
    const Index rows = array.length();
    const Index band = bandOf(info);
    Index lostFirst = -1;
    Index lostLast = -1;
    Index lost = 0;
    for (Index row = 0; row < rows; row += band) {
        const Index count = std::min(band, rows - row);
        auto values = reader.rows(row, count, m_options.stop);
        if (values)
            continue;
        const ErrorCode code = values.error().code();
        if (code != ErrorCode::Corrupt && code != ErrorCode::Io)
            return std::move(values).error();
        lost += count;
        if (lostFirst < 0)
            lostFirst = row;
        lostLast = row + count - 1;
    }
    if (!first("A056 told", array))
        return {};
    if (element.isSparse() && lostFirst >= 0) {
        // Stored values to rows: the damage covers those that hold any of them.
        auto from = majorOf(element, lostFirst);
        auto to = majorOf(element, lostLast);
        if (!from)
            return damaged(element, element.indptr, std::move(from).error());
        if (!to)
            return damaged(element, element.indptr, std::move(to).error());
        lostFirst = *from;
        lostLast = *to;
    }
    const char* lines = element.storage == Storage::Csc ? "Columns " : "Rows ";
    Finding& finding =
        report("A056", element,
               lines + std::to_string(std::max<Index>(lostFirst, 0)) + "–" +
                   std::to_string(std::max<Index>(lostLast, 0)) + " of " + inQuotes(element.path) +
                   " are damaged on disk and cannot be shown; the rest can. (" +
                   scanned.error().message() + ")");
    finding.count = lost;
    FindingPlace place;
    place.row = std::max<Index>(lostFirst, 0);
    finding.places.push_back(std::move(place));
    return {};
}

} // namespace cellfolio
