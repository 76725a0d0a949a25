// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/loom_export.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"
#include "core/export/export_run.h"
#include "core/matrix/matrix_reader.h"
#include "core/paging/array_reader.h"
#include "core/run/work_sharing.h"
#include "core/write/h5ad_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace cellfolio {

namespace {

constexpr Index kChunk = 64; // both ways, as loompy has it
constexpr Index kWindow = Index{1} << 14;

class LoomExport
{
public:
    LoomExport(const ExportOptions& options, const ExportContext& context, H5adWriter& writer)
        : m_options(options), m_context(context), m_file(writer.file())
    {
    }

    Result<void> run();
    ExportResult result;

private:
    Result<void> writeMatrix(const Element& matrix, const std::string& path);
    Result<void> writeTable(const Element* table, const Selection& rows, const std::string& folder, const char* names);
    Result<void> writeColumn(const Element& column, const Selection& rows, const std::string& path);
    Result<void> writeEmbeddings(const Element& mapping);
    void leaveOut(const Element& element, const std::string& why);

    const ExportOptions& m_options;
    const ExportContext& m_context;
    hdf5::OutputFile& m_file;
};

void LoomExport::leaveOut(const Element& element, const std::string& why)
{
    result.findings.push_back(exportFinding("A015", element.path, "\"" + element.path + "\" is left out: " + why));
    result.findings.back().fix.clear();
    result.findings.back().fixable = false;
    result.elements.push_back({element.path, Action::Dropped});
}

Result<void> LoomExport::run()
{
    for (const char* group : {"/attrs", "/col_attrs", "/row_attrs", "/layers", "/col_graphs", "/row_graphs"})
        if (auto made = m_file.createGroup(group); !made)
            return made;
    auto version = m_file.createArray("/attrs/LOOM_SPEC_VERSION", planArray({DType::String, {}}, {Storing::As::Chosen, {}}, nullptr));
    if (!version)
        return std::move(version).error();
    const std::string number = "3.0.0";
    if (auto written = version->writeTexts(0, {&number, 1}); !written)
        return written;
    const Dataset& dataset = *m_options.view.dataset();
    const Element* x = dataset.x();
    if (x == nullptr)
        return Error(ErrorCode::NotFound, "There is no X, and a loom file needs a matrix.").at("X");
    if (auto written = writeMatrix(*x, "/matrix"); !written)
        return written;
    if (auto written = writeTable(dataset.obs(), m_options.view.obs(), "/col_attrs", "CellID"); !written)
        return written;
    if (auto written = writeTable(dataset.var(), m_options.view.var(), "/row_attrs", "Gene"); !written)
        return written;
    for (const auto& child : dataset.root().children) {
        if (child->name == "layers" && child->kind == ElementKind::Mapping) {
            for (const auto& layer : child->children)
                if (auto written = writeMatrix(*layer, "/layers/" + layer->name); !written)
                    return written;
        } else if (child->name == "obsm" && child->kind == ElementKind::Mapping) {
            if (auto written = writeEmbeddings(*child); !written)
                return written;
        } else if (child->name != "X" && child->name != "obs" && child->name != "var") {
            leaveOut(*child, "loom has no place for it.");
        }
    }
    return {};
}

Result<void> LoomExport::writeMatrix(const Element& matrix, const std::string& path)
{
    auto opened = MatrixReader::open(m_options.view.dataset(), matrix, m_context.reading);
    if (!opened)
        return std::move(opened).error();
    const DType type = (*opened)->dtype();
    if (!isReal(type))
        return Error(ErrorCode::Refused, "\"" + matrix.path + "\" holds no numbers that loom knows.").at(matrix.path);
    const DType stored = type == DType::Bool ? DType::UInt8 : type;
    const Selection& cells = m_options.view.obs();
    const Selection& genes = m_options.view.var();
    Storing storing{Storing::As::Chosen, {hdf5::Packing::Gzip, 2}};
    if (m_options.storing.as == Storing::As::Chosen)
        storing = m_options.storing;
    hdf5::NewArray plan = planArray({stored, {genes.size(), cells.size()}}, storing, nullptr);
    if (genes.size() > 0 && cells.size() > 0)
        plan.chunk = {std::min(kChunk, genes.size()), std::min(kChunk, cells.size())};
    auto array = m_file.createArray(path, plan);
    if (!array)
        return std::move(array).error();
    result.elements.push_back({matrix.path, Action::Converted});
    if (plan.chunk.empty())
        return {};

    // Blocks of whole chunks of cells, turned over chunk by chunk.
    Reading& reading = *m_context.reading;
    const std::size_t item = sizeOf(stored);
    const Index rowBytes = genes.size() * static_cast<Index>(item);
    const Index share = reading.budget().limit() / 16 / std::max(1, reading.threads());
    const Index blockCells = std::max<Index>(1, std::min(share, Index{8} << 20) / rowBytes / plan.chunk[1]) * plan.chunk[1];
    const Index blocks = (cells.size() + blockCells - 1) / blockCells;
    const int threads = static_cast<int>(std::min<Index>(blocks, reading.threads()));
    auto room = reading.budget().reserve(MemoryTag::Job, 2 * threads * std::min(blockCells, cells.size()) * rowBytes);
    if (!room)
        return std::move(room).error().at(matrix.path);
    struct Own {
        Buffer chunk;
        hdf5::EncodeScratch encode;
    };
    std::vector<Own> owns(static_cast<std::size_t>(threads));
    return WorkSharing(blocks, m_context.stop).run(threads, [&](int worker, Index block) -> Result<void> {
        Own& own = owns[static_cast<std::size_t>(worker)];
        const Index first = block * blockCells;
        const Selection part = cells.part(first, std::min(blockCells, cells.size() - first));
        auto values = (*opened)->block(part, genes, m_context.stop);
        if (!values)
            return std::move(values).error();
        own.chunk.resize(at(plan.chunk[0] * plan.chunk[1]) * item);
        for (Index gene = 0; gene < genes.size(); gene += plan.chunk[0])
            for (Index cell = 0; cell < part.size(); cell += plan.chunk[1]) {
                std::memset(own.chunk.data(), 0, own.chunk.size());
                const Index geneCount = std::min(plan.chunk[0], genes.size() - gene);
                const Index cellCount = std::min(plan.chunk[1], part.size() - cell);
                for (Index g = 0; g < geneCount; ++g)
                    for (Index c = 0; c < cellCount; ++c)
                        std::memcpy(own.chunk.data() + at(g * plan.chunk[1] + c) * item,
                                    values->data() + at((cell + c) * genes.size() + gene + g) * item, item);
                unsigned mask = 0;
                auto packed = hdf5::encodeChunk(array->info(), std::as_const(own.chunk).span(), own.encode, mask);
                if (!packed)
                    return std::move(packed).error();
                if (auto written = array->writeChunk({gene, first + cell}, *packed, mask); !written)
                    return written;
            }
        if (m_context.progress != nullptr) {
            m_context.progress->advance(values->bytes());
            m_context.progress->countEntries(values->size());
        }
        return {};
    });
}

Result<void> LoomExport::writeTable(const Element* table, const Selection& rows, const std::string& folder, const char* names)
{
    if (table == nullptr || table->kind != ElementKind::Table)
        return Error(ErrorCode::NotFound, "The file has no names for what would become " + folder.substr(1) + ".");
    auto array = m_file.createArray(folder + "/" + names, planArray({DType::String, {rows.size()}}, {Storing::As::Chosen, {}}, nullptr));
    if (!array)
        return std::move(array).error();
    ArrayWriter writer(*std::move(array));
    for (Index first = 0; first < rows.size(); first += kWindow) {
        auto texts = readNames(m_options.view.dataset(), *table, rows.part(first, std::min(kWindow, rows.size() - first)),
                               m_context.reading, m_context.stop);
        if (!texts)
            return std::move(texts).error();
        for (std::string& text : *texts)
            text = toUtf8(text);
        if (auto written = writer.append(std::span<const std::string>(*texts)); !written)
            return written;
    }
    if (auto finished = writer.finish(); !finished)
        return finished;
    for (const auto& column : table->children) {
        if (column->kind != ElementKind::Column)
            continue;
        if (!column->readable || column->column == ColumnKind::Opaque || column->name == names
            || column->name.find('/') != std::string::npos
            || (column->dtype && isComplex(*column->dtype))) {
            leaveOut(*column, column->name == names ? "its name is taken by the names." : "loom has no form for it.");
            continue;
        }
        if (auto written = writeColumn(*column, rows, folder + "/" + column->name); !written)
            return std::move(written).error().within("writing " + column->path);
        result.elements.push_back({column->path, Action::Converted});
    }
    return {};
}

Result<void> LoomExport::writeColumn(const Element& column, const Selection& rows, const std::string& path)
{
    auto reader = ColumnReader::open(m_options.view.dataset(), column, m_context.reading);
    if (!reader)
        return std::move(reader).error();
    const DType own = column.values.dtype();
    const bool nullable = column.column == ColumnKind::NullableInteger || column.column == ColumnKind::NullableBoolean;
    const bool asText = column.column == ColumnKind::Categorical || column.column == ColumnKind::String
                     || column.column == ColumnKind::NullableString;
    const DType type = asText ? DType::String : nullable ? DType::Float64 : own == DType::Bool ? DType::UInt8 : own;
    auto array = m_file.createArray(path, planArray({type, {rows.size()}}, {Storing::As::Chosen, {}}, nullptr));
    if (!array)
        return std::move(array).error();
    ArrayWriter writer(*std::move(array));
    for (Index first = 0; first < rows.size(); first += kWindow) {
        auto values = reader->read(rows.part(first, std::min(kWindow, rows.size() - first)), m_context.stop);
        if (!values)
            return std::move(values).error();
        Result<void> written;
        if (asText) {
            std::vector<std::string> texts;
            for (Index i = 0; i < values->size(); ++i)
                texts.push_back(toUtf8(values->text(i)));
            written = writer.append(std::span<const std::string>(texts));
        } else if (nullable) {
            std::vector<double> numbers;
            for (Index i = 0; i < values->size(); ++i)
                numbers.push_back(values->isMissing(i) ? std::numeric_limits<double>::quiet_NaN() : values->values.number(i));
            written = writer.append(reinterpret_cast<const std::byte*>(numbers.data()), values->size());
        } else {
            written = writer.append(values->values.data(), values->size());
        }
        if (!written)
            return written;
    }
    return writer.finish();
}

Result<void> LoomExport::writeEmbeddings(const Element& mapping)
{
    for (const auto& entry : mapping.children) {
        const bool fits = entry->readable && entry->storage == Storage::Dense && entry->shape && entry->shape->size() == 2
                       && entry->dtype && isReal(*entry->dtype) && *entry->dtype != DType::Bool
                       && entry->name.find('/') == std::string::npos;
        if (!fits) {
            leaveOut(*entry, "loom has no form for it.");
            continue;
        }
        const Selection& rows = m_options.view.obs();
        const Index width = (*entry->shape)[1];
        auto array = m_file.createArray("/col_attrs/" + entry->name,
                                        planArray({*entry->dtype, {rows.size(), width}}, {Storing::As::Chosen, {}}, nullptr));
        if (!array)
            return std::move(array).error();
        const DenseWriter writer(*array);
        auto matrix = MatrixReader::open(m_options.view.dataset(), *entry, m_context.reading);
        if (!matrix)
            return std::move(matrix).error();
        for (Index first = 0; first < rows.size(); first += kWindow) {
            const Selection part = rows.part(first, std::min(kWindow, rows.size() - first));
            auto values = (*matrix)->block(part, Selection::all(width), m_context.stop);
            if (!values)
                return std::move(values).error();
            if (auto written = writer.write(first, part.size(), values->data()); !written)
                return written;
        }
        result.elements.push_back({entry->path, Action::Converted});
    }
    return {};
}

} // namespace

Result<ExportResult> exportLoom(const ExportOptions& options, const std::filesystem::path& target, const ExportContext& context)
{
    StagedFile::Options staging;
    staging.overwrite = options.overwrite;
    staging.inputs = {options.view.dataset()->file().path()};
    staging.system = options.system;
    auto writer = H5adWriter::create(target, staging, options.storing);
    if (!writer)
        return std::move(writer).error();
    LoomExport exporter(options, context, **writer);
    if (auto written = exporter.run(); !written)
        return std::move(written).error();
    auto committed = (*writer)->commit([&](const std::filesystem::path& part) -> Result<void> {
        std::error_code ignored;
        exporter.result.bytes = static_cast<Index>(std::filesystem::file_size(part, ignored));
        return context.mayCommit();
    });
    if (!committed)
        return std::move(committed).error();
    return std::move(exporter.result);
}

} // namespace cellfolio
