// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/write/matrix_transfer.h"

#include "core/base/text.h"
#include "core/matrix/matrix_reader.h"
#include "core/matrix/number_types.h"
#include "core/matrix/subset_stream.h"
#include "core/paging/array_reader.h"
#include "core/paging/page_cache.h"
#include "core/paging/stretch_reader.h"
#include "core/run/work_sharing.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace cellfolio {

namespace {

constexpr Index kReadWindows = Index{5} << 20;
constexpr Index kTextRows = Index{1} << 14;

const hdf5::ArrayInfo* infoOf(const ArrayRef& array)
{
    return array && array.member < 0 ? &array.info() : nullptr;
}

// What one thread holds of a dense matrix.
Index blockBytes(Reading& reading, Index part)
{
    return std::min(reading.budget().limit() / part / std::max(1, reading.threads()), Index{8} << 20);
}

} // namespace

Error MatrixTransfer::wouldChange(const std::string& path, DType to, DType from, const std::byte* value)
{
    Values one(from, 1);
    std::memcpy(one.data(), value, sizeOf(from));
    return Error(ErrorCode::Refused, "The value " + one.text(0) + " of \"" + path + "\" would change as "
                                         + std::string(nameOf(to)) + ".")
        .at(path)
        .advise("Choose another type, or leave it as it is.");
}

Selection MatrixTransfer::rowsOf(const Element& element) const
{
    return m_part.rows ? *m_part.rows : Selection::all(element.shape->front());
}

Selection MatrixTransfer::columnsOf(const Element& element) const
{
    return m_part.columns ? *m_part.columns : Selection::all((*element.shape)[1]);
}

std::filesystem::path MatrixTransfer::folder() const
{
    return m_context.temporary.empty() ? m_writer.staged().part().parent_path() : m_context.temporary;
}

// What was packed stays so when a matrix changes its kind.
Storing MatrixTransfer::storingOf(const Element& element, bool sparse) const
{
    Storing storing = m_writer.storing();
    const hdf5::ArrayInfo* info = infoOf(element.values);
    if (storing.as == Storing::As::Source && sparse != element.isSparse() && info != nullptr && !info->filters.empty())
        storing.chosen = {hdf5::Packing::Gzip, 2};
    return storing;
}

Result<H5adWriter::Sparse> MatrixTransfer::sparsePlan(const Element& element, Storage storage, Index entries,
                                                      const MatrixForm& form) const
{
    H5adWriter::Sparse sparse;
    sparse.storage = storage;
    sparse.rows = rowsOf(element).size();
    sparse.columns = columnsOf(element).size();
    sparse.type = form.dtype.value_or(*element.dtype);
    sparse.entries = entries;
    if (m_like->isSparse()) {
        // Positions keep their width where both arrays of the source have one that readers can use.
        sparse.wide = sizeOf(m_like->indptr.dtype()) == 8 || sizeOf(m_like->indices.dtype()) == 8;
        sparse.likeData = infoOf(m_like->values);
        sparse.likeIndices = infoOf(m_like->indices);
        sparse.likeIndptr = infoOf(m_like->indptr);
    }
    if (form.width != IndexWidth::Keep)
        sparse.wide = form.width == IndexWidth::Wide;
    const Index width = storage == Storage::Csr ? sparse.columns : sparse.rows;
    if (form.width == IndexWidth::Narrow && needsWideIndices(entries, width))
        return Error(ErrorCode::Refused, "\"" + element.path + "\" has " + counted(entries, "entry", "entries") + " in lines of "
                                             + grouped(width) + "; 32 bits cannot count them.")
            .at(element.path)
            .advise("Leave its positions as wide as they are.");
    sparse.storing = storingOf(*m_like, true);
    return sparse;
}

bool MatrixTransfer::needsDetour(const Element& element, Storage storage, Reading& reading)
{
    if (!element.shape || element.shape->size() != 2 || !element.dtype || storage == element.storage
        || storage == Storage::None)
        return false;
    // Against the order it is stored in, each block costs a pass over all of it.
    const bool byColumns = element.storage == Storage::Csc || (!element.isSparse() && element.transposed);
    const bool wantsColumns = storage == Storage::Csc;
    if (element.isSparse() == (storage != Storage::Dense) || byColumns == wantsColumns)
        return false;
    const Index bytes = (*element.shape)[0] * (*element.shape)[1] * static_cast<Index>(sizeOf(*element.dtype));
    return bytes > 2 * blockBytes(reading, element.isSparse() ? 16 : 32);
}

