// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/base/values.h"
#include "core/hdf5/file.h"
#include "core/paging/reading.h"
#include "core/select/selection.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace cellfolio {

// A dataset of a file, or one field of a dataset of records. A value; empty when default made.
struct ArrayRef {
    std::shared_ptr<const hdf5::File> file;
    const hdf5::Object* object = nullptr; // kind Dataset, owned by the file
    int member = -1;                      // field of a compound

    explicit operator bool() const noexcept { return object != nullptr; }
    const hdf5::ArrayInfo& info() const { return *object->array; }
    const hdf5::StoredType& type() const; // of the values, of the field when it is one
    DType dtype() const { return type().cls == hdf5::TypeClass::Array ? type().base->value : type().value; }
    bool bigEndian() const;
    std::vector<Index> shape() const;     // an array field adds its dimensions at the end
    Index length() const;                 // of the first axis; 1 for a scalar, 0 for null
};

// Reads arrays of a file through the shared page cache: only the chunks that are touched are
// decoded, each once. Thread-safe, cheap to copy, blocking (never call it on the UI thread).
// Errors name the element by the path given at construction.
class ArrayReader
{
public:
    ArrayReader(ArrayRef array, std::shared_ptr<Reading> reading, std::string elementPath);

    const ArrayRef& array() const noexcept { return m_array; }
    DType dtype() const { return m_array.dtype(); }

    // All values of the block [start, start + count) on every axis, row-major. Scalars: both empty.
    Result<Values> block(const std::vector<Index>& start, const std::vector<Index>& count,
                         std::stop_token stop = {}) const;
    // Values first … first + count - 1 of a 1-D array (or rows of the first axis, whole, of an N-D).
    Result<Values> rows(Index first, Index count, std::stop_token stop = {}) const;
    // Rows of the first axis in the order of the selection, repeats kept; each row whole.
    // Close rows are read in one go, each chunk is decoded once whatever the order.
    Result<Values> rows(const Selection& rows, std::stop_token stop = {}) const;
    // 2-D (or more; further axes whole): the outer product of two selections.
    Result<Values> rowsAndColumns(const Selection& rows, const Selection& columns,
                                  std::stop_token stop = {}) const;
    Result<Values> all(std::stop_token stop = {}) const;

private:
    Result<Values> blockThroughPages(const std::vector<Index>& start,
                                     const std::vector<Index>& count, std::stop_token stop) const;

    ArrayRef m_array;
    std::shared_ptr<Reading> m_reading;
    std::string m_path;
    bool m_paged = false; // pages of decoded chunks; else through the library at level 0
};

} // namespace cellfolio
