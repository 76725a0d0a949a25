// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/gene_index.h"

#include "core/base/text.h"
#include "core/matrix/gene_index_format.h"
#include "core/matrix/number_types.h"
#include "core/matrix/scratch_file.h"
#include "core/matrix/tile_values.h"

#define XXH_STATIC_LINKING_ONLY // a state on the stack
#include <xxhash.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cellfolio {

namespace fs = std::filesystem;

namespace {

constexpr Index kSamples = 32;
constexpr Index kSampleLength = 1024;

Error damaged(const fs::path& path, const std::string& why)
{
    return Error(ErrorCode::Corrupt, "The gene index " + path.string() + " is damaged: " + why)
        .advise("It is dropped; build it again.");
}

Result<hdf5::FileIdentity> identityOf(const fs::path& path)
{
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0)
        return Error(ErrorCode::Io, std::string("The file can no longer be looked at: ")
                                        + std::strerror(errno) + ".")
            .at("/");
    return hdf5::FileIdentity{static_cast<std::uint64_t>(found.st_dev),
                              static_cast<std::uint64_t>(found.st_ino), Index{found.st_size},
                              Index{found.st_mtim.tv_sec} * 1'000'000'000
                                  + Index{found.st_mtim.tv_nsec}};
}

// Entries here and there: tells a matrix that was changed in place from what it was.
Result<std::uint64_t> sampleOf(const ArrayRef& array, Index stored, const std::string& path,
                               const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    TileValues values(array, reading, path);
    const auto item = static_cast<Index>(sizeOf(array.dtype()));
    std::uint64_t digest = XXH3_64bits(&stored, sizeof stored);
    for (Index k = 0; k < kSamples && stored > 0; ++k) {
        const Index first = (stored - 1) / kSamples * k + (k + 1 == kSamples ? (stored - 1) % kSamples : 0);
        auto tile = values.holding(first, stop);
        if (!tile)
            return std::move(tile).error();
        const Index count = std::min(kSampleLength, tile->first + tile->count - first);
        const auto bytes = tile->bytes.subspan(at((first - tile->first) * item), at(count * item));
        digest = XXH3_64bits_withSeed(bytes.data(), bytes.size(), digest);
    }
    return digest;
}

std::string textOf(std::span<const char> field)
{
    return {field.data(), ::strnlen(field.data(), field.size())};
}

} // namespace

std::uint64_t GeneIndexHeader::hash(std::span<const std::byte> bytes) noexcept
{
    return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t GeneIndexHeader::hash(std::span<const std::byte> first,
                                    std::span<const std::byte> second) noexcept
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, first.data(), first.size());
    XXH3_64bits_update(&state, second.data(), second.size());
    return XXH3_64bits_digest(&state);
}

std::uint64_t GeneIndexHeader::ownChecksum() const noexcept
{
    return XXH3_64bits(this, offsetof(GeneIndexHeader, checksum));
}

Result<GeneIndexOrigin> GeneIndexOrigin::quick(const Dataset& dataset, const Element& matrix)
{
    GeneIndexOrigin origin;
    auto fingerprint = dataset.file().fingerprint();
    if (!fingerprint)
        return std::move(fingerprint).error();
    auto identity = identityOf(dataset.file().path());
    if (!identity)
        return std::move(identity).error();
    origin.fingerprint = *fingerprint;
    origin.identity = *identity;
    std::error_code failure;
    const fs::path whole = fs::canonical(dataset.file().path(), failure);
    origin.file = (failure ? dataset.file().path() : whole).string();
    origin.matrix = matrix.values ? matrix.values.object->path : matrix.path;
    return origin;
}

Result<GeneIndexOrigin> GeneIndexOrigin::of(const Dataset& dataset, const SparseSource& source,
                                            std::shared_ptr<Reading> reading, std::stop_token stop)
{
    auto matrix = dataset.find(source.path());
    if (!matrix)
        return std::move(matrix).error();
    auto origin = quick(dataset, **matrix);
    if (!origin)
        return origin;
    for (const ArrayRef* array : {&source.data(), &source.indices()}) {
        auto sample = sampleOf(*array, source.stored(), source.path(), reading, stop);
        if (!sample)
            return std::move(sample).error();
        origin->sample = origin->sample * 31 + *sample;
    }
    return origin;
}