Result<void> MatrixTransfer::write(const Element& element, const std::string& path, const MatrixForm& form,
                                   const MatrixPart& part)
{
    if (element.whyNot)
        return *element.whyNot;
    if (!element.shape || !element.dtype)
        return Error(ErrorCode::Corrupt, "The array has no shape.").at(element.path);
    const DType type = form.dtype.value_or(*element.dtype);
    if (!canConvert(*element.dtype, type))
        return Error(ErrorCode::Refused, "\"" + element.path + "\" holds " + std::string(nameOf(*element.dtype))
                                             + ", which cannot become " + std::string(nameOf(type)) + ".")
            .at(element.path);
    MatrixForm wanted = form;
    wanted.dtype = type;
    wanted.storage = form.storage == Storage::None ? element.storage : form.storage;
    m_part = part;
    m_like = &element;
    return writeKind(element, path, wanted);
}

Result<void> MatrixTransfer::writeKind(const Element& element, const std::string& path, const MatrixForm& form)
{
    const Storage storage = form.storage;
    if (*element.dtype == DType::String)
        return writeTexts(element, path);
    if (element.shape->size() == 1)
        return writeFlat(element, path);
    if (needsDetour(element, storage, *m_context.reading)) {
        const bool byColumns = element.storage == Storage::Csc || (!element.isSparse() && element.transposed);
        // A CSC is turned into rows, dense rows become sparse ones.
        const bool rows = element.isSparse() ? byColumns : !byColumns;
        return writeByDetour(element, path, rows ? Storage::Csr : Storage::Csc, form);
    }
    if (element.isSparse() && storage != Storage::Dense) {
        if (storage == element.storage)
            return writeSparse(element, path, form);
        if (m_part.rows || m_part.columns || form.dropZeros)
            return writeByDetour(element, path, element.storage, form);
        return writeTransposed(element, path, form);
    }
    if (!element.isSparse() && storage != Storage::Dense && element.shape->size() == 2)
        return writeDenseAsSparse(element, path, storage, form);
    return writeDense(element, path, form);
}

Result<void> MatrixTransfer::writeByDetour(const Element& element, const std::string& path, Storage storage,
                                           const MatrixForm& form)
{
    const std::string name = m_writer.staged().target().filename().string() + ".matrix";
    StagedFile::Options staging;
    staging.overwrite = true; // it is never committed
    auto writer = H5adWriter::create(folder() / name, staging, Storing{Storing::As::Chosen, {}, 0});
    if (!writer)
        return std::move(writer).error();
    if (auto begun = (*writer)->beginData(); !begun)
        return begun;
    MatrixTransfer first(m_context, **writer);
    MatrixForm between;
    between.storage = storage;
    between.dropZeros = form.dropZeros;
    if (auto written = first.write(element, "X", between, m_part); !written)
        return written;
    if (auto closed = (*writer)->file().close(); !closed)
        return closed;
    auto dataset = Dataset::open((*writer)->staged().part().string());
    if (!dataset)
        return std::move(dataset).error();
    const Element* x = (*dataset)->x();
    if (x == nullptr)
        return Error(ErrorCode::Internal, "The temporary matrix is not there.").at(element.path);
    m_temporary += (*dataset)->file().size() + first.temporary();
    // Nothing of the source is read again, and the next step wants the room.
    m_context.reading->pages().shrinkTo(0);
    Context context = m_context;
    context.dataset = *dataset;
    context.progress = nullptr; // it has passed once
    MatrixTransfer second(context, m_writer);
    second.m_like = m_like;
    MatrixForm last = form;
    last.dropZeros = false;
    if (auto written = second.writeKind(*x, path, last); !written)
        return std::move(written).error().at(element.path);
    m_temporary += second.temporary();
    return {};
}

