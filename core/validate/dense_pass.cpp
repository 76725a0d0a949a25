// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/dense_pass.h"

#include "core/matrix/dense_stream.h"
#include "core/validate/graph_tally.h"

#include <algorithm>
#include <mutex>

namespace cellfolio {

namespace {

constexpr Index kPiece = 1024; // values brought into one form at a time

struct Worker {
    ValueFinds finds;
    GraphTally graph;
    std::vector<Index> places = std::vector<Index>(at(kPiece));
    std::vector<std::uint64_t> bits = std::vector<std::uint64_t>(at(kPiece));
};

class DensePass
{
public:
    DensePass(DenseStream stream, const Element& matrix, std::shared_ptr<Reading> reading,
              const MatrixAsk& ask)
        : m_stream(std::move(stream)), m_matrix(matrix), m_reading(std::move(reading)), m_ask(ask)
    {
    }

    Result<MatrixFacts> run()
    {
        const std::vector<Index>& shape = *m_matrix.shape;
        m_flat = shape.size() != 2; // places mean nothing then
        m_byRows = !m_stream.byColumns();
        m_facts.type = *m_matrix.dtype;
        m_facts.rows = m_byRows ? m_stream.lines() : m_stream.width();
        m_facts.columns = m_byRows ? m_stream.width() : m_stream.lines();
        m_facts.stored = m_stream.values();
        if (m_ask.rows && !m_flat) {
            auto tally = RowTally::make(m_facts.rows, m_facts.columns, RowTally::Rows::InParts,
                                        m_ask.twins != Twins::None, *m_reading);
            if (!tally)
                return std::move(tally).error();
            m_tally = *std::move(tally);
        }
        m_workers.resize(at(Index{m_stream.workers()}));
        Result<void> done = m_stream.run(m_ask.stop, nullptr, [&](const DenseBatch& batch) {
            look(batch);
            return Result<void>();
        });
        if (!done)
            return std::move(done).error();
        if (m_tally) {
            m_tally->nextBand();
            m_facts.rowFacts = m_tally->facts();
        }
        GraphTally graph;
        for (const Worker& worker : m_workers) {
            m_facts.finds.add(worker.finds);
            graph.add(worker.graph);
        }
        if (m_ask.graph && !m_flat)
            m_facts.graph = graph.facts();
        return std::move(m_facts);
    }

private:
    FindingPlace placeOf(Index row, Index column) const
    {
        FindingPlace place;
        place.row = row;
        if (!m_flat)
            place.column = column;
        return place;
    }

    void look(const DenseBatch& batch)
    {
        Worker& worker = m_workers[at(Index{batch.worker})];
        const Digest digest = digestOf(m_facts.type, batch.values, batch.count());
        {
            // Sums are of no use here, so the order of the batches is not either.
            const std::lock_guard lock(m_mutex);
            m_facts.digest.add(digest);
        }
        const Index size = static_cast<Index>(sizeOf(m_facts.type));
        // Places are ordered as they lie in the array, though batches come as tiles.
        for (Index k = 0; k < batch.lines && seeks(digest); ++k) {
            const std::byte* values = batch.values + k * batch.width * size;
            const Index line = batch.firstLine + k;
            const Digest own =
                batch.lines == 1 ? digest : digestOf(m_facts.type, values, batch.width);
            findValues(m_facts.type, values, own, line * m_stream.width() + batch.firstColumn,
                       m_ask.wishes,
                       [&](Index i) {
                           const Index across = batch.firstColumn + i;
                           return m_byRows ? placeOf(line, across) : placeOf(across, line);
                       },
                       worker.finds);
        }
        if (m_flat || digest.nonZero == 0 || (!m_tally && !m_ask.graph))
            return;
        for (Index k = 0; k < batch.lines; ++k)
            account(batch, k, worker);
    }

    // What findValues() would find out line by line.
    bool seeks(const Digest& digest) const
    {
        return m_ask.wishes.fraction || digest.nan + digest.positiveInf + digest.negativeInf > 0
            || (m_ask.wishes.negative && digest.any && digest.min < 0)
            || (m_ask.wishes.large && digest.any
                && std::max(digest.max, -digest.min) > 16777216);
    }

    void account(const DenseBatch& batch, Index k, Worker& worker)
    {
        const Index line = batch.firstLine + k;
        const Index size = static_cast<Index>(sizeOf(m_facts.type));
        const std::byte* values = batch.values + k * batch.width * size;
        RowSum sum;
        for (Index start = 0; start < batch.width; start += kPiece) {
            const Index n = std::min(kPiece, batch.width - start);
            Index* places = worker.places.data();
            std::uint64_t* bits = worker.bits.data();
            for (Index i = 0; i < n; ++i)
                places[i] = batch.firstColumn + start + i;
            visitReal(m_facts.type, [&]<typename T>(const T*) {
                const T* typed = reinterpret_cast<const T*>(values) + start;
                for (Index i = 0; i < n; ++i)
                    bits[i] = valueBits(typed[i]);
            });
            if (m_tally && m_byRows)
                sum.add(placesSum(places, bits, at(n)));
            for (Index i = 0; i < n; ++i) {
                if (bits[i] == 0)
                    continue;
                if (m_tally && m_byRows) {
                    m_tally->seeColumn(places[i]);
                } else if (m_tally) {
                    m_tally->seeColumn(line);
                    m_tally->partOfRow(places[i],
                                       placeSum(static_cast<std::uint64_t>(line), bits[i]));
                }
                if (m_ask.graph)
                    worker.graph.add(line, places[i], bits[i], line * m_stream.width() + places[i],
                                     [&] { return placeOf(line, places[i]); });
            }
        }
        if (m_tally && m_byRows)
            m_tally->partOfRow(line, sum);
    }

    DenseStream m_stream;
    const Element& m_matrix;
    std::shared_ptr<Reading> m_reading;
    const MatrixAsk& m_ask;
    bool m_flat = false;
    bool m_byRows = true;
    std::unique_ptr<RowTally> m_tally;
    std::vector<Worker> m_workers;
    std::mutex m_mutex;
    MatrixFacts m_facts;
};

} // namespace

Result<MatrixFacts> passDense(const std::shared_ptr<const Dataset>& dataset, const Element& matrix,
                              const std::shared_ptr<Reading>& reading, const MatrixAsk& ask)
{
    Result<DenseStream> stream =
        DenseStream::open(dataset, matrix, reading, std::nullopt, std::nullopt);
    if (!stream)
        return std::move(stream).error();
    return DensePass(*std::move(stream), matrix, reading, ask).run();
}

} // namespace cellfolio
