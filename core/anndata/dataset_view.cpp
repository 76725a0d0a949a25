// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/dataset_view.h"

namespace cellfolio {

DatasetView::DatasetView(std::shared_ptr<const Dataset> dataset)
    : m_dataset(std::move(dataset)), m_obs(Selection::all(m_dataset->nObs().value_or(0))),
      m_var(Selection::all(m_dataset->nVars().value_or(0)))
{
}

DatasetView::DatasetView(std::shared_ptr<const Dataset> dataset, Selection obs, Selection var)
    : m_dataset(std::move(dataset)), m_obs(std::move(obs)), m_var(std::move(var))
{
    assert(m_obs.extent() == m_dataset->nObs().value_or(0));
    assert(m_var.extent() == m_dataset->nVars().value_or(0));
}

DatasetView DatasetView::narrowed(Axis axis, const Selection& inner) const
{
    return with(axis, of(axis).then(inner));
}

DatasetView DatasetView::with(Axis axis, Selection selection) const
{
    return axis == Axis::Obs ? DatasetView(m_dataset, std::move(selection), m_var)
                             : DatasetView(m_dataset, m_obs, std::move(selection));
}

bool DatasetView::operator==(const DatasetView& other) const noexcept
{
    return m_dataset == other.m_dataset && m_obs == other.m_obs && m_var == other.m_var;
}

} // namespace cellfolio
