// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cellfolio::test {

// An array of the reference vectors of mapping and imputation, row-major; null reads as NaN.
struct ReferenceArray {
    std::vector<Index> shape;
    std::vector<double> data;

    Index rows() const { return shape.at(0); }
    Index columns() const { return shape.size() > 1 ? shape[1] : 1; }
};

// One case of a file of vectors.
struct ReferenceCase {
    std::string name;
    nlohmann::json params;
    nlohmann::json input;
    nlohmann::json expected;

    ReferenceArray in(const char* key) const;
    ReferenceArray out(const char* key) const;
    bool has(const char* key) const { return expected.contains(key); }
    double number(const char* key) const { return expected.at(key).get<double>(); }
};

// All cases of NAME.json beside the corpora; empty where they are not.
std::vector<ReferenceCase> referenceCases(const std::string& name);

// Largest |x - y|, and that divided by the largest |y|.
double farthest(const std::vector<double>& x, const std::vector<double>& y);
double farthestRelative(const std::vector<double>& x, const std::vector<double>& y);

} // namespace cellfolio::test
