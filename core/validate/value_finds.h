// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/matrix/digest.h"
#include "core/validate/place_list.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace cellfolio {

// Which values are counted one by one, besides those that are no number.
struct ValueWishes {
    bool negative = false;
    bool fraction = false;
    bool zeros = false; // stored ones: only where a zero needs no entry
    bool large = false; // beyond 2^24, where float32 is no longer exact
};

// Values of a matrix that a rule speaks of: how many and the first places.
struct ValueFinds {
    PlaceList nan;
    PlaceList infinite;
    PlaceList negative;
    PlaceList fraction;
    PlaceList zeros;
    PlaceList large;
    std::vector<double> sample; // positive values from all over the matrix, where fractions are wished for

    void add(const ValueFinds& other);
};

// Looks at native values of a real dtype whose digest is known, one by one where the digest shows
// something wished for. `order` is the place of the first in the file, by which places are sorted;
// `placeOf(i)` says where the i-th lies and is asked only for what will be told.
void findValues(DType type, const std::byte* values, const Digest& digest, Index order,
                const ValueWishes& wishes, const std::function<FindingPlace(Index)>& placeOf,
                ValueFinds& finds);

// The number that at least 99 of 100 sampled values are a multiple of, when it is not 1; 0 where
// there is none.
double commonUnit(std::vector<double> sample);

} // namespace cellfolio
