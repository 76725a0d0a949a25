// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/stats_output.h"

#include "app/cli/key_list.h"
#include "app/cli/text_table.h"
#include "core/base/text.h"

#include <cmath>

namespace cellfolio::cli {
namespace {

std::string numberText(const std::optional<double>& value)
{
    return value ? exactText(*value) : std::string();
}

// An exact text as a JSON value: numbers as they are, NaN and infinities as text, nothing as null.
void writeNumberText(JsonWriter& json, const std::string& text)
{
    if (text.empty())
        json.null();
    else if (text == "NaN" || text == "Infinity" || text == "-Infinity")
        json.text(text);
    else
        json.raw(text);
}

std::string csvField(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"')
            quoted.push_back('"');
        quoted.push_back(c);
    }
    return quoted + "\"";
}

bool isTextual(const ColumnStats& stats)
{
    return stats.kind == ColumnKind::String || stats.kind == ColumnKind::NullableString;
}

} // namespace

std::vector<StatsAnswer::Entry> StatsAnswer::entries() const
{
    std::vector<Entry> list{
        {"n", [](const Figures& f) { return std::to_string(f.n); }},
        {"stored", [](const Figures& f) { return std::to_string(f.stored); }},
        {"nnz", [](const Figures& f) { return std::to_string(f.nnz); }},
        {"explicit_zeros", [](const Figures& f) { return std::to_string(f.explicitZeros); }},
        {"sum", [](const Figures& f) { return f.sum.text(); }},
        {"mean", [](const Figures& f) { return numberText(f.mean); }},
        {"sd", [](const Figures& f) { return numberText(f.sd); }},
        {"min", [](const Figures& f) { return f.min ? f.minText : std::string(); }},
        {"max", [](const Figures& f) { return f.max ? f.maxText : std::string(); }},
        {"missing", [](const Figures& f) { return std::to_string(f.missing); }},
        {"nan", [](const Figures& f) { return std::to_string(f.nan); }},
        {"inf", [](const Figures& f) { return std::to_string(f.inf); }},
    };
    for (std::size_t q = 0; q < quantiles.size(); ++q) {
        list.push_back({quantiles[q].text,
                        [q](const Figures& f) {
                            return q < f.quantiles.size() && !std::isnan(f.quantiles[q].second)
                                     ? exactText(f.quantiles[q].second)
                                     : std::string();
                        },
                        true});
    }
    return list;
}

std::vector<Index> StatsAnswer::chosenShape() const
{
    std::vector<Index> shape = target.element->shape.value_or(std::vector<Index>());
    for (std::size_t d = 0; d < axes.axes.size() && d < shape.size(); ++d)
        shape[d] = axes.axes[d].selection.size();
    return shape;
}

void StatsAnswer::writeShape(DType dtype) const
{
    session.json.member("element", target.element->path);
    session.json.member("shape", chosenShape());
    session.json.member("dtype", nameOf(dtype));
}

void StatsAnswer::writeJson(const Figures& figures) const
{
    JsonWriter& json = session.json;
    bool quantileOpen = false;
    for (const Entry& entry : entries()) {
        if (entry.quantile && !quantileOpen) {
            json.key("quantiles");
            json.beginObject();
            quantileOpen = true;
        }
        json.key(entry.key);
        writeNumberText(json, entry.text(figures));
    }
    if (quantileOpen)
        json.endObject();
}

void StatsAnswer::writeLine(const std::vector<std::string>& cells) const
{
    for (std::size_t c = 0; c < cells.size(); ++c)
        session.output.write((c == 0 ? "" : ",") + csvField(cells[c]));
    session.output.write("\r\n");
}

// Keys above, values below in CSV; one line each for people.
void StatsAnswer::writePairs(const std::vector<std::pair<std::string, std::string>>& pairs) const
{
    if (session.arguments.has("csv")) {
        std::vector<std::string> keys;
        std::vector<std::string> values;
        for (const auto& [key, value] : pairs) {
            keys.push_back(key);
            values.push_back(value);
        }
        writeLine(keys);
        writeLine(values);
        return;
    }
    TextTable table;
    for (const auto& [key, value] : pairs)
        table.row({key, value.empty() ? "–" : value});
    table.write(session.output);
}

