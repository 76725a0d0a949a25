// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/base/index.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace cellfolio {

// An owned run of values of one dtype in native form, as read from a file, row-major when it came
// from more than one dimension. Numbers lie in one buffer that is not zeroed first; texts are
// std::string, UTF-8 as found. A value may be marked missing (masked, no category).
class Values
{
public:
    Values() = default;
    // Room for `size` values; numbers are uninitialised, texts empty.
    Values(DType type, Index size);
    explicit Values(std::vector<std::string> texts);

    Values(Values&&) noexcept = default;
    Values& operator=(Values&&) noexcept = default;
    Values(const Values&) = default;
    Values& operator=(const Values&) = default;

    DType type() const noexcept { return m_type; }
    Index size() const noexcept { return m_size; }
    bool empty() const noexcept { return m_size == 0; }
    // Bytes held, texts included.
    Index bytes() const noexcept;

    // Typed look at the numbers. T is the type of visitReal() for this dtype, or std::complex.
    template <typename T>
    std::span<const T> as() const noexcept
    {
        return {reinterpret_cast<const T*>(m_bytes.data()), static_cast<std::size_t>(m_size)};
    }
    template <typename T>
    std::span<T> as() noexcept
    {
        return {reinterpret_cast<T*>(m_bytes.data()), static_cast<std::size_t>(m_size)};
    }
    std::byte* data() noexcept { return m_bytes.data(); }
    const std::byte* data() const noexcept { return m_bytes.data(); }

    const std::vector<std::string>& texts() const noexcept { return m_texts; }
    std::vector<std::string>& texts() noexcept { return m_texts; }

    bool hasMissing() const noexcept { return !m_missing.empty(); }
    bool isMissing(Index i) const noexcept { return !m_missing.empty() && m_missing[at(i)] != 0; }
    void setMissing(Index i);                     // makes room for the marks when it is the first
    void setMissing(std::vector<std::uint8_t> marks) { m_missing = std::move(marks); }

    // The value as a double; complex, text: NaN. Missing is not looked at.
    double number(Index i) const noexcept;
    // The value as an integer; for integer and boolean dtypes only (uint64 wraps).
    std::int64_t integer(Index i) const noexcept;
    // Exact text: integers to the last digit, floats in the shortest text that reads back to the
    // same value of their own type, "NaN", "Infinity", booleans "true"/"false", complex "(re,im)".
    // Missing gives an empty text.
    std::string text(Index i) const;

    // The values at the given places, in that order, repeats allowed.
    Values gather(std::span<const Index> places) const;

private:
    // A buffer whose new bytes are left as they are: clearing what is about to be overwritten was
    // a large part of the cost of reading.
    template <typename T>
    struct Uninitialised {
        using value_type = T;
        Uninitialised() = default;
        template <typename U>
        Uninitialised(const Uninitialised<U>&) noexcept {}
        T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T))); }
        void deallocate(T* p, std::size_t) noexcept { ::operator delete(p); }
        template <typename U>
        void construct(U* p) noexcept { ::new (static_cast<void*>(p)) U; }
        template <typename U, typename... Args>
        void construct(U* p, Args&&... args) { ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...); }
        bool operator==(const Uninitialised&) const noexcept { return true; }
    };

    DType m_type = DType::Other;
    Index m_size = 0;
    std::vector<std::byte, Uninitialised<std::byte>> m_bytes;
    std::vector<std::string> m_texts;
    std::vector<std::uint8_t> m_missing;
};

} // namespace cellfolio
