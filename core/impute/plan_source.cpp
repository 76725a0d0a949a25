// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/plan_source.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace cellfolio::impute {

namespace {

template <typename Real>
class PotentialPlan final : public PlanSource<Real>
{
public:
    PotentialPlan(const std::vector<SolvedPart<Real>>& parts, Index rows) : m_parts(parts)
    {
        m_part.resize(at(rows));
        m_place.resize(at(rows));
        for (std::size_t p = 0; p < parts.size(); ++p)
            for (std::size_t k = 0; k < parts[p].rows.size(); ++k) {
                m_part[at(parts[p].rows[k])] = static_cast<std::int32_t>(p);
                m_place[at(parts[p].rows[k])] = static_cast<std::int32_t>(k);
            }
    }

    Result<void> prepare(DeadRows dead, const Running& running)
    {
        for (const SolvedPart<Real>& part : m_parts) {
            std::vector<double> f = part.potentials.f;
            if (dead == DeadRows::Softmax
                && !std::all_of(f.begin(), f.end(), [](double v) { return std::isfinite(v); })) {
                auto sums = logSumExp<Real>(part.cost.byRows(), part.potentials.g,
                                            part.potentials.epsilon, running);
                if (!sums)
                    return std::move(sums).error();
                const std::vector<double> soft =
                    softmaxPotentials(*sums, part.potentials.epsilon);
                for (std::size_t i = 0; i < f.size(); ++i)
                    if (!std::isfinite(f[i]))
                        f[i] = soft[i];
            }
            m_tiles.emplace_back(part.cost.byRows(), f, part.potentials.g, part.potentials.epsilon);
        }
        return {};
    }

    Index rows() const override { return static_cast<Index>(m_part.size()); }
    Index columns() const override { return m_parts.front().cost.columns(); }

    Result<void> begin(std::span<const Index> rows, const Running&) override
    {
        m_rows = rows;
        return {};
    }

    Result<void> load(Index firstColumn, Index, const Running&) override
    {
        m_firstColumn = firstColumn;
        return {};
    }

    // Rows of one part are worked out together; where parts alternate, in a tile of their own.
    void weights(Index first, const Tile<Real>& tile, double* rowSum) const override
    {
        std::vector<Index> places;
        std::vector<Index> targets;
        std::vector<Real> room;
        std::vector<double> sums;
        for (std::size_t p = 0; p < m_parts.size(); ++p) {
            places.clear();
            targets.clear();
            for (Index i = 0; i < tile.rows; ++i) {
                const Index row = m_rows[at(first + i)];
                if (m_part[at(row)] != static_cast<std::int32_t>(p))
                    continue;
                places.push_back(m_place[at(row)]);
                targets.push_back(i);
            }
            if (places.empty())
                continue;
            if (static_cast<Index>(places.size()) == tile.rows) {
                m_tiles[p].weights(places, m_firstColumn, tile, rowSum);
                return;
            }
            room.resize(places.size() * at(tile.stride));
            sums.assign(places.size(), 0.0);
            const Tile<Real> own{room.data(), static_cast<Index>(places.size()), tile.columns,
                                 tile.stride};
            m_tiles[p].weights(places, m_firstColumn, own, sums.data());
            for (std::size_t k = 0; k < targets.size(); ++k) {
                std::copy_n(room.data() + k * at(tile.stride), tile.columns,
                            tile.values + targets[k] * tile.stride);
                if (rowSum != nullptr)
                    rowSum[targets[k]] += sums[k];
            }
        }
    }

    Result<std::vector<double>> columnSums(const Running& running) override
    {
        std::vector<double> total(at(columns()), 0.0);
        for (const SolvedPart<Real>& part : m_parts) {
            const Potentials& solved = part.potentials;
            auto sums = logSumExp<Real>(part.cost.byColumns(), solved.f, solved.epsilon, running);
            if (!sums)
                return sums;
            for (std::size_t j = 0; j < total.size(); ++j)
                if (std::isfinite(solved.g[j]))
                    total[j] += std::exp(solved.g[j] / solved.epsilon + (*sums)[j]);
        }
        return total;
    }

private:
    const std::vector<SolvedPart<Real>>& m_parts;
    std::vector<PlanTiles<Real>> m_tiles;
    std::vector<std::int32_t> m_part;
    std::vector<std::int32_t> m_place;
    std::span<const Index> m_rows;
    Index m_firstColumn = 0;
};

} // namespace

template <typename Real>
Result<std::unique_ptr<PlanSource<Real>>> planOfPotentials(const std::vector<SolvedPart<Real>>& parts,
                                                           Index rows, DeadRows dead,
                                                           const Running& running)
{
    auto plan = std::make_unique<PotentialPlan<Real>>(parts, rows);
    if (auto done = plan->prepare(dead, running); !done)
        return std::move(done).error();
    return std::unique_ptr<PlanSource<Real>>(std::move(plan));
}

template Result<std::unique_ptr<PlanSource<float>>>
planOfPotentials(const std::vector<SolvedPart<float>>&, Index, DeadRows, const Running&);
template Result<std::unique_ptr<PlanSource<double>>>
planOfPotentials(const std::vector<SolvedPart<double>>&, Index, DeadRows, const Running&);

} // namespace cellfolio::impute
