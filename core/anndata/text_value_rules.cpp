// SPDX-License-Identifier: GPL-3.0-or-later
// A012, A023, A025 and A051: texts and row names.
#include "core/anndata/column_reader.h"
#include "core/anndata/value_check.h"
#include "core/base/text.h"

#include <algorithm>

namespace cellfolio {

namespace {

constexpr Index kNameWindow = 65536;

std::string bytesOf(std::string_view text)
{
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string result;
    for (std::size_t i = 0; i < text.size() && i < 8; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        result += i == 0 ? "" : " ";
        result += kDigits[byte >> 4];
        result += kDigits[byte & 15];
    }
    return text.size() > 8 ? result + " …" : result;
}

bool isAscii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// The finding is told once an array, with the first rows it holds for.
struct Found {
    Index count = 0;
    std::vector<FindingPlace> places;

    void add(Index row, const std::string& value)
    {
        if (++count <= static_cast<Index>(kMostPlaces)) {
            FindingPlace place;
            place.row = row;
            place.value = value;
            places.push_back(std::move(place));
        }
    }
    std::string rows() const
    {
        return "Row " + std::to_string(*places.front().row) +
               (count > 1 ? " and " + grouped(count - 1) + " more" : "");
    }
    void putInto(Finding& finding) const
    {
        finding.count = count;
        finding.places = places;
    }
};

} // namespace

Result<void> ValueCheck::checkText(const Element& element, const ArrayRef& array)
{
    if (!wants("A023") && !wants("A056"))
        return {};
    if (!first("A023", array))
        return {};
    const bool declaredAscii = !array.type().utf8;
    Found broken;
    Found undeclared;
    auto read = eachText(element, array, [&](Index first, const std::vector<std::string>& texts) {
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const Index row = first + static_cast<Index>(i);
            if (!isUtf8(texts[i]))
                broken.add(row, bytesOf(texts[i]));
            else if (declaredAscii && !isAscii(texts[i]))
                undeclared.add(row, texts[i]);
        }
    });
    if (!read)
        return read;
    if (broken.count > 0 && wants("A023"))
        broken.putInto(report("A023", element,
                              broken.rows() + " of " + inQuotes(element.path) +
                                  " is not readable text (bytes " + broken.places.front().value +
                                  ")."));
    if (undeclared.count > 0 && wants("A023"))
        undeclared.putInto(report("A023", element,
                                  undeclared.rows() + " of " + inQuotes(element.path) + " holds " +
                                      inQuotes(undeclared.places.front().value) +
                                      ", but is declared to be ASCII; Python cannot read it."));
    return {};
}

Result<void> ValueCheck::checkTable(const Element& table)
{
    if (!table.index)
        return {};
    if (wants("A025") && table.index->dtype == DType::String &&
        table.index->column == ColumnKind::String && first("A025", table.index->values)) {
        Found empty;
        auto read = eachText(*table.index, table.index->values,
                             [&](Index first, const std::vector<std::string>& names) {
                                 for (std::size_t i = 0; i < names.size(); ++i)
                                     if (names[i].empty())
                                         empty.add(first + static_cast<Index>(i), "");
                             });
        if (!read)
            return read;
        if (empty.count > 0)
            empty.putInto(
                report("A025", table,
                       empty.rows() + " of " + inQuotes(table.path) + " has an empty name."));
    }

    // Both read in windows, side by side.
    const auto differ = [&](const Element& a, const Element& b, Found& found) -> Result<void> {
        for (Index row = 0; row < std::min(a.rows, b.rows); row += kNameWindow) {
            const Slice window{row, 1, std::min(kNameWindow, a.rows - row)};
            auto ours =
                readNames(m_dataset, a, Selection::of(a.rows, window), m_reading, m_options.stop);
            if (!ours)
                return damaged(*a.index, a.index->values, std::move(ours).error());
            auto theirs =
                readNames(m_dataset, b, Selection::of(b.rows, window), m_reading, m_options.stop);
            if (!theirs)
                return damaged(*b.index, b.index->values, std::move(theirs).error());
            for (std::size_t i = 0; i < ours->size(); ++i)
                if ((*ours)[i] != (*theirs)[i])
                    found.add(row + static_cast<Index>(i), (*ours)[i]);
        }
        return {};
    };
    const Element* parent = table.parent;
    const bool aligned = parent && (parent->name == "obsm" || parent->name == "varm");
    const Element* names = aligned ? m_dataset->namesOf(table, 0) : nullptr;
    if (wants("A051") && names && names != &table && names->index && names->rows == table.rows) {
        Found found;
        if (auto compared = differ(table, *names, found); !compared)
            return compared;
        if (found.count > 0)
            found.putInto(report("A051", table,
                                 "The row names of " + inQuotes(table.path) +
                                     " differ from those of " + inQuotes(names->path) + " in " +
                                     grouped(found.count) + " of " + grouped(table.rows) +
                                     " rows (row " + std::to_string(*found.places.front().row) +
                                     ": " + inQuotes(found.places.front().value) +
                                     "); they are shown by position."));
    }

    // A column may share its name with the index if it is the same dataset.
    const Element* same = table.child(table.indexName);
    if (wants("A012") && same && same->readable && same->object != table.index->object) {
        Found found;
        for (Index row = 0; row < table.rows; row += kNameWindow) {
            const Selection window =
                Selection::of(table.rows, Slice{row, 1, std::min(kNameWindow, table.rows - row)});
            auto reader = ColumnReader::open(m_dataset, *same, m_reading);
            if (!reader)
                return std::move(reader).error();
            auto values = reader->read(window, m_options.stop);
            auto own = readNames(m_dataset, table, window, m_reading, m_options.stop);
            if (!values)
                return damaged(*same, same->values, std::move(values).error());
            if (!own)
                return damaged(*table.index, table.index->values, std::move(own).error());
            for (Index i = 0; i < values->size(); ++i)
                if (values->text(i) != (*own)[at(i)])
                    found.add(row + i, values->text(i));
        }
        if (found.count > 0)
            found.putInto(report("A012", table,
                                 "The row names of " + inQuotes(table.path) + " are called " +
                                     inQuotes(table.indexName) +
                                     " and so is a column of other values."));
    }
    return {};
}

} // namespace cellfolio
