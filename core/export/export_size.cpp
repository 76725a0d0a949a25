// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/export_size.h"

#include "core/base/text.h"
#include "core/export/ragged_cut.h"
#include "core/matrix/subset_stream.h"
#include "core/paging/array_reader.h"
#include "core/paging/page_cache.h"
#include "core/write/staged_file.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace cellfolio {

namespace {

constexpr Index kPlainBytes = Index{8} << 10; // of a file with nothing in it
constexpr Index kArrayBytes = 700;            // of a small array: header, attributes, its place in a group
constexpr Index kTextBytes = 16 + 14;         // of a text of usual length, where it lies and what it is

Index countOf(const std::vector<Index>& shape)
{
    Index count = 1;
    for (const Index d : shape)
        count *= d;
    return count;
}

double share(const ExportOptions& options, const Element& element, std::size_t dimension)
{
    const Selection* selection = options.along(element, dimension);
    if (selection == nullptr)
        return 1;
    return selection->extent() == 0 ? 0
                                    : static_cast<double>(selection->size()) / static_cast<double>(selection->extent());
}

Index bytesOf(const ArrayRef& array)
{
    if (!array || array.info().isNull)
        return 0;
    const DType type = array.dtype();
    return countOf(array.shape()) * (type == DType::String ? kTextBytes : std::max<Index>(1, static_cast<Index>(sizeOf(type))));
}

// Bytes on disk of one stored value, from the chunks at the start, the middle and the end.
double storedPerByte(const ArrayRef& array, const std::stop_token& stop)
{
    if (!array)
        return 1;
    const hdf5::ArrayInfo& info = array.info();
    if (info.layout != hdf5::Layout::Chunked || info.filters.empty() || info.rank() == 0 || info.count() == 0)
        return 1;
    std::vector<Index> offsets;
    std::vector<Index> chunks;
    Index chunkBytes = info.type.size;
    for (std::size_t d = 0; d < info.shape.size(); ++d) {
        chunks.push_back((info.shape[d] + info.chunk[d] - 1) / info.chunk[d]);
        chunkBytes *= info.chunk[d];
    }
    constexpr int kSamples = 8;
    for (int k = 0; k < kSamples; ++k)
        for (std::size_t d = 0; d < chunks.size(); ++d)
            offsets.push_back((chunks[d] - 1) * k / (kSamples - 1) * info.chunk[d]);
    auto raw = std::make_shared<hdf5::RawChunks>();
    if (auto read = array.file->readChunks(*array.object, offsets, raw, hdf5::Lane::Bulk, stop); !read)
        return 1;
    const double whole = static_cast<double>(std::min(chunkBytes, info.count() * info.type.size));
    double stored = 0;
    for (const auto& item : raw->items)
        stored += static_cast<double>(item.size);
    return std::min(1.1, stored / (kSamples * whole));
}

// Elements that are written, with their parts.
std::vector<const Element*> written(const ExportOptions& options)
{
    std::vector<const Element*> result;
    for (const Element* element : options.view.dataset()->elements()) {
        const std::string& path = element->path;
        const bool ofX = path == "X" || path.starts_with("layers/") || path.starts_with("varm/") || path.starts_with("varp/")
                      || path == "var" || path.starts_with("var/");
        if (options.fromRaw && ofX)
            continue;
        if (options.wants(path) && element->aliasOf.empty())
            result.push_back(element);
    }
    return result;
}

bool isShuffled(const ArrayRef& array)
{
    if (!array)
        return false;
    const auto& filters = array.info().filters;
    return std::any_of(filters.begin(), filters.end(), [](const hdf5::Filter& filter) { return filter.name == "shuffle"; });
}

// Expected size on disk of bytes that are written anew, as a part of what they take in memory.
double packed(const Storing& storing, double asSource, bool shuffled)
{
    if (storing.as == Storing::As::Source)
        return asSource;
    switch (storing.chosen.packing) {
    case hdf5::Packing::None: return 1;
    case hdf5::Packing::Lzf: return 0.5;
    default: break;
    }
    // Bytes in their places packed together take a quarter less than the values as they stand.
    constexpr double kUnknown = 0.35;
    return asSource < 1 ? (shuffled ? 1.0 : 0.77) * asSource : kUnknown;
}

struct Pieces {
    Index read = 0;
    Index output = kPlainBytes;
    Index paged = 0; // of what is read, that passes through the page cache
    Index ragged = 0; // memory of cutting one ragged array
    Index largestSparse = 0;
    const Element* sparse = nullptr;
    ArrayRef dense; // the largest of those
    std::string densePath;
};

Pieces piecesOf(const ExportOptions& options, const std::stop_token& stop, bool sampled)
{
    Pieces pieces;
    for (const Element* element : written(options)) {
        pieces.output += kArrayBytes;
        const double rows = share(options, *element, 0);
        const double columns = share(options, *element, 1);
        if (element->isSparse()) {
            const double part = rows * columns;
            const Index bytes = bytesOf(element->values) + bytesOf(element->indices);
            const double density = !sampled ? 1
                                            : (storedPerByte(element->values, stop) * static_cast<double>(bytesOf(element->values))
                                               + storedPerByte(element->indices, stop) * static_cast<double>(bytesOf(element->indices)))
                                                  / std::max(1.0, static_cast<double>(bytes));
            pieces.read += static_cast<Index>(static_cast<double>(bytes) * rows);
            pieces.output += static_cast<Index>(static_cast<double>(bytes) * part * packed(options.storing, density, isShuffled(element->values)))
                           + static_cast<Index>(static_cast<double>(bytesOf(element->indptr)) * rows);
            if (element->firstAxis && bytes > pieces.largestSparse) {
                pieces.largestSparse = bytes;
                pieces.sparse = element;
            }
            continue;
        }
        for (const ArrayRef& array : {element->values, element->mask}) {
            if (!array)
                continue;
            const double bytes = static_cast<double>(bytesOf(array)) * rows * columns;
            const double density = sampled ? storedPerByte(array, stop) : 1;
            pieces.read += static_cast<Index>(bytes);
            pieces.paged += bytesOf(array);
            if (array.info().rank() > 0 && bytesOf(array) > bytesOf(pieces.dense)) {
                pieces.dense = array;
                pieces.densePath = element->path;
            }
            pieces.output += static_cast<Index>(bytes * packed(options.storing, density, isShuffled(array)));
        }
        pieces.output += bytesOf(element->categories);
        if (element->kind == ElementKind::Table && element->index)
            pieces.output += static_cast<Index>(static_cast<double>(bytesOf(element->index->values)) * rows);
        if (element->kind == ElementKind::Table)
            pieces.output += 16 * static_cast<Index>(element->children.size());
        for (const ElementPart& part : element->parts)
            if (element->kind == ElementKind::Records || element->kind == ElementKind::Awkward
                || element->kind == ElementKind::Unknown)
                pieces.output += static_cast<Index>(static_cast<double>(bytesOf(part.array))
                                                    * (element->kind == ElementKind::Awkward ? rows : 1));
        if (element->kind == ElementKind::Awkward && rows != 1) {
            for (const ElementPart& part : element->parts) {
                pieces.read += bytesOf(part.array);
                pieces.paged += bytesOf(part.array);
            }
            pieces.ragged = std::max(pieces.ragged, RaggedCut::memory(*element));
        }
    }
    return pieces;
}

// Seconds of reading so many bytes through the page cache, going by the first rows of an array.
Result<double> secondsOfPaged(const ArrayRef& array, const std::string& path, Index bytes, const ExportContext& context)
{
    const Index rows = array.shape().front();
    const Index all = bytesOf(array);
    const Index sample = std::clamp<Index>(rows * (Index{2} << 20) / all, 1, rows);
    const auto start = std::chrono::steady_clock::now();
    auto read = ArrayReader(array, context.reading, path).rows(0, sample, context.stop);
    if (!read && read.error().code() == ErrorCode::Cancelled)
        return std::move(read).error();
    // What cannot be read is told by the export itself.
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return read ? took * static_cast<double>(bytes) / (static_cast<double>(all) * static_cast<double>(sample) / static_cast<double>(rows)) : 0.0;
}

} // namespace

