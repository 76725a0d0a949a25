// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/counts_export.h"

#include "core/base/text.h"
#include "core/export/entry_batches.h"
#include "core/export/export_run.h"
#include "core/export/features.h"
#include "core/export/text_sink.h"
#include "core/hdf5/output_driver.h"
#include "core/matrix/convert_values.h"
#include "core/matrix/holds.h"
#include "core/matrix/number_types.h"
#include "core/write/h5ad_writer.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>

#include <fcntl.h>
#include <unistd.h>

namespace cellfolio {

namespace {

// The first lines of a Matrix Market file, always of the same length: the number of entries and
// whether all are whole numbers are only known at the end.
std::string marketHead(bool whole, Index rows, Index columns, Index entries)
{
    constexpr std::size_t kLength = 160;
    std::string head = std::string("%%MatrixMarket matrix coordinate ") + (whole ? "integer" : "real") + " general\n%";
    const std::string sizes = "\n" + std::to_string(rows) + " " + std::to_string(columns) + " " + std::to_string(entries) + "\n";
    head.append(kLength - head.size() - sizes.size(), ' ');
    return head + sizes;
}

template <typename T>
void appendNumber(std::string& text, T number)
{
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    text.append(digits, end);
}

template <typename T>
bool isWhole(T value)
{
    if constexpr (std::is_floating_point_v<T>)
        return value == std::floor(value) && std::abs(value) < static_cast<T>(1e15);
    else
        return true;
}

bool isOfRaw(const Element& matrix)
{
    return matrix.ofRaw;
}

} // namespace

Result<PlainFile> PlainFile::create(const std::filesystem::path& path)
{
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return hdf5::writeFailure(errno);
    return PlainFile(descriptor);
}

PlainFile::PlainFile(PlainFile&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}

PlainFile::~PlainFile()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

const std::vector<std::string>& CountsExport::folderFiles()
{
    static const std::vector<std::string> kFiles{"matrix.mtx.gz", "barcodes.tsv.gz", "features.tsv.gz"};
    return kFiles;
}

void CountsExport::noteHolds(const Element& matrix, ExportResult& result) const
{
    const auto holds = sampleHolds(m_options.view.dataset(), matrix, m_context.reading, m_context.stop, HoldsEffort::Thorough);
    if (!holds || holds->holds == Holds::Counts || holds->holds == Holds::Unknown)
        return;
    Finding finding = exportFinding("B004", matrix.path,
                                  "\"" + matrix.path + "\" does not hold whole counts (it looks like " + holds->text()
                                      + "), which readers of this format take it for.");
    finding.fix = "Choose the matrix of counts with --element, such as raw/X or layers/counts.";
    result.findings.push_back(std::move(finding));
}

Result<ExportResult> CountsExport::writeFolder(const Element& matrix, const std::filesystem::path& folder)
{
    ExportResult result;
    noteHolds(matrix, result);
    auto entries = writeMatrixMarket(matrix, folder / "matrix.mtx.gz");
    if (!entries)
        return std::move(entries).error();
    if (auto written = writeNames(matrix, folder); !written)
        return std::move(written).error();
    result.elements.push_back({matrix.path, Action::Converted});
    return result;
}

Result<Index> CountsExport::writeMatrixMarket(const Element& matrix, const std::filesystem::path& path)
{
    auto batches = EntryBatches::open(m_options, matrix, m_context, EntryBatches::Order::AsStored);
    if (!batches)
        return std::move(batches).error();
    auto file = PlainFile::create(path);
    if (!file)
        return std::move(file).error();
    FileSystem& system = m_options.system != nullptr ? *m_options.system : FileSystem::real();
    TextSink sink(file->descriptor(), system, TextSink::As::Gzip);
    const Index genes = batches->columns();
    const Index cells = batches->rows();
    sink.head(marketHead(false, genes, cells, 0));
    bool whole = true;
    Index entries = 0;
    Index line = 0; // cells, or genes where it is stored by gene
    std::string text;
    auto done = batches->run(DType::Int64, EntryBatches::Threads::One, [&](const SubsetBatch& batch) -> Result<void> {
        const auto* indices = reinterpret_cast<const std::int64_t*>(batch.indices);
        std::size_t end = 0;
        visitReal(batches->dtype(), [&]<typename T>(const T*) {
            const T* values = reinterpret_cast<const T*>(batch.values);
            for (Index e = 0; e < batch.entries; ++e) {
                for (; end < batch.ends.size() && batch.ends[end] <= e; ++end)
                    ++line;
                if (isZero(values[e]))
                    continue;
                text.clear();
                appendNumber(text, (batches->byRows() ? indices[e] : line) + 1);
                text += ' ';
                appendNumber(text, (batches->byRows() ? line : indices[e]) + 1);
                text += ' ';
                if constexpr (std::is_same_v<T, Flag>) {
                    text += '1';
                } else if constexpr (std::is_same_v<T, Half>) {
                    whole = whole && isWhole(toFloat(values[e]));
                    text += exactText(values[e]);
                } else {
                    whole = whole && isWhole(values[e]);
                    if constexpr (std::is_floating_point_v<T>) {
                        // Whole ones without a point or an exponent: all are read as integers then.
                        if (isWhole(values[e]))
                            appendNumber(text, static_cast<std::int64_t>(values[e]));
                        else
                            appendNumber(text, values[e]);
                    } else {
                        appendNumber(text, values[e]);
                    }
                }
                text += '\n';
                sink.write(text);
                ++entries;
            }
        });
        line += static_cast<Index>(batch.ends.size() - end);
        return sink.check();
    });
    if (!done)
        return std::move(done).error();
    sink.flush();
    if (auto replaced = sink.replaceHead(marketHead(whole, genes, cells, entries)); !replaced)
        return std::move(replaced).error();
    return entries;
}

Result<void> CountsExport::writeNames(const Element& matrix, const std::filesystem::path& folder)
{
    FileSystem& system = m_options.system != nullptr ? *m_options.system : FileSystem::real();
    const Features features(m_options, m_context, isOfRaw(matrix));
    {
        auto file = PlainFile::create(folder / "features.tsv.gz");
        if (!file)
            return std::move(file).error();
        TextSink sink(file->descriptor(), system, TextSink::As::Gzip);
        auto written = features.forEachGene([&](const Features::Window& window) {
            for (std::size_t i = 0; i < window.names.size(); ++i) {
                for (const auto* texts : {&window.ids, &window.names, &window.types}) {
                    std::string text = (*texts)[i];
                    std::replace_if(text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
                    sink.write(text);
                    sink.write(texts == &window.types ? '\n' : '\t');
                }
            }
            return sink.check();
        });
        if (!written)
            return written;
        sink.flush();
        if (auto sound = sink.check(); !sound)
            return sound;
    }
    auto file = PlainFile::create(folder / "barcodes.tsv.gz");
    if (!file)
        return std::move(file).error();
    TextSink sink(file->descriptor(), system, TextSink::As::Gzip);
    auto written = features.forEachCell([&](const std::vector<std::string>& names) {
        for (std::string name : names) {
            std::replace_if(name.begin(), name.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
            sink.write(name);
            sink.write('\n');
        }
        return sink.check();
    });
    if (!written)
        return written;
    sink.flush();
    return sink.check();
}

Result<ExportResult> CountsExport::writeFile(const Element& matrix, const std::filesystem::path& target)
{
    ExportResult notes;
    noteHolds(matrix, notes);
    // Counts that are stored as floats are written as whole numbers, which is what readers expect; where
    // one is none after all, as they are.
    DType type = matrix.dtype.value_or(DType::Other);
    const bool asIntegers = (isFloat(type) || type == DType::Bool) && notes.findings.empty();
    auto result = writeH5(matrix, target, asIntegers ? DType::Int32 : type);
    if (!result && asIntegers && result.error().code() == ErrorCode::Refused)
        result = writeH5(matrix, target, type == DType::Float16 || type == DType::Bool ? DType::Float32 : type);
    if (result)
        result->findings = std::move(notes.findings);
    return result;
}

Result<ExportResult> CountsExport::writeH5(const Element& matrix, const std::filesystem::path& target, DType type)
{
    auto batches = EntryBatches::open(m_options, matrix, m_context, EntryBatches::Order::ByRows);
    if (!batches)
        return std::move(batches).error();
    StagedFile::Options staging;
    staging.overwrite = m_options.overwrite;
    staging.inputs = {m_options.view.dataset()->file().path()};
    staging.system = m_options.system;
    Storing storing{Storing::As::Chosen, {hdf5::Packing::Gzip, 2}};
    if (m_options.storing.as == Storing::As::Chosen)
        storing = m_options.storing;
    auto writer = H5adWriter::create(target, staging, storing);
    if (!writer)
        return std::move(writer).error();
    hdf5::OutputFile& file = (*writer)->file();
    for (const char* group : {"/matrix", "/matrix/features"})
        if (auto made = file.createGroup(group); !made)
            return std::move(made).error();

    // Texts of fixed length, as all its readers expect: so the longest is looked for first.
    const Features features(m_options, m_context, isOfRaw(matrix));
    const auto texts = [&](const std::string& path, Index count, const auto& each) -> Result<void> {
        Index longest = 1;
        auto looked = each([&](const std::vector<std::string>& window) -> Result<void> {
            for (const std::string& text : window)
                longest = std::max(longest, static_cast<Index>(text.size()));
            return {};
        });
        if (!looked)
            return looked;
        hdf5::NewArray plan = planArray({DType::String, {count}}, {Storing::As::Chosen, {}}, nullptr);
        plan.textLength = longest;
        auto array = file.createArray(path, plan);
        if (!array)
            return std::move(array).error();
        Index first = 0;
        return each([&](const std::vector<std::string>& window) -> Result<void> {
            std::string bytes(window.size() * at(longest), '\0');
            for (std::size_t i = 0; i < window.size(); ++i)
                std::copy(window[i].begin(), window[i].end(), bytes.begin() + static_cast<std::ptrdiff_t>(i * at(longest)));
            auto written = array->write({first}, {static_cast<Index>(window.size())}, std::as_bytes(std::span(bytes)));
            first += static_cast<Index>(window.size());
            return written;
        });
    };
    using Visit = std::function<Result<void>(const std::vector<std::string>&)>;
    if (auto written = texts("/matrix/barcodes", features.cells(), [&](const Visit& visit) { return features.forEachCell(visit); });
        !written)
        return std::move(written).error();
    const std::pair<const char*, std::vector<std::string> Features::Window::*> columns[] = {
        {"/matrix/features/id", &Features::Window::ids},
        {"/matrix/features/name", &Features::Window::names},
        {"/matrix/features/feature_type", &Features::Window::types},
        {"/matrix/features/genome", &Features::Window::genomes}};
    for (const auto& [path, member] : columns)
        if (auto written = texts(path, features.genes(), [&, member = member](const Visit& visit) {
                return features.forEachGene([&](const Features::Window& window) { return visit(window.*member); });
            });
            !written)
            return std::move(written).error();
    if (auto written = texts("/matrix/features/_all_tag_keys", 1,
                             [&](const Visit& visit) { return visit({"genome"}); });
        !written)
        return std::move(written).error();

    // Genes × cells by cell is cells × genes by cell: the arrays are the same.
    const auto wide = DType::Int64;
    auto data = file.createArray("/matrix/data", planArray({type, {0}, true}, storing, nullptr));
    if (!data)
        return std::move(data).error();
    auto indices = file.createArray("/matrix/indices", planArray({wide, {0}, true}, storing, nullptr));
    if (!indices)
        return std::move(indices).error();
    auto indptr = file.createArray("/matrix/indptr", planArray({wide, {batches->rows() + 1}, true}, storing, nullptr));
    if (!indptr)
        return std::move(indptr).error();
    SparseWriter sparse({*std::move(data), *std::move(indices), ArrayWriter(*std::move(indptr)), batches->rows()});
    struct Own {
        hdf5::EncodeScratch encode;
        Buffer values;
    };
    std::vector<Own> owns(at(Index{batches->workers()}));
    auto done = batches->run(wide, EntryBatches::Threads::All, [&](const SubsetBatch& batch) -> Result<void> {
        Own& own = owns[at(Index{batch.worker})];
        own.values.resize(at(batch.entries) * sizeOf(type));
        const Index bad = convertValues(batches->dtype(), batch.values, batch.entries, type, own.values.data());
        if (bad >= 0)
            return Error(ErrorCode::Refused, "A value of \"" + matrix.path + "\" is no whole number.").at(matrix.path);
        return sparse.add(batch.ordinal, {batch.entries, batch.indices, own.values.data(), batch.ends}, own.encode, batch.stop);
    });
    if (!done)
        return std::move(done).error();
    if (auto finished = sparse.finish(); !finished)
        return std::move(finished).error();
    const std::int32_t shape[2] = {static_cast<std::int32_t>(batches->columns()), static_cast<std::int32_t>(batches->rows())};
    auto shapeArray = file.createArray("/matrix/shape", planArray({DType::Int32, {2}}, {Storing::As::Chosen, {}}, nullptr));
    if (!shapeArray)
        return std::move(shapeArray).error();
    if (auto written = shapeArray->write({0}, {2}, std::as_bytes(std::span(shape))); !written)
        return std::move(written).error();
    ExportResult result;
    auto committed = (*writer)->commit([&](const std::filesystem::path& part) -> Result<void> {
        std::error_code ignored;
        result.bytes = static_cast<Index>(std::filesystem::file_size(part, ignored));
        return m_context.mayCommit();
    });
    if (!committed)
        return std::move(committed).error();
    result.elements.push_back({matrix.path, Action::Converted});
    return result;
}

} // namespace cellfolio
