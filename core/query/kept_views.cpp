// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/kept_views.h"

#include "core/base/text.h"
#include "core/query/view_document.h"
#include "core/select/selection_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <system_error>

#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

// Layout: FOLDER/<fingerprint>/file.json (the paths the bytes were met at), and beside it
// <data set>/<name>.json, one a view, with names in percent-encoding.

namespace cellfolio {

namespace fs = std::filesystem;

namespace query {

Result<void> writeWhole(const fs::path& path, const std::string& text)
{
    const auto failure = [&path](int number) {
        const ErrorCode code = number == ENOSPC || number == EDQUOT ? ErrorCode::OutOfDisk
                             : number == EACCES || number == EPERM || number == EROFS
                                 ? ErrorCode::PermissionDenied
                                 : ErrorCode::Io;
        return Error(code, "\"" + path.string() + "\" cannot be written: " + std::strerror(number)
                               + ".");
    };
    std::random_device random;
    const fs::path part =
        path.parent_path()
        / ("." + path.filename().string() + "." + std::to_string(random()) + ".part");
    std::FILE* file = std::fopen(part.c_str(), "wbx");
    if (file == nullptr)
        return failure(errno);
    bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    good = std::fflush(file) == 0 && good;
#if defined(__unix__) || defined(__APPLE__)
    good = ::fsync(::fileno(file)) == 0 && good;
#endif
    const int number = errno;
    const bool closed = std::fclose(file) == 0;
    std::error_code renamed;
    if (good && closed)
        fs::rename(part, path, renamed);
    if (good && closed && !renamed)
        return {};
    std::error_code ignored; // what is left behind is told by the first failure
    fs::remove(part, ignored);
    return failure(!good ? number : !closed ? errno : renamed.value());
}

std::string absolutePath(const Dataset& dataset)
{
    std::error_code failed;
    const fs::path path = fs::canonical(dataset.file().path(), failed);
    return failed ? fs::absolute(dataset.file().path()).string() : path.string();
}

std::string insideOf(const Dataset& dataset)
{
    if (dataset.modalities().size() == 1)
        return dataset.modalities().front().name;
    const std::string path = dataset.file().path().string();
    const std::string& location = dataset.location();
    if (location.size() <= path.size() + 2 || location.compare(0, path.size(), path) != 0)
        return {};
    std::string inside = location.substr(path.size() + 2);
    if (inside == dataset.inside() || "/" + inside == dataset.inside())
        return {}; // it names an element of the file, not a data set in it
    if (inside.starts_with("mod/"))
        inside.erase(0, 4);
    return inside.substr(0, inside.find('/'));
}

} // namespace query

namespace {

constexpr std::size_t kLongestName = 80;

// A name as one part of a path, whatever it holds.
std::string encoded(const std::string& name)
{
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string result;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
                        || c == '-' || c == '_';
        if (plain) {
            result.push_back(c);
        } else {
            result.push_back('%');
            result.push_back(kDigits[byte >> 4]);
            result.push_back(kDigits[byte & 15]);
        }
    }
    return result;
}

std::optional<std::string> decoded(const std::string& text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result.push_back(text[i]);
            continue;
        }
        constexpr std::string_view kDigits = "0123456789ABCDEF";
        const std::size_t high = i + 1 < text.size() ? kDigits.find(text[i + 1]) : kDigits.npos;
        const std::size_t low = i + 2 < text.size() ? kDigits.find(text[i + 2]) : kDigits.npos;
        if (high == kDigits.npos || low == kDigits.npos)
            return std::nullopt;
        result.push_back(static_cast<char>(high * 16 + low));
        i += 2;
    }
    return result;
}

std::string folderName(std::uint64_t fingerprint)
{
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(fingerprint));
    return text;
}

Result<void> checkName(const std::string& name)
{
    const bool control = std::any_of(name.begin(), name.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (!name.empty() && name.size() <= kLongestName && !control && isUtf8(name))
        return {};
    return Error(ErrorCode::BadUsage, name.empty() ? "The name of a view is empty."
                                    : control || !isUtf8(name)
                                        ? "The name of a view holds characters that cannot be shown."
                                        : "The name of a view is longer than 80 bytes.");
}

std::string documentName(const std::string& name)
{
    return encoded(name) + ".json";
}

std::vector<std::string> pathsIn(const fs::path& folder)
{
    std::vector<std::string> paths;
    const auto text = readTextFile((folder / "file.json").string());
    if (!text)
        return paths;
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    if (!json.is_object() || !json.contains("paths") || !json["paths"].is_array())
        return paths;
    for (const auto& path : json["paths"]) {
        if (path.is_string())
            paths.push_back(path.get<std::string>());
    }
    return paths;
}

fs::path insideFolder(const fs::path& folder, const Dataset& dataset)
{
    return folder / ("in-" + encoded(query::insideOf(dataset)));
}

Result<void> makeFolders(const fs::path& folder)
{
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (!failed)
        return {};
    return Error(failed == std::errc::no_space_on_device ? ErrorCode::OutOfDisk
                                                         : ErrorCode::PermissionDenied,
                 "The folder \"" + folder.string() + "\" cannot be made: " + failed.message() + ".");
}

} // namespace

