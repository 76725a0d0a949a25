// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/text.h"
#include "core/matrix/line_sums.h"
#include "core/matrix/quantiles.h"
#include "core/matrix/stats.h"
#include "core/matrix/value_stream.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

// Each line (a row or a column) has its sums. Lines that follow the storage are fed by runs of
// values; lines across it, a value at a time. Where all lines fit once for every worker, each
// worker has its own sums and they are added at the end; else one set is shared and fed under a
// lock. The sums do not depend on the order, so neither way depends on the threads.

namespace cellfolio {

namespace {

template <typename T>
bool isNan(T value) noexcept
{
    const double number = toDouble(value);
    return number != number;
}

class LineTable
{
public:
    static Result<std::unique_ptr<LineTable>> make(Index lines, int workers, MemoryBudget& budget)
    {
        auto table = std::unique_ptr<LineTable>(new LineTable);
        const Index each = lines * static_cast<Index>(sizeof(LineSums));
        const Index answer = lines * static_cast<Index>(sizeof(Figures));
        const Index free = budget.limit() - budget.snapshot().total;
        table->m_sets = answer + each * workers <= free / 2 ? workers : 1;
        Result<MemoryReservation> room =
            budget.reserve(MemoryTag::Job, answer + each * table->m_sets);
        if (!room)
            return std::move(room).error();
        table->m_room = *std::move(room);
        table->m_sums.resize(at(Index{table->m_sets}),
                             std::vector<LineSums>(at(lines)));
        return table;
    }

    // Feeds the sums of the worker: f(sums), with all lines in it.
    template <typename F>
    void feed(int worker, F&& f)
    {
        if (m_sets > 1) {
            f(m_sums[at(Index{worker})]);
            return;
        }
        const std::lock_guard lock(m_mutex);
        f(m_sums.front());
    }

    const std::vector<LineSums>& total()
    {
        for (std::size_t k = 1; k < m_sums.size(); ++k)
            for (std::size_t line = 0; line < m_sums[k].size(); ++line)
                m_sums[0][line].add(m_sums[k][line]);
        m_sums.resize(1);
        return m_sums.front();
    }

private:
    LineTable() = default;

    int m_sets = 1;
    MemoryReservation m_room;
    std::vector<std::vector<LineSums>> m_sums;
    std::mutex m_mutex;
};

// What a pass does with each value of a line.
enum class Feed { Sums, Values };

// Passes over a stream, calling use(worker, f) where f(line, values) gets runs of one line.
class LinePass
{
public:
    LinePass(const ValueStream& stream, int axis) : m_stream(stream)
    {
        if (const EntryStream* entries = stream.entries())
            m_alongStorage = entries->source().byRows() == (axis == 0);
        else
            m_alongStorage = stream.dense().byColumns() == (axis == 1);
    }

    // Number of distinct lines, and for each wanted one its number among them (empty: the same).
    Index lines() const
    {
        if (m_stream.isSparse())
            return map().size();
        return m_alongStorage ? m_stream.dense().lines() : m_stream.dense().width();
    }
    const std::vector<Index>* places() const
    {
        return m_stream.isSparse() && !map().isPlain() ? &map().places() : nullptr;
    }

    // feed(worker, apply): apply(sink) calls sink(line, value) for the values of one batch.
    template <typename T, typename FeedBatch>
    Result<void> run(std::stop_token stop, Progress* progress, FeedBatch&& feedBatch) const
    {
        if (const EntryStream* entries = m_stream.entries()) {
            const EntryPlace place = m_alongStorage ? EntryPlace::ByLine : EntryPlace::ByIndex;
            return entries->run({place, stop, progress},
                                [&](const EntryBatch& batch) -> Result<void> {
                const T* values = reinterpret_cast<const T*>(batch.values);
                feedBatch(batch.worker, [&](auto&& sink) {
                    for (const LineSegment& segment : batch.segments)
                        for (Index i = segment.begin; i < segment.end; ++i)
                            sink(segment.line, values[i]);
                    for (std::size_t i = 0; i < batch.indices.size(); ++i)
                        sink(Index{batch.indices[i]}, values[i]);
                });
                return {};
            });
        }
        return m_stream.dense().run(stop, progress, [&](const DenseBatch& batch) -> Result<void> {
            const T* values = reinterpret_cast<const T*>(batch.values);
            feedBatch(batch.worker, [&](auto&& sink) {
                for (Index line = 0; line < batch.lines; ++line)
                    for (Index i = 0; i < batch.width; ++i)
                        sink(m_alongStorage ? batch.firstLine + line : batch.firstColumn + i,
                             values[line * batch.width + i]);
            });
            return {};
        });
    }

private:
    const AxisMap& map() const
    {
        const EntryStream& entries = *m_stream.entries();
        return m_alongStorage ? entries.lines() : entries.indices();
    }

