// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/element.h"

namespace cellfolio {

std::string_view nameOf(ElementKind kind)
{
    switch (kind) {
    case ElementKind::Matrix:
        return "matrix";
    case ElementKind::Array:
        return "array";
    case ElementKind::Table:
        return "table";
    case ElementKind::Scalar:
        return "scalar";
    case ElementKind::Mapping:
        return "mapping";
    case ElementKind::Records:
        return "records";
    case ElementKind::Awkward:
        return "awkward";
    case ElementKind::Null:
        return "null";
    case ElementKind::Link:
        return "link";
    case ElementKind::Unknown:
        return "unknown";
    case ElementKind::Column:
        return "column";
    }
    return "unknown";
}

std::string_view nameOf(Storage storage)
{
    switch (storage) {
    case Storage::None:
        return "";
    case Storage::Dense:
        return "dense";
    case Storage::Csr:
        return "csr";
    case Storage::Csc:
        return "csc";
    case Storage::Compound:
        return "compound";
    }
    return "";
}

std::string_view nameOf(ColumnKind kind)
{
    switch (kind) {
    case ColumnKind::Numeric:
        return "numeric";
    case ColumnKind::Boolean:
        return "boolean";
    case ColumnKind::String:
        return "string";
    case ColumnKind::Categorical:
        return "categorical";
    case ColumnKind::NullableInteger:
        return "nullable-integer";
    case ColumnKind::NullableBoolean:
        return "nullable-boolean";
    case ColumnKind::NullableString:
        return "nullable-string";
    case ColumnKind::Opaque:
        return "opaque";
    }
    return "opaque";
}

std::string_view nameOf(Holds holds)
{
    switch (holds) {
    case Holds::Unknown:
        return "";
    case Holds::Counts:
        return "counts";
    case Holds::Log1p:
        return "log1p";
    case Holds::Scaled:
        return "scaled";
    case Holds::Other:
        return "other";
    }
    return "";
}

const Element* Element::child(std::string_view childName) const noexcept
{
    for (const std::unique_ptr<Element>& candidate : children)
        if (candidate->name == childName)
            return candidate.get();
    return nullptr;
}

} // namespace cellfolio
