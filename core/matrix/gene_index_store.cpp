// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/gene_index_store.h"

#include "core/base/text.h"
#include "core/matrix/external_transpose.h"
#include "core/matrix/gene_index_format.h"
#include "core/matrix/scratch_file.h"
#include "core/matrix/spilled_block.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cellfolio {

namespace fs = std::filesystem;

namespace {

constexpr const char* kEnding = ".genes";
// Entries sorted, gathered and coded in a second by one core, beside the decoding; and decoded,
// where no scan told: measured on counts of 100 000 and of a million cells.
constexpr double kRegroupedPerSecond = 60e6;
constexpr double kInflatedPerSecond = 85e6;
constexpr double kPlainPerSecond = 600e6;

std::string hex(std::uint64_t value)
{
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
    return text.data();
}

struct Stored {
    fs::path path;
    Index bytes = 0;
    fs::file_time_type used;
};

// A folder the user chose may hold other files: only what is named as pathOf() names it is ours.
bool isNamedAsIndex(const fs::path& file)
{
    const std::string stem = file.stem().string();
    if (file.extension() != kEnding || stem.size() != 33 || stem[16] != '-')
        return false;
    return stem.find_first_not_of("0123456789abcdef-") == std::string::npos;
}

std::vector<Stored> storedIn(const fs::path& folder)
{
    std::vector<Stored> result;
    std::error_code failure;
    for (fs::directory_iterator file(folder, failure), end; !failure && file != end;
         file.increment(failure)) {
        if (!isNamedAsIndex(file->path()))
            continue;
        std::error_code gone;
        const auto size = file->file_size(gone);
        const auto used = file->last_write_time(gone);
        if (!gone)
            result.push_back({file->path(), static_cast<Index>(size), used});
    }
    return result;
}

// The time of the last change stands for that of the last use: times of reading are often not kept.
void markUsed(const fs::path& path)
{
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

// The header of an index, unchecked but for its own checksum.
std::optional<GeneIndexHeader> headerOf(const fs::path& path)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return std::nullopt;
    GeneIndexHeader header;
    const Result<void> read =
        readAt(descriptor, 0, std::as_writable_bytes(std::span(&header, 1)), path);
    ::close(descriptor);
    if (!read || header.magic != GeneIndexHeader::kMagic || header.checksum != header.ownChecksum())
        return std::nullopt;
    return header;
}

// Bytes of a value once narrowed, from the first entries and some in the middle.
Result<Index> likelyValueBytes(const SparseSource& source, std::stop_token stop)
{
    constexpr Index kLook = 16384;
    Index bytes = 1;
    for (const Index first : {Index{0}, source.stored() / 2}) {
        const Index count = std::min(kLook, source.stored() - first);
        if (count <= 0)
            continue;
        auto values = source.readData(first, count, stop);
        if (!values)
            return std::move(values).error();
        const NarrowKind kind = narrowestFor(source.dtype(), values->data(), count);
        bytes = std::max(bytes, static_cast<Index>(narrowSize(kind, source.dtype())));
    }
    return bytes;
}

} // namespace

fs::path GeneIndexStore::defaultFolder()
{
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && fs::path(cache).is_absolute())
        return fs::path(cache) / "cellfolio" / "genes";
    const char* home = std::getenv("HOME");
    if (home != nullptr && *home != '\0')
        return fs::path(home) / ".cache" / "cellfolio" / "genes";
    return fs::temp_directory_path() / ("cellfolio-" + std::to_string(::getuid())) / "genes";
}

fs::path GeneIndexStore::pathOf(const GeneIndexOrigin& origin) const
{
    const auto matrix = std::as_bytes(std::span(origin.matrix));
    return m_folder / (hex(origin.fingerprint) + "-" + hex(GeneIndexHeader::hash(matrix)) + kEnding);
}

