// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/sparse_check.h"

#include "core/anndata/rules.h"
#include "core/base/text.h"
#include "core/matrix/number_types.h"
#include "core/matrix/sparse_source.h"
#include "core/paging/scan.h"
#include "core/validate/content_rules.h"
#include "core/validate/place_list.h"

#include <map>
#include <mutex>
#include <vector>

// Lines are taken in windows of pointers; the entries between two damaged pointers are one run,
// scanned in blocks by several threads. What of a line lies in one block is looked at there; a
// line cut by the end of a block is put together at the end from what each block saw of it. Only
// an unsorted line longer than a block is read again.

namespace cellfolio {

namespace {

constexpr Index kPointerWindow = Index{256} << 10;
constexpr Index kEntryWindow = Index{64} << 10;
constexpr Index kMostMarks = Index{512} << 20; // bits of one worker

struct Line {
    Index line;
    Index begin;
    Index end;
};

// One mark for every index of a line.
class Marks
{
public:
    explicit Marks(Index width) : m_bits(at((width + 63) / 64), 0) {}

    // Whether the index was marked before.
    bool mark(Index index)
    {
        std::uint64_t& word = m_bits[at(index / 64)];
        const std::uint64_t bit = std::uint64_t{1} << (index % 64);
        const bool before = (word & bit) != 0;
        word |= bit;
        return before;
    }
    void clear(Index index) { m_bits[at(index / 64)] = 0; }

private:
    std::vector<std::uint64_t> m_bits;
};

// What a block saw of a line.
struct Part {
    Index begin = 0;
    Index end = 0;
    Index first = 0; // indices at its ends
    Index last = 0;
    bool falls = false;
    Index repeats = 0; // neighbours that are equal
    Index outside = 0;
};

struct Counts {
    PlaceList outside;
    PlaceList unsorted;
    PlaceList duplicates;
    bool atLeast = false;
};

class EntryCheck
{
public:
    EntryCheck(SparseSource source, const Element& matrix, std::shared_ptr<Reading> reading,
               std::stop_token stop)
        : m_source(std::move(source)), m_matrix(matrix), m_reading(std::move(reading)), m_stop(stop)
    {
    }

    Result<std::vector<Finding>> run()
    {
        makeMarks();
        m_counts.resize(at(Index{m_reading->threads()}));
        for (Index first = 0; first < m_source.lines(); first += kPointerWindow)
            if (Result<void> done = window(first); !done)
                return std::move(done).error();
        if (Result<void> done = longLines(); !done)
            return std::move(done).error();
        for (std::size_t k = 1; k < m_counts.size(); ++k) {
            m_counts[0].outside.add(m_counts[k].outside);
            m_counts[0].unsorted.add(m_counts[k].unsorted);
            m_counts[0].duplicates.add(m_counts[k].duplicates);
            m_counts[0].atLeast = m_counts[0].atLeast || m_counts[k].atLeast;
        }
        return findings();
    }

private:
    void makeMarks()
    {
        const Index bytes = m_source.width() / 8 + 8;
        const Index all = bytes * m_reading->threads();
        if (m_source.width() > kMostMarks)
            return;
        Result<MemoryReservation> room = m_reading->budget().reserve(MemoryTag::Job, all);
        if (!room)
            return; // unsorted lines then say "at least"
        m_room = *std::move(room);
        for (int k = 0; k < m_reading->threads(); ++k)
            m_marks.emplace_back(m_source.width());
    }

    FindingPlace placeOf(Index line) const
    {
        FindingPlace place;
        (m_source.byRows() ? place.row : place.column) = line;
        return place;
    }

    Result<void> window(Index first)
    {
        const Index count = std::min(kPointerWindow, m_source.lines() - first);
        Result<std::vector<Index>> bounds = m_source.pointers(first, count, m_stop);
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
                if (ok.error().ruleId() == "A032")
                    m_falls.add(line.line, placeOf(line.line));
                if (m_firstFault.empty())
                    m_firstFault = ok.error().message();
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
        const std::vector<ArrayRef> arrays{m_source.indices()};
        ScanOptions options;
        options.stop = m_stop;
        const ScanPlan plan = planScan(arrays, lines.front().begin, lines.back().end, *m_reading,
                                       options);
        return scan(arrays, m_matrix.path, *m_reading, plan, options, [&](const ScanBlock& block) {
            visitInteger(m_source.indices().dtype(), [&]<typename T>(const T*) {
                look<T>(lines, block);
            });
            return Result<void>();
        });
    }

