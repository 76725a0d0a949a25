// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

namespace cellfolio::test {

// The shared corpora beside the checkout ("real", "spec", "reports"); empty where they are not.
std::filesystem::path corpusFolder(const char* name);
// Small files of our own, in tests/data.
std::filesystem::path dataFolder();
// Every .h5ad, .h5, .h5mu and .loom file below a folder, sorted; none where it is not there.
std::vector<std::filesystem::path> filesBelow(const std::filesystem::path& folder);
// All corpora there are and our own files.
std::vector<std::filesystem::path> allFiles();

} // namespace cellfolio::test