ExportSize measureExport(const ExportOptions& options, const ExportContext& context)
{
    const Pieces pieces = piecesOf(options, context.stop, false);
    // Compressed stays compressed: what is asked for of the disk is what a sample says.
    return {pieces.read, piecesOf(options, context.stop, true).output};
}

Result<ExportEstimate> estimateExport(const ExportOptions& options, const std::filesystem::path& target,
                                      const ExportContext& context)
{
    const Pieces pieces = piecesOf(options, context.stop, true);
    ExportEstimate estimate;
    estimate.output = pieces.output;
    Reading& reading = *context.reading;
    estimate.memory = kProcessBytes + std::min(reading.pages().limit(), pieces.paged) + pieces.ragged;
    double seconds = 0.05;
    if (pieces.sparse != nullptr) {
        const Element& matrix = *pieces.sparse;
        auto source = SparseSource::open(options.view.dataset(), matrix, context.reading);
        if (!source)
            return std::move(source).error();
        const auto along = [&](std::size_t dimension) {
            const Selection* selection = options.along(matrix, dimension);
            return selection == nullptr ? Selection::all((*matrix.shape)[dimension]) : *selection;
        };
        const Selection rows = along(0);
        const Selection columns = along(1);
        SubsetStream stream(*source, context.reading, source->byRows() ? rows : columns,
                            source->byRows() ? columns : rows);
        SubsetStream::Options planned;
        planned.stop = context.stop;
        if (auto fine = stream.plan(planned); !fine)
            return std::move(fine).error();
        estimate.temporary = stream.scratchBytes(DType::Int32);
        const Index threads = std::min<Index>(reading.threads(), std::max<Index>(1, stream.batches()));
        estimate.memory += stream.memory() * threads;
        // A stretch of it, decoded on one thread, tells the speed.
        const Index sample = std::min<Index>(stream.decoded(), Index{1} << 20);
        if (sample > 0) {
            const auto start = std::chrono::steady_clock::now();
            auto data = source->readData(0, sample, context.stop);
            if (!data)
                return std::move(data).error();
            std::vector<Index> indices;
            if (auto read = source->readIndices(0, sample, indices, context.stop); !read)
                return std::move(read).error();
            const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            seconds += took * static_cast<double>(stream.decoded()) / static_cast<double>(sample) / static_cast<double>(threads);
        }
    }
    if (pieces.dense) {
        auto took = secondsOfPaged(pieces.dense, pieces.densePath, pieces.paged, context);
        if (!took)
            return std::move(took).error();
        seconds += *took;
    }
    // What is packed or moved after that: some 60 MB a second a thread with gzip, 500 without.
    const bool packs = options.storing.as == Storing::As::Source
                         ? static_cast<double>(pieces.output) < 0.8 * static_cast<double>(pieces.read)
                         : options.storing.chosen.packing != hdf5::Packing::None;
    seconds += static_cast<double>(pieces.output) / (packs ? 3e7 * reading.threads() : 4e8);
    estimate.seconds = std::ceil(seconds * 100) / 100;

    StagedFile::Options staging;
    staging.overwrite = options.overwrite || options.inPlace;
    staging.bytesNeeded = estimate.output + estimate.temporary;
    if (!options.inPlace)
        staging.inputs = {options.view.dataset()->file().path()};
    staging.system = options.system;
    if (auto fine = StagedFile::check(target, staging); !fine)
        estimate.reason = fine.error().message();
    if (estimate.memory > reading.budget().limit() + (Index{64} << 20))
        estimate.reason = "It would need " + byteText(estimate.memory) + " of memory; the budget is "
                        + byteText(reading.budget().limit()) + ".";
    return estimate;
}

} // namespace cellfolio
