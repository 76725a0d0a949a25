// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/convert/text_lines.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace cellfolio {

namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10;
constexpr std::size_t kLongestLine = std::size_t{1} << 20;

} // namespace

struct TextLines::State {
    std::filesystem::path path;
    int descriptor = -1;
    bool packed = false;
    bool inMember = false; // within a packed piece
    z_stream stream{};
    bool hasStream = false;
    std::vector<unsigned char> in = std::vector<unsigned char>(kBlock);
    std::size_t first = 0; // of what was read and not used
    std::size_t last = 0;
    bool atEnd = false;    // of the file
    Index bytes = 0;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State()
    {
        if (hasStream)
            inflateEnd(&stream);
        if (descriptor >= 0)
            ::close(descriptor);
    }

    Error failure(ErrorCode code, const std::string& what) const
    {
        return Error(code, "\"" + path.string() + "\" " + what);
    }

    Result<void> read()
    {
        if (first < last || atEnd)
            return {};
        ssize_t got = 0;
        do
            got = ::read(descriptor, in.data(), in.size());
        while (got < 0 && errno == EINTR);
        if (got < 0)
            return failure(ErrorCode::Io, "cannot be read: " + std::generic_category().message(errno) + ".");
        first = 0;
        last = static_cast<std::size_t>(got);
        atEnd = got == 0;
        bytes += static_cast<Index>(got);
        return {};
    }
};

TextLines::TextLines() : m_state(std::make_unique<State>()) {}
TextLines::TextLines(TextLines&&) noexcept = default;
TextLines& TextLines::operator=(TextLines&&) noexcept = default;
TextLines::~TextLines() = default;

Index TextLines::bytes() const noexcept
{
    return m_state->bytes;
}

Result<TextLines> TextLines::open(const std::filesystem::path& path)
{
    TextLines lines;
    State& state = *lines.m_state;
    state.path = path;
    state.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (state.descriptor < 0) {
        const int failure = errno;
        return state.failure(failure == EACCES   ? ErrorCode::PermissionDenied
                             : failure == ENOENT ? ErrorCode::NotFound
                                                 : ErrorCode::Io,
                             "cannot be opened: " + std::generic_category().message(failure) + ".");
    }
    if (auto read = state.read(); !read)
        return std::move(read).error();
    state.packed = state.last >= 2 && state.in[0] == 0x1f && state.in[1] == 0x8b;
    return lines;
}

Result<void> TextLines::fill()
{
    State& state = *m_state;
    m_text.erase(0, m_at);
    m_at = 0;
    if (auto read = state.read(); !read)
        return read;
    if (!state.packed) {
        m_text.append(reinterpret_cast<const char*>(state.in.data() + state.first), state.last - state.first);
        state.first = state.last;
        m_ended = state.atEnd;
        return {};
    }
    if (state.atEnd) {
        if (state.inMember)
            return state.failure(ErrorCode::Corrupt, "ends in the middle of its packed text.").advise("Copy or download it again.");
        m_ended = true;
        return {};
    }
    constexpr int kGzip = 16 + MAX_WBITS;
    if (!state.inMember) {
        const int begun = state.hasStream ? inflateReset(&state.stream) : inflateInit2(&state.stream, kGzip);
        if (begun != Z_OK)
            return state.failure(ErrorCode::Internal, "could not be unpacked.");
        state.hasStream = state.inMember = true;
    }
    const std::size_t before = m_text.size();
    m_text.resize(before + kBlock);
    state.stream.next_in = state.in.data() + state.first;
    state.stream.avail_in = static_cast<uInt>(state.last - state.first);
    state.stream.next_out = reinterpret_cast<unsigned char*>(m_text.data() + before);
    state.stream.avail_out = static_cast<uInt>(kBlock);
    const int unpacked = inflate(&state.stream, Z_NO_FLUSH);
    state.first = state.last - state.stream.avail_in;
    m_text.resize(before + kBlock - state.stream.avail_out);
    if (unpacked == Z_STREAM_END)
        state.inMember = false;
    else if (unpacked != Z_OK && unpacked != Z_BUF_ERROR)
        return state.failure(ErrorCode::Corrupt, "is damaged: its packed text cannot be unpacked.")
            .advise("Copy or download it again.");
    return {};
}

Result<bool> TextLines::next(std::string_view& line)
{
    std::size_t searched = m_at;
    for (;;) {
        const std::size_t end = m_text.find('\n', searched);
        if (end != std::string::npos || (m_ended && m_at < m_text.size())) {
            const std::size_t stop = end == std::string::npos ? m_text.size() : end;
            line = std::string_view(m_text).substr(m_at, stop - m_at);
            if (line.ends_with('\r'))
                line.remove_suffix(1);
            m_at = std::min(stop + 1, m_text.size());
            ++m_line;
            return true;
        }
        if (m_ended)
            return false;
        if (m_text.size() - m_at > kLongestLine)
            return m_state->failure(ErrorCode::Corrupt, "has a line of more than a MiB.");
        const std::size_t left = m_text.size() - m_at;
        if (auto filled = fill(); !filled)
            return std::move(filled).error();
        searched = left;
    }
}

} // namespace cellfolio
