// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/canonical/matrix_rewrite.h"
#include "core/run/job_needs.h"
#include "core/write/file_rebuild.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cellfolio {

enum class SumOverflowRule { Stop, Widen, Wrap };

struct CanonicalizeOptions {
    std::vector<std::string> elements; // paths of sparse matrices; empty: every one
    bool dropZeros = false;
    bool keepDuplicates = false;       // indices are sorted, nothing is added up
    SumOverflowRule overflow = SumOverflowRule::Stop;
    Storing storing;                   // of what is rewritten
    bool overwrite = false;
    FileSystem* system = nullptr;      // null: the real one
};

// What became of one matrix.
struct CanonicalizedElement {
    std::string path;
    bool rewritten = false;
    RewriteTally tally; // of a rewritten one
    Index stored = 0;   // entries before
    DType type = DType::Float32; // of its values now
    DType was = DType::Float32;
};

// Brings sparse matrices into canonical form (FORMAT.md §3): in every row of a CSR, or column of a
// CSC, indices strictly increase; what was stored twice is added up in stored order in its own type.
// Everything else of the file is copied as it is stored. Works in the budget of its Reading, whatever
// the file's size.
class Canonicalizer
{
public:
    // Refused: an element is no sparse matrix. NotFound. Unreadable elements are refused by name; where
    // none are named they are left as they are.
    static Result<Canonicalizer> open(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Reading> reading,
                                      CanonicalizeOptions options);

    // Looks which of them need it: reads indices alone, and all entries where zeros are to be dropped.
    Result<void> look(std::stop_token stop, Progress* progress = nullptr);
    // After look(): whether anything is to be done.
    bool needed() const;
    // After look(). Time from the number of entries.
    JobNeeds needs() const;

    // After look(). Writes the new file; where nothing is needed, a copy of the source. `inPlace`: the
    // target is the source, which is replaced by a new file at the very end; nothing is written when
    // nothing is needed. Bytes of the new file.
    Result<Index> write(const std::filesystem::path& target, bool inPlace, std::stop_token stop,
                        Progress* progress = nullptr);
    // Every matrix that was chosen, as write() left it.
    const std::vector<CanonicalizedElement>& elements() const noexcept { return m_elements; }
    const std::vector<Finding>& findings() const noexcept { return m_findings; }

private:
    Canonicalizer() = default;
    MergeRules rules() const;
    MatrixRewrite pass(const SparseSource& source, const MergeRules& rules, DType indexType, DType valueType,
                       std::stop_token stop, Progress* progress) const;
    Result<DType> widened(const Element& element, std::stop_token stop) const;
    Result<void> rewrite(std::size_t k, H5adWriter& writer, hdf5::ObjectCopier& copier, const std::string& path,
                         std::stop_token stop, Progress* progress);
    Result<void> verify(const std::filesystem::path& part, std::stop_token stop, Progress* progress) const;
    Index unit() const;
    DType indexTypeOf(const Element& element) const;

    std::shared_ptr<const Dataset> m_dataset;
    std::shared_ptr<Reading> m_reading;
    CanonicalizeOptions m_options;
    std::vector<const Element*> m_chosen;
    std::vector<CanonicalizedElement> m_elements;
    std::vector<Finding> m_findings;
};

} // namespace cellfolio
