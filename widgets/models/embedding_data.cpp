// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/embedding_data.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"
#include "core/paging/scan.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/category_colors.h"
#include "widgets/models/element_text.h"
#include "widgets/style/palettes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

Result<std::shared_ptr<MemoryReservation>> charge(Reading& reading, Index bytes)
{
    auto room = reading.budget().reserve(MemoryTag::Plot, bytes);
    if (!room)
        return std::move(room).error();
    return std::make_shared<MemoryReservation>(std::move(*room));
}

// Streams `arrays[0]` (rows of `width` values) and calls take(row, pointer to the first value of T).
template <typename Take>
Result<void> scanRows(const std::vector<ArrayRef>& arrays, const std::string& path, Index rows,
                      Reading& reading, std::stop_token stop, Take&& take)
{
    ScanOptions options;
    options.stop = stop;
    const ScanPlan plan = planScan(arrays, 0, rows, reading, options);
    return scan(arrays, path, reading, plan, options, [&](const ScanBlock& block) -> Result<void> {
        visitReal(arrays[0].dtype(), [&]<typename T>(const T*) {
            const T* values = reinterpret_cast<const T*>(block.bytes[0].data());
            take(block, values);
        });
        return {};
    });
}

bool isMasked(const ScanBlock& block, Index i)
{
    return block.bytes.size() > 1 && static_cast<std::uint8_t>(block.bytes[1][at(i)]) != 0;
}

Result<std::shared_ptr<const std::vector<float>>> readFloats(const Element& column, Index rows,
                                                             Reading& reading, std::stop_token stop)
{
    auto values = std::make_shared<std::vector<float>>(at(rows), kNone);
    std::vector<ArrayRef> arrays{column.values};
    if (column.mask)
        arrays.push_back(column.mask);
    auto scanned = scanRows(arrays, column.path, rows, reading, stop, [&](const ScanBlock& block, auto* from) {
        for (Index i = 0; i < block.count; ++i)
            if (!isMasked(block, i))
                (*values)[at(block.first + i)] = static_cast<float>(toDouble(from[i]));
    });
    if (!scanned)
        return std::move(scanned).error();
    return std::shared_ptr<const std::vector<float>>(std::move(values));
}

