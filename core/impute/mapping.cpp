// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/mapping.h"

#include "core/base/text.h"
#include "core/impute/blas.h"
#include "core/matrix/matrix_reader.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cellfolio::impute {

namespace {

void say(const MappingOptions& options, const std::string& stage)
{
    if (options.stage)
        options.stage(stage);
}

template <typename Real>
Points<Real> rowsOf(const Points<Real>& points, const std::vector<Index>& rows)
{
    Points<Real> some{static_cast<Index>(rows.size()), points.dimensions, {}};
    some.values.reserve(rows.size() * at(points.dimensions));
    for (Index row : rows)
        some.values.insert(some.values.end(), points[row], points[row] + points.dimensions);
    return some;
}

// The cells of each batch, ascending; all of them where there are none.
std::vector<std::vector<Index>> partsOf(const MappingOptions& options, Index cells)
{
    std::vector<std::vector<Index>> parts(
        std::max(std::size_t{1}, options.batch.empty() ? 0 : options.batchNames.size()));
    for (Index cell = 0; cell < cells; ++cell)
        parts[options.batch.empty() ? 0 : at(options.batch[at(cell)])].push_back(cell);
    std::erase_if(parts, [](const auto& part) { return part.empty(); });
    return parts;
}

template <typename Real>
InnerCost<double> widened(const InnerCost<Real>& cost)
{
    InnerCost<double> wide;
    wide.r = cost.r;
    wide.c = cost.c;
    wide.u.assign(cost.u.begin(), cost.u.end());
    wide.v.assign(cost.v.begin(), cost.v.end());
    wide.inner = cost.inner;
    wide.divisor = cost.divisor;
    return wide;
}

template <typename Real>
class PartSolver
{
public:
    PartSolver(const JointClouds<Real>& clouds, const MappingOptions& options, const Running& running,
               Mapping<Real>& mapping)
        : m_clouds(clouds), m_options(options), m_running(running), m_mapping(mapping)
    {
    }

    Result<void> solve(const std::vector<Index>& rows, const std::vector<double>& allA,
                       const std::vector<double>& b)
    {
        std::vector<double> a;
        for (Index row : rows)
            a.push_back(allA[at(row)]);
        auto weights = weightsOf(a, static_cast<Index>(a.size()), "spatial cells of a batch");
        if (!weights)
            return std::move(weights).error();
        a = std::move(*weights);
        InnerCost<Real> cost = costBetween<Real>(m_options.cost, rowsOf(m_clouds.spatial, rows),
                                                 m_clouds.reference);
        auto scale = scaleOf<Real>(cost, m_options.scale, m_running);
        if (!scale)
            return std::move(scale).error();
        cost.scale(*scale);
        if (m_options.rank > 0)
            return lowRank(cost, a, b);
        SolvedPart<Real> part;
        part.rows = rows;
        if (auto done = m_options.alpha ? fused(rows, std::move(cost), a, b, part)
                                        : linear(std::move(cost), a, b, part);
            !done)
            return done;
        return describe(std::move(part), a);
    }

private:
    SinkhornOptions sinkhornOptions() const
    {
        SinkhornOptions options = m_options.sinkhorn;
        options.annealing = options.annealing || options.epsilon < 0.005;
        options.report = m_options.report;
        return options;
    }

    Result<void> linear(InnerCost<Real> cost, const std::vector<double>& a,
                        const std::vector<double>& b, SolvedPart<Real>& part)
    {
        auto solved = sinkhorn<Real>(cost, a, b, sinkhornOptions(), m_running);
        if (!solved)
            return std::move(solved).error();
        part.potentials = std::move(*solved);
        part.cost = std::move(cost);
        return {};
    }

    Result<void> fused(const std::vector<Index>& rows, InnerCost<Real> cost,
                       const std::vector<double>& a, const std::vector<double>& b,
                       SolvedPart<Real>& part)
    {
        auto source = SelfCost::of(rowsOf(*m_clouds.spatialStructure, rows), "the spatial file");
        if (!source)
            return std::move(source).error();
        auto target = SelfCost::of(*m_clouds.referenceStructure, "the reference");
        if (!target)
            return std::move(target).error();
        FusedOptions fused;
        fused.alpha = *m_options.alpha;
        if (m_options.report)
            fused.report = [this](Index, Index iteration, double error) {
                m_options.report(iteration, error);
            };
        auto solved = fusedGromovWasserstein<Real>(*source, *target,
                                                   fused.alpha >= 1 ? nullptr : &cost, a, b, fused,
                                                   sinkhornOptions(), m_running);
        if (!solved)
            return std::move(solved).error();
        part.potentials = std::move(solved->potentials);
        part.potentials.converged = part.potentials.converged && solved->settled;
        part.cost = std::move(solved->cost);
        return {};
    }

