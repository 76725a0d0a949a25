// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/buffer.h"

#include <algorithm>
#include <cstring>

namespace cellfolio {

void Buffer::grow(std::size_t size)
{
    if (size > m_capacity) {
        const std::size_t capacity = std::max(size, m_capacity + m_capacity / 2);
        std::unique_ptr<std::byte[]> bytes(new std::byte[capacity]);
        if (m_size > 0)
            std::memcpy(bytes.get(), m_bytes.get(), m_size);
        m_bytes = std::move(bytes);
        m_capacity = capacity;
    }
    m_size = size;
}

} // namespace cellfolio
