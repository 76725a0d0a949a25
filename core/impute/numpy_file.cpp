// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/numpy_file.h"

#include "core/base/text.h"
#include "core/matrix/scratch_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cellfolio::impute {

namespace fs = std::filesystem;

namespace {

constexpr Index kPiece = Index{256} << 10; // bytes converted or unpacked at once

class FileBytes final : public ByteSource
{
public:
    static Result<std::shared_ptr<const ByteSource>> open(const fs::path& path)
    {
        const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor < 0)
            return Error(errno == ENOENT   ? ErrorCode::NotFound
                         : errno == EACCES ? ErrorCode::PermissionDenied
                                           : ErrorCode::Io,
                         path.string() + " cannot be opened: " + std::strerror(errno) + ".");
        auto bytes = std::shared_ptr<FileBytes>(new FileBytes(descriptor, path));
        struct stat status {
        };
        if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
            return Error(ErrorCode::Io, path.string() + " is no ordinary file.");
        bytes->m_size = status.st_size;
        return std::shared_ptr<const ByteSource>(std::move(bytes));
    }
    ~FileBytes() override { ::close(m_descriptor); }
    Index size() const override { return m_size; }
    Result<void> read(Index offset, std::span<std::byte> bytes) const override
    {
        if (offset < 0 || offset + static_cast<Index>(bytes.size()) > m_size)
            return Error(ErrorCode::Corrupt, m_path.string() + " ends before its last value: it was cut off.");
        return readAt(m_descriptor, offset, bytes, m_path);
    }

private:
    FileBytes(int descriptor, fs::path path) : m_descriptor(descriptor), m_path(std::move(path)) {}
    int m_descriptor;
    fs::path m_path;
    Index m_size = 0;
};

// A stretch of another source.
class PartBytes final : public ByteSource
{
public:
    PartBytes(std::shared_ptr<const ByteSource> whole, Index first, Index size)
        : m_whole(std::move(whole)), m_first(first), m_size(size)
    {
    }
    Index size() const override { return m_size; }
    Result<void> read(Index offset, std::span<std::byte> bytes) const override
    {
        if (offset < 0 || offset + static_cast<Index>(bytes.size()) > m_size)
            return Error(ErrorCode::Corrupt, "An array of the archive is cut off.");
        return m_whole->read(m_first + offset, bytes);
    }

private:
    std::shared_ptr<const ByteSource> m_whole;
    Index m_first;
    Index m_size;
};

class ScratchBytes final : public ByteSource
{
public:
    ScratchBytes(ScratchFile file, Index size) : m_file(std::move(file)), m_size(size) {}
    Index size() const override { return m_size; }
    Result<void> read(Index offset, std::span<std::byte> bytes) const override
    {
        if (offset < 0 || offset + static_cast<Index>(bytes.size()) > m_size)
            return Error(ErrorCode::Corrupt, "An array of the archive is cut off.");
        return m_file.read(offset, bytes);
    }

private:
    ScratchFile m_file;
    Index m_size;
};

// Little-endian numbers of a header.
std::uint64_t numberIn(std::span<const std::byte> bytes, std::size_t offset, std::size_t size)
{
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < size; ++k)
        value |= std::to_integer<std::uint64_t>(bytes[offset + k]) << (8 * k);
    return value;
}

Error malformed(const std::string& name, const std::string& why)
{
    return Error(ErrorCode::Corrupt, name + " is no array that NumPy could read: " + why + ".");
}

// What stands behind 'key': in the dictionary of the header.
std::string entryOf(const std::string& header, const std::string& key)
{
    const std::size_t place = header.find("'" + key + "'");
    if (place == std::string::npos)
        return {};
    std::size_t begin = header.find(':', place);
    if (begin == std::string::npos)
        return {};
    begin = header.find_first_not_of(' ', begin + 1);
    if (begin == std::string::npos)
        return {};
    if (header[begin] == '(')
        return header.substr(begin, header.find(')', begin) - begin + 1);
    if (header[begin] == '\'')
        return header.substr(begin + 1, header.find('\'', begin + 1) - begin - 1);
    return header.substr(begin, header.find_first_of(",}", begin) - begin);
}

std::optional<DType> typeOf(char kind, Index size)
{
    switch (kind) {
    case 'b': return size == 1 ? std::optional(DType::Bool) : std::nullopt;
    case 'f':
        return size == 2   ? std::optional(DType::Float16)
             : size == 4   ? std::optional(DType::Float32)
             : size == 8   ? std::optional(DType::Float64)
                           : std::nullopt;
    case 'i': return dtypeNamed("int" + std::to_string(8 * size));
    case 'u': return dtypeNamed("uint" + std::to_string(8 * size));
    case 'S':
    case 'U': return DType::String;
    default: return std::nullopt;
    }
}

} // namespace

