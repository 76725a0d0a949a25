// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/filters.h"
#include "core/paging/array_reader.h"
#include "core/paging/tile_loader.h"

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>

namespace cellfolio {

// Whether the stored bytes of an array can be taken tile by tile and made native in place.
bool isPaged(const ArrayRef& array);
// Makes stored bytes native where they lie.
void swapInPlace(const hdf5::StoredType& type, std::byte* bytes, std::size_t size);

// Reads one stretch after another of one 1-D array past the page cache; one for each thread and array.
// What it hands out is native and lives until the next call. Its buffers stay as large as the
// longest stretch: decoded, and about as much again as stored.
class StretchReader
{
public:
    StretchReader(ArrayRef array, Reading& reading);

    Result<std::span<const std::byte>> read(Index first, Index count, const std::stop_token& stop);

private:
    Result<std::span<const std::byte>> readValues(Index first, Index count, const std::stop_token& stop);
    Result<std::span<const std::byte>> readChunks(Index first, Index count, const std::stop_token& stop);

    ArrayRef m_array;
    bool m_paged;
    std::optional<TileLoader> m_loader;
    std::shared_ptr<hdf5::RawChunks> m_raw;
    std::shared_ptr<Buffer> m_stored;
    Buffer m_decoded;
    Buffer m_edge;
    hdf5::DecodeScratch m_scratch;
    Values m_values;
};

// As many workers as are wanted and the budget has room for, each with so many bytes; OutOfBudget when
// not even one.
Result<std::pair<int, MemoryReservation>> reserveWorkers(Reading& reading, int wanted, Index bytesEach);

} // namespace cellfolio
