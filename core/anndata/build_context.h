// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/element.h"
#include "core/anndata/rules.h"
#include "core/base/error.h"
#include "core/hdf5/file.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cellfolio {

// What the builders of one data set share: the file, where its objects lie, and the findings made
// on the way. Builders look at structure; the few values they need come through ends() and head(),
// which read a bounded number of values and answer nothing where there is no file (trees made by
// hand) or the read fails.
class BuildContext
{
public:
    BuildContext(std::shared_ptr<const hdf5::File> file, const hdf5::Object& root)
        : m_file(std::move(file)), m_root(&root)
    {
    }

    const std::shared_ptr<const hdf5::File>& file() const noexcept { return m_file; }
    ArrayRef ref(const hdf5::Object& dataset, int member = -1) const
    {
        return {m_file, &dataset, member};
    }
    const hdf5::Object* objectAt(std::uint64_t address) const;

    // First and last value of a 1-D integer array: two values, read at once.
    std::optional<std::pair<std::int64_t, std::int64_t>> ends(const ArrayRef& array,
                                                              const std::string& path);
    // The first values of a 1-D integer array, at most `most` of them.
    std::optional<std::vector<std::int64_t>> head(const ArrayRef& array, Index most,
                                                  const std::string& path);
    // Where a 1-D integer array that never falls first reaches `value`, by halving: some 30 values
    // are read. None where it does not, or cannot be read.
    std::optional<Index> firstNotBelow(const ArrayRef& array, std::int64_t value);

    // Adds a finding with the defaults of its rule; change it through what is returned, before the
    // next call.
    Finding& report(std::string_view id, const std::string& path, std::string message);
    // The same, and the element cannot be read: whyNot says the same sentence. `fix` replaces the
    // advice of the rule where the case at hand has another or none.
    Finding& refuse(std::string_view id, Element& element, ErrorCode code, std::string message,
                    std::optional<std::string> fix = {});

    std::vector<Finding>& findings() noexcept { return m_findings; }

    // A tagged file: its root says that it is an anndata file, so its elements should say so too.
    bool tagged = false;
    // Elements of one kind that are told about in one finding for the file.
    struct Tally {
        Index count = 0;
        std::string first; // path
    };
    Tally undescribed;    // A016
    Tally fixedText;      // A024
    Tally labelledNumber; // A049
    Tally newest;         // A044: elements that need `newestVersion`
    int newestMinor = 0;  // 0.<this>
    std::string newestWhat;

    static void count(Tally& tally, const std::string& path);
    void needsReader(int minor, const std::string& path, std::string what);

private:
    std::shared_ptr<const hdf5::File> m_file;
    const hdf5::Object* m_root;
    std::vector<Finding> m_findings;
};

} // namespace cellfolio