Result<NumpyArray> NumpyArray::open(const fs::path& path)
{
    auto bytes = FileBytes::open(path);
    if (!bytes)
        return std::move(bytes).error();
    return of(std::move(*bytes), path.string());
}

Result<NumpyArray> NumpyArray::of(std::shared_ptr<const ByteSource> bytes, std::string name)
{
    NumpyArray array;
    array.m_name = std::move(name);
    std::array<std::byte, 12> start{};
    if (bytes->size() < 12)
        return malformed(array.m_name, "it is too short");
    if (auto done = bytes->read(0, start); !done)
        return std::move(done).error();
    if (std::memcmp(start.data(), "\x93NUMPY", 6) != 0)
        return malformed(array.m_name, "it does not begin like one");
    const bool longHeader = std::to_integer<int>(start[6]) >= 2;
    const auto length = static_cast<Index>(numberIn(start, 8, longHeader ? 4 : 2));
    const Index begin = longHeader ? 12 : 10;
    array.m_offset = begin + length;
    if (length > (Index{1} << 20) || array.m_offset > bytes->size())
        return malformed(array.m_name, "its header is cut off");
    std::string header(at(length), '\0');
    if (auto done = bytes->read(begin, std::as_writable_bytes(std::span<char>(header))); !done)
        return std::move(done).error();

    const std::string description = entryOf(header, "descr");
    std::int64_t size = 0;
    if (description.size() < 3 || !parseInteger(description.substr(2), size) || size < 0)
        return malformed(array.m_name, "its values are records or objects");
    const auto type = typeOf(description[1], size);
    if (!type)
        return Error(ErrorCode::UnsupportedEncoding,
                     array.m_name + " holds values of type " + description + ", not real numbers.");
    array.m_type = *type;
    array.m_wideText = description[1] == 'U';
    array.m_itemSize = array.m_wideText ? 4 * size : size;
    array.m_swapped = (description[0] == '>') != (std::endian::native == std::endian::big)
                   && description[0] != '|' && description[0] != '=';
    array.m_fortran = entryOf(header, "fortran_order").starts_with("True");
    const std::string shape = entryOf(header, "shape");
    if (shape.empty() || shape.front() != '(')
        return malformed(array.m_name, "its shape is missing");
    for (std::size_t place = 1; place < shape.size();) {
        const std::size_t end = shape.find_first_of(",)", place);
        std::string part = shape.substr(place, end - place);
        std::erase(part, ' ');
        std::int64_t extent = 0;
        if (!part.empty()) {
            if (!parseInteger(part, extent) || extent < 0)
                return malformed(array.m_name, "its shape cannot be read");
            array.m_shape.push_back(extent);
        }
        place = end + 1;
    }
    array.m_bytes = std::move(bytes);
    Index room = (array.m_bytes->size() - array.m_offset) / std::max(Index{1}, array.m_itemSize);
    for (Index extent : array.m_shape)
        room = extent > 0 ? room / extent : room;
    if (room < 1 && array.count() > 0)
        return Error(ErrorCode::Corrupt, array.m_name + " is cut off: it is shorter than its shape.");
    return array;
}

Index NumpyArray::count() const noexcept
{
    Index product = 1;
    for (Index extent : m_shape)
        product *= extent;
    return product;
}

template <typename Real>
Result<void> NumpyArray::read(Index first, Index count, Real* into) const
{
    const Index most = kPiece / std::max(Index{1}, m_itemSize);
    std::vector<std::byte> piece(at(std::min(count, most) * m_itemSize));
    for (Index done = 0; done < count; done += most) {
        const Index now = std::min(most, count - done);
        const std::span<std::byte> bytes(piece.data(), at(now * m_itemSize));
        if (auto read = m_bytes->read(m_offset + (first + done) * m_itemSize, bytes); !read)
            return read;
        if (m_swapped && m_itemSize > 1)
            for (Index k = 0; k < now; ++k)
                std::reverse(bytes.begin() + k * m_itemSize, bytes.begin() + (k + 1) * m_itemSize);
        const bool known = visitReal(m_type, [&]<typename T>(const T*) {
            for (Index k = 0; k < now; ++k) {
                T value;
                std::memcpy(&value, bytes.data() + k * Index{sizeof(T)}, sizeof(T));
                if constexpr (std::is_integral_v<T> && std::is_integral_v<Real>)
                    into[done + k] = static_cast<Real>(value);
                else
                    into[done + k] = static_cast<Real>(toDouble(value));
            }
        });
        if (!known)
            return Error(ErrorCode::UnsupportedEncoding, m_name + " holds no real numbers.");
    }
    return {};
}

