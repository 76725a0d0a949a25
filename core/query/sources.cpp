// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/sources.h"

#include <algorithm>

namespace cellfolio::query {

int Sources::addFixed(const ArrayRef& array, const std::string& path)
{
    for (std::size_t i = 0; i < fixed.size(); ++i) {
        if (fixed[i].array.object == array.object && fixed[i].array.member == array.member)
            return static_cast<int>(i);
    }
    fixed.push_back({array, path});
    return static_cast<int>(fixed.size()) - 1;
}

int Sources::addColumn(ColumnReader reader)
{
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (&columns[i].element() == &reader.element())
            return static_cast<int>(i);
    }
    columns.push_back(std::move(reader));
    return static_cast<int>(columns.size()) - 1;
}

Sources::MatrixPlace Sources::addMatrixColumn(const std::shared_ptr<GeneSource>& source,
                                              Index column)
{
    std::size_t m = 0;
    while (m < matrices.size() && &matrices[m].source->element() != &source->element())
        ++m;
    if (m == matrices.size())
        matrices.push_back({source, {}});
    std::vector<Index>& wanted = matrices[m].columns;
    auto place = std::find(wanted.begin(), wanted.end(), column);
    if (place == wanted.end())
        place = wanted.insert(place, column);
    return {static_cast<int>(m), static_cast<int>(place - wanted.begin())};
}

Needs::Needs(const Sources& sources)
    : fixed(sources.fixed.size()), columns(sources.columns.size())
{
    for (const Sources::Matrix& matrix : sources.matrices)
        matrices.emplace_back(matrix.columns.size());
}

bool Needs::anyFixed() const
{
    return std::find(fixed.begin(), fixed.end(), true) != fixed.end();
}

bool Needs::anyColumn() const
{
    return std::find(columns.begin(), columns.end(), true) != columns.end();
}

bool Needs::anyMatrix() const
{
    return std::any_of(matrices.begin(), matrices.end(), [](const std::vector<bool>& wanted) {
        return std::find(wanted.begin(), wanted.end(), true) != wanted.end();
    });
}

Cost costOf(const Needs& needs)
{
    return needs.anyMatrix() ? Cost::Matrix : needs.anyColumn() ? Cost::Text : Cost::Cheap;
}

} // namespace cellfolio::query
