// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/view_document.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"
#include "core/select/selection_text.h"

#include <nlohmann/json.hpp>
#include <xxhash.h>

#include <algorithm>
#include <array>

// Positions are text as long as that is short, else packed: a bit a row, or four or eight bytes a
// position. Names of up to a thousand rows stand in the document, so that people can read what was
// lost; of more, eight bytes each of a digest do.

namespace cellfolio::query {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index kWindow = Index{1} << 14;
constexpr Index kNamed = 1000;                       // rows whose names are written out
constexpr std::size_t kLongestText = std::size_t{32} << 10; // of positions
constexpr int kVersion = 1;
constexpr std::size_t kLostShown = 5;

// Never 0, which stands for "none".
std::uint64_t digestOf(std::string_view name)
{
    const std::uint64_t digest = XXH3_64bits(name.data(), name.size());
    return digest == 0 ? 1 : digest;
}

// Where each of some digests is found among the names of an axis: its position, or that it is
// nowhere or in several places.
class DigestPlaces
{
public:
    static constexpr Index kNowhere = -1;
    static constexpr Index kSeveral = -2;

    explicit DigestPlaces(std::vector<std::uint64_t> digests) : m_digests(std::move(digests))
    {
        std::sort(m_digests.begin(), m_digests.end());
        m_digests.erase(std::unique(m_digests.begin(), m_digests.end()), m_digests.end());
        m_places.assign(m_digests.size(), kNowhere);
    }

    void note(std::string_view name, Index position)
    {
        const std::size_t k = find(digestOf(name));
        if (k < m_places.size())
            m_places[k] = m_places[k] == kNowhere ? position : kSeveral;
    }
    Index of(std::uint64_t digest) const
    {
        const std::size_t k = find(digest);
        return k < m_places.size() ? m_places[k] : kNowhere;
    }

private:
    std::size_t find(std::uint64_t digest) const
    {
        const auto place = std::lower_bound(m_digests.begin(), m_digests.end(), digest);
        return place != m_digests.end() && *place == digest
                 ? static_cast<std::size_t>(place - m_digests.begin())
                 : m_places.size();
    }

    std::vector<std::uint64_t> m_digests;
    std::vector<Index> m_places;
};

struct AxisNames {
    const std::shared_ptr<const Dataset>& dataset;
    const Element* table; // null where the file has none
    const std::shared_ptr<Reading>& reading;
    std::stop_token stop;

    bool named() const { return table != nullptr && table->index != nullptr; }

