// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/select/selection_text.h"

#include "core/base/text.h"

#include <algorithm>
#include <limits>

namespace cellfolio {
namespace {

constexpr Index kSmallestIndex = std::numeric_limits<Index>::min();
constexpr Index kLargestIndex = std::numeric_limits<Index>::max();

// An optional minus and digits. What does not fit 64 bits is brought to the nearest end: a slice
// clips it anyway, and no axis is that long.
std::optional<Index> readInteger(std::string_view text)
{
    const bool negative = !text.empty() && text.front() == '-';
    const std::string_view digits = negative ? text.substr(1) : text;
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
        return std::nullopt;
    std::int64_t value = 0;
    if (!parseInteger(text, value))
        value = negative ? kSmallestIndex + 1 : kLargestIndex;
    return value;
}

Error malformed(std::string message, std::size_t offset)
{
    return Error(ErrorCode::BadUsage, std::move(message)).atOffset(narrow<Index>(offset));
}

// The text between double quotes that starts at `at`; moves `at` behind the closing one.
Result<std::string> readQuoted(std::string_view text, std::size_t& at)
{
    const std::size_t opening = at;
    std::string name;
    for (++at; at < text.size(); ++at) {
        if (text[at] == '"') {
            ++at;
            return name;
        }
        if (text[at] == '\\') {
            if (at + 1 == text.size() || (text[at + 1] != '"' && text[at + 1] != '\\'))
                return Error(
                           malformed("A backslash between quotes stands only before \" or \\.", at))
                    .advise("Write \\\\ for a backslash.");
            ++at;
        }
        name.push_back(text[at]);
    }
    return Error(malformed("A double quote is opened and not closed.", opening))
        .advise("Close it, or write \\\" for a quote that belongs to a name in quotes.");
}

std::string quoted(std::string_view name)
{
    std::string result = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\')
            result.push_back('\\');
        result.push_back(c);
    }
    result.push_back('"');
    return result;
}

} // namespace

class SelectionTextParser
{
public:
    explicit SelectionTextParser(std::string_view text) : m_text(text) {}

    Result<SelectionText> run()
    {
        if (m_text.starts_with("@")) {
            if (m_text.size() == 1)
                return malformed("@ must be followed by the path of a file of names.", 1);
            return SelectionText(m_text, SelectionText::NamesFrom{std::string(m_text.substr(1))});
        }
        if (m_text.starts_with("mask:"))
            return mask();
        return items();
    }

private:
    Result<SelectionText> mask()
    {
        const std::size_t start = 5;
        if (m_text.substr(start).starts_with("@")) {
            if (m_text.size() == start + 1)
                return malformed("mask:@ must be followed by the path of a file.", start + 1);
            return SelectionText(m_text,
                                 SelectionText::MaskFrom{std::string(m_text.substr(start + 1))});
        }
        SelectionText::Mask mask;
        for (std::size_t i = start; i < m_text.size(); ++i) {
            if (m_text[i] != '0' && m_text[i] != '1')
                return Error(malformed("A mask holds only 0 and 1.", i))
                    .advise("Put a name that begins with mask: into double quotes.");
            mask.marks.push_back(m_text[i] == '1');
        }
        return SelectionText(m_text, std::move(mask));
    }

    Result<SelectionText> items()
    {
        SelectionText::Items items;
        bool comma = false;
        while (m_at < m_text.size()) {
            auto item = oneItem();
            if (!item)
                return std::move(item).error();
            items.list.push_back(std::move(*item));
            if (m_at == m_text.size())
                break;
            if (m_text[m_at] != ',')
                return malformed("A comma or the end is due after a name in double quotes.", m_at);
            comma = true;
            ++m_at;
        }
        items.alone = items.list.size() == 1 && !comma;
        return SelectionText(m_text, std::move(items));
    }

    Result<SelectionText::Item> oneItem()
    {
        const std::size_t start = m_at;
        auto first = end();
        if (!first)
            return std::move(first).error();
        if (m_text.substr(m_at).starts_with("..")) {
            m_at += 2;
            auto last = end();
            if (!last)
                return std::move(last).error();
            return SelectionText::Item(
                SelectionText::NameRange{std::move(*first), std::move(*last)});
        }
        if (!*first)
            return Error(malformed("An item of the list is empty.", start))
                .advise("Write \"\" for an empty name.");
        if (m_text[start] == '"')
            return SelectionText::Item(std::move(**first));
        return unquoted(std::move((*first)->text), start);
    }

