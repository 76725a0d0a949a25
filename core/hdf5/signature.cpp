// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/signature.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cellfolio::hdf5 {

namespace {

constexpr std::string_view kMagic("\x89HDF\r\n\x1a\n", 8);

class Descriptor
{
public:
    explicit Descriptor(const std::filesystem::path& path)
        : m_fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    {
    }
    ~Descriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int fd() const noexcept { return m_fd; }
    std::string read(Index offset, std::size_t size) const
    {
        std::string bytes(size, '\0');
        const ssize_t got = ::pread(m_fd, bytes.data(), size, offset);
        bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return bytes;
    }

private:
    int m_fd;
};

std::uint64_t littleEndian(std::string_view bytes, std::size_t offset, std::size_t size)
{
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
    return value;
}

// What a file that is no HDF5 looks like, and what to do about it.
Error notHdf5(std::string_view head)
{
    std::string lower(head.substr(0, 512));
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const auto error = [](std::string what, std::string fix) {
        return Error(ErrorCode::NotHdf5, "This is not an HDF5 file: " + std::move(what))
            .at("/")
            .rule("A001")
            .advise(std::move(fix));
    };
    const std::size_t start = lower.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    const std::string_view text = start == std::string::npos ? std::string_view{}
                                                             : std::string_view(lower).substr(start);
    if (text.starts_with("<!doctype") || text.starts_with("<html") || text.starts_with("<head"))
        return error("it begins like a web page.",
                     "Download it again; a sign-in or error page was saved in its place.");
    if (text.starts_with("<?xml"))
        return error("it begins like an XML document.", "Download it again.");
    if (text.starts_with("version https://git-lfs"))
        return error("it is a Git LFS pointer, a short text that stands for the real file.",
                     "Fetch the real file with `git lfs pull`.");
    if (head.starts_with("\x1f\x8b"))
        return error("it is packed with gzip.", "Unpack it first (gunzip).");
    if (head.starts_with("PK\x03\x04"))
        return error("it is a zip archive.", "Unpack it first.");
    if (head.starts_with("\xfd"
                         "7zXZ")
        || head.starts_with("BZh") || head.starts_with("\x28\xb5\x2f\xfd"))
        return error("it is a packed archive.", "Unpack it first.");
    if (head.starts_with("\x89HDF"))
        return error("its first bytes were damaged, as happens when a binary file is sent as text.",
                     "Copy it again from the source, in binary mode.");
    if (head.starts_with("\x93NUMPY"))
        return error("it is a NumPy array file.", "Open the h5ad file it belongs to.");
    if (text.starts_with("%%matrixmarket"))
        return error("it is a Matrix Market text file.", "Open the h5ad file it belongs to.");
    const bool printable = !head.empty() && std::all_of(head.begin(), head.end(), [](char c) {
        const auto u = static_cast<unsigned char>(c);
        return u >= 0x20 || u == '\n' || u == '\r' || u == '\t';
    });
    if (printable)
        return error("it is a text file.", "Choose an .h5ad file, or copy it again from the source.");
    return error("its first bytes are of another kind of file.",
                 "Choose an .h5ad file, or copy it again from the source.");
}

} // namespace

Result<Signature> readSignature(const std::filesystem::path& path)
{
    const std::string name = path.filename().string();
    const Descriptor file(path);
    if (file.fd() < 0) {
        const int reason = errno;
        if (reason == ENOENT || reason == ENOTDIR)
            return Error(ErrorCode::NotFound, "There is no file \"" + path.string() + "\".")
                .at("/")
                .advise("Check the name and the folder.");
        if (reason == EACCES || reason == EPERM)
            return Error(ErrorCode::PermissionDenied, "You may not read \"" + name + "\".")
                .at("/")
                .advise("Ask its owner for the right to read it.");
        return Error(ErrorCode::Io, "\"" + name + "\" cannot be opened: " + std::strerror(reason) + ".")
            .at("/");
    }
    struct stat status {};
    if (::fstat(file.fd(), &status) != 0)
        return Error(ErrorCode::Io, "\"" + name + "\" cannot be looked at: " + std::strerror(errno) + ".")
            .at("/");
    if (S_ISDIR(status.st_mode))
        return Error(ErrorCode::NotHdf5, "This is not an HDF5 file: \"" + name + "\" is a folder.")
            .at("/")
            .rule("A001")
            .advise("Choose a file in it.");
    if (!S_ISREG(status.st_mode))
        return Error(ErrorCode::NotHdf5, "This is not an HDF5 file: \"" + name + "\" is no ordinary file.")
            .at("/")
            .rule("A001")
            .advise("Choose an .h5ad file.");
    Signature result;
    result.size = static_cast<Index>(status.st_size);
    if (result.size == 0)
        return Error(ErrorCode::NotHdf5, "This is not an HDF5 file: it is empty (0 bytes).")
            .at("/")
            .rule("A001")
            .advise("Copy it again from the source.");

    bool found = false;
    for (Index offset = 0; offset + 8 <= result.size; offset = offset == 0 ? 512 : offset * 2) {
        if (file.read(offset, kMagic.size()) == kMagic) {
            result.userBlock = offset;
            found = true;
            break;
        }
    }
    if (!found)
        return notHdf5(file.read(0, 1024));

    // The superblock's versions 0 to 3 hold the end address behind three addresses.
    const std::string block = file.read(result.userBlock, 128);
    if (block.size() < 16)
        return result;
    result.version = static_cast<unsigned char>(block[8]);
    const bool old = result.version <= 1;
    const auto width = static_cast<std::size_t>(static_cast<unsigned char>(old ? block[13] : block[9]));
    const std::size_t addresses = result.version == 0 ? 24 : result.version == 1 ? 28 : 12;
    if (result.version > 3 || (width != 2 && width != 4 && width != 8)
        || block.size() < addresses + 3 * width)
        return result; // the library will say what is wrong
    // Version 0, 1: base, free space, end. Version 2, 3: base, extension, end.
    result.endOfFile = static_cast<Index>(littleEndian(block, addresses + 2 * width, width));
    const auto lengthWidth = static_cast<std::size_t>(static_cast<unsigned char>(old ? block[14] : block[10]));
    if (lengthWidth != 2 && lengthWidth != 4 && lengthWidth != 8)
        return result;
    result.addressSize = static_cast<int>(width);
    result.lengthSize = static_cast<int>(lengthWidth);
    // Version 0, 1: the root group's entry stands behind a fourth address; it begins with the
    // place of its name.
    result.root = littleEndian(block, addresses + (old ? 5 : 3) * width, width);
    if (old) {
        result.groupLeaves = static_cast<int>(littleEndian(block, 16, 2));
        result.groupNodes = static_cast<int>(littleEndian(block, 18, 2));
        if (result.version == 1)
            result.chunkNodes = static_cast<int>(littleEndian(block, 24, 2));
    }
    if (result.version == 3)
        result.markedOpen = (static_cast<unsigned char>(block[11]) & 1u) != 0;
    const auto base = static_cast<Index>(littleEndian(block, addresses, width));
    // The end counts from the base address in some writers, from the file's start in others.
    const Index end = result.endOfFile;
    if (end > result.size && end > 0) {
        return Error(ErrorCode::Corrupt, "This file is cut short: it should be " + byteText(end) + " ("
                                             + grouped(end) + " bytes) and has " + byteText(result.size)
                                             + " (" + grouped(result.size) + " bytes).")
            .at("/")
            .rule("A001")
            .advise("The copy or download did not finish; fetch it again.");
    }
    result.endOfFile = std::max(end, base);
    return result;
}

} // namespace cellfolio::hdf5
