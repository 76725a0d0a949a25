// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/scatter_names.h"

#include <algorithm>
#include <cmath>

namespace cellfolio
{

namespace
{

constexpr std::size_t kLooked = 400'000; // points looked at
constexpr std::size_t kEach = 2'000;     // points kept of a category

float median(std::vector<float>& values)
{
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace

std::vector<ScatterLabel> placeLabels(const ScatterPoints& points,
                                      const ScatterCategories& categories, const QStringList& names,
                                      const IndexSet* inside)
{
    const auto count = std::min(std::size_t(names.size()), categories.colors.size());
    std::vector<std::vector<float>> xs(count);
    std::vector<std::vector<float>> ys(count);
    const auto n = std::min(std::size_t(points.size()), categories.codes->size());
    const std::size_t step = std::max<std::size_t>(1, n / kLooked);
    for (std::size_t i = 0; i < n; i += step) {
        if (inside && !inside->contains(Index(i)))
            continue;
        const std::uint32_t code = (*categories.codes)[i];
        const float x = (*points.x)[i];
        const float y = (*points.y)[i];
        if (code >= count || !std::isfinite(x) || !std::isfinite(y) || xs[code].size() >= kEach)
            continue;
        xs[code].push_back(x);
        ys[code].push_back(y);
    }
    std::vector<ScatterLabel> labels;
    for (std::size_t code = 0; code < count; ++code) {
        if (!xs[code].empty())
            labels.push_back({names[qsizetype(code)], QPointF(median(xs[code]), median(ys[code]))});
    }
    return labels;
}

} // namespace cellfolio