    template <typename Visit> // (number within rows, name)
    Result<void> each(const Selection& rows, Visit&& visit) const
    {
        for (Index first = 0; first < rows.size(); first += kWindow) {
            if (stop.stop_requested())
                return Error::cancelled();
            auto names = readNames(dataset, *table,
                                   rows.part(first, std::min(kWindow, rows.size() - first)),
                                   reading, stop);
            if (!names)
                return std::move(names).error();
            for (std::size_t i = 0; i < names->size(); ++i)
                visit(first + static_cast<Index>(i), (*names)[i]);
        }
        return {};
    }
};

Result<KeptAxis> describeAxis(const AxisNames& axis, const Selection& selection)
{
    KeptAxis kept;
    kept.selection = selection;
    if (selection.isAll() || !axis.named())
        return kept;
    kept.named = true;
    auto room = axis.reading->budget().reserve(MemoryTag::Job, selection.size() * 32);
    if (!room)
        return std::move(room).error();
    const bool few = selection.size() <= kNamed;
    auto read = axis.each(selection, [&](Index, const std::string& name) {
        kept.digests.push_back(digestOf(name));
        if (few)
            kept.names.push_back(name);
    });
    if (!read)
        return std::move(read).error();
    // JSON cannot hold a name that is no UTF-8; its digest can be held.
    if (!std::all_of(kept.names.begin(), kept.names.end(), isUtf8))
        kept.names.clear();
    // A name that stands twice in the file says nothing about which row was meant.
    DigestPlaces places(kept.digests);
    read = axis.each(Selection::all(selection.extent()), [&](Index position, const std::string& name) {
        places.note(name, position);
    });
    if (!read)
        return std::move(read).error();
    for (std::uint64_t& digest : kept.digests) {
        if (places.of(digest) < 0)
            digest = 0;
    }
    return kept;
}

Result<MatchedAxis> matchAxis(const KeptAxis& kept, const AxisNames& axis, Index extent,
                              const std::string& what)
{
    MatchedAxis matched;
    matched.byName = true;
    if (kept.selection.isAll()) {
        matched.selection = Selection::all(extent);
        return matched;
    }
    if (kept.selection.empty()) {
        matched.selection = Selection::none(extent);
        return matched;
    }
    if (!kept.named || !axis.named())
        return Error(ErrorCode::NotFound,
                     "The file has changed since the view was kept, and its " + what
                         + " have no names to find them again by.")
            .at(axis.table != nullptr ? axis.table->path : "/")
            .advise("Make the view anew.");
    auto room = axis.reading->budget().reserve(
        MemoryTag::Job, static_cast<Index>(kept.digests.size()) * 32);
    if (!room)
        return std::move(room).error();
    DigestPlaces places(kept.digests);
    auto read = axis.each(Selection::all(extent), [&](Index position, const std::string& name) {
        places.note(name, position);
    });
    if (!read)
        return std::move(read).error();
    std::vector<Index> positions;
    for (std::size_t k = 0; k < kept.digests.size(); ++k) {
        const Index place = kept.digests[k] == 0 ? DigestPlaces::kNowhere
                                                 : places.of(kept.digests[k]);
        if (place >= 0) {
            positions.push_back(place);
            continue;
        }
        ++matched.lost;
        if (k < kept.names.size() && matched.lostNames.size() < kLostShown)
            matched.lostNames.push_back(kept.names[k]);
    }
    matched.selection = Selection::indices(extent, positions);
    return matched;
}

std::string hexText(std::uint64_t value)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text(16, '0');
    for (std::size_t k = 16; k-- > 0; value >>= 4)
        text[k] = kDigits[value & 15];
    return text;
}

std::optional<std::uint64_t> hexValue(const std::string& text)
{
    if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
        return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : text)
        value = value << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    return value;
}

// Little endian, `width` bytes each.
template <typename Numbers>
std::string packed(const Numbers& numbers, std::size_t width)
{
    std::vector<std::uint8_t> bytes;
    bytes.reserve(numbers.size() * width);
    for (const auto number : numbers) {
        auto rest = static_cast<std::uint64_t>(number);
        for (std::size_t k = 0; k < width; ++k, rest >>= 8)
            bytes.push_back(static_cast<std::uint8_t>(rest & 255));
    }
    return toBase64(bytes);
}

std::optional<std::vector<std::uint64_t>> unpacked(const Json& json, std::size_t width)
{
    if (!json.is_string())
        return std::nullopt;
    const auto bytes = fromBase64(json.get<std::string>());
    if (!bytes || bytes->size() % width != 0)
        return std::nullopt;
    std::vector<std::uint64_t> numbers(bytes->size() / width, 0);
    for (std::size_t i = 0; i < bytes->size(); ++i)
        numbers[i / width] |= std::uint64_t{(*bytes)[i]} << (8 * (i % width));
    return numbers;
}

Json axisJson(const KeptAxis& kept)
{
    const Selection& selection = kept.selection;
    Json json{{"extent", selection.extent()}, {"count", selection.size()}};
    // A list costs two characters a position at least, so a long one need not be tried.
    const bool maybeShort = selection.asSlice() != nullptr
                         || selection.size() <= static_cast<Index>(kLongestText);
    std::string text = maybeShort ? selectionText(selection) : std::string();
    if (maybeShort && text.size() <= kLongestText)
        json["positions"] = std::move(text);
    else if (const IndexSet* set = selection.asSet())
        json["bits"] = packed(set->words(), 8);
    else if (selection.extent() <= Index{1} << 32)
        json["list32"] = packed(selection.positions(), 4);
    else
        json["list64"] = packed(selection.positions(), 8);
    if (!kept.named)
        return json;
    if (kept.names.empty()) {
        json["digests"] = packed(kept.digests, 8);
        return json;
    }
    Json names = Json::array();
    Json repeated = Json::array();
    for (std::size_t k = 0; k < kept.names.size(); ++k) {
        names.push_back(toUtf8(kept.names[k]));
        if (kept.digests[k] == 0)
            repeated.push_back(k);
    }
    json["names"] = std::move(names);
    if (!repeated.empty())
        json["repeated"] = std::move(repeated);
    return json;
}