    template <typename T>
    void look(const std::vector<Line>& lines, const ScanBlock& block)
    {
        const T* indices = reinterpret_cast<const T*>(block.bytes[0].data());
        auto line = std::partition_point(lines.begin(), lines.end(), [&](const Line& l) {
            return l.end <= block.first;
        });
        for (; line != lines.end() && line->begin < block.first + block.count; ++line) {
            Part part;
            part.begin = std::max(line->begin, block.first);
            part.end = std::min(line->end, block.first + block.count);
            const T* entries = indices + (part.begin - block.first);
            lookAt(entries, part, line->line, block.worker);
            if (part.end - part.begin == line->end - line->begin) {
                finish(*line, part, block.worker,
                       [&] { return countMarked(entries, part, block.worker); });
                continue;
            }
            const std::lock_guard lock(m_mutex);
            CutLine& cut = m_cut[line->line];
            cut.line = *line;
            cut.parts.push_back(part);
        }
    }

    // Whether every index is inside and follows the one before: nearly always true, and quick.
    template <typename T>
    bool isClean(const T* entries, Index n) const
    {
        if (!fits(entries[0]) || !fits(entries[n - 1]))
            return false;
        bool bad = false;
        for (Index i = 1; i < n; ++i)
            bad |= entries[i] <= entries[i - 1];
        return !bad;
    }

    template <typename T>
    bool fits(T index) const
    {
        if constexpr (std::is_signed_v<T>)
            return index >= 0 && static_cast<Index>(index) < m_source.width();
        else
            return static_cast<std::uint64_t>(index) < static_cast<std::uint64_t>(m_source.width());
    }

    template <typename T>
    void lookAt(const T* entries, Part& part, Index line, int worker)
    {
        const Index n = part.end - part.begin;
        part.first = static_cast<Index>(entries[0]);
        part.last = static_cast<Index>(entries[n - 1]);
        if (isClean(entries, n))
            return;
        for (Index i = 0; i < n; ++i) {
            if (!fits(entries[i])) {
                ++part.outside;
                FindingPlace place = placeOf(line);
                (m_source.byRows() ? place.column : place.row) = static_cast<Index>(entries[i]);
                place.offset = part.begin + i;
                m_counts[at(Index{worker})].outside.add(part.begin + i, std::move(place));
            }
            if (i == 0)
                continue;
            part.falls = part.falls || entries[i] < entries[i - 1];
            part.repeats += entries[i] == entries[i - 1] ? 1 : 0;
        }
    }

    // Surplus entries of an unsorted part, or -1 where they cannot be counted.
    template <typename T>
    Index countMarked(const T* entries, const Part& part, int worker)
    {
        if (m_marks.empty())
            return -1;
        Marks& marks = m_marks[at(Index{worker})];
        const Index n = part.end - part.begin;
        Index surplus = 0;
        for (Index i = 0; i < n; ++i)
            if (fits(entries[i]) && marks.mark(static_cast<Index>(entries[i])))
                ++surplus;
        for (Index i = 0; i < n; ++i)
            if (fits(entries[i]))
                marks.clear(static_cast<Index>(entries[i]));
        return surplus;
    }

    template <typename Count>
    void finish(const Line& line, const Part& part, int worker, Count&& countUnsorted)
    {
        Counts& counts = m_counts[at(Index{worker})];
        Index surplus = part.repeats;
        if (part.falls) {
            counts.unsorted.add(line.line, placeOf(line.line));
            const Index counted = countUnsorted();
            counts.atLeast = counts.atLeast || counted < 0;
            surplus = std::max(surplus, counted);
        }
        if (surplus > 0)
            counts.duplicates.add(line.line, placeOf(line.line), surplus);
    }

