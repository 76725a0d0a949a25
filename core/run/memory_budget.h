// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <array>
#include <atomic>
#include <memory>
#include <string_view>

namespace cellfolio {

// What reserved memory is for, as the memory meter shows it.
enum class MemoryTag { Pages, Indptr, Strings, Plot, Job };
constexpr std::size_t kMemoryTags = 5;
std::string_view nameOf(MemoryTag tag);

struct MemorySnapshot {
    Index limit = 0;
    Index total = 0;
    Index peak = 0;
    std::array<Index, kMemoryTags> byTag{};
};

class MemoryBudget;

// Bytes taken from a budget; given back when it dies. Movable, not copyable.
class MemoryReservation
{
public:
    MemoryReservation() = default;
    MemoryReservation(MemoryReservation&& other) noexcept;
    MemoryReservation& operator=(MemoryReservation&& other) noexcept;
    ~MemoryReservation() { release(); }

    Index bytes() const noexcept { return m_bytes; }
    void release() noexcept;

private:
    friend class MemoryBudget;
    MemoryReservation(MemoryBudget* budget, MemoryTag tag, Index bytes)
        : m_budget(budget), m_tag(tag), m_bytes(bytes)
    {
    }

    MemoryBudget* m_budget = nullptr;
    MemoryTag m_tag = MemoryTag::Job;
    Index m_bytes = 0;
};

// How many bytes the program may allocate for data at once. Counts what is asked of it; any
// thread may ask. The budget must outlive its reservations.
class MemoryBudget
{
public:
    explicit MemoryBudget(Index limit) : m_limit(limit) {}

    Index limit() const noexcept { return m_limit.load(std::memory_order_relaxed); }
    void setLimit(Index limit) noexcept { m_limit.store(limit, std::memory_order_relaxed); }

    // OutOfBudget when it does not fit; the sentence says how much was wanted and for what.
    Result<MemoryReservation> reserve(MemoryTag tag, Index bytes);
    // Takes it whether it fits or not: for what has already been read and cannot be undone.
    MemoryReservation force(MemoryTag tag, Index bytes);

    MemorySnapshot snapshot() const noexcept;

    // Defaults of ARCHITECTURE: a quarter of the machine, at most 2 GiB.
    static Index windowDefault();
    static Index pageCacheDefault(); // 1/16 of the machine, at most 256 MiB
    static constexpr Index kCommandLineDefault = Index{256} << 20;
    static constexpr Index kSmallest = Index{16} << 20;

private:
    friend class MemoryReservation;
    void add(MemoryTag tag, Index bytes) noexcept;

    std::atomic<Index> m_limit;
    std::atomic<Index> m_total{0};
    std::atomic<Index> m_peak{0};
    std::array<std::atomic<Index>, kMemoryTags> m_byTag{};
};

// Resident size of this process in bytes now, and at its peak.
Index residentBytes();
Index peakResidentBytes();

} // namespace cellfolio
