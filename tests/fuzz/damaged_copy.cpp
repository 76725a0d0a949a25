// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/damaged_copy.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace cellfolio::test {

namespace {

// SplitMix64 (Steele, Lea and Flood, 2014): the standard's distributions differ between libraries.
class Random
{
public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t next()
    {
        m_state += 0x9E3779B97F4A7C15ull;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(next() % n); }

private:
    std::uint64_t m_state;
};

constexpr std::size_t kSpared = 8;

std::vector<std::size_t> placesOf(const std::vector<unsigned char>& bytes,
                                  const std::vector<std::string_view>& signatures)
{
    std::vector<std::size_t> places;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const std::string_view signature : signatures) {
        for (std::size_t at = text.find(signature); at != std::string_view::npos;
             at = text.find(signature, at + 1))
            places.push_back(at);
    }
    std::sort(places.begin(), places.end());
    return places;
}

} // namespace

const char* nameOf(Damage damage)
{
    switch (damage) {
    case Damage::Anywhere: return "anywhere";
    case Damage::Metadata: return "metadata";
    case Damage::HeapText: return "heap of texts";
    case Damage::Word: return "word";
    case Damage::Sector: return "sector";
    }
    return "";
}

std::string damage(std::vector<unsigned char>& bytes, Damage kind, std::uint64_t seed)
{
    Random random(seed);
    random.next();
    std::string told;
    const auto put = [&](std::size_t at, unsigned char value) {
        if (at < kSpared || at >= bytes.size())
            return;
        bytes[at] = value;
        told += (told.empty() ? "" : ", ") + std::to_string(at);
    };
    const auto some = [&](std::size_t first, std::size_t length, std::size_t most) {
        const std::size_t n = 1 + random.below(most);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t place = first + random.below(length);
            put(place, static_cast<unsigned char>(random.next()));
        }
    };
    switch (kind) {
    case Damage::Anywhere:
        some(0, bytes.size(), 16);
        break;
    case Damage::Metadata: {
        // Headers of the older generation have no signature: they stand by their neighbours.
        const auto places = placesOf(bytes, {"TREE", "SNOD", "HEAP", "OHDR", "OCHK", "FRHP", "FHDB",
                                             "FHIB", "BTHD", "BTLF", "BTIN", "GCOL"});
        const std::size_t base = places.empty() ? 0 : places[random.below(places.size())];
        const std::size_t back = std::min<std::size_t>(base, 256);
        some(base - back, back + 256, 8);
        break;
    }
    case Damage::HeapText: {
        const auto places = placesOf(bytes, {"GCOL"});
        if (!places.empty())
            some(places[random.below(places.size())], random.below(4) == 0 ? 4096 : 64, 8);
        break;
    }
    case Damage::Word: {
        static constexpr std::array<std::uint64_t, 10> kWords{
            0, 1, ~0ull, 0x7FFFFFFFFFFFFFFFull, 0x8000000000000000ull, 0xFFFFFFFFull, 0x80000000ull,
            0x10000, 0xFFFF, 0x7FFF};
        const std::size_t at = random.below(bytes.size() / 8) * 8;
        const std::uint64_t pick = random.below(kWords.size() + 2);
        std::uint64_t word = 0;
        if (pick < kWords.size())
            word = kWords[pick];
        else
            word = random.below(bytes.size() + 64); // an address inside, or just behind the end
        for (std::size_t i = 0; i < 8; ++i)
            put(at + i, static_cast<unsigned char>(word >> (8 * i)));
        break;
    }
    case Damage::Sector: {
        const std::size_t at = random.below(bytes.size() / 512 + 1) * 512;
        for (std::size_t i = std::max(at, kSpared); i < std::min(at + 512, bytes.size()); ++i)
            bytes[i] = 0;
        told = std::to_string(at) + "-" + std::to_string(at + 511);
        break;
    }
    }
    return told;
}

} // namespace cellfolio::test
