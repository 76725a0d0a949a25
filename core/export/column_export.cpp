// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/column_export.h"

#include "core/anndata/column_reader.h"
#include "core/anndata/encoding.h"
#include "core/base/text.h"
#include "core/paging/array_reader.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace cellfolio {

namespace {

constexpr Index kWindow = Index{1} << 16;

const hdf5::ArrayInfo* infoOf(const ArrayRef& array)
{
    return array && array.member < 0 ? &array.info() : nullptr;
}

// Values of one integer type as another; the caller knows that they fit.
Values codesAs(const std::vector<std::int64_t>& codes, DType type)
{
    Values values(type, static_cast<Index>(codes.size()));
    visitReal(type, [&]<typename T>(const T*) {
        if constexpr (std::is_integral_v<T>)
            std::transform(codes.begin(), codes.end(), values.as<T>().begin(),
                           [](std::int64_t code) { return static_cast<T>(code); });
    });
    return values;
}

} // namespace

bool ColumnExport::isModern(const Element& column, Profile profile)
{
    if (!column.readable || column.object == nullptr || column.object->soft || column.values.member >= 0)
        return false;
    switch (storedEncoding(*column.object).encoding) {
    case Encoding::Array:
    case Encoding::StringArray:
        return column.column != ColumnKind::Categorical && storedEncoding(*column.object).exact;
    case Encoding::Categorical:
        return column.object->attribute("ordered") != nullptr && isSignedInteger(column.values.dtype());
    case Encoding::NullableInteger:
    case Encoding::NullableBoolean:
        return static_cast<bool>(column.mask);
    case Encoding::NullableString:
        return profile == Profile::Keep && static_cast<bool>(column.mask);
    default:
        return false;
    }
}

Index ColumnExport::rowsOf(const Element& column) const
{
    const auto selection = m_run.along(column, 0);
    return selection ? selection->size() : column.values.length();
}

void ColumnExport::mend(Values& values)
{
    for (std::string& text : values.texts())
        if (!isUtf8(text)) {
            text = toUtf8(text);
            ++m_mended;
        }
}

void ColumnExport::reportMended(const Element& column)
{
    if (m_mended == 0)
        return;
    Finding& finding = m_run.found("A023", column.path,
                                   counted(m_mended, "text", "texts") + " of \"" + column.path
                                       + "\" were not readable; what could not be read of them is replaced by "
                                         "U+FFFD.");
    finding.count = m_mended;
    m_mended = 0;
}

Result<void> ColumnExport::forEachWindow(const ArrayRef& array, const Element& column,
                                         const std::function<Result<void>(Values&, Index)>& visit)
{
    const auto selection = m_run.along(column, 0);
    const Index extent = array.length();
    const Index rows = selection ? selection->size() : extent;
    const ArrayReader reader(array, m_run.context.reading, column.path);
    for (Index first = 0; first < rows; first += kWindow) {
        const Index count = std::min(kWindow, rows - first);
        auto values = selection ? reader.rows(selection->part(first, count), m_run.context.stop)
                                : reader.rows(first, count, m_run.context.stop);
        if (!values)
            return std::move(values).error();
        if (auto visited = visit(*values, first); !visited)
            return visited;
        m_run.passed(values->bytes());
    }
    return {};
}

Result<void> ColumnExport::write(const Element& column, const std::string& path, Unused unused)
{
    m_left.clear();
    m_drops = unused == Unused::Dropped;
    switch (column.column) {
    case ColumnKind::Categorical:
        return writeCategorical(column, path);
    case ColumnKind::NullableInteger:
    case ColumnKind::NullableBoolean:
        return writeNullable(column, path);
    case ColumnKind::NullableString:
        return m_run.options.profile == Profile::Keep ? writeNullable(column, path) : writeNullableText(column, path);
    case ColumnKind::Opaque:
        return Error(ErrorCode::Internal, "This cannot be written as a column.").at(column.path);
    default:
        return writePlain(column, path);
    }
}

