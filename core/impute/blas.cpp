// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/blas.h"

#include <cblas.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

namespace cellfolio::impute {

namespace {

// LAPACK, which OpenBLAS brings along: eigenpairs by the method of relatively robust
// representations, a range of them by number.
using EigenSolver = void (*)(const char* jobz, const char* range, const char* uplo, const int* n,
                             double* a, const int* lda, const double* vl, const double* vu,
                             const int* il, const int* iu, const double* abstol, int* m, double* w,
                             double* z, const int* ldz, int* isuppz, double* work, const int* lwork,
                             int* iwork, const int* liwork, int* info);

// OpenBLAS picks its kernels by the model of the processor, and takes the oldest ones for a model that
// came after it (measured: three times the time of a whole imputation). What the processor can do is
// told it beforehand, unless the user has said something else.
void nameProcessor()
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    const char* name = nullptr;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        name = "SkylakeX";
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        name = "Haswell";
    if (name != nullptr)
        ::setenv("OPENBLAS_CORETYPE", name, 0);
#endif
}

struct Library {
    decltype(&cblas_sgemm) single = nullptr;
    decltype(&cblas_dgemm) twice = nullptr;
    EigenSolver eigen = nullptr;
    bool whole = false;

    Library()
    {
        nameProcessor();
        void* handle = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr)
            return;
        single = reinterpret_cast<decltype(single)>(::dlsym(handle, "cblas_sgemm"));
        twice = reinterpret_cast<decltype(twice)>(::dlsym(handle, "cblas_dgemm"));
        eigen = reinterpret_cast<EigenSolver>(::dlsym(handle, "dsyevr_"));
        const auto setThreads = reinterpret_cast<decltype(&openblas_set_num_threads)>(
            ::dlsym(handle, "openblas_set_num_threads"));
        whole = single != nullptr && twice != nullptr && eigen != nullptr && setThreads != nullptr;
        // It would share our tiles between threads of its own.
        if (whole)
            setThreads(1);
    }
};

const Library& library()
{
    static const Library loaded;
    return loaded;
}

const Library& preparedLibrary()
{
    const Library& loaded = library();
    if (!loaded.whole) {
        std::fputs("OpenBLAS is used before prepareProducts() was asked.\n", stderr);
        std::abort();
    }
    return loaded;
}

CBLAS_TRANSPOSE flag(bool transposed)
{
    return transposed ? CblasTrans : CblasNoTrans;
}

int length(Index value)
{
    return narrow<int>(value);
}

} // namespace

Result<void> prepareProducts()
{
    if (library().whole)
        return {};
    return Error(ErrorCode::NotFound, "OpenBLAS (libopenblas.so.0) is not installed, which mapping and "
                                      "imputing need.")
        .advise("On Debian: apt install libopenblas0.");
}

void multiply(const Product<float>& p)
{
    preparedLibrary().single(CblasRowMajor, flag(p.transposeA), flag(p.transposeB), length(p.rows),
                length(p.columns), length(p.inner), p.alpha, p.a, length(p.strideA), p.b,
                length(p.strideB), p.beta, p.c, length(p.strideC));
}

void multiply(const Product<double>& p)
{
    preparedLibrary().twice(CblasRowMajor, flag(p.transposeA), flag(p.transposeB), length(p.rows),
                length(p.columns), length(p.inner), p.alpha, p.a, length(p.strideA), p.b,
                length(p.strideB), p.beta, p.c, length(p.strideC));
}

Result<EigenPairs> largestEigenPairs(std::vector<double> matrix, Index size, Index count)
{
    const EigenSolver solve = preparedLibrary().eigen;
    const int n = length(size);
    const int first = length(size - count + 1); // counted from 1, the smallest value first
    const double unused = 0;
    const double tolerance = 0;
    int found = 0;
    int info = 0;
    std::vector<double> values(at(size));
    std::vector<double> vectors(at(size * count));
    std::vector<int> support(at(2 * count));
    double workSize = 0;
    int integerSize = 0;
    int query = -1;
    // Row-major and column-major agree for a symmetric matrix; its lower triangle is "U" there.
    solve("V", "I", "U", &n, matrix.data(), &n, &unused, &unused, &first, &n, &tolerance, &found,
            values.data(), vectors.data(), &n, support.data(), &workSize, &query, &integerSize,
            &query, &info);
    const int workLength = static_cast<int>(workSize);
    std::vector<double> work(static_cast<std::size_t>(workLength));
    std::vector<int> integers(static_cast<std::size_t>(integerSize));
    solve("V", "I", "U", &n, matrix.data(), &n, &unused, &unused, &first, &n, &tolerance, &found,
            values.data(), vectors.data(), &n, support.data(), work.data(), &workLength,
            integers.data(), &integerSize, &info);
    if (info != 0 || found != length(count))
        return Error(ErrorCode::Internal, "The principal axes could not be worked out.");
    EigenPairs pairs;
    for (Index k = count - 1; k >= 0; --k) {
        pairs.values.push_back(values[at(k)]);
        const double* column = vectors.data() + k * size;
        pairs.vectors.insert(pairs.vectors.end(), column, column + size);
    }
    return pairs;
}

} // namespace cellfolio::impute
