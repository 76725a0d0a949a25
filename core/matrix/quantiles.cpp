// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/quantiles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace cellfolio {

namespace {

constexpr int kDigit = 11; // bits of a key looked at in one pass
constexpr std::size_t kBins = std::size_t{1} << kDigit;

// Unsigned keys in the order of the values. Both zeros are one; NaN has no key.
std::uint64_t keyOf(double value) noexcept
{
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}
std::uint64_t keyOf(float value) noexcept
{
    const auto bits = std::bit_cast<std::uint32_t>(value + 0.0F);
    return (bits >> 31) != 0 ? static_cast<std::uint32_t>(~bits) : bits | (1U << 31);
}
std::uint64_t keyOf(Half value) noexcept
{
    return keyOf(toFloat(value));
}
std::uint64_t keyOf(Flag value) noexcept
{
    return value.byte != 0 ? 1 : 0;
}
template <typename T>
std::uint64_t keyOf(T value) noexcept
{
    using U = std::make_unsigned_t<T>;
    const auto bits = static_cast<U>(value);
    if constexpr (std::is_signed_v<T>)
        return static_cast<U>(bits ^ (U{1} << (sizeof(T) * 8 - 1)));
    return bits;
}

int bitsOf(DType type) noexcept
{
    return type == DType::Float16 ? 32 : static_cast<int>(sizeOf(type)) * 8;
}

double valueOf(std::uint64_t key, DType type) noexcept
{
    switch (type) {
    case DType::Float64: {
        const bool negative = (key >> 63) == 0;
        return std::bit_cast<double>(negative ? ~key : key & ~(std::uint64_t{1} << 63));
    }
    case DType::Float32:
    case DType::Float16: {
        const auto narrow = static_cast<std::uint32_t>(key);
        const bool negative = (narrow >> 31) == 0;
        return static_cast<double>(
            std::bit_cast<float>(negative ? ~narrow : narrow & ~(1U << 31)));
    }
    default: break;
    }
    if (!isSignedInteger(type))
        return static_cast<double>(key);
    const std::uint64_t half = std::uint64_t{1} << (bitsOf(type) - 1);
    return key >= half ? static_cast<double>(key - half) : -static_cast<double>(half - key);
}

template <typename T>
bool hasKey(T value) noexcept
{
    if constexpr (std::is_floating_point_v<T>)
        return value == value;
    if constexpr (std::is_same_v<T, Half>)
        return (value.bits & 0x7fff) <= 0x7c00;
    return true;
}

// One value looked for: its rank among those that share the digits known so far.
struct Target {
    Index rank;
    std::uint64_t prefix = 0;
};

// One histogram a known prefix and worker.
class Counter
{
public:
    Counter(std::vector<std::uint64_t> prefixes, int shift, int workers)
        : m_prefixes(std::move(prefixes)), m_shift(shift),
          m_counts(at(Index{workers}) * m_prefixes.size() * kBins, 0)
    {
    }

    void count(DType type, const ValueBatch& batch)
    {
        Index* bins = m_counts.data() + at(Index{batch.worker}) * m_prefixes.size() * kBins;
        visitReal(type, [&]<typename T>(const T*) {
            const T* values = reinterpret_cast<const T*>(batch.values);
            for (Index i = 0; i < batch.count; ++i)
                if (hasKey(values[i]))
                    add(keyOf(values[i]), 1, bins);
        });
    }
    void addZeros(DType type, Index zeros)
    {
        visitReal(type, [&]<typename T>(const T*) { add(keyOf(T{}), zeros, m_counts.data()); });
    }

