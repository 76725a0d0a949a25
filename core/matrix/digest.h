// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/base/index.h"
#include "core/matrix/stats.h"

#include <cstddef>

namespace cellfolio {

// A sum of doubles that carries what rounding lost (Neumaier).
class CarriedSum
{
public:
    void add(double value) noexcept;
    void add(const CarriedSum& other) noexcept
    {
        add(other.m_sum);
        m_lost += other.m_lost;
    }
    double value() const noexcept { return m_sum + m_lost; }

private:
    double m_sum = 0;
    double m_lost = 0;
};

// Number, mean and sum of squared distances from it; two of them combine without loss (Chan).
struct Moments {
    Index n = 0;
    double mean = 0;
    double m2 = 0;
    void add(const Moments& other) noexcept;
};

// What is known of a heap of values once each of them was looked at. Digests add up: a matrix is
// digested in blocks, the blocks are added in file order, and so the result does not depend on how
// many threads there were.
struct Digest {
    Index values = 0;   // all that were looked at
    Index nonZero = 0;  // NaN is
    Index nan = 0;
    Index positiveInf = 0;
    Index negativeInf = 0;
    bool fraction = false; // a finite value is not whole
    CarriedSum sum;        // of the finite ones, when floats
    Int128 whole = 0;    // of all, when integers
    Moments moments;       // of the finite ones
    bool any = false;      // min and max are set: a value that is not NaN was met
    double min = 0;
    double max = 0;
    Int128 wholeMin = 0; // integers
    Int128 wholeMax = 0;

    void add(const Digest& other) noexcept;
    // The same values, met `times` times.
    void repeat(Index times) noexcept;
    // `count` zeros that are nowhere stored.
    void addZeros(Index count) noexcept;
};

// Digest of native values of a real dtype.
Digest digestOf(DType type, const std::byte* values, Index count);

// The figures of a digest: n is all its values; stored, explicit zeros and missing are the
// caller's to set.
Figures figuresOf(const Digest& digest, DType type);

} // namespace cellfolio
