// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/block_layout.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace cellfolio {

namespace {

// Calls f with a null pointer of a plain type as large as the values of a dtype: moving values
// about needs no more than their size.
template <typename F>
void visitSize(DType type, F&& f)
{
    switch (sizeOf(type)) {
    case 1: f(static_cast<const std::uint8_t*>(nullptr)); return;
    case 2: f(static_cast<const std::uint16_t*>(nullptr)); return;
    case 4: f(static_cast<const std::uint32_t*>(nullptr)); return;
    case 8: f(static_cast<const std::uint64_t*>(nullptr)); return;
    case 16: f(static_cast<const std::array<std::uint64_t, 2>*>(nullptr)); return;
    default: return;
    }
}

// result[i] = block[source(i)] for every i, numbers and texts alike, marks of missing included.
template <typename Source>
Values rearranged(const Values& block, Index size, Source source)
{
    Values result(block.type(), size);
    if (block.type() == DType::String) {
        for (Index i = 0; i < size; ++i)
            result.texts()[at(i)] = block.texts()[at(source(i))];
    } else {
        visitSize(block.type(), [&]<typename T>(const T*) {
            const T* from = reinterpret_cast<const T*>(block.data());
            T* to = reinterpret_cast<T*>(result.data());
            for (Index i = 0; i < size; ++i)
                to[i] = from[source(i)];
        });
    }
    if (block.hasMissing())
        for (Index i = 0; i < size; ++i)
            if (block.isMissing(source(i)))
                result.setMissing(i);
    return result;
}

} // namespace

Values transposed(const Values& block, Index rows, Index columns)
{
    return rearranged(block, rows * columns,
                      [rows, columns](Index i) { return (i % rows) * columns + i / rows; });
}

void place(const Values& run, Index start, Values& block)
{
    if (run.type() == DType::String) {
        for (Index i = 0; i < run.size(); ++i)
            block.texts()[at(start + i)] = run.texts()[at(i)];
        return;
    }
    const std::size_t size = sizeOf(run.type());
    std::memcpy(block.data() + at(start) * size, run.data(), at(run.size()) * size);
}

Values spread(Values block, Index rows, Index columns, const std::vector<Index>& rowPlaces,
              const std::vector<Index>& columnPlaces)
{
    if (rowPlaces.empty() && columnPlaces.empty())
        return block;
    const Index outRows = rowPlaces.empty() ? rows : static_cast<Index>(rowPlaces.size());
    const Index outColumns = columnPlaces.empty() ? columns
                                                  : static_cast<Index>(columnPlaces.size());
    return rearranged(block, outRows * outColumns, [&](Index i) {
        const Index row = i / outColumns;
        const Index column = i % outColumns;
        return (rowPlaces.empty() ? row : rowPlaces[at(row)]) * columns
               + (columnPlaces.empty() ? column : columnPlaces[at(column)]);
    });
}

} // namespace cellfolio
