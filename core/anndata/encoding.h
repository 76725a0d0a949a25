// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/object.h"

#include <optional>
#include <string>

namespace cellfolio {

// The encodings of FORMAT.md §1.1, and what an object is when it names none or one we do not know.
enum class Encoding {
    None, // not described
    AnnData,
    Raw,
    Dict,
    Array,
    StringArray,
    RecArray,
    NumericScalar,
    String,
    Csr,
    Csc,
    DataFrame,
    Categorical,
    NullableInteger,
    NullableBoolean,
    NullableString,
    Awkward,
    Null,
    Other, // described, but in a way we do not know
};

struct StoredEncoding {
    std::optional<std::string> type;
    std::optional<std::string> version;
    Encoding encoding = Encoding::None;
    bool exact = true; // anndata knows this very pair

    // "csr_matrix 0.1.0".
    std::string text() const;
};

// What the attributes of an object say about it; older sparse attributes count.
StoredEncoding storedEncoding(const hdf5::Object& object);

// What an object without a description looks like, by its members, type and space.
Encoding guessedEncoding(const hdf5::Object& object);

// Whether the values are records, not numbers or text (complex numbers are numbers).
bool isCompound(const hdf5::Object& object);

} // namespace cellfolio
