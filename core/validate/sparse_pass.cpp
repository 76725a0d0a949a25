// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/sparse_pass.h"

#include "core/base/text.h"
#include "core/matrix/number_types.h"
#include "core/paging/scan.h"
#include "core/validate/graph_tally.h"
#include "core/validate/matrix_findings.h"
#include "core/validate/place_sums.h"

#include <functional>
#include <map>
#include <mutex>

// Lines are taken in windows of pointers; the entries between two damaged pointers are one run,
// scanned in blocks by several threads. What a block sees of a line is a part; parts add up, and a
// line is judged when its parts are complete. Order is known from the parts alone. Only for
// duplicates a line must be seen whole: one that lies in a single block is looked at there, one
// that was cut is read again, and only where its parts were not in order.

namespace cellfolio {

namespace {

constexpr Index kPointerWindow = Index{256} << 10;
constexpr Index kEntryWindow = Index{64} << 10;
constexpr Index kLongestReread = Index{64} << 20; // entries
constexpr Index kPiece = 1024;                    // entries brought into one form at a time
constexpr Index kSumsShare = 16;                  // of the budget, one part for all PlaceSums

struct Line {
    Index line;
    Index begin;
    Index end;
};

// What a block saw of a line.
struct Part {
    Index begin = 0;
    Index end = 0;
    Index first = 0; // indices at its ends
    Index last = 0;
    bool falls = false;
    Index repeats = 0; // neighbours that are equal
    RowSum sum;        // of a row
};

struct Worker {
    PlaceList outside;
    PlaceList unsorted;
    PlaceList duplicates;
    PlaceList overflow;
    bool atLeast = false;
    Index pairs = 0;
    Index equalPairs = 0;
    ValueFinds finds;
    GraphTally graph;
    std::unique_ptr<PlaceSums> sums;
    std::vector<Index> indices = std::vector<Index>(at(kPiece));
    std::vector<std::uint64_t> bits = std::vector<std::uint64_t>(at(kPiece));
};

// Entries that follow each other in a line.
struct Entries {
    const Index* indices;
    const std::byte* values; // null where they are not read
    Index count;
    Index offset; // of the first, in the file
};
using Take = std::function<void(const Entries&)>;
// Hands out all entries of a line in stored order; empty where they cannot be had again.
using Each = std::function<Result<void>(const Take&)>;

// Values of any type as bits.
template <typename T>
void bitsOf(const T* values, Index count, std::uint64_t* bits)
{
    for (Index i = 0; i < count; ++i)
        bits[i] = valueBits(values[i]);
}

template <typename I>
void widen(const I* indices, Index count, Index* into)
{
    for (Index i = 0; i < count; ++i)
        into[i] = static_cast<Index>(indices[i]); // too large becomes negative: out of range
}

template <typename T>
std::string textOf(T value)
{
    if constexpr (std::is_same_v<T, Flag>)
        return value.byte != 0 ? "true" : "false";
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
        return exactText(static_cast<std::int64_t>(value));
    else if constexpr (std::is_integral_v<T>)
        return exactText(static_cast<std::uint64_t>(value));
    else
        return exactText(value);
}

// Whether every index is inside and follows the one before: nearly always true, and quick.
template <typename I>
bool isClean(const I* entries, Index n, Index width)
{
    const auto fits = [width](I index) {
        if constexpr (std::is_signed_v<I>)
            return index >= 0 && static_cast<Index>(index) < width;
        else
            return static_cast<std::uint64_t>(index) < static_cast<std::uint64_t>(width);
    };
    if (!fits(entries[0]) || !fits(entries[n - 1]))
        return false;
    bool bad = false;
    for (Index i = 1; i < n; ++i)
        bad |= entries[i] <= entries[i - 1];
    return !bad;
}

class SparsePass
{
public:
    SparsePass(SparseSource source, std::shared_ptr<Reading> reading, const MatrixAsk& ask)
        : m_source(std::move(source)), m_reading(std::move(reading)), m_ask(ask),
          m_type(m_source.dtype()), m_real(isReal(m_type))
    {
        m_needsValues = m_real && (ask.values || ask.rows || ask.graph || ask.structure);
        m_needsIndices = ask.structure || ask.rows || ask.graph;
        // Sums at duplicate places are the only use structure has for values; without the other
        // questions counting duplicates is enough, and half of the matrix is not read.
        if (ask.structure && !ask.values && !ask.rows && !ask.graph)
            m_needsValues = false;
    }

