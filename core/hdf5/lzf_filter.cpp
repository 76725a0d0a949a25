// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/lzf_filter.h"

#include <hdf5.h>
#include <lzf.h>
#include <zstd.h>

#include <cerrno>
#include <cstdlib>

namespace cellfolio::hdf5 {

namespace {

constexpr H5Z_filter_t kLzf = 32000;
constexpr H5Z_filter_t kZstd = 32015;

// Puts `made` in the place of the library's buffer.
std::size_t replace(void** buffer, std::size_t* bufferSize, void* made, std::size_t room, std::size_t size)
{
    std::free(*buffer);
    *buffer = made;
    *bufferSize = room;
    return size;
}

// The third client value, where the writer left one, is the size of a decoded chunk.
std::size_t lzfFilter(unsigned flags, std::size_t valueCount, const unsigned values[],
                      std::size_t byteCount, std::size_t* bufferSize, void** buffer)
{
    if (byteCount == 0)
        return 0;
    if ((flags & H5Z_FLAG_REVERSE) == 0) {
        void* packed = std::malloc(byteCount);
        if (!packed)
            return 0;
        const unsigned size = lzf_compress(*buffer, static_cast<unsigned>(byteCount), packed,
                                           static_cast<unsigned>(byteCount));
        if (size > 0)
            return replace(buffer, bufferSize, packed, byteCount, size);
        std::free(packed);
        return 0;
    }
    std::size_t room = valueCount >= 3 && values[2] > 0 ? values[2] : 4 * byteCount + 64;
    for (;;) {
        void* decoded = std::malloc(room);
        if (!decoded)
            return 0;
        const unsigned size = lzf_decompress(*buffer, static_cast<unsigned>(byteCount), decoded,
                                             static_cast<unsigned>(room));
        if (size > 0)
            return replace(buffer, bufferSize, decoded, room, size);
        std::free(decoded);
        if (errno != E2BIG || room > (std::size_t{1} << 31))
            return 0;
        room *= 2;
    }
}

std::size_t zstdFilter(unsigned flags, std::size_t valueCount, const unsigned values[],
                       std::size_t byteCount, std::size_t* bufferSize, void** buffer)
{
    const bool reads = (flags & H5Z_FLAG_REVERSE) != 0;
    const unsigned long long room =
        reads ? ZSTD_getFrameContentSize(*buffer, byteCount) : ZSTD_compressBound(byteCount);
    if (room == 0 || room > (1ull << 32))
        return 0; // errors and unknown sizes are very large numbers
    void* made = std::malloc(static_cast<std::size_t>(room));
    if (!made)
        return 0;
    const int level = valueCount > 0 ? static_cast<int>(values[0]) : 3;
    const std::size_t size =
        reads ? ZSTD_decompress(made, static_cast<std::size_t>(room), *buffer, byteCount)
              : ZSTD_compress(made, static_cast<std::size_t>(room), *buffer, byteCount, level);
    if (ZSTD_isError(size) != 0) {
        std::free(made);
        return 0;
    }
    return replace(buffer, bufferSize, made, static_cast<std::size_t>(room), size);
}

} // namespace

void registerLzf()
{
    static const H5Z_class2_t lzf = {H5Z_CLASS_T_VERS, kLzf,    1,        1,
                                     "lzf",            nullptr, nullptr, lzfFilter};
    static const H5Z_class2_t zstd = {H5Z_CLASS_T_VERS, kZstd,   1,        1,
                                      "zstd",           nullptr, nullptr, zstdFilter};
    H5Zregister(&lzf);
    H5Zregister(&zstd);
}

} // namespace cellfolio::hdf5
