// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/resume_journal.h"

#include "core/matrix/scratch_file.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cellfolio::impute {

namespace {

constexpr std::uint64_t kMagic = 0x31656d7573657263; // "cresume1"
using Header = std::array<std::uint64_t, 5>;

std::uint64_t hashOf(const std::string& text)
{
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    return hash;
}

Error failed(const std::filesystem::path& path, const char* what)
{
    const int code = errno;
    return Error(code == ENOSPC   ? ErrorCode::OutOfDisk
                 : code == EACCES ? ErrorCode::PermissionDenied
                                  : ErrorCode::Io,
                 path.string() + " cannot be " + what + ": " + std::strerror(code) + ".");
}

} // namespace

std::filesystem::path ResumeJournal::pathFor(const std::filesystem::path& target)
{
    return target.parent_path() / ("." + target.filename().string() + ".resume");
}

Result<std::unique_ptr<ResumeJournal>> ResumeJournal::open(const std::filesystem::path& target,
                                                           const std::string& key, Index rows,
                                                           Index genes)
{
    std::unique_ptr<ResumeJournal> journal(new ResumeJournal);
    journal->m_path = pathFor(target);
    journal->m_key = hashOf(key);
    journal->m_rows = rows;
    journal->m_genes = genes;
    journal->m_descriptor = ::open(journal->m_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (journal->m_descriptor < 0)
        return failed(journal->m_path, "opened");
    if (::flock(journal->m_descriptor, LOCK_EX | LOCK_NB) != 0)
        return Error(ErrorCode::Refused, "Another run is working on " + target.string() + ".");
    struct stat state {
    };
    Header header{};
    if (::fstat(journal->m_descriptor, &state) == 0
        && state.st_size >= static_cast<off_t>(sizeof header)) {
        if (auto read = readAt(journal->m_descriptor, 0, std::as_writable_bytes(std::span(header)),
                               journal->m_path);
            !read)
            return std::move(read).error();
        const auto done = static_cast<Index>(header[4]);
        const Index behind =
            Index{sizeof header} + 8 * rows + Index{sizeof(float)} * done * genes;
        if (header[0] == kMagic && header[1] == journal->m_key
            && header[2] == static_cast<std::uint64_t>(rows)
            && header[3] == static_cast<std::uint64_t>(genes) && done >= 0 && done <= rows
            && state.st_size >= behind)
            journal->m_done = done;
    }
    if (journal->m_done == 0 && ::ftruncate(journal->m_descriptor, 0) != 0)
        return failed(journal->m_path, "emptied");
    if (auto written = journal->writeHeader(); !written)
        return std::move(written).error();
    return journal;
}

ResumeJournal::~ResumeJournal()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

Result<void> ResumeJournal::writeHeader() const
{
    const Header header{kMagic, m_key, static_cast<std::uint64_t>(m_rows),
                        static_cast<std::uint64_t>(m_genes), static_cast<std::uint64_t>(m_done)};
    return writeAt(m_descriptor, 0, std::as_bytes(std::span(header)), m_path);
}

Result<void> ResumeJournal::append(Index rows, const float* values, const double* rowSums)
{
    const Index sums = Index{sizeof(Header)} + 8 * m_done;
    const Index start = Index{sizeof(Header)} + 8 * m_rows + Index{sizeof(float)} * m_done * m_genes;
    if (auto done = writeAt(m_descriptor, sums, std::as_bytes(std::span(rowSums, at(rows))), m_path);
        !done)
        return done;
    if (auto done = writeAt(m_descriptor, start,
                            std::as_bytes(std::span(values, at(rows * m_genes))), m_path);
        !done)
        return done;
    // Values first: a row is never counted whose values a power cut could take away.
    if (::fdatasync(m_descriptor) != 0)
        return failed(m_path, "brought to the disk");
    m_done += rows;
    return writeHeader();
}

Result<void> ResumeJournal::read(Index first, Index rows, float* values, double* rowSums) const
{
    if (auto done = readAt(m_descriptor, Index{sizeof(Header)} + 8 * first,
                           std::as_writable_bytes(std::span(rowSums, at(rows))), m_path);
        !done)
        return done;
    return readAt(m_descriptor,
                  Index{sizeof(Header)} + 8 * m_rows + Index{sizeof(float)} * first * m_genes,
                  std::as_writable_bytes(std::span(values, at(rows * m_genes))), m_path);
}

void ResumeJournal::remove()
{
    ::unlink(m_path.c_str());
}

} // namespace cellfolio::impute
