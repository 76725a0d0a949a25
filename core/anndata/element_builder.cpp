// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/element_builder.h"

#include "core/base/text.h"

namespace cellfolio {

using hdf5::Object;
using hdf5::ObjectKind;

ColumnKind plainColumnKind(DType type)
{
    if (type == DType::String)
        return ColumnKind::String;
    if (type == DType::Bool)
        return ColumnKind::Boolean;
    return type == DType::Other ? ColumnKind::Opaque : ColumnKind::Numeric;
}

std::unique_ptr<Element> ElementBuilder::start(const Object& object, Element& parent,
                                               const std::string& name)
{
    auto element = std::make_unique<Element>();
    element->name = name;
    element->path = joinPath(parent.path, name);
    element->parent = &parent;
    element->object = &object;
    if (object.soft) {
        element->linkType = "soft";
        element->linkTarget = object.linkTarget;
    }
    return element;
}

Element* ElementBuilder::add(const Object& object, Element& parent, const std::string& name)
{
    auto element = build(object, parent, name);
    if (!element)
        return nullptr;
    parent.children.push_back(std::move(element));
    return parent.children.back().get();
}

std::unique_ptr<Element> ElementBuilder::build(const Object& object, Element& parent,
                                               const std::string& name)
{
    if (object.kind == ObjectKind::NamedType)
        return nullptr;
    auto element = start(object, parent, name);
    if (!fillLink(*element, object))
        fill(*element, object);
    return element;
}

// Links that lead nowhere we go, and objects that cannot be opened.
bool ElementBuilder::fillLink(Element& element, const Object& object)
{
    element.kind = ElementKind::Link;
    switch (object.kind) {
    case ObjectKind::Dangling:
        element.linkType = "soft";
        element.linkTarget = object.linkTarget;
        m_context.refuse("A046", element, ErrorCode::NotFound,
                         "\"" + element.path + "\" is a link to " + object.linkTarget +
                             ", which is not there.");
        return true;
    case ObjectKind::External: {
        element.linkType = "external";
        element.linkTarget = object.linkFile + object.linkTarget;
        Finding& finding = m_context.refuse(
            "A046", element, ErrorCode::Refused,
            "\"" + element.path + "\" is a link to " + object.linkTarget + " in another file, \"" +
                object.linkFile + "\"; links to other files are not followed.",
            "Open that file itself, or embed the data.");
        finding.severity = Severity::Warning;
        finding.fixable = true;
        return true;
    }
    case ObjectKind::Cycle: {
        element.linkType = object.soft ? "soft" : "";
        element.linkTarget = object.linkTarget;
        Finding& finding =
            m_context.refuse("A046", element, ErrorCode::Refused,
                             "\"" + element.path + "\" is a link back to a group that holds it.");
        finding.severity = Severity::Warning;
        return true;
    }
    case ObjectKind::Damaged:
        // What the library said is no sentence for people; the object keeps it.
        element.kind = ElementKind::Unknown;
        m_context.refuse("A056", element, ErrorCode::Corrupt,
                         "\"" + element.path +
                             "\" cannot be opened: the part of the file that describes it is "
                             "damaged.");
        return true;
    default:
        return false;
    }
}

void ElementBuilder::fill(Element& element, const Object& object)
{
    const StoredEncoding stored = storedEncoding(object);
    element.encoding = stored.type;
    element.version = stored.version;
    if (stored.encoding == Encoding::Other) {
        m_context.refuse("A015", element, ErrorCode::UnsupportedEncoding,
                         "\"" + element.path +
                             "\" is stored in a way this program does not know (" + stored.text() +
                             "); anndata will refuse the whole file.");
        fillUnknown(element, object);
        return;
    }
    if (!stored.exact)
        m_context.report("A015", element.path,
                         "\"" + element.path + "\" is described as \"" + stored.text() +
                             "\", which anndata does not know; it is read as what it looks like.");

    if (stored.encoding == Encoding::None && m_context.tagged)
        BuildContext::count(m_context.undescribed, element.path);
    Encoding encoding =
        stored.encoding == Encoding::None ? guessedEncoding(object) : stored.encoding;
    const bool wantsGroup =
        encoding == Encoding::AnnData || encoding == Encoding::Raw || encoding == Encoding::Dict ||
        encoding == Encoding::Csr || encoding == Encoding::Csc || encoding == Encoding::DataFrame ||
        encoding == Encoding::Categorical || encoding == Encoding::NullableInteger ||
        encoding == Encoding::NullableBoolean || encoding == Encoding::NullableString ||
        encoding == Encoding::Awkward;
    if (wantsGroup != object.isGroup()) {
        m_context.report("A015", element.path,
                         "\"" + element.path + "\" is described as \"" + stored.text() +
                             "\" but is a " + (object.isGroup() ? "group" : "dataset") +
                             "; it is read as what it looks like.");
        encoding = guessedEncoding(object);
    }

    switch (encoding) {
    case Encoding::Csr:
        fillSparse(element, object, Storage::Csr);
        break;
    case Encoding::Csc:
        fillSparse(element, object, Storage::Csc);
        break;
    case Encoding::DataFrame:
        fillFrame(element, object);
        break;
    case Encoding::Categorical:
        fillCategorical(element, object);
        break;
    case Encoding::NullableInteger:
    case Encoding::NullableBoolean:
    case Encoding::NullableString:
        fillNullable(element, object, encoding);
        break;
    case Encoding::Awkward:
        fillAwkward(element, object);
        break;
    case Encoding::AnnData:
    case Encoding::Raw:
    case Encoding::Dict:
        fillMapping(element, object);
        break;
    default:
        fillArray(element, object);
        break;
    }
}

void ElementBuilder::fillMapping(Element& element, const Object& group)
{
    element.kind = ElementKind::Mapping;
    for (const auto& child : group.children)
        add(*child, element, child->name);
}

void ElementBuilder::fillAwkward(Element& element, const Object& group)
{
    element.kind = ElementKind::Awkward;
    const hdf5::Attribute* form = group.attribute("form");
    const hdf5::Attribute* length = group.attribute("length");
    if (form)
        element.awkwardForm = form->text().value_or("");
    element.awkwardLength = length ? length->integer().value_or(0) : 0;
    element.shape = {element.awkwardLength};
    for (const auto& child : group.children)
        if (child->isDataset() && child->array) {
            element.parts.push_back({child->name, m_context.ref(*child)});
            checkStorage(element, element.parts.back().array);
        }
    m_context.needsReader(9, element.path, "a ragged array");
    if (element.awkwardForm.empty())
        m_context.refuse("A015", element, ErrorCode::UnsupportedEncoding,
                         "The ragged array \"" + element.path + "\" does not say its form.");
}

// Kept closed: what an unknown encoding means by its members is its own affair.
void ElementBuilder::fillUnknown(Element& element, const Object& object)
{
    element.kind = ElementKind::Unknown;
    if (object.isDataset() && object.array) {
        element.shape = object.array->shape;
        if (object.array->type.value != DType::Other)
            element.dtype = object.array->type.value;
        element.bigEndian = object.array->type.bigEndian;
        element.values = m_context.ref(object);
        return;
    }
    for (const auto& child : object.children)
        if (child->isDataset() && child->array)
            element.parts.push_back({child->name, m_context.ref(*child)});
}

} // namespace cellfolio
