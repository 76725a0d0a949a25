// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/run/memory_budget.h"
#include "core/select/selection.h"
#include "widgets/bridge/model_context.h"

#include <QtCore/QString>
#include <QtCore/QStringList>
#include <QtGui/QColor>

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace cellfolio {

// Everything in obsm that can be drawn: numeric arrays of cells × 2 or more, dense, and tables with
// two numeric columns; in the file's order.
std::vector<const Element*> embeddingsOf(const Dataset& dataset);
// The one to show first, by name: umap, tsne, spatial, pca; else the first. Null: there is none.
const Element* firstEmbedding(const std::vector<const Element*>& embeddings);
// "UMAP" for X_umap, "spatial" for spatial; axis k is then "UMAP 1".
QString axisName(const Element& embedding);

// Coordinates of all cells, charged to the budget as long as they live.
struct EmbeddingData {
    std::shared_ptr<const std::vector<float>> x;
    std::shared_ptr<const std::vector<float>> y;
    std::shared_ptr<MemoryReservation> charge;
};
// Streams the first two columns past the page cache. OutOfBudget when 8 bytes a cell do not fit.
Result<EmbeddingData> readEmbedding(const std::shared_ptr<const Dataset>& dataset,
                                    const Element& embedding, const std::shared_ptr<Reading>& reading,
                                    std::stop_token stop = {});

// How all cells are coloured by one obs column.
struct ColorData {
    bool categories = false;
    // Categories: codes (>= size of colors: missing), names and counts of the first kMostNames.
    std::shared_ptr<const std::vector<std::uint32_t>> codes;
    std::vector<QColor> colors;
    std::vector<std::string> names;
    std::vector<Index> counts;
    // Numbers: values (NaN: missing), their range and the one to show (1st, 99th percentile).
    std::shared_ptr<const std::vector<float>> values;
    double lowest = 0;
    double highest = 0;
    double low = 0;
    double high = 0;
    bool whole = false;
    Index missing = 0;
    // A gene: cells at 0 are told apart, and while it is read those it has not reached.
    std::optional<Index> zeros;
    Index unread = 0;
    std::shared_ptr<MemoryReservation> charge;

    static constexpr Index kMostNames = 5000;
};
// What a colour counts among some of the cells; `rows` of the file.
struct ColorCounts {
    std::vector<Index> counts; // of each category
    Index missing = 0;
    Index zeros = 0;
};
ColorCounts countColors(const ColorData& color, const Selection& rows);
// Columns that can colour: categorical, boolean, numeric, text (up to kMostNames different ones).
bool canColor(const Element& column);
Result<ColorData> readColor(const std::shared_ptr<const Dataset>& dataset, const Element& column,
                            const QColor& others, const std::shared_ptr<Reading>& reading,
                            std::stop_token stop = {});

} // namespace cellfolio
