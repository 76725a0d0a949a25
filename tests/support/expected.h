// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/column_reader.h"
#include "core/anndata/dataset.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cellfolio::test {

using Json = nlohmann::ordered_json;

// The expected.json of a folder; its entries lie under "files" or at the top. Null where there is
// no such file.
Json loadExpected(const std::filesystem::path& folder);

// One value as expected.json writes it: NaN and infinities as text, missing as null.
Json jsonOf(const Values& values, Index i);
Json jsonOf(const ColumnValues& values, Index i);
// A scalar, list or list of lists; an object for a mapping or records.
Json jsonOf(const std::shared_ptr<const Dataset>& dataset, const Element& element);
// Equal, numbers with a relative tolerance (integers exactly), "nan" in any spelling.
bool agrees(const Json& expected, const Json& actual, double tolerance = 1e-6);

// All rows of a column, array or scalar. The test fails where it cannot be read.
Result<ColumnValues> wholeColumn(const std::shared_ptr<const Dataset>& dataset,
                                 const Element& column);
Result<std::vector<std::string>> allNames(const std::shared_ptr<const Dataset>& dataset,
                                          const Element& table);
// Values of any array or scalar, first axis first.
Result<Values> wholeArray(const Element& element);

// Size, time of change and content of a file, to show that nobody touched it.
struct FileSnapshot {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type changed;
    std::string content; // empty above 1 MiB
    bool operator==(const FileSnapshot&) const = default;
};
FileSnapshot snapshotOf(const std::filesystem::path& file);

// Sentences of findings, with their ids, for failure messages.
std::string describe(const std::vector<Finding>& findings);
// Whether a finding (id, element, sentence, advice) or an error names one of the words, case aside.
bool names(const std::vector<Finding>& findings, const Json& words);
bool names(const Error& error, const Json& words);
bool hasRule(const std::vector<Finding>& findings, const std::string& id);

} // namespace cellfolio::test

// Fails the test with what was being looked at; for functions that return nothing.
#define CHECK_THAT(condition, where)                                                               \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            QFAIL((std::string(#condition) + " — " + (where)).c_str());                            \
        }                                                                                          \
    } while (false)