// Attributes that other programs left, beside those that say how it is stored.
Result<void> ColumnExport::copyOtherAttributes(const Element& column, const std::string& path)
{
    if (column.object == nullptr || column.values.member >= 0)
        return {};
    return m_run.copier.copyAttributes(*column.object, "/" + path,
                                       {"encoding-type", "encoding-version", "ordered", "categories", "na-value"});
}

Result<void> ColumnExport::writePlain(const Element& column, const std::string& path)
{
    const DType type = column.values.dtype();
    auto writer = m_run.writer.array(path, type, rowsOf(column), infoOf(column.values));
    if (!writer)
        return std::move(writer).error();
    auto written = forEachWindow(column.values, column, [&](Values& values, Index) {
        if (type == DType::String)
            mend(values);
        return writer->append(values);
    });
    if (!written)
        return written;
    if (auto finished = writer->finish(); !finished)
        return finished;
    reportMended(column);
    return copyOtherAttributes(column, path);
}

Result<void> ColumnExport::writeNames(const Element& table, const std::string& path)
{
    // Names are texts, whatever they were: numbers and missing ones too.
    const Selection rows = m_run.along(table, 0).value_or(Selection::all(table.rows));
    const hdf5::ArrayInfo* like = table.index && table.index->column == ColumnKind::String ? infoOf(table.index->values)
                                                                                          : nullptr;
    auto writer = m_run.writer.array(path, DType::String, rows.size(), like);
    if (!writer)
        return std::move(writer).error();
    for (Index first = 0; first < rows.size(); first += kWindow) {
        auto names = readNames(m_run.dataset(), table, rows.part(first, std::min(kWindow, rows.size() - first)),
                               m_run.context.reading, m_run.context.stop);
        if (!names)
            return std::move(names).error();
        Values values(std::move(*names));
        mend(values);
        if (auto written = writer->append(values); !written)
            return written;
        m_run.passed(values.bytes());
    }
    if (table.index)
        reportMended(*table.index);
    if (auto finished = writer->finish(); !finished)
        return finished;
    return table.index ? copyOtherAttributes(*table.index, path) : Result<void>();
}

Result<void> ColumnExport::writeCategories(const Element& column, const std::string& path)
{
    const hdf5::Object* stored = column.object != nullptr && column.object->isGroup() && column.values.member < 0
                                   ? column.object->child("categories")
                                   : nullptr;
    const Index all = column.categoryCount.value_or(static_cast<Index>(column.fixedCategories.size()));
    const bool whole = !m_drops || static_cast<Index>(m_left.size()) == all;
    if (whole && stored != nullptr && !stored->soft && m_run.dataset()->format() == FileFormat::H5ad
        && (stored->isDataset() || m_run.options.profile == Profile::Keep)
        && storedEncoding(*stored).encoding != Encoding::None)
        return m_run.copier.copy(*stored, "/" + path);
    auto reader = ColumnReader::open(m_run.dataset(), column, m_run.context.reading);
    if (!reader)
        return std::move(reader).error();
    const Index count = m_drops ? static_cast<Index>(m_left.size()) : all;
    std::optional<ArrayWriter> writer;
    std::size_t next = 0; // of those left
    for (Index first = 0; first < all || !writer; first += kWindow) {
        auto values = reader->categoryWindow(first, std::min(kWindow, all - first), m_run.context.stop);
        if (!values)
            return std::move(values).error();
        if (!writer) {
            auto made = m_run.writer.array(path, values->type(), count, infoOf(column.categories));
            if (!made)
                return std::move(made).error();
            writer = *std::move(made);
        }
        if (m_drops) {
            std::vector<Index> here;
            for (; next < m_left.size() && m_left[next] < first + kWindow; ++next)
                here.push_back(m_left[next] - first);
            *values = values->gather(here);
        }
        mend(*values);
        if (auto written = writer->append(*values); !written)
            return written;
        if (all == 0)
            break;
    }
    reportMended(column);
    return writer->finish();
}

