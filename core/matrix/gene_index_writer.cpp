// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/gene_index_format.h"
#include "core/matrix/scratch_file.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cellfolio {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFlush = std::size_t{1} << 20;
constexpr const char* kPartEnding = ".part";

template <std::size_t kSize>
void setText(std::array<char, kSize>& field, const std::string& text)
{
    // Cut where it is too long: it is only compared with texts cut alike.
    std::copy_n(text.begin(), std::min(text.size(), kSize - 1), field.begin());
}

} // namespace

struct GeneIndexWriter::Worker {
    explicit Worker(DType type) : coder(type) {}
    GeneCoder coder;
    Buffer out;
    std::size_t size = 0;       // of `out` that is used
    std::vector<Index> waiting; // genes in it, whose offsets count from its start
};

Result<std::unique_ptr<GeneIndexWriter>>
GeneIndexWriter::create(const fs::path& path, const GeneIndexOrigin& origin, Shape shape)
{
    if (Result<void> made = makeFolder(path.parent_path()); !made)
        return std::move(made).error();
    std::unique_ptr<GeneIndexWriter> writer(new GeneIndexWriter);
    writer->m_path = path;
    writer->m_origin = origin;
    writer->m_shape = shape;
    for (;;) {
        std::string name = path.string() + ".XXXXXX" + kPartEnding;
        writer->m_descriptor =
            ::mkostemps(name.data(), static_cast<int>(std::strlen(kPartEnding)), O_CLOEXEC);
        if (writer->m_descriptor < 0)
            return Error(errno == EACCES || errno == EROFS ? ErrorCode::PermissionDenied
                         : errno == ENOSPC                 ? ErrorCode::OutOfDisk
                                                           : ErrorCode::Io,
                         "No gene index can be written in " + path.parent_path().string() + ": "
                             + std::strerror(errno) + ".");
        // Held while it is written: what nobody holds was left behind. Another build may have taken
        // it for that before it was held; then it has no name any more, and a new one is made.
        ::flock(writer->m_descriptor, LOCK_EX);
        struct stat state{};
        if (::fstat(writer->m_descriptor, &state) != 0 || state.st_nlink > 0) {
            writer->m_part = name;
            break;
        }
        ::close(writer->m_descriptor);
    }
    writer->m_size = static_cast<Index>(sizeof(GeneIndexHeader));
    writer->m_directory.resize(at(shape.genes));
    return writer;
}

GeneIndexWriter::~GeneIndexWriter()
{
    if (!m_part.empty())
        ::unlink(m_part.c_str());
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

void GeneIndexWriter::setWorkers(int workers)
{
    for (int k = 0; k < workers; ++k)
        m_workers.push_back(std::make_unique<Worker>(m_shape.type));
}

Result<void> GeneIndexWriter::add(const TransposedPiece& piece)
{
    Worker& own = *m_workers[at(Index{piece.worker})];
    own.coder.add(piece.lines, piece.values, piece.total);
    if (!piece.last)
        return {};
    const GeneCoder::Coded coded = own.coder.finish();
    GeneIndexEntry& entry = m_directory[at(piece.index)];
    entry.bytes = coded.cells.size() + coded.values.size();
    entry.countAndKind = static_cast<std::uint64_t>(piece.total)
                       | static_cast<std::uint64_t>(coded.kind) << 56;
    entry.checksum = GeneIndexHeader::hash(coded.cells, coded.values);
    if (entry.bytes >= kFlush) {
        const Index place = m_size.fetch_add(static_cast<Index>(entry.bytes));
        entry.offset = static_cast<std::uint64_t>(place);
        if (Result<void> done = writeAt(m_descriptor, place, coded.cells, m_part); !done)
            return done;
        return writeAt(m_descriptor, place + static_cast<Index>(coded.cells.size()), coded.values,
                       m_part);
    }
    if (own.size + entry.bytes > kFlush)
        if (Result<void> done = flush(own); !done)
            return done;
    own.out.resize(kFlush);
    entry.offset = own.size;
    for (const std::span<const std::byte> part : {coded.cells, coded.values}) {
        std::copy(part.begin(), part.end(), own.out.data() + own.size);
        own.size += part.size();
    }
    own.waiting.push_back(piece.index);
    return {};
}

Result<void> GeneIndexWriter::flush(Worker& own)
{
    if (own.size == 0)
        return {};
    const Index place = m_size.fetch_add(static_cast<Index>(own.size));
    for (const Index gene : own.waiting)
        m_directory[at(gene)].offset += static_cast<std::uint64_t>(place);
    own.waiting.clear();
    Result<void> done = writeAt(m_descriptor, place, own.out.span().first(own.size), m_part);
    own.size = 0;
    return done;
}

Result<Index> GeneIndexWriter::commit()
{
    for (const auto& worker : m_workers)
        if (Result<void> done = flush(*worker); !done)
            return std::move(done).error();
    GeneIndexHeader header;
    header.dtype = static_cast<std::uint32_t>(m_shape.type);
    header.fingerprint = m_origin.fingerprint;
    header.sample = m_origin.sample;
    header.sourceDevice = m_origin.identity.device;
    header.sourceInode = m_origin.identity.inode;
    header.sourceSize = m_origin.identity.size;
    header.sourceModified = m_origin.identity.modified;
    header.cells = m_shape.cells;
    header.genes = m_shape.genes;
    header.entries = m_shape.entries;
    header.directory = m_size;
    const auto directory = std::as_bytes(std::span(m_directory));
    header.directoryChecksum = GeneIndexHeader::hash(directory);
    header.fileBytes = header.directory + static_cast<Index>(directory.size());
    setText(header.matrix, m_origin.matrix);
    setText(header.file, m_origin.file);
    header.checksum = header.ownChecksum();
    if (Result<void> done = writeAt(m_descriptor, header.directory, directory, m_part); !done)
        return std::move(done).error();
    // The header comes last: what broke off has none. The disk need not have it all when the
    // program ends, since every part is checked when it is read.
    if (Result<void> done =
            writeAt(m_descriptor, 0, std::as_bytes(std::span(&header, 1)), m_part);
        !done)
        return std::move(done).error();
    if (::rename(m_part.c_str(), m_path.c_str()) != 0)
        return Error(ErrorCode::Io, "The gene index cannot be put at " + m_path.string() + ": "
                                        + std::strerror(errno) + ".");
    m_part.clear();
    return header.fileBytes;
}

void GeneIndexWriter::removeLeftovers(const fs::path& folder)
{
    std::error_code failure;
    for (fs::directory_iterator file(folder, failure), end; !failure && file != end;
         file.increment(failure)) {
        if (file->path().extension() != kPartEnding)
            continue;
        const int descriptor = ::open(file->path().c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor < 0)
            continue;
        if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            ::unlink(file->path().c_str());
        ::close(descriptor);
    }
}

} // namespace cellfolio