    Result<MatrixFacts> run()
    {
        const bool byRows = m_source.byRows();
        m_facts.sparse = true;
        m_facts.byRows = byRows;
        m_facts.rows = byRows ? m_source.lines() : m_source.width();
        m_facts.columns = byRows ? m_source.width() : m_source.lines();
        m_facts.type = m_type;
        if (m_ask.rows && m_real) {
            auto tally = RowTally::make(m_facts.rows, m_facts.columns,
                                        byRows ? RowTally::Rows::Whole : RowTally::Rows::InParts,
                                        m_ask.twins != Twins::None, *m_reading);
            if (!tally)
                return std::move(tally).error();
            m_tally = *std::move(tally);
        }
        m_workers.resize(at(Index{m_reading->threads()}));
        do {
            m_cut.clear();
            for (Index first = 0; first < m_source.lines(); first += kPointerWindow)
                if (Result<void> done = window(first); !done)
                    return std::move(done).error();
        } while (m_tally && m_tally->nextBand()
                 && (m_ask.twins == Twins::OfAnything || holdCounts(m_facts)));
        collect();
        return std::move(m_facts);
    }

private:
    bool repeated() const { return m_tally && m_tally->repeated(); }

    FindingPlace placeOf(Index line) const
    {
        FindingPlace place;
        (m_source.byRows() ? place.row : place.column) = line;
        return place;
    }
    FindingPlace placeOf(Index line, Index index, Index offset) const
    {
        FindingPlace place = placeOf(line);
        (m_source.byRows() ? place.column : place.row) = index;
        place.offset = offset;
        return place;
    }

    Result<void> window(Index first)
    {
        const Index count = std::min(kPointerWindow, m_source.lines() - first);
        Result<std::vector<Index>> bounds = m_source.pointers(first, count, m_ask.stop);
        if (!bounds) {
            // Too few pointers (A030): a rule of lengths tells it.
            if (bounds.error().ruleId() == "A030")
                return {};
            return std::move(bounds).error();
        }
        std::vector<Line> lines;
        for (Index k = 0; k < count; ++k) {
            const Line line{first + k, (*bounds)[at(k)], (*bounds)[at(k + 1)]};
            if (Result<void> ok = m_source.checkLine(line.line, line.begin, line.end); !ok) {
                if (ok.error().ruleId() == "A032" && !repeated()) {
                    if (m_facts.firstFall.empty())
                        m_facts.firstFall = ok.error().message();
                    m_facts.falls.add(line.line, placeOf(line.line));
                }
                continue;
            }
            if (line.begin == line.end)
                continue;
            if (!lines.empty() && line.begin != lines.back().end) {
                if (Result<void> done = scanRun(lines); !done)
                    return done;
                lines.clear();
            }
            lines.push_back(line);
        }
        return lines.empty() ? Result<void>() : scanRun(lines);
    }

    Result<void> scanRun(const std::vector<Line>& lines)
    {
        std::vector<ArrayRef> arrays;
        Index entryBytes = 0;
        if (m_needsIndices)
            arrays.push_back(m_source.indices());
        if (m_needsValues)
            arrays.push_back(m_source.data());
        for (const ArrayRef& array : arrays)
            entryBytes += array.info().type.size;
        ScanOptions options;
        options.stop = m_ask.stop;
        // Blocks get smaller before a worker has to stay away.
        const Index affordable = m_reading->budget().limit()
                               / (6 * std::max<Index>(1, entryBytes) * m_reading->threads());
        const Index begin = lines.front().begin;
        const Index end = lines.back().end;
        ScanPlan plan = planScan(arrays, begin, end, *m_reading, options);
        if (plan.blockLength > affordable) {
            options.blockLength = std::max<Index>(1, affordable);
            plan = planScan(arrays, begin, end, *m_reading, options);
        }
        std::vector<Digest> digests(at(plan.blocks));
        Result<void> done =
            scan(arrays, m_source.path(), *m_reading, plan, options, [&](const ScanBlock& block) {
                return look(lines, block, digests[at(block.ordinal)]);
            });
        if (!repeated()) {
            m_facts.stored += end - begin;
            for (const Digest& digest : digests)
                m_facts.digest.add(digest);
        }
        return done;
    }

