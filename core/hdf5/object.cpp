// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/object.h"

#include "core/base/text.h"

namespace cellfolio::hdf5 {

std::string StoredType::describe() const
{
    switch (cls) {
    case TypeClass::Integer:
    case TypeClass::Float:
    case TypeClass::Bitfield:
        return std::string(nameOf(value));
    case TypeClass::Enum:
        return value == DType::Bool ? "bool" : "numbers with labels";
    case TypeClass::String:
        return variable ? "text" : "text of fixed length " + std::to_string(size);
    case TypeClass::Compound:
        return isComplex(value) ? std::string(nameOf(value))
                                : "records of " + std::to_string(members.size()) + " fields";
    case TypeClass::Reference: return "references";
    case TypeClass::Array: return "small arrays of " + (base ? base->describe() : "unknown values");
    case TypeClass::VarLen: return "lists of varying length";
    case TypeClass::Opaque: return "opaque bytes";
    case TypeClass::Time: return "times";
    case TypeClass::Unknown: break;
    }
    return "an unknown type";
}

std::optional<std::string> Attribute::text() const
{
    if (texts.size() == 1)
        return texts[0];
    return std::nullopt;
}

std::optional<std::int64_t> Attribute::integer() const
{
    if (integers.size() == 1)
        return integers[0];
    return std::nullopt;
}

std::string Filter::text() const
{
    // Only gzip's parameter is a level that people know.
    return id == 1 && !parameters.empty() ? name + ":" + std::to_string(parameters[0]) : name;
}

Index ArrayInfo::count() const noexcept
{
    if (isNull)
        return 0;
    Index n = 1;
    for (const Index length : shape)
        n *= length;
    return n;
}

const Attribute* Object::attribute(std::string_view attributeName) const noexcept
{
    for (const Attribute& a : attributes) {
        if (a.name == attributeName)
            return &a;
    }
    return nullptr;
}

const Object* Object::child(std::string_view childName) const noexcept
{
    for (const auto& c : children) {
        if (c->name == childName)
            return c.get();
    }
    return nullptr;
}

const Object* Object::find(std::string_view relativePath) const noexcept
{
    const Object* object = this;
    while (object && !relativePath.empty()) {
        const std::size_t slash = relativePath.find('/');
        const std::string_view part = relativePath.substr(0, slash);
        relativePath = slash == std::string_view::npos ? std::string_view{}
                                                       : relativePath.substr(slash + 1);
        if (!part.empty())
            object = object->child(part);
    }
    return object;
}

} // namespace cellfolio::hdf5
