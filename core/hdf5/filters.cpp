// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/filters.h"

#include <blosc.h>
#include <libdeflate.h>
#include <lz4.h>
#include <lzf.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace cellfolio::hdf5 {

namespace {

enum FilterId : int {
    kGzip = 1,
    kShuffle = 2,
    kFletcher32 = 3,
    kLzf = 32000,
    kBlosc = 32001,
    kLz4 = 32004,
    kBitshuffle = 32008,
    kZstd = 32015,
};

bool changesSize(int id)
{
    return id != kShuffle;
}

bool isOurs(int id)
{
    switch (id) {
    case kGzip:
    case kShuffle:
    case kFletcher32:
    case kLzf:
    case kBlosc:
    case kLz4:
    case kBitshuffle:
    case kZstd:
        return true;
    default:
        return false;
    }
}

Error damaged(const char* what)
{
    return Error(ErrorCode::Corrupt, std::string("A part is damaged on disk: ") + what + ".")
        .rule("A056")
        .advise("Copy the file again from the source.");
}

std::uint64_t bigEndian(std::span<const std::byte> bytes, std::size_t at, std::size_t size)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
        value = value << 8 | static_cast<std::uint64_t>(bytes[at + i]);
    return value;
}

Result<void> inflate(std::span<const std::byte> in, std::span<std::byte> out)
{
    struct Free {
        void operator()(libdeflate_decompressor* d) const { libdeflate_free_decompressor(d); }
    };
    thread_local const std::unique_ptr<libdeflate_decompressor, Free> decompressor(
        libdeflate_alloc_decompressor());
    const libdeflate_result result = libdeflate_zlib_decompress(
        decompressor.get(), in.data(), in.size(), out.data(), out.size(), nullptr);
    if (result != LIBDEFLATE_SUCCESS)
        return damaged("its gzip stream does not unpack");
    return {};
}

Result<void> unpackZstd(std::span<const std::byte> in, std::span<std::byte> out)
{
    struct Free {
        void operator()(ZSTD_DCtx* c) const { ZSTD_freeDCtx(c); }
    };
    thread_local const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
    const std::size_t size = ZSTD_decompressDCtx(context.get(), out.data(), out.size(), in.data(), in.size());
    if (ZSTD_isError(size) || size != out.size())
        return damaged("its zstd stream does not unpack");
    return {};
}

Result<void> unpackLzf(std::span<const std::byte> in, std::span<std::byte> out)
{
    const unsigned size = lzf_decompress(in.data(), static_cast<unsigned>(in.size()), out.data(),
                                         static_cast<unsigned>(out.size()));
    if (size != out.size())
        return damaged("its LZF stream does not unpack");
    return {};
}

Result<void> unpackBlosc(std::span<const std::byte> in, std::span<std::byte> out)
{
    std::size_t size = 0;
    if (blosc_cbuffer_validate(in.data(), in.size(), &size) < 0 || size != out.size()
        || blosc_decompress_ctx(in.data(), out.data(), out.size(), 1) != static_cast<int>(out.size()))
        return damaged("its blosc stream does not unpack");
    return {};
}

// Layout of the registered filter: total size (8 bytes), block size (4), then blocks, each with its
// stored length (4) in front; all big-endian. A block as long as its content is stored as it is.
Result<void> unpackLz4(std::span<const std::byte> in, std::span<std::byte> out)
{
    if (in.size() < 12 || bigEndian(in, 0, 8) != out.size())
        return damaged("its LZ4 header is wrong");
    const auto block = static_cast<std::size_t>(bigEndian(in, 8, 4));
    std::size_t from = 12;
    std::size_t to = 0;
    while (to < out.size()) {
        const std::size_t length = std::min(block, out.size() - to);
        if (block == 0 || in.size() - from < 4)
            return damaged("its LZ4 stream ends early");
        const auto stored = static_cast<std::size_t>(bigEndian(in, from, 4));
        from += 4;
        if (stored > in.size() - from)
            return damaged("its LZ4 stream ends early");
        if (stored == length) {
            std::memcpy(out.data() + to, in.data() + from, length);
        } else if (LZ4_decompress_safe(reinterpret_cast<const char*>(in.data() + from),
                                       reinterpret_cast<char*>(out.data() + to),
                                       static_cast<int>(stored), static_cast<int>(length))
                   != static_cast<int>(length)) {
            return damaged("its LZ4 stream does not unpack");
        }
        from += stored;
        to += length;
    }
    return {};
}

