// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>

namespace cellfolio
{

// A count with the locale's thousands mark; "–" where it is not known (negative).
QString countText(qint64 count);

} // namespace cellfolio
