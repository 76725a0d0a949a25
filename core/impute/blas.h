// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <vector>

namespace cellfolio::impute {

// Whether products can be worked out: OpenBLAS is loaded on the first call, and not before, since it
// starts threads of its own that would take signals and memory from everything else. NotFound where
// it is not installed. To be called before anything below.
Result<void> prepareProducts();

// C = alpha · op(A) · op(B) + beta · C, all row-major; op(A) is rows × inner, op(B) inner × columns.
// A stride is the distance of two stored rows, in values. Runs on the calling thread alone: threads
// are ours, one a tile, so that a result does not depend on how many there are.
template <typename Real>
struct Product {
    Index rows = 0;
    Index columns = 0;
    Index inner = 0;
    const Real* a = nullptr;
    Index strideA = 0;
    bool transposeA = false;
    const Real* b = nullptr;
    Index strideB = 0;
    bool transposeB = false;
    Real* c = nullptr;
    Index strideC = 0;
    Real alpha = 1;
    Real beta = 0;
};
void multiply(const Product<float>& product);
void multiply(const Product<double>& product);

// The largest eigenvalues of a symmetric matrix, largest first; row k of `vectors` is the
// eigenvector of value k, of length 1, its sign left open.
struct EigenPairs {
    std::vector<double> values;
    std::vector<double> vectors;
};
// `matrix`: size × size, of which the lower triangle is read; it is destroyed. 0 < count <= size.
Result<EigenPairs> largestEigenPairs(std::vector<double> matrix, Index size, Index count);

} // namespace cellfolio::impute
