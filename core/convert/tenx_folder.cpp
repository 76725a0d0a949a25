// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/convert/tenx_folder.h"

#include "core/base/text.h"
#include "core/convert/text_lines.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <initializer_list>
#include <span>
#include <system_error>
#include <utility>

namespace cellfolio {

namespace fs = std::filesystem;

namespace {

constexpr Index kBatch = Index{1} << 17;  // entries handed on at once
constexpr Index kNames = Index{1} << 12;
constexpr Index kMemory = Index{64} << 20; // of the process: the program, its libraries, a batch
constexpr double kEntriesASecond = 5e6;

Result<fs::path> oneOf(const fs::path& folder, std::initializer_list<const char*> names)
{
    std::error_code failure;
    for (const char* name : names)
        for (const char* ending : {".gz", ""})
            if (const fs::path path = folder / (std::string(name) + ending); fs::is_regular_file(path, failure))
                return path;
    return Error(ErrorCode::NotFound, "\"" + folder.string() + "\" holds no " + std::string(*names.begin()) + ".gz.")
        .advise("A folder of 10x has matrix.mtx, barcodes.tsv and features.tsv (or genes.tsv), each plain or .gz.");
}

// The columns of a table of names, the first into the first array; what lies behind them is not looked at.
// Corrupt unless it has a line for each of the `wanted` rows of the matrix; empty ones do not count.
Result<void> writeNames(H5adWriter& writer, const fs::path& file, const std::vector<std::string>& paths, Index wanted,
                        const char* rows)
{
    std::vector<ArrayWriter> arrays;
    for (const std::string& path : paths) {
        auto array = writer.array(path, DType::String, wanted);
        if (!array)
            return std::move(array).error();
        arrays.push_back(*std::move(array));
    }
    auto lines = TextLines::open(file);
    if (!lines)
        return std::move(lines).error();
    std::vector<std::vector<std::string>> blocks(arrays.size());
    Index count = 0;
    for (bool ended = false; !ended;) {
        std::string_view line;
        auto more = lines->next(line);
        if (!more)
            return std::move(more).error();
        ended = !*more;
        if (!ended && !line.empty()) {
            for (std::vector<std::string>& block : blocks) {
                const std::size_t end = line.find('\t');
                block.emplace_back(line.substr(0, end));
                line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
            }
            ++count;
        }
        if (count > wanted || (ended && count != wanted))
            return Error(ErrorCode::Corrupt, "\"" + file.filename().string() + "\" names " + grouped(count)
                                                 + (ended ? " " : " or more ") + rows + ", and the matrix has "
                                                 + grouped(wanted) + ".");
        if (!ended && static_cast<Index>(blocks.front().size()) < kNames)
            continue;
        for (std::size_t k = 0; k < arrays.size(); ++k) {
            if (auto written = arrays[k].append(std::span<const std::string>(blocks[k])); !written)
                return written;
            blocks[k].clear();
        }
    }
    for (ArrayWriter& array : arrays)
        if (auto finished = array.finish(); !finished)
            return finished;
    return {};
}

// Numbers and blanks, from left to right.
template <typename T>
bool take(std::string_view& text, T& value)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc())
        return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return text.empty() || text.front() == ' ' || text.front() == '\t';
}

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(" \t") == std::string_view::npos;
}

Error damaged(const fs::path& path, Index line, const std::string& what)
{
    return Error(ErrorCode::Corrupt, "Line " + exactText(line) + " of \"" + path.filename().string() + "\" " + what + ".");
}

} // namespace

bool TenXFolder::isFolder(const std::string& file)
{
    std::error_code failure;
    return fs::is_directory(file, failure);
}

Result<TenXFolder> TenXFolder::open(const fs::path& folder)
{
    TenXFolder result;
    auto matrix = oneOf(folder, {"matrix.mtx"});
    if (!matrix)
        return std::move(matrix).error();
    auto barcodes = oneOf(folder, {"barcodes.tsv"});
    if (!barcodes)
        return std::move(barcodes).error();
    auto features = oneOf(folder, {"features.tsv", "genes.tsv"});
    if (!features)
        return std::move(features).error();
    result.m_matrix = *std::move(matrix);
    result.m_barcodes = *std::move(barcodes);
    result.m_features = *std::move(features);
    if (auto read = result.readHead(); !read)
        return std::move(read).error();
    return result;
}

