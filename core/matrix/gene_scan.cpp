// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/gene_scan.h"

#include "core/base/text.h"
#include "core/matrix/index_search.h"
#include "core/matrix/number_types.h"
#include "core/matrix/tile_values.h"
#include "core/paging/scan.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <mutex>
#include <span>

// Wanted lines are taken in windows of pointers; within a window, lines whose entries lie close
// together make a run, which is scanned in blocks. A line that a block's border cuts is added up
// once all of its blocks are there, in their order, so that sums do not depend on the threads.
// Where a block cannot be decoded it is gone through chunk by chunk, and the scan goes on behind.

namespace cellfolio {

namespace {

constexpr Index kPointerWindow = Index{128} << 10;
constexpr Index kSmallestWindow = 1024;
constexpr Index kPiece = Index{32} << 10; // indices looked at together: they fit the second cache
constexpr Index kGap = Index{16} << 10;   // entries read through rather than starting another run

struct Line {
    Index number; // among the distinct wanted ones
    Index line;
    Index begin;
    Index end;
};

// A wanted entry.
struct Found {
    const Line* line;
    Index entry;
    std::int32_t gene;
};

// An entry of a line that lies in two blocks.
struct Cut {
    Index number;
    std::int32_t gene;
    std::array<std::byte, 16> value;
};

bool isDamage(const Error& error)
{
    return error.code() == ErrorCode::Corrupt;
}

class Scanning
{
public:
    Scanning(const SparseSource& source, std::shared_ptr<Reading> reading, const AxisMap& lines,
             const IndexSearch& search, const GeneScan::Pass& pass, GeneVectors& into)
        : m_source(source), m_reading(std::move(reading)), m_lines(lines), m_search(search),
          m_pass(pass), m_into(into), m_item(sizeOf(source.dtype()))
    {
        for (int k = 0; k < m_reading->threads(); ++k)
            m_workers.emplace_back(TileValues(source.data(), m_reading, source.path()));
    }

    static Index bytes(const SparseSource& source, int threads)
    {
        return kPointerWindow * static_cast<Index>(sizeof(Line) + 2 * sizeof(Index))
             + threads * (TileValues::bytesFor(source.data())
                          + kPiece * static_cast<Index>(sizeof(Found) + sizeof(IndexSearch::Hit)));
    }

    Result<void> run()
    {
        for (Index k = 0; k < m_lines.size();) {
            const Index next = m_lines.lowerBound(m_lines[k] + kPointerWindow);
            if (Result<void> done = window(k, next); !done)
                return done;
            k = next;
            if (m_pass.stop.stop_requested())
                return Error::cancelled();
        }
        tell(m_lines.size());
        finishDamage();
        return {};
    }

private:
    struct Worker {
        explicit Worker(TileValues data) : values(std::move(data)) {}
        TileValues values;
        std::vector<IndexSearch::Hit> hits;
        std::vector<Found> found;
        std::vector<Cut> cuts;
        Index badTile = -1; // of the values, that could not be decoded
        std::optional<Error> why;
    };

    // Lines `from` … `to` - 1 of the wanted ones.
    Result<void> window(Index from, Index to)
    {
        const Index first = m_lines[from];
        const Index count = m_lines[to - 1] - first + 1;
        Result<std::vector<Index>> bounds = m_source.pointers(first, count, m_pass.stop);
        if (!bounds) {
            if (!isDamage(bounds.error()))
                return std::move(bounds).error();
            if (to - from > 1 && count > kSmallestWindow) {
                const Index middle = std::clamp(m_lines.lowerBound(first + count / 2), from + 1,
                                                to - 1);
                if (Result<void> done = window(from, middle); !done)
                    return done;
                return window(middle, to);
            }
            for (Index k = from; k < to; ++k)
                damage(k, [&] { return bounds.error(); });
            return {};
        }
        m_run.clear();
        for (Index k = from; k < to; ++k) {
            const Index line = m_lines[k];
            const Index begin = (*bounds)[at(line - first)];
            const Index end = (*bounds)[at(line - first + 1)];
            if (Result<void> ok = m_source.checkLine(line, begin, end); !ok) {
                damage(k, [&] { return std::move(ok).error(); });
                continue;
            }
            if (begin == end)
                continue;
            if (!m_run.empty() && (begin < m_run.back().end || begin - m_run.back().end > kGap))
                if (Result<void> done = scanRun(); !done)
                    return done;
            m_run.push_back({k, line, begin, end});
        }
        return scanRun();
    }

