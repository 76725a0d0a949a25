// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/gene_sources.h"

#include <utility>

namespace cellfolio {

GeneSources::GeneSources(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Reading> reading,
                         std::optional<GeneIndexStore> store)
    : m_dataset(std::move(dataset)), m_reading(std::move(reading)), m_store(std::move(store))
{
}

Result<std::shared_ptr<GeneSource>> GeneSources::of(const Element& matrix, std::stop_token stop)
{
    if (auto there = known(matrix))
        return there;
    auto source = GeneSource::open(m_dataset, matrix, m_reading);
    if (!source)
        return source;
    std::string remark;
    if (const auto place = store(); place && matrix.kind == ElementKind::Matrix) {
        const Result<void> found = (*source)->lookForIndex(*place, stop);
        if (!found && found.error().code() == ErrorCode::Cancelled)
            return found.error();
        // Most matrices have no index, and need none or do without.
        if (!found && found.error().code() != ErrorCode::NotFound
            && found.error().code() != ErrorCode::Refused)
            remark = found.error().message();
    }
    const std::lock_guard lock(m_mutex);
    if (!remark.empty())
        m_remarks.push_back(std::move(remark));
    // Of two who asked at once the first one's counts.
    return m_sources.emplace(&matrix, *std::move(source)).first->second;
}

std::shared_ptr<GeneSource> GeneSources::known(const Element& matrix) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_sources.find(&matrix);
    return found == m_sources.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<GeneSource>> GeneSources::allKnown() const
{
    const std::lock_guard lock(m_mutex);
    std::vector<std::shared_ptr<GeneSource>> all;
    for (const auto& [element, source] : m_sources)
        all.push_back(source);
    return all;
}

std::optional<GeneIndexStore> GeneSources::store() const
{
    const std::lock_guard lock(m_mutex);
    return m_store;
}

void GeneSources::setStore(std::optional<GeneIndexStore> store)
{
    const std::lock_guard lock(m_mutex);
    m_store = std::move(store);
}

std::vector<std::string> GeneSources::takeRemarks()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_remarks, {});
}

} // namespace cellfolio
