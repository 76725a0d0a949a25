// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/encoding.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace cellfolio {

using hdf5::Attribute;
using hdf5::Object;

namespace {

struct Known {
    std::string_view type;
    Encoding encoding;
    std::array<std::string_view, 2> versions; // of anndata; the second may be empty
};

constexpr std::array kKnown{
    Known{"anndata", Encoding::AnnData, {"0.1.0", ""}},
    Known{"raw", Encoding::Raw, {"0.1.0", ""}},
    Known{"dict", Encoding::Dict, {"0.1.0", ""}},
    Known{"array", Encoding::Array, {"0.2.0", ""}},
    Known{"string-array", Encoding::StringArray, {"0.2.0", ""}},
    Known{"rec-array", Encoding::RecArray, {"0.2.0", ""}},
    Known{"numeric-scalar", Encoding::NumericScalar, {"0.2.0", ""}},
    Known{"string", Encoding::String, {"0.2.0", ""}},
    Known{"bytes", Encoding::String, {"0.2.0", ""}},
    Known{"csr_matrix", Encoding::Csr, {"0.1.0", ""}},
    Known{"csc_matrix", Encoding::Csc, {"0.1.0", ""}},
    Known{"dataframe", Encoding::DataFrame, {"0.2.0", "0.1.0"}},
    Known{"categorical", Encoding::Categorical, {"0.2.0", ""}},
    Known{"nullable-integer", Encoding::NullableInteger, {"0.1.0", ""}},
    Known{"nullable-boolean", Encoding::NullableBoolean, {"0.1.0", ""}},
    Known{"nullable-string-array", Encoding::NullableString, {"0.1.0", ""}},
    Known{"awkward-array", Encoding::Awkward, {"0.1.0", ""}},
    Known{"null", Encoding::Null, {"0.1.0", ""}},
    // What other writers put, though anndata refuses it.
    Known{"csr", Encoding::Csr, {"", ""}},
    Known{"csc", Encoding::Csc, {"", ""}},
    Known{"csr_array", Encoding::Csr, {"", ""}},
    Known{"csc_array", Encoding::Csc, {"", ""}},
};

std::optional<std::string> textOf(const Object& object, std::string_view attribute)
{
    const Attribute* found = object.attribute(attribute);
    return found ? found->text() : std::nullopt;
}

bool hasDataset(const Object& group, std::string_view name)
{
    const Object* member = group.child(name);
    return member && member->isDataset();
}

} // namespace

std::string StoredEncoding::text() const
{
    std::string result = type.value_or("");
    if (version)
        result += (result.empty() ? "" : " ") + *version;
    return result;
}

StoredEncoding storedEncoding(const Object& object)
{
    StoredEncoding stored;
    stored.type = textOf(object, "encoding-type");
    stored.version = textOf(object, "encoding-version");
    if (stored.type && !stored.type->empty()) {
        stored.encoding = Encoding::Other;
        stored.exact = false;
        for (const Known& known : kKnown) {
            if (known.type != *stored.type)
                continue;
            stored.encoding = known.encoding;
            stored.exact = stored.version && !stored.version->empty() &&
                           std::find(known.versions.begin(), known.versions.end(),
                                     *stored.version) != known.versions.end();
        }
        return stored;
    }
    if (const auto format = textOf(object, "h5sparse_format")) {
        stored.encoding = *format == "csc" ? Encoding::Csc : Encoding::Csr;
    }
    return stored;
}

bool isCompound(const Object& object)
{
    return object.array && object.array->type.cls == hdf5::TypeClass::Compound &&
           object.array->type.value == DType::Other;
}

Encoding guessedEncoding(const Object& object)
{
    if (object.isDataset()) {
        if (!object.array)
            return Encoding::Other;
        if (object.array->isNull)
            return Encoding::Null;
        if (isCompound(object))
            return Encoding::RecArray;
        const bool text = object.array->type.value == DType::String;
        if (object.array->isScalar)
            return text ? Encoding::String : Encoding::NumericScalar;
        return text ? Encoding::StringArray : Encoding::Array;
    }
    if (hasDataset(object, "data") && hasDataset(object, "indices") && hasDataset(object, "indptr"))
        return Encoding::Csr;
    if (object.attribute("_index") || object.attribute("column-order"))
        return Encoding::DataFrame;
    if (hasDataset(object, "codes") && object.child("categories"))
        return Encoding::Categorical;
    if (hasDataset(object, "values") && hasDataset(object, "mask")) {
        switch (object.child("values")->array->type.value) {
        case DType::String:
            return Encoding::NullableString;
        case DType::Bool:
            return Encoding::NullableBoolean;
        default:
            return Encoding::NullableInteger;
        }
    }
    return Encoding::Dict;
}

} // namespace cellfolio
