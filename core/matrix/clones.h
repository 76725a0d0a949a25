// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Compiles a function several times, for the processors of the last years and for any, and takes
// the best at start-up. Not under the sanitizers: the choice happens before they are ready. Not
// for templates, whose copies would meet under one name.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)       \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CELLFOLIO_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CELLFOLIO_CLONES
#endif