    Result<void> scanRun()
    {
        if (m_run.empty())
            return {};
        const std::vector<ArrayRef> arrays{m_source.indices()};
        ScanOptions options;
        options.stop = m_pass.stop;
        options.blockLength = m_pass.blockLength;
        if (m_pass.progress != nullptr)
            options.progress = [this](Index count) { m_pass.progress->advance(count); };
        ScanPlan plan = planScan(arrays, m_run.front().begin, m_run.back().end, *m_reading, options);
        m_firstBlock = plan.first / plan.blockLength;
        m_length = plan.blockLength;
        m_blocks.assign(at(plan.blocks), {});
        m_complete = 0;
        while (plan.blocks > 0) {
            Result<void> done = scan(arrays, m_source.path(), *m_reading, plan, options,
                                     [this](const ScanBlock& b) { return visit(b); });
            if (done)
                break;
            if (!isDamage(done.error()))
                return done;
            // The first block that is missing, by itself; then on behind it.
            const Index k = m_complete;
            if (Result<void> saved = rescue(k); !saved)
                return saved;
            plan = planScan(arrays, std::min(plan.last, (m_firstBlock + k + 1) * m_length),
                            plan.last, *m_reading, options);
        }
        m_run.clear();
        return {};
    }

    Result<void> visit(const ScanBlock& block)
    {
        const Index k = block.first / m_length - m_firstBlock;
        {
            const std::lock_guard lock(m_mutex);
            if (m_blocks[at(k)].done)
                return {};
        }
        Worker& own = m_workers[at(Index{block.worker})];
        own.cuts.clear();
        const Range range{block.first, block.first + block.count};
        if (Result<void> done = look(block.bytes[0], range, range, own); !done)
            return done;
        complete(k, own);
        return {};
    }

    // A block whose indices cannot all be decoded: chunk by chunk.
    Result<void> rescue(Index k)
    {
        const Range block{std::max(m_run.front().begin, (m_firstBlock + k) * m_length),
                          std::min(m_run.back().end, (m_firstBlock + k + 1) * m_length)};
        auto room = m_reading->budget().reserve(MemoryTag::Job,
                                                TileValues::bytesFor(m_source.indices()));
        if (!room)
            return std::move(room).error();
        TileValues indices(m_source.indices(), m_reading, m_source.path());
        Worker& own = m_workers.front();
        own.cuts.clear();
        const auto item = static_cast<Index>(sizeOf(m_source.indices().dtype()));
        for (Index first = block.first; first < block.last;) {
            if (m_pass.stop.stop_requested())
                return Error::cancelled();
            const Index length = indices.tileLength();
            const Index last = std::min(block.last, (first / length + 1) * length);
            const auto tile = indices.holding(first, m_pass.stop);
            if (!tile) {
                if (!isDamage(tile.error()))
                    return tile.error();
                for (auto line = lineAt(first); line != m_run.end() && line->begin < last; ++line)
                    damage(line->number, [&] { return tile.error(); });
            } else {
                const auto bytes = tile->bytes.subspan(at((first - tile->first) * item),
                                                       at((last - first) * item));
                if (Result<void> done = look(bytes, {first, last}, block, own); !done)
                    return done;
            }
            first = last;
        }
        if (m_pass.progress != nullptr)
            m_pass.progress->advance(block.last - block.first);
        complete(k, own);
        return {};
    }

    struct Range {
        Index first;
        Index last;
    };

    // The first line of the run that ends behind an entry.
    std::vector<Line>::const_iterator lineAt(Index entry) const
    {
        return std::partition_point(m_run.begin(), m_run.end(),
                                    [entry](const Line& l) { return l.end <= entry; });
    }