std::string MatchedView::losses() const
{
    std::string text;
    const auto tell = [&text](const MatchedAxis& axis, std::string_view one, std::string_view many) {
        if (axis.lost == 0)
            return;
        const Index before = axis.lost + axis.selection.size();
        text += (text.empty() ? "" : " ") + grouped(axis.lost) + " of " + counted(before, one, many)
              + (axis.lost == 1 ? " was" : " were") + " not found again";
        for (std::size_t k = 0; k < axis.lostNames.size(); ++k)
            text += (k == 0 ? ": " : ", ") + axis.lostNames[k];
        text += axis.lost > static_cast<Index>(axis.lostNames.size()) && !axis.lostNames.empty()
                  ? " …"
                  : ".";
    };
    tell(obs, "cell", "cells");
    tell(var, "gene", "genes");
    return text;
}

fs::path KeptViews::standardFolder()
{
    const char* data = std::getenv("XDG_DATA_HOME");
    if (data != nullptr && fs::path(data).is_absolute())
        return fs::path(data) / "cellfolio" / "views";
    const char* home = std::getenv("HOME");
    const fs::path base = home != nullptr ? fs::path(home) : fs::temp_directory_path();
    return base / ".local" / "share" / "cellfolio" / "views";
}

KeptViews::KeptViews(fs::path folder) : m_folder(std::move(folder)) {}