Result<void> StatsAnswer::write(const MatrixStats& stats) const
{
    const DType dtype = target.element->dtype.value_or(DType::Other);
    JsonWriter& json = session.json;
    if (session.wantsJson) {
        writeShape(dtype);
        writeJson(stats.figures);
        if (stats.holds.holds != Holds::Unknown) {
            json.member("holds", nameOf(stats.holds.holds));
            if (stats.holds.total)
                json.member("holds_total", *stats.holds.total);
        }
        return {};
    }
    std::vector<std::pair<std::string, std::string>> pairs;
    if (!session.arguments.has("csv")) {
        pairs.emplace_back("element", target.element->path);
        std::string shape;
        for (const Index extent : chosenShape())
            shape += (shape.empty() ? "" : " × ") + grouped(extent);
        pairs.emplace_back("shape", shape);
        pairs.emplace_back("dtype", nameOf(dtype));
    }
    for (const Entry& entry : entries())
        pairs.emplace_back((entry.quantile ? "q" : "") + entry.key, entry.text(stats.figures));
    if (stats.holds.holds != Holds::Unknown)
        pairs.emplace_back("holds", session.arguments.has("csv")
                                        ? std::string(nameOf(stats.holds.holds))
                                        : stats.holds.text());
    writePairs(pairs);
    return {};
}

// One list a key, of which the last value of each is known only at the end: they grow in files that
// have no name and are gone with the program.
Result<void> StatsAnswer::writeLinesJson(const LineFigures& lines) const
{
    JsonWriter& json = session.json;
    const Index total = lines.axis->selection.size();
    const auto list = entries();
    std::vector<KeyList> lists(list.size());
    for (KeyList& keyList : lists) {
        if (auto opened = keyList.open(); !opened)
            return opened;
    }
    writeShape(target.element->dtype.value_or(DType::Other));
    json.member("by", lines.by);
    json.key(lines.by);
    json.beginArray();
    for (Index first = 0; first < total; first += kNamesWindow) {
        auto names =
            axisNames(session, target, *lines.axis, first, std::min(kNamesWindow, total - first));
        if (!names)
            return std::move(names).error();
        for (const std::string& name : *names)
            json.text(name);
    }
    json.endArray();
    for (Index first = 0; first < total; first += lines.window) {
        if (auto on = session.mayGoOn(); !on)
            return on;
        const auto part = lines.read(first, std::min(lines.window, total - first));
        if (!part)
            return part.error();
        for (const Figures& figures : *part) {
            for (std::size_t k = 0; k < list.size(); ++k)
                writeNumberText(lists[k].json(), list[k].text(figures));
        }
    }
    bool quantileOpen = false;
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (list[k].quantile && !quantileOpen) {
            json.key("quantiles");
            json.beginObject();
            quantileOpen = true;
        }
        json.key(list[k].key);
        if (auto copied = lists[k].copyInto(session); !copied)
            return copied;
    }
    if (quantileOpen)
        json.endObject();
    return {};
}

