// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/select/selection_text.h"

#include "core/base/text.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unordered_map>

namespace cellfolio {

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
        return Error(ErrorCode::OutOfBudget,
                     "The selection on " + m_axis.element +
                         " lists more positions than the memory budget holds.")
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
        return Error(ErrorCode::NotFound, "\"" + name.text + "\" was asked for by name, and " +
                                              m_axis.element + " has no names.")
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
    return std::visit([&axis](const auto& form) { return SelectionResolver(axis).run(form); },
                      *m_form);
}

} // namespace cellfolio
