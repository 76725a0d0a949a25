// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace cellfolio {

namespace query {
struct Node;
}

// A filter expression as it was written (CLI.md §2.4), one language for the window, the command
// line and recipes:
//     cell_type in ["T cell", "B cell"] and n_genes > 500 and not doublet and gene("CD3E") > 1
// Parsing knows no file; Filter::check() looks at one. Cheap to copy.
class FilterExpression
{
public:
    // BadUsage where it is malformed, with the offset of the fault in bytes.
    static Result<FilterExpression> parse(std::string_view text);

    const std::string& text() const noexcept { return m_text; }
    const query::Node& root() const noexcept { return *m_root; }

private:
    FilterExpression(std::string text, std::shared_ptr<const query::Node> root)
        : m_text(std::move(text)), m_root(std::move(root))
    {
    }

    std::string m_text;
    std::shared_ptr<const query::Node> m_root;
};

} // namespace cellfolio
