// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/select/selection.h"

#include <memory>

namespace cellfolio {

// Some cells and some genes of an open file, in some order: what a table, a plot and an export
// show alike. A value, a few hundred bytes and the payload of two selections; it holds the file and
// never another view, however many steps led to it. raw follows the cells only: its genes are its
// own.
class DatasetView
{
public:
    DatasetView() = default;
    // All of the file; axes of unknown length are empty.
    explicit DatasetView(std::shared_ptr<const Dataset> dataset);
    // Requires: the extents are those of the file's axes.
    DatasetView(std::shared_ptr<const Dataset> dataset, Selection obs, Selection var);

    const std::shared_ptr<const Dataset>& dataset() const noexcept { return m_dataset; }
    const Selection& obs() const noexcept { return m_obs; }
    const Selection& var() const noexcept { return m_var; }
    const Selection& of(Axis axis) const noexcept { return axis == Axis::Obs ? m_obs : m_var; }
    bool isAll() const noexcept { return m_obs.isAll() && m_var.isAll(); }

    // The view with `inner` picked out of what it has of that axis.
    // Requires: inner.extent() == of(axis).size().
    DatasetView narrowed(Axis axis, const Selection& inner) const;
    // The view with another selection of the file's axis.
    DatasetView with(Axis axis, Selection selection) const;

    // The same file and the same positions.
    bool operator==(const DatasetView& other) const noexcept;

private:
    std::shared_ptr<const Dataset> m_dataset;
    Selection m_obs;
    Selection m_var;
};

} // namespace cellfolio
