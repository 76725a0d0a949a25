// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/numpy_export.h"

#include "core/export/entry_batches.h"
#include "core/export/zip_writer.h"
#include "core/hdf5/output_driver.h"
#include "core/matrix/matrix_reader.h"
#include "core/matrix/scratch_file.h"
#include "core/paging/array_reader.h"
#include "core/write/sparse_writer.h"
#include "core/write/staged_file.h"

#include <algorithm>
#include <cstring>

namespace cellfolio {

namespace {

constexpr std::size_t kHead = 192; // of an array: always so long, so that it can be written again

std::string typeText(DType type)
{
    switch (type) {
    case DType::Bool: return "|b1";
    case DType::Int8: return "|i1";
    case DType::UInt8: return "|u1";
    case DType::Int16: return "<i2";
    case DType::Int32: return "<i4";
    case DType::Int64: return "<i8";
    case DType::UInt16: return "<u2";
    case DType::UInt32: return "<u4";
    case DType::UInt64: return "<u8";
    case DType::Float16: return "<f2";
    case DType::Float32: return "<f4";
    case DType::Float64: return "<f8";
    case DType::Complex64: return "<c8";
    case DType::Complex128: return "<c16";
    default: return {};
    }
}

// The header of the .npy format, version 1.
std::string npyHead(const std::string& type, const std::vector<Index>& shape)
{
    std::string dict = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (";
    for (std::size_t d = 0; d < shape.size(); ++d)
        dict += (d > 0 ? ", " : "") + std::to_string(shape[d]);
    dict += shape.size() == 1 ? ",), }" : "), }";
    dict.append(kHead - 10 - dict.size() - 1, ' ');
    dict += '\n';
    std::string head("\x93NUMPY\x01\x00", 8);
    head += static_cast<char>(dict.size() & 0xFFu);
    head += static_cast<char>(dict.size() >> 8);
    return head + dict;
}

std::span<const std::byte> bytesOf(const std::string& text)
{
    return std::as_bytes(std::span(text));
}

using Put = std::function<Result<void>(std::span<const std::byte>)>;

// All values of a view of a dense or sparse array, row by row.
Result<std::vector<Index>> shapeOf(const ExportOptions& options, const Element& array)
{
    if (array.whyNot)
        return *array.whyNot;
    const bool isArray = (array.kind == ElementKind::Matrix || array.kind == ElementKind::Array) && array.shape
                      && array.dtype && !typeText(*array.dtype).empty();
    if (!isArray)
        return Error(ErrorCode::Refused, "\"" + array.path + "\" is no array of numbers.").at(array.path);
    std::vector<Index> shape = *array.shape;
    for (std::size_t d = 0; d < std::min<std::size_t>(2, shape.size()); ++d)
        if (const Selection* selection = options.along(array, d))
            shape[d] = selection->size();
    return shape;
}

Result<void> eachRow(const ExportOptions& options, const Element& array, const ExportContext& context, const Put& put)
{
    const auto along = [&](std::size_t d) {
        const Selection* selection = options.along(array, d);
        return selection != nullptr ? *selection : Selection::all((*array.shape)[d]);
    };
    const Selection rows = along(0);
    const bool flat = array.shape->size() == 1;
    const Selection columns = flat ? Selection::all(1) : along(1);
    std::shared_ptr<const MatrixReader> matrix;
    if (array.shape->size() == 2) {
        auto opened = MatrixReader::open(options.view.dataset(), array, context.reading);
        if (!opened)
            return std::move(opened).error();
        matrix = *std::move(opened);
    }
    const ArrayReader reader(array.values, context.reading, array.path);
    Index rowBytes = columns.size() * static_cast<Index>(sizeOf(*array.dtype));
    for (std::size_t d = 2; d < array.shape->size(); ++d)
        rowBytes *= (*array.shape)[d];
    const Index window = std::max<Index>(1, std::min(context.reading->budget().limit() / 16, Index{16} << 20)
                                                / std::max<Index>(1, rowBytes));
    for (Index first = 0; first < rows.size(); first += window) {
        const Selection part = rows.part(first, std::min(window, rows.size() - first));
        auto values = matrix ? matrix->block(part, columns, context.stop)
                    : flat   ? reader.rows(part, context.stop)
                             : reader.rowsAndColumns(part, columns, context.stop);
        if (!values)
            return std::move(values).error();
        if (auto written = put({values->data(), at(values->size()) * sizeOf(values->type())}); !written)
            return written;
        if (context.progress != nullptr) {
            context.progress->advance(values->bytes());
            context.progress->countEntries(values->size());
        }
        if (context.stop.stop_requested())
            return Error::cancelled();
    }
    return {};
}

Result<std::unique_ptr<StagedFile>> stage(const ExportOptions& options, const std::filesystem::path& target, Index bytes)
{
    StagedFile::Options staging;
    staging.overwrite = options.overwrite;
    staging.inputs = {options.view.dataset()->file().path()};
    staging.system = options.system;
    staging.bytesNeeded = bytes;
    return StagedFile::create(target, staging);
}

Index denseBytes(const std::vector<Index>& shape, DType type)
{
    Index bytes = static_cast<Index>(sizeOf(type));
    for (const Index d : shape)
        bytes *= d;
    return bytes + static_cast<Index>(kHead);
}

} // namespace

Result<ExportResult> exportNpy(const ExportOptions& options, const Element& array, const std::filesystem::path& target,
                               const ExportContext& context)
{
    const auto shape = shapeOf(options, array);
    if (!shape)
        return shape.error();
    auto staged = stage(options, target, denseBytes(*shape, *array.dtype));
    if (!staged)
        return std::move(staged).error();
    Index place = 0;
    const Put put = [&](std::span<const std::byte> bytes) -> Result<void> {
        const int failure = (*staged)->system().write((*staged)->descriptor(), place, bytes);
        place += static_cast<Index>(bytes.size());
        return failure != 0 ? Result<void>(hdf5::writeFailure(failure)) : Result<void>();
    };
    if (auto written = put(bytesOf(npyHead(typeText(*array.dtype), *shape))); !written)
        return std::move(written).error();
    if (auto written = eachRow(options, array, context, put); !written)
        return std::move(written).error();
    if (auto committed = (*staged)->commit([&](const std::filesystem::path&) { return context.mayCommit(); }); !committed)
        return std::move(committed).error();
    ExportResult result;
    result.bytes = place;
    result.elements.push_back({array.path, Action::Converted});
    return result;
}

Result<ExportResult> exportNpz(const ExportOptions& options, const Element& array, const std::filesystem::path& target,
                               const ExportContext& context)
{
    const auto shape = shapeOf(options, array);
    if (!shape)
        return shape.error();
    auto staged = stage(options, target, array.isSparse() ? 0 : denseBytes(*shape, *array.dtype));
    if (!staged)
        return std::move(staged).error();
    ZipWriter zip((*staged)->descriptor(), (*staged)->system());
    const auto whole = [&](const char* name, const std::string& type, const std::vector<Index>& extent, std::span<const std::byte> bytes) {
        zip.begin(std::string(name) + ".npy");
        zip.write(bytesOf(npyHead(type, extent)));
        zip.write(bytes);
        return zip.end();
    };
    if (!array.isSparse()) {
        zip.begin("arr_0.npy");
        zip.write(bytesOf(npyHead(typeText(*array.dtype), *shape)));
        auto written = eachRow(options, array, context, [&](std::span<const std::byte> bytes) -> Result<void> {
            zip.write(bytes);
            return {};
        });
        if (!written)
            return std::move(written).error();
        if (auto ended = zip.end(); !ended)
            return std::move(ended).error();
    } else {
        auto batches = EntryBatches::open(options, array, context, EntryBatches::Order::AsStored);
        if (!batches)
            return std::move(batches).error();
        const Index width = batches->byRows() ? batches->columns() : batches->rows();
        const Index lines = batches->byRows() ? batches->rows() : batches->columns();
        const DType indexType = needsWideIndices(batches->mostEntries(), width) ? DType::Int64 : DType::Int32;
        // The indices go to a file of their own until the values are complete.
        auto scratch = ScratchFile::create(options.temporary.empty() ? (*staged)->part().parent_path() : options.temporary);
        if (!scratch)
            return std::move(scratch).error();
        std::vector<std::byte> pointers;
        const auto addPointer = [&](Index pointer) {
            pointers.resize(pointers.size() + sizeOf(indexType));
            const auto narrowed = static_cast<std::int32_t>(pointer);
            std::memcpy(pointers.data() + pointers.size() - sizeOf(indexType),
                        indexType == DType::Int64 ? static_cast<const void*>(&pointer) : &narrowed, sizeOf(indexType));
        };
        auto room = context.reading->budget().reserve(MemoryTag::Job, (lines + 1) * static_cast<Index>(sizeOf(indexType)));
        if (!room)
            return std::move(room).error();
        pointers.reserve(at(lines + 1) * sizeOf(indexType));
        addPointer(0);
        Index entries = 0;
        zip.begin("data.npy");
        zip.write(bytesOf(npyHead(typeText(*array.dtype), {0})));
        auto done = batches->run(indexType, EntryBatches::Threads::One, [&](const SubsetBatch& batch) -> Result<void> {
            zip.write({batch.values, at(batch.entries) * sizeOf(*array.dtype)});
            const Index bytes = batch.entries * static_cast<Index>(sizeOf(indexType));
            if (auto kept = scratch->write(scratch->claim(bytes), {batch.indices, at(bytes)}); !kept)
                return kept;
            for (const Index end : batch.ends)
                addPointer(entries + end);
            entries += batch.entries;
            return {};
        });
        if (!done)
            return std::move(done).error();
        zip.replaceHead(bytesOf(npyHead(typeText(*array.dtype), {entries})));
        if (auto ended = zip.end(); !ended)
            return std::move(ended).error();
        zip.begin("indices.npy");
        zip.write(bytesOf(npyHead(typeText(indexType), {entries})));
        std::vector<std::byte> block(std::size_t{1} << 20);
        for (Index place = 0; place < scratch->size(); place += static_cast<Index>(block.size())) {
            const std::span<std::byte> part(block.data(), std::min(block.size(), at(scratch->size() - place)));
            if (auto read = scratch->read(place, part); !read)
                return std::move(read).error();
            zip.write(part);
        }
        if (auto ended = zip.end(); !ended)
            return std::move(ended).error();
        if (auto written = whole("indptr", typeText(indexType), {lines + 1}, pointers); !written)
            return std::move(written).error();
        const std::string format = batches->byRows() ? "csr" : "csc";
        if (auto written = whole("format", "|S3", {}, bytesOf(format)); !written)
            return std::move(written).error();
        const std::int64_t extent[2] = {batches->rows(), batches->columns()};
        if (auto written = whole("shape", "<i8", {2}, std::as_bytes(std::span(extent))); !written)
            return std::move(written).error();
    }
    if (auto finished = zip.finish(); !finished)
        return std::move(finished).error();
    if (auto committed = (*staged)->commit([&](const std::filesystem::path&) { return context.mayCommit(); }); !committed)
        return std::move(committed).error();
    ExportResult result;
    result.bytes = zip.bytes();
    result.elements.push_back({array.path, Action::Converted});
    return result;
}

} // namespace cellfolio
