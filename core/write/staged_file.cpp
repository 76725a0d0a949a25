// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/write/staged_file.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace cellfolio {

namespace fs = std::filesystem;

namespace {

constexpr Index kSpare = Index{64} << 20; // that must stay free
constexpr const char* kEnding = ".part";

Error failed(const std::string& sentence, int reason)
{
    const std::string text = sentence + ": " + std::strerror(reason) + ".";
    if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG)
        return Error(ErrorCode::OutOfDisk, text).advise("Make room there, or choose another disk.");
    if (reason == EACCES || reason == EPERM || reason == EROFS)
        return Error(ErrorCode::PermissionDenied, text).advise("Choose another folder.");
    if (reason == ENOENT || reason == ENOTDIR)
        return Error(ErrorCode::NotFound, text);
    return Error(ErrorCode::Io, text);
}

std::string inQuotes(const fs::path& path)
{
    return "\"" + path.string() + "\"";
}

Index modifiedOf(const struct stat& state)
{
    return Index{state.st_mtim.tv_sec} * 1'000'000'000 + Index{state.st_mtim.tv_nsec};
}

fs::path folderOf(const fs::path& target)
{
    return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

// A writer of HDF5 holds its file locked; a lock of our own shows that, and is given up at once.
bool isBeingWritten(const fs::path& path)
{
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    const bool taken = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(descriptor);
    return taken;
}

Result<void> checkExisting(const fs::path& target, const struct stat& state, const StagedFile::Options& options)
{
    if (S_ISDIR(state.st_mode))
        return Error(ErrorCode::Refused, inQuotes(target) + " is a folder.").advise("Name a file in it.");
    for (const fs::path& input : options.inputs) {
        struct stat of {};
        if (::stat(input.c_str(), &of) == 0 && of.st_dev == state.st_dev && of.st_ino == state.st_ino)
            return Error(ErrorCode::BadUsage,
                         inQuotes(target) + " is the file being read; what is not written would be gone.")
                .advise("Choose another name.");
    }
    if (!S_ISREG(state.st_mode))
        return Error(ErrorCode::Refused, inQuotes(target) + " is no ordinary file.")
            .advise("Choose the name of a file.");
    if (!options.overwrite)
        return Error(ErrorCode::TargetExists, inQuotes(target) + " is there already.")
            .advise("Choose another name, or allow it to be replaced (--overwrite).");
    if (state.st_nlink > 1)
        return Error(ErrorCode::Refused, inQuotes(target) + " is one of "
                                             + std::to_string(state.st_nlink)
                                             + " names of the same file; replacing it would part them.")
            .advise("Choose another name.");
    if (isBeingWritten(target))
        return Error(ErrorCode::Refused, "Another program is writing " + inQuotes(target) + ".")
            .advise("Close it there, or choose another name.");
    return {};
}

Result<void> checkFolder(const fs::path& folder, Index needed, FileSystem& system)
{
    struct stat state {};
    if (::stat(folder.c_str(), &state) != 0)
        return failed("There is no folder " + inQuotes(folder), errno);
    if (!S_ISDIR(state.st_mode))
        return Error(ErrorCode::NotFound, inQuotes(folder) + " is no folder.");
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        return failed("Nothing can be written in " + inQuotes(folder), errno);
    Index free = 0;
    if (const int reason = system.freeBytes(folder, free); reason != 0)
        return failed("The free space of " + inQuotes(folder) + " cannot be told", reason);
    if (free - kSpare < needed)
        return Error(ErrorCode::OutOfDisk, "About " + byteText(needed) + " are needed in " + inQuotes(folder)
                                               + ", and " + byteText(std::max<Index>(0, free)) + " are free.")
            .advise("Make room there, or choose another disk.");
    return {};
}

// Mode, owner and extended attributes (access lists among them) of the file that is replaced. What
// the system does not let us set stays as it is for a new file of this user.
void takeOver(int from, const struct stat& state, int to)
{
    if (::fchown(to, state.st_uid, state.st_gid) != 0 && ::fchown(to, static_cast<uid_t>(-1), state.st_gid) != 0)
        errno = 0;
    ::fchmod(to, state.st_mode & 07777);
    std::string names(4096, '\0');
    const ssize_t length = ::flistxattr(from, names.data(), names.size());
    for (ssize_t at = 0; at < length;) {
        const char* name = names.data() + at;
        std::string value(65536, '\0');
        const ssize_t size = ::fgetxattr(from, name, value.data(), value.size());
        if (size >= 0 && ::fsetxattr(to, name, value.data(), static_cast<std::size_t>(size), 0) != 0)
            errno = 0;
        at += static_cast<ssize_t>(std::strlen(name)) + 1;
    }
}

// Unfinished files by their names, where a signal handler can find them.
struct Unfinished {
    std::atomic<int> state{0}; // 0: free, 1: being filled, 2: a file, 3: a folder
    std::array<char, 4096> name{};
};
std::array<Unfinished, 32> unfinished;

void remember(const fs::path& part, int state)
{
    const std::string name = fs::absolute(part).string();
    if (name.size() >= unfinished[0].name.size())
        return;
    for (Unfinished& slot : unfinished) {
        int free = 0;
        if (!slot.state.compare_exchange_strong(free, 1))
            continue;
        std::copy(name.c_str(), name.c_str() + name.size() + 1, slot.name.begin());
        slot.state = state;
        return;
    }
}

void forget(const fs::path& part)
{
    const std::string name = fs::absolute(part).string();
    for (Unfinished& slot : unfinished)
        if (slot.state >= 2 && name == slot.name.data())
            slot.state = 0;
}

mode_t usualMode()
{
    // The mask can only be asked for by setting it; the file is made with 0600 and opened up.
    const mode_t mask = ::umask(077);
    ::umask(mask);
    return 0666 & ~mask;
}

std::string partPattern(const fs::path& target)
{
    return "." + target.filename().string() + ".";
}

} // namespace