    Result<void> look(const std::vector<Line>& lines, const ScanBlock& block, Digest& digest)
    {
        Worker& worker = m_workers[at(Index{block.worker})];
        const std::byte* indices = m_needsIndices ? block.bytes[0].data() : nullptr;
        const std::byte* values =
            m_needsValues ? block.bytes[m_needsIndices ? 1 : 0].data() : nullptr;
        const auto firstLine = std::partition_point(
            lines.begin(), lines.end(), [&](const Line& l) { return l.end <= block.first; });
        if (m_ask.values && values != nullptr && !repeated()) {
            digest = digestOf(m_type, values, block.count);
            findValues(m_type, values, digest, block.first, m_ask.wishes,
                       [&](Index i) { return placeAt(lines, block, indices, i); }, worker.finds);
        }
        if (indices == nullptr)
            return {};
        // Nothing but stored zeros adds nothing.
        const bool adds = digest.values == 0 || digest.nonZero > 0;
        Result<void> result;
        visitInteger(m_source.indices().dtype(), [&]<typename I>(const I*) {
            const I* all = reinterpret_cast<const I*>(indices);
            const Index blockEnd = block.first + block.count;
            for (auto line = firstLine; line != lines.end() && line->begin < blockEnd; ++line) {
                Part part;
                part.begin = std::max(line->begin, block.first);
                part.end = std::min(line->end, blockEnd);
                const Index from = part.begin - block.first;
                lookAt(all + from, part, line->line, worker);
                if (adds && (m_tally || m_ask.graph))
                    account(all + from, values + from * valueSize(), part, line->line, worker);
                if (part.end - part.begin < line->end - line->begin) {
                    result = keepPart(*line, part, worker);
                } else if (!part.falls && part.repeats == 0) {
                    result = finish(*line, part, worker, {});
                } else {
                    result = finish(*line, part, worker, [&](const Take& take) -> Result<void> {
                        for (Index start = part.begin; start < part.end; start += kPiece) {
                            const Index n = std::min(kPiece, part.end - start);
                            const Index k = start - block.first;
                            widen(all + k, n, worker.indices.data());
                            take({worker.indices.data(),
                                  m_needsValues ? values + k * valueSize() : nullptr, n, start});
                        }
                        return {};
                    });
                }
                if (!result)
                    return;
            }
        });
        return result;
    }

    Index valueSize() const { return static_cast<Index>(sizeOf(m_type)); }

    FindingPlace placeAt(const std::vector<Line>& lines, const ScanBlock& block,
                         const std::byte* indices, Index i) const
    {
        const Index offset = block.first + i;
        const auto line = std::partition_point(lines.begin(), lines.end(), [offset](const Line& l) {
            return l.end <= offset;
        });
        if (indices == nullptr) {
            FindingPlace place = placeOf(line->line);
            place.offset = offset;
            return place;
        }
        std::vector<Index> one;
        const DType type = m_source.indices().dtype();
        appendAsIndex(type, indices + i * static_cast<Index>(sizeOf(type)), 1, one);
        return placeOf(line->line, one.front(), offset);
    }

    template <typename I>
    void lookAt(const I* entries, Part& part, Index line, Worker& worker)
    {
        const Index n = part.end - part.begin;
        const Index width = m_source.width();
        part.first = static_cast<Index>(entries[0]);
        part.last = static_cast<Index>(entries[n - 1]);
        if (isClean(entries, n, width))
            return;
        for (Index i = 0; i < n; ++i) {
            const auto index = static_cast<Index>(entries[i]);
            if (static_cast<std::uint64_t>(index) >= static_cast<std::uint64_t>(width)
                && !repeated())
                worker.outside.meet(part.begin + i,
                                    [&] { return placeOf(line, index, part.begin + i); });
            if (i == 0)
                continue;
            part.falls = part.falls || entries[i] < entries[i - 1];
            part.repeats += entries[i] == entries[i - 1] ? 1 : 0;
        }
    }

