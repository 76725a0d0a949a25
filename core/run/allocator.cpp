// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/allocator.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace cellfolio {

void tuneAllocator()
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 16 << 20);
    mallopt(M_ARENA_MAX, 2);
#endif
}

void returnFreeMemory()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

} // namespace cellfolio
