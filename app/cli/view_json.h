// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/element_axes.h"

#include <vector>

namespace cellfolio::cli {

// What `view` was asked for, once the axes are chosen.
struct ViewRequest {
    Session& session;
    const Target& target;
    const ChosenAxes& axes;

    const Element& element() const { return *target.element; }
    // Columns of a table in the wanted order.
    std::vector<const Element*> columns() const;
};

// Members of the answer's object, "element" and all that follows. Streams: values are written as
// they are read.
Result<void> writeViewJson(const ViewRequest& request);

// Names and positions of an axis under its key; nothing for an axis without one.
Result<void> writeAxisJson(Session& session, const Target& target, const ChosenAxis& axis,
                           std::string_view key);
// `"values":[…]`-style lists, without the key.
Result<void> writeGridJson(const ViewRequest& request);
Result<void> writeTableColumnsJson(Session& session, const Target& target,
                                   const std::vector<const Element*>& columns,
                                   const Selection& rows);
Result<void> writeColumnValuesJson(Session& session, const Target& target, const Element& column,
                                   const Selection& rows);

} // namespace cellfolio::cli