    // Lines of which several blocks saw a part.
    Result<void> longLines()
    {
        for (auto& [number, cut] : m_cut) {
            std::sort(cut.parts.begin(), cut.parts.end(),
                      [](const Part& a, const Part& b) { return a.begin < b.begin; });
            Part whole = cut.parts.front();
            for (std::size_t k = 1; k < cut.parts.size(); ++k) {
                const Part& part = cut.parts[k];
                whole.falls = whole.falls || part.falls || part.first < whole.last;
                whole.repeats += part.repeats + (part.first == whole.last ? 1 : 0);
                whole.last = part.last;
                whole.end = part.end;
            }
            Index counted = -1;
            if (whole.falls && !m_marks.empty()) {
                Result<Index> surplus = countLong(cut.line);
                if (!surplus)
                    return std::move(surplus).error();
                counted = *surplus;
            }
            finish(cut.line, whole, 0, [counted] { return counted; });
        }
        return {};
    }

    Result<Index> countLong(const Line& line)
    {
        Marks marks(m_source.width());
        Index surplus = 0;
        std::vector<Index> indices;
        for (Index first = line.begin; first < line.end; first += kEntryWindow) {
            if (m_stop.stop_requested())
                return Error::cancelled();
            indices.clear();
            const Index count = std::min(kEntryWindow, line.end - first);
            if (Result<void> read = m_source.readIndices(first, count, indices, m_stop); !read)
                return std::move(read).error();
            for (const Index index : indices)
                if (fits(index) && marks.mark(index))
                    ++surplus;
        }
        return surplus;
    }

    void report(std::vector<Finding>& found, const char* id, PlaceList& places, std::string message)
    {
        if (places.count() == 0)
            return;
        Finding finding = ruleFinding(id, m_matrix.path, std::move(message));
        finding.count = places.count();
        finding.places = places.first();
        found.push_back(std::move(finding));
    }

    std::vector<Finding> findings()
    {
        std::vector<Finding> found;
        Counts& all = m_counts[0];
        const std::string name = inQuotes(m_matrix.path);
        const char* lines = m_source.byRows() ? "rows" : "columns";
        report(found, "A032", m_falls, "In " + name + ", " + m_firstFault);
        if (all.outside.count() > 0) {
            const FindingPlace first = all.outside.first().front();
            const bool byRows = m_source.byRows();
            report(found, "A034", all.outside,
                   "The indices of " + name + " leave its range: " + m_source.lineName() + " "
                       + exactText(byRows ? *first.row : *first.column) + " names "
                       + m_source.indexName() + " " + exactText(byRows ? *first.column : *first.row)
                       + " of " + exactText(m_source.width()) + ".");
        }
        report(found, "B006", all.unsorted,
               counted(all.unsorted.count(), m_source.lineName(), lines) + " of " + name
                   + (all.unsorted.count() == 1 ? " is" : " are") + " not sorted by "
                   + m_source.indexName() + "; R refuses such a matrix.");
        report(found, "B007", all.duplicates,
               name + " has " + (all.atLeast ? "at least " : "")
                   + counted(all.duplicates.count(), "duplicate entry", "duplicate entries")
                   + ": more than one at the same place. Programs disagree on the value there; "
                     "this one adds them up.");
        return found;
    }

    struct CutLine {
        Line line{};
        std::vector<Part> parts;
    };

    SparseSource m_source;
    const Element& m_matrix;
    std::shared_ptr<Reading> m_reading;
    std::stop_token m_stop;
    MemoryReservation m_room;
    std::vector<Marks> m_marks;
    std::vector<Counts> m_counts; // of each worker
    PlaceList m_falls;
    std::string m_firstFault;
    std::mutex m_mutex;
    std::map<Index, CutLine> m_cut;
};

} // namespace

Result<std::vector<Finding>> checkSparseEntries(const std::shared_ptr<const Dataset>& dataset,
                                                const Element& matrix,
                                                const std::shared_ptr<Reading>& reading,
                                                std::stop_token stop)
{
    Result<SparseSource> source = SparseSource::open(dataset, matrix, reading);
    if (!source)
        return std::move(source).error();
    return EntryCheck(*std::move(source), matrix, reading, stop).run();
}

} // namespace cellfolio
