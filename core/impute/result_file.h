// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/impute/impute_job.h"
#include "core/write/h5ad_writer.h"

#include <memory>
#include <vector>

namespace cellfolio::impute {

// What was carried for each row beside expression.
struct CarriedLabels {
    std::string column;
    std::vector<std::string> labels;
    std::vector<Index> codes;         // the likeliest, -1 where a row has no mass
    std::vector<double> probability;
};

// The new file of an imputation. Rows come in order; `rowSums` decide which have no mass.
class ResultFile
{
public:
    static Result<std::unique_ptr<ResultFile>> create(const ImputeJob& job);

    // Genes firstGene … of rows firstRow …; whole rows where the result is sparse.
    Result<void> write(Index firstRow, Index rows, Index firstGene, Index genes, float* values,
                       const double* rowSums);
    // An array of obsm, written by the caller.
    Result<DenseWriter> obsm(const std::string& key, Index columns);

    // Tables and all the rest, and puts the file in its place.
    Result<void> finish(const std::vector<CarriedLabels>& labels, const std::shared_ptr<Reading>& reading,
                        const Running& running, ImputeOutcome& outcome);

private:
    explicit ResultFile(const ImputeJob& job) : m_job(job), m_rowSums(job.rows.size(), 0.0) {}
    Result<void> writeSparse(Index rows, const float* values);
    Result<void> writeObs(const std::vector<CarriedLabels>& labels, const std::shared_ptr<Reading>& reading,
                          std::stop_token stop, ImputeOutcome& outcome);
    Result<void> writeVar(const std::vector<std::string>& measured, const std::shared_ptr<Reading>& reading,
                          std::stop_token stop);
    Result<void> writeMeasured(const std::vector<std::string>& measured,
                               const std::shared_ptr<Reading>& reading, std::stop_token stop);
    Result<void> copySpatial(const std::shared_ptr<Reading>& reading, std::stop_token stop,
                             ImputeOutcome& outcome);
    Result<void> writeParameters();
    Selection resultCells() const; // of the spatial file, in the order of the result

    const ImputeJob& m_job;
    std::unique_ptr<H5adWriter> m_writer;
    DenseWriter m_dense;
    std::unique_ptr<SparseWriter> m_sparse;
    std::vector<double> m_rowSums;
    std::vector<std::string> m_geneNames;
};

} // namespace cellfolio::impute
