// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/matrix_export.h"

#include "core/base/text.h"
#include "core/export/convert_values.h"
#include "core/matrix/matrix_reader.h"
#include "core/matrix/number_types.h"
#include "core/paging/array_reader.h"
#include "core/paging/stretch_reader.h"
#include "core/run/work_sharing.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace cellfolio {

namespace {

constexpr Index kTextRows = Index{1} << 14;

const hdf5::ArrayInfo* infoOf(const ArrayRef& array)
{
    return array && array.member < 0 ? &array.info() : nullptr;
}

Error cannotBe(const std::string& path, DType type, const std::string& value)
{
    return Error(ErrorCode::Refused, "The value " + value + " of \"" + path + "\" would change as "
                                         + std::string(nameOf(type)) + ".")
        .at(path)
        .advise("Choose another type, or leave it as it is.");
}

// The text of the i-th of some raw values.
std::string textOf(DType type, const std::byte* values, Index i)
{
    Values one(type, 1);
    std::memcpy(one.data(), values + at(i) * sizeOf(type), sizeOf(type));
    return one.text(0);
}

} // namespace

Selection MatrixExport::whole(const Element& element, std::size_t dimension) const
{
    if (auto chosen = m_run.along(element, dimension))
        return *std::move(chosen);
    return Selection::all((*element.shape)[dimension]);
}

Result<void> MatrixExport::write(const Element& element, const std::string& path, const Form& form)
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
    Form wanted = form;
    wanted.dtype = type;
    const Storage storage = form.storage == Storage::None ? element.storage : form.storage;
    if (element.isSparse() && storage != Storage::Dense) {
        if (storage != element.storage)
            return Error(ErrorCode::Refused, "\"" + element.path + "\" is stored as "
                                                 + std::string(nameOf(element.storage)) + "; exporting it as "
                                                 + std::string(nameOf(storage)) + " is not built yet.")
                .at(element.path)
                .advise("Leave the storage as it is.");
        return writeSparse(element, path, wanted);
    }
    if (*element.dtype == DType::String)
        return writeTexts(element, path);
    if (element.shape->size() == 1)
        return writeFlat(element, path);
    if (!element.isSparse() && storage != Storage::Dense && element.shape->size() == 2)
        return writeDenseAsSparse(element, path, storage, type);
    return writeDense(element, path, type);
}

