// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/category_colors.h"

#include "core/base/text.h"
#include "core/paging/array_reader.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/style/palettes.h"

#include <algorithm>
#include <array>

namespace cellfolio {

namespace {

// scanpy keeps a colour for each category; a file with more of them than this has no such list.
constexpr Index kMostStoredColors = 10'000;

Result<std::vector<QColor>> storedColors(const std::shared_ptr<const Dataset>& dataset,
                                         const Element& column, Index categories,
                                         const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    const Element* uns = dataset->root().child("uns");
    const Element* list = uns != nullptr ? uns->child(column.name + "_colors") : nullptr;
    if (list == nullptr || !list->values || list->dtype != DType::String || !list->readable)
        return std::vector<QColor>{};
    const Index length = list->values.length();
    if (length < categories || length > kMostStoredColors)
        return std::vector<QColor>{};
    auto texts = ArrayReader(list->values, reading, list->path).all(stop);
    if (!texts)
        return std::move(texts).error();
    std::vector<QColor> colors;
    for (Index i = 0; i < categories; ++i) {
        const auto color = parseColor(texts->text(i));
        if (!color)
            return std::vector<QColor>{};
        colors.push_back(*color);
    }
    return colors;
}

} // namespace

std::optional<QColor> parseColor(std::string_view text)
{
    const QString name = toQString(text).trimmed();
    if (name.startsWith(u'#') && name.size() == 9) {
        const QColor color(name.left(7));
        return color.isValid() ? std::optional(color) : std::nullopt;
    }
    double grey = 0;
    if (parseNumber(text, grey))
        return grey >= 0 && grey <= 1 ? std::optional(QColor::fromRgbF(float(grey), float(grey), float(grey)))
                                      : std::nullopt;
    const QColor color(name);
    return color.isValid() ? std::optional(QColor(color.rgb())) : std::nullopt;
}

Result<std::vector<QColor>> colorsOf(const std::shared_ptr<const Dataset>& dataset,
                                     const Element& column, const std::vector<Index>& counts,
                                     const QColor& others, const std::shared_ptr<Reading>& reading,
                                     std::stop_token stop)
{
    Index categories = 0;
    if (column.column == ColumnKind::Categorical)
        categories = column.categoryCount.value_or(0);
    else if (column.column == ColumnKind::Boolean || column.column == ColumnKind::NullableBoolean)
        categories = 2;
    if (categories == 0)
        return std::vector<QColor>{};
    auto stored = storedColors(dataset, column, categories, reading, stop);
    if (!stored || !stored->empty())
        return stored;
    return categoryColors(categories, counts, others);
}

const Element* likeliestLabels(const Element& obs)
{
    static constexpr std::array names{
        "cell_type",      "celltype",     "cell_types",   "CellType",      "cell_type_original",
        "celltypes",      "cell_ontology_class", "author_cell_type", "cell_label", "free_annotation",
        "annotation",     "bulk_labels",  "leiden",       "louvain",       "clusters",
        "cluster",        "seurat_clusters", "labels",    "label",         "cell_class",
        "tissue",         "sample",       "batch"};
    const auto fits = [](const Element& column) {
        return column.readable && column.column == ColumnKind::Categorical && column.categoryCount
            && *column.categoryCount >= 2 && *column.categoryCount <= 100;
    };
    for (const char* name : names)
        if (const Element* column = obs.child(name); column != nullptr && fits(*column))
            return column;
    const auto holds = [](const Element& column, std::string_view part) {
        std::string low = column.name;
        std::transform(low.begin(), low.end(), low.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return low.find(part) != std::string::npos;
    };
    for (const std::string_view part : {"cell_type", "celltype", "annot", "leiden", "louvain", "cluster", "type", ""})
        for (const auto& column : obs.children)
            if (fits(*column) && holds(*column, part))
                return column.get();
    return nullptr;
}

} // namespace cellfolio
