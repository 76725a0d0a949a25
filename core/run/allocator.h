// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace cellfolio {

// Tells the C library to keep freed memory for the next block instead of giving it back: touching
// fresh pages costs more than decoding what goes into them. Called once, first thing in main().
void tuneAllocator();

} // namespace cellfolio
