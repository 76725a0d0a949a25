// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/ot_vectors.h"

#include "tests/support/corpus.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

namespace cellfolio::test {

namespace {

ReferenceArray arrayOf(const nlohmann::json& json)
{
    ReferenceArray array;
    array.shape = json.at("shape").get<std::vector<Index>>();
    for (const nlohmann::json& value : json.at("data"))
        array.data.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                             : value.get<double>());
    return array;
}

} // namespace

ReferenceArray ReferenceCase::in(const char* key) const
{
    return arrayOf(input.at(key));
}

ReferenceArray ReferenceCase::out(const char* key) const
{
    return arrayOf(expected.at(key));
}

std::vector<ReferenceCase> referenceCases(const std::string& name)
{
    const std::filesystem::path folder = corpusFolder("ot");
    if (folder.empty())
        return {};
    std::ifstream file(folder / (name + ".json"));
    const nlohmann::json json = nlohmann::json::parse(file);
    std::vector<ReferenceCase> cases;
    for (const nlohmann::json& entry : json.at("cases")) {
        nlohmann::json input = json.value("input", nlohmann::json::object());
        input.update(entry.value("input", nlohmann::json::object()));
        cases.push_back({entry.at("name").get<std::string>(), entry.at("params"), std::move(input),
                         entry.at("expected")});
    }
    return cases;
}

double farthest(const std::vector<double>& x, const std::vector<double>& y)
{
    if (x.size() != y.size())
        return std::numeric_limits<double>::infinity();
    double most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double away = std::abs(x[i] - y[i]);
        if (std::isnan(x[i]) != std::isnan(y[i]))
            return std::numeric_limits<double>::infinity();
        if (away > most)
            most = away;
    }
    return most;
}

double farthestRelative(const std::vector<double>& x, const std::vector<double>& y)
{
    double largest = 0;
    for (double value : y)
        largest = std::max(largest, std::abs(value));
    return farthest(x, y) / (largest > 0 ? largest : 1);
}

} // namespace cellfolio::test