    const ValueStream& m_stream;
    bool m_alongStorage = true;
};

// Exact quantiles: the values of as many lines as the budget holds are collected in one pass and
// sorted, then those of the next lines.
template <typename T>
Result<void> addQuantiles(const LinePass& pass, const std::vector<LineSums>& sums, Index places,
                          const StatsOptions& options, MemoryBudget& budget,
                          std::vector<Quantiles>& result)
{
    const Index room = std::max(Index{1} << 20, (budget.limit() - budget.snapshot().total) / 2);
    const auto lines = static_cast<Index>(sums.size());
    result.resize(sums.size());
    for (Index first = 0; first < lines;) {
        std::vector<Index> start{0};
        Index next = first;
        while (next < lines) {
            const Index values = start.back() + sums[at(next)].values;
            if (next > first && values * static_cast<Index>(sizeof(T)) > room)
                break;
            start.push_back(values);
            ++next;
        }
        const Index total = start.back();
        Result<MemoryReservation> held =
            budget.reserve(MemoryTag::Job, total * static_cast<Index>(sizeof(T)));
        if (!held)
            return std::move(held).error();
        std::vector<T> values(at(total));
        std::vector<Index> filled(start.begin(), start.end() - 1);
        std::mutex mutex;
        Result<void> done =
            pass.template run<T>(options.stop, nullptr, [&](int, auto&& apply) {
                const std::lock_guard lock(mutex);
                apply([&](Index line, T value) {
                    if (line >= first && line < next)
                        values[at(filled[at(line - first)]++)] = value;
                });
            });
        if (!done)
            return done;
        std::vector<double> numbers;
        for (Index line = first; line < next; ++line) {
            numbers.clear();
            for (Index i = start[at(line - first)]; i < filled[at(line - first)]; ++i)
                if (!isNan(values[at(i)]))
                    numbers.push_back(toDouble(values[at(i)]));
            const Index zeros = std::max(Index{0}, places - sums[at(line)].values);
            result[at(line)] = sortedQuantiles(numbers, zeros, options.quantiles);
        }
        first = next;
    }
    return {};
}

} // namespace

Result<std::vector<Figures>> matrixStatsBy(const std::shared_ptr<const Dataset>& dataset,
                                           const Element& matrix, int axis,
                                           const std::shared_ptr<Reading>& reading,
                                           const StatsOptions& options)
{
    if (!matrix.shape || matrix.shape->size() != 2)
        return Error(ErrorCode::Refused,
                     "\"" + matrix.path + "\" is not of two dimensions; it has no rows and columns.")
            .at(matrix.path);
    Result<ValueStream> stream = ValueStream::open(dataset, matrix, reading, options);
    if (!stream)
        return std::move(stream).error();
    if (options.progress != nullptr) {
        Result<Index> length = stream->passLength(options.stop);
        if (!length)
            return std::move(length).error();
        options.progress->begin(*length);
    }
    const LinePass pass(*stream, axis);
    const Index lines = pass.lines();
    const std::optional<Selection>& across = axis == 0 ? options.columns : options.rows;
    const Index places = across ? across->size() : (*matrix.shape)[axis == 0 ? 1 : 0];

    Result<std::unique_ptr<LineTable>> table =
        LineTable::make(lines, stream->workers(), reading->budget());
    if (!table)
        return std::move(table)
            .error()
            .at(matrix.path)
            .advise("Give it more memory, or ask for a part of it.");
    std::vector<Quantiles> quantiles;
    Result<void> done;
    const DType type = stream->dtype();
    visitReal(type, [&]<typename T>(const T*) {
        done = pass.run<T>(options.stop, options.progress, [&](int worker, auto&& apply) {
            (*table)->feed(worker, [&](std::vector<LineSums>& sums) {
                apply([&](Index line, T value) { sums[at(line)].add(value); });
            });
        });
        if (done && !options.quantiles.empty())
            done = addQuantiles<T>(pass, (*table)->total(), places, options, reading->budget(),
                                   quantiles);
    });
    if (!done)
        return std::move(done).error().at(matrix.path);

    const std::vector<LineSums>& sums = (*table)->total();
    std::vector<Figures> distinct;
    distinct.reserve(at(lines));
    for (Index line = 0; line < lines; ++line) {
        distinct.push_back(figuresOf(sums[at(line)], places, stream->isSparse(), type));
        if (!quantiles.empty())
            distinct.back().quantiles = std::move(quantiles[at(line)]);
    }
    const std::vector<Index>* wanted = pass.places();
    if (wanted == nullptr)
        return distinct;
    std::vector<Figures> result;
    result.reserve(wanted->size());
    for (const Index line : *wanted)
        result.push_back(distinct[at(line)]);
    return result;
}

} // namespace cellfolio
