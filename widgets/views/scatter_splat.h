// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/views/scatter_index.h"
#include "widgets/views/scatter_keys.h"

#include <QtCore/QSize>
#include <QtGui/QImage>

#include <atomic>
#include <functional>

namespace cellfolio
{

// One picture of the points. Everything it refers to must outlive the call; any thread.
struct SplatTask {
    const std::vector<float>* x = nullptr;
    const std::vector<float>* y = nullptr;
    const ScatterKeys* keys = nullptr;
    const ScatterGrid* grid = nullptr; // may be null: then every point is looked at
    ScatterTransform transform;        // data to device pixels
    QSize size;                        // device pixels
    double diameter = 1;               // device pixels
    double pixelRatio = 1;
    QRgb base = 0xffffffff;
    std::size_t stride = 1; // every stride-th point
    int threads = 1;
    // Asked every few thousand points; true ends it.
    std::function<bool()> stopped;
};

// Points from 2.5 device pixels on are smooth discs (with a rim of the base colour from 5 logical
// pixels on), as long as there are few enough in view; all others are whole pixels, of which the
// one with the largest key wins. A null image when it was stopped.
QImage splat(const SplatTask& task);

} // namespace cellfolio
