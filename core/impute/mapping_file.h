// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/mapping.h"
#include "core/write/staged_file.h"

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace cellfolio::impute {

// What a mapping was made of, kept beside its potentials so that values can be carried later.
struct MappingRecord {
    std::string spatialFile;   // absolute paths, PATH::INSIDE
    std::string referenceFile;
    std::string spatialFingerprint; // of their bytes, in hex
    std::string referenceFingerprint;
    std::string spatialMatrix;   // "X", "layers/counts"
    std::string referenceMatrix;
    bool referenceLog1p = false;
    Selection spatialCells;
    Selection referenceCells;
    Selection referenceGenes; // of the matrix's var axis: those of the view
    std::vector<std::string> genes; // of the joint space
    std::string cost;         // "sqeuclidean" …
    std::string features;     // "genes" or "obsm:KEY"
    std::string entropy;
    double epsilon = 0;
    double tauA = 1;
    double tauB = 1;
    double alpha = 0;         // 0: linear
    Index rank = 0;
    Index dimensions = 0;     // of the joint space
    Index iterations = 0;
    double error = 0;
    bool converged = false;
    double transportCost = 0;
    double mass = 0;
    double perplexity = 0;
};

// A mapping as a file holds it: potentials and thin factors of the cost, in the precision they were
// solved in, or the factors of a low-rank coupling. Never the plan.
struct StoredMapping {
    MappingRecord record;
    std::variant<std::vector<SolvedPart<float>>, std::vector<SolvedPart<double>>> parts;
    std::optional<Factors> factors;

    Index rows() const { return record.spatialCells.size(); }
    Index columns() const { return record.referenceCells.size(); }
};

// Appears whole or not at all.
template <typename Real>
Result<Index> writeMapping(const std::filesystem::path& target, const StagedFile::Options& options,
                           const MappingRecord& record, const Mapping<Real>& mapping);

// Corrupt or NotFound where the file is no mapping or lacks a part.
Result<StoredMapping> readMapping(const std::filesystem::path& path);

// Whether the bytes of a file are those that a mapping was made of; an empty sentence where they
// are, else why not.
std::string changeOf(const Dataset& dataset, const std::string& fingerprint);
Result<std::string> fingerprintOf(const Dataset& dataset);

} // namespace cellfolio::impute