Result<void> ColumnExport::writeCategorical(const Element& column, const std::string& path)
{
    const Index all = column.categoryCount.value_or(static_cast<Index>(column.fixedCategories.size()));
    std::vector<std::int64_t> places; // of each old category among the new ones
    if (m_drops) {
        auto room = m_run.context.reading->budget().reserve(MemoryTag::Job, 16 * all);
        if (!room)
            return std::move(room).error().at(column.path);
        places.assign(at(all), -1);
        auto looked = forEachWindow(column.values, column, [&](Values& codes, Index) -> Result<void> {
            for (Index i = 0; i < codes.size(); ++i)
                if (const std::int64_t code = codes.integer(i); code >= 0 && code < all)
                    places[at(code)] = 0;
            return {};
        });
        if (!looked)
            return looked;
        for (Index c = 0; c < all; ++c)
            if (places[at(c)] == 0) {
                places[at(c)] = static_cast<std::int64_t>(m_left.size());
                m_left.push_back(c);
            }
    }
    const DType stored = column.values.dtype();
    const Index count = m_drops ? static_cast<Index>(m_left.size()) : all;
    const DType type = m_drops || !isSignedInteger(stored) || sizeOf(stored) < sizeOf(H5adWriter::codeType(count))
                         ? H5adWriter::codeType(count)
                         : stored;
    if (auto begun = m_run.writer.beginCategorical(path, column.ordered); !begun)
        return begun;
    if (auto copied = copyOtherAttributes(column, path); !copied)
        return copied;
    if (auto written = writeCategories(column, path + "/categories"); !written)
        return written;
    auto writer = m_run.writer.array(path + "/codes", type, rowsOf(column), infoOf(column.values));
    if (!writer)
        return std::move(writer).error();
    Index outside = 0;
    auto written = forEachWindow(column.values, column, [&](Values& codes, Index) {
        std::vector<std::int64_t> fresh(at(codes.size()));
        for (Index i = 0; i < codes.size(); ++i) {
            std::int64_t code = codes.integer(i);
            if (code < -1 || code >= all) {
                ++outside;
                code = -1;
            }
            fresh[at(i)] = code < 0 || places.empty() ? code : places[at(code)];
        }
        return writer->append(codesAs(fresh, type));
    });
    if (!written)
        return written;
    if (outside > 0) {
        Finding& finding = m_run.found("A018", column.path,
                                       counted(outside, "row", "rows") + " of \"" + column.path
                                           + "\" referred to a category that is not there; they are missing values now.");
        finding.count = outside;
        finding.severity = Severity::Warning;
    }
    return writer->finish();
}

Result<void> ColumnExport::writeNullable(const Element& column, const std::string& path)
{
    const DType type = column.values.dtype();
    if (auto begun = m_run.writer.beginNullable(path, column.column); !begun)
        return begun;
    if (auto copied = copyOtherAttributes(column, path); !copied)
        return copied;
    const Index rows = rowsOf(column);
    auto values = m_run.writer.array(path + "/values", type, rows, infoOf(column.values));
    if (!values)
        return std::move(values).error();
    auto written = forEachWindow(column.values, column, [&](Values& window, Index) {
        if (type == DType::String)
            mend(window);
        return values->append(window);
    });
    if (!written)
        return written;
    if (auto finished = values->finish(); !finished)
        return finished;
    auto mask = m_run.writer.array(path + "/mask", DType::Bool, rows, column.mask ? infoOf(column.mask) : nullptr);
    if (!mask)
        return std::move(mask).error();
    const auto marks = [&](Index count, const std::function<bool(Index)>& missing) {
        Values flags(DType::Bool, count);
        for (Index i = 0; i < count; ++i)
            flags.as<Flag>()[at(i)].byte = missing(i) ? 1 : 0;
        return mask->append(flags);
    };
    if (column.mask) {
        written = forEachWindow(column.mask, column, [&](Values& window, Index) {
            return marks(window.size(), [&](Index i) { return window.integer(i) != 0; });
        });
    } else {
        for (Index first = 0; first < rows && written; first += kWindow)
            written = marks(std::min(kWindow, rows - first), [](Index) { return false; });
    }
    if (!written)
        return written;
    reportMended(column);
    return mask->finish();
}

