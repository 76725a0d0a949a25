// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/embedding_check.h"

#include "core/anndata/rules.h"
#include "core/base/text.h"
#include "core/matrix/matrix_reader.h"
#include "core/validate/content_rules.h"
#include "core/validate/place_list.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cellfolio {

namespace {

constexpr Index kBlockValues = Index{256} << 10;

} // namespace

Result<std::vector<Finding>> checkEmbedding(const std::shared_ptr<const Dataset>& dataset,
                                            const Element& embedding,
                                            const std::shared_ptr<Reading>& reading,
                                            std::stop_token stop)
{
    Result<std::shared_ptr<const MatrixReader>> opened =
        MatrixReader::open(dataset, embedding, reading);
    if (!opened)
        return std::move(opened).error();
    const MatrixReader& reader = **opened;
    const Index rows = reader.rows();
    const Index columns = reader.columns();
    if (!isFloat(reader.dtype()) || rows == 0 || columns == 0)
        return std::vector<Finding>();

    PlaceList nan;
    PlaceList infinite;
    Index broken = 0; // rows with a value that is not finite
    std::vector<std::uint8_t> seen(at(columns), 0); // a value that is not NaN
    const Index step = std::max(Index{1}, kBlockValues / columns);
    for (Index first = 0; first < rows; first += step) {
        const Index count = std::min(step, rows - first);
        Result<Values> block = reader.block(Selection::of(rows, {first, 1, count}),
                                            Selection::all(columns), stop);
        if (!block)
            return std::move(block).error();
        for (Index row = 0; row < count; ++row) {
            bool finite = true;
            for (Index column = 0; column < columns; ++column) {
                const double value = block->number(row * columns + column);
                finite = finite && std::isfinite(value);
                if (!std::isnan(value))
                    seen[at(column)] = 1;
                if (std::isfinite(value))
                    continue;
                PlaceList& list = std::isnan(value) ? nan : infinite;
                list.meet((first + row) * columns + column, [&] {
                    FindingPlace place;
                    place.row = first + row;
                    place.column = column;
                    place.value = block->text(row * columns + column);
                    return place;
                });
            }
            if (!finite)
                ++broken;
        }
    }
    std::vector<FindingPlace> empty;
    for (Index column = 0; column < columns; ++column)
        if (seen[at(column)] == 0)
            empty.emplace_back().column = column;
    std::vector<Finding> found;
    const auto say = [&](const char* id, const PlaceList& places, const char* what) {
        if (places.count() == 0)
            return;
        found.push_back(ruleFinding(id, embedding.path,
                                    counted(places.count(), "value", "values") + " of "
                                        + inQuotes(embedding.path)
                                        + (places.count() == 1 ? " is " : " are ") + what + "."));
        found.back().count = places.count();
        found.back().places = places.first();
    };
    say("B001", nan, "\"not a number\" (NaN)");
    say("B002", infinite, "infinite");
    if (infinite.count() == 0 && empty.empty())
        return found;

    std::string message = counted(broken, "row", "rows") + " of "
                          + inQuotes(embedding.path) + " "
                          + (broken == 1 ? "has" : "have") + " a value that is not finite";
    if (!empty.empty())
        message += "; column " + exactText(*empty.front().column) + " has no number at all";
    Finding finding = ruleFinding("B019", embedding.path, message + ".");
    finding.count = infinite.count() + static_cast<Index>(empty.size());
    finding.places = infinite.first();
    finding.places.insert(finding.places.end(), empty.begin(), empty.end());
    if (finding.places.size() > 20)
        finding.places.resize(20);
    found.push_back(std::move(finding));
    return found;
}

} // namespace cellfolio
