// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace cellfolio::impute {

// Finished rows of an imputation beside its target (`.NAME.resume`), so that a run which was stopped,
// killed or cut off goes on from the last whole block. Rows count as done only after their values
// have reached the disk. Layout: magic, key, rows, genes, rows done; the sum of each row; the values.
class ResumeJournal
{
public:
    // Opens what an earlier run with the same key and lengths left, or begins anew. The key stands
    // for every option and input that the result depends on.
    static Result<std::unique_ptr<ResumeJournal>> open(const std::filesystem::path& target,
                                                       const std::string& key, Index rows, Index genes);
    ~ResumeJournal();
    ResumeJournal(const ResumeJournal&) = delete;
    ResumeJournal& operator=(const ResumeJournal&) = delete;

    Index rowsDone() const noexcept { return m_done; }
    // The next rows; `values`: rows × genes.
    Result<void> append(Index rows, const float* values, const double* rowSums);
    Result<void> read(Index first, Index rows, float* values, double* rowSums) const;
    // Removes the file.
    void remove();
    static std::filesystem::path pathFor(const std::filesystem::path& target);

private:
    ResumeJournal() = default;
    Result<void> writeHeader() const;

    std::filesystem::path m_path;
    int m_descriptor = -1;
    std::uint64_t m_key = 0;
    Index m_rows = 0;
    Index m_genes = 0;
    Index m_done = 0;
};

} // namespace cellfolio::impute
