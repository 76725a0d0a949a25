// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/canonical/matrix_rewrite.h"

#include "core/base/text.h"
#include "core/paging/stretch_reader.h"
#include "core/run/work_sharing.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <mutex>

namespace cellfolio {

namespace {

constexpr Index kPointerWindow = Index{64} << 10; // lines

std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9E3779B97F4A7C15U; // splitmix64, by Vigna
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

template <typename V>
std::uint64_t contentOf(Index line, Index index, const V& value)
{
    std::uint64_t words[2] = {0, 0};
    static_assert(sizeof(V) <= sizeof(words));
    std::memcpy(words, &value, sizeof(V));
    return mixed(mixed(static_cast<std::uint64_t>(line)) + static_cast<std::uint64_t>(index))
         * (mixed(words[0] + 31 * words[1]) | 1U);
}

// The indices of a stretch as I; none of them is looked at.
template <typename I>
std::span<const I> asIndices(DType type, std::span<const std::byte> stored, Index count,
                             std::vector<I>& room, std::vector<Index>& wide)
{
    if ((type == DType::Int32 && std::is_same_v<I, std::int32_t>)
        || (type == DType::Int64 && std::is_same_v<I, std::int64_t>))
        return {reinterpret_cast<const I*>(stored.data()), at(count)};
    wide.clear();
    appendAsIndex(type, stored.data(), count, wide);
    room.resize(at(count));
    // What does not fit is made negative, so that the check of bounds finds it.
    for (std::size_t k = 0; k < room.size(); ++k)
        room[k] = static_cast<Index>(static_cast<I>(wide[k])) == wide[k] ? static_cast<I>(wide[k]) : I{-1};
    return room;
}

// What one thread keeps.
template <typename I, typename V>
struct Worker {
    Worker(const SparseSource& source, Reading& reading, Index most, const MergeRules& rules)
        : data(source.data(), reading), indices(source.indices(), reading),
          merger(source.width(), most, rules)
    {
    }
    StretchReader data;
    StretchReader indices;
    LineMerger<I, V> merger;
    std::vector<I> converted;
    std::vector<Index> wide;
    Buffer widened;
    Buffer outIndices;
    Buffer outValues;
    std::vector<Index> ends;
    hdf5::EncodeScratch scratch;
    Index before = 0;
    Index after = 0;
    std::uint64_t content = 0;
    bool rising = true;
};

} // namespace

MatrixRewrite::MatrixRewrite(SparseSource source, std::shared_ptr<Reading> reading, Options options)
    : m_source(std::move(source)), m_reading(std::move(reading)), m_options(std::move(options))
{
    assert(m_options.valueType == m_source.dtype() || isInteger(m_options.valueType));
    assert(m_options.indexType == DType::Int32 || m_options.indexType == DType::Int64);
}

Index MatrixRewrite::bytesFor(const SparseSource& source, Index unit, int threads)
{
    const Index value = 2 * static_cast<Index>(sizeOf(source.dtype())); // perhaps widened
    const auto index = static_cast<Index>(sizeOf(source.indices().dtype()));
    // Decoded and stored, converted indices, what comes out; an accumulator as large as a range.
    return threads * unit * (2 * index + 16 + 3 * value);
}

Result<void> MatrixRewrite::plan()
{
    if (m_planned)
        return {};
    const Index unit = m_options.unit;
    Unit open;
    const auto close = [&] {
        if (open.lines > 0)
            m_units.push_back(open);
        open = Unit();
    };
    for (Index first = 0; first < m_source.lines(); first += kPointerWindow) {
        if (m_options.stop.stop_requested())
            return Error::cancelled();
        const Index count = std::min(kPointerWindow, m_source.lines() - first);
        Result<std::vector<Index>> bounds = m_source.pointers(first, count, m_options.stop);
        if (!bounds)
            return std::move(bounds).error();
        for (Index k = 0; k < count; ++k) {
            const Index begin = (*bounds)[at(k)];
            const Index end = (*bounds)[at(k + 1)];
            if (Result<void> sound = m_source.checkLine(first + k, begin, end); !sound)
                return sound;
            if (end - begin > unit) {
                close();
                for (Index place = 0; place < m_source.width(); place += unit) {
                    Unit part{first + k, 1, begin, end, true, place, std::min(unit, m_source.width() - place), false};
                    part.last = place + part.size >= m_source.width();
                    m_units.push_back(part);
                }
                continue;
            }
            if (open.lines == kPointerWindow || (open.lines > 0 && end - open.begin > unit))
                close();
            if (open.lines == 0) {
                open.line = first + k;
                open.begin = begin;
            }
            ++open.lines;
            open.end = end;
        }
    }
    close();
    m_planned = true;
    return {};
}

Result<RewriteTally> MatrixRewrite::run(SparseWriter* writer)
{
    if (Result<void> planned = plan(); !planned) {
        if (writer != nullptr)
            writer->abort();
        return std::move(planned).error();
    }
    Result<RewriteTally> result = Error(ErrorCode::Refused, "Values of this type cannot be put in order.")
                                      .at(m_source.path());
    visitNumber(m_options.valueType, [&]<typename V>(const V*) { result = runAs<V>(writer); });
    return result;
}

template <typename V>
Result<RewriteTally> MatrixRewrite::runAs(SparseWriter* writer)
{
    return m_options.indexType == DType::Int64 ? runAs<std::int64_t, V>(writer)
                                               : runAs<std::int32_t, V>(writer);
}

template <typename I, typename V>
Result<RewriteTally> MatrixRewrite::runAs(SparseWriter* writer)
{
    using Own = Worker<I, V>;
    const Index dense = LineMerger<I, V>::bytesFor(m_source.width());
    const Index most = std::max(m_options.unit * Index{16}, Index{1} << 20);
    const Index bytesEach = bytesFor(m_source, m_options.unit, 1) + (dense <= most ? dense : 0);
    const int wanted = static_cast<int>(
        std::clamp<Index>(static_cast<Index>(m_units.size()), 1, Index{m_reading->threads()}));
    auto held = reserveWorkers(*m_reading, wanted, bytesEach);
    if (!held) {
        if (writer != nullptr)
            writer->abort();
        return std::move(held).error().at(m_source.path());
    }
    std::vector<Own> workers;
    for (int k = 0; k < held->first; ++k)
        workers.emplace_back(m_source, *m_reading, most, m_options.rules);
    const DType indexType = m_source.indices().dtype();
    const auto width = static_cast<std::uint64_t>(m_source.width());
    const std::stop_token& stop = m_options.stop;

    // Entries first … of a unit, their indices checked.
    const auto read = [&](Own& own, const Unit& unit, Index first, Index count,
                          std::span<const I>& indices, const V*& values) -> Result<void> {
        auto stored = own.indices.read(first, count, stop);
        if (!stored)
            return std::move(stored).error();
        indices = asIndices<I>(indexType, *stored, count, own.converted, own.wide);
        bool outside = false;
        for (const I index : indices)
            outside |= static_cast<std::uint64_t>(static_cast<Index>(index)) >= width;
        if (outside) {
            const auto bad = std::find_if(indices.begin(), indices.end(), [width](I index) {
                return static_cast<std::uint64_t>(static_cast<Index>(index)) >= width;
            });
            const Index entry = first + (bad - indices.begin());
            Index line = unit.line;
            if (auto bounds = m_source.pointers(unit.line, unit.lines, stop); bounds)
                line += std::upper_bound(bounds->begin(), bounds->end(), entry) - bounds->begin() - 1;
            std::vector<Index> told;
            appendAsIndex(indexType, stored->data() + (entry - first) * static_cast<Index>(sizeOf(indexType)),
                          1, told);
            return m_source.outside(line, told.front(), entry);
        }
        auto data = own.data.read(first, count, stop);
        if (!data)
            return std::move(data).error();
        values = reinterpret_cast<const V*>(data->data());
        if constexpr (std::is_integral_v<V>)
            if (m_options.valueType != m_source.dtype()) {
                own.widened.resize(at(count) * sizeof(V));
                auto* out = reinterpret_cast<V*>(own.widened.data());
                visitInteger(m_source.dtype(), [&]<typename S>(const S*) {
                    const auto* in = reinterpret_cast<const S*>(data->data());
                    std::transform(in, in + count, out, [](S value) { return static_cast<V>(value); });
                });
                values = out;
            }
        return {};
    };

    const auto handOut = [&](Own& own, Index ordinal, Index entries) -> Result<void> {
        own.after += entries;
        if (writer == nullptr)
            return {};
        return writer->add(ordinal, {entries, own.outIndices.data(), own.outValues.data(), own.ends},
                           own.scratch, stop);
    };

    const auto countContent = [&](Own& own, Index line, const I* indices, const V* values, Index count) {
        for (Index k = 0; k < count; ++k)
            own.content += contentOf(line, Index{indices[k]}, values[k]);
    };

    const auto wholeLines = [&](Own& own, const Unit& unit, Index ordinal) -> Result<void> {
        Result<std::vector<Index>> bounds = m_source.pointers(unit.line, unit.lines, stop);
        if (!bounds)
            return std::move(bounds).error();
        const Index count = unit.end - unit.begin;
        std::span<const I> indices;
        const V* values = nullptr;
        if (Result<void> got = read(own, unit, unit.begin, count, indices, values); !got)
            return got;
        own.outIndices.resize(at(count) * sizeof(I));
        own.outValues.resize(at(count) * sizeof(V));
        auto* outIndices = reinterpret_cast<I*>(own.outIndices.data());
        auto* outValues = reinterpret_cast<V*>(own.outValues.data());
        own.ends.clear();
        Index n = 0;
        for (Index k = 0; k < unit.lines; ++k) {
            const Index from = (*bounds)[at(k)] - unit.begin;
            const Index size = (*bounds)[at(k + 1)] - unit.begin - from;
            const Index got = own.merger.line(indices.data() + from, values + from, size, outIndices + n, outValues + n);
            if (own.merger.overflow)
                return overflowed(unit.line + k, *own.merger.overflow);
            countContent(own, unit.line + k, outIndices + n, outValues + n, got);
            n += got;
            own.ends.push_back(n);
        }
        own.before += count;
        if (m_options.progress != nullptr)
            m_options.progress->advance(count);
        return handOut(own, ordinal, n);
    };

    const auto rangeOfLine = [&](Own& own, const Unit& unit, Index ordinal) -> Result<void> {
        if (!m_options.rules.merge)
            return Error(ErrorCode::OutOfBudget,
                         std::string("A ") + m_source.lineName() + " of " + grouped(unit.end - unit.begin)
                             + " entries is too long to be put in order within the memory allowed.")
                .at(m_source.path())
                .advise("Allow more memory.");
        own.merger.begin(unit.size);
        Index last = -1;
        bool sorted = true;
        for (Index first = unit.begin; first < unit.end; first += m_options.unit) {
            if (stop.stop_requested())
                return Error::cancelled();
            const Index count = std::min(m_options.unit, unit.end - first);
            std::span<const I> indices;
            const V* values = nullptr;
            if (Result<void> got = read(own, unit, first, count, indices, values); !got)
                return got;
            for (const I index : indices) {
                sorted = sorted && Index{index} >= last;
                last = index;
            }
            own.merger.accumulateRange(indices.data(), values, count, unit.first);
            if (own.merger.overflow)
                return overflowed(unit.line, *own.merger.overflow);
            if (m_options.progress != nullptr && unit.last)
                m_options.progress->advance(count);
        }
        if (unit.last) {
            own.before += unit.end - unit.begin;
            own.merger.tally.unsorted += sorted ? 0 : 1;
        }
        own.outIndices.resize(at(unit.size) * sizeof(I));
        own.outValues.resize(at(unit.size) * sizeof(V));
        auto* outIndices = reinterpret_cast<I*>(own.outIndices.data());
        auto* outValues = reinterpret_cast<V*>(own.outValues.data());
        const Index n = own.merger.handOut(unit.first, outIndices, outValues);
        countContent(own, unit.line, outIndices, outValues, n);
        own.ends.clear();
        if (unit.last)
            own.ends.push_back(n);
        return handOut(own, ordinal, n);
    };

    Result<void> done = WorkSharing(static_cast<Index>(m_units.size()), stop)
                            .run(held->first, [&](int worker, Index ordinal) -> Result<void> {
                                Own& own = workers[static_cast<std::size_t>(worker)];
                                const Unit& unit = m_units[at(ordinal)];
                                Result<void> worked = unit.inRanges ? rangeOfLine(own, unit, ordinal)
                                                                    : wholeLines(own, unit, ordinal);
                                if (!worked && writer != nullptr)
                                    writer->abort();
                                return worked;
                            });
    if (!done)
        return std::move(done).error().at(m_source.path());
    RewriteTally tally;
    for (const Own& own : workers) {
        tally.lines += own.merger.tally;
        tally.before += own.before;
        tally.after += own.after;
        tally.content += own.content;
    }
    tally.rising = tally.lines.unsorted == 0 && tally.lines.merged == 0;
    return tally;
}

Error MatrixRewrite::overflowed(Index line, const SumOverflow& overflow) const
{
    Sum sum;
    sum.integral = true;
    sum.whole = overflow.sum;
    const Index row = m_source.byRows() ? line : overflow.index;
    const Index column = m_source.byRows() ? overflow.index : line;
    return Error(ErrorCode::Refused,
                 "The entries stored for row " + exactText(row) + ", column " + exactText(column) + " add up to "
                     + sum.text() + ", more than " + std::string(nameOf(m_options.valueType)) + " can hold.")
        .at(m_source.path())
        .rule("B007o")
        .advise("Widen the type (--overflow widen), or let the sums wrap as scipy does (--overflow wrap).");
}

Result<bool> MatrixRewrite::isInForm()
{
    if (Result<void> planned = plan(); !planned)
        return std::move(planned).error();
    const DType type = m_source.indices().dtype();
    const Index bytesEach = 3 * m_options.unit * 8;
    auto held = reserveWorkers(*m_reading,
                               static_cast<int>(std::clamp<Index>(static_cast<Index>(m_units.size()), 1,
                                                                  Index{m_reading->threads()})),
                               bytesEach);
    if (!held)
        return std::move(held).error().at(m_source.path());
    struct Looking {
        StretchReader indices;
        std::vector<std::int64_t> converted;
        std::vector<Index> wide;
    };
    std::vector<Looking> workers;
    for (int k = 0; k < held->first; ++k)
        workers.push_back({StretchReader(m_source.indices(), *m_reading), {}, {}});
    std::atomic<bool> broken{false};
    // Indices of one stretch; where lines end among them is told by their bounds.
    const auto look = [&]<typename T>(std::span<const T> indices, std::span<const Index> bounds, Index first) {
        bool fine = true;
        for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
            const T* from = indices.data() + std::max<Index>(0, bounds[k] - first);
            const T* end = indices.data() + std::min(static_cast<Index>(indices.size()), bounds[k + 1] - first);
            bool line = true;
            if (m_options.rules.merge)
                for (const T* at0 = from + 1; at0 < end; ++at0)
                    line &= at0[0] > at0[-1];
            else
                for (const T* at0 = from + 1; at0 < end; ++at0)
                    line &= at0[0] >= at0[-1];
            fine &= line;
        }
        return fine;
    };
    Result<void> done =
        WorkSharing(static_cast<Index>(m_units.size()), m_options.stop)
            .run(held->first, [&](int worker, Index ordinal) -> Result<void> {
                const Unit& unit = m_units[at(ordinal)];
                if (broken || (unit.inRanges && unit.first > 0))
                    return {};
                Looking& own = workers[static_cast<std::size_t>(worker)];
                Result<std::vector<Index>> bounds = m_source.pointers(unit.line, unit.lines, m_options.stop);
                if (!bounds)
                    return std::move(bounds).error();
                // A long line is looked at in stretches that share an entry.
                for (Index first = unit.begin; first < unit.end && !broken; first += m_options.unit) {
                    const Index from = std::max(unit.begin, first - 1);
                    const Index count = std::min(first + m_options.unit, unit.end) - from;
                    auto stored = own.indices.read(from, count, m_options.stop);
                    if (!stored)
                        return std::move(stored).error();
                    bool fine = true;
                    if (type == DType::Int32)
                        fine = look(std::span(reinterpret_cast<const std::int32_t*>(stored->data()), at(count)),
                                    std::span<const Index>(*bounds), from);
                    else
                        fine = look(asIndices<std::int64_t>(type, *stored, count, own.converted, own.wide),
                                    std::span<const Index>(*bounds), from);
                    if (!fine)
                        broken = true;
                    if (m_options.progress != nullptr)
                        m_options.progress->advance(count);
                }
                return {};
            });
    if (!done)
        return std::move(done).error().at(m_source.path());
    return !broken;
}

} // namespace cellfolio
