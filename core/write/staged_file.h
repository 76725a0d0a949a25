// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/run/file_system.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cellfolio {

// A new file that appears whole or not at all. It is written beside its target under the name
// `.NAME.RANDOM.part` and takes the target's place when it is committed; until then the target stays
// as it was. Destroyed before that, nothing of it is left. While it is written its file is locked, so
// that other programs can tell it from one that was left behind.
class StagedFile
{
public:
    struct Options {
        bool overwrite = false;                    // the target may exist
        Index bytesNeeded = 0;                     // about; refused where they are not free
        std::vector<std::filesystem::path> inputs = {}; // files being read: the target may be none of them
        FileSystem* system = nullptr;              // null: the real one
    };

    // Whether the target can be written, without making anything. BadUsage: it is an input.
    // TargetExists: it is there and must not be replaced. Refused: a folder, a pipe or device, a name
    // of several of one file, or open in another program that writes. NotFound: no such folder.
    // PermissionDenied; OutOfDisk. A target that is a symbolic link: what it leads to is meant.
    static Result<void> check(const std::filesystem::path& target, const Options& options);
    // The same, and makes the file.
    static Result<std::unique_ptr<StagedFile>> create(const std::filesystem::path& target,
                                                      const Options& options);
    ~StagedFile();
    StagedFile(const StagedFile&) = delete;
    StagedFile& operator=(const StagedFile&) = delete;

    const std::filesystem::path& target() const noexcept { return m_target; }
    const std::filesystem::path& part() const noexcept { return m_part; }
    // Open for reading and writing, at its start.
    int descriptor() const noexcept { return m_descriptor; }
    FileSystem& system() const noexcept { return *m_system; }

    // Brings everything to the disk, lets `verify` look at part(), and puts the file in its place
    // with the mode, owner and extended attributes of the one it replaces. After an error the target is
    // as it was. FileChanged where the target came into being, or was changed, since create().
    Result<void> commit(const std::function<Result<void>(const std::filesystem::path& part)>& verify = {});

    // Files that broken-off writes of this target left behind: nobody is writing them.
    static std::vector<std::filesystem::path> leftovers(const std::filesystem::path& target);

    // Where the bytes of the target really go: symbolic links followed.
    static std::filesystem::path resolved(const std::filesystem::path& target);

private:
    StagedFile() = default;

    std::filesystem::path m_target; // resolved
    std::filesystem::path m_part;
    int m_descriptor = -1;
    FileSystem* m_system = nullptr;
    bool m_replaces = false;
    // Of the file that is to be replaced.
    std::uint64_t m_device = 0;
    std::uint64_t m_inode = 0;
    Index m_size = 0;
    Index m_modified = 0;
};

// Removes the unfinished files of this program, for an end that destroys nothing: after a crash or a
// signal. May be called from a signal handler.
void removeStagedParts() noexcept;

// A folder of files that appears whole or not at all, likewise. An existing folder is replaced only
// where it holds nothing or was made by the same kind of writer (all its files are among `known`).
class StagedFolder
{
public:
    static Result<std::unique_ptr<StagedFolder>> create(const std::filesystem::path& target,
                                                        const StagedFile::Options& options,
                                                        const std::vector<std::string>& known);
    ~StagedFolder();
    StagedFolder(const StagedFolder&) = delete;
    StagedFolder& operator=(const StagedFolder&) = delete;

    // Where to write the files.
    const std::filesystem::path& part() const noexcept { return m_part; }
    Result<void> commit();

private:
    StagedFolder() = default;
    std::filesystem::path m_target;
    std::filesystem::path m_part;
    FileSystem* m_system = nullptr;
    bool m_replaces = false;
};

} // namespace cellfolio