// parameters: version (2 values), item size, items a block, packing (0 none, 2 LZ4, 3 zstd).
Result<void> unpackBitshuffle(const Filter& filter, std::span<const std::byte> in,
                              std::span<std::byte> out)
{
    if (filter.parameters.size() < 3)
        return damaged("its bitshuffle parameters are missing");
    const std::size_t item = filter.parameters[2];
    std::size_t blockItems = filter.parameters.size() > 3 ? filter.parameters[3] : 0;
    const unsigned packing = filter.parameters.size() > 4 ? filter.parameters[4] : 0;
    if (item == 0)
        return damaged("its bitshuffle parameters are wrong");
    if (blockItems == 0)
        blockItems = std::max<std::size_t>(128, 8192 / item / 8 * 8);
    if (packing == 0) {
        if (in.size() != out.size())
            return damaged("it has another length than it must have");
        bitUnshuffle(in, out, item, blockItems);
        return {};
    }
    if (in.size() < 12 || bigEndian(in, 0, 8) != out.size())
        return damaged("its bitshuffle header is wrong");
    blockItems = static_cast<std::size_t>(bigEndian(in, 8, 4)) / item;
    if (blockItems == 0 || blockItems % 8 != 0)
        return damaged("its bitshuffle header is wrong");
    const std::size_t items = out.size() / item;
    std::vector<std::byte> block(blockItems * item);
    std::size_t from = 12;
    std::size_t done = 0;
    while (items - done >= 8) {
        // Blocks are whole but the last, which holds a multiple of 8 items.
        const std::size_t n = std::min(blockItems, (items - done) / 8 * 8);
        if (in.size() - from < 4)
            return damaged("its bitshuffle stream ends early");
        const auto stored = static_cast<std::size_t>(bigEndian(in, from, 4));
        from += 4;
        if (stored > in.size() - from)
            return damaged("its bitshuffle stream ends early");
        const std::span<std::byte> target(block.data(), n * item);
        if (packing == 3) {
            if (auto unpacked = unpackZstd(in.subspan(from, stored), target); !unpacked)
                return unpacked;
        } else if (LZ4_decompress_safe(reinterpret_cast<const char*>(in.data() + from),
                                       reinterpret_cast<char*>(target.data()), static_cast<int>(stored),
                                       static_cast<int>(target.size()))
                   != static_cast<int>(target.size())) {
            return damaged("its bitshuffle stream does not unpack");
        }
        bitUnshuffle(target, out.subspan(done * item, n * item), item, n);
        from += stored;
        done += n;
    }
    const std::size_t rest = out.size() - done * item;
    if (in.size() - from < rest)
        return damaged("its bitshuffle stream ends early");
    std::memcpy(out.data() + done * item, in.data() + from, rest);
    return {};
}

std::uint32_t withSwappedHalves(std::uint32_t sum)
{
    return (sum & 0x00FF00FFu) << 8 | (sum & 0xFF00FF00u) >> 8;
}

// The checksum stands behind the bytes. Old libraries stored it with swapped bytes.
Result<void> checkFletcher32(std::span<const std::byte> in)
{
    if (in.size() < 4)
        return damaged("its checksum is missing");
    std::uint32_t stored = 0;
    std::memcpy(&stored, in.data() + in.size() - 4, 4);
    const std::uint32_t sum = fletcher32(in.first(in.size() - 4));
    if (sum != stored && withSwappedHalves(sum) != stored)
        return damaged("its checksum does not hold (Fletcher32)");
    return {};
}

Result<void> undo(const Filter& filter, std::span<const std::byte> in, std::span<std::byte> out)
{
    switch (filter.id) {
    case kGzip: return inflate(in, out);
    case kLzf: return unpackLzf(in, out);
    case kZstd: return unpackZstd(in, out);
    case kLz4: return unpackLz4(in, out);
    case kBlosc: return unpackBlosc(in, out);
    case kBitshuffle: return unpackBitshuffle(filter, in, out);
    case kShuffle:
        if (in.size() != out.size())
            return damaged("it has another length than it must have");
        unshuffle(in, out, filter.parameters.empty() ? 1 : filter.parameters[0]);
        return {};
    default:
        return Error(ErrorCode::UnsupportedFilter, "It is compressed with " + filter.name + ".")
            .rule("A045");
    }
}

template <typename Word>
void unshuffleWords(const std::byte* in, std::byte* out, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i) {
        Word word = 0;
        for (std::size_t b = 0; b < sizeof(Word); ++b)
            word = static_cast<Word>(word | static_cast<Word>(static_cast<Word>(in[b * n + i]) << (8 * b)));
        std::memcpy(out + i * sizeof(Word), &word, sizeof(Word));
    }
}

} // namespace

bool canDecode(const ArrayInfo& info)
{
    int packers = 0;
    for (const Filter& filter : info.filters) {
        if (!isOurs(filter.id))
            return false;
        packers += changesSize(filter.id) && filter.id != kFletcher32 ? 1 : 0;
    }
    return packers <= 1; // the length between two packers is not known beforehand
}

