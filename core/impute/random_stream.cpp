// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/random_stream.h"

#include <algorithm>
#include <numeric>

namespace cellfolio::impute {

namespace {

std::uint64_t mix(std::uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

std::uint64_t hashOf(std::string_view text)
{
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    return hash;
}

} // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view name) : m_key(mix(seed ^ hashOf(name)))
{
}

std::uint64_t RandomStream::bits() noexcept
{
    return mix(m_key + ++m_taken * 0x9E3779B97F4A7C15u);
}

double RandomStream::uniform() noexcept
{
    return (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53;
}

std::vector<Index> RandomStream::permutation(Index count)
{
    std::vector<double> keys(at(count));
    std::generate(keys.begin(), keys.end(), [this] { return uniform(); });
    std::vector<Index> order(at(count));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&keys](Index x, Index y) { return keys[at(x)] < keys[at(y)]; });
    return order;
}

} // namespace cellfolio::impute