Result<void> TenXFolder::readHead()
{
    auto lines = TextLines::open(m_matrix);
    if (!lines)
        return std::move(lines).error();
    std::string_view line;
    auto more = lines->next(line);
    if (!more)
        return std::move(more).error();
    const std::string banner = *more ? lowered(line) : std::string();
    const bool whole = banner.find(" integer") != std::string::npos || banner.find(" pattern") != std::string::npos;
    const bool real = banner.find(" real") != std::string::npos;
    if (!banner.starts_with("%%matrixmarket matrix coordinate") || whole == real || banner.find(" general") == std::string::npos)
        return damaged(m_matrix, 1, "does not begin a general sparse matrix of numbers in the MatrixMarket format");
    m_pattern = banner.find(" pattern") != std::string::npos;
    m_type = whole ? DType::Int32 : DType::Float32;
    do {
        more = lines->next(line);
        if (!more)
            return std::move(more).error();
    } while (*more && (line.starts_with('%') || isBlank(line)));
    if (!*more || !take(line, m_genes) || !take(line, m_cells) || !take(line, m_entries) || !isBlank(line) || m_genes < 0
        || m_cells < 0 || m_entries < 0)
        return damaged(m_matrix, std::max<Index>(1, lines->line()), "should hold the numbers of genes, cells and entries");
    return {};
}

JobNeeds TenXFolder::needs(const ConvertOptions& options, Reading& reading) const
{
    JobNeeds needs;
    const Storage storage = options.storage == Storage::None ? Storage::Csr : options.storage;
    const bool packed = options.storing.as == Storing::As::Chosen ? options.storing.chosen.packing != hdf5::Packing::None
                                                                  : m_matrix.extension() == ".gz";
    const Index entries = m_entries * 8;
    const Index plain = storage == Storage::Dense ? m_genes * m_cells * 4 : entries;
    needs.output = static_cast<Index>(packed ? 0.35 * static_cast<double>(std::min(plain, entries)) : static_cast<double>(plain))
                 + (m_genes + m_cells) * 60;
    needs.temporary = storage == Storage::Csr ? 0 : entries;
    needs.memory = storage == Storage::Csr ? kMemory : kMemory + std::min(reading.budget().limit(), 2 * entries);
    needs.seconds = 0.05 + static_cast<double>(m_entries) / kEntriesASecond;
    return needs;
}

Result<void> TenXFolder::writeCells(H5adWriter& writer) const
{
    if (auto begun = writer.beginTable("obs", {}); !begun)
        return begun;
    return writeNames(writer, m_barcodes, {"obs/_index"}, m_cells, "cells");
}

