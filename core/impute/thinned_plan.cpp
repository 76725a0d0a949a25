// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/thinned_plan.h"

#include "core/run/work_sharing.h"

#include <algorithm>
#include <numeric>

namespace cellfolio::impute {

namespace {

template <typename Real>
class ThinnedPlan final : public PlanSource<Real>
{
public:
    ThinnedPlan(std::unique_ptr<PlanSource<Real>> plan, Index keep) : m_plan(std::move(plan)), m_keep(keep) {}

    Index rows() const override { return m_plan->rows(); }
    Index columns() const override { return m_plan->columns(); }
    Index bytesPerRow() const override
    {
        return m_plan->bytesPerRow() + m_keep * Index{sizeof(Entry)} + 64;
    }

    Result<void> begin(std::span<const Index> rows, const Running& running) override
    {
        if (auto begun = m_plan->begin(rows, running); !begun)
            return begun;
        m_kept.assign(rows.size(), {});
        const auto count = static_cast<Index>(rows.size());
        const Index blocks = (count + kRowTile - 1) / kRowTile;
        for (Index column = 0; column < columns(); column += kColumnTile) {
            const Index width = std::min(kColumnTile, columns() - column);
            if (auto loaded = m_plan->load(column, width, running); !loaded)
                return loaded;
            WorkSharing sharing(blocks, running.stop);
            const int threads = static_cast<int>(std::clamp(blocks, Index{1}, Index{running.threads}));
            auto done = sharing.run(threads, [&](int, Index ordinal) -> Result<void> {
                const Index first = ordinal * kRowTile;
                std::vector<Real> room(at(kRowTile * kColumnTile));
                const Tile<Real> tile{room.data(), std::min(kRowTile, count - first), width, kColumnTile};
                m_plan->weights(first, tile, nullptr);
                for (Index i = 0; i < tile.rows; ++i)
                    for (Index j = 0; j < width; ++j)
                        offer(m_kept[at(first + i)], {tile.values[i * tile.stride + j], column + j});
                return {};
            });
            if (!done)
                return done;
        }
        for (std::vector<Entry>& kept : m_kept)
            std::sort(kept.begin(), kept.end(),
                      [](const Entry& x, const Entry& y) { return x.column < y.column; });
        return {};
    }

    Result<void> load(Index firstColumn, Index, const Running&) override
    {
        m_firstColumn = firstColumn;
        return {};
    }

    void weights(Index first, const Tile<Real>& tile, double* rowSum) const override
    {
        for (Index i = 0; i < tile.rows; ++i) {
            Real* to = tile.values + i * tile.stride;
            std::fill_n(to, tile.columns, Real{0});
            const std::vector<Entry>& kept = m_kept[at(first + i)];
            auto entry = std::lower_bound(kept.begin(), kept.end(), m_firstColumn,
                                          [](const Entry& e, Index column) { return e.column < column; });
            for (; entry != kept.end() && entry->column < m_firstColumn + tile.columns; ++entry) {
                to[entry->column - m_firstColumn] = entry->weight;
                if (rowSum != nullptr)
                    rowSum[i] += static_cast<double>(entry->weight);
            }
        }
    }

    Result<std::vector<double>> columnSums(const Running& running) override
    {
        std::vector<double> sums(at(columns()), 0.0);
        std::vector<Index> block;
        for (Index first = 0; first < rows(); first += kRowTile) {
            block.resize(at(std::min(kRowTile, rows() - first)));
            std::iota(block.begin(), block.end(), first);
            if (auto begun = begin(block, running); !begun)
                return std::move(begun).error();
            for (const std::vector<Entry>& kept : m_kept)
                for (const Entry& entry : kept)
                    sums[at(entry.column)] += static_cast<double>(entry.weight);
        }
        return sums;
    }

private:
    struct Entry {
        Real weight;
        Index column;
    };

    // A heap with the least of those kept in front: the smallest, of equal ones the last.
    void offer(std::vector<Entry>& kept, const Entry& entry) const
    {
        const auto better = [](const Entry& x, const Entry& y) {
            return x.weight != y.weight ? x.weight > y.weight : x.column < y.column;
        };
        if (entry.weight == Real{0})
            return;
        if (static_cast<Index>(kept.size()) < m_keep) {
            kept.push_back(entry);
            std::push_heap(kept.begin(), kept.end(), better);
        } else if (better(entry, kept.front())) {
            std::pop_heap(kept.begin(), kept.end(), better);
            kept.back() = entry;
            std::push_heap(kept.begin(), kept.end(), better);
        }
    }

    std::unique_ptr<PlanSource<Real>> m_plan;
    Index m_keep;
    std::vector<std::vector<Entry>> m_kept; // of each row of the block, by column
    Index m_firstColumn = 0;
};

} // namespace

template <typename Real>
std::unique_ptr<PlanSource<Real>> thinned(std::unique_ptr<PlanSource<Real>> plan, Index keep)
{
    return std::make_unique<ThinnedPlan<Real>>(std::move(plan), keep);
}

template std::unique_ptr<PlanSource<float>> thinned(std::unique_ptr<PlanSource<float>>, Index);
template std::unique_ptr<PlanSource<double>> thinned(std::unique_ptr<PlanSource<double>>, Index);

} // namespace cellfolio::impute
