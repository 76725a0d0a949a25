// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/select/selection.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cellfolio {

// Receives the names of an axis in order; returning false ends the scan early.
using NameVisitor = std::function<bool(Index position, std::string_view name)>;
// Hands every name of an axis, as it stands, to the visitor. Names are streamed: an axis of ten
// million rows is never held.
using NameScan = std::function<Result<void>(const NameVisitor&)>;
// The text behind "@PATH". What "-" means is up to the one who provides it.
using TextSource = std::function<Result<std::string>(const std::string& path)>;

// The text of a file, for TextSource. NotFound, PermissionDenied or Io in a plain sentence.
Result<std::string> readTextFile(const std::string& path);

// What a selection is read against: an axis as the selections before it left it.
struct SelectionAxis {
    Index extent = 0;
    std::string element;      // whose axis, for sentences and errors: "obs"
    NameScan names;           // empty: nothing on this axis has a name
    TextSource read = readTextFile;
    Index most = 0;           // positions that may be held at once; 0: no limit (OutOfBudget)
};

// The written form of a selection on one axis:
//     selection = items | "@" PATH | "mask:" digits | "mask:@" PATH     "" selects nothing
//     items     = item { "," item } [ "," ]
//     item      = INTEGER | [INTEGER] ":" [INTEGER] [ ":" [INTEGER] ] | NAME | [NAME] ".." [NAME]
// Parsing knows no file, so what is malformed is found before one is opened (BadUsage, with the
// offset in bytes). Resolving looks names up and checks positions (NotFound, Ambiguous).
class SelectionText
{
public:
    static Result<SelectionText> parse(std::string_view text);

    // Positions of the axis, in the order and as often as written. A name alone takes every place
    // of that name; in a list it must be unique on the axis as it stands.
    Result<Selection> resolve(const SelectionAxis& axis) const;

    const std::string& text() const noexcept { return m_text; }

private:
    struct Position {
        Index value = 0;
        Index offset = 0; // of the item in the text
    };
    struct Range {
        std::optional<Index> begin;
        std::optional<Index> end;
        Index step = 1;
    };
    struct Name {
        std::string text;
        Index offset = 0;
    };
    struct NameRange { // both ends included
        std::optional<Name> first;
        std::optional<Name> last;
    };
    using Item = std::variant<Position, Range, Name, NameRange>;
    struct Items {
        std::vector<Item> list;
        bool alone = false; // one item and no comma
    };
    struct NamesFrom {
        std::string path;
    };
    struct Mask {
        std::vector<std::uint8_t> marks;
    };
    struct MaskFrom {
        std::string path;
    };

    using Form = std::variant<Items, NamesFrom, Mask, MaskFrom>;

    friend class SelectionTextParser;
    friend class SelectionResolver;
    SelectionText(std::string_view text, Form form)
        : m_text(text), m_form(std::make_shared<const Form>(std::move(form)))
    {
    }

    std::string m_text;
    std::shared_ptr<const Form> m_form; // shared by copies
};

// A name as it must be written inside a selection: itself, or in double quotes where it would
// read as another form.
std::string selectionName(std::string_view name);
// A selection written out so that parse() and resolve() on its extent give it back: a slice as
// one, others as a list of positions with three and more neighbours as "first:end".
std::string selectionText(const Selection& selection);

// Names between commas, each itself or in double quotes, in the given order ("" is no name at
// all): the lists of --columns and the like. Nothing in them is read as a number.
Result<std::vector<std::string>> parseNameList(std::string_view text);

} // namespace cellfolio
