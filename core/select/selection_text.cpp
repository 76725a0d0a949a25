// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/select/selection_text.h"

#include "core/base/text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unordered_map>

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
                return Error(malformed("A backslash between quotes stands only before \" or \\.", at))
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

Result<std::string> readTextFile(const std::string& path)
{
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               &std::fclose);
    const auto failure = [&path](int number) {
        const ErrorCode code = number == ENOENT || number == ENOTDIR ? ErrorCode::NotFound
                             : number == EACCES || number == EPERM   ? ErrorCode::PermissionDenied
                                                                     : ErrorCode::Io;
        return Error(code, "\"" + path + "\" cannot be read: " + std::strerror(number) + ".");
    };
    if (!file)
        return failure(errno);
    std::string text;
    char buffer[1 << 14];
    for (;;) {
        const std::size_t got = std::fread(buffer, 1, sizeof buffer, file.get());
        text.append(buffer, got);
        if (got < sizeof buffer)
            break;
    }
    if (std::ferror(file.get()) != 0)
        return failure(errno);
    return text;
}

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
        while (m_at < m_text.size() && m_text[m_at] != ',' && !m_text.substr(m_at).starts_with(".."))
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

// One resolution: collects the wanted names, looks them up in one scan, then lines positions up.
class SelectionResolver
{
public:
    explicit SelectionResolver(const SelectionAxis& axis) : m_axis(axis) {}

    Result<Selection> run(const SelectionText::Items& items)
    {
        if (items.list.empty())
            return Selection::none(m_axis.extent);
        if (items.alone) {
            if (const auto* name = std::get_if<SelectionText::Name>(&items.list.front()))
                return everyPlaceOf(*name);
            if (const auto* range = std::get_if<SelectionText::Range>(&items.list.front()))
                return slice(*range);
        }
        for (const SelectionText::Item& item : items.list) {
            if (const auto* name = std::get_if<SelectionText::Name>(&item))
                want(*name);
            if (const auto* range = std::get_if<SelectionText::NameRange>(&item)) {
                for (const auto* end : {&range->first, &range->last})
                    if (*end)
                        want(**end);
            }
        }
        if (auto found = lookUp(); !found)
            return std::move(found).error();
        for (const SelectionText::Item& item : items.list) {
            auto added = std::visit([this](const auto& what) { return add(what); }, item);
            if (!added)
                return std::move(added).error();
        }
        return Selection::indices(m_axis.extent, std::move(m_positions));
    }

    Result<Selection> run(const SelectionText::NamesFrom& from)
    {
        auto text = m_axis.read(from.path);
        if (!text)
            return std::move(text).error();
        std::vector<SelectionText::Name> names;
        Index line = 0;
        auto read = eachLine(*text, [&](std::string_view name) -> Result<void> {
            ++line;
            if (!name.empty())
                names.push_back({std::string(name), line});
            if (m_axis.most > 0 && narrow<Index>(names.size()) > m_axis.most / 8)
                return tooMany();
            return {};
        });
        if (!read)
            return std::move(read).error();
        m_list = from.path;
        for (const SelectionText::Name& name : names)
            want(name);
        if (auto found = lookUp(); !found)
            return std::move(found).error();
        for (const SelectionText::Name& name : names) {
            if (auto added = add(name); !added)
                return std::move(added).error();
        }
        return Selection::indices(m_axis.extent, std::move(m_positions));
    }

    Result<Selection> run(const SelectionText::Mask& mask) { return masked(mask.marks); }

    Result<Selection> run(const SelectionText::MaskFrom& from)
    {
        auto text = m_axis.read(from.path);
        if (!text)
            return std::move(text).error();
        std::vector<std::uint8_t> marks;
        Index line = 0;
        auto read = eachLine(*text, [&](std::string_view mark) -> Result<void> {
            ++line;
            if (mark != "0" && mark != "1")
                return Error(ErrorCode::BadUsage, "Line " + std::to_string(line) + " of the mask \""
                                                      + from.path + "\" is neither 0 nor 1.");
            marks.push_back(mark == "1");
            return {};
        });
        if (!read)
            return std::move(read).error();
        return masked(marks);
    }

private:
    struct Hit {
        Index position = -1;
        Index count = 0;
    };

    static Result<void> eachLine(std::string_view text,
                                 const std::function<Result<void>(std::string_view)>& visit)
    {
        if (text.starts_with("\xEF\xBB\xBF"))
            text.remove_prefix(3);
        while (!text.empty()) {
            const std::size_t end = text.find('\n');
            std::string_view line = text.substr(0, end);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
            if (line.ends_with('\r'))
                line.remove_suffix(1);
            if (auto visited = visit(line); !visited)
                return visited;
        }
        return {};
    }

    Error tooMany() const
    {
        return Error(ErrorCode::OutOfBudget, "The selection on " + m_axis.element
                                                 + " lists more positions than the memory budget holds.")
            .at(m_axis.element)
            .advise("Use slices, or a larger budget.");
    }

    Result<Selection> masked(const std::vector<std::uint8_t>& marks) const
    {
        if (narrow<Index>(marks.size()) != m_axis.extent)
            return Error(ErrorCode::NotFound,
                         "The mask has " + grouped(narrow<Index>(marks.size())) + " marks, and "
                             + m_axis.element + " has " + grouped(m_axis.extent) + " here.")
                .at(m_axis.element)
                .advise("Give one 0 or 1 a row.");
        return Selection::mask(marks);
    }

    Selection slice(const SelectionText::Range& range) const
    {
        return Selection::slice(m_axis.extent, range.begin, range.end, range.step);
    }

    void want(const SelectionText::Name& name) { m_wanted.emplace(name.text, Hit{}); }

