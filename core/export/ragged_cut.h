// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/awkward_form.h"
#include "core/export/export_options.h"
#include "core/write/h5ad_writer.h"

#include <memory>
#include <string>
#include <vector>

namespace cellfolio {

// Cuts a ragged ("awkward") array along its first axis: rows of a selection, in its order and with
// its repeats, as Awkward Array's own array[rows] has them. The form stays what it was, level for
// level: lists get offsets of their own and the items that are left, options and unions the items
// that are left, in order. What is categorical keeps its list whole. Only an index that would
// overflow its type becomes i64.
//
// Strategy. Rows are stretches of items of the root; each level turns stretches of its items into
// stretches of its content's, window by window, so that neither the rows nor the items of a list are
// ever held. plan() goes through all index-like buffers once: it finds what points nowhere and
// counts what will be written; write() does the same again and writes all buffers side by side.
class RaggedCut
{
public:
    // UnsupportedEncoding, Corrupt: the form cannot be followed, or a row (which the sentence names)
    // points outside, or `rows` is of another length; nothing has been written then. OutOfBudget: the form has more levels or
    // buffers than the budget has room for.
    static Result<RaggedCut> plan(const Element& element, const Selection& rows,
                                  const ExportContext& context);
    // Memory that the work takes at most, the page cache aside; of an element whose form cannot be
    // read: none.
    static Index memory(const Element& element);

    RaggedCut(RaggedCut&&) noexcept;
    RaggedCut& operator=(RaggedCut&&) noexcept;
    ~RaggedCut();

    // The attributes of the new group: its form and how many rows it has.
    const std::string& form() const noexcept { return m_form; }
    Index rows() const noexcept { return m_rows.size(); }
    // Names of stored arrays that no part of the form names; they follow nothing and are not written.
    const std::vector<std::string>& unnamed() const noexcept { return m_unnamed; }

    // Writes the buffers into the group at `path`, which is there.
    Result<void> write(H5adWriter& writer, const std::string& path, const ExportContext& context);

private:
    struct Level;
    struct Work;
    RaggedCut();
    Result<void> pass(Work& work);
    Error withRow(Error why, Work& work, Index first, Index count);

    std::string m_path;
    std::string m_form;
    Selection m_rows;
    std::vector<std::string> m_unnamed;
    std::unique_ptr<Level> m_root;
    MemoryReservation m_memory;
};

} // namespace cellfolio