    // What rows and columns get from a part: every entry for itself, in any order. Entries that
    // share a place are put right when their line is finished.
    template <typename I>
    void account(const I* entries, const std::byte* values, Part& part, Index line, Worker& worker)
    {
        const Index size = valueSize();
        const auto width = static_cast<std::uint64_t>(m_source.width());
        const bool byRows = m_source.byRows();
        Index* indices = worker.indices.data();
        std::uint64_t* bits = worker.bits.data();
        for (Index start = part.begin; start < part.end; start += kPiece) {
            const Index n = std::min(kPiece, part.end - start);
            widen(entries + (start - part.begin), n, indices);
            visitReal(m_type, [&]<typename T>(const T*) {
                bitsOf(reinterpret_cast<const T*>(values + (start - part.begin) * size), n, bits);
            });
            for (Index i = 0; i < n; ++i)
                if (static_cast<std::uint64_t>(indices[i]) >= width) {
                    indices[i] = 0;
                    bits[i] = 0;
                }
            if (m_tally && byRows) {
                part.sum.add(placesSum(indices, bits, at(n)));
                if (!repeated())
                    for (Index i = 0; i < n; ++i)
                        if (bits[i] != 0)
                            m_tally->seeColumn(indices[i]);
            } else if (m_tally) {
                for (Index i = 0; i < n; ++i) {
                    if (bits[i] == 0)
                        continue;
                    m_tally->seeColumn(line);
                    m_tally->partOfRow(indices[i],
                                       placeSum(static_cast<std::uint64_t>(line), bits[i]));
                }
            }
            if (m_ask.graph)
                for (Index i = 0; i < n; ++i)
                    worker.graph.add(line, indices[i], bits[i], start + i,
                                     [&] { return placeOf(line, indices[i], start + i); });
        }
    }

    Result<void> keepPart(const Line& line, const Part& part, Worker& worker)
    {
        std::vector<Part> parts;
        {
            const std::lock_guard lock(m_mutex);
            CutLine& cut = m_cut[line.line];
            cut.parts.push_back(part);
            cut.met += part.end - part.begin;
            if (cut.met < line.end - line.begin)
                return {};
            parts = std::move(cut.parts);
            m_cut.erase(line.line);
        }
        std::sort(parts.begin(), parts.end(),
                  [](const Part& a, const Part& b) { return a.begin < b.begin; });
        Part whole = parts.front();
        for (std::size_t k = 1; k < parts.size(); ++k) {
            const Part& next = parts[k];
            whole.falls = whole.falls || next.falls || next.first < whole.last;
            whole.repeats += next.repeats + (next.first == whole.last ? 1 : 0);
            whole.last = next.last;
            whole.end = next.end;
            whole.sum.add(next.sum);
        }
        if (line.end - line.begin > kLongestReread)
            return finish(line, whole, worker, {});
        return finish(line, whole, worker, [&](const Take& take) { return readAgain(line, take); });
    }

    Result<void> readAgain(const Line& line, const Take& take)
    {
        std::vector<Index> indices;
        for (Index first = line.begin; first < line.end; first += kEntryWindow) {
            if (m_ask.stop.stop_requested())
                return Error::cancelled();
            indices.clear();
            const Index count = std::min(kEntryWindow, line.end - first);
            if (Result<void> read = m_source.readIndices(first, count, indices, m_ask.stop); !read)
                return read;
            Values values;
            if (m_needsValues) {
                Result<Values> data = m_source.readData(first, count, m_ask.stop);
                if (!data)
                    return std::move(data).error();
                values = *std::move(data);
            }
            take({indices.data(), m_needsValues ? values.data() : nullptr, count, first});
        }
        return {};
    }

    // Judges a line of which everything was seen.
    Result<void> finish(const Line& line, Part& whole, Worker& worker, const Each& each)
    {
        if (whole.falls && !repeated())
            worker.unsorted.meet(line.line, [&] { return placeOf(line.line); });
        if ((whole.falls || whole.repeats > 0) && each) {
            if (Result<void> done = duplicates(line, whole, worker, each); !done)
                return done;
        } else if (whole.falls || whole.repeats > 0) {
            worker.atLeast = worker.atLeast || whole.falls;
            if (whole.repeats > 0)
                worker.duplicates.add(line.begin, placeOf(line.line), whole.repeats);
            if (m_tally)
                m_tally->giveUp(std::string("a ") + m_source.lineName()
                                + " that is not in order is too long to be looked at whole");
        }
        if (m_tally && m_source.byRows())
            m_tally->rowDone(line.line, whole.sum);
        return {};
    }

