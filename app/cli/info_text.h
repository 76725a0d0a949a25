// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/session.h"
#include "core/anndata/dataset.h"

#include <memory>

namespace cellfolio::cli {

// What is in a file, for people: one line an element, members indented, findings at the end.
Result<void> writeInfoText(Session& session, const std::shared_ptr<const Dataset>& dataset);

// A finding on one or two lines.
std::string findingText(const Finding& finding);

} // namespace cellfolio::cli
