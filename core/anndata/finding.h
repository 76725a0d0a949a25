// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <optional>
#include <string>
#include <vector>

namespace cellfolio {

enum class Severity { Error, Warning, Info };

// Where in an element a rule found something; what applies is set.
struct FindingPlace {
    std::optional<Index> row;
    std::optional<Index> column;
    std::optional<Index> offset;
    std::string value;
};

// One thing a rule of the format (FORMAT.md §4) found. The sentence is for people.
struct Finding {
    std::string id;       // "A008"
    Severity severity = Severity::Info;
    std::string element;  // path as of ElementPath, "/" for the file
    std::string message;
    std::string fix;      // empty: nothing to do
    bool fixable = false; // `fix` can do it
    std::optional<Index> count;
    std::vector<FindingPlace> places; // the first 20
};

// Errors first, then warnings, then information; within one severity by element, then id.
void sortFindings(std::vector<Finding>& findings);

} // namespace cellfolio