    Result<void> lowRank(const InnerCost<Real>& cost, const std::vector<double>& a,
                         const std::vector<double>& b)
    {
        const auto isZero = [](double weight) { return !(weight > 0); };
        if (std::any_of(a.begin(), a.end(), isZero) || std::any_of(b.begin(), b.end(), isZero))
            return Error(ErrorCode::Refused, "A low-rank coupling wants weights above 0.")
                .advise("Leave out cells without weight.");
        const InnerCost<double> wide = widened(cost);
        LowRankOptions low;
        low.projectionThreshold = 1e-8;
        low.projectionMost = 1000;
        low.mostSteps = std::min(Index{200}, m_options.sinkhorn.maxIterations);
        low.threshold = m_options.sinkhorn.threshold;
        low.report = m_options.report;
        auto start = lowRankStart(a, b, m_options.rank, m_options.seed, m_running);
        if (!start)
            return std::move(start).error();
        auto solved = lowRankTransport(wide, a, b, std::move(*start), low, m_running);
        if (!solved)
            return std::move(solved).error();
        MappingFigures& figures = m_mapping.figures;
        figures.iterations = solved->steps;
        figures.error = solved->change;
        figures.converged = solved->converged;
        figures.cost = solved->values.empty() ? 0 : solved->values.back();
        figures.mass = 1;
        m_mapping.factors = std::move(solved->factors);
        return {};
    }

    Result<void> describe(SolvedPart<Real> part, const std::vector<double>& a)
    {
        MappingFigures& figures = m_mapping.figures;
        const Potentials& solved = part.potentials;
        auto described = figuresOf<Real>(part.cost, solved, m_running);
        if (!described)
            return std::move(described).error();
        // Balanced rows hold to rounding; others are worked out.
        if (m_options.sinkhorn.tauA >= 1) {
            part.rowSums = a;
        } else {
            auto sums = marginalsOf<Real>(part.cost, solved, m_running);
            if (!sums)
                return std::move(sums).error();
            part.rowSums = std::move(sums->rows);
        }
        if (figures.history.empty())
            figures.history = solved.history;
        const double share = static_cast<double>(part.rows.size())
                           / static_cast<double>(m_clouds.spatial.count);
        figures.iterations += solved.iterations;
        figures.error = std::max(figures.error, solved.error);
        figures.converged = figures.converged && solved.converged;
        figures.cost += share * described->transportCost;
        figures.mass += share * described->mass;
        figures.perplexity += share * described->perplexity;
        m_mapping.parts.push_back(std::move(part));
        return {};
    }

    const JointClouds<Real>& m_clouds;
    const MappingOptions& m_options;
    const Running& m_running;
    Mapping<Real>& m_mapping;
};

} // namespace

Result<std::vector<double>> weightsOf(const std::vector<double>& given, Index count,
                                      const std::string& what)
{
    std::vector<double> weights = given;
    if (given.empty())
        weights.assign(at(count), 1.0);
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
            return Error(ErrorCode::Refused, "The weight of cell " + std::to_string(i) + " of the " + what
                                                 + " is " + exactText(weights[i])
                                                 + "; weights are numbers from 0 on.");
        sum += weights[i];
    }
    if (!(sum > 0))
        return Error(ErrorCode::Refused, "No weight of the " + what + " is above 0.");
    for (double& weight : weights)
        weight /= sum;
    return weights;
}

