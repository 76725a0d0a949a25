// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/job_needs.h"

#include "core/base/text.h"

#include <cmath>

namespace cellfolio {

std::string durationText(double seconds)
{
    const auto tenths = static_cast<Index>(std::ceil(seconds * 10));
    if (tenths < 100)
        return exactText(static_cast<double>(tenths) / 10) + " s";
    if (tenths < 1200)
        return exactText((tenths + 9) / 10) + " s";
    return exactText((tenths + 599) / 600) + " min";
}

} // namespace cellfolio
