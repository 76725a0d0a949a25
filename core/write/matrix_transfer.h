// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/matrix/convert_values.h"
#include "core/paging/reading.h"
#include "core/run/progress.h"
#include "core/select/selection.h"
#include "core/write/h5ad_writer.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace cellfolio {

// Of the positions of a sparse matrix: as they are (what readers cannot use becomes 32 or 64 signed bits),
// 32 bits, 64 bits.
enum class IndexWidth { Keep, Narrow, Wide };

// What a matrix becomes.
struct MatrixForm {
    Storage storage = Storage::None; // None: as it is
    std::optional<DType> dtype;
    Rounding rounding = Rounding::Nearest;
    IndexWidth width = IndexWidth::Keep;
    bool dropZeros = false;          // explicit zeros of a sparse one are left out
};

// Which of its rows and columns are taken; none: all.
struct MatrixPart {
    std::optional<Selection> rows = {};
    std::optional<Selection> columns = {};
};

// Writes dense and sparse arrays of a file into a new one, by several threads and in bounded memory.
// CSR becomes CSC and back through a temporary file, and so does what is asked for against the order it
// is stored in: dense columns of CSC, sparse columns of rows. Chunks and filters are those of the source
// where arrays of one kind remain, and the writer does not say otherwise; a matrix that was packed and
// changes its kind is packed as new ones are.
class MatrixTransfer
{
public:
    struct Context {
        std::shared_ptr<const Dataset> dataset;
        std::shared_ptr<Reading> reading;
        std::stop_token stop = {};
        Progress* progress = nullptr;        // bytes read, about
        std::filesystem::path temporary = {}; // folder; empty: that of the new file
    };
    MatrixTransfer(Context context, H5adWriter& writer) : m_context(std::move(context)), m_writer(writer) {}

    // Writes the element at `path`. Refused where a value cannot be had in the type or a position in
    // the width; OutOfBudget, OutOfDisk; Corrupt where what is read is.
    Result<void> write(const Element& element, const std::string& path, const MatrixForm& form,
                       const MatrixPart& part = {});

    // Bytes of temporary files so far.
    Index temporary() const noexcept { return m_temporary; }

    // Whether such a change goes through a matrix in a temporary file, and not just through sorted
    // entries of one.
    static bool needsDetour(const Element& element, Storage storage, Reading& reading);

private:
    Result<void> writeSparse(const Element& element, const std::string& path, const MatrixForm& form);
    Result<void> writeTransposed(const Element& element, const std::string& path, const MatrixForm& form);
    Result<void> writeDense(const Element& element, const std::string& path, const MatrixForm& form);
    Result<void> writeTexts(const Element& element, const std::string& path);
    Result<void> writeDenseAsSparse(const Element& element, const std::string& path, Storage storage,
                                    const MatrixForm& form);
    Result<void> writeFlat(const Element& element, const std::string& path);
    // First into a temporary file as `storage`, from there as the form has it.
    Result<void> writeByDetour(const Element& element, const std::string& path, Storage storage, const MatrixForm& form);
    Result<void> writeKind(const Element& element, const std::string& path, const MatrixForm& form);

    Selection rowsOf(const Element& element) const;
    Selection columnsOf(const Element& element) const;
    std::filesystem::path folder() const;
    Storing storingOf(const Element& element, bool sparse) const;
    Result<H5adWriter::Sparse> sparsePlan(const Element& element, Storage storage, Index entries,
                                          const MatrixForm& form) const;
    static Error wouldChange(const std::string& path, DType to, DType from, const std::byte* value);
    void passed(Index bytes, Index entries) const
    {
        if (m_context.progress == nullptr)
            return;
        m_context.progress->advance(bytes);
        m_context.progress->countEntries(entries);
    }

    Context m_context;
    H5adWriter& m_writer;
    MatrixPart m_part;                 // of the element at hand
    const Element* m_like = nullptr;   // whose chunks and filters it gets
    Index m_temporary = 0;
};

} // namespace cellfolio