    Result<void> duplicates(const Line& line, Part& whole, Worker& worker, const Each& each)
    {
        const DType type = m_needsValues ? m_type : DType::Bool;
        if (!worker.sums)
            worker.sums = std::make_unique<PlaceSums>(
                m_source.width(), sizeOf(type),
                m_reading->budget().limit() / kSumsShare / m_reading->threads());
        const auto width = static_cast<std::uint64_t>(m_source.width());
        Result<void> result;
        visitReal(type, [&]<typename T>(const T*) {
            result = worker.sums->line<T>(
                [&](const auto& inBand) {
                    return each([&](const Entries& entries) {
                        const T* values = reinterpret_cast<const T*>(entries.values);
                        for (Index i = 0; i < entries.count; ++i)
                            if (static_cast<std::uint64_t>(entries.indices[i]) < width)
                                inBand(entries.indices[i], values != nullptr ? values[i] : T{},
                                       entries.offset + i);
                    });
                },
                [&](Index index, T before, T value, T sum, bool fits, Index offset) {
                    twice<T>({line.line, index, offset}, before, value, sum, fits, whole, worker);
                });
        });
        return result;
    }

    struct Entry {
        Index line;
        Index index;
        Index offset;
    };

    template <typename T>
    void twice(const Entry& entry, T before, T value, T sum, bool fits, Part& whole, Worker& worker)
    {
        const bool told = m_needsValues;
        if (!repeated()) {
            worker.duplicates.meet(entry.offset, [&] {
                FindingPlace place = placeOf(entry.line, entry.index, entry.offset);
                if (told)
                    place.value = textOf(before) + " and " + textOf(value);
                return place;
            });
            if (told) {
                ++worker.pairs;
                worker.equalPairs += valueBits(before) == valueBits(value) ? 1 : 0;
                if (!fits)
                    worker.overflow.meet(entry.offset, [&] {
                        FindingPlace place = placeOf(entry.line, entry.index, entry.offset);
                        place.value = textOf(before) + " + " + textOf(value);
                        return place;
                    });
            }
        }
        if (!m_tally || !told)
            return;
        // Both were counted for themselves; what stands there is their sum.
        const auto column =
            static_cast<std::uint64_t>(m_source.byRows() ? entry.index : entry.line);
        RowSum change = placeSum(column, valueBits(sum));
        change.take(placeSum(column, valueBits(before)));
        change.take(placeSum(column, valueBits(value)));
        if (m_source.byRows())
            whole.sum.add(change);
        else
            m_tally->partOfRow(entry.index, change);
    }

    void collect()
    {
        GraphTally graph;
        for (Worker& worker : m_workers) {
            m_facts.outside.add(worker.outside);
            m_facts.unsorted.add(worker.unsorted);
            m_facts.duplicates.add(worker.duplicates);
            m_facts.overflow.add(worker.overflow);
            m_facts.atLeast = m_facts.atLeast || worker.atLeast;
            m_facts.pairs += worker.pairs;
            m_facts.equalPairs += worker.equalPairs;
            m_facts.finds.add(worker.finds);
            graph.add(worker.graph);
        }
        if (m_tally)
            m_facts.rowFacts = m_tally->facts();
        if (m_ask.graph && m_real)
            m_facts.graph = graph.facts();
    }

    struct CutLine {
        std::vector<Part> parts;
        Index met = 0;
    };

    SparseSource m_source;
    std::shared_ptr<Reading> m_reading;
    const MatrixAsk& m_ask;
    DType m_type;
    bool m_real;
    bool m_needsValues = false;
    bool m_needsIndices = false;
    std::unique_ptr<RowTally> m_tally;
    std::vector<Worker> m_workers;
    std::mutex m_mutex;
    std::map<Index, CutLine> m_cut;
    MatrixFacts m_facts;
};

} // namespace

Result<MatrixFacts> passSparse(SparseSource source, const std::shared_ptr<Reading>& reading,
                               const MatrixAsk& ask)
{
    return SparsePass(std::move(source), reading, ask).run();
}

} // namespace cellfolio
