// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/value_text.h"

#include "app/cli/text_table.h"
#include "core/base/text.h"
#include "core/paging/array_reader.h"

namespace cellfolio::cli {
namespace {

constexpr Index kInLine = 8;

Result<std::string> scalarText(Session& session, const Element& element)
{
    auto values = ArrayReader(element.values, session.reading, element.path).all(session.stop);
    if (!values)
        return std::move(values).error();
    if (values->size() != 1)
        return std::string("null");
    return values->text(0);
}

Result<std::string> memberText(Session& session, const Element& element)
{
    if (!element.readable || element.kind == ElementKind::Link ||
        element.kind == ElementKind::Unknown)
        return std::string("(") +
               (element.whyNot ? element.whyNot->message() : shortKind(element)) + ")";
    if (element.kind == ElementKind::Scalar) {
        auto text = scalarText(session, element);
        if (!text)
            return text;
        return oneLine(*text, 200);
    }
    const bool list = element.kind == ElementKind::Array && element.shape &&
                      element.shape->size() == 1 && element.shape->front() <= kInLine &&
                      element.values && !element.isSparse();
    if (!list)
        return shortKind(element);
    auto values = ArrayReader(element.values, session.reading, element.path).all(session.stop);
    if (!values)
        return std::move(values).error();
    std::string text = "[";
    for (Index i = 0; i < values->size(); ++i)
        text += (i == 0 ? "" : ", ") + oneLine(values->text(i));
    return text + "]";
}

Result<void> writeMembers(Session& session, const Element& element, std::size_t indent)
{
    for (const auto& child : element.children) {
        if (auto on = session.mayGoOn(); !on)
            return on;
        const std::string head = std::string(indent, ' ') + oneLine(child->name);
        if (child->kind == ElementKind::Mapping) {
            session.output.write(head + (child->children.empty() ? ": (empty)\n" : "\n"));
            if (auto below = writeMembers(session, *child, indent + 2); !below)
                return below;
            continue;
        }
        auto text = memberText(session, *child);
        if (!text)
            return std::move(text).error();
        session.output.write(head + ": " + *text + "\n");
    }
    return {};
}

} // namespace

std::string shapeText(const std::vector<Index>& shape)
{
    std::string text;
    for (std::size_t d = 0; d < shape.size(); ++d)
        text += (d == 0 ? "" : " × ") + grouped(shape[d]);
    return text;
}

std::string shortKind(const Element& element)
{
    std::string text;
    switch (element.kind) {
    case ElementKind::Matrix:
    case ElementKind::Array:
        text = std::string(nameOf(element.storage));
        break;
    case ElementKind::Column:
        if (element.column == ColumnKind::Categorical)
            return (element.categoryCount
                        ? counted(*element.categoryCount, "category", "categories")
                        : std::string("categories")) +
                   (element.ordered ? ", ordered" : "");
        text = std::string(nameOf(element.column));
        break;
    case ElementKind::Records:
        text = "records";
        break;
    case ElementKind::Link:
        return "link to " + element.linkTarget;
    case ElementKind::Mapping:
        return counted(narrow<Index>(element.children.size()), "member", "members");
    default:
        text = std::string(nameOf(element.kind));
        break;
    }
    const auto add = [&text](std::string_view part) {
        if (!part.empty())
            text += (text.empty() ? "" : " ") + std::string(part);
    };
    if (element.dtype && element.kind != ElementKind::Table)
        add(nameOf(*element.dtype));
    if (element.shape && element.kind != ElementKind::Column)
        add(shapeText(*element.shape));
    return text;
}

Result<void> writeValueText(const ViewRequest& request)
{
    const Element& element = request.element();
    Session& session = request.session;
    if (!element.readable && element.whyNot)
        return *element.whyNot;
    switch (element.kind) {
    case ElementKind::Mapping:
        return writeMembers(session, element, 0);
    case ElementKind::Null:
        session.output.write("null\n");
        return {};
    case ElementKind::Link:
        return Error(ErrorCode::NotFound, "It is a link to " + element.linkTarget
                                              + ", which is listed and not followed.")
            .at(element.path)
            .advise("Open the file it points to.");
    case ElementKind::Unknown:
        return Error(ErrorCode::UnsupportedEncoding, "It is stored in a way that cannot be shown.")
            .at(element.path);
    default: {
        if (!element.values)
            return Error(ErrorCode::UnsupportedEncoding, "It has no value that could be shown.")
                .at(element.path);
        auto text = scalarText(session, element);
        if (!text)
            return std::move(text).error();
        session.output.write(toUtf8(*text) + "\n");
        return {};
    }
    }
}

} // namespace cellfolio::cli
