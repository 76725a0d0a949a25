// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/number_text.h"

#include <QtCore/QLocale>

namespace cellfolio
{

QString countText(qint64 count)
{
    return count < 0 ? QString(QChar(0x2013)) : QLocale().toString(count);
}

} // namespace cellfolio
