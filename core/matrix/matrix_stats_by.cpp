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
    static Result<std::unique_ptr<LineTable>> make(Index lines, int workers, DType type,
                                                   MemoryBudget& budget)
    {
        auto table = std::unique_ptr<LineTable>(new LineTable(type));
        const Index each = lines * static_cast<Index>(sizeof(LineSums));
        const Index free = budget.limit() - budget.snapshot().total;
        const int sets = each * workers <= free / 2 ? workers : 1;
        Result<MemoryReservation> first = budget.reserve(MemoryTag::Job, each);
        if (!first)
            return std::move(first).error();
        table->m_room = *std::move(first);
        if (sets > 1) {
            Result<MemoryReservation> more = budget.reserve(MemoryTag::Job, each * (sets - 1));
            if (!more)
                return std::move(more).error();
            table->m_more = *std::move(more);
        }
        table->m_sums.resize(at(Index{sets}), std::vector<LineSums>(at(lines)));
        return table;
    }

    // Feeds the sums of the worker: f(sums), with all lines in it.
    template <typename F>
    void feed(int worker, F&& f)
    {
        if (m_sums.size() > 1) {
            f(m_sums[at(Index{worker})]);
            return;
        }
        const std::lock_guard lock(m_mutex);
        f(m_sums.front());
    }

    // Adds up what the workers have; feeding is over then.
    const std::vector<LineSums>& total()
    {
        for (std::size_t k = 1; k < m_sums.size(); ++k)
            for (std::size_t line = 0; line < m_sums[k].size(); ++line)
                m_sums[0][line].add(m_sums[k][line], m_type);
        m_sums.resize(1);
        m_more.release();
        return m_sums.front();
    }
    std::vector<LineSums> takeTotal()
    {
        total();
        return std::move(m_sums.front());
    }
    MemoryReservation takeRoom() { return std::move(m_room); }

private:
    explicit LineTable(DType type) : m_type(type) {}

    DType m_type;
    MemoryReservation m_room; // of the first set
    MemoryReservation m_more; // of the others
    std::vector<std::vector<LineSums>> m_sums;
    std::mutex m_mutex;
};

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

struct LineFigures::Content {
    std::vector<LineSums> sums; // of the distinct lines
    MemoryReservation room;
    std::vector<Quantiles> quantiles;
    std::vector<Index> wanted; // numbers of distinct lines; empty: each once, in order
    Index places = 0;
    bool sparse = false;
    DType type = DType::Other;
};

LineFigures::LineFigures() = default;
LineFigures::LineFigures(LineFigures&&) noexcept = default;
LineFigures& LineFigures::operator=(LineFigures&&) noexcept = default;
LineFigures::~LineFigures() = default;

Index LineFigures::size() const noexcept
{
    if (!m_content)
        return 0;
    return static_cast<Index>(m_content->wanted.empty() ? m_content->sums.size()
                                                        : m_content->wanted.size());
}

Figures LineFigures::operator[](Index k) const
{
    const Content& content = *m_content;
    const std::size_t line = at(content.wanted.empty() ? k : content.wanted[at(k)]);
    Figures figures =
        figuresOf(content.sums[line], content.places, content.sparse, content.type);
    if (!content.quantiles.empty())
        figures.quantiles = content.quantiles[line];
    return figures;
}

// Makes them: the one friend.
class LineCounting
{
public:
    static Result<LineFigures> run(const ValueStream& stream, const Element& matrix, int axis,
                                   MemoryBudget& budget, const StatsOptions& options)
    {
        const LinePass pass(stream, axis);
        const std::optional<Selection>& across = axis == 0 ? options.columns : options.rows;
        auto content = std::make_unique<LineFigures::Content>();
        content->places = across ? across->size() : (*matrix.shape)[axis == 0 ? 1 : 0];
        content->sparse = stream.isSparse();
        content->type = stream.dtype();
        if (const std::vector<Index>* wanted = pass.places())
            content->wanted = *wanted;

        Result<std::unique_ptr<LineTable>> table =
            LineTable::make(pass.lines(), stream.workers(), stream.dtype(), budget);
        if (!table)
            return std::move(table).error().advise("Give it more memory, or ask for a part of it.");
        Result<void> done;
        visitReal(stream.dtype(), [&]<typename T>(const T*) {
            done = pass.run<T>(options.stop, options.progress, [&](int worker, auto&& apply) {
                (*table)->feed(worker, [&](std::vector<LineSums>& sums) {
                    apply([&](Index line, T value) { sums[at(line)].add(value); });
                });
            });
            if (done && !options.quantiles.empty())
                done = addQuantiles<T>(pass, (*table)->total(), content->places, options, budget,
                                       content->quantiles);
        });
        if (!done)
            return std::move(done).error();
        content->sums = (*table)->takeTotal();
        content->room = (*table)->takeRoom();
        LineFigures result;
        result.m_content = std::move(content);
        return result;
    }
};

Result<LineFigures> lineFigures(const std::shared_ptr<const Dataset>& dataset, const Element& matrix,
                                int axis, const std::shared_ptr<Reading>& reading,
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
    Result<LineFigures> result =
        LineCounting::run(*stream, matrix, axis, reading->budget(), options);
    if (!result)
        return std::move(result).error().at(matrix.path);
    return result;
}

Result<std::vector<Figures>> matrixStatsBy(const std::shared_ptr<const Dataset>& dataset,
                                           const Element& matrix, int axis,
                                           const std::shared_ptr<Reading>& reading,
                                           const StatsOptions& options)
{
    Result<LineFigures> lines = lineFigures(dataset, matrix, axis, reading, options);
    if (!lines)
        return std::move(lines).error();
    Result<MemoryReservation> room = reading->budget().reserve(
        MemoryTag::Job, lines->size() * static_cast<Index>(sizeof(Figures)));
    if (!room)
        return std::move(room)
            .error()
            .at(matrix.path)
            .advise("Give it more memory, or ask for a part of it.");
    std::vector<Figures> result;
    result.reserve(at(lines->size()));
    for (Index k = 0; k < lines->size(); ++k)
        result.push_back((*lines)[k]);
    return result;
}

} // namespace cellfolio