Result<void> MatrixExport::writeSparse(const Element& element, const std::string& path, const Form& form)
{
    auto source = SparseSource::open(m_run.dataset(), element, m_run.context.reading);
    if (!source)
        return std::move(source).error();
    const bool byRows = source->byRows();
    const Selection rows = whole(element, 0);
    const Selection columns = whole(element, 1);
    SubsetStream stream(*source, m_run.context.reading, byRows ? rows : columns, byRows ? columns : rows);
    SubsetStream::Options options;
    options.stop = m_run.context.stop;
    options.folder = m_run.options.temporary.empty() ? m_run.writer.staged().part().parent_path()
                                                     : m_run.options.temporary;
    if (auto planned = stream.plan(options); !planned)
        return planned;

    // Positions keep their width where both arrays of the source have one that readers can use.
    const DType pointers = source->indptr().dtype();
    const DType positions = source->indices().dtype();
    H5adWriter::Sparse sparse;
    sparse.storage = element.storage;
    sparse.rows = rows.size();
    sparse.columns = columns.size();
    sparse.type = *form.dtype;
    sparse.entries = stream.mostEntries();
    sparse.wide = sizeOf(pointers) == 8 || sizeOf(positions) == 8;
    sparse.likeData = infoOf(element.values);
    sparse.likeIndices = infoOf(element.indices);
    sparse.likeIndptr = infoOf(element.indptr);
    auto writer = m_run.writer.sparse(path, sparse);
    if (!writer)
        return std::move(writer).error();

    const auto threads = static_cast<std::size_t>(m_run.context.reading->threads());
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
    const auto bytesAnEntry = static_cast<Index>(sizeOf(from) + sizeOf(positions));
    auto done = stream.run((*writer)->indexType(), options, [&](const SubsetBatch& batch) -> Result<void> {
        Own& own = owns[at(Index{batch.worker})];
        SparseWriter::Batch out{batch.entries, batch.indices, batch.values, batch.ends};
        if (from != to) {
            own.values.resize(at(batch.entries) * sizeOf(to));
            const Index bad = convertValues(from, batch.values, batch.entries, to, own.values.data());
            if (bad >= 0)
                return cannotBe(element.path, to, textOf(from, batch.values, bad));
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
        m_run.passed(batch.entries * bytesAnEntry);
        m_run.passedEntries(batch.entries);
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

Result<void> MatrixExport::writeFlat(const Element& element, const std::string& path)
{
    const Selection rows = whole(element, 0);
    const DType type = *element.dtype;
    auto writer = m_run.writer.array(path, type, rows.size(), infoOf(element.values));
    if (!writer)
        return std::move(writer).error();
    const ArrayReader reader(element.values, m_run.context.reading, element.path);
    constexpr Index kWindow = Index{1} << 16;
    for (Index first = 0; first < rows.size(); first += kWindow) {
        auto values = reader.rows(rows.part(first, std::min(kWindow, rows.size() - first)), m_run.context.stop);
        if (!values)
            return std::move(values).error();
        if (auto written = writer->append(*values); !written)
            return written;
        m_run.passed(values->bytes());
        m_run.passedEntries(values->size());
    }
    return writer->finish();
}

Result<void> MatrixExport::writeTexts(const Element& element, const std::string& path)
{
    if (element.shape->size() > 2)
        return Error(ErrorCode::Refused, "Text of more than two dimensions cannot be exported for a view.").at(element.path);
    const Selection rows = whole(element, 0);
    const ArrayReader reader(element.values, m_run.context.reading, element.path);
    std::vector<Index> shape{rows.size()};
    const bool flat = element.shape->size() == 1;
    const Selection columns = flat ? Selection::all(1) : whole(element, 1);
    if (!flat)
        shape.push_back(columns.size());
    auto array = m_run.writer.file().createArray("/" + path, planArray({DType::String, shape}, {Storing::As::Chosen, {}}, nullptr));
    if (!array)
        return std::move(array).error();
    if (auto described = m_run.writer.describe(path, "string-array", "0.2.0"); !described)
        return described;
    const Index window = std::max<Index>(1, kTextRows / std::max<Index>(1, columns.size()));
    for (Index first = 0; first < rows.size(); first += window) {
        const Selection part = rows.part(first, std::min(window, rows.size() - first));
        auto values = element.values.info().rank() == 1 && !flat ? reader.all(m_run.context.stop)
                    : flat                                       ? reader.rows(part, m_run.context.stop)
                                                                 : reader.rowsAndColumns(part, columns, m_run.context.stop);
        if (!values)
            return std::move(values).error();
        if (auto written = array->writeTexts(first * columns.size(), values->texts()); !written)
            return written;
        m_run.passed(values->bytes());
        m_run.passedEntries(values->size());
    }
    return {};
}

Result<void> MatrixExport::writeDense(const Element& element, const std::string& path, DType type)
{
    const Selection rows = whole(element, 0);
    const Selection columns = whole(element, 1);
    std::vector<Index> shape = *element.shape;
    shape[0] = rows.size();
    shape[1] = columns.size();
    const hdf5::ArrayInfo* like = element.isSparse() || element.transposed ? nullptr : infoOf(element.values);
    auto writer = m_run.writer.dense(path, type, shape, like);
    if (!writer)
        return std::move(writer).error();
    if (writer->rows() == 0 || writer->width() == 0)
        return {};
    std::shared_ptr<const MatrixReader> matrix;
    if (shape.size() == 2) {
        auto opened = MatrixReader::open(m_run.dataset(), element, m_run.context.reading);
        if (!opened)
            return std::move(opened).error();
        matrix = *std::move(opened);
    }
    const ArrayReader array(element.values, m_run.context.reading, element.path);

    Reading& reading = *m_run.context.reading;
    const Index rowBytes = std::max<Index>(1, writer->width() * static_cast<Index>(std::max(sizeOf(*element.dtype), sizeOf(type))));
    const Index band = writer->bandRows();
    const Index share = reading.budget().limit() / 16 / std::max(1, reading.threads());
    const Index blockRows = std::max<Index>(1, std::min(share, Index{8} << 20) / rowBytes / band) * band;
    const Index blocks = (rows.size() + blockRows - 1) / blockRows;
    auto workers = reserveWorkers(reading, static_cast<int>(std::min<Index>(blocks, reading.threads())),
                                  2 * std::min(blockRows, rows.size()) * rowBytes);
    if (!workers)
        return std::move(workers).error().at(element.path);
    return WorkSharing(blocks, m_run.context.stop).run(workers->first, [&](int, Index block) -> Result<void> {
        const Index first = block * blockRows;
        const Index count = std::min(blockRows, rows.size() - first);
        const Selection part = rows.part(first, count);
        auto values = matrix ? matrix->block(part, columns, m_run.context.stop)
                             : array.rowsAndColumns(part, columns, m_run.context.stop);
        if (!values)
            return std::move(values).error();
        if (values->type() != type) {
            Values converted(type, values->size());
            const Index bad = convertValues(values->type(), values->data(), values->size(), type, converted.data());
            if (bad >= 0)
                return cannotBe(element.path, type, values->text(bad));
            *values = std::move(converted);
        }
        auto written = writer->write(first, count, values->data());
        m_run.passed(values->bytes());
        m_run.passedEntries(values->size());
        return written;
    });
}

Result<void> MatrixExport::writeDenseAsSparse(const Element& element, const std::string& path, Storage storage, DType type)
{
    auto opened = MatrixReader::open(m_run.dataset(), element, m_run.context.reading);
    if (!opened)
        return std::move(opened).error();
    const MatrixReader& matrix = **opened;
    const Selection rows = whole(element, 0);
    const Selection columns = whole(element, 1);
    const bool byRows = storage == Storage::Csr;
    const Selection& lines = byRows ? rows : columns;
    const Selection& across = byRows ? columns : rows;
    H5adWriter::Sparse sparse;
    sparse.storage = storage;
    sparse.rows = rows.size();
    sparse.columns = columns.size();
    sparse.type = type;
    sparse.entries = rows.size() * columns.size();
    auto writer = m_run.writer.sparse(path, sparse);
    if (!writer)
        return std::move(writer).error();
    Reading& reading = *m_run.context.reading;
    const auto item = static_cast<Index>(std::max(sizeOf(*element.dtype), sizeOf(type)));
    const Index lineBytes = std::max<Index>(1, across.size() * item);
    const Index share = reading.budget().limit() / 32 / std::max(1, reading.threads());
    const Index blockLines = std::clamp<Index>(std::min(share, Index{8} << 20) / lineBytes, 1, std::max<Index>(1, lines.size()));
    const Index blocks = lines.empty() ? 0 : (lines.size() + blockLines - 1) / blockLines;
    auto workers = reserveWorkers(reading, static_cast<int>(std::clamp<Index>(blocks, 1, reading.threads())),
                                  5 * blockLines * lineBytes);
    if (!workers)
        return std::move(workers).error().at(element.path);
    std::vector<hdf5::EncodeScratch> scratch(static_cast<std::size_t>(workers->first));
    const bool wide = (*writer)->indexType() == DType::Int64;
    std::stop_source failed;
    const std::stop_callback forward(m_run.context.stop, [&] { failed.request_stop(); });
    auto done = WorkSharing(blocks, failed.get_token()).run(workers->first, [&](int worker, Index block) -> Result<void> {
        const Index first = block * blockLines;
        const Index count = std::min(blockLines, lines.size() - first);
        const Selection part = lines.part(first, count);
        auto values = byRows ? matrix.block(part, columns, m_run.context.stop)
                             : matrix.block(rows, part, m_run.context.stop);
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
            const Index bad = convertValues(kept.type(), kept.data(), kept.size(), type, converted.data());
            if (bad >= 0) {
                failed.request_stop();
                return cannotBe(element.path, type, kept.text(bad));
            }
            kept = std::move(converted);
        }
        const std::byte* indices = wide ? reinterpret_cast<const std::byte*>(wideIndices.data())
                                        : reinterpret_cast<const std::byte*>(narrowIndices.data());
        auto added = (*writer)->add(block, {entries, indices, kept.data(), ends},
                                    scratch[static_cast<std::size_t>(worker)], failed.get_token());
        if (!added)
            failed.request_stop();
        m_run.passed(values->bytes());
        m_run.passedEntries(values->size());
        return added;
    });
    if (!done)
        return done;
    auto finished = (*writer)->finish();
    return finished ? Result<void>() : std::move(finished).error();
}

} // namespace cellfolio