Result<void> decodeChunk(const ArrayInfo& info, std::span<const std::byte> stored,
                         unsigned filterMask, std::span<std::byte> out, DecodeScratch& scratch)
{
    // Some of the libraries read a first byte unasked.
    if (stored.empty() && !out.empty())
        return damaged("nothing is stored of it");
    std::span<const std::byte> current = stored;
    Buffer* spare = &scratch.first;
    Buffer* other = &scratch.second;
    bool written = false;
    for (std::size_t k = info.filters.size(); k-- > 0;) {
        const Filter& filter = info.filters[k];
        if ((filterMask >> k & 1u) != 0)
            continue;
        if (filter.id == kFletcher32) {
            if (auto checked = checkFletcher32(current); !checked)
                return checked;
            current = current.first(current.size() - 4);
            continue;
        }
        std::size_t checksums = 0;
        bool last = true;
        for (std::size_t j = 0; j < k; ++j) {
            if ((filterMask >> j & 1u) != 0)
                continue;
            last = false;
            checksums += info.filters[j].id == kFletcher32 ? 4u : 0u;
        }
        std::span<std::byte> target = out;
        if (!last) {
            spare->resize(out.size() + checksums);
            target = spare->span();
        }
        if (auto undone = undo(filter, current, target); !undone)
            return undone;
        current = target;
        written = last;
        std::swap(spare, other);
    }
    if (!written) {
        if (current.size() != out.size())
            return damaged("it has another length than it must have");
        if (!out.empty())
            std::memcpy(out.data(), current.data(), out.size());
    }
    return {};
}

void unshuffle(std::span<const std::byte> in, std::span<std::byte> out, std::size_t itemSize)
{
    const std::size_t n = itemSize == 0 ? 0 : in.size() / itemSize;
    switch (itemSize) {
    case 2: unshuffleWords<std::uint16_t>(in.data(), out.data(), n); break;
    case 4: unshuffleWords<std::uint32_t>(in.data(), out.data(), n); break;
    case 8: unshuffleWords<std::uint64_t>(in.data(), out.data(), n); break;
    default:
        for (std::size_t b = 0; b < itemSize; ++b) {
            for (std::size_t i = 0; i < n; ++i)
                out[i * itemSize + b] = in[b * n + i];
        }
    }
    // Bytes that fill no item stand at the end, as they are.
    const std::size_t done = n * itemSize;
    if (done < in.size())
        std::memcpy(out.data() + done, in.data() + done, in.size() - done);
}

void bitUnshuffle(std::span<const std::byte> in, std::span<std::byte> out, std::size_t itemSize,
                  std::size_t blockItems)
{
    const std::size_t items = in.size() / itemSize;
    std::size_t done = 0;
    while (items - done >= 8) {
        const std::size_t n = std::min(blockItems, (items - done) / 8 * 8);
        const std::byte* from = in.data() + done * itemSize;
        std::byte* to = out.data() + done * itemSize;
        const std::size_t row = n / 8; // bytes of one bit of all items
        for (std::size_t b = 0; b < itemSize; ++b) {
            for (std::size_t g = 0; g < row; ++g) {
                std::uint64_t bits = 0;
                for (std::size_t k = 0; k < 8; ++k)
                    bits |= static_cast<std::uint64_t>(from[(b * 8 + k) * row + g]) << (8 * k);
                // Transposes the 8 × 8 bits: byte k holds bit k of 8 items.
                std::uint64_t t = (bits ^ (bits >> 7)) & 0x00AA00AA00AA00AAull;
                bits ^= t ^ (t << 7);
                t = (bits ^ (bits >> 14)) & 0x0000CCCC0000CCCCull;
                bits ^= t ^ (t << 14);
                t = (bits ^ (bits >> 28)) & 0x00000000F0F0F0F0ull;
                bits ^= t ^ (t << 28);
                for (std::size_t i = 0; i < 8; ++i)
                    to[(g * 8 + i) * itemSize + b] = static_cast<std::byte>(bits >> (8 * i) & 0xFFu);
            }
        }
        done += n;
    }
    const std::size_t rest = in.size() - done * itemSize;
    if (rest > 0)
        std::memcpy(out.data() + done * itemSize, in.data() + done * itemSize, rest);
}

std::uint32_t fletcher32(std::span<const std::byte> bytes)
{
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::size_t i = 0;
    std::size_t words = bytes.size() / 2;
    while (words > 0) {
        // 360 words are the most that cannot overflow.
        std::size_t batch = std::min<std::size_t>(words, 360);
        words -= batch;
        for (; batch > 0; --batch, i += 2) {
            low += static_cast<std::uint32_t>(bytes[i]) << 8 | static_cast<std::uint32_t>(bytes[i + 1]);
            high += low;
        }
        low = (low & 0xFFFFu) + (low >> 16);
        high = (high & 0xFFFFu) + (high >> 16);
    }
    if (bytes.size() % 2 != 0) {
        low += static_cast<std::uint32_t>(bytes[i]) << 8;
        high += low;
        low = (low & 0xFFFFu) + (low >> 16);
        high = (high & 0xFFFFu) + (high >> 16);
    }
    low = (low & 0xFFFFu) + (low >> 16);
    high = (high & 0xFFFFu) + (high >> 16);
    return high << 16 | low;
}

} // namespace cellfolio::hdf5
