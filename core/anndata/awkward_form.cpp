// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/awkward_form.h"

#include "core/base/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace cellfolio {

namespace {

// Records of version 1 name their fields by the order of an object.
using Json = nlohmann::ordered_json;
using Kind = AwkwardNode::Kind;

std::string textAt(const Json& form, const char* key)
{
    const auto found = form.find(key);
    return found != form.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// "ListOffsetArray32" and the like are names of version 1.
struct Class {
    std::string_view name;
    std::string_view widths; // endings of version 1
    Kind kind;
};
constexpr Class kClasses[] = {
    {"NumpyArray", "", Kind::Numbers},
    {"ListOffsetArray", "32 U32 64", Kind::Offsets},
    {"ListArray", "32 U32 64", Kind::Spans},
    {"RegularArray", "", Kind::Fixed},
    {"RecordArray", "", Kind::Record},
    {"IndexedArray", "32 U32 64", Kind::Indexed},
    {"IndexedOptionArray", "32 64", Kind::IndexedOption},
    {"ByteMaskedArray", "", Kind::ByteMasked},
    {"BitMaskedArray", "", Kind::BitMasked},
    {"UnmaskedArray", "", Kind::Unmasked},
    {"UnionArray", "8_32 8_U32 8_64", Kind::Union},
    {"EmptyArray", "", Kind::Empty},
};

const Class* classNamed(std::string_view text)
{
    for (const Class& known : kClasses) {
        if (!text.starts_with(known.name))
            continue;
        const std::string ending = " " + std::string(text.substr(known.name.size())) + " ";
        if (ending == "  " || (" " + std::string(known.widths) + " ").find(ending) != std::string::npos)
            return &known;
    }
    return nullptr;
}

std::optional<DType> indexType(const std::string& name)
{
    for (const auto& [text, type] : {std::pair{"i8", DType::Int8}, {"u8", DType::UInt8},
                                     {"i32", DType::Int32}, {"u32", DType::UInt32},
                                     {"i64", DType::Int64}})
        if (name == text)
            return type;
    return std::nullopt;
}

// Readers look at the bytes of a buffer; of single bytes every whole number says the same.
bool sameBytes(DType stored, DType wanted)
{
    const auto isByte = [](DType type) { return sizeOf(type) == 1; };
    return stored == wanted || (isByte(stored) && isByte(wanted));
}

Index least(Index a, Index b)
{
    return std::min(a, b);
}

class FormReader
{
public:
    explicit FormReader(const Element& element) : m_element(element) {}

    Result<AwkwardNode> node(const Json& form, int depth)
    {
        const std::string name = form.is_object() ? textAt(form, "class") : std::string();
        const Class* known = classNamed(name);
        if (known == nullptr)
            return Error(ErrorCode::UnsupportedEncoding,
                         "Its form has a part that this program does not know ("
                             + (name.empty() ? std::string("unnamed") : name) + ").")
                .at(m_element.path);
        if (depth > AwkwardNode::kDeepest)
            return damaged("Its form is more than " + std::to_string(AwkwardNode::kDeepest)
                           + " levels deep.");
        AwkwardNode node;
        node.kind = known->kind;
        node.key = textAt(form, "form_key");
        if (const auto parameters = form.find("parameters");
            parameters != form.end() && parameters->is_object())
            node.meaning = textAt(*parameters, "__array__");
        if (auto read = contents(node, form, depth, name); !read)
            return std::move(read).error();
        if (auto read = details(node, form, name); !read)
            return std::move(read).error();
        return node;
    }

    Error damaged(const std::string& what) const
    {
        return Error(ErrorCode::Corrupt, what).at(m_element.path);
    }

private:
    Result<void> contents(AwkwardNode& node, const Json& form, int depth, const std::string& name)
    {
        if (node.kind == Kind::Numbers || node.kind == Kind::Empty)
            return {};
        const bool several = node.kind == Kind::Record || node.kind == Kind::Union;
        const auto below = form.find(several ? "contents" : "content");
        if (below == form.end() || (several && !below->is_array() && !below->is_object()))
            return damaged("Its form has a " + name + " without a content.");
        const auto add = [&](const Json& content) -> Result<void> {
            auto made = this->node(content, depth + 1);
            if (!made)
                return std::move(made).error();
            node.contents.push_back(std::move(*made));
            return {};
        };
        if (!several)
            return add(*below);
        for (const auto& content : *below)
            if (auto added = add(content); !added)
                return added;
        return {};
    }

    // The next buffer of a level; its type is what the form says.
    Result<void> buffer(AwkwardNode& node, const char* suffix, std::optional<DType> wanted,
                        const std::string& said)
    {
        const std::string name = node.key + suffix;
        if (!wanted || *wanted == DType::Other || *wanted == DType::String)
            return Error(ErrorCode::UnsupportedEncoding,
                         "Its form has values of a type that this program does not know (\""
                             + said + "\" of \"" + name + "\").")
                .at(m_element.path);
        const auto part = std::find_if(m_element.parts.begin(), m_element.parts.end(),
                                       [&](const ElementPart& p) { return p.name == name; });
        if (part == m_element.parts.end())
            return damaged("The buffer \"" + name + "\" that its form names is not stored.");
        if (!part->array || (part->array.info().rank() < 1 && !part->array.info().isNull)
            || !sameBytes(part->array.dtype(), *wanted))
            return damaged("The buffer \"" + name + "\" holds no values of the type that its form says ("
                           + said + ").");
        if (!m_taken.insert(name).second)
            return damaged("Two parts of its form name the same buffer \"" + name + "\".");
        node.buffers.push_back({name, part->array});
        return {};
    }

    // A buffer whose type the form states by the suffix's own name: "offsets": "i64".
    Result<void> index(AwkwardNode& node, const Json& form, const char* suffix)
    {
        const std::string said = textAt(form, suffix + 1);
        return buffer(node, suffix, indexType(said), said);
    }

    Result<void> details(AwkwardNode& node, const Json& form, const std::string& name)
    {
        const auto bufferLength = [&](std::size_t k) { return node.buffers[k].length(); };
        Result<void> found;
        switch (node.kind) {
        case Kind::Numbers: return numbers(node, form);
        case Kind::Offsets:
            if (found = index(node, form, "-offsets"); found)
                node.length = std::max<Index>(0, bufferLength(0) - 1);
            return found;
        case Kind::Spans:
            if (found = index(node, form, "-starts"); !found)
                return found;
            if (found = index(node, form, "-stops"); found)
                node.length = least(bufferLength(0), bufferLength(1));
            return found;
        case Kind::Fixed: {
            const auto size = form.find("size");
            if (size == form.end() || !size->is_number_integer() || size->get<Index>() < 0)
                return damaged("Its form has a list of fixed size without a size.");
            node.size = size->get<Index>();
            const Index below = node.contents.front().length;
            node.length = node.size == 0 || below == AwkwardNode::kNoEnd ? AwkwardNode::kNoEnd
                                                                        : below / node.size;
            return {};
        }
        case Kind::Record:
            node.length = AwkwardNode::kNoEnd;
            for (const AwkwardNode& content : node.contents)
                node.length = least(node.length, content.length);
            return {};
        case Kind::Indexed:
        case Kind::IndexedOption:
            if (found = index(node, form, "-index"); found)
                node.length = bufferLength(0);
            return found;
        case Kind::ByteMasked:
            if (found = index(node, form, "-mask"); found)
                node.length = least(bufferLength(0), node.contents.front().length);
            return found;
        case Kind::BitMasked: {
            if (found = index(node, form, "-mask"); !found)
                return found;
            const auto order = form.find("lsb_order");
            if (order == form.end() || !order->is_boolean())
                return damaged("Its form has a " + name + " that does not say the order of its bits.");
            node.lowBitFirst = order->get<bool>();
            node.length = least(bufferLength(0) * 8, node.contents.front().length);
            return {};
        }
        case Kind::Unmasked: node.length = node.contents.front().length; return {};
        case Kind::Union:
            if (found = index(node, form, "-tags"); !found)
                return found;
            if (found = index(node, form, "-index"); found)
                node.length = least(bufferLength(0), bufferLength(1));
            return found;
        case Kind::Empty: node.length = 0; return {};
        }
        return {};
    }

    Result<void> numbers(AwkwardNode& node, const Json& form)
    {
        const std::string said = textAt(form, "primitive");
        if (auto found = buffer(node, "-data", dtypeNamed(said), said); !found)
            return found;
        Index items = 1;
        if (const auto shape = form.find("inner_shape"); shape != form.end() && shape->is_array())
            for (const Json& extent : *shape) {
                const Index length = extent.is_number_integer() ? extent.get<Index>() : -1;
                if (length < 0 || (length > 0 && items > AwkwardNode::kNoEnd / length))
                    return damaged("Its form has inner dimensions that are none (\""
                                   + node.buffers.front().name + "\").");
                items *= length;
                node.inner.push_back(length);
            }
        node.length = items == 0 ? AwkwardNode::kNoEnd : node.buffers.front().length() / items;
        return {};
    }

    const Element& m_element;
    std::set<std::string> m_taken;
};

void widen(Json& form, const std::set<std::string>& keys)
{
    if (form.is_object() && keys.count(textAt(form, "form_key")) > 0) {
        for (const char* member : {"offsets", "starts", "stops", "index"})
            if (form.contains(member))
                form[member] = "i64";
        if (const Class* known = classNamed(textAt(form, "class")))
            form["class"] = known->name;
    }
    if (form.is_structured())
        for (auto& below : form)
            widen(below, keys);
}

} // namespace

Index AwkwardBuffer::length() const
{
    return array.info().isNull ? 0 : array.info().count();
}

Index AwkwardNode::numbersOfItem() const noexcept
{
    Index product = 1;
    for (const Index extent : inner)
        product *= extent;
    return product;
}

Index AwkwardNode::depth() const noexcept
{
    Index below = 0;
    for (const AwkwardNode& content : contents)
        below = std::max(below, content.depth());
    return below + 1;
}

Result<AwkwardNode> AwkwardNode::read(const Element& element)
{
    FormReader reader(element);
    const Json form = Json::parse(element.awkwardForm, nullptr, false);
    if (form.is_discarded())
        return reader.damaged("Its form is no JSON text.");
    auto root = reader.node(form, 0);
    if (!root)
        return root;
    if (element.awkwardLength < 0 || root->length < element.awkwardLength)
        return reader.damaged("It is said to have " + grouped(element.awkwardLength)
                              + " rows, and its buffers hold " + grouped(root->length) + ".");
    return root;
}

std::string widenedForm(const std::string& form, const std::vector<std::string>& keys)
{
    Json json = Json::parse(form, nullptr, false);
    widen(json, std::set<std::string>(keys.begin(), keys.end()));
    return json.dump();
}

} // namespace cellfolio
