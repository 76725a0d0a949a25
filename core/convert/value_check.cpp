// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/convert/value_check.h"

#include "core/base/text.h"
#include "core/matrix/convert_values.h"
#include "core/matrix/dense_stream.h"
#include "core/matrix/sparse_source.h"
#include "core/paging/scan.h"

#include <algorithm>
#include <cstring>

namespace cellfolio {

namespace {

constexpr std::size_t kPlaces = 20;
constexpr Index kPointerWindow = Index{1} << 16;

std::string textOf(DType type, const std::byte* value)
{
    Values one(type, 1);
    std::memcpy(one.data(), value, sizeOf(type));
    return one.text(0);
}

struct Found {
    Index order = 0; // among all values
    std::string value;
};

// The first places that one thread met.
struct Own {
    Index count = 0;
    std::vector<Found> first; // ascending

    void add(Index order, DType type, const std::byte* value)
    {
        ++count;
        if (first.size() == kPlaces && order >= first.back().order)
            return;
        const auto behind = std::upper_bound(first.begin(), first.end(), order,
                                             [](Index o, const Found& found) { return o < found.order; });
        first.insert(behind, {order, textOf(type, value)});
        if (first.size() > kPlaces)
            first.pop_back();
    }
};

std::pair<Index, std::vector<Found>> merged(const std::vector<Own>& owns)
{
    Index count = 0;
    std::vector<Found> all;
    for (const Own& own : owns) {
        count += own.count;
        all.insert(all.end(), own.first.begin(), own.first.end());
    }
    std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.order < b.order; });
    all.resize(std::min(all.size(), kPlaces));
    return {count, std::move(all)};
}

Result<ChangedValues> checkSparse(const SparseSource& source, DType to, Reading& reading, std::stop_token stop,
                                  Progress* progress)
{
    // What lies behind the last pointer belongs to no line.
    Index end = 0;
    if (source.lines() > 0) {
        auto last = source.pointers(source.lines() - 1, 1, stop);
        if (!last)
            return std::move(last).error();
        end = std::clamp<Index>(last->back(), 0, source.stored());
    }
    const std::vector<ArrayRef> arrays{source.data()};
    ScanOptions options;
    options.stop = stop;
    if (progress != nullptr)
        options.progress = [progress](Index count) { progress->advance(count); };
    const ScanPlan plan = planScan(arrays, 0, end, reading, options);
    std::vector<Own> owns(static_cast<std::size_t>(std::max(1, plan.threads)));
    const DType from = source.dtype();
    auto done = scan(arrays, source.path(), reading, plan, options, [&](const ScanBlock& block) -> Result<void> {
        Own& own = owns[at(Index{block.worker})];
        findChanged(from, block.bytes[0].data(), block.count, to, [&](Index i) {
            own.add(block.first + i, from, block.bytes[0].data() + at(i) * sizeOf(from));
        });
        return {};
    });
    if (!done)
        return std::move(done).error();
    auto [count, first] = merged(owns);
    ChangedValues changed{count, {}};
    // Their lines, by a walk over the pointers that ends with the last of them.
    std::size_t next = 0;
    for (Index line = 0; line < source.lines() && next < first.size(); line += kPointerWindow) {
        const Index lines = std::min(kPointerWindow, source.lines() - line);
        auto bounds = source.pointers(line, lines, stop);
        if (!bounds)
            return std::move(bounds).error();
        for (; next < first.size() && first[next].order < bounds->back(); ++next) {
            const Index entry = first[next].order;
            const Index own = line + (std::upper_bound(bounds->begin(), bounds->end(), entry) - bounds->begin()) - 1;
            std::vector<Index> index;
            if (auto read = source.readIndices(entry, 1, index, stop); !read)
                return std::move(read).error();
            FindingPlace place;
            place.row = source.byRows() ? own : index.front();
            place.column = source.byRows() ? index.front() : own;
            place.value = first[next].value;
            changed.places.push_back(std::move(place));
        }
    }
    return changed;
}

} // namespace

std::string ChangedValues::sentence(const std::string& path, DType to, const char* verb) const
{
    constexpr std::size_t kTold = 3;
    std::string text = counted(count, "value", "values") + " of \"" + path + "\" " + verb + " as "
                     + std::string(nameOf(to)) + ":";
    for (std::size_t k = 0; k < std::min(kTold, places.size()); ++k) {
        const FindingPlace& place = places[k];
        text += std::string(k == 0 ? " " : ", ") + place.value + " in row " + exactText(place.row.value_or(0)) + ", column "
              + exactText(place.column.value_or(0));
    }
    return text + (count > static_cast<Index>(kTold) ? ", …" : ".");
}

Result<ChangedValues> checkValues(const std::shared_ptr<const Dataset>& dataset, const Element& matrix, DType to,
                                  const std::shared_ptr<Reading>& reading, std::stop_token stop, Progress* progress)
{
    if (!matrix.dtype || alwaysExact(*matrix.dtype, to))
        return ChangedValues{};
    if (matrix.isSparse()) {
        auto source = SparseSource::open(dataset, matrix, reading);
        if (!source)
            return std::move(source).error();
        return checkSparse(*source, to, *reading, std::move(stop), progress);
    }
    auto stream = DenseStream::open(dataset, matrix, reading, {}, {});
    if (!stream)
        return std::move(stream).error();
    const bool byColumns = stream->byColumns();
    const Index rows = byColumns ? stream->width() : stream->lines();
    const Index columns = byColumns ? stream->lines() : stream->width();
    if (rows == 0 || columns == 0)
        return ChangedValues{};
    std::vector<Own> owns(static_cast<std::size_t>(std::max(1, stream->workers())));
    const DType from = *matrix.dtype;
    auto done = stream->run(std::move(stop), progress, [&](const DenseBatch& batch) -> Result<void> {
        Own& own = owns[at(Index{batch.worker})];
        findChanged(from, batch.values, batch.count(), to, [&](Index i) {
            const Index line = batch.firstLine + i / batch.width;
            const Index column = batch.firstColumn + i % batch.width;
            own.add(byColumns ? column * columns + line : line * columns + column, from,
                    batch.values + at(i) * sizeOf(from));
        });
        return {};
    });
    if (!done)
        return std::move(done).error();
    auto [count, first] = merged(owns);
    ChangedValues changed{count, {}};
    for (Found& found : first) {
        FindingPlace place;
        place.row = found.order / columns;
        place.column = found.order % columns;
        place.value = std::move(found.value);
        changed.places.push_back(std::move(place));
    }
    return changed;
}

} // namespace cellfolio
