// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QSize>
#include <QtCore/QString>

class QPainter;

namespace cellfolio
{

// Two short arrows at the bottom left of a map of `size`, with their names: there is no grid and no
// scale, as an embedding has neither. Nothing where both names are empty. `yDown`: the second one
// points down.
void paintScatterAxes(QPainter& painter, const QSize& size, const QString& xName, const QString& yName,
                      bool yDown);

} // namespace cellfolio