Result<void> GeneIndexStore::canHave(const Element& matrix)
{
    if (matrix.whyNot)
        return *matrix.whyNot;
    if (matrix.storage == Storage::Csr)
        return {};
    const std::string name = matrix.path.empty() ? "This" : "\"" + matrix.path + "\"";
    if (matrix.storage == Storage::Csc)
        return Error(ErrorCode::Refused,
                     name + " is stored by gene, so it needs no gene index.")
            .at(matrix.path);
    if (matrix.storage == Storage::Dense && matrix.shape && matrix.shape->size() == 2)
        return Error(ErrorCode::Refused, name + " is dense, so it needs no gene index.")
            .at(matrix.path);
    return Error(ErrorCode::NotFound, name + " is no matrix.")
        .at(matrix.path)
        .advise("Name a sparse matrix, such as X, layers/counts or raw/X.");
}

Result<std::string> GeneIndexStore::misfit(const GeneIndex& index, const Dataset& dataset,
                                           const GeneIndexOrigin& now, const SparseSource& source,
                                           std::shared_ptr<Reading> reading,
                                           std::stop_token stop) const
{
    if (index.origin().fingerprint != now.fingerprint || index.cells() != source.lines()
        || index.genes() != source.width() || index.dtype() != source.dtype())
        return std::string("The file has changed since it was made.");
    if (index.origin().identity == now.identity)
        return std::string();
    // A copy, or a change that the fingerprint did not touch.
    auto known = GeneIndexOrigin::of(dataset, source, std::move(reading), stop);
    if (!known)
        return std::move(known).error();
    return known->sample == index.origin().sample
               ? std::string()
               : std::string("The matrix has changed since it was made.");
}

Result<GeneIndexStore::Status> GeneIndexStore::status(std::shared_ptr<const Dataset> dataset,
                                                      const Element& matrix,
                                                      std::shared_ptr<Reading> reading,
                                                      std::stop_token stop) const
{
    if (Result<void> can = canHave(matrix); !can)
        return std::move(can).error();
    auto source = SparseSource::open(dataset, matrix, reading);
    if (!source)
        return std::move(source).error();
    auto now = GeneIndexOrigin::quick(*dataset, matrix);
    if (!now)
        return std::move(now).error();
    Status status;
    status.file = pathOf(*now);
    auto index = GeneIndex::open(status.file, reading);
    if (index) {
        status.exists = true;
        status.bytes = (*index)->bytes();
        status.entries = (*index)->entries();
        auto why = misfit(**index, *dataset, *now, *source, reading, stop);
        if (!why)
            return std::move(why).error();
        status.why = *std::move(why);
        status.fresh = status.why.empty();
        return status;
    }
    if (index.error().code() != ErrorCode::NotFound) {
        if (index.error().code() != ErrorCode::Corrupt)
            return std::move(index).error();
        std::error_code failure;
        status.exists = true;
        status.bytes = static_cast<Index>(fs::file_size(status.file, failure));
        status.why = index.error().message();
        return status;
    }
    // None for the file as it is, but perhaps for what it was.
    for (const Stored& stored : storedIn(m_folder)) {
        const auto header = headerOf(stored.path);
        if (header && now->file == header->file.data() && now->matrix == header->matrix.data()) {
            status.exists = true;
            status.bytes = stored.bytes;
            status.entries = header->entries;
            status.file = stored.path;
            status.why = "The file has changed since it was made.";
        }
    }
    return status;
}

Result<std::shared_ptr<const GeneIndex>>
GeneIndexStore::find(std::shared_ptr<const Dataset> dataset, const Element& matrix,
                     std::shared_ptr<Reading> reading, std::stop_token stop) const
{
    if (Result<void> can = canHave(matrix); !can)
        return std::move(can).error();
    auto source = SparseSource::open(dataset, matrix, reading);
    if (!source)
        return std::move(source).error();
    auto now = GeneIndexOrigin::quick(*dataset, matrix);
    if (!now)
        return std::move(now).error();
    const fs::path path = pathOf(*now);
    auto index = GeneIndex::open(path, reading);
    std::error_code ignored;
    if (!index) {
        if (index.error().code() == ErrorCode::NotFound && dropOutdated(*now))
            return Error(ErrorCode::FileChanged, "There was a gene index. The file has changed "
                                                 "since it was made. It was dropped.");
        if (index.error().code() != ErrorCode::Corrupt)
            return index;
        fs::remove(path, ignored);
        return Error(ErrorCode::Corrupt, index.error().message() + " It was dropped.");
    }
    auto why = misfit(**index, *dataset, *now, *source, reading, stop);
    if (!why)
        return std::move(why).error();
    if (!why->empty()) {
        fs::remove(path, ignored);
        return Error(ErrorCode::FileChanged,
                     "There was a gene index. " + *why + " It was dropped.");
    }
    markUsed(path);
    return index;
}