Result<std::vector<fs::path>> KeptViews::foldersOf(const Dataset& dataset) const
{
    auto fingerprint = dataset.file().fingerprint();
    if (!fingerprint)
        return std::move(fingerprint).error();
    const fs::path own = m_folder / folderName(*fingerprint);
    std::vector<fs::path> folders{insideFolder(own, dataset)};
    const std::string path = query::absolutePath(dataset);
    std::vector<std::pair<fs::file_time_type, fs::path>> others;
    std::error_code failed; // no folder: nothing is kept
    for (fs::directory_iterator entry(m_folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        if (entry->path() == own)
            continue;
        const std::vector<std::string> paths = pathsIn(entry->path());
        if (std::find(paths.begin(), paths.end(), path) == paths.end())
            continue;
        std::error_code undated;
        // A folder is touched whenever a document is renamed into it.
        const fs::path folder = insideFolder(entry->path(), dataset);
        others.emplace_back(fs::last_write_time(folder, undated), folder);
    }
    std::sort(others.begin(), others.end(), std::greater<>()); // the latest first
    for (auto& [time, folder] : others)
        folders.push_back(std::move(folder));
    return folders;
}

Result<std::vector<KeptEntry>> KeptViews::list(const Dataset& dataset) const
{
    auto folders = foldersOf(dataset);
    if (!folders)
        return std::move(folders).error();
    std::vector<KeptEntry> entries;
    for (std::size_t k = 0; k < folders->size(); ++k) {
        std::error_code failed;
        for (fs::directory_iterator entry((*folders)[k], failed), end; !failed && entry != end;
             entry.increment(failed)) {
            if (entry->path().extension() != ".json")
                continue;
            auto name = decoded(entry->path().stem().string());
            const bool known = std::any_of(entries.begin(), entries.end(), [&](const KeptEntry& e) {
                return name && e.name == *name;
            });
            if (name && !name->empty() && !known)
                entries.push_back({std::move(*name), k == 0});
        }
    }
    std::sort(entries.begin(), entries.end(),
              [](const KeptEntry& a, const KeptEntry& b) { return a.name < b.name; });
    return entries;
}

Result<void> KeptViews::save(const DatasetView& view, const std::string& name,
                             const ViewOrigin& origin, const std::shared_ptr<Reading>& reading,
                             std::stop_token stop) const
{
    if (auto good = checkName(name); !good)
        return good;
    auto document = query::describeView(view, name, origin, reading, stop);
    if (!document)
        return std::move(document).error();
    const fs::path own = m_folder / folderName(document->fingerprint);
    const fs::path folder = insideFolder(own, *view.dataset());
    if (auto made = makeFolders(folder); !made)
        return made;
    std::vector<std::string> paths = pathsIn(own);
    if (std::find(paths.begin(), paths.end(), document->file) == paths.end()) {
        paths.push_back(document->file);
        const nlohmann::json json{{"paths", paths}};
        auto written = query::writeWhole(
            own / "file.json",
            json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
        if (!written)
            return written;
    }
    return query::writeWhole(folder / documentName(name), query::toJson(*document));
}

Result<MatchedView> KeptViews::load(const std::shared_ptr<const Dataset>& dataset,
                                    const std::string& name,
                                    const std::shared_ptr<Reading>& reading,
                                    std::stop_token stop) const
{
    auto folders = foldersOf(*dataset);
    if (!folders)
        return std::move(folders).error();
    for (const fs::path& folder : *folders) {
        const fs::path path = folder / documentName(name);
        std::error_code failed;
        if (fs::exists(path, failed))
            return readFile(dataset, path, reading, stop);
    }
    auto entries = list(*dataset);
    if (!entries)
        return std::move(entries).error();
    std::vector<std::string> names;
    for (const KeptEntry& entry : *entries)
        names.push_back(entry.name);
    auto near = nearest(name, names);
    std::string advice = near.empty() ? "" : "Did you mean \"" + near.front() + "\"?";
    if (names.empty())
        advice = "None is kept for this file; `filter --save NAME` keeps one.";
    return Error(ErrorCode::NotFound, "No view \"" + name + "\" is kept for this file.")
        .at("/")
        .advise(std::move(advice))
        .suggest(std::move(near));
}

Result<void> KeptViews::remove(const Dataset& dataset, const std::string& name) const
{
    auto folders = foldersOf(dataset);
    if (!folders)
        return std::move(folders).error();
    bool removed = false;
    for (const fs::path& folder : *folders) {
        std::error_code failed;
        removed = fs::remove(folder / documentName(name), failed) || removed;
        if (failed)
            return Error(ErrorCode::PermissionDenied,
                         "The view \"" + name + "\" cannot be removed: " + failed.message() + ".");
    }
    if (!removed)
        return Error(ErrorCode::NotFound, "No view \"" + name + "\" is kept for this file.").at("/");
    return {};
}

Result<void> KeptViews::rename(const Dataset& dataset, const std::string& from,
                               const std::string& to) const
{
    if (auto good = checkName(to); !good)
        return good;
    auto folders = foldersOf(dataset);
    if (!folders)
        return std::move(folders).error();
    std::vector<fs::path> holding;
    for (const fs::path& folder : *folders) {
        std::error_code failed;
        if (fs::exists(folder / documentName(to), failed))
            return Error(ErrorCode::TargetExists, "There is a view "" + to + "" already.")
                .advise("Choose another name.");
        if (fs::exists(folder / documentName(from), failed))
            holding.push_back(folder);
    }
    if (holding.empty())
        return Error(ErrorCode::NotFound, "No view "" + from + "" is kept for this file.").at("/");
    for (const fs::path& folder : holding) {
        const fs::path old = folder / documentName(from);
        auto text = readTextFile(old.string());
        if (!text)
            return std::move(text).error();
        auto document = query::fromJson(*text, old.string());
        if (!document)
            return std::move(document).error();
        document->name = to;
        if (auto written = query::writeWhole(folder / documentName(to), query::toJson(*document)); !written)
            return written;
        std::error_code failed;
        fs::remove(old, failed);
        if (failed)
            return Error(ErrorCode::PermissionDenied, "The view \"" + from + "\" cannot be removed: "
                                                          + failed.message() + ".");
    }
    return {};
}

Result<void> KeptViews::writeFile(const DatasetView& view, const fs::path& path,
                                  const ViewOrigin& origin, Existing existing,
                                  const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    std::error_code failed;
    if (existing == Existing::Keep && fs::exists(path, failed))
        return Error(ErrorCode::TargetExists, "\"" + path.string() + "\" exists already.")
            .advise("Choose another name, or give --overwrite.");
    auto document = query::describeView(view, path.stem().string(), origin, reading, stop);
    if (!document)
        return std::move(document).error();
    return query::writeWhole(path, query::toJson(*document));
}

Result<MatchedView> KeptViews::readFile(const std::shared_ptr<const Dataset>& dataset,
                                        const fs::path& path,
                                        const std::shared_ptr<Reading>& reading,
                                        std::stop_token stop)
{
    std::error_code failed;
    const auto size = fs::file_size(path, failed);
    MemoryReservation room;
    if (!failed) {
        // The text, and the tree that is made of it.
        auto reserved = reading->budget().reserve(MemoryTag::Job, 3 * static_cast<Index>(size));
        if (!reserved)
            return std::move(reserved).error();
        room = std::move(*reserved);
    }
    auto text = readTextFile(path.string());
    if (!text)
        return std::move(text).error();
    auto document = query::fromJson(*text, path.string());
    if (!document)
        return std::move(document).error();
    return query::matchView(*document, dataset, reading, stop);
}

} // namespace cellfolio