Result<std::string> NumpyArray::text() const
{
    if (m_type != DType::String || count() != 1 || m_itemSize > 4096)
        return malformed(m_name, "it should hold one text");
    std::vector<std::byte> bytes(at(m_itemSize));
    if (auto done = m_bytes->read(m_offset, bytes); !done)
        return std::move(done).error();
    std::string text;
    for (std::size_t k = 0; k < bytes.size(); k += m_wideText ? 4 : 1) {
        const char letter = std::to_integer<char>(bytes[m_swapped && m_wideText ? k + 3 : k]);
        if (letter != '\0')
            text += letter;
    }
    return text;
}

namespace {

// The end of the archive's directory: where it lies, and how many members it has.
struct Directory {
    Index offset = 0;
    Index size = 0;
    Index members = 0;
};

Result<Directory> directoryOf(const ByteSource& bytes, const std::string& name)
{
    const Index window = std::min(bytes.size(), Index{22 + 65535 + 20});
    std::vector<std::byte> tail(at(window));
    if (auto done = bytes.read(bytes.size() - window, tail); !done)
        return std::move(done).error();
    for (Index k = window - 22; k >= 0; --k) {
        if (numberIn(tail, at(k), 4) != 0x06054b50)
            continue;
        Directory directory;
        directory.members = static_cast<Index>(numberIn(tail, at(k + 10), 2));
        directory.size = static_cast<Index>(numberIn(tail, at(k + 12), 4));
        directory.offset = static_cast<Index>(numberIn(tail, at(k + 16), 4));
        // A long archive says it again, in wider numbers.
        if (k >= 20 && numberIn(tail, at(k - 20), 4) == 0x07064b50) {
            std::array<std::byte, 56> wide{};
            const auto place = static_cast<Index>(numberIn(tail, at(k - 12), 8));
            if (auto done = bytes.read(place, wide); !done)
                return std::move(done).error();
            directory.members = static_cast<Index>(numberIn(wide, 32, 8));
            directory.size = static_cast<Index>(numberIn(wide, 40, 8));
            directory.offset = static_cast<Index>(numberIn(wide, 48, 8));
        }
        return directory;
    }
    return Error(ErrorCode::Corrupt, name + " is no .npz archive, or was cut off.");
}

Result<std::shared_ptr<const ByteSource>> unpacked(const ByteSource& packed, Index size,
                                                   const fs::path& scratch, std::stop_token stop,
                                                   const std::string& name)
{
    auto file = ScratchFile::create(scratch);
    if (!file)
        return std::move(file).error();
    file->claim(size);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return Error(ErrorCode::Internal, "Unpacking could not be started.");
    const auto end = [&stream](Error error) {
        inflateEnd(&stream);
        return error;
    };
    std::vector<std::byte> in(at(kPiece));
    std::vector<std::byte> out(at(kPiece));
    Index taken = 0;
    Index written = 0;
    int state = Z_OK;
    while (state != Z_STREAM_END) {
        if (stop.stop_requested())
            return end(Error::cancelled());
        if (stream.avail_in == 0) {
            const Index now = std::min(kPiece, packed.size() - taken);
            if (now == 0)
                return end(Error(ErrorCode::Corrupt, name + " ends before it is unpacked."));
            if (auto done = packed.read(taken, {in.data(), at(now)}); !done)
                return end(std::move(done).error());
            taken += now;
            stream.next_in = reinterpret_cast<Bytef*>(in.data());
            stream.avail_in = static_cast<uInt>(now);
        }
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(kPiece);
        state = inflate(&stream, Z_NO_FLUSH);
        const Index made = kPiece - static_cast<Index>(stream.avail_out);
        if ((state != Z_OK && state != Z_STREAM_END) || written + made > size)
            return end(Error(ErrorCode::Corrupt, name + " cannot be unpacked: it is damaged."));
        if (auto done = file->write(written, {out.data(), at(made)}); !done)
            return end(std::move(done).error());
        written += made;
    }
    inflateEnd(&stream);
    if (written != size)
        return Error(ErrorCode::Corrupt, name + " is shorter than it should be.");
    return std::shared_ptr<const ByteSource>(std::make_shared<ScratchBytes>(std::move(*file), size));
}

} // namespace