    // Finds what is wanted among the indices of a range and adds its values.
    Result<void> look(std::span<const std::byte> indices, Range range, Range block, Worker& own)
    {
        const auto item = static_cast<Index>(sizeOf(m_source.indices().dtype()));
        for (Index first = range.first; first < range.last; first += kPiece) {
            const Index count = std::min(kPiece, range.last - first);
            const std::byte* at0 = indices.data() + (first - range.first) * item;
            own.hits.clear();
            m_search.find(at0, count, own.hits);
            if (own.hits.empty())
                continue;
            own.found.clear();
            auto line = lineAt(first);
            for (const IndexSearch::Hit& hit : own.hits) {
                const Index entry = first + hit.offset;
                if (line != m_run.end() && line->end <= entry)
                    line = std::partition_point(line, m_run.cend(),
                                                [entry](const Line& l) { return l.end <= entry; });
                if (line == m_run.end() || line->begin > entry)
                    continue; // between the wanted lines
                if (hit.number == IndexSearch::kOutside)
                    damage(line->number, [&] { return outside(*line, entry, at0, hit.offset); });
                else
                    own.found.push_back({&*line, entry, hit.number});
            }
            if (Result<void> added = addFound(block, own); !added)
                return added;
        }
        return {};
    }

    Error outside(const Line& line, Index entry, const std::byte* indices, Index offset) const
    {
        std::vector<Index> index;
        const DType type = m_source.indices().dtype();
        appendAsIndex(type, indices + offset * static_cast<Index>(sizeOf(type)), 1, index);
        return m_source.outside(line.line, index.front(), entry);
    }

    Result<void> addFound(Range block, Worker& own)
    {
        Result<void> result;
        visitNumber(m_source.dtype(), [&]<typename T>(const T*) {
            TileValues::Stretch values;
            for (const Found& found : own.found) {
                if (found.entry < values.first || found.entry >= values.first + values.count) {
                    Result<bool> loaded = valuesAt(found.entry, values, own);
                    if (!loaded) {
                        result = std::move(loaded).error();
                        return;
                    }
                    if (!*loaded) {
                        damage(found.line->number, [&] { return *own.why; });
                        continue;
                    }
                }
                T value;
                std::memcpy(&value,
                            values.bytes.data()
                                + at(found.entry - values.first) * sizeof(T),
                            sizeof(T));
                if (found.line->begin < block.first || found.line->end > block.last) {
                    Cut cut{found.line->number, found.gene, {}};
                    std::memcpy(cut.value.data(), &value, sizeof(T));
                    own.cuts.push_back(cut);
                } else {
                    add(found.line->number, found.gene, value);
                }
            }
        });
        return result;
    }

    // Whether the values that hold an entry could be decoded.
    Result<bool> valuesAt(Index entry, TileValues::Stretch& values, Worker& own)
    {
        values = {};
        const Index tile = entry / own.values.tileLength();
        if (own.badTile == tile)
            return false;
        auto loaded = own.values.holding(entry, m_pass.stop);
        if (loaded) {
            values = *loaded;
            return true;
        }
        if (!isDamage(loaded.error()))
            return std::move(loaded).error();
        own.badTile = tile;
        own.why = std::move(loaded).error();
        return false;
    }

    template <typename T>
    void add(Index number, std::int32_t gene, T value)
    {
        T& sum = m_into.genes[at(Index{gene})].template as<T>()[at(number)];
        if (!addEntry(sum, value))
            damage(number, [&] {
                return Error(ErrorCode::Corrupt,
                             std::string("The entries stored for one ") + m_source.indexName()
                                 + " of " + m_source.lineName() + " " + exactText(m_lines[number])
                                 + " add up to more than "
                                 + std::string(nameOf(m_source.dtype())) + " can hold.")
                    .at(m_source.path())
                    .rule("B007o")
                    .advise("Widen the type of the matrix.");
            });
    }

    // A block is through: adds what blocks before it and it have in common, and tells what is final.
    void complete(Index k, Worker& own)
    {
        std::unique_lock lock(m_mutex);
        m_blocks[at(k)] = {true, std::move(own.cuts)};
        own.cuts = {};
        const auto blocks = static_cast<Index>(m_blocks.size());
        while (m_complete < blocks && m_blocks[at(m_complete)].done) {
            visitNumber(m_source.dtype(), [&]<typename T>(const T*) {
                for (const Cut& cut : m_blocks[at(m_complete)].cuts) {
                    T value;
                    std::memcpy(&value, cut.value.data(), sizeof(T));
                    add(cut.number, cut.gene, value);
                }
            });
            m_blocks[at(m_complete)].cuts = {};
            ++m_complete;
        }
        const Index position = (m_firstBlock + m_complete) * m_length;
        const auto line = lineAt(position - 1);
        // The line at hand is final where it ends with the last block.
        const auto open = line != m_run.end() && line->end <= position ? line + 1 : line;
        m_final = std::max(m_final, m_complete == 0     ? Index{0}
                                    : open == m_run.end() ? m_run.back().number + 1
                                                          : open->number);
        lock.unlock();
        tell(0);
    }