Result<void> StatsAnswer::write(const LineFigures& lines) const
{
    if (session.wantsJson)
        return writeLinesJson(lines);
    const Index total = lines.axis->selection.size();
    const auto list = entries();
    const bool csv = session.arguments.has("csv");
    std::vector<std::string> head{lines.by};
    for (const Entry& entry : list)
        head.push_back((entry.quantile ? "q" : "") + entry.key);
    TextTable table;
    for (std::size_t c = 1; c < head.size(); ++c)
        table.alignRight(c, true);
    if (csv)
        writeLine(head);
    else
        table.header(std::move(head));
    const Index shown = csv || lines.axis->chosen ? total : std::min<Index>(total, 20);
    for (Index first = 0; first < shown; first += lines.window) {
        if (auto on = session.mayGoOn(); !on)
            return on;
        const Index count = std::min(lines.window, shown - first);
        auto names = axisNames(session, target, *lines.axis, first, count);
        if (!names)
            return std::move(names).error();
        const auto part = lines.read(first, count);
        if (!part)
            return part.error();
        for (Index i = 0; i < count; ++i) {
            std::vector<std::string> line{(*names)[at(i)]};
            for (const Entry& entry : list)
                line.push_back(entry.text((*part)[at(i)]));
            if (csv)
                writeLine(line);
            else
                table.row(std::move(line));
        }
        table.write(session.output);
    }
    if (shown == 0)
        table.write(session.output);
    if (shown < total)
        session.output.write("… " + grouped(total - shown) +
                             " more; --csv and --json give them all.\n");
    return {};
}

void StatsAnswer::writeCategories(const ColumnStats& stats) const
{
    const auto& list = isTextual(stats) ? stats.mostCommon : stats.categories;
    JsonWriter& json = session.json;
    json.key(isTextual(stats) ? "most_common" : "categories");
    json.beginArray();
    for (const CategoryCount& category : list) {
        json.beginObject();
        json.key("value");
        const DType dtype = target.element->dtype.value_or(DType::String);
        if (isTextual(stats) || !isReal(dtype))
            json.text(category.value);
        else if (dtype == DType::Bool)
            json.raw(category.value);
        else
            writeNumberText(json, category.value);
        json.member("count", category.count);
        json.endObject();
    }
    json.endArray();
}

void StatsAnswer::writeColumnJson(const ColumnStats& stats) const
{
    JsonWriter& json = session.json;
    json.member("element", target.element->path);
    json.member("column", nameOf(stats.kind));
    if (stats.kind == ColumnKind::Categorical)
        json.member("ordered", stats.ordered);
    if (stats.figures) {
        if (target.element->dtype)
            json.member("dtype", nameOf(*target.element->dtype));
        Figures figures = *stats.figures;
        figures.n = stats.n;
        figures.missing = stats.missing;
        writeJson(figures);
    } else {
        json.member("n", stats.n);
        json.member("missing", stats.missing);
    }
    json.member("distinct", stats.distinct);
    if (stats.kind == ColumnKind::Categorical || isTextual(stats))
        writeCategories(stats);
}

Result<void> StatsAnswer::write(const ColumnStats& stats) const
{
    if (session.wantsJson) {
        writeColumnJson(stats);
        return {};
    }
    const bool counts = stats.kind == ColumnKind::Categorical || isTextual(stats);
    const auto& list = isTextual(stats) ? stats.mostCommon : stats.categories;
    if (counts && session.arguments.has("csv")) {
        writeLine({"value", "count"});
        for (const CategoryCount& category : list)
            writeLine({category.value, std::to_string(category.count)});
        return {};
    }
    std::vector<std::pair<std::string, std::string>> pairs;
    if (stats.figures) {
        Figures figures = *stats.figures;
        figures.n = stats.n;
        figures.missing = stats.missing;
        for (const Entry& entry : entries())
            pairs.emplace_back((entry.quantile ? "q" : "") + entry.key, entry.text(figures));
    } else {
        pairs.emplace_back("n", std::to_string(stats.n));
        pairs.emplace_back("missing", std::to_string(stats.missing));
    }
    pairs.emplace_back("distinct",
                       stats.distinct ? std::to_string(*stats.distinct) : std::string());
    writePairs(pairs);
    if (!counts || list.empty())
        return {};
    session.output.write(isTextual(stats) ? "\nmost common\n" : "\ncategories\n");
    TextTable table;
    for (const CategoryCount& category : list)
        table.row({"  " + category.value, grouped(category.count)});
    table.alignRight(1, true);
    table.write(session.output);
    return {};
}

} // namespace cellfolio::cli
