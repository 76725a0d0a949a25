// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/session.h"

#include <cstdio>
#include <memory>
#include <optional>

namespace cellfolio::cli {

// A JSON list that grows beside others and is copied into the answer when it is whole. Kept in a
// temporary file without a name, so that its length costs no memory.
class KeyList
{
public:
    Result<void> open();
    // Where the values of the list are written to.
    JsonWriter& json() noexcept { return *m_json; }
    // Closes the list and writes it as the next value of the session's answer.
    Result<void> copyInto(Session& session);

private:
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> m_file{nullptr, &std::fclose};
    std::unique_ptr<Output> m_output;
    std::optional<JsonWriter> m_json;
};

} // namespace cellfolio::cli