Result<ColorData> colorByNumber(const Element& column, const std::shared_ptr<Reading>& reading,
                                std::stop_token stop)
{
    const Index rows = column.values.length();
    auto room = charge(*reading, rows * 4);
    if (!room)
        return std::move(room).error();
    auto values = readFloats(column, rows, *reading, stop);
    if (!values)
        return std::move(values).error();
    ColorData data;
    data.charge = std::move(*room);
    data.values = *values;
    data.whole = true;
    // Percentiles from at most 200 000 of them: they only choose where the colours end.
    std::vector<float> sample;
    const Index stride = std::max<Index>(1, rows / 200'000);
    double lowest = HUGE_VAL;
    double highest = -HUGE_VAL;
    for (Index i = 0; i < rows; ++i) {
        const float value = (*data.values)[at(i)];
        if (std::isnan(value)) {
            ++data.missing;
            continue;
        }
        if (std::isinf(value))
            continue;
        lowest = std::min(lowest, double(value));
        highest = std::max(highest, double(value));
        data.whole = data.whole && value == std::floor(value);
        if (i % stride == 0)
            sample.push_back(value);
    }
    if (lowest > highest)
        return data;
    data.lowest = lowest;
    data.highest = highest;
    data.low = lowest;
    data.high = highest;
    if (sample.size() > 1) {
        std::sort(sample.begin(), sample.end());
        data.low = sample[static_cast<std::size_t>(0.01 * double(sample.size() - 1))];
        data.high = sample[static_cast<std::size_t>(0.99 * double(sample.size() - 1))];
        if (data.high <= data.low) {
            data.low = lowest;
            data.high = highest;
        }
    }
    return data;
}

Result<void> nameCategories(const std::shared_ptr<const Dataset>& dataset, const Element& column,
                            ColorData& data, const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    const Index categories = static_cast<Index>(data.counts.size());
    if (column.column != ColumnKind::Categorical) {
        data.names = {"false", "true"};
        return {};
    }
    if (categories > ColorData::kMostNames)
        return {};
    auto reader = ColumnReader::open(dataset, column, reading);
    if (!reader)
        return std::move(reader).error();
    auto names = reader->categories(stop);
    if (!names)
        return std::move(names).error();
    for (Index i = 0; i < (*names)->size(); ++i)
        data.names.push_back((*names)->text(i));
    return {};
}

Result<ColorData> colorByCode(const std::shared_ptr<const Dataset>& dataset, const Element& column,
                              const QColor& others, const std::shared_ptr<Reading>& reading,
                              std::stop_token stop)
{
    const Index rows = column.values.length();
    const Index categories = column.column == ColumnKind::Categorical ? column.categoryCount.value_or(0) : 2;
    auto room = charge(*reading, rows * 4 + categories * 16);
    if (!room)
        return std::move(room).error();
    auto codes = std::make_shared<std::vector<std::uint32_t>>(at(rows), ~std::uint32_t{0});
    std::vector<ArrayRef> arrays{column.values};
    if (column.mask)
        arrays.push_back(column.mask);
    auto scanned = scanRows(arrays, column.path, rows, *reading, stop, [&](const ScanBlock& block, auto* from) {
        for (Index i = 0; i < block.count; ++i) {
            const double code = toDouble(from[i]);
            if (!isMasked(block, i) && code >= 0 && code < static_cast<double>(categories))
                (*codes)[at(block.first + i)] = static_cast<std::uint32_t>(code);
        }
    });
    if (!scanned)
        return std::move(scanned).error();
    ColorData data;
    data.categories = true;
    data.charge = std::move(*room);
    data.counts.assign(at(categories), 0);
    for (const std::uint32_t code : *codes) {
        if (code < categories)
            ++data.counts[code];
        else
            ++data.missing;
    }
    data.codes = std::move(codes);
    auto colors = colorsOf(dataset, column, data.counts, others, reading, stop);
    if (!colors)
        return std::move(colors).error();
    data.colors = std::move(*colors);
    if (auto named = nameCategories(dataset, column, data, reading, stop); !named)
        return std::move(named).error();
    return data;
}

// Labels kept as plain text: the different ones become the categories, sorted.
Result<ColorData> colorByText(const std::shared_ptr<const Dataset>& dataset, const Element& column,
                              const QColor& others, const std::shared_ptr<Reading>& reading,
                              std::stop_token stop)
{
    auto reader = ColumnReader::open(dataset, column, reading);
    if (!reader)
        return std::move(reader).error();
    const Index rows = reader->rows();
    auto room = charge(*reading, rows * 4);
    if (!room)
        return std::move(room).error();
    constexpr Index block = 65536;
    std::vector<std::uint32_t> codes(at(rows), ~std::uint32_t{0});
    std::unordered_map<std::string, std::uint32_t> seen;
    for (Index first = 0; first < rows; first += block) {
        const Index count = std::min(block, rows - first);
        auto values = reader->read(Selection::of(rows, {first, 1, count}), stop);
        if (!values)
            return std::move(values).error();
        for (Index i = 0; i < count; ++i) {
            if (values->isMissing(i))
                continue;
            const auto code = seen.emplace(values->text(i), static_cast<std::uint32_t>(seen.size())).first;
            if (static_cast<Index>(seen.size()) > ColorData::kMostNames)
                return Error(ErrorCode::Refused, "\"" + column.name + "\" holds more than "
                                 + std::to_string(ColorData::kMostNames) + " different texts.")
                    .advise("Choose a column of labels.")
                    .at(column.path);
            codes[at(first + i)] = code->second;
        }
    }
    ColorData data;
    data.categories = true;
    data.charge = std::move(*room);
    for (const auto& item : seen)
        data.names.push_back(item.first);
    std::sort(data.names.begin(), data.names.end());
    std::vector<std::uint32_t> rank(seen.size());
    for (std::size_t place = 0; place < data.names.size(); ++place)
        rank[seen[data.names[place]]] = static_cast<std::uint32_t>(place);
    data.counts.assign(data.names.size(), 0);
    for (std::uint32_t& code : codes) {
        if (code == ~std::uint32_t{0}) {
            ++data.missing;
            continue;
        }
        code = rank[code];
        ++data.counts[code];
    }
    data.codes = std::make_shared<const std::vector<std::uint32_t>>(std::move(codes));
    data.colors = categoryColors(static_cast<Index>(data.names.size()), data.counts, others);
    return data;
}

const Element* numericColumn(const Element& table, int place)
{
    for (const auto& column : table.children)
        if (column->readable && column->column == ColumnKind::Numeric && column->dtype
            && isReal(*column->dtype) && place-- == 0)
            return column.get();
    return nullptr;
}

} // namespace

std::vector<const Element*> embeddingsOf(const Dataset& dataset)
{
    std::vector<const Element*> list;
    const Element* obsm = dataset.root().child("obsm");
    if (obsm == nullptr || !dataset.nObs())
        return list;
    for (const auto& element : obsm->children)
        if (isPlottable(*element, *dataset.nObs()))
            list.push_back(element.get());
    return list;
}