    // Adds the digit at which a target lies to its prefix.
    void narrow(Target& target) const
    {
        const auto found = std::lower_bound(m_prefixes.begin(), m_prefixes.end(), target.prefix);
        const auto which = static_cast<std::size_t>(found - m_prefixes.begin());
        for (std::size_t digit = 0; digit < kBins; ++digit) {
            Index n = 0;
            for (std::size_t start = which * kBins; start < m_counts.size();
                 start += m_prefixes.size() * kBins)
                n += m_counts[start + digit];
            if (target.rank < n) {
                target.prefix = (target.prefix << kDigit) | digit;
                return;
            }
            target.rank -= n;
        }
        target.prefix = (target.prefix << kDigit) | (kBins - 1);
    }

private:
    void add(std::uint64_t key, Index times, Index* bins) const noexcept
    {
        const std::uint64_t known = m_shift + kDigit >= 64 ? 0 : key >> (m_shift + kDigit);
        const auto found = std::lower_bound(m_prefixes.begin(), m_prefixes.end(), known);
        if (found == m_prefixes.end() || *found != known)
            return;
        const auto which = static_cast<std::size_t>(found - m_prefixes.begin());
        bins[which * kBins + ((key >> m_shift) & (kBins - 1))] += times;
    }

    std::vector<std::uint64_t> m_prefixes;
    int m_shift;
    std::vector<Index> m_counts;
};

struct Rank {
    Index low;
    Index high;
    double share;
};

Rank rankOf(double probability, Index numbers)
{
    const double place = std::clamp(probability, 0.0, 1.0) * static_cast<double>(numbers - 1);
    const Index low = std::min(static_cast<Index>(std::floor(place)), numbers - 1);
    return {low, std::min(low + 1, numbers - 1), place - static_cast<double>(low)};
}

} // namespace

double between(double low, double high, double share) noexcept
{
    if (low == high || share == 0) // also where the neighbour is infinite
        return low;
    const double step = high - low;
    return share >= 0.5 ? high - step * (1 - share) : low + step * share;
}

Result<Quantiles> streamQuantiles(const ValueStream& stream, Index numbers, Index zeros,
                                  const std::vector<double>& probabilities, MemoryBudget& budget,
                                  std::stop_token stop)
{
    Quantiles result;
    if (numbers <= 0 || probabilities.empty())
        return result;
    std::vector<Target> targets;
    for (const double p : probabilities) {
        const Rank rank = rankOf(p, numbers);
        targets.push_back({rank.low});
        targets.push_back({rank.high});
    }
    const DType type = stream.dtype();
    const int rounds = (bitsOf(type) + kDigit - 1) / kDigit;
    for (int round = 0; round < rounds; ++round) {
        std::vector<std::uint64_t> prefixes;
        for (const Target& target : targets)
            prefixes.push_back(target.prefix);
        std::sort(prefixes.begin(), prefixes.end());
        prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
        Result<MemoryReservation> room = budget.reserve(
            MemoryTag::Job, static_cast<Index>(prefixes.size() * kBins * sizeof(Index))
                                * stream.workers());
        if (!room)
            return std::move(room).error();
        Counter counter(std::move(prefixes), (rounds - 1 - round) * kDigit, stream.workers());
        Result<void> done = stream.run(stop, nullptr, [&](const ValueBatch& batch) -> Result<void> {
            counter.count(type, batch);
            return {};
        });
        if (!done)
            return std::move(done).error();
        if (zeros > 0)
            counter.addZeros(type, zeros);
        for (Target& target : targets)
            counter.narrow(target);
    }
    for (std::size_t i = 0; i < probabilities.size(); ++i)
        result.emplace_back(probabilities[i],
                            between(valueOf(targets[2 * i].prefix, type),
                                    valueOf(targets[2 * i + 1].prefix, type),
                                    rankOf(probabilities[i], numbers).share));
    return result;
}

Quantiles sortedQuantiles(std::vector<double>& values, Index zeros,
                          const std::vector<double>& probabilities)
{
    Quantiles result;
    const Index numbers = static_cast<Index>(values.size()) + zeros;
    if (numbers == 0)
        return result;
    std::sort(values.begin(), values.end());
    // The unstored zeros stand behind the negative values.
    const Index below = static_cast<Index>(
        std::lower_bound(values.begin(), values.end(), 0.0) - values.begin());
    const auto value = [&](Index rank) {
        if (rank < below)
            return values[at(rank)];
        return rank < below + zeros ? 0.0 : values[at(rank - zeros)];
    };
    for (const double p : probabilities) {
        const Rank rank = rankOf(p, numbers);
        result.emplace_back(p, between(value(rank.low), value(rank.high), rank.share));
    }
    return result;
}

} // namespace cellfolio