bool GeneIndexStore::dropOutdated(const GeneIndexOrigin& now) const
{
    bool any = false;
    for (const Stored& stored : storedIn(m_folder)) {
        const auto header = headerOf(stored.path);
        std::error_code ignored;
        if (header && header->fingerprint != now.fingerprint && now.file == header->file.data()
            && now.matrix == header->matrix.data())
            any = fs::remove(stored.path, ignored) || any;
    }
    return any;
}

Result<GeneIndexStore::Estimate>
GeneIndexStore::estimate(std::shared_ptr<const Dataset> dataset, const Element& matrix,
                         std::shared_ptr<Reading> reading, double scanSeconds,
                         std::stop_token stop) const
{
    if (Result<void> can = canHave(matrix); !can)
        return std::move(can).error();
    auto source = SparseSource::open(dataset, matrix, reading);
    if (!source)
        return std::move(source).error();
    Estimate estimate;
    estimate.entries = source->stored();
    auto valueBytes = likelyValueBytes(*source, stop);
    if (!valueBytes)
        return std::move(valueBytes).error();
    // A distance takes a byte below 128, two below 16384; their mean tells about how many do.
    const double places = static_cast<double>(source->lines()) * static_cast<double>(source->width());
    const double distance = places / std::max(1.0, static_cast<double>(estimate.entries));
    const double distanceBytes = distance < 10 ? 1.02 : distance < 60 ? 1.15 : distance < 2000 ? 1.9 : 2.8;
    estimate.output = static_cast<Index>(
        static_cast<double>(estimate.entries) * (distanceBytes + static_cast<double>(*valueBytes)))
                    + source->width() * Index{sizeof(GeneIndexEntry)}
                    + Index{sizeof(GeneIndexHeader)};
    estimate.temporary = ExternalTranspose::temporaryBytes(estimate.entries, *valueBytes);
    estimate.memory = reading->budget().limit();
    const double threads = reading->threads();
    const bool packed = !source->indices().info().filters.empty();
    const double decoding =
        scanSeconds > 0 ? scanSeconds * 1.25
                        : static_cast<double>(estimate.entries)
                              / (packed ? kInflatedPerSecond : kPlainPerSecond) / threads;
    estimate.seconds =
        decoding + static_cast<double>(estimate.entries) / kRegroupedPerSecond / threads;
    estimate.folder = m_folder;
    auto free = freeSpace(m_folder);
    if (!free)
        return std::move(free).error();
    estimate.free = *free;
    if (estimate.output > m_limit)
        estimate.reason = "It would take " + byteText(estimate.output)
                        + ", more than all gene indexes together may: " + byteText(m_limit) + ".";
    else if (estimate.output + estimate.temporary > estimate.free)
        estimate.reason = "It needs " + byteText(estimate.output + estimate.temporary) + " in "
                        + m_folder.string() + ", where " + byteText(estimate.free) + " are free.";
    return estimate;
}