const Element* firstEmbedding(const std::vector<const Element*>& embeddings)
{
    for (const std::string_view wanted : {"umap", "tsne", "spatial", "pca"})
        for (const Element* embedding : embeddings)
            if (lowered(embedding->name).find(wanted) != std::string::npos)
                return embedding;
    return embeddings.empty() ? nullptr : embeddings.front();
}

QString axisName(const Element& embedding)
{
    QString name = toQString(embedding.name);
    if (name.startsWith("X_"_L1))
        name.remove(0, 2);
    const QString low = name.toLower();
    if (low == "umap"_L1 || low == "pca"_L1)
        return name.toUpper();
    if (low == "tsne"_L1)
        return u"t-SNE"_s;
    return name;
}

Result<EmbeddingData> readEmbedding(const std::shared_ptr<const Dataset>& dataset,
                                    const Element& embedding, const std::shared_ptr<Reading>& reading,
                                    std::stop_token stop)
{
    const Index rows = dataset->nObs().value_or(0);
    auto room = charge(*reading, rows * 8);
    if (!room)
        return std::move(room).error().at(embedding.path);
    EmbeddingData data;
    data.charge = std::move(*room);
    if (embedding.kind == ElementKind::Table) {
        const Element* columns[2] = {numericColumn(embedding, 0), numericColumn(embedding, 1)};
        auto x = readFloats(*columns[0], rows, *reading, stop);
        auto y = x.ok() ? readFloats(*columns[1], rows, *reading, stop) : x;
        if (!x.ok() || !y.ok())
            return x.ok() ? std::move(y).error() : std::move(x).error();
        data.x = *x;
        data.y = *y;
        return data;
    }
    auto x = std::make_shared<std::vector<float>>(at(rows), kNone);
    auto y = std::make_shared<std::vector<float>>(at(rows), kNone);
    // Tiles come in any order from several threads; each cell belongs to one of them per axis.
    const std::size_t cells = embedding.transposed ? 1 : 0;
    const std::size_t axes = 1 - cells;
    ScanOptions options;
    options.stop = stop;
    auto scanned = scanTiles(embedding.values, embedding.path, *reading, options,
                             [&](const ScanTile& tile) -> Result<void> {
        visitReal(embedding.values.dtype(), [&]<typename T>(const T*) {
            const std::span<const T> values = tile.as<T>();
            const Index cellStep = cells == 0 ? tile.count[1] : 1;
            const Index axisStep = cells == 0 ? 1 : tile.count[1];
            for (Index axis = 0; axis < 2; ++axis) {
                const Index place = axis - tile.start[axes];
                if (place < 0 || place >= tile.count[axes])
                    continue;
                std::vector<float>& target = axis == 0 ? *x : *y;
                for (Index i = 0; i < tile.count[cells]; ++i)
                    target[at(tile.start[cells] + i)]
                        = static_cast<float>(toDouble(values[at(i * cellStep + place * axisStep)]));
            }
        });
        return {};
    });
    if (!scanned)
        return std::move(scanned).error();
    data.x = std::move(x);
    data.y = std::move(y);
    return data;
}

ColorCounts countColors(const ColorData& color, const Selection& rows)
{
    ColorCounts found;
    found.counts.assign(color.counts.size(), 0);
    if (color.categories)
        rows.forEach([&](Index row) {
            const std::uint32_t code = (*color.codes)[at(row)];
            ++(code < found.counts.size() ? found.counts[code] : found.missing);
        });
    else
        rows.forEach([&](Index row) {
            const float value = (*color.values)[at(row)];
            found.missing += std::isnan(value) ? 1 : 0;
            found.zeros += value == 0 ? 1 : 0;
        });
    return found;
}

bool canColor(const Element& column)
{
    if (!column.readable)
        return false;
    switch (column.column) {
    case ColumnKind::Numeric:
    case ColumnKind::NullableInteger: return column.dtype && isReal(*column.dtype) && bool(column.values);
    case ColumnKind::Boolean:
    case ColumnKind::NullableBoolean: return bool(column.values);
    case ColumnKind::Categorical: return bool(column.values);
    case ColumnKind::String:
    case ColumnKind::NullableString: return true;
    case ColumnKind::Opaque: return false;
    }
    return false;
}

Result<ColorData> readColor(const std::shared_ptr<const Dataset>& dataset, const Element& column,
                            const QColor& others, const std::shared_ptr<Reading>& reading,
                            std::stop_token stop)
{
    switch (column.column) {
    case ColumnKind::Numeric:
    case ColumnKind::NullableInteger: return colorByNumber(column, reading, stop);
    case ColumnKind::String:
    case ColumnKind::NullableString: return colorByText(dataset, column, others, reading, stop);
    default: return colorByCode(dataset, column, others, reading, stop);
    }
}

} // namespace cellfolio
