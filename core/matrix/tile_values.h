// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/buffer.h"
#include "core/paging/array_reader.h"
#include "core/paging/tile_loader.h"

#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace cellfolio {

// Here and there a value of a long 1-D array of numbers, past the page cache, tile by tile (a
// chunk): for passes that need little of it. One for each thread; keeps the tile met last.
class TileValues
{
public:
    TileValues(ArrayRef array, std::shared_ptr<Reading> reading, std::string elementPath);

    // Memory one of them takes at most, for the budget.
    static Index bytesFor(const ArrayRef& array);
    // Values a tile holds.
    Index tileLength() const noexcept { return m_length; }

    struct Stretch {
        Index first = 0;
        Index count = 0;
        std::span<const std::byte> bytes; // native; valid until the next call
    };
    // The tile that holds a position, clipped to the array. An error names the element.
    Result<Stretch> holding(Index position, const std::stop_token& stop);

private:
    Result<void> load(Index tile, const std::stop_token& stop);

    ArrayRef m_array;
    std::shared_ptr<Reading> m_reading;
    std::string m_path;
    Index m_length = 1;
    Index m_tile = -1; // the one at hand
    std::optional<TileLoader> m_loader; // none: through the library
    Buffer m_bytes;
    Values m_values;
    std::span<const std::byte> m_at;
};

} // namespace cellfolio
