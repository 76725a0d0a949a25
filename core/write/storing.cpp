// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/write/storing.h"

#include <algorithm>
#include <utility>

namespace cellfolio {

namespace {

constexpr Index kTextBytes = 16; // of a text of variable length: where it lies

Index bytesOf(DType type)
{
    return type == DType::String ? kTextBytes : static_cast<Index>(sizeOf(type));
}

Index product(const std::vector<Index>& lengths, std::size_t from)
{
    Index result = 1;
    for (std::size_t d = from; d < lengths.size(); ++d)
        result *= std::max<Index>(1, lengths[d]);
    return result;
}

// Squares of some 256 KiB for two dimensions, fewer rows where a band of them would be too much.
std::vector<Index> usualChunk(const ArrayShape& wanted)
{
    std::vector<Index> chunk = wanted.shape;
    for (Index& c : chunk)
        c = std::max<Index>(1, c);
    if (chunk.size() == 1) {
        chunk[0] = wanted.extensible ? kUsualChunk : std::min(kUsualChunk, chunk[0]);
        return chunk;
    }
    const Index inner = product(chunk, 2) * bytesOf(wanted.type);
    Index rows = 256;
    while (rows > 1 && rows * chunk[1] * inner > kLargestBandBytes)
        rows /= 2;
    chunk[0] = std::min(chunk[0], rows);
    chunk[1] = std::clamp<Index>((Index{256} << 10) / std::max<Index>(1, chunk[0] * inner), 1, chunk[1]);
    return chunk;
}

// Chunks of a wanted length along the first axis; others as they were, as far as a chunk can be held.
std::vector<Index> askedChunk(const ArrayShape& wanted, Index length, std::vector<Index> chunk)
{
    chunk[0] = wanted.extensible ? length : std::min(length, std::max<Index>(1, wanted.shape[0]));
    if (chunk.size() > 1) {
        const Index rest = chunk[0] * product(chunk, 2) * bytesOf(wanted.type);
        chunk[1] = std::clamp<Index>(kLargestChunkBytes / std::max<Index>(1, rest), 1, chunk[1]);
    }
    return chunk;
}

// The chunk of the source, no longer than the array, and no larger than can be held.
std::vector<Index> keptChunk(const ArrayShape& wanted, const std::vector<Index>& source)
{
    std::vector<Index> chunk = source;
    for (std::size_t d = 0; d < chunk.size(); ++d)
        if (!(d == 0 && wanted.extensible))
            chunk[d] = std::min(chunk[d], std::max<Index>(1, wanted.shape[d]));
    const Index row = product(chunk, 1) * bytesOf(wanted.type);
    chunk[0] = std::min(chunk[0], std::max<Index>(1, kLargestChunkBytes / std::max<Index>(1, row)));
    // A row of chunks is filled at once.
    const Index band = product(wanted.shape, 1) * bytesOf(wanted.type);
    while (chunk.size() > 1 && chunk[0] > 1 && chunk[0] * band > kLargestBandBytes)
        chunk[0] = (chunk[0] + 1) / 2;
    return chunk;
}

} // namespace

hdf5::NewArray planArray(const ArrayShape& wanted, const Storing& storing, const hdf5::ArrayInfo* like)
{
    hdf5::NewArray array;
    array.type = wanted.type;
    array.shape = wanted.shape;
    array.isScalar = wanted.shape.empty();
    array.extensible = wanted.extensible;
    const bool empty = std::find(wanted.shape.begin(), wanted.shape.end(), 0) != wanted.shape.end();
    if (array.isScalar || (empty && !wanted.extensible))
        return array;
    const bool kept = storing.as == Storing::As::Source && like != nullptr;
    if (!kept || like->layout != hdf5::Layout::Chunked || like->chunk.size() != wanted.shape.size()) {
        const hdf5::Compression compression = kept ? hdf5::Compression{} : storing.chosen;
        array.filters = hdf5::NewArray::filtersFor(compression, wanted.type);
        if (wanted.extensible || !array.filters.empty() || storing.chunk > 0)
            array.chunk = usualChunk(wanted);
        if (storing.chunk > 0)
            array.chunk = askedChunk(wanted, storing.chunk, std::move(array.chunk));
        return array;
    }
    array.chunk = keptChunk(wanted, like->chunk);
    if (storing.chunk > 0)
        array.chunk = askedChunk(wanted, storing.chunk, std::move(array.chunk));
    if (hdf5::canEncode(*like))
        array.filters = like->filters;
    else
        array.filters = hdf5::NewArray::filtersFor({hdf5::Packing::Gzip, 2}, wanted.type);
    if (like->type.value == wanted.type && !like->type.bigEndian && like->fill.size() == sizeOf(wanted.type))
        array.fill = like->fill;
    return array;
}

} // namespace cellfolio
