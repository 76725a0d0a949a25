// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/column_reader.h"
#include "core/matrix/gene_source.h"

#include <memory>
#include <string>
#include <vector>

namespace cellfolio::query {

// A 1-D array of one value a row whose values have one size: a numeric or boolean column, the
// codes of a categorical, a mask.
struct FixedSource {
    ArrayRef array;
    std::string path;
};

// Everything an expression reads, each once however often it is named.
struct Sources {
    std::vector<FixedSource> fixed;
    std::vector<ColumnReader> columns; // read as values: text, and categories too many to be held
    struct Matrix {
        std::shared_ptr<GeneSource> source;
        std::vector<Index> columns; // wanted, in the order they were asked for
    };
    std::vector<Matrix> matrices;

    int addFixed(const ArrayRef& array, const std::string& path);
    int addColumn(ColumnReader reader);
    struct MatrixPlace {
        int matrix = 0;
        int column = 0; // number among the wanted ones
    };
    MatrixPlace addMatrixColumn(const std::shared_ptr<GeneSource>& source, Index column);
};

// What a part of an expression reads.
struct Needs {
    std::vector<bool> fixed;
    std::vector<bool> columns;
    std::vector<std::vector<bool>> matrices; // by matrix, by wanted column

    explicit Needs(const Sources& sources);
    bool anyFixed() const;
    bool anyColumn() const;
    bool anyMatrix() const;
};

// How dear a part is to read, from the dearest thing in it.
enum class Cost { Cheap, Text, Matrix };
Cost costOf(const Needs& needs);

// One block of rows as a checked tree sees it. Values are read when a node first asks for them.
class BlockRows
{
public:
    virtual ~BlockRows() = default;

    struct Fixed {
        DType type = DType::Other;
        const std::byte* values = nullptr; // native, one a row
    };
    Index count() const noexcept { return m_count; }
    virtual Result<Fixed> fixed(int source) = 0;
    virtual Result<const ColumnValues*> column(int source) = 0;
    virtual Fixed matrix(int matrix, int column) = 0;
    // Positions of the rows in the file.
    virtual const Selection& positions() = 0;
    // The value of an aggregate, which an earlier pass worked out; NaN where there is none.
    virtual double aggregate(int number) const = 0;

protected:
    Index m_count = 0;
};

} // namespace cellfolio::query