Result<void> MatrixTransfer::writeSparse(const Element& element, const std::string& path, const MatrixForm& form)
{
    auto source = SparseSource::open(m_context.dataset, element, m_context.reading);
    if (!source)
        return std::move(source).error();
    const bool byRows = source->byRows();
    const Selection rows = rowsOf(element);
    const Selection columns = columnsOf(element);
    SubsetStream stream(*source, m_context.reading, byRows ? rows : columns, byRows ? columns : rows);
    SubsetStream::Options options;
    options.stop = m_context.stop;
    options.folder = folder();
    if (auto planned = stream.plan(options); !planned)
        return planned;

    auto plan = sparsePlan(element, element.storage, stream.mostEntries(), form);
    if (!plan)
        return std::move(plan).error();
    auto writer = m_writer.sparse(path, *plan);
    if (!writer)
        return std::move(writer).error();

    const auto threads = static_cast<std::size_t>(m_context.reading->threads());
    struct Own {
        hdf5::EncodeScratch encode;
        Buffer values;
        Buffer keptIndices;
        Buffer keptValues;
        std::vector<Index> ends;
    };
    std::vector<Own> owns(threads);
    const DType from = source->dtype();
    const DType to = *form.dtype;
    const std::size_t indexWidth = sizeOf((*writer)->indexType());
    const auto bytesAnEntry = static_cast<Index>(sizeOf(from) + sizeOf(source->indices().dtype()));
    auto done = stream.run((*writer)->indexType(), options, [&](const SubsetBatch& batch) -> Result<void> {
        Own& own = owns[at(Index{batch.worker})];
        SparseWriter::Batch out{batch.entries, batch.indices, batch.values, batch.ends};
        if (from != to) {
            own.values.resize(at(batch.entries) * sizeOf(to));
            const Index bad = convertValues(from, batch.values, batch.entries, to, own.values.data(), form.rounding);
            if (bad >= 0)
                return wouldChange(element.path, to, from, batch.values + at(bad) * sizeOf(from));
            out.values = own.values.data();
        }
        if (form.dropZeros) {
            const std::size_t width = sizeOf(to);
            own.keptIndices.resize(at(batch.entries) * indexWidth);
            own.keptValues.resize(at(batch.entries) * width);
            own.ends.clear();
            Index kept = 0;
            std::size_t end = 0;
            visitNumber(to, [&]<typename T>(const T*) {
                const T* values = reinterpret_cast<const T*>(out.values);
                for (Index e = 0; e <= batch.entries; ++e) {
                    for (; end < batch.ends.size() && batch.ends[end] == e; ++end)
                        own.ends.push_back(kept);
                    if (e == batch.entries || isZero(values[e]))
                        continue;
                    std::memcpy(own.keptIndices.data() + at(kept) * indexWidth, out.indices + at(e) * indexWidth, indexWidth);
                    std::memcpy(own.keptValues.data() + at(kept) * width, out.values + at(e) * width, width);
                    ++kept;
                }
            });
            out = {kept, own.keptIndices.data(), own.keptValues.data(), own.ends};
        }
        auto added = (*writer)->add(batch.ordinal, out, own.encode, batch.stop);
        passed(batch.entries * bytesAnEntry, batch.entries);
        return added;
    });
    if (!done)
        return done;
    m_temporary += stream.scratchBytes((*writer)->indexType());
    auto finished = (*writer)->finish();
    if (!finished)
        return std::move(finished).error();
    return {};
}

Result<void> MatrixTransfer::writeFlat(const Element& element, const std::string& path)
{
    const Selection rows = rowsOf(element);
    const DType type = *element.dtype;
    auto writer = m_writer.array(path, type, rows.size(), infoOf(element.values));
    if (!writer)
        return std::move(writer).error();
    const ArrayReader reader(element.values, m_context.reading, element.path);
    constexpr Index kWindow = Index{1} << 16;
    for (Index first = 0; first < rows.size(); first += kWindow) {
        auto values = reader.rows(rows.part(first, std::min(kWindow, rows.size() - first)), m_context.stop);
        if (!values)
            return std::move(values).error();
        if (auto written = writer->append(*values); !written)
            return written;
        passed(values->bytes(), values->size());
    }
    return writer->finish();
}