    // Calls the visitor for what became final; whoever comes while another tells leaves it to him.
    void tell(Index final)
    {
        std::unique_lock lock(m_mutex);
        m_final = std::max(m_final, final);
        if (!m_pass.part || m_telling)
            return;
        m_telling = true;
        while (m_told < m_final) {
            const GenePart part{m_told, m_final - m_told, m_into.genes};
            m_told = m_final;
            lock.unlock();
            m_pass.part(part);
            lock.lock();
        }
        m_telling = false;
    }

    template <typename MakeError>
    void damage(Index number, const MakeError& makeError)
    {
        const std::lock_guard lock(m_damageMutex);
        GeneDamage& damage = m_into.damage;
        if (damage.unknown.empty())
            damage.unknown.assign(at(m_lines.size()), 0);
        if (std::exchange(damage.unknown[at(number)], std::uint8_t{1}) != 0)
            return;
        ++damage.places;
        if (m_errors.size() == GeneDamage::kErrors && m_errors.back().first < number)
            return;
        const auto place = std::partition_point(m_errors.begin(), m_errors.end(),
                                                [number](const auto& e) { return e.first < number; });
        m_errors.insert(place, {number, makeError()});
        if (m_errors.size() > GeneDamage::kErrors)
            m_errors.pop_back();
    }

    void finishDamage()
    {
        for (auto& [number, error] : m_errors)
            m_into.damage.errors.push_back(std::move(error));
    }

    struct Block {
        bool done = false;
        std::vector<Cut> cuts;
    };

    const SparseSource& m_source;
    std::shared_ptr<Reading> m_reading;
    const AxisMap& m_lines;
    const IndexSearch& m_search;
    const GeneScan::Pass& m_pass;
    GeneVectors& m_into;
    const std::size_t m_item;
    std::vector<Worker> m_workers;
    std::vector<Line> m_run;
    Index m_firstBlock = 0;
    Index m_length = 1;

    std::mutex m_mutex;
    std::vector<Block> m_blocks; // of the run
    Index m_complete = 0;        // blocks from the first on that are through
    Index m_final = 0;           // lines whose values are
    Index m_told = 0;
    bool m_telling = false;

    std::mutex m_damageMutex;
    std::vector<std::pair<Index, Error>> m_errors;
};

} // namespace

GeneScan::GeneScan(SparseSource source, std::shared_ptr<Reading> reading,
                   const std::optional<Selection>& lines, std::vector<Index> wanted)
    : m_source(std::move(source)), m_reading(std::move(reading)),
      m_lines(lines ? *lines : Selection::all(m_source.lines())), m_wanted(std::move(wanted))
{
    assert(static_cast<Index>(m_wanted.size()) <= kMostAtOnce);
    assert(m_lines.empty() || m_lines[m_lines.size() - 1] < m_source.lines());
}

Index GeneScan::resultBytes() const noexcept
{
    return static_cast<Index>(m_wanted.size()) * m_lines.size()
         * static_cast<Index>(sizeOf(m_source.dtype()));
}

Result<GeneVectors> GeneScan::run(const Pass& pass) const
{
    const IndexSearch search(m_source.indices().dtype(), m_source.width(), m_wanted);
    GeneVectors result;
    auto charge = m_reading->budget().reserve(MemoryTag::Plot, resultBytes());
    if (!charge)
        return std::move(charge).error().at(m_source.path());
    result.charge = *std::move(charge);
    auto room = m_reading->budget().reserve(
        MemoryTag::Job, Scanning::bytes(m_source, m_reading->threads()) + search.bytes());
    if (!room)
        return std::move(room).error().at(m_source.path());
    for (std::size_t k = 0; k < m_wanted.size(); ++k) {
        result.genes.emplace_back(m_source.dtype(), m_lines.size());
        if (!m_lines.empty())
            std::memset(result.genes.back().data(), 0,
                        at(m_lines.size()) * sizeOf(m_source.dtype()));
    }
    if (pass.progress != nullptr)
        pass.progress->begin(m_source.stored());
    if (m_wanted.empty())
        return result;
    Scanning scanning(m_source, m_reading, m_lines, search, pass, result);
    if (Result<void> done = scanning.run(); !done)
        return std::move(done).error();
    return result;
}

} // namespace cellfolio