    // A name in quotes, or what stands before the next comma or "..", which may be nothing.
    Result<std::optional<SelectionText::Name>> end()
    {
        using Answer = std::optional<SelectionText::Name>;
        const std::size_t start = m_at;
        if (m_at < m_text.size() && m_text[m_at] == '"') {
            auto name = readQuoted(m_text, m_at);
            if (!name)
                return std::move(name).error();
            return Answer(SelectionText::Name{std::move(*name), narrow<Index>(start)});
        }
        while (m_at < m_text.size() && m_text[m_at] != ',' &&
               !m_text.substr(m_at).starts_with(".."))
            ++m_at;
        if (m_at == start)
            return Answer();
        return Answer(SelectionText::Name{std::string(m_text.substr(start, m_at - start)),
                                          narrow<Index>(start)});
    }

    Result<SelectionText::Item> unquoted(std::string text, std::size_t start)
    {
        if (const auto value = readInteger(text))
            return SelectionText::Item(SelectionText::Position{*value, narrow<Index>(start)});
        if (text.find(':') != std::string::npos) {
            std::optional<Index> parts[3];
            std::size_t count = 0;
            std::size_t from = 0;
            bool slice = true;
            for (bool more = true; more && slice; ++count) {
                const std::size_t colon = text.find(':', from);
                more = colon != std::string::npos;
                const std::string_view part =
                    std::string_view(text).substr(from, more ? colon - from : colon);
                if (count == 3)
                    slice = false;
                else if (!part.empty() && !(parts[count] = readInteger(part)))
                    slice = false;
                from = colon + 1;
            }
            if (slice) {
                const Index step = parts[2].value_or(1);
                if (step == 0)
                    return Error(malformed("The step of a slice cannot be 0.", start))
                        .advise("Leave it out, or give a whole number such as 2 or -1.");
                return SelectionText::Item(SelectionText::Range{parts[0], parts[1], step});
            }
        }
        return SelectionText::Item(SelectionText::Name{std::move(text), narrow<Index>(start)});
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

Result<SelectionText> SelectionText::parse(std::string_view text)
{
    return SelectionTextParser(text).run();
}

std::string selectionName(std::string_view name)
{
    const bool plain = !name.empty() && name.front() != '"' && name.front() != '@'
                    && !name.starts_with("mask:") && name.find(',') == std::string_view::npos
                    && name.find("..") == std::string_view::npos && !readInteger(name)
                    && name.find_first_not_of("0123456789:-") != std::string_view::npos;
    return plain ? std::string(name) : quoted(name);
}

std::string selectionText(const Selection& selection)
{
    if (selection.isAll())
        return ":";
    if (selection.empty())
        return "";
    if (const Slice* slice = selection.asSlice(); slice && slice->count > 1) {
        const Index last = slice->first + slice->step * (slice->count - 1);
        std::string text = std::to_string(slice->first) + ":";
        // A reversed slice that reaches position 0 has no end that could be written as a number.
        if (slice->step > 0)
            text += std::to_string(last + 1);
        else if (last > 0)
            text += std::to_string(last - 1);
        return slice->step == 1 ? text : text + ":" + std::to_string(slice->step);
    }
    std::string text;
    const auto add = [&text](const std::string& item) { text += (text.empty() ? "" : ",") + item; };
    selection.forEachRun([&add](Index first, Index count) {
        if (count > 2) {
            add(std::to_string(first) + ":" + std::to_string(first + count));
            return;
        }
        for (Index k = 0; k < count; ++k)
            add(std::to_string(first + k));
    });
    return text;
}

Result<std::vector<std::string>> parseNameList(std::string_view text)
{
    std::vector<std::string> names;
    std::size_t at = 0;
    while (at < text.size()) {
        if (text[at] == '"') {
            auto name = readQuoted(text, at);
            if (!name)
                return std::move(name).error();
            names.push_back(std::move(*name));
            if (at < text.size() && text[at] != ',')
                return malformed("A comma or the end is due after a name in double quotes.", at);
        } else {
            const std::size_t comma = std::min(text.find(',', at), text.size());
            if (comma == at)
                return Error(malformed("An item of the list is empty.", at))
                    .advise("Write \"\" for an empty name.");
            names.emplace_back(text.substr(at, comma - at));
            at = comma;
        }
        ++at; // the comma
    }
    return names;
}

} // namespace cellfolio
