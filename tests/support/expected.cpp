// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/expected.h"

#include "core/paging/array_reader.h"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace cellfolio::test {

namespace fs = std::filesystem;

namespace {

std::shared_ptr<Reading> testReading()
{
    static const auto reading = std::make_shared<Reading>();
    return reading;
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

Json jsonOfReal(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    return value;
}

// "Infinity", "-inf" … to one spelling; other texts stay.
Json plainSpelling(const Json& value)
{
    if (!value.is_string())
        return value;
    const std::string text = lower(value.get<std::string>());
    if (text == "nan")
        return "nan";
    if (text == "inf" || text == "infinity")
        return "inf";
    if (text == "-inf" || text == "-infinity")
        return "-inf";
    return value;
}

bool namesAny(const std::string& text, const Json& words)
{
    const std::string where = lower(text);
    return std::any_of(words.begin(), words.end(), [&where](const Json& word) {
        return where.find(lower(word.get<std::string>())) != std::string::npos;
    });
}

} // namespace

Json loadExpected(const fs::path& folder)
{
    std::ifstream file(folder / "expected.json");
    if (folder.empty() || !file)
        return nullptr;
    Json all = Json::parse(file);
    return all.contains("files") ? all["files"] : all;
}

Json jsonOf(const Values& values, Index i)
{
    if (values.isMissing(i))
        return nullptr;
    const DType type = values.type();
    if (type == DType::String)
        return values.text(i);
    if (type == DType::Bool)
        return values.integer(i) != 0;
    if (type == DType::UInt64)
        return static_cast<std::uint64_t>(values.integer(i));
    if (isInteger(type))
        return values.integer(i);
    if (type == DType::Complex64) {
        const auto z = values.as<std::complex<float>>()[at(i)];
        return Json::array({jsonOfReal(z.real()), jsonOfReal(z.imag())});
    }
    if (type == DType::Complex128) {
        const auto z = values.as<std::complex<double>>()[at(i)];
        return Json::array({jsonOfReal(z.real()), jsonOfReal(z.imag())});
    }
    return jsonOfReal(values.number(i));
}

Json jsonOf(const ColumnValues& values, Index i)
{
    if (values.isMissing(i))
        return nullptr;
    return values.categories ? jsonOf(*values.categories, values.values.integer(i))
                             : jsonOf(values.values, i);
}

bool agrees(const Json& expectedValue, const Json& actualValue, double tolerance)
{
    const Json expected = plainSpelling(expectedValue);
    const Json actual = plainSpelling(actualValue);
    if (expected.is_array()) {
        if (!actual.is_array() || actual.size() != expected.size())
            return false;
        for (std::size_t i = 0; i < expected.size(); ++i)
            if (!agrees(expected[i], actual[i], tolerance))
                return false;
        return true;
    }
    if (expected.is_object()) {
        if (!actual.is_object() || actual.size() != expected.size())
            return false;
        for (const auto& [key, value] : expected.items())
            if (!actual.contains(key) || !agrees(value, actual[key], tolerance))
                return false;
        return true;
    }
    if (expected.is_number() && actual.is_boolean())
        return expected.get<double>() == (actual.get<bool>() ? 1 : 0);
    if (!expected.is_number() || !actual.is_number())
        return expected == actual;
    if (expected.is_number_integer() && actual.is_number_integer())
        return expected == actual;
    const double a = expected.get<double>();
    const double b = actual.get<double>();
    return a == b || std::fabs(a - b) <= tolerance * std::max(std::fabs(a), std::fabs(b));
}

Result<ColumnValues> wholeColumn(const std::shared_ptr<const Dataset>& dataset,
                                 const Element& column)
{
    auto reader = ColumnReader::open(dataset, column, testReading());
    if (!reader)
        return std::move(reader).error();
    return reader->read(Selection::all(reader->rows()));
}

Result<std::vector<std::string>> allNames(const std::shared_ptr<const Dataset>& dataset,
                                          const Element& table)
{
    return readNames(dataset, table, Selection::all(table.rows), testReading());
}

Result<Values> wholeArray(const Element& element)
{
    return ArrayReader(element.values, testReading(), element.path).all();
}

Json jsonOf(const std::shared_ptr<const Dataset>& dataset, const Element& element)
{
    if (element.kind == ElementKind::Null)
        return nullptr;
    if (element.kind == ElementKind::Mapping) {
        Json object = Json::object();
        for (const auto& child : element.children)
            object[child->name] = jsonOf(dataset, *child);
        return object;
    }
    if (element.kind == ElementKind::Records) {
        Json object = Json::object();
        for (const ElementPart& part : element.parts) {
            auto field = dataset->find(element.path + "/" + part.name);
            object[part.name] = field ? jsonOf(dataset, **field) : Json(field.error().describe());
        }
        return object;
    }
    if (element.column != ColumnKind::Opaque) {
        auto values = wholeColumn(dataset, element);
        if (!values)
            return values.error().describe();
        Json list = Json::array();
        for (Index i = 0; i < values->size(); ++i)
            list.push_back(jsonOf(*values, i));
        return list;
    }
    auto values = wholeArray(element);
    if (!values)
        return values.error().describe();
    if (element.kind == ElementKind::Scalar)
        return jsonOf(*values, 0);
    if (element.shape->size() != 2)
        return "an array of " + std::to_string(element.shape->size()) + " dimensions";
    Json rows = Json::array();
    const Index width = (*element.shape)[1];
    for (Index r = 0; r < (*element.shape)[0]; ++r) {
        Json row = Json::array();
        for (Index c = 0; c < width; ++c)
            row.push_back(jsonOf(*values, r * width + c));
        rows.push_back(std::move(row));
    }
    return rows;
}

FileSnapshot snapshotOf(const fs::path& file)
{
    constexpr std::uintmax_t kMost = 1 << 20;
    FileSnapshot state;
    state.size = fs::file_size(file);
    state.changed = fs::last_write_time(file);
    if (state.size <= kMost) {
        std::ifstream stream(file, std::ios::binary);
        state.content.resize(static_cast<std::size_t>(state.size));
        stream.read(state.content.data(), static_cast<std::streamsize>(state.size));
    }
    return state;
}

std::string describe(const std::vector<Finding>& findings)
{
    std::string text;
    for (const Finding& finding : findings)
        text += finding.id + " " + finding.element + ": " + finding.message + "\n";
    return text.empty() ? "no findings" : text;
}

bool names(const std::vector<Finding>& findings, const Json& words)
{
    return std::any_of(findings.begin(), findings.end(), [&words](const Finding& finding) {
        return namesAny(
            finding.id + " " + finding.element + " " + finding.message + " " + finding.fix, words);
    });
}

bool names(const Error& error, const Json& words)
{
    return namesAny(error.message() + " " + error.fix(), words);
}

bool hasRule(const std::vector<Finding>& findings, const std::string& id)
{
    return std::any_of(findings.begin(), findings.end(),
                       [&id](const Finding& finding) { return finding.id == id; });
}

} // namespace cellfolio::test
