// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/encode.h"

#include "core/base/text.h"
#include "core/hdf5/filters.h"

#include <libdeflate.h>
#include <lzf.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace cellfolio::hdf5 {

namespace {

enum FilterId : int { kGzip = 1, kShuffle = 2, kFletcher32 = 3, kLzf = 32000, kZstd = 32015 };

Error failed(const char* what)
{
    return Error(ErrorCode::Internal, std::string("A chunk cannot be packed with ") + what + ".");
}

// Bytes packed into `out`; 0 where that would not make them smaller.
Result<std::size_t> deflate(std::span<const std::byte> in, std::span<std::byte> out, int level)
{
    struct Free {
        void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
    };
    // One for each level that this thread met.
    thread_local std::array<std::unique_ptr<libdeflate_compressor, Free>, 13> compressors;
    auto& compressor = compressors[static_cast<std::size_t>(std::clamp(level, 0, 12))];
    if (!compressor)
        compressor.reset(libdeflate_alloc_compressor(std::clamp(level, 0, 12)));
    if (!compressor)
        return failed("gzip");
    return libdeflate_zlib_compress(compressor.get(), in.data(), in.size(), out.data(), out.size());
}

Result<std::size_t> packZstd(std::span<const std::byte> in, std::span<std::byte> out, int level)
{
    struct Free {
        void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
    };
    thread_local const std::unique_ptr<ZSTD_CCtx, Free> context(ZSTD_createCCtx());
    const std::size_t size =
        ZSTD_compressCCtx(context.get(), out.data(), out.size(), in.data(), in.size(), level);
    return ZSTD_isError(size) != 0 ? std::size_t{0} : size;
}

std::size_t packLzf(std::span<const std::byte> in, std::span<std::byte> out)
{
    // It never writes more than it is allowed to, and answers 0 where that is too little.
    return lzf_compress(in.data(), static_cast<unsigned>(in.size()), out.data(),
                        static_cast<unsigned>(out.size()));
}

template <typename Word>
void shuffleWords(const std::byte* in, std::byte* out, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i) {
        Word word;
        std::memcpy(&word, in + i * sizeof(Word), sizeof(Word));
        for (std::size_t b = 0; b < sizeof(Word); ++b)
            out[b * n + i] = static_cast<std::byte>(word >> (8 * b) & 0xFFu);
    }
}

unsigned parameter(const Filter& filter, std::size_t k, unsigned fallback)
{
    return filter.parameters.size() > k ? filter.parameters[k] : fallback;
}

} // namespace

std::optional<Compression> Compression::named(std::string_view text)
{
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    Compression result;
    std::int64_t most = 0;
    if (name == "none") {
        result.packing = Packing::None;
    } else if (name == "gzip") {
        result = {Packing::Gzip, 2};
        most = 9;
    } else if (name == "lzf") {
        result.packing = Packing::Lzf;
    } else if (name == "zstd") {
        result = {Packing::Zstd, 3};
        most = 19;
    } else {
        return std::nullopt;
    }
    if (colon == std::string_view::npos)
        return result;
    std::int64_t level = 0;
    if (!parseInteger(text.substr(colon + 1), level) || level < 1 || level > most)
        return std::nullopt;
    result.level = static_cast<int>(level);
    return result;
}

std::string Compression::text() const
{
    switch (packing) {
    case Packing::None: return "none";
    case Packing::Gzip: return "gzip:" + std::to_string(level);
    case Packing::Lzf: return "lzf";
    case Packing::Zstd: return "zstd:" + std::to_string(level);
    }
    return {};
}

bool canEncode(const ArrayInfo& info)
{
    return std::all_of(info.filters.begin(), info.filters.end(), [](const Filter& filter) {
        return filter.id == kGzip || filter.id == kShuffle || filter.id == kFletcher32
            || filter.id == kLzf || filter.id == kZstd;
    });
}

void shuffle(std::span<const std::byte> in, std::span<std::byte> out, std::size_t itemSize)
{
    const std::size_t n = itemSize == 0 ? 0 : in.size() / itemSize;
    switch (itemSize) {
    case 2: shuffleWords<std::uint16_t>(in.data(), out.data(), n); break;
    case 4: shuffleWords<std::uint32_t>(in.data(), out.data(), n); break;
    case 8: shuffleWords<std::uint64_t>(in.data(), out.data(), n); break;
    default:
        for (std::size_t b = 0; b < itemSize; ++b) {
            for (std::size_t i = 0; i < n; ++i)
                out[b * n + i] = in[i * itemSize + b];
        }
    }
    const std::size_t done = n * itemSize;
    if (done < in.size())
        std::memcpy(out.data() + done, in.data() + done, in.size() - done);
}

Result<std::span<const std::byte>> encodeChunk(const ArrayInfo& info, std::span<const std::byte> chunk,
                                               EncodeScratch& scratch, unsigned& filterMask)
{
    filterMask = 0;
    std::span<const std::byte> current = chunk;
    Buffer* spare = &scratch.first;
    Buffer* other = &scratch.second;
    for (std::size_t k = 0; k < info.filters.size(); ++k) {
        const Filter& filter = info.filters[k];
        spare->resize(current.size() + 4);
        std::size_t size = 0;
        switch (filter.id) {
        case kShuffle: {
            const std::size_t item = parameter(filter, 0, 1);
            if (item <= 1)
                continue; // nothing to do; the bytes are what shuffling them gives
            shuffle(current, spare->span().first(current.size()), item);
            size = current.size();
            break;
        }
        case kFletcher32: {
            const std::uint32_t sum = fletcher32(current);
            std::memcpy(spare->data(), current.data(), current.size());
            std::memcpy(spare->data() + current.size(), &sum, 4);
            size = current.size() + 4;
            break;
        }
        case kGzip: {
            auto packed = deflate(current, spare->span().first(current.size()),
                                  static_cast<int>(parameter(filter, 0, 2)));
            if (!packed)
                return std::move(packed).error();
            size = *packed;
            break;
        }
        case kLzf:
            size = current.size() < 2 ? 0 : packLzf(current, spare->span().first(current.size() - 1));
            break;
        case kZstd: {
            auto packed = packZstd(current, spare->span().first(current.size()),
                                   static_cast<int>(parameter(filter, 0, 3)));
            if (!packed)
                return std::move(packed).error();
            size = *packed;
            break;
        }
        default:
            return failed(filter.name.c_str());
        }
        if (size == 0) {
            filterMask |= 1u << k;
            continue;
        }
        current = std::as_const(*spare).span().first(size);
        std::swap(spare, other);
    }
    return current;
}

} // namespace cellfolio::hdf5