Result<GeneIndexStore::Built> GeneIndexStore::build(std::shared_ptr<const Dataset> dataset,
                                                    const Element& matrix,
                                                    std::shared_ptr<Reading> reading,
                                                    std::stop_token stop, Progress* progress) const
{
    auto planned = estimate(dataset, matrix, reading, 0, stop);
    if (!planned)
        return std::move(planned).error();
    if (!planned->fits())
        return Error(ErrorCode::OutOfDisk, planned->reason)
            .at(matrix.path)
            .advise("Make room, or allow the gene indexes more.");
    auto source = SparseSource::open(dataset, matrix, reading);
    if (!source)
        return std::move(source).error();
    GeneIndexWriter::removeLeftovers(m_folder);
    auto origin = GeneIndexOrigin::of(*dataset, *source, reading, stop);
    if (!origin)
        return std::move(origin).error();

    std::unique_ptr<GeneIndexWriter> writer;
    Built built;
    built.file = pathOf(*origin);
    const ExternalTranspose transpose(*source, reading);
    ExternalTranspose::Options options;
    options.folder = m_folder;
    options.stop = stop;
    options.progress = progress;
    options.temporary = &built.temporary;
    auto valueBytes = likelyValueBytes(*source, stop);
    if (!valueBytes)
        return std::move(valueBytes).error();
    options.sinkBytesAnEntry = GeneCoder::bytesAnEntry(*valueBytes);
    const auto begin = [&](const std::vector<Index>& counts, int workers) -> Result<void> {
        for (const Index count : counts)
            built.entries += count;
        auto created = GeneIndexWriter::create(
            built.file, *origin,
            {source->lines(), source->width(), built.entries, source->dtype()});
        if (!created)
            return std::move(created).error();
        writer = *std::move(created);
        writer->setWorkers(workers);
        return {};
    };
    const auto sink = [&](const TransposedPiece& piece) { return writer->add(piece); };
    if (Result<void> done = transpose.run(options, begin, sink); !done)
        return std::move(done).error();
    if (stop.stop_requested())
        return Error::cancelled();
    if (dataset->file().changedOnDisk())
        return Error(ErrorCode::FileChanged, "The file was changed while it was read.")
            .at("/")
            .advise("Open it again.");
    auto bytes = writer->commit();
    if (!bytes)
        return std::move(bytes).error();
    built.bytes = *bytes;
    dropOutdated(*origin);
    shrinkTo(m_limit, built.file);
    return built;
}

Result<bool> GeneIndexStore::drop(const Dataset& dataset, const Element& matrix) const
{
    if (Result<void> can = canHave(matrix); !can)
        return std::move(can).error();
    auto now = GeneIndexOrigin::quick(dataset, matrix);
    if (!now)
        return std::move(now).error();
    const std::size_t before = storedIn(m_folder).size();
    dropOutdated(*now);
    std::error_code failure;
    const bool removed = fs::remove(pathOf(*now), failure);
    if (failure)
        return Error(ErrorCode::Io, "The gene index cannot be removed: " + failure.message() + ".");
    return removed || storedIn(m_folder).size() < before;
}

GeneIndexStore::Total GeneIndexStore::total() const
{
    Total total;
    for (const Stored& stored : storedIn(m_folder)) {
        ++total.indexes;
        total.bytes += stored.bytes;
    }
    return total;
}

Result<GeneIndexStore::Total> GeneIndexStore::clear() const
{
    Total gone;
    std::optional<Error> problem;
    for (const Stored& stored : storedIn(m_folder)) {
        std::error_code failure;
        if (fs::remove(stored.path, failure)) {
            ++gone.indexes;
            gone.bytes += stored.bytes;
        } else if (failure && !problem) {
            problem = Error(ErrorCode::Io, stored.path.string() + " cannot be removed: "
                                               + failure.message() + ".");
        }
    }
    if (problem)
        return *std::move(problem);
    return gone;
}

void GeneIndexStore::shrinkTo(Index bytes, const fs::path& keep) const
{
    std::vector<Stored> all = storedIn(m_folder);
    std::sort(all.begin(), all.end(),
              [](const Stored& a, const Stored& b) { return a.used < b.used; });
    Index total = 0;
    for (const Stored& stored : all)
        total += stored.bytes;
    for (const Stored& stored : all) {
        std::error_code ignored;
        if (total <= bytes)
            return;
        if (stored.path != keep && fs::remove(stored.path, ignored))
            total -= stored.bytes;
    }
}

} // namespace cellfolio