Result<void> TenXFolder::writeGenes(H5adWriter& writer) const
{
    // id, symbol, type: as many columns as the first line has.
    std::size_t columns = 1;
    {
        auto lines = TextLines::open(m_features);
        if (!lines)
            return std::move(lines).error();
        std::string_view line;
        auto more = lines->next(line);
        if (!more)
            return std::move(more).error();
        columns = std::min<std::size_t>(3, static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t')) + 1);
    }
    std::vector<std::string> listed;
    if (columns > 1)
        listed.emplace_back("gene_ids");
    if (columns > 2)
        listed.emplace_back("feature_types");
    if (auto begun = writer.beginTable("var", listed); !begun)
        return begun;
    std::vector<std::string> arrays; // of the columns of the text
    for (std::size_t k = 0; k < columns; ++k) {
        const bool isIndex = k == std::min<std::size_t>(1, columns - 1);
        arrays.push_back(isIndex ? "var/_index" : k == 0 ? "var/gene_ids" : "var/feature_types");
    }
    return writeNames(writer, m_features, arrays, m_genes, "genes");
}

Result<bool> TenXFolder::writeMatrix(H5adWriter& writer, Order order, const std::stop_token& stop, Progress* progress) const
{
    auto lines = TextLines::open(m_matrix);
    if (!lines)
        return std::move(lines).error();
    std::string_view text;
    for (bool headed = false; !headed;) {
        auto more = lines->next(text);
        if (!more)
            return std::move(more).error();
        headed = !*more || !(text.starts_with('%') || isBlank(text));
    }
    const bool byCell = order == Order::ByCell;
    H5adWriter::Sparse plan;
    plan.storage = byCell ? Storage::Csr : Storage::Csc;
    plan.rows = m_cells;
    plan.columns = m_genes;
    plan.type = m_type;
    plan.entries = m_entries;
    auto sparse = writer.sparse("X", plan);
    if (!sparse)
        return std::move(sparse).error();
    const bool wide = (*sparse)->indexType() == DType::Int64;
    const std::size_t item = sizeOf(m_type);
    const Index lineCount = byCell ? m_cells : m_genes;
    std::vector<std::int32_t> narrowIndices;
    std::vector<std::int64_t> wideIndices;
    std::vector<std::byte> values;
    std::vector<Index> ends;
    Index held = 0;
    const auto flush = [&]() -> Result<void> {
        const std::byte* indices = wide ? reinterpret_cast<const std::byte*>(wideIndices.data())
                                        : reinterpret_cast<const std::byte*>(narrowIndices.data());
        auto added = (*sparse)->append({held, indices, values.data(), ends});
        narrowIndices.clear();
        wideIndices.clear();
        values.clear();
        ends.clear();
        held = 0;
        return added;
    };
    Index line = 0; // the one at hand
    Index passed = 0;
    for (Index entry = 0; entry < m_entries;) {
        auto more = lines->next(text);
        if (!more)
            return std::move(more).error();
        if (!*more)
            return Error(ErrorCode::Corrupt, "\"" + m_matrix.filename().string() + "\" ends after " + grouped(entry) + " of "
                                                 + counted(m_entries, "entry", "entries") + ".")
                .advise("Copy or download it again.");
        if (isBlank(text))
            continue;
        Index gene = 0;
        Index cell = 0;
        if (!take(text, gene) || !take(text, cell))
            return damaged(m_matrix, lines->line(), "is no entry");
        if (gene < 1 || gene > m_genes || cell < 1 || cell > m_cells)
            return damaged(m_matrix, lines->line(), "names gene " + exactText(gene) + " and cell " + exactText(cell) + " of "
                                                        + grouped(m_genes) + " × " + grouped(m_cells));
        values.resize(values.size() + item);
        std::byte* const value = values.data() + values.size() - item;
        bool fits = true;
        if (isInteger(m_type)) {
            std::int64_t number = 1;
            fits = (m_pattern || take(text, number)) && isBlank(text);
            if (m_type == DType::Int32) {
                const auto narrowNumber = static_cast<std::int32_t>(number);
                if (fits && std::int64_t{narrowNumber} != number)
                    return Error(ErrorCode::Refused, "Line " + exactText(lines->line()) + " of \"" + m_matrix.filename().string()
                                                         + "\" holds " + exactText(number) + ", too much for int32.")
                        .at("X")
                        .advise("Ask for another type (--dtype int64).");
                std::memcpy(value, &narrowNumber, sizeof narrowNumber);
            } else {
                std::memcpy(value, &number, sizeof number);
            }
        } else if (m_type == DType::Float32) {
            float number = 0;
            fits = take(text, number) && isBlank(text);
            std::memcpy(value, &number, sizeof number);
        } else {
            double number = 0;
            fits = take(text, number) && isBlank(text);
            std::memcpy(value, &number, sizeof number);
        }
        if (!fits)
            return damaged(m_matrix, lines->line(), "holds no value of the kind that the head of the file tells");
        const Index own = (byCell ? cell : gene) - 1;
        if (own < line)
            return false;
        for (; line < own; ++line)
            ends.push_back(held);
        if (wide)
            wideIndices.push_back((byCell ? gene : cell) - 1);
        else
            narrowIndices.push_back(static_cast<std::int32_t>((byCell ? gene : cell) - 1));
        ++held;
        ++entry;
        if (held == kBatch) {
            if (stop.stop_requested())
                return Error::cancelled();
            if (auto flushed = flush(); !flushed)
                return std::move(flushed).error();
            if (progress != nullptr)
                progress->advance(lines->bytes() - std::exchange(passed, lines->bytes()));
        }
    }
    for (;;) {
        auto more = lines->next(text);
        if (!more)
            return std::move(more).error();
        if (!*more)
            break;
        if (!isBlank(text))
            return damaged(m_matrix, lines->line(), "is one more than the " + grouped(m_entries) + " entries that were announced");
    }
    for (; line < lineCount; ++line)
        ends.push_back(held);
    if (auto flushed = flush(); !flushed)
        return std::move(flushed).error();
    if (auto finished = (*sparse)->finish(); !finished)
        return std::move(finished).error();
    return true;
}

Result<ConvertedElement> TenXFolder::write(const fs::path& target, const ConvertOptions& options,
                                           const std::shared_ptr<Reading>& reading, std::stop_token stop, Progress* progress)
{
    std::error_code failure;
    if (progress != nullptr)
        progress->begin(std::max<Index>(1, static_cast<Index>(fs::file_size(m_matrix, failure))));
    // Read in a type that loses nothing on the way to another one.
    if (options.dtype && !alwaysExact(m_type, *options.dtype))
        m_type = m_type == DType::Int32 ? DType::Int64 : DType::Float64;
    if (options.dtype && m_type == DType::Int32 && sizeOf(*options.dtype) == 8)
        m_type = DType::Int64;
    if (options.dtype && m_type == DType::Float32 && sizeOf(*options.dtype) == 8)
        m_type = DType::Float64;
    StagedFile::Options staging;
    staging.overwrite = options.overwrite;
    staging.inputs = {m_matrix, m_barcodes, m_features};
    staging.system = options.system;
    staging.bytesNeeded = needs(options, *reading).output;
    Storing storing = options.storing;
    if (storing.as == Storing::As::Source && m_matrix.extension() == ".gz")
        storing = {Storing::As::Chosen, {hdf5::Packing::Gzip, 2}, storing.chunk};
    const Storage storage = options.storage == Storage::None ? Storage::Csr : options.storage;
    for (const Order order : {Order::ByCell, Order::ByGene}) {
        const bool direct = storage == (order == Order::ByCell ? Storage::Csr : Storage::Csc)
                         && options.dtype.value_or(m_type) == m_type && options.indexWidth == IndexWidth::Keep;
        // What is to be changed again goes through a temporary file first.
        const fs::path folder = options.temporary.empty() ? target.parent_path() : options.temporary;
        const fs::path between = folder / (target.filename().string() + ".matrix");
        StagedFile::Options loose = staging;
        loose.overwrite = true;
        if (auto free = StagedFile::check(target, staging); !free)
            return std::move(free).error();
        auto writer = direct ? H5adWriter::create(target, staging, storing)
                             : H5adWriter::create(between, loose, Storing{Storing::As::Chosen, {}, 0});
        if (!writer)
            return std::move(writer).error();
        if (auto begun = (*writer)->beginData(); !begun)
            return std::move(begun).error();
        auto inOrder = writeMatrix(**writer, order, stop, progress);
        if (!inOrder)
            return std::move(inOrder).error();
        if (!*inOrder)
            continue;
        if (auto written = writeCells(**writer); !written)
            return std::move(written).error();
        if (auto written = writeGenes(**writer); !written)
            return std::move(written).error();
        ConvertedElement told;
        told.path = "X";
        told.action = "created";
        told.to = storage;
        told.type = options.dtype.value_or(m_type);
        told.was = m_type;
        if (direct) {
            const auto measure = [this](const fs::path& part) -> Result<void> {
                std::error_code ignored;
                m_bytes = static_cast<Index>(fs::file_size(part, ignored));
                auto made = Dataset::open(part.string());
                if (!made)
                    return std::move(made).error();
                const Element* x = (*made)->x();
                if (x == nullptr || x->stored != m_entries || (*made)->nObs() != m_cells || (*made)->nVars() != m_genes)
                    return Error(ErrorCode::Internal, "The new file is not what it should be.").at("X");
                return {};
            };
            if (auto done = (*writer)->commit(measure); !done)
                return std::move(done).error();
            return told;
        }
        if (auto closed = (*writer)->file().close(); !closed)
            return std::move(closed).error();
        auto dataset = Dataset::open((*writer)->staged().part().string());
        if (!dataset)
            return std::move(dataset).error();
        ConvertOptions last = options;
        last.elements = {"X"};
        last.storage = storage;
        last.storing = storing;
        auto job = Converter::open(*dataset, reading, std::move(last));
        if (!job)
            return std::move(job).error();
        auto written = job->write(target, false, stop, progress);
        if (!written)
            return std::move(written).error();
        m_bytes = *written;
        m_temporary = (*dataset)->file().size() + job->temporary();
        m_findings = job->findings();
        return told;
    }
    return Error(ErrorCode::Refused, "The entries of \"" + m_matrix.filename().string() + "\" are ordered neither by cell nor by gene.")
        .at("X")
        .advise("Sort them by their second column, then by their first.");
}

} // namespace cellfolio
