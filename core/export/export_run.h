// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_options.h"
#include "core/hdf5/object_copier.h"
#include "core/write/h5ad_writer.h"

#include <optional>
#include <string>

namespace cellfolio {

// What the parts of one export to h5ad share while it runs.
struct ExportRun {
    const ExportOptions& options;
    ExportContext context;
    H5adWriter& writer;
    hdf5::ObjectCopier& copier;
    ExportResult result = {};

    const std::shared_ptr<const Dataset>& dataset() const { return options.view.dataset(); }
    // The selection along a dimension of an element; none: it is whole.
    std::optional<Selection> along(const Element& element, std::size_t dimension) const;
    // Whether a view leaves the element as it is.
    bool isWhole(const Element& element) const;
    // Whether the options want an element of this path in the new file.
    bool wants(const std::string& path) const;
    Result<void> mayGoOn() const;

    void did(const std::string& path, Action action) { result.elements.push_back({path, action}); }
    // Leaves an element out and says why.
    void drop(const Element& element, const std::string& why, std::string_view rule = "A015");
    Finding& found(std::string_view rule, const std::string& path, std::string message);
    void passed(Index bytes) const
    {
        if (context.progress != nullptr)
            context.progress->advance(bytes);
    }
    // Beside it, of matrices.
    void passedEntries(Index entries) const
    {
        if (context.progress != nullptr)
            context.progress->countEntries(entries);
    }
};

// A finding of a rule; those of the content (B, C) are warnings.
Finding exportFinding(std::string_view rule, const std::string& path, std::string message);
// The part [first, first + count) of a selection that may be none.
Selection partOf(const std::optional<Selection>& selection, Index extent, Index first, Index count);

} // namespace cellfolio