// Text that may be missing, for readers that do not know it: a categorical where something is
// missing, else plain texts.
Result<void> ColumnExport::writeNullableText(const Element& column, const std::string& path)
{
    bool anyMissing = false;
    if (column.mask) {
        auto looked = forEachWindow(column.mask, column, [&](Values& window, Index) -> Result<void> {
            for (Index i = 0; i < window.size() && !anyMissing; ++i)
                anyMissing = window.integer(i) != 0;
            return {};
        });
        if (!looked)
            return looked;
    }
    if (!anyMissing)
        return writePlain(column, path);
    auto reader = ColumnReader::open(m_run.dataset(), column, m_run.context.reading);
    if (!reader)
        return std::move(reader).error();
    const Index rows = rowsOf(column);
    const auto selection = m_run.along(column, 0);
    const auto eachText = [&](const std::function<void(Index, std::string&)>& visit) -> Result<void> {
        for (Index first = 0; first < rows; first += kWindow) {
            auto values = reader->read(partOf(selection, column.values.length(), first, std::min(kWindow, rows - first)),
                                       m_run.context.stop);
            if (!values)
                return std::move(values).error();
            mend(values->values);
            for (Index i = 0; i < values->size(); ++i)
                if (!values->isMissing(i))
                    visit(first + i, values->values.texts()[at(i)]);
        }
        return {};
    };
    std::unordered_map<std::string, std::int64_t> numbers;
    Index bytes = 0;
    auto read = eachText([&](Index, std::string& text) {
        if (numbers.emplace(text, 0).second)
            bytes += 96 + static_cast<Index>(text.size());
    });
    if (!read)
        return read;
    auto room = m_run.context.reading->budget().reserve(MemoryTag::Job, bytes);
    if (!room)
        return std::move(room).error().at(column.path);
    reportMended(column);
    std::vector<std::string> categories;
    for (const auto& [text, number] : numbers)
        categories.push_back(text);
    std::sort(categories.begin(), categories.end());
    for (std::size_t k = 0; k < categories.size(); ++k)
        numbers[categories[k]] = static_cast<std::int64_t>(k);
    if (auto begun = m_run.writer.beginCategorical(path, false); !begun)
        return begun;
    if (auto copied = copyOtherAttributes(column, path); !copied)
        return copied;
    const DType type = H5adWriter::codeType(static_cast<Index>(categories.size()));
    if (auto written = m_run.writer.array(path + "/categories", Values(std::move(categories))); !written)
        return written;
    auto writer = m_run.writer.array(path + "/codes", type, rows, nullptr);
    if (!writer)
        return std::move(writer).error();
    std::vector<std::int64_t> codes(at(std::min(kWindow, rows)), -1);
    Index done = 0;
    Result<void> written;
    read = eachText([&](Index row, std::string& text) {
        while (written && row >= done + kWindow) {
            written = writer->append(codesAs(codes, type));
            done += kWindow;
            codes.assign(at(std::min(kWindow, rows - done)), -1);
        }
        codes[at(row - done)] = numbers[text];
    });
    if (!read)
        return read;
    for (; written && done < rows; done += kWindow) {
        written = writer->append(codesAs(codes, type));
        codes.assign(at(std::max<Index>(0, std::min(kWindow, rows - done - kWindow))), -1);
    }
    m_mended = 0;
    return written ? writer->finish() : written;
}

} // namespace cellfolio