    Error nameless(const SelectionText::Name& name) const
    {
        return Error(ErrorCode::NotFound,
                     "\"" + name.text + "\" was asked for by name, and " + m_axis.element + " has no names.")
            .at(m_axis.element)
            .advise("Use positions.");
    }

    Result<Selection> everyPlaceOf(const SelectionText::Name& name)
    {
        if (!m_axis.names)
            return nameless(name).atOffset(name.offset);
        bool fits = true;
        auto scanned = m_axis.names([&](Index position, std::string_view text) {
            if (text == name.text)
                m_positions.push_back(position);
            fits = m_axis.most <= 0 || narrow<Index>(m_positions.size()) <= m_axis.most;
            return fits;
        });
        if (!scanned)
            return std::move(scanned).error();
        if (!fits)
            return tooMany();
        if (m_positions.empty())
            return unknown(name);
        return Selection::indices(m_axis.extent, std::move(m_positions));
    }

    Result<void> lookUp()
    {
        if (m_wanted.empty())
            return {};
        if (!m_axis.names)
            return nameless({m_wanted.begin()->first, 0});
        std::string key;
        return m_axis.names([&](Index position, std::string_view text) {
            key.assign(text);
            const auto found = m_wanted.find(key);
            if (found == m_wanted.end())
                return true;
            if (found->second.count++ == 0)
                found->second.position = position;
            return true;
        });
    }

    // The nearest names, from a bounded look at the axis: a hint is not worth a long scan.
    Error unknown(const SelectionText::Name& name) const
    {
        constexpr Index kLookedAt = 100'000;
        constexpr std::size_t kBatch = 4096;
        std::vector<std::string> best;
        std::vector<std::string> batch;
        const auto merge = [&] {
            batch.insert(batch.end(), best.begin(), best.end());
            best = nearest(name.text, batch);
            batch.clear();
        };
        const auto scanned = m_axis.names([&](Index position, std::string_view text) {
            batch.emplace_back(text);
            if (batch.size() >= kBatch)
                merge();
            return position < kLookedAt;
        });
        merge();
        if (!scanned)
            return scanned.error();
        std::string message = "\"" + name.text + "\" is not a name in " + m_axis.element;
        if (!m_list.empty())
            message += " (line " + std::to_string(name.offset) + " of " + m_list + ")";
        const std::string advice = best.empty() ? "" : "Did you mean \"" + best.front() + "\"?";
        Error error = Error(ErrorCode::NotFound, message + ".")
                          .at(m_axis.element)
                          .advise(advice)
                          .suggest(std::move(best));
        return m_list.empty() ? std::move(error).atOffset(name.offset) : std::move(error);
    }

    Result<Index> placeOf(const SelectionText::Name& name) const
    {
        const Hit& hit = m_wanted.at(name.text);
        if (hit.count == 0)
            return unknown(name);
        if (hit.count > 1) {
            Error error = Error(ErrorCode::Ambiguous, "\"" + name.text + "\" names "
                                                          + grouped(hit.count) + " places of "
                                                          + m_axis.element + ".")
                              .at(m_axis.element)
                              .advise("Ask for it alone to get them all, or use positions.");
            return m_list.empty() ? std::move(error).atOffset(name.offset) : std::move(error);
        }
        return hit.position;
    }

    Result<void> add(const SelectionText::Name& name)
    {
        const auto place = placeOf(name);
        if (!place)
            return place.error();
        return push(*place);
    }

    Result<void> add(const SelectionText::Position& item)
    {
        const Index n = m_axis.extent;
        const Index position = item.value < 0 ? item.value + n : item.value;
        if (position < 0 || position >= n)
            return Error(ErrorCode::NotFound, "Position " + std::to_string(item.value)
                                                  + " does not exist: " + m_axis.element + " has "
                                                  + grouped(n) + " here.")
                .at(m_axis.element)
                .atOffset(item.offset)
                .advise(n == 0 ? std::string("Nothing is left to choose from.")
                               : "Positions go from 0 to " + std::to_string(n - 1)
                                     + ", or backwards from -1 to " + std::to_string(-n) + ".");
        return push(position);
    }

    Result<void> add(const SelectionText::Range& range)
    {
        const Selection part = slice(range);
        for (Index k = 0; k < part.size(); ++k) {
            if (auto pushed = push(part[k]); !pushed)
                return pushed;
        }
        return {};
    }

    Result<void> add(const SelectionText::NameRange& range)
    {
        Index first = 0;
        Index last = m_axis.extent - 1;
        if (range.first) {
            const auto place = placeOf(*range.first);
            if (!place)
                return place.error();
            first = *place;
        }
        if (range.last) {
            const auto place = placeOf(*range.last);
            if (!place)
                return place.error();
            last = *place;
        }
        for (Index position = first; position <= last; ++position) {
            if (auto pushed = push(position); !pushed)
                return pushed;
        }
        return {};
    }

    Result<void> push(Index position)
    {
        if (m_axis.most > 0 && narrow<Index>(m_positions.size()) >= m_axis.most)
            return tooMany();
        m_positions.push_back(position);
        return {};
    }

    const SelectionAxis& m_axis;
    std::string m_list; // the file the names came from
    std::unordered_map<std::string, Hit> m_wanted;
    std::vector<Index> m_positions;
};

Result<Selection> SelectionText::resolve(const SelectionAxis& axis) const
{
    return std::visit([&axis](const auto& form) { return SelectionResolver(axis).run(form); }, *m_form);
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
    for (Index k = 0; k < selection.size(); ++k)
        text += (k == 0 ? "" : ",") + std::to_string(selection[k]);
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
