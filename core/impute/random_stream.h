// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace cellfolio::impute {

// Random numbers addressed by a seed and a name: element k depends on k alone, on every machine.
//     key    = mix(seed XOR FNV-1a(name)),  bits_k = mix(key + (k + 1) · 0x9E3779B97F4A7C15)
// with the finaliser of SplitMix64 (Steele, Lea, Flood 2014) as mix.
class RandomStream
{
public:
    RandomStream(std::uint64_t seed, std::string_view name);

    std::uint64_t bits() noexcept;
    // ((bits >> 11) + 0.5) · 2^-53, in (0, 1).
    double uniform() noexcept;
    // 0 … count - 1 in the order of as many uniform numbers.
    std::vector<Index> permutation(Index count);

private:
    std::uint64_t m_key;
    std::uint64_t m_taken = 0;
};

} // namespace cellfolio::impute
