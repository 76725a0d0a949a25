// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/export_options.h"
#include "core/matrix/matrix_reader.h"
#include "core/matrix/subset_stream.h"

#include <functional>
#include <memory>
#include <optional>

namespace cellfolio {

// The entries of a view of any matrix, dense or sparse, line by line: cells where it is stored by cell or
// where that is demanded, else genes. Zeros of a dense matrix are left out.
class EntryBatches
{
public:
    enum class Order { AsStored, ByRows };
    // Requires a readable matrix of two dimensions of real numbers (Refused otherwise).
    static Result<EntryBatches> open(const ExportOptions& options, const Element& matrix, const ExportContext& context,
                                     Order order);

    bool byRows() const noexcept { return m_byRows; }
    Index rows() const noexcept { return m_rows.size(); }
    Index columns() const noexcept { return m_columns.size(); }
    DType dtype() const noexcept { return m_type; }
    Index mostEntries() const noexcept { return m_most; }
    int workers() const noexcept { return m_context.reading->threads(); }

    // Batches come from several threads; a visitor that must have them in order waits by their ordinal, or
    // asks for one thread.
    enum class Threads { All, One };
    Result<void> run(DType indexType, Threads threads, const std::function<Result<void>(const SubsetBatch&)>& visit);

private:
    EntryBatches() = default;
    void passed(Index bytes, Index entries) const;
    Result<void> runDense(DType indexType, const std::function<Result<void>(const SubsetBatch&)>& visit);

    ExportContext m_context;
    std::filesystem::path m_folder;
    Selection m_rows;
    Selection m_columns;
    DType m_type = DType::Other;
    bool m_byRows = true;
    Index m_most = 0;
    std::shared_ptr<SubsetStream> m_stream;
    std::shared_ptr<const MatrixReader> m_matrix;
};

} // namespace cellfolio
