// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/awkward_reader.h"

#include "core/anndata/awkward_form.h"
#include "core/paging/array_reader.h"

#include <algorithm>
#include <optional>

namespace cellfolio::cli {
namespace {

using Kind = AwkwardNode::Kind;

constexpr Index kWindow = 1 << 14;

// Forms that are kept, and cut with a view, but not shown.
std::string_view nameOf(Kind kind)
{
    switch (kind) {
    case Kind::Spans: return "ListArray";
    case Kind::Record: return "RecordArray";
    case Kind::Indexed: return "IndexedArray";
    case Kind::IndexedOption: return "IndexedOptionArray";
    case Kind::ByteMasked: return "ByteMaskedArray";
    case Kind::BitMasked: return "BitMaskedArray";
    case Kind::Unmasked: return "UnmaskedArray";
    case Kind::Union: return "UnionArray";
    case Kind::Empty: return "EmptyArray";
    default: return "unnamed";
    }
}

} // namespace

// One level of the form, with the buffers it reads.
struct AwkwardReader::Node {
    enum class Kind { Numbers, List, Fixed, Text };
    Kind kind = Kind::Numbers;
    std::optional<ArrayReader> values;  // numbers; bytes of a text
    std::optional<ArrayReader> offsets; // lists and texts
    Index length = 0;                   // items there are
    Index size = 0;                     // items of a fixed-size list
    std::shared_ptr<const Node> content;

    using Pointer = std::shared_ptr<const Node>;

    struct Builder {
        const Element& element;
        const std::shared_ptr<Reading>& reading;

        ArrayReader reader(const AwkwardBuffer& buffer) const
        {
            return ArrayReader(buffer.array, reading, element.path + "/" + buffer.name);
        }

        Result<Pointer> node(const AwkwardNode& form) const
        {
            switch (form.kind) {
            case AwkwardNode::Kind::Numbers: return numbers(form);
            case AwkwardNode::Kind::Offsets: return list(form);
            case AwkwardNode::Kind::Fixed: {
                auto content = node(form.contents.front());
                if (!content)
                    return content;
                return fixedOf(std::move(*content), form.size);
            }
            default:
                return Error(ErrorCode::UnsupportedEncoding,
                             "The ragged array is built in a form that cannot be shown here ("
                                 + std::string(nameOf(form.kind)) + ").")
                    .at(element.path)
                    .advise("It is kept as it is; Python's awkward reads it.");
            }
        }

        Result<Pointer> numbers(const AwkwardNode& form) const
        {
            const AwkwardBuffer& buffer = form.buffers.front();
            if (!isReal(buffer.type()) || buffer.array.info().rank() != 1)
                return Error(ErrorCode::UnsupportedEncoding,
                             "The numbers of the ragged array are stored in a way that cannot be "
                             "shown here (\"" + buffer.name + "\").")
                    .at(element.path);
            auto leaf = std::make_shared<Node>();
            leaf->length = buffer.length();
            leaf->values.emplace(reader(buffer));
            Pointer node = std::move(leaf);
            for (auto size = form.inner.rbegin(); size != form.inner.rend(); ++size)
                node = fixedOf(node, *size);
            return node;
        }

        static Pointer fixedOf(Pointer content, Index size)
        {
            auto node = std::make_shared<Node>();
            node->kind = Kind::Fixed;
            node->size = size;
            node->length = size > 0 ? content->length / size : 0;
            node->content = std::move(content);
            return node;
        }

        Result<Pointer> list(const AwkwardNode& form) const
        {
            auto content = node(form.contents.front());
            if (!content)
                return content;
            auto result = std::make_shared<Node>();
            result->kind = form.isText() ? Kind::Text : Kind::List;
            if (form.isText()
                && ((*content)->kind != Kind::Numbers || sizeOf((*content)->values->dtype()) != 1))
                return Error(ErrorCode::Corrupt, "Its form has a text that is not made of bytes.")
                    .at(element.path);
            result->length = form.length;
            result->offsets.emplace(reader(form.buffers.front()));
            result->content = std::move(*content);
            return Pointer(std::move(result));
        }
    };
};

Result<AwkwardReader> AwkwardReader::open(const Element& element,
                                          const std::shared_ptr<Reading>& reading)
{
    if (!element.readable && element.whyNot)
        return *element.whyNot;
    auto form = AwkwardNode::read(element);
    if (!form)
        return std::move(form).error();
    auto root = Node::Builder{element, reading}.node(*form);
    if (!root)
        return std::move(root).error();
    AwkwardReader reader;
    reader.m_root = std::move(*root);
    reader.m_path = element.path;
    return reader;
}

Result<void> AwkwardReader::writeRow(JsonWriter& json, Index row, std::stop_token stop) const
{
    return writeItems(json, *m_root, row, 1, stop);
}

Result<std::string> AwkwardReader::rowText(Index row, std::stop_token stop) const
{
    std::string text;
    Output output(text, 1 << 20);
    JsonWriter json(output);
    if (auto written = writeRow(json, row, stop); !written)
        return std::move(written).error();
    output.flush();
    if (!output.ok())
        return Error(ErrorCode::OutOfBudget,
                     "Row " + std::to_string(row) + " is too long for one cell of text.")
            .at(m_path)
            .advise("Use --json.");
    return text;
}

// Items [first, first + count) of a level, as so many values, in windows.
Result<void> AwkwardReader::writeItems(JsonWriter& json, const Node& node, Index first, Index count,
                                       std::stop_token stop) const
{
    if (first < 0 || count < 0 || first + count > node.length)
        if (node.kind != Node::Kind::Fixed || node.size > 0)
            return Error(ErrorCode::Corrupt, "Its lists point behind the end of a buffer (item "
                                                 + std::to_string(first + count) + " of "
                                                 + std::to_string(node.length) + ").")
                .at(m_path);
    for (Index done = 0; done < count; done += kWindow) {
        if (stop.stop_requested())
            return Error::cancelled();
        const Index from = first + done;
        const Index n = std::min(kWindow, count - done);
        if (node.kind == Node::Kind::Numbers) {
            auto values = node.values->rows(from, n, stop);
            if (!values)
                return std::move(values).error();
            json.values(*values, 0, values->size());
            continue;
        }
        if (node.kind == Node::Kind::Fixed) {
            for (Index i = from; i < from + n; ++i) {
                json.beginArray();
                if (auto written = writeItems(json, *node.content, i * node.size, node.size, stop);
                    !written)
                    return written;
                json.endArray();
            }
            continue;
        }
        auto offsets = node.offsets->rows(from, n + 1, stop);
        if (!offsets)
            return std::move(offsets).error();
        for (Index i = 0; i < n; ++i) {
            const Index begin = offsets->integer(i);
            const Index end = offsets->integer(i + 1);
            if (begin < 0 || end < begin)
                return Error(ErrorCode::Corrupt,
                             "List " + std::to_string(from + i) + " ends before it begins.")
                    .at(m_path);
            if (node.kind == Node::Kind::Text) {
                if (end > node.content->length)
                    return Error(ErrorCode::Corrupt, "Text " + std::to_string(from + i)
                                                         + " reaches behind the end of its buffer.")
                        .at(m_path);
                auto bytes = node.content->values->rows(begin, end - begin, stop);
                if (!bytes)
                    return std::move(bytes).error();
                json.text({reinterpret_cast<const char*>(bytes->data()), at(bytes->size())});
                continue;
            }
            json.beginArray();
            if (auto written = writeItems(json, *node.content, begin, end - begin, stop); !written)
                return written;
            json.endArray();
        }
    }
    return {};
}

} // namespace cellfolio::cli
