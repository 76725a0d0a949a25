// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/tile_values.h"

#include <algorithm>

namespace cellfolio {

namespace {

constexpr Index kLibraryLength = Index{64} << 10;

bool hasTiles(const ArrayRef& array)
{
    const hdf5::StoredType& type = array.info().type;
    return array.member < 0 && canLoadTiles(array.info()) && type.direct
           && type.value != DType::String && type.cls != hdf5::TypeClass::Array;
}

} // namespace

TileValues::TileValues(ArrayRef array, std::shared_ptr<Reading> reading, std::string elementPath)
    : m_array(std::move(array)), m_reading(std::move(reading)), m_path(std::move(elementPath)),
      m_length(kLibraryLength)
{
    if (hasTiles(m_array)) {
        m_loader.emplace(m_array.file, *m_array.object, m_reading->pages(), hdf5::Lane::Bulk);
        m_length = std::max<Index>(1, m_loader->tiling().itemsOfTile());
    }
}

Index TileValues::bytesFor(const ArrayRef& array)
{
    const Index item = std::max<Index>(1, array.info().type.size);
    if (!hasTiles(array))
        return 2 * kLibraryLength * item;
    // As stored, decoded, and what filters need between.
    return 3 * Tiling(array.info()).itemsOfTile() * item;
}

Result<void> TileValues::load(Index tile, const std::stop_token& stop)
{
    m_tile = -1;
    const Index first = tile * m_length;
    const Index count = std::min(m_length, m_array.length() - first);
    if (!m_loader) {
        hdf5::File::Slab slab{{first}, {count}, {}, m_array.member};
        auto values = m_array.file->read(*m_array.object, slab, hdf5::Lane::Bulk, stop);
        if (!values)
            return std::move(values).error().at(m_path);
        m_values = *std::move(values);
        m_at = {m_values.data(), at(count) * sizeOf(m_values.type())};
    } else {
        auto loaded = m_loader->load(tile, m_bytes, stop);
        if (!loaded)
            return std::move(loaded).error().at(m_path);
        const hdf5::StoredType& type = m_array.info().type;
        m_at = m_bytes.span().first(at(count * type.size));
        const std::size_t word = at(isComplex(type.value) ? type.size / 2 : type.size);
        if (type.bigEndian && word > 1)
            for (std::byte* p = m_bytes.data(); p != m_bytes.data() + m_at.size(); p += word)
                std::reverse(p, p + word);
    }
    m_tile = tile;
    return {};
}

Result<TileValues::Stretch> TileValues::holding(Index position, const std::stop_token& stop)
{
    const Index tile = position / m_length;
    if (tile != m_tile)
        if (Result<void> loaded = load(tile, stop); !loaded)
            return std::move(loaded).error();
    const Index first = tile * m_length;
    return Stretch{first, std::min(m_length, m_array.length() - first), m_at};
}

} // namespace cellfolio
