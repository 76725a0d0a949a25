// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/text_sink.h"

#include "core/hdf5/output_driver.h"

#include <libdeflate.h>

#include <memory>

namespace cellfolio {

namespace {

constexpr int kLevel = 4;

} // namespace

void TextSink::cell(std::string_view text, char mark)
{
    if (text.find_first_of("\"\r\n") == std::string_view::npos && text.find(mark) == std::string_view::npos) {
        write(text);
        return;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"')
            quoted += c;
    }
    quoted += '"';
    write(quoted);
}

std::string TextSink::member(std::string_view text, int level) const
{
    struct Free {
        void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
    };
    const std::unique_ptr<libdeflate_compressor, Free> compressor(libdeflate_alloc_compressor(level));
    std::string packed(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
    packed.resize(libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), packed.data(), packed.size()));
    return packed;
}

void TextSink::put(std::string_view bytes)
{
    if (m_failure == 0)
        m_failure = m_system.write(m_descriptor, m_bytes, std::as_bytes(std::span(bytes)));
    m_bytes += static_cast<Index>(bytes.size());
}

void TextSink::flush()
{
    if (m_buffer.empty())
        return;
    put(m_as == As::Gzip ? member(m_buffer, kLevel) : m_buffer);
    m_buffer.clear();
}

void TextSink::head(std::string_view text)
{
    // Not packed, so that another text of its length takes as many bytes.
    put(m_as == As::Gzip ? member(text, 0) : std::string(text));
}

Result<void> TextSink::replaceHead(std::string_view text)
{
    const std::string bytes = m_as == As::Gzip ? member(text, 0) : std::string(text);
    if (m_failure == 0)
        m_failure = m_system.write(m_descriptor, 0, std::as_bytes(std::span(bytes)));
    return check();
}

Result<void> TextSink::check() const
{
    return m_failure != 0 ? Result<void>(hdf5::writeFailure(m_failure)) : Result<void>();
}

} // namespace cellfolio
