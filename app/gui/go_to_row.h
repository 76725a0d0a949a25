// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <QtCore/QString>

#include <optional>

class QWidget;

namespace cellfolio {

// The row that a text names, counted from 0; thousands marks are passed over. None where it is no
// number below `extent`.
std::optional<Index> parseRow(const QString& text, Index extent);

// "There is no row …".
QString noSuchRow(const QString& text, Index extent);

// Asks for a row of 0 … extent - 1: what was typed, or none where it was given up. `prompt` says
// which rows are counted, without its end: "Number of the row in the file".
std::optional<QString> askForRowNumber(QWidget* parent, const QString& prompt, Index extent);

} // namespace cellfolio