template <typename Real>
Result<void> solveClouds(JointClouds<Real> clouds, const MappingOptions& options,
                         const Running& running, Mapping<Real>& mapping)
{
    if (clouds.spatial.dimensions != clouds.reference.dimensions)
        return Error(ErrorCode::Refused,
                     "The embedding has " + grouped(clouds.spatial.dimensions)
                         + " columns in the spatial file and " + grouped(clouds.reference.dimensions)
                         + " in the reference.");
    mapping.features = clouds.spatial.dimensions;
    auto a = weightsOf(options.spatialWeights, clouds.spatial.count, "spatial cells");
    if (!a)
        return std::move(a).error();
    auto b = weightsOf(options.referenceWeights, clouds.reference.count, "reference cells");
    if (!b)
        return std::move(b).error();
    PartSolver<Real> solver(clouds, options, running, mapping);
    const auto parts = partsOf(options, clouds.spatial.count);
    if (options.rank > 0 && parts.size() > 1)
        return Error(ErrorCode::BadUsage, "A low-rank coupling is of all cells together, not of batches.");
    for (std::size_t k = 0; k < parts.size(); ++k) {
        say(options, parts.size() > 1 ? "Solving batch " + std::to_string(k + 1) + " of "
                                            + std::to_string(parts.size())
                                      : "Solving the transport");
        if (auto done = solver.solve(parts[k], *a, *b); !done)
            return done;
    }
    if (!mapping.figures.converged)
        mapping.warnings.push_back(
            "The iteration did not converge: the error is " + exactText(static_cast<float>(mapping.figures.error))
            + " after " + counted(mapping.figures.iterations, "step", "steps")
            + ". The best potentials were kept; a larger epsilon or more iterations help.");
    return {};
}

template <typename Real>
Result<Mapping<Real>> solveMapping(const MappingSide& spatial, const MappingSide& reference,
                                   const MappingOptions& options, const std::shared_ptr<Reading>& reading,
                                   const Running& running)
{
    if (auto prepared = prepareProducts(); !prepared)
        return std::move(prepared).error();
    Mapping<Real> mapping;
    JointClouds<Real> clouds;
    if (spatial.cells.empty() || reference.cells.empty())
        return Error(ErrorCode::Refused, "No cell is left on one side of the mapping.");
    if (options.features.obsm.empty()) {
        say(options, "Matching genes");
        auto shared = shareGenes(spatial, reference, options.features, reading, running.stop);
        if (!shared)
            return std::move(shared).error();
        mapping.genes = shared->match.names;
        mapping.warnings = shared->warnings;
        mapping.referenceLog1p = shared->referenceLog1p;
        std::vector<Index> all(at(shared->match.size()));
        std::iota(all.begin(), all.end(), Index{0});
        say(options, "Making the joint space");
        auto points = embedGenes<Real>(spatial, reference, *shared, all, options.features, reading,
                                       running, options.progress);
        if (!points)
            return std::move(points).error();
        clouds.spatial = std::move((*points)[0]);
        clouds.reference = std::move((*points)[1]);
    } else {
        auto here = storedPoints<Real>(spatial.dataset, options.features.obsm, spatial.cells, reading,
                                       running.stop);
        if (!here)
            return std::move(here).error();
        auto there = storedPoints<Real>(reference.dataset, options.features.obsm, reference.cells,
                                        reading, running.stop);
        if (!there)
            return std::move(there).error();
        clouds.spatial = std::move(*here);
        clouds.reference = std::move(*there);
        if (reference.matrix != nullptr) {
            auto choice = chooseNormalize(options.features.normalize, reference.dataset,
                                          *reference.matrix, reading, running.stop);
            if (!choice)
                return std::move(choice).error();
            mapping.referenceLog1p = choice->log1p;
        }
    }
    if (options.alpha) {
        say(options, "Making the structures");
        auto structure = storedPoints<double>(spatial.dataset, options.spatialKey, spatial.cells,
                                              reading, running.stop);
        if (!structure)
            return std::move(structure).error();
        clouds.spatialStructure = std::move(*structure);
        auto alone = embedAlone(reference, mapping.referenceLog1p, options.features, reading, running);
        if (!alone)
            return std::move(alone).error();
        clouds.referenceStructure = std::move(*alone);
    }
    if (auto done = solveClouds(std::move(clouds), options, running, mapping); !done)
        return std::move(done).error();
    return mapping;
}

#define CELLFOLIO_MAPPING_OF(Real)                                                                 \
    template Result<void> solveClouds(JointClouds<Real>, const MappingOptions&, const Running&,    \
                                      Mapping<Real>&);                                             \
    template Result<Mapping<Real>> solveMapping(const MappingSide&, const MappingSide&,            \
                                                const MappingOptions&,                             \
                                                const std::shared_ptr<Reading>&, const Running&);
CELLFOLIO_MAPPING_OF(float)
CELLFOLIO_MAPPING_OF(double)
#undef CELLFOLIO_MAPPING_OF

} // namespace cellfolio::impute
