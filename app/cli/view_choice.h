// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/view_options.h"
#include "core/select/selection.h"

namespace cellfolio::cli {

// Cells and genes that the options choose of a data set: by --view, then --where and --where-var, then
// --obs and --var. `table`: whose rows the genes are (var or raw/var). NotFound where an option speaks
// of a table that is not there.
struct ChosenView {
    Selection obs;
    Selection genes;
};
Result<ChosenView> chooseView(Session& session, const std::shared_ptr<const Dataset>& dataset,
                              const ViewOptions& options, const Element* table);

// A data set by its location; Ambiguous, with the names, where the file holds several.
Result<std::shared_ptr<const Dataset>> openDataset(const std::string& file);

} // namespace cellfolio::cli
