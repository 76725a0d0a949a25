// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset_view.h"
#include "core/anndata/finding.h"
#include "core/run/job_needs.h"
#include "core/run/progress.h"
#include "core/write/matrix_transfer.h"
#include "core/write/storing.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

// For whom a file is written; the manual's page on exporting says what each means.
enum class Profile { Keep, AnnData, R, SeuratDisk, CellxGene };
std::optional<Profile> profileNamed(std::string_view name);

// What becomes of elements that the profile has no form for.
enum class Unreadable { Keep, Drop, Stop };

struct ExportOptions {
    DatasetView view;
    Selection rawGenes;                // of raw/var, where `fromRaw`
    Profile profile = Profile::AnnData;
    Unreadable unreadable = Unreadable::Keep;
    Storage storage = Storage::None;   // of the converted elements; None: as they are
    std::optional<DType> dtype;        // likewise
    Rounding rounding = Rounding::Nearest;
    IndexWidth indexWidth = IndexWidth::Keep;
    std::vector<std::string> converted; // which those are; empty: X and layers
    Storing storing;                   // chunks and filters of what is rewritten
    bool dropUnusedCategories = false;
    bool fromRaw = false;              // raw/X and raw/var become X and var
    std::vector<std::string> slots;    // elements; empty: all
    std::vector<std::string> without;
    bool overwrite = false;
    bool inPlace = false;              // the target is the source, and is replaced in the end
    std::filesystem::path temporary;   // folder; empty: that of the new file
    FileSystem* system = nullptr;      // null: the real one

    // Whether an element of this path shall be in the new file.
    bool wants(std::string_view path) const noexcept;
    // Whether storage and type are those of an element of this path.
    bool converts(std::string_view path) const noexcept;
    // Whether the new file is to be the old one, element for element.
    bool isPlainCopy() const noexcept;
    const Selection& genes() const noexcept { return fromRaw ? rawGenes : view.var(); }
    // The selection along a dimension of an element; null: the element has it whole by itself.
    const Selection* along(const Element& element, std::size_t dimension) const noexcept;
};

// What an export works with.
struct ExportContext {
    std::shared_ptr<Reading> reading;
    std::stop_token stop = {};
    Progress* progress = nullptr; // bytes, about
    std::function<bool()> beginCommit = {}; // false: nothing may appear any more

    // Asked once, when the new file is whole and before it takes its place. Cancelled.
    Result<void> mayCommit() const;
};

enum class Action { Copied, Rewritten, Converted, Created, Dropped };
std::string_view nameOf(Action action); // "copied" …

struct ExportedElement {
    std::string path; // in the new file; of a dropped one in the old
    Action action = Action::Copied;
};

struct ExportEstimate : JobNeeds { // its memory: of the process at its peak
    std::string reason; // why it does not fit; empty: it does
    bool fits() const noexcept { return reason.empty(); }
};

struct ExportResult {
    Index nObs = 0;
    Index nVars = 0;
    Index bytes = 0;     // of the new file
    Index temporary = 0;
    std::vector<ExportedElement> elements;
    std::vector<Finding> findings;
};

} // namespace cellfolio
