// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset_view.h"
#include "core/paging/reading.h"

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

// What an axis of a kept view became in the file at hand.
struct MatchedAxis {
    Selection selection;
    bool byName = false;    // the file has changed: rows were found by their names
    Index lost = 0;         // rows of the view whose names the file does not have, or has twice
    std::vector<std::string> lostNames; // the first few of them, where they are known
};

struct MatchedView {
    std::string name;
    DatasetView view;
    MatchedAxis obs; // its selection is view.obs()
    MatchedAxis var;

    // "12 of 340 cells were not found again: AAAC-1, AAAC-7 …"; empty where nothing is lost.
    std::string losses() const;
};

// What is told of a kept view without opening it.
struct KeptEntry {
    std::string name;
    bool exact = false; // made on these very bytes; else on what the path held before
};

// Where a view came from, for people.
struct ViewOrigin {
    std::string where;    // the expressions, or empty
    std::string whereVar;
};

// Views and selections that are kept for a file, outside of it: one JSON document each, in a folder
// named after the file's fingerprint. A copy of the file has the same fingerprint and so the same
// views. Where the bytes at a path have changed, its old views are still found, by the path, and
// their rows are matched again by name, never by position. Safe to use from several programs: a
// document appears whole or not at all.
class KeptViews
{
public:
    // Below XDG_DATA_HOME, or ~/.local/share.
    static std::filesystem::path standardFolder();
    explicit KeptViews(std::filesystem::path folder = standardFolder());

    // Names of what is kept for this file, sorted.
    Result<std::vector<KeptEntry>> list(const Dataset& dataset) const;
    // Keeps a view under a name, in the place of one that has it already. Reads the names of the
    // rows it holds. BadUsage for a name that is empty, longer than 80 bytes or holds control
    // characters.
    Result<void> save(const DatasetView& view, const std::string& name, const ViewOrigin& origin,
                      const std::shared_ptr<Reading>& reading, std::stop_token stop = {}) const;
    // NotFound with near misses; Corrupt for a document that is none.
    Result<MatchedView> load(const std::shared_ptr<const Dataset>& dataset, const std::string& name,
                             const std::shared_ptr<Reading>& reading,
                             std::stop_token stop = {}) const;
    Result<void> remove(const Dataset& dataset, const std::string& name) const;
    // Gives a view another name. TargetExists where there is one of that name; NotFound, BadUsage.
    Result<void> rename(const Dataset& dataset, const std::string& from, const std::string& to) const;

    // The same as a document of its own, anywhere. TargetExists unless `replace`.
    enum class Existing { Keep, Replace };
    static Result<void> writeFile(const DatasetView& view, const std::filesystem::path& path,
                                  const ViewOrigin& origin, Existing existing,
                                  const std::shared_ptr<Reading>& reading,
                                  std::stop_token stop = {});
    static Result<MatchedView> readFile(const std::shared_ptr<const Dataset>& dataset,
                                        const std::filesystem::path& path,
                                        const std::shared_ptr<Reading>& reading,
                                        std::stop_token stop = {});

private:
    // Folders that may hold views of the file: that of its fingerprint, then those of its path.
    Result<std::vector<std::filesystem::path>> foldersOf(const Dataset& dataset) const;

    std::filesystem::path m_folder;
};

} // namespace cellfolio