std::optional<Selection> selectionOf(const Json& json, Index extent)
{
    if (json.contains("positions")) {
        if (!json["positions"].is_string())
            return std::nullopt;
        const auto text = SelectionText::parse(json["positions"].get<std::string>());
        SelectionAxis axis;
        axis.extent = extent;
        axis.read = [](const std::string&) {
            return Error(ErrorCode::BadUsage, "Positions are written out here.");
        };
        const auto selection = text ? text->resolve(axis) : Result<Selection>(text.error());
        return selection ? std::optional(*selection) : std::nullopt;
    }
    if (json.contains("bits")) {
        const auto words = unpacked(json["bits"], 8);
        if (!words || words->size() != at((extent + 63) / 64)
            || (extent % 64 != 0 && words->back() >> (extent % 64) != 0))
            return std::nullopt;
        IndexSetBuilder builder(extent);
        std::copy(words->begin(), words->end(), builder.words().begin());
        return Selection::of(std::move(builder).take());
    }
    const bool wide = json.contains("list64");
    if (!wide && !json.contains("list32"))
        return std::nullopt;
    const auto numbers = unpacked(wide ? json["list64"] : json["list32"], wide ? 8 : 4);
    if (!numbers)
        return std::nullopt;
    std::vector<Index> positions;
    for (const std::uint64_t number : *numbers) {
        if (number >= static_cast<std::uint64_t>(extent))
            return std::nullopt;
        positions.push_back(static_cast<Index>(number));
    }
    return Selection::indices(extent, positions);
}

std::optional<KeptAxis> axisOf(const Json& json)
{
    if (!json.is_object() || !json.contains("extent") || !json["extent"].is_number_integer())
        return std::nullopt;
    const Index extent = json["extent"].get<Index>();
    if (extent < 0)
        return std::nullopt;
    auto selection = selectionOf(json, extent);
    if (!selection)
        return std::nullopt;
    KeptAxis kept;
    kept.selection = std::move(*selection);
    if (json.contains("digests")) {
        auto digests = unpacked(json["digests"], 8);
        if (!digests)
            return std::nullopt;
        kept.digests = std::move(*digests);
        kept.named = true;
    } else if (json.contains("names")) {
        if (!json["names"].is_array())
            return std::nullopt;
        kept.named = true;
        for (const Json& name : json["names"]) {
            if (!name.is_string())
                return std::nullopt;
            kept.names.push_back(name.get<std::string>());
            kept.digests.push_back(digestOf(kept.names.back()));
        }
        for (const Json& number : json.contains("repeated") ? json["repeated"] : Json::array()) {
            if (!number.is_number_unsigned() || number.get<std::size_t>() >= kept.digests.size())
                return std::nullopt;
            kept.digests[number.get<std::size_t>()] = 0;
        }
    }
    if (kept.named && static_cast<Index>(kept.digests.size()) != kept.selection.size())
        return std::nullopt;
    return kept;
}

std::string textIn(const Json& json, const char* key)
{
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>()
                                                        : std::string();
}

} // namespace

Result<ViewDocument> describeView(const DatasetView& view, const std::string& name,
                                  const ViewOrigin& origin, const std::shared_ptr<Reading>& reading,
                                  std::stop_token stop)
{
    const Dataset& dataset = *view.dataset();
    auto fingerprint = dataset.file().fingerprint();
    if (!fingerprint)
        return std::move(fingerprint).error();
    ViewDocument document;
    document.name = name;
    document.file = absolutePath(dataset);
    document.inside = insideOf(dataset);
    document.fingerprint = *fingerprint;
    document.origin = origin;
    auto obs = describeAxis({view.dataset(), dataset.obs(), reading, stop}, view.obs());
    if (!obs)
        return std::move(obs).error();
    document.obs = std::move(*obs);
    auto var = describeAxis({view.dataset(), dataset.var(), reading, stop}, view.var());
    if (!var)
        return std::move(var).error();
    document.var = std::move(*var);
    return document;
}

