// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/gene_color.h"

#include "core/query/lexer.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/dataset_summary.h"

#include <algorithm>
#include <cmath>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr Index kSampled = 20'000;

float quantile(std::vector<float>& sample, double share)
{
    const auto place = sample.begin() + static_cast<std::ptrdiff_t>(share * double(sample.size() - 1));
    std::nth_element(sample.begin(), place, sample.end());
    return *place;
}

} // namespace

ColorData geneColor(const GeneValues& gene)
{
    ColorData data;
    data.values = gene.values;
    data.charge = gene.charge;
    data.whole = true;
    data.unread = static_cast<Index>(gene.values->size()) - gene.known;
    Index zeros = 0;
    Index others = 0;
    double lowest = HUGE_VAL;
    double highest = -HUGE_VAL;
    for (Index i = 0; i < gene.known; ++i) {
        const float value = (*gene.values)[at(i)];
        if (value == 0) {
            ++zeros;
            continue;
        }
        if (std::isnan(value)) {
            ++data.missing;
            continue;
        }
        if (std::isinf(value))
            continue;
        ++others;
        lowest = std::min(lowest, double(value));
        highest = std::max(highest, double(value));
        data.whole = data.whole && value == std::floor(value);
    }
    data.zeros = zeros;
    if (others == 0)
        return data; // nothing but zeros: 0 to 0
    std::vector<float> sample;
    const Index stride = std::max<Index>(1, others / kSampled);
    Index met = 0;
    for (Index i = 0; i < gene.known; ++i) {
        const float value = (*gene.values)[at(i)];
        if (value != 0 && std::isfinite(value) && met++ % stride == 0)
            sample.push_back(value);
    }
    data.lowest = lowest;
    data.highest = highest;
    data.low = lowest < 0 ? double(quantile(sample, 0.01)) : lowest;
    data.high = double(quantile(sample, 0.99));
    if (data.high <= data.low) {
        data.low = lowest;
        data.high = highest;
    }
    return data;
}

QString matrixName(const Element& matrix)
{
    return toQString(matrix.path);
}

QString matrixAndUnit(const Element& matrix, const QString& unit)
{
    return unit.isEmpty() ? matrixName(matrix) : matrixName(matrix) + u" ("_s + unit + u')';
}

QString geneExpression(const Dataset& dataset, const Element& matrix, const QString& name)
{
    if (name.isEmpty())
        return {};
    const QString quoted = toQString(quotedText(toStdString(name)));
    if (&matrix == dataset.x())
        return u"gene("_s + quoted + u')';
    if (dataset.raw() != nullptr && &matrix == dataset.raw()->child("X"))
        return u"raw("_s + quoted + u')';
    if (matrix.parent != nullptr && matrix.parent == dataset.root().child("layers"))
        return u"layer("_s + toQString(quotedText(matrix.name)) + u", "_s + quoted + u')';
    return {};
}

std::vector<const Element*> geneMatrices(const Dataset& dataset)
{
    std::vector<const Element*> list;
    for (const Element* matrix : matricesOf(dataset))
        if (matrix->readable && matrix->shape && matrix->shape->size() == 2 && matrix->dtype && isReal(*matrix->dtype)
            && dataset.nObs() && matrix->shape->front() == *dataset.nObs() && genesOf(dataset, *matrix) != nullptr)
            list.push_back(matrix);
    return list;
}

const Element* genesOf(const Dataset& dataset, const Element& matrix)
{
    const Element* names = dataset.namesOf(matrix, 1);
    return names != nullptr && names->kind == ElementKind::Table && names->readable ? names : nullptr;
}

} // namespace cellfolio
