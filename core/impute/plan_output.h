// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/mapping.h"
#include "core/write/staged_file.h"

#include <filesystem>

namespace cellfolio::impute {

// Writes the plan of a mapping as an .npy file of float32, spatial × reference, block of rows by block
// of rows. Answers its size.
template <typename Real>
Result<Index> writePlan(const std::filesystem::path& target, const StagedFile::Options& options,
                        const Mapping<Real>& mapping, Index rows, const Running& running);

} // namespace cellfolio::impute
