// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/imputation.h"
#include "core/impute/mapping_file.h"
#include "core/impute/stored_plan.h"
#include "core/run/job_needs.h"
#include "core/write/staged_file.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cellfolio::impute {

// Rows without mass in the result.
enum class ZeroMass {
    Zero,    // 0
    Missing, // NaN
    Map,     // mapped all the same, by the costs alone; for mappings
};

// Everything an imputation to a new file takes. One of `mapping` and `plan` is set.
struct ImputeJob {
    std::filesystem::path target;
    StagedFile::Options staging;
    std::filesystem::path scratch;
    std::optional<StoredMapping> mapping;
    std::optional<StoredPlan> plan;
    bool transposed = false;

    std::shared_ptr<const Dataset> spatial; // null: rows are named by their numbers
    Selection spatialCells;                 // one a row of the plan
    std::shared_ptr<const Dataset> reference;
    const Element* matrix = nullptr;        // of the reference
    Selection referenceCells;               // one a column of the plan
    Selection genes;                        // of the matrix, without repeats
    bool log1p = false;
    std::vector<Index> rows;                // of the plan, in the order of the result

    Scaling scaling = Scaling::Source;
    ZeroMass zeroMass = ZeroMass::Zero;
    std::vector<std::string> labels; // columns of the reference's obs, carried as probabilities
    std::vector<std::string> obsm;   // keys of the reference
    Index keep = 0;                  // largest values of a row; 0: all, dense
    Index thin = 0;                  // largest weights of a row of the plan; 0: all; not for factors
    bool resume = false;
    std::string resumeKey;           // stands for every option and input

    std::function<void(const std::string& stage)> stage = {};
    Progress* progress = nullptr;
};

struct ImputeNeeds : JobNeeds { // the time from a product measured on the spot
    ChunkPlan chunks;
};

struct ImputeOutcome {
    Index nObs = 0;
    Index nVars = 0;
    Index blocks = 0;
    Index resumedAt = 0;
    Index zeroMass = 0;  // rows without mass
    Index temporary = 0;
    std::vector<std::string> warnings;
};

// What it would take; reads what tells the lengths, no values.
Result<ImputeNeeds> needsOf(const ImputeJob& job, const std::shared_ptr<Reading>& reading);

// Carries it out. The result holds: X (or its largest values), obs of the spatial file with ot_mass,
// obsm and uns of the spatial file, what was carried along, layers/measured where genes were
// measured, var with `measured` and `in_cost`, and uns/imputation.
Result<ImputeOutcome> runImputation(const ImputeJob& job, const std::shared_ptr<Reading>& reading,
                                    const Running& running);

} // namespace cellfolio::impute
