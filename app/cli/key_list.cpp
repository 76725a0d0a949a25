// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/key_list.h"

#include <cerrno>
#include <cstring>
#include <vector>

namespace cellfolio::cli {

Result<void> KeyList::open()
{
    m_file.reset(std::tmpfile());
    if (!m_file)
        return Error(ErrorCode::Io,
                     std::string("No temporary file can be made: ") + std::strerror(errno) + ".");
    m_output = std::make_unique<Output>(::fileno(m_file.get()));
    m_json.emplace(*m_output);
    m_json->beginArray();
    return {};
}

Result<void> KeyList::copyInto(Session& session)
{
    m_json->endArray();
    m_output->flush();
    if (!m_output->ok())
        return Error(ErrorCode::OutOfDisk,
                     "A temporary file cannot be written: " + m_output->failure() + ".");
    std::rewind(m_file.get());
    session.json.raw({}); // the comma, if one is due
    std::vector<char> buffer(1 << 16);
    for (;;) {
        const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), m_file.get());
        session.output.write(std::string_view(buffer.data(), got));
        if (got < buffer.size())
            break;
        if (auto on = session.mayGoOn(); !on)
            return on;
    }
    if (std::ferror(m_file.get()) != 0)
        return Error(ErrorCode::Io, "A temporary file cannot be read back.");
    return {};
}

} // namespace cellfolio::cli
