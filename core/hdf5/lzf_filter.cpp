// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/lzf_filter.h"

#include <hdf5.h>
#include <lzf.h>

#include <cerrno>
#include <cstdlib>

namespace cellfolio::hdf5 {

namespace {

constexpr H5Z_filter_t kLzf = 32000;

// The third client value, where the writer left one, is the size of a decoded chunk.
std::size_t lzfFilter(unsigned flags, std::size_t valueCount, const unsigned values[],
                      std::size_t byteCount, std::size_t* bufferSize, void** buffer)
{
    if ((flags & H5Z_FLAG_REVERSE) == 0 || byteCount == 0)
        return 0; // reading only
    std::size_t room = valueCount >= 3 && values[2] > 0 ? values[2] : 4 * byteCount + 64;
    for (;;) {
        void* decoded = std::malloc(room);
        if (!decoded)
            return 0;
        const unsigned size = lzf_decompress(*buffer, static_cast<unsigned>(byteCount), decoded,
                                             static_cast<unsigned>(room));
        if (size > 0) {
            std::free(*buffer);
            *buffer = decoded;
            *bufferSize = room;
            return size;
        }
        std::free(decoded);
        if (errno != E2BIG || room > (std::size_t{1} << 31))
            return 0;
        room *= 2;
    }
}

} // namespace

void registerLzf()
{
    static const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, kLzf,    0,        1,
                                        "lzf",            nullptr, nullptr, lzfFilter};
    H5Zregister(&filter);
}

} // namespace cellfolio::hdf5
