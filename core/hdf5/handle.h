// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace cellfolio::hdf5 {

// The innermost sentences of the library's error stack, which is cleared; empty when there is none.
std::string takeErrorStack();

// A library handle that closes itself. Made, used and destroyed on the HDF5 thread only.
class Handle
{
public:
    using Closer = int (*)(std::int64_t);

    Handle() = default;
    Handle(std::int64_t id, Closer closer) : m_id(id), m_closer(closer) {}
    Handle(Handle&& other) noexcept
        : m_id(std::exchange(other.m_id, -1)), m_closer(other.m_closer)
    {
    }
    Handle& operator=(Handle&& other) noexcept
    {
        std::swap(m_id, other.m_id);
        std::swap(m_closer, other.m_closer);
        return *this;
    }
    ~Handle()
    {
        // A failure to close changes nothing, but it must not lie about in the library's stack.
        if (m_id >= 0 && m_closer(m_id) < 0)
            takeErrorStack();
    }

    std::int64_t id() const noexcept { return m_id; }
    explicit operator bool() const noexcept { return m_id >= 0; }

private:
    std::int64_t m_id = -1;
    Closer m_closer = nullptr;
};

} // namespace cellfolio::hdf5
