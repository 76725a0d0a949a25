// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/sparse_source.h"

#include "core/base/text.h"
#include "core/matrix/number_types.h"

#include <algorithm>
#include <limits>

namespace cellfolio {

namespace {

constexpr Index kLargest = std::numeric_limits<Index>::max();
constexpr Index kStuck = std::numeric_limits<std::int32_t>::max();

Error damaged(const std::string& path, const char* rule, std::string message)
{
    return Error(ErrorCode::Corrupt, std::move(message))
        .at(path)
        .rule(rule)
        .advise("Copy the file again from its source; other rows can still be read.");
}

} // namespace

void appendAsIndex(DType type, const std::byte* values, Index count, std::vector<Index>& into)
{
    const std::size_t start = into.size();
    into.resize(start + at(count));
    visitInteger(type, [&]<typename T>(const T*) {
        const T* from = reinterpret_cast<const T*>(values);
        Index* to = into.data() + start;
        for (Index i = 0; i < count; ++i) {
            if constexpr (std::is_same_v<T, std::uint64_t>)
                to[i] = static_cast<Index>(std::min(from[i], static_cast<T>(kLargest)));
            else
                to[i] = static_cast<Index>(from[i]);
        }
    });
}

Result<SparseSource> SparseSource::open(std::shared_ptr<const Dataset> dataset,
                                        const Element& matrix, std::shared_ptr<Reading> reading)
{
    if (matrix.whyNot)
        return *matrix.whyNot;
    if (!matrix.isSparse() || !matrix.values || !matrix.indices || !matrix.indptr || !matrix.shape
        || matrix.shape->size() != 2)
        return Error(ErrorCode::Corrupt, "The sparse matrix is not complete.")
            .at(matrix.path)
            .rule("A028");
    if (!isInteger(matrix.indices.dtype()) || !isInteger(matrix.indptr.dtype()))
        return damaged(matrix.path, "A035", "The positions of the sparse matrix are not integers.");

    SparseSource source(ArrayReader(matrix.values, reading, matrix.path),
                        ArrayReader(matrix.indices, reading, matrix.path),
                        ArrayReader(matrix.indptr, reading, matrix.path));
    source.m_dataset = std::move(dataset);
    source.m_reading = std::move(reading);
    source.m_path = matrix.path;
    source.m_byRows = matrix.storage == Storage::Csr;
    source.m_lines = (*matrix.shape)[source.m_byRows ? 0 : 1];
    source.m_width = (*matrix.shape)[source.m_byRows ? 1 : 0];
    source.m_stored = std::min(matrix.values.length(), matrix.indices.length());
    source.m_pointers = matrix.indptr.length();
    return source;
}

Result<std::vector<Index>> SparseSource::pointers(Index first, Index count,
                                                  std::stop_token stop) const
{
    if (first + count + 1 > m_pointers)
        return damaged(m_path, "A030",
                       std::string("indptr has ") + counted(m_pointers, "entry", "entries") + "; "
                           + counted(m_lines, lineName(), m_byRows ? "rows" : "columns") + " need "
                           + exactText(m_lines + 1) + ", so " + lineName() + " "
                           + exactText(std::max(first, m_pointers - 1)) + " has no end.");
    Result<Values> values = m_indptr.rows(first, count + 1, stop);
    if (!values)
        return std::move(values).error();
    std::vector<Index> result;
    appendAsIndex(values->type(), values->data(), values->size(), result);
    return result;
}

Result<void> SparseSource::checkLine(Index line, Index begin, Index end) const
{
    const std::string where = std::string(lineName()) + " " + exactText(line);
    if (begin < 0 || end < 0) {
        const bool narrow = m_indptr.dtype() == DType::Int32;
        return damaged(m_path, narrow ? "A036" : "A032",
                       "indptr is negative (" + exactText(std::min(begin, end)) + ") at " + where
                           + (narrow ? ": the row pointers overflowed 32 bits." : "."));
    }
    if (end < begin)
        return damaged(m_path, "A032",
                       "indptr falls from " + exactText(begin) + " to " + exactText(end) + " at "
                           + where + ".");
    if (end > m_stored)
        return damaged(m_path, "A033",
                       "indptr ends at " + exactText(end) + " at " + where + ", but only "
                           + exactText(m_stored) + " entries are stored.");
    if (begin == end && end == kStuck && m_stored > kStuck && m_indptr.dtype() == DType::Int32)
        return damaged(m_path, "A036",
                       "indptr is stuck at " + exactText(kStuck) + " at " + where
                           + ": the row pointers overflowed 32 bits.");
    return {};
}

Result<void> SparseSource::readIndices(Index first, Index count, std::vector<Index>& into,
                                       std::stop_token stop) const
{
    Result<Values> values = m_indices.rows(first, count, stop);
    if (!values)
        return std::move(values).error();
    appendAsIndex(values->type(), values->data(), values->size(), into);
    return {};
}

Result<Values> SparseSource::readData(Index first, Index count, std::stop_token stop) const
{
    return m_data.rows(first, count, stop);
}

Error SparseSource::outside(Index line, Index index, Index entry) const
{
    return damaged(m_path, "A034",
                   std::string("index ") + exactText(index) + " at position " + exactText(entry)
                       + " is outside 0.." + exactText(m_width - 1) + " (" + lineName() + " "
                       + exactText(line) + ").");
}

Result<SparseBlock> SparseSource::block(Index first, Index count, std::stop_token stop) const
{
    Result<std::vector<Index>> bounds = pointers(first, count, stop);
    if (!bounds)
        return std::move(bounds).error();
    SparseBlock result;
    result.first = first;
    result.indptr.push_back(0);
    for (Index k = 0; k < count; ++k) {
        const Index begin = (*bounds)[at(k)];
        const Index end = (*bounds)[at(k + 1)];
        if (Result<void> ok = checkLine(first + k, begin, end); !ok)
            return std::move(ok).error();
        result.indptr.push_back(result.indptr.back() + (end - begin));
    }
    const Index begin = bounds->front();
    const Index entries = result.indptr.back();
    Result<MemoryReservation> room = m_reading->budget().reserve(
        MemoryTag::Job, entries * static_cast<Index>(sizeof(Index) + sizeOf(dtype())));
    if (!room)
        return std::move(room).error().at(m_path);

    // Every line begins where the one before it ends, so all of them are one run.
    result.indices.reserve(at(entries));
    if (Result<void> read = readIndices(begin, entries, result.indices, stop); !read)
        return std::move(read).error();
    for (Index k = 0; k < count; ++k)
        for (Index e = result.indptr[at(k)]; e < result.indptr[at(k + 1)]; ++e)
            if (result.indices[at(e)] < 0 || result.indices[at(e)] >= m_width)
                return outside(first + k, result.indices[at(e)], begin + e);
    Result<Values> values = readData(begin, entries, stop);
    if (!values)
        return std::move(values).error();
    result.data = *std::move(values);
    return result;
}

} // namespace cellfolio