Result<std::shared_ptr<const GeneIndex>> GeneIndex::open(const fs::path& path,
                                                         std::shared_ptr<Reading> reading)
{
    std::shared_ptr<GeneIndex> index(new GeneIndex);
    index->m_path = path;
    index->m_descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (index->m_descriptor < 0) {
        if (errno == ENOENT)
            return Error(ErrorCode::NotFound, "There is no gene index.");
        return Error(ErrorCode::Io, "The gene index " + path.string() + " cannot be read: "
                                        + std::strerror(errno) + ".");
    }
    struct stat found {};
    if (::fstat(index->m_descriptor, &found) != 0
        || Index{found.st_size} < static_cast<Index>(sizeof(GeneIndexHeader)))
        return damaged(path, "it is cut off.");
    GeneIndexHeader header;
    if (Result<void> read = readAt(index->m_descriptor, 0,
                                   std::as_writable_bytes(std::span(&header, 1)), path);
        !read)
        return read.error();
    if (header.magic != GeneIndexHeader::kMagic)
        return damaged(path, "it does not begin like one.");
    if (header.version != GeneIndexHeader::kVersion)
        return damaged(path, "it is of version " + exactText(Index{header.version}) + ".");
    if (header.checksum != header.ownChecksum())
        return damaged(path, "its header does not hold together.");
    const auto type = static_cast<DType>(header.dtype);
    constexpr Index kEntry = sizeof(GeneIndexEntry);
    if (header.fileBytes != Index{found.st_size} || header.dtype > static_cast<std::uint32_t>(DType::Complex128)
        || header.cells < 0 || header.genes < 0 || header.entries < 0
        || header.directory < static_cast<Index>(sizeof header) || header.directory > header.fileBytes
        || header.genes != (header.fileBytes - header.directory) / kEntry
        || (header.fileBytes - header.directory) % kEntry != 0)
        return damaged(path, "its lengths do not fit each other.");

    auto charge = reading->budget().reserve(MemoryTag::Indptr, header.genes * kEntry);
    if (!charge)
        return std::move(charge).error();
    index->m_charge = *std::move(charge);
    index->m_directory.resize(at(header.genes));
    const auto directory = std::as_writable_bytes(std::span(index->m_directory));
    if (Result<void> read = readAt(index->m_descriptor, header.directory, directory, path); !read)
        return read.error();
    if (GeneIndexHeader::hash(directory) != header.directoryChecksum)
        return damaged(path, "its directory does not hold together.");
    Index entries = 0;
    for (const GeneIndexEntry& entry : index->m_directory) {
        const auto end = static_cast<std::uint64_t>(header.directory);
        if (entry.bytes > end || entry.offset > end - entry.bytes
            || (entry.bytes > 0 && entry.offset < sizeof header))
            return damaged(path, "its directory points outside.");
        entries += static_cast<Index>(entry.countAndKind & kCountMask);
    }
    if (entries != header.entries)
        return damaged(path, "its directory has not all entries.");

    index->m_reading = std::move(reading);
    index->m_origin.fingerprint = header.fingerprint;
    index->m_origin.sample = header.sample;
    index->m_origin.identity = {header.sourceDevice, header.sourceInode, header.sourceSize,
                                header.sourceModified};
    index->m_origin.file = textOf(header.file);
    index->m_origin.matrix = textOf(header.matrix);
    index->m_cells = header.cells;
    index->m_entries = header.entries;
    index->m_bytes = header.fileBytes;
    index->m_type = type;
    return std::shared_ptr<const GeneIndex>(std::move(index));
}

GeneIndex::~GeneIndex()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Index GeneIndex::entriesOf(Index gene) const noexcept
{
    return static_cast<Index>(m_directory[at(gene)].countAndKind & kCountMask);
}

Index GeneIndex::bytesOf(Index gene) const noexcept
{
    return static_cast<Index>(m_directory[at(gene)].bytes);
}

Result<GeneEntries> GeneIndex::entries(Index gene) const
{
    assert(gene >= 0 && gene < genes());
    const GeneIndexEntry& entry = m_directory[at(gene)];
    const auto count = static_cast<Index>(entry.countAndKind & kCountMask);
    const auto size = static_cast<Index>(entry.bytes);
    if (count == 0)
        return GeneEntries{{}, Values(m_type, 0)};
    if (count > size)
        return damaged(m_path, "gene " + exactText(gene) + " is too short for its entries.");
    auto room = m_reading->budget().reserve(
        MemoryTag::Job, size + count * static_cast<Index>(4 + sizeOf(m_type)));
    if (!room)
        return std::move(room).error();
    Buffer code(at(size));
    if (Result<void> read = readAt(m_descriptor, static_cast<Index>(entry.offset), code.span(), m_path);
        !read)
        return std::move(read).error();
    if (GeneIndexHeader::hash(code.span()) != entry.checksum)
        return damaged(m_path, "gene " + exactText(gene) + " does not hold together.");
    auto entries = decodeGene(code.span(), static_cast<GeneValueKind>(entry.countAndKind >> 56),
                              count, m_cells, m_type);
    if (!entries)
        return damaged(m_path, "gene " + exactText(gene) + " cannot be decoded.");
    return entries;
}

Result<Values> GeneIndex::values(Index gene) const
{
    auto room = m_reading->budget().reserve(MemoryTag::Job,
                                            m_cells * static_cast<Index>(sizeOf(m_type)));
    if (!room)
        return std::move(room).error();
    auto found = entries(gene);
    if (!found)
        return std::move(found).error();
    Values result(m_type, m_cells);
    if (m_cells > 0)
        std::memset(result.data(), 0, at(m_cells) * sizeOf(m_type));
    Index overflow = -1;
    visitNumber(m_type, [&]<typename T>(const T*) {
        const std::span<const T> from = std::as_const(found->values).template as<T>();
        const std::span<T> to = result.as<T>();
        for (std::size_t k = 0; k < found->cells.size(); ++k)
            if (!addEntry(to[found->cells[k]], from[k]))
                overflow = found->cells[k];
    });
    if (overflow >= 0)
        return Error(ErrorCode::Corrupt, "The entries stored for row " + exactText(overflow)
                                             + ", column " + exactText(gene)
                                             + " add up to more than "
                                             + std::string(nameOf(m_type)) + " can hold.")
            .rule("B007o")
            .advise("Widen the type of the matrix.");
    return result;
}

} // namespace cellfolio