Result<NumpyArchive> NumpyArchive::open(const fs::path& path, const fs::path& scratch,
                                        std::stop_token stop)
{
    NumpyArchive archive;
    archive.m_path = path;
    archive.m_scratch = scratch;
    archive.m_stop = stop;
    auto bytes = FileBytes::open(path);
    if (!bytes)
        return std::move(bytes).error();
    archive.m_bytes = std::move(*bytes);
    if (archive.m_bytes->size() < 22)
        return Error(ErrorCode::Corrupt, path.string() + " is too short to be an .npz archive.");
    auto directory = directoryOf(*archive.m_bytes, path.string());
    if (!directory)
        return std::move(directory).error();
    if (directory->size < 0 || directory->size > (Index{16} << 20))
        return Error(ErrorCode::Corrupt, path.string() + " is damaged: its directory is too long.");
    std::vector<std::byte> list(at(directory->size));
    if (auto done = archive.m_bytes->read(directory->offset, list); !done)
        return std::move(done).error();
    const std::span<const std::byte> entries(list);
    std::size_t place = 0;
    for (Index k = 0; k < directory->members; ++k) {
        const Error damaged(ErrorCode::Corrupt, path.string() + " is damaged in its directory.");
        if (place + 46 > list.size() || numberIn(entries, place, 4) != 0x02014b50)
            return damaged;
        Member member;
        member.method = static_cast<unsigned>(numberIn(entries, place + 10, 2));
        std::uint64_t packed = numberIn(entries, place + 20, 4);
        std::uint64_t size = numberIn(entries, place + 24, 4);
        std::uint64_t header = numberIn(entries, place + 42, 4);
        const auto nameLength = static_cast<std::size_t>(numberIn(entries, place + 28, 2));
        const auto extra = static_cast<std::size_t>(numberIn(entries, place + 30, 2));
        const auto comment = static_cast<std::size_t>(numberIn(entries, place + 32, 2));
        if (place + 46 + nameLength + extra + comment > list.size())
            return damaged;
        std::string name(reinterpret_cast<const char*>(list.data()) + place + 46, nameLength);
        // Wider numbers, in this order, for those that are all ones.
        for (std::size_t e = place + 46 + nameLength; e + 4 <= place + 46 + nameLength + extra;) {
            const auto id = numberIn(entries, e, 2);
            const auto length = static_cast<std::size_t>(numberIn(entries, e + 2, 2));
            std::size_t at8 = e + 4;
            const std::size_t behind = std::min(e + 4 + length, list.size());
            if (id == 1)
                for (std::uint64_t* value : {&size, &packed, &header})
                    if (*value == 0xffffffffu && at8 + 8 <= behind) {
                        *value = numberIn(entries, at8, 8);
                        at8 += 8;
                    }
            e += 4 + length;
        }
        constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Index>::max() / 2);
        if (size > kMost || packed > kMost || header > kMost)
            return damaged;
        member.header = static_cast<Index>(header);
        member.packed = static_cast<Index>(packed);
        member.size = static_cast<Index>(size);
        if (name.ends_with(".npy"))
            name.resize(name.size() - 4);
        archive.m_members.emplace(std::move(name), member);
        place += 46 + nameLength + extra + comment;
    }
    return archive;
}

std::vector<std::string> NumpyArchive::names() const
{
    std::vector<std::string> names;
    for (const auto& [name, member] : m_members)
        names.push_back(name);
    return names;
}

Result<NumpyArray> NumpyArchive::array(const std::string& name) const
{
    const auto found = m_members.find(name);
    if (found == m_members.end())
        return Error(ErrorCode::NotFound, m_path.string() + " holds no array \"" + name + "\".")
            .suggest(nearest(name, names()));
    const Member& member = found->second;
    const std::string called = m_path.string() + " (" + name + ")";
    std::array<std::byte, 30> local{};
    if (auto done = m_bytes->read(member.header, local); !done)
        return std::move(done).error();
    if (numberIn(local, 0, 4) != 0x04034b50)
        return Error(ErrorCode::Corrupt, called + " is damaged.");
    const Index begin = member.header + 30 + static_cast<Index>(numberIn(local, 26, 2))
                      + static_cast<Index>(numberIn(local, 28, 2));
    auto stored = std::make_shared<PartBytes>(m_bytes, begin, member.packed);
    if (member.method == 0)
        return NumpyArray::of(std::move(stored), called);
    if (member.method != 8)
        return Error(ErrorCode::UnsupportedFilter, called + " is packed in a way that is not known here.");
    auto plain = unpacked(*stored, member.size, m_scratch, m_stop, called);
    if (!plain)
        return std::move(plain).error();
    return NumpyArray::of(std::move(*plain), called);
}

template Result<void> NumpyArray::read(Index, Index, float*) const;
template Result<void> NumpyArray::read(Index, Index, double*) const;
template Result<void> NumpyArray::read(Index, Index, Index*) const;

} // namespace cellfolio::impute