Result<void> MatrixTransfer::writeTexts(const Element& element, const std::string& path)
{
    if (element.shape->size() > 2)
        return Error(ErrorCode::Refused, "Text of more than two dimensions cannot be exported for a view.").at(element.path);
    const Selection rows = rowsOf(element);
    const ArrayReader reader(element.values, m_context.reading, element.path);
    std::vector<Index> shape{rows.size()};
    const bool flat = element.shape->size() == 1;
    const Selection columns = flat ? Selection::all(1) : columnsOf(element);
    if (!flat)
        shape.push_back(columns.size());
    auto array = m_writer.file().createArray("/" + path, planArray({DType::String, shape}, {Storing::As::Chosen, {}}, nullptr));
    if (!array)
        return std::move(array).error();
    if (auto described = m_writer.describe(path, "string-array", "0.2.0"); !described)
        return described;
    const Index window = std::max<Index>(1, kTextRows / std::max<Index>(1, columns.size()));
    for (Index first = 0; first < rows.size(); first += window) {
        const Selection part = rows.part(first, std::min(window, rows.size() - first));
        auto values = element.values.info().rank() == 1 && !flat ? reader.all(m_context.stop)
                    : flat                                       ? reader.rows(part, m_context.stop)
                                                                 : reader.rowsAndColumns(part, columns, m_context.stop);
        if (!values)
            return std::move(values).error();
        if (auto written = array->writeTexts(first * columns.size(), values->texts()); !written)
            return written;
        passed(values->bytes(), values->size());
    }
    return {};
}

Result<void> MatrixTransfer::writeDense(const Element& element, const std::string& path, const MatrixForm& form)
{
    const DType type = *form.dtype;
    const Selection rows = rowsOf(element);
    const Selection columns = columnsOf(element);
    std::vector<Index> shape = *element.shape;
    shape[0] = rows.size();
    shape[1] = columns.size();
    const hdf5::ArrayInfo* like = m_like->isSparse() || m_like->transposed ? nullptr : infoOf(m_like->values);
    auto writer = m_writer.dense(path, type, shape, like, storingOf(*m_like, false));
    if (!writer)
        return std::move(writer).error();
    if (writer->rows() == 0 || writer->width() == 0)
        return {};
    std::shared_ptr<const MatrixReader> matrix;
    if (shape.size() == 2) {
        auto opened = MatrixReader::open(m_context.dataset, element, m_context.reading);
        if (!opened)
            return std::move(opened).error();
        matrix = *std::move(opened);
    }
    const ArrayReader array(element.values, m_context.reading, element.path);

    Reading& reading = *m_context.reading;
    const Index rowBytes = std::max<Index>(1, writer->width() * static_cast<Index>(std::max(sizeOf(*element.dtype), sizeOf(type))));
    const Index band = writer->bandRows();
    const Index blockRows = std::max<Index>(1, blockBytes(reading, 16) / rowBytes / band) * band;
    const Index blocks = (rows.size() + blockRows - 1) / blockRows;
    // A block reserves for itself while it is read, with windows of the entries of a sparse matrix.
    const Index held = 2 * std::min(blockRows, rows.size()) * rowBytes;
    const Index whileRead = held / 2 + (element.isSparse() ? kReadWindows : 0);
    const Index room = std::max<Index>(1, reading.budget().limit() / 4 * 3 / (held + whileRead));
    auto workers = reserveWorkers(reading, static_cast<int>(std::min({blocks, Index{reading.threads()}, room})), held);
    if (!workers)
        return std::move(workers).error().at(element.path);
    return WorkSharing(blocks, m_context.stop).run(workers->first, [&](int, Index block) -> Result<void> {
        const Index first = block * blockRows;
        const Index count = std::min(blockRows, rows.size() - first);
        const Selection part = rows.part(first, count);
        auto values = matrix ? matrix->block(part, columns, m_context.stop)
                             : array.rowsAndColumns(part, columns, m_context.stop);
        if (!values)
            return std::move(values).error();
        if (values->type() != type) {
            Values converted(type, values->size());
            const Index bad =
                convertValues(values->type(), values->data(), values->size(), type, converted.data(), form.rounding);
            if (bad >= 0)
                return wouldChange(element.path, type, values->type(), values->data() + at(bad) * sizeOf(values->type()));
            *values = std::move(converted);
        }
        auto written = writer->write(first, count, values->data());
        passed(values->bytes(), values->size());
        return written;
    });
}

