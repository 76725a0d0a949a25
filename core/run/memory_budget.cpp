// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/memory_budget.h"

#include "core/base/text.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

namespace cellfolio {

namespace {

Index machineBytes()
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && size > 0 ? Index{pages} * Index{size} : Index{4} << 30;
}

} // namespace

std::string_view nameOf(MemoryTag tag)
{
    switch (tag) {
    case MemoryTag::Pages: return "pages";
    case MemoryTag::Indptr: return "row pointers";
    case MemoryTag::Strings: return "texts";
    case MemoryTag::Plot: return "plot";
    case MemoryTag::Job: return "work";
    }
    return "work";
}

MemoryReservation::MemoryReservation(MemoryReservation&& other) noexcept
    : m_budget(std::exchange(other.m_budget, nullptr)), m_tag(other.m_tag),
      m_bytes(std::exchange(other.m_bytes, 0))
{
}

MemoryReservation& MemoryReservation::operator=(MemoryReservation&& other) noexcept
{
    if (this != &other) {
        release();
        m_budget = std::exchange(other.m_budget, nullptr);
        m_tag = other.m_tag;
        m_bytes = std::exchange(other.m_bytes, 0);
    }
    return *this;
}

void MemoryReservation::release() noexcept
{
    if (m_budget)
        m_budget->add(m_tag, -m_bytes);
    m_budget = nullptr;
    m_bytes = 0;
}

Result<MemoryReservation> MemoryBudget::reserve(MemoryTag tag, Index bytes)
{
    Index total = m_total.load(std::memory_order_relaxed);
    do {
        if (bytes > limit() - total) {
            return Error(ErrorCode::OutOfBudget,
                         byteText(bytes) + " are needed for " + std::string(nameOf(tag)) + ", and "
                             + byteText(std::max<Index>(0, limit() - total)) + " of the budget of "
                             + byteText(limit()) + " are free.")
                .advise("Allow more memory, or ask for less at once.");
        }
    } while (!m_total.compare_exchange_weak(total, total + bytes, std::memory_order_relaxed));
    m_byTag[static_cast<std::size_t>(tag)].fetch_add(bytes, std::memory_order_relaxed);
    Index peak = m_peak.load(std::memory_order_relaxed);
    while (total + bytes > peak
           && !m_peak.compare_exchange_weak(peak, total + bytes, std::memory_order_relaxed)) {
    }
    return MemoryReservation(this, tag, bytes);
}

MemoryReservation MemoryBudget::force(MemoryTag tag, Index bytes)
{
    add(tag, bytes);
    return MemoryReservation(this, tag, bytes);
}

void MemoryBudget::add(MemoryTag tag, Index bytes) noexcept
{
    const Index total = m_total.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    m_byTag[static_cast<std::size_t>(tag)].fetch_add(bytes, std::memory_order_relaxed);
    Index peak = m_peak.load(std::memory_order_relaxed);
    while (total > peak && !m_peak.compare_exchange_weak(peak, total, std::memory_order_relaxed)) {
    }
}

MemorySnapshot MemoryBudget::snapshot() const noexcept
{
    MemorySnapshot result;
    result.limit = limit();
    result.total = m_total.load(std::memory_order_relaxed);
    result.peak = m_peak.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < kMemoryTags; ++i)
        result.byTag[i] = m_byTag[i].load(std::memory_order_relaxed);
    return result;
}

Index MemoryBudget::windowDefault()
{
    return std::min(machineBytes() / 4, Index{2} << 30);
}

Index MemoryBudget::pageCacheDefault()
{
    return std::min(machineBytes() / 16, Index{256} << 20);
}

Index residentBytes()
{
    Index resident = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        long long total = 0;
        long long pages = 0;
        if (std::fscanf(file, "%lld %lld", &total, &pages) == 2)
            resident = Index{pages} * Index{sysconf(_SC_PAGE_SIZE)};
        std::fclose(file);
    }
    return resident;
}

Index peakResidentBytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return Index{usage.ru_maxrss} * 1024;
}

} // namespace cellfolio
