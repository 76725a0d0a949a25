// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace cellfolio {

// Bytes whose content is undefined until written. Growing keeps the memory for the next use and
// drops the content: touching fresh memory is dear, so buffers are kept and reused.
class Buffer
{
public:
    Buffer() = default;
    explicit Buffer(std::size_t size) { resize(size); }

    // Makes room for `size` bytes; what was there is lost when it has to grow.
    void resize(std::size_t size)
    {
        if (size > m_capacity) {
            m_bytes.reset();
            m_bytes = std::unique_ptr<std::byte[]>(new std::byte[size]);
            m_capacity = size;
        }
        m_size = size;
    }
    // Makes room and keeps what was there.
    void grow(std::size_t size);

    std::size_t size() const noexcept { return m_size; }
    std::size_t capacity() const noexcept { return m_capacity; }
    std::byte* data() noexcept { return m_bytes.get(); }
    const std::byte* data() const noexcept { return m_bytes.get(); }
    std::span<std::byte> span() noexcept { return {m_bytes.get(), m_size}; }
    std::span<const std::byte> span() const noexcept { return {m_bytes.get(), m_size}; }

private:
    std::unique_ptr<std::byte[]> m_bytes;
    std::size_t m_size = 0;
    std::size_t m_capacity = 0;
};

} // namespace cellfolio
