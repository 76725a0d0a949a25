// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/value_finds.h"

#include "core/base/text.h"
#include "core/matrix/number_types.h"

#include <algorithm>
#include <cmath>

namespace cellfolio {

namespace {

constexpr double kExactInFloat32 = 16777216; // 2^24
constexpr std::size_t kSampled = 65536;
constexpr Index kSampledOfBlock = 64;

template <typename T>
std::string textOf(T value)
{
    if constexpr (std::is_same_v<T, Flag>)
        return value.byte != 0 ? "true" : "false";
    else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>)
        return exactText(static_cast<std::int64_t>(value));
    else if constexpr (std::is_integral_v<T>)
        return exactText(static_cast<std::uint64_t>(value));
    else
        return exactText(value);
}

} // namespace

void ValueFinds::add(const ValueFinds& other)
{
    nan.add(other.nan);
    infinite.add(other.infinite);
    negative.add(other.negative);
    fraction.add(other.fraction);
    zeros.add(other.zeros);
    large.add(other.large);
    sample.insert(sample.end(), other.sample.begin(), other.sample.end());
}

void findValues(DType type, const std::byte* values, const Digest& digest, Index order,
                const ValueWishes& wishes, const std::function<FindingPlace(Index)>& placeOf,
                ValueFinds& finds)
{
    const Index zeros = digest.values - digest.nonZero;
    bool seekZeros = wishes.zeros && zeros > 0;
    if (seekZeros && !finds.zeros.wants(order)) {
        finds.zeros.addUnplaced(zeros);
        seekZeros = false;
    }
    const bool seekNegative = wishes.negative && digest.any && digest.min < 0;
    const bool seekFraction = wishes.fraction && digest.fraction;
    const bool seekLarge = wishes.large && digest.any
                        && (digest.max > kExactInFloat32 || digest.min < -kExactInFloat32);
    const bool seekSpecial = digest.nan + digest.positiveInf + digest.negativeInf > 0;
    if (!seekZeros && !seekNegative && !seekFraction && !seekLarge && !seekSpecial
        && !wishes.fraction)
        return;
    visitReal(type, [&]<typename T>(const T*) {
        const T* typed = reinterpret_cast<const T*>(values);
        if (wishes.fraction && finds.sample.size() < kSampled)
            for (Index i = 0; i < std::min(digest.values, kSampledOfBlock); ++i) {
                const double value = toDouble(typed[i]);
                if (std::isfinite(value) && value > 0)
                    finds.sample.push_back(value);
            }
        if (!seekZeros && !seekNegative && !seekFraction && !seekLarge && !seekSpecial)
            return;
        for (Index i = 0; i < digest.values; ++i) {
            const double value = toDouble(typed[i]);
            const auto place = [&] {
                FindingPlace found = placeOf(i);
                found.value = textOf(typed[i]);
                return found;
            };
            if (std::isnan(value)) {
                finds.nan.meet(order + i, place);
                continue;
            }
            if (std::isinf(value))
                finds.infinite.meet(order + i, place);
            else if (seekFraction && std::trunc(value) != value)
                finds.fraction.meet(order + i, place);
            else if (seekLarge && std::abs(value) > kExactInFloat32)
                finds.large.meet(order + i, place);
            if (seekNegative && value < 0)
                finds.negative.meet(order + i, place);
            if (seekZeros && value == 0)
                finds.zeros.meet(order + i, place);
        }
    });
}

double commonUnit(std::vector<double> sample)
{
    if (sample.size() < 100)
        return 0;
    // A unit that 99 of 100 share is found among the smallest values, but for a few odd ones.
    std::sort(sample.begin(), sample.end());
    const auto isMultiple = [](double value, double unit) {
        const double times = value / unit;
        return times < 1e6 && std::abs(times - std::round(times)) <= 1e-5 * times;
    };
    double tried = 0;
    int tries = 0;
    for (const double unit : sample) {
        if (unit == tried)
            continue;
        tried = unit;
        if (++tries > 8)
            break;
        const auto multiples = std::count_if(sample.begin(), sample.end(), [&](double value) {
            return isMultiple(value, unit);
        });
        if (static_cast<double>(multiples) >= 0.99 * static_cast<double>(sample.size()))
            return unit == 1 ? 0 : unit;
    }
    return 0;
}

} // namespace cellfolio
