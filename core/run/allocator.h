// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace cellfolio {

// Tells the C library to keep freed memory for the next block instead of giving it back: touching
// fresh pages costs more than decoding what goes into them. Called once, first thing in main().
void tuneAllocator();

// Gives freed memory back to the system all the same: between two phases of a job that together
// would hold more than the budget.
void returnFreeMemory();

} // namespace cellfolio
