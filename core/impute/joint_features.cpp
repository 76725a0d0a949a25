// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/joint_features.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"
#include "core/matrix/matrix_reader.h"

#include <algorithm>
#include <cmath>

namespace cellfolio::impute {

namespace {

constexpr Index kFewGenes = 20;
constexpr Index kPointRows = 4096; // of a stored embedding, read at once

std::vector<Index> positionsOf(const Selection& genes, const std::vector<Index>& numbers)
{
    std::vector<Index> positions;
    positions.reserve(numbers.size());
    for (Index number : numbers)
        positions.push_back(genes[number]);
    return positions;
}

std::vector<Index> picked(const std::vector<Index>& list, const std::vector<Index>& numbers)
{
    std::vector<Index> result;
    result.reserve(numbers.size());
    for (Index number : numbers)
        result.push_back(list[at(number)]);
    return result;
}

} // namespace

Result<SharedGenes> shareGenes(const MappingSide& spatial, const MappingSide& reference,
                               const FeatureOptions& options, const std::shared_ptr<Reading>& reading,
                               std::stop_token stop)
{
    const auto namesOf = [&](const MappingSide& side) {
        return geneNames(side.dataset, *side.matrix, options.genesBy, side.genes, reading, stop);
    };
    auto here = namesOf(spatial);
    if (!here)
        return std::move(here).error();
    auto there = namesOf(reference);
    if (!there)
        return std::move(there).error();
    auto match = matchGenes(*here, *there, options.nameCase);
    if (!match)
        return std::move(match).error();
    SharedGenes shared;
    shared.spatial = positionsOf(spatial.genes, match->spatial);
    shared.reference = positionsOf(reference.genes, match->reference);
    shared.match = std::move(*match);

    const auto chooseFor = [&](const MappingSide& side) {
        return chooseNormalize(options.normalize, side.dataset, *side.matrix, reading, stop);
    };
    auto ofSpatial = chooseFor(spatial);
    if (!ofSpatial)
        return std::move(ofSpatial).error();
    auto ofReference = chooseFor(reference);
    if (!ofReference)
        return std::move(ofReference).error();
    shared.spatialLog1p = ofSpatial->log1p;
    shared.referenceLog1p = ofReference->log1p;
    if (options.normalize == Normalize::Auto && shared.spatialLog1p != shared.referenceLog1p) {
        const auto text = [](const NormalizeChoice& choice) {
            const std::string held = choice.holds.text();
            return held.empty() ? std::string("nothing that could be told") : held;
        };
        shared.warnings.push_back("The spatial matrix holds " + text(*ofSpatial)
                                  + ", the reference " + text(*ofReference)
                                  + ": only the counts are normalised.");
    }
    if (shared.match.size() < kFewGenes)
        shared.warnings.push_back("Only " + counted(shared.match.size(), "gene is", "genes are")
                                  + " shared; a mapping wants at least "
                                  + std::to_string(kFewGenes) + ".");
    if (shared.match.onlyIgnoringCase > 0)
        shared.warnings.push_back(counted(shared.match.onlyIgnoringCase, "more gene", "more genes")
                                  + " would match if case were ignored.");
    return shared;
}

ExpressionRequest expressionOf(const MappingSide& side, const SharedGenes& shared, SideOf of,
                               const std::vector<Index>& chosen, const std::vector<Index>& total,
                               const std::filesystem::path& scratch)
{
    const std::vector<Index>& positions = of == SideOf::Spatial ? shared.spatial : shared.reference;
    const Index extent = side.genes.extent();
    ExpressionRequest request;
    request.dataset = side.dataset;
    request.matrix = side.matrix;
    request.cells = side.cells;
    request.genes = Selection::indices(extent, picked(positions, chosen));
    request.log1p = of == SideOf::Spatial ? shared.spatialLog1p : shared.referenceLog1p;
    request.totalOver = Selection::indices(extent, picked(positions, total));
    request.scratch = scratch;
    return request;
}

template <typename Real>
Result<std::vector<Points<Real>>> embedGenes(const MappingSide& spatial, const MappingSide& reference,
                                             const SharedGenes& shared,
                                             const std::vector<Index>& chosen,
                                             const FeatureOptions& options,
                                             const std::shared_ptr<Reading>& reading,
                                             const Running& running, Progress* progress)
{
    auto here = openExpression<double>(
        expressionOf(spatial, shared, SideOf::Spatial, chosen, chosen, options.scratch), reading,
        running.stop);
    if (!here)
        return std::move(here).error();
    auto there = openExpression<double>(
        expressionOf(reference, shared, SideOf::Reference, chosen, chosen, options.scratch), reading,
        running.stop);
    if (!there)
        return std::move(there).error();
    EmbeddingOptions embedding;
    embedding.components = options.components;
    embedding.seed = options.seed;
    embedding.progress = progress;
    // The covariance must leave room for everything else.
    const Index genes = static_cast<Index>(chosen.size());
    if (embeddingBytes(genes, embedding) > reading->budget().limit() / 2)
        embedding.mostExactGenes = 0;
    return jointEmbedding<Real>({here->get(), there->get()}, embedding, running);
}

template <typename Real>
Result<Points<Real>> storedPoints(const std::shared_ptr<const Dataset>& dataset, const std::string& key,
                                  const Selection& cells, const std::shared_ptr<Reading>& reading,
                                  std::stop_token stop)
{
    const std::string path = "obsm/" + key;
    auto element = dataset->find(path);
    if (!element)
        return std::move(element).error();
    auto reader = MatrixReader::open(dataset, **element, reading);
    if (!reader)
        return std::move(reader).error();
    if (!isReal((*reader)->dtype()))
        return Error(ErrorCode::Refused, path + " holds no real numbers.").at(path);
    Points<Real> points{cells.size(), (*reader)->columns(), {}};
    points.values.reserve(at(points.count * points.dimensions));
    Index odd = 0;
    Index last = -1;
    std::vector<Index> first;
    const Selection columns = Selection::all(points.dimensions);
    for (Index row = 0; row < cells.size(); row += kPointRows) {
        auto block = (*reader)->block(cells.part(row, std::min(kPointRows, cells.size() - row)),
                                      columns, stop);
        if (!block)
            return std::move(block).error();
        for (Index k = 0; k < block->size(); ++k) {
            const double value = block->number(k);
            points.values.push_back(static_cast<Real>(value));
            if (!std::isfinite(value)) {
                const Index cell = row + k / points.dimensions;
                if (cell != last) {
                    ++odd;
                    if (first.size() < 3)
                        first.push_back(cell);
                }
                last = cell;
            }
        }
    }
    if (odd > 0) {
        std::string names;
        if (const Element* table = dataset->obs(); table != nullptr)
            for (std::size_t k = 0; k < first.size(); ++k) {
                auto name = readNames(dataset, *table, cells.part(first[k], 1), reading, stop);
                if (name && !name->empty())
                    names += (k > 0 ? ", " : "") + name->front();
            }
        return Error(ErrorCode::Refused, counted(odd, "cell has", "cells have") + " values in " + path
                                             + " that are no finite numbers: " + names + ".")
            .at(path)
            .advise("Leave these cells out.");
    }
    return points;
}

Result<Points<double>> embedAlone(const MappingSide& side, bool log1p, const FeatureOptions& options,
                                  const std::shared_ptr<Reading>& reading, const Running& running)
{
    ExpressionRequest request;
    request.dataset = side.dataset;
    request.matrix = side.matrix;
    request.cells = side.cells;
    request.genes = side.genes;
    request.log1p = log1p;
    request.scratch = options.scratch;
    auto rows = openExpression<double>(request, reading, running.stop);
    if (!rows)
        return std::move(rows).error();
    EmbeddingOptions embedding;
    embedding.components = options.components;
    embedding.seed = options.seed;
    if (embeddingBytes(side.genes.size(), embedding) > reading->budget().limit() / 2)
        embedding.mostExactGenes = 0;
    auto points = jointEmbedding<double>({rows->get()}, embedding, running);
    if (!points)
        return std::move(points).error();
    return std::move(points->front());
}

#define CELLFOLIO_FEATURES_OF(Real)                                                                \
    template Result<std::vector<Points<Real>>> embedGenes(                                         \
        const MappingSide&, const MappingSide&, const SharedGenes&, const std::vector<Index>&,     \
        const FeatureOptions&, const std::shared_ptr<Reading>&, const Running&, Progress*);        \
    template Result<Points<Real>> storedPoints(const std::shared_ptr<const Dataset>&,              \
                                               const std::string&, const Selection&,               \
                                               const std::shared_ptr<Reading>&, std::stop_token);
CELLFOLIO_FEATURES_OF(float)
CELLFOLIO_FEATURES_OF(double)
#undef CELLFOLIO_FEATURES_OF

} // namespace cellfolio::impute