void removeStagedParts() noexcept
{
    for (Unfinished& slot : unfinished) {
        const int state = slot.state.exchange(0);
        if (state == 2)
            ::unlink(slot.name.data());
        if (state != 3)
            continue;
        const int folder = ::open(slot.name.data(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (DIR* entries = folder >= 0 ? ::fdopendir(folder) : nullptr) {
            while (const dirent* entry = ::readdir(entries))
                ::unlinkat(folder, entry->d_name, 0);
            ::closedir(entries);
        }
        ::rmdir(slot.name.data());
    }
}

fs::path StagedFile::resolved(const fs::path& target)
{
    fs::path place = target;
    for (int steps = 0; steps < 40; ++steps) {
        std::error_code failure;
        if (!fs::is_symlink(fs::symlink_status(place, failure)))
            break;
        const fs::path next = fs::read_symlink(place, failure);
        if (failure)
            break;
        place = next.is_absolute() ? next : folderOf(place) / next;
    }
    return place;
}

Result<void> StagedFile::check(const fs::path& given, const Options& options)
{
    if (given.filename().empty() || given.filename() == "." || given.filename() == "..")
        return Error(ErrorCode::BadUsage, inQuotes(given) + " names no file.");
    const fs::path target = resolved(given);
    struct stat state {};
    if (::stat(target.c_str(), &state) == 0) {
        if (auto fine = checkExisting(target, state, options); !fine)
            return fine;
    } else if (errno != ENOENT) {
        return failed("The place " + inQuotes(target) + " cannot be looked at", errno);
    }
    FileSystem& system = options.system != nullptr ? *options.system : FileSystem::real();
    return checkFolder(folderOf(target), options.bytesNeeded, system);
}

Result<std::unique_ptr<StagedFile>> StagedFile::create(const fs::path& given, const Options& options)
{
    if (auto fine = check(given, options); !fine)
        return std::move(fine).error();
    std::unique_ptr<StagedFile> file(new StagedFile);
    file->m_target = resolved(given);
    file->m_system = options.system != nullptr ? options.system : &FileSystem::real();
    struct stat state {};
    if (::stat(file->m_target.c_str(), &state) == 0) {
        file->m_replaces = true;
        file->m_device = static_cast<std::uint64_t>(state.st_dev);
        file->m_inode = static_cast<std::uint64_t>(state.st_ino);
        file->m_size = static_cast<Index>(state.st_size);
        file->m_modified = modifiedOf(state);
    }
    for (;;) {
        std::string name =
            (folderOf(file->m_target) / (partPattern(file->m_target) + std::string(6, 'X') + kEnding)).string();
        file->m_descriptor = ::mkostemps(name.data(), static_cast<int>(std::strlen(kEnding)), O_CLOEXEC);
        if (file->m_descriptor < 0)
            return failed("No file can be made in " + inQuotes(folderOf(file->m_target)), errno);
        ::flock(file->m_descriptor, LOCK_EX);
        // Someone may have taken it for a leftover before it was locked; then it has no name any more.
        if (::fstat(file->m_descriptor, &state) != 0 || state.st_nlink > 0) {
            file->m_part = name;
            break;
        }
        ::close(file->m_descriptor);
    }
    remember(file->m_part, 2);
    if (!file->m_replaces)
        ::fchmod(file->m_descriptor, usualMode());
    return file;
}

StagedFile::~StagedFile()
{
    if (!m_part.empty()) {
        ::unlink(m_part.c_str());
        forget(m_part);
    }
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Result<void> StagedFile::commit(const std::function<Result<void>(const fs::path&)>& verify)
{
    if (const int reason = m_system->sync(m_descriptor); reason != 0)
        return failed("The new file cannot be brought to the disk", reason);
    if (verify)
        if (auto sound = verify(m_part); !sound)
            return std::move(sound).error().within("verifying the new file");
    struct stat state {};
    const bool there = ::stat(m_target.c_str(), &state) == 0;
    if (there != m_replaces && there)
        return Error(ErrorCode::FileChanged, inQuotes(m_target) + " came into being meanwhile; it was left as it is.")
            .advise("Choose another name.");
    if (there) {
        if (static_cast<std::uint64_t>(state.st_dev) != m_device
            || static_cast<std::uint64_t>(state.st_ino) != m_inode
            || static_cast<Index>(state.st_size) != m_size || modifiedOf(state) != m_modified)
            return Error(ErrorCode::FileChanged,
                         inQuotes(m_target) + " was changed by another program meanwhile; it was left as it is.")
                .advise("Choose another name.");
        if (const int old = ::open(m_target.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); old >= 0) {
            takeOver(old, state, m_descriptor);
            ::close(old);
        }
    }
    if (const int reason = m_system->rename(m_part, m_target); reason != 0)
        return failed("The new file cannot be put in its place", reason);
    forget(m_part);
    m_part.clear();
    // The file is whole and in its place; a folder that cannot be synced makes it no less so, but a
    // power cut might still undo the renaming.
    if (const int reason = m_system->syncFolder(folderOf(m_target)); reason != 0)
        return failed("The new file is there, but its folder cannot be brought to the disk", reason);
    return {};
}

std::vector<fs::path> StagedFile::leftovers(const fs::path& given)
{
    const fs::path target = resolved(given);
    const std::string pattern = partPattern(target);
    std::vector<fs::path> found;
    std::error_code failure;
    for (fs::directory_iterator entry(folderOf(target), failure), end; !failure && entry != end;
         entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(pattern) || !name.ends_with(kEnding)
            || name.size() != pattern.size() + 6 + std::strlen(kEnding))
            continue;
        std::error_code ignored;
        if (entry->is_directory(ignored)) {
            found.push_back(entry->path());
            continue;
        }
        const int descriptor = ::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (descriptor < 0)
            continue;
        if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            found.push_back(entry->path());
        ::close(descriptor);
    }
    std::sort(found.begin(), found.end());
    return found;
}

Result<std::unique_ptr<StagedFolder>> StagedFolder::create(const fs::path& given,
                                                           const StagedFile::Options& options,
                                                           const std::vector<std::string>& known)
{
    fs::path target = given;
    if (target.filename().empty()) // a slash at the end
        target = target.parent_path();
    if (target.empty() || target.filename() == "." || target.filename() == "..")
        return Error(ErrorCode::BadUsage, inQuotes(given) + " names no folder of its own.");
    target = StagedFile::resolved(target);
    std::unique_ptr<StagedFolder> folder(new StagedFolder);
    folder->m_target = target;
    folder->m_system = options.system != nullptr ? options.system : &FileSystem::real();
    struct stat state {};
    if (::stat(target.c_str(), &state) == 0) {
        if (!S_ISDIR(state.st_mode))
            return Error(ErrorCode::TargetExists, inQuotes(target) + " is there already, and is no folder.");
        std::error_code failure;
        bool empty = true;
        for (fs::directory_iterator entry(target, failure), end; !failure && entry != end; entry.increment(failure)) {
            empty = false;
            const std::string name = entry->path().filename().string();
            if (std::find(known.begin(), known.end(), name) == known.end())
                return Error(ErrorCode::Refused, "The folder " + inQuotes(target) + " holds \"" + name
                                                     + "\", which is none of the files to be written.")
                    .advise("Choose a new folder.");
        }
        if (!empty && !options.overwrite)
            return Error(ErrorCode::TargetExists, inQuotes(target) + " is there already.")
                .advise("Choose another name, or allow it to be replaced (--overwrite).");
        folder->m_replaces = true;
    }
    if (auto fine = checkFolder(folderOf(target), options.bytesNeeded, *folder->m_system); !fine)
        return std::move(fine).error();
    std::string name = (folderOf(target) / (partPattern(target) + std::string(6, 'X') + kEnding)).string();
    // mkdtemp() wants the letters at the end: made, then given the ending.
    std::string made = name.substr(0, name.size() - std::strlen(kEnding));
    if (::mkdtemp(made.data()) == nullptr)
        return failed("No folder can be made in " + inQuotes(folderOf(target)), errno);
    folder->m_part = made + kEnding;
    if (::rename(made.c_str(), folder->m_part.c_str()) != 0) {
        const int reason = errno;
        ::rmdir(made.c_str());
        return failed("No folder can be made in " + inQuotes(folderOf(target)), reason);
    }
    remember(folder->m_part, 3);
    ::chmod(folder->m_part.c_str(), usualMode() | 0100 | ((usualMode() & 0444) >> 2));
    return folder;
}

StagedFolder::~StagedFolder()
{
    std::error_code ignored;
    if (!m_part.empty()) {
        fs::remove_all(m_part, ignored);
        forget(m_part);
    }
}

Result<void> StagedFolder::commit()
{
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(m_part, failure)) {
        const int descriptor = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
        const int reason = descriptor < 0 ? errno : m_system->sync(descriptor);
        if (descriptor >= 0)
            ::close(descriptor);
        if (reason != 0)
            return failed("The new files cannot be brought to the disk", reason);
    }
    if (m_replaces) {
        // Two folders cannot be exchanged everywhere: the old one steps aside first, and comes back where
        // the new one cannot take its place.
        const fs::path aside = m_part.string() + ".old";
        if (const int reason = m_system->rename(m_target, aside); reason != 0)
            return failed("The old folder cannot be moved aside", reason);
        if (const int reason = m_system->rename(m_part, m_target); reason != 0) {
            FileSystem::real().rename(aside, m_target);
            return failed("The new folder cannot be put in its place", reason);
        }
        fs::remove_all(aside, failure);
    } else if (const int reason = m_system->rename(m_part, m_target); reason != 0) {
        return failed("The new folder cannot be put in its place", reason);
    }
    forget(m_part);
    m_part.clear();
    if (const int reason = m_system->syncFolder(folderOf(m_target)); reason != 0)
        return failed("The new folder is there, but the one around it cannot be brought to the disk", reason);
    return {};
}

} // namespace cellfolio
