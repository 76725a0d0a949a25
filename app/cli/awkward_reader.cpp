// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/awkward_reader.h"

#include "core/paging/array_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace cellfolio::cli {
namespace {

using Form = nlohmann::json;

constexpr Index kWindow = 1 << 14;

std::string textAt(const Form& form, const char* key)
{
    const auto found = form.find(key);
    return found != form.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string arrayParameter(const Form& form)
{
    const auto parameters = form.find("parameters");
    return parameters != form.end() && parameters->is_object() ? textAt(*parameters, "__array__")
                                                               : std::string();
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

        Error damaged(const std::string& what) const
        {
            return Error(ErrorCode::Corrupt, what).at(element.path);
        }

        Result<ArrayReader> buffer(const Form& form, const char* suffix) const
        {
            const std::string name = textAt(form, "form_key") + suffix;
            for (const ElementPart& part : element.parts) {
                if (part.name == name && part.array && part.array.info().rank() >= 1
                    && isReal(part.array.dtype()))
                    return ArrayReader(part.array, reading, element.path + "/" + name);
            }
            return damaged("The buffer \"" + name + "\" that its form names is not stored.");
        }

        Result<Pointer> node(const Form& form) const
        {
            const std::string kind = form.is_object() ? textAt(form, "class") : std::string();
            if (kind == "NumpyArray")
                return numbers(form);
            if (kind == "ListOffsetArray")
                return list(form);
            if (kind == "RegularArray")
                return fixed(form);
            return Error(ErrorCode::UnsupportedEncoding,
                         "The ragged array is built in a form that cannot be shown here ("
                             + (kind.empty() ? std::string("unnamed") : kind) + ").")
                .at(element.path)
                .advise("It is kept as it is; Python's awkward reads it.");
        }

        Result<Pointer> numbers(const Form& form) const
        {
            auto values = buffer(form, "-data");
            if (!values)
                return std::move(values).error();
            auto leaf = std::make_shared<Node>();
            leaf->length = values->array().length();
            leaf->values.emplace(std::move(*values));
            Pointer node = std::move(leaf);
            // Inner dimensions are fixed-size lists; the buffer itself may be flat or not.
            std::vector<Index> inner;
            if (const auto shape = form.find("inner_shape");
                shape != form.end() && shape->is_array()) {
                for (const Form& extent : *shape) {
                    if (!extent.is_number_integer() || extent.get<Index>() < 0)
                        return damaged("Its form has an inner shape that is none.");
                    inner.push_back(extent.get<Index>());
                }
            }
            if (!inner.empty() && node->values->array().info().rank() > 1)
                return damaged("Its numbers are stored with dimensions its form does not expect.");
            for (auto size = inner.rbegin(); size != inner.rend(); ++size)
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

        Result<Pointer> list(const Form& form) const
        {
            auto offsets = buffer(form, "-offsets");
            if (!offsets)
                return std::move(offsets).error();
            const auto below = form.find("content");
            if (below == form.end())
                return damaged("Its form has a list without a content.");
            auto content = node(*below);
            if (!content)
                return std::move(content).error();
            auto result = std::make_shared<Node>();
            const std::string parameter = arrayParameter(form);
            result->kind =
                parameter == "string" || parameter == "bytestring" ? Kind::Text : Kind::List;
            if (result->kind == Kind::Text
                && ((*content)->kind != Kind::Numbers || sizeOf((*content)->values->dtype()) != 1))
                return damaged("Its form has a text that is not made of bytes.");
            result->length = std::max<Index>(0, offsets->array().length() - 1);
            result->offsets.emplace(std::move(*offsets));
            result->content = std::move(*content);
            return Pointer(std::move(result));
        }

        Result<Pointer> fixed(const Form& form) const
        {
            const auto below = form.find("content");
            const auto size = form.find("size");
            if (below == form.end() || size == form.end() || !size->is_number_integer()
                || size->get<Index>() < 0)
                return damaged("Its form has a fixed-size list without a size or content.");
            auto content = node(*below);
            if (!content)
                return std::move(content).error();
            return fixedOf(std::move(*content), size->get<Index>());
        }
    };
};

Result<AwkwardReader> AwkwardReader::open(const Element& element,
                                          const std::shared_ptr<Reading>& reading)
{
    if (!element.readable && element.whyNot)
        return *element.whyNot;
    const Form form = Form::parse(element.awkwardForm, nullptr, false);
    const Node::Builder builder{element, reading};
    if (form.is_discarded())
        return builder.damaged("Its form is no JSON text.");
    auto root = builder.node(form);
    if (!root)
        return std::move(root).error();
    if ((*root)->length < element.awkwardLength && (*root)->kind != Node::Kind::Fixed)
        return builder.damaged("It is said to have " + std::to_string(element.awkwardLength) +
                               " rows, and its buffers hold " + std::to_string((*root)->length) +
                               ".");
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
