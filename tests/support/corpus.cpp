// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/corpus.h"

#include <algorithm>

namespace cellfolio::test {

namespace fs = std::filesystem;

fs::path corpusFolder(const char* name)
{
    const fs::path folder = fs::path(CELLFOLIO_SOURCE_DIR) / ".." / "shared" / "data" / name;
    return fs::is_directory(folder) ? fs::canonical(folder) : fs::path();
}

fs::path dataFolder()
{
    return fs::path(CELLFOLIO_SOURCE_DIR) / "tests" / "data";
}

std::vector<fs::path> filesBelow(const fs::path& folder)
{
    std::vector<fs::path> files;
    if (folder.empty() || !fs::is_directory(folder))
        return files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        const std::string ending = entry.path().extension().string();
        if (entry.is_regular_file()
            && (ending == ".h5ad" || ending == ".h5" || ending == ".h5mu" || ending == ".loom"))
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<fs::path> allFiles()
{
    std::vector<fs::path> files;
    for (const fs::path& folder :
         {corpusFolder("real"), corpusFolder("spec"), corpusFolder("reports"), dataFolder()}) {
        const std::vector<fs::path> found = filesBelow(folder);
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

} // namespace cellfolio::test
