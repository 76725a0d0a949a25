// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/ragged_stretches.h"

#include <algorithm>
#include <cstring>

namespace cellfolio {

namespace {

using Run = RaggedStretches::Run;

// Values first … first + count - 1 of the flat array, somewhere in what was read.
struct Flat {
    Values values;
    Index skip = 0;
};

Result<Flat> readFlat(const ArrayReader& reader, Index first, Index count, const std::stop_token& stop)
{
    const std::vector<Index> shape = reader.array().shape();
    Index width = 1;
    for (std::size_t d = 1; d < shape.size(); ++d)
        width *= shape[d];
    const Index row = first / width;
    auto values = reader.rows(row, (first + count - 1) / width - row + 1, stop);
    if (!values)
        return std::move(values).error();
    return Flat{std::move(*values), first - row * width};
}

} // namespace

Result<Values> readStretches(const ArrayReader& reader, std::span<const Run> runs, std::stop_token stop)
{
    // Reading over a gap costs less than starting anew.
    constexpr Index kGap = 4096;
    constexpr Index kLongRun = 64;
    Index total = 0;
    Index low = runs.empty() ? 0 : runs.front().first;
    Index high = low;
    for (const Run& run : runs) {
        total += run.count;
        low = std::min(low, run.first);
        high = std::max(high, run.first + run.count);
    }
    Values result(reader.dtype(), total);
    if (total == 0)
        return result;
    const auto width = sizeOf(reader.dtype());
    Index place = 0;
    const auto take = [&](const Flat& from, Index first, Index count) {
        std::memcpy(result.data() + at(place) * width, from.values.data() + at(from.skip + first) * width,
                    at(count) * width);
        place += count;
    };
    if (high - low <= 4 * total + kGap) {
        auto all = readFlat(reader, low, high - low, stop);
        if (!all)
            return std::move(all).error();
        for (const Run& run : runs)
            take(*all, run.first - low, run.count);
        return result;
    }
    if (reader.array().shape().size() > 1 || total >= kLongRun * static_cast<Index>(runs.size())) {
        for (const Run& run : runs) {
            if (run.count == 0)
                continue;
            auto one = readFlat(reader, run.first, run.count, stop);
            if (!one)
                return std::move(one).error();
            take(*one, 0, run.count);
        }
        return result;
    }
    std::vector<Index> places;
    for (const Run& run : runs)
        for (Index i = 0; i < run.count; ++i)
            places.push_back(run.first + i);
    return reader.rows(Selection::indices(reader.array().length(), places), stop);
}

} // namespace cellfolio
