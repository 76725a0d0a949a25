// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_run.h"
#include "core/matrix/subset_stream.h"

namespace cellfolio {

// Writes dense and sparse arrays of a view, by several threads and in bounded memory: what lies on
// disk line by line stays so unless another storage is asked for.
class MatrixExport
{
public:
    explicit MatrixExport(ExportRun& run) : m_run(run) {}

    struct Form {
        Storage storage = Storage::None; // None: as it is
        std::optional<DType> dtype;
        bool dropZeros = false;          // explicit zeros are left out
        bool canonical = false;          // lines that are not sorted or repeat an index: Refused
    };
    // The element at `path`, with the rows and columns of the view.
    Result<void> write(const Element& element, const std::string& path, const Form& form);

    // Bytes of temporary files so far.
    Index temporary() const noexcept { return m_temporary; }

private:
    Result<void> writeSparse(const Element& element, const std::string& path, const Form& form);
    Result<void> writeDense(const Element& element, const std::string& path, DType type);
    Result<void> writeTexts(const Element& element, const std::string& path);
    Result<void> writeDenseAsSparse(const Element& element, const std::string& path, Storage storage, DType type);
    Result<void> writeFlat(const Element& element, const std::string& path);
    Selection whole(const Element& element, std::size_t dimension) const;

    ExportRun& m_run;
    Index m_temporary = 0;
};

} // namespace cellfolio
