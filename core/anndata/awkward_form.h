// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/element.h"

#include <limits>
#include <string>
#include <vector>

namespace cellfolio {

// One stored array of a ragged array, flat whatever its dimensions.
struct AwkwardBuffer {
    std::string name; // "node0-offsets"
    ArrayRef array;

    DType type() const { return array.dtype(); }
    Index length() const; // values, of all dimensions together
};

// One level of a ragged ("awkward") array: what its form says of it, with the buffers stored for it.
// The grammar is that of the forms of Awkward Array, versions 1 and 2
// (awkward-array.org/doc/main/reference/generated/ak.forms.Form.html): JSON objects with a class, a
// form_key that begins the names of the buffers, and the form of the content.
struct AwkwardNode {
    enum class Kind {
        Numbers,       // data
        Offsets,       // lists that follow each other: offsets
        Spans,         // lists anywhere: starts, stops
        Fixed,         // lists of `size` items each
        Record,        // the same item of each content, by name or, in a tuple, by number
        Indexed,       // item index[i] of the content
        IndexedOption, // the same; below 0 it is missing
        ByteMasked,    // item i of the content unless the mask says it is missing
        BitMasked,     // the same with a bit an item
        Unmasked,      // item i of the content; a type that could miss values and does not
        Union,         // item index[i] of content tags[i]
        Empty,         // no items of an unknown type
    };
    static constexpr Index kNoEnd = std::numeric_limits<Index>::max();
    // Forms deeper than this are none that anybody wrote.
    static constexpr int kDeepest = 64;

    Kind kind = Kind::Empty;
    std::string key;                    // form_key
    std::string meaning;                // parameter __array__: "string", "char", "categorical" …
    std::vector<AwkwardBuffer> buffers; // in the order given above; tags before index
    std::vector<Index> inner;           // of numbers: dimensions of each item
    Index size = 0;                     // of lists of fixed size
    bool lowBitFirst = true;            // of bits
    std::vector<AwkwardNode> contents;
    Index length = 0;                   // items that its buffers have room for; kNoEnd: any number

    // Texts and byte strings are lists of bytes.
    bool isText() const noexcept { return meaning == "string" || meaning == "bytestring"; }
    // Numbers of an item: the product of its inner dimensions.
    Index numbersOfItem() const noexcept;
    // How many levels lie above each other, this one included.
    Index depth() const noexcept;

    // The form of an element of kind Awkward, each buffer found and of the type the form says.
    // UnsupportedEncoding: a part this program does not know, which the sentence names. Corrupt: no
    // JSON, a part without what it needs, a missing buffer, one of another type, one that is named
    // twice, or fewer rows in the buffers than the element is said to have.
    static Result<AwkwardNode> read(const Element& element);
};

// The text of a form in which the index-like buffers of these levels (by form_key) are i64.
std::string widenedForm(const std::string& form, const std::vector<std::string>& keys);

} // namespace cellfolio