Result<void> MatrixTransfer::writeDenseAsSparse(const Element& element, const std::string& path, Storage storage,
                                                const MatrixForm& form)
{
    const DType type = *form.dtype;
    auto opened = MatrixReader::open(m_context.dataset, element, m_context.reading);
    if (!opened)
        return std::move(opened).error();
    const MatrixReader& matrix = **opened;
    const Selection rows = rowsOf(element);
    const Selection columns = columnsOf(element);
    const bool byRows = storage == Storage::Csr;
    const Selection& lines = byRows ? rows : columns;
    const Selection& across = byRows ? columns : rows;
    auto plan = sparsePlan(element, storage, rows.size() * columns.size(), form);
    if (!plan)
        return std::move(plan).error();
    auto writer = m_writer.sparse(path, *plan);
    if (!writer)
        return std::move(writer).error();
    Reading& reading = *m_context.reading;
    const auto item = static_cast<Index>(std::max(sizeOf(*element.dtype), sizeOf(type)));
    const Index lineBytes = std::max<Index>(1, across.size() * item);
    const Index blockLines = std::clamp<Index>(blockBytes(reading, 32) / lineBytes, 1, std::max<Index>(1, lines.size()));
    const Index blocks = lines.empty() ? 0 : (lines.size() + blockLines - 1) / blockLines;
    auto workers = reserveWorkers(reading, static_cast<int>(std::clamp<Index>(blocks, 1, reading.threads())),
                                  5 * blockLines * lineBytes);
    if (!workers)
        return std::move(workers).error().at(element.path);
    std::vector<hdf5::EncodeScratch> scratch(static_cast<std::size_t>(workers->first));
    const bool wide = (*writer)->indexType() == DType::Int64;
    std::stop_source failed;
    const std::stop_callback forward(m_context.stop, [&] { failed.request_stop(); });
    auto done = WorkSharing(blocks, failed.get_token()).run(workers->first, [&](int worker, Index block) -> Result<void> {
        const Index first = block * blockLines;
        const Index count = std::min(blockLines, lines.size() - first);
        const Selection part = lines.part(first, count);
        auto values = byRows ? matrix.block(part, columns, m_context.stop)
                             : matrix.block(rows, part, m_context.stop);
        if (!values) {
            failed.request_stop();
            return std::move(values).error();
        }
        std::vector<Index> ends;
        std::vector<std::int32_t> narrowIndices;
        std::vector<std::int64_t> wideIndices;
        std::vector<Index> places;
        Index entries = 0;
        visitNumber(values->type(), [&]<typename T>(const T*) {
            const auto all = values->as<T>();
            for (Index line = 0; line < count; ++line) {
                for (Index k = 0; k < across.size(); ++k) {
                    const Index place = byRows ? line * across.size() + k : k * count + line;
                    if (isZero(all[at(place)]))
                        continue;
                    places.push_back(place);
                    if (wide)
                        wideIndices.push_back(k);
                    else
                        narrowIndices.push_back(static_cast<std::int32_t>(k));
                    ++entries;
                }
                ends.push_back(entries);
            }
        });
        Values kept = values->gather(places);
        if (kept.type() != type) {
            Values converted(type, kept.size());
            const Index bad = convertValues(kept.type(), kept.data(), kept.size(), type, converted.data(), form.rounding);
            if (bad >= 0) {
                failed.request_stop();
                return wouldChange(element.path, type, kept.type(), kept.data() + at(bad) * sizeOf(kept.type()));
            }
            kept = std::move(converted);
        }
        const std::byte* indices = wide ? reinterpret_cast<const std::byte*>(wideIndices.data())
                                        : reinterpret_cast<const std::byte*>(narrowIndices.data());
        auto added = (*writer)->add(block, {entries, indices, kept.data(), ends},
                                    scratch[static_cast<std::size_t>(worker)], failed.get_token());
        if (!added)
            failed.request_stop();
        passed(values->bytes(), values->size());
        return added;
    });
    if (!done)
        return done;
    auto finished = (*writer)->finish();
    return finished ? Result<void>() : std::move(finished).error();
}

} // namespace cellfolio
