// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cellfolio::test {

// What may happen to the bytes of a file. The same file and seed give the same damage everywhere.
enum class Damage {
    Anywhere,  // 1 to 16 bytes, at places spread over the whole file
    Metadata,  // 1 to 8 bytes near the head of one of HDF5's own structures
    HeapText,  // 1 to 8 bytes in a collection of texts of variable length ("global heap")
    Word,      // one aligned word of 8 bytes replaced by a number that is likely to mislead
    Sector,    // 512 bytes of zeros, as a bad disk gives
};
inline constexpr Damage kDamages[] = {Damage::Anywhere, Damage::Metadata, Damage::HeapText,
                                      Damage::Word, Damage::Sector};
const char* nameOf(Damage damage);

// Overwrites bytes in place; the superblock's signature (first 8 bytes) is spared, since without
// it nothing is read at all. Says what was done ("bytes 1024-1027, 5000").
std::string damage(std::vector<unsigned char>& bytes, Damage kind, std::uint64_t seed);

} // namespace cellfolio::test