Result<MatchedView> matchView(const ViewDocument& document,
                              const std::shared_ptr<const Dataset>& dataset,
                              const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    auto fingerprint = dataset->file().fingerprint();
    if (!fingerprint)
        return std::move(fingerprint).error();
    MatchedView matched;
    matched.name = document.name;
    const Index nObs = dataset->nObs().value_or(0);
    const Index nVars = dataset->nVars().value_or(0);
    if (*fingerprint == document.fingerprint && document.inside == insideOf(*dataset)
        && document.obs.selection.extent() == nObs && document.var.selection.extent() == nVars) {
        matched.obs.selection = document.obs.selection;
        matched.var.selection = document.var.selection;
    } else {
        auto obs = matchAxis(document.obs, {dataset, dataset->obs(), reading, stop}, nObs, "cells");
        if (!obs)
            return std::move(obs).error();
        auto var = matchAxis(document.var, {dataset, dataset->var(), reading, stop}, nVars, "genes");
        if (!var)
            return std::move(var).error();
        matched.obs = std::move(*obs);
        matched.var = std::move(*var);
    }
    matched.view = DatasetView(dataset, matched.obs.selection, matched.var.selection);
    return matched;
}

std::string toJson(const ViewDocument& document)
{
    Json json{{"cellfolio", "view"},
              {"version", kVersion},
              {"name", toUtf8(document.name)},
              {"file", toUtf8(document.file)},
              {"inside", toUtf8(document.inside)},
              {"fingerprint", hexText(document.fingerprint)},
              {"where", toUtf8(document.origin.where)},
              {"where_var", toUtf8(document.origin.whereVar)},
              {"obs", axisJson(document.obs)},
              {"var", axisJson(document.var)}};
    return json.dump(1) + "\n";
}

Result<ViewDocument> fromJson(const std::string& text, const std::string& path)
{
    const Error bad = Error(ErrorCode::Corrupt, "\"" + path + "\" holds no view.")
                          .advise("Views are written by `cellfolio-cli filter --save`.");
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object() || textIn(json, "cellfolio") != "view")
        return bad;
    if (!json.contains("version") || json["version"] != kVersion)
        return Error(ErrorCode::Corrupt,
                     "\"" + path + "\" holds a view of a form that this version does not know.")
            .advise("Open it with the version that wrote it, or a newer one.");
    const auto fingerprint = hexValue(textIn(json, "fingerprint"));
    auto obs = json.contains("obs") ? axisOf(json["obs"]) : std::nullopt;
    auto var = json.contains("var") ? axisOf(json["var"]) : std::nullopt;
    if (!fingerprint || !obs || !var)
        return bad;
    ViewDocument document;
    document.name = textIn(json, "name");
    document.file = textIn(json, "file");
    document.inside = textIn(json, "inside");
    document.fingerprint = *fingerprint;
    document.origin = {textIn(json, "where"), textIn(json, "where_var")};
    document.obs = std::move(*obs);
    document.var = std::move(*var);
    return document;
}

std::string toBase64(const std::vector<std::uint8_t>& bytes)
{
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t here = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (k < here ? bytes[i + k] : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            text.push_back(k <= here ? kDigits[group >> (18 - 6 * k) & 63] : '=');
    }
    return text;
}

std::optional<std::vector<std::uint8_t>> fromBase64(const std::string& text)
{
    const auto valueOf = [](char c) -> int {
        if (c >= 'A' && c <= 'Z')
            return c - 'A';
        if (c >= 'a' && c <= 'z')
            return c - 'a' + 26;
        if (c >= '0' && c <= '9')
            return c - '0' + 52;
        return c == '+' ? 62 : c == '/' ? 63 : -1;
    };
    if (text.size() % 4 != 0)
        return std::nullopt;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const bool last = i + 4 == text.size();
        const std::size_t padding =
            !last ? 0 : text[i + 2] == '=' ? 2 : text[i + 3] == '=' ? 1 : 0;
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const int value = k >= 4 - padding && text[i + k] == '=' ? 0 : valueOf(text[i + k]);
            if (value < 0)
                return std::nullopt;
            group = group << 6 | static_cast<std::uint32_t>(value);
        }
        for (std::size_t k = 0; k < 3 - padding; ++k)
            bytes.push_back(static_cast<std::uint8_t>(group >> (16 - 8 * k) & 255));
    }
    return bytes;
}

} // namespace cellfolio::query
