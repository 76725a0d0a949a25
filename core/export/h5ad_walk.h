// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/table_export.h"
#include "core/write/matrix_transfer.h"

#include <map>
#include <set>

namespace cellfolio {

// Goes through the slots of a data set and writes each as the view and the options have it.
class H5adWalk
{
public:
    explicit H5adWalk(ExportRun& run);

    Result<void> run();
    Index temporary() const noexcept { return m_matrices.temporary(); }

private:
    Result<void> root();
    Result<void> everything();
    Result<void> table(const Element& element, const std::string& path);
    Result<void> missingTable(const char* name, Index rows);
    Result<void> mapping(const Element& element, const std::string& path);
    Result<void> raw(const Element& element);
    // An element whose axes are those of its slot.
    Result<void> aligned(const Element& element, const std::string& path);
    Result<void> array(const Element& element, const std::string& path);
    // An element that follows no axis: uns and what lies in it.
    Result<void> loose(const Element& element, const std::string& path);
    Result<void> colours(const Element& element, const std::string& path, const TableExport::Left& left);
    Result<void> copied(const Element& element, const std::string& path);
    // A ragged array whose rows the view cuts.
    Result<void> ragged(const Element& element, const std::string& path);
    void keptForSome(const Element& element, const std::string& how);
    // What the profile has no form for.
    Result<void> unreadable(const Element& element, const std::string& path, bool whole);
    Result<void> openGroup(const Element& element, const std::string& path, const char* type);
    bool slotIsWhole(const Element& element) const;
    bool canCopy(const Element& element, const std::string& path) const;
    MatrixForm formOf(const std::string& path) const;
    // The link that an element of the source is, where it can be one here too.
    std::optional<std::string> linkOf(const Element& element) const;

    ExportRun& m_run;
    TableExport m_tables;
    MatrixTransfer m_matrices;
    std::map<std::uint64_t, std::pair<std::string, const Element*>> m_rewritten; // by address
    std::set<const hdf5::Object*> m_moved; // graphs that answer to obsp and lie in uns
};

} // namespace cellfolio
