// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/matrix/gene_source.h"

#include "core/matrix/axis_map.h"
#include "core/matrix/gene_scan.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>

namespace cellfolio {

namespace {

constexpr Index kFewCells = 4096;  // taken by themselves rather than by a pass over all
constexpr std::size_t kMostKept = 64;
constexpr Index kKeptShare = 8; // of the budget: one part in so many

// Entries a core passes in a second, about, until a scan of the matrix has told: measured on
// counts of 100 000 cells, gzip as h5py writes it and not compressed.
constexpr double kInflatedPerSecond = 110e6;
constexpr double kPlainPerSecond = 800e6;

// The k-th column of a block of rows × `width`, as a vector.
Values columnOf(const Values& block, Index rows, Index width, Index k)
{
    if (width == 1)
        return block;
    if (block.type() == DType::String) {
        std::vector<Index> places(at(rows));
        for (Index r = 0; r < rows; ++r)
            places[at(r)] = r * width + k;
        return block.gather(places);
    }
    Values column(block.type(), rows);
    const std::size_t item = sizeOf(block.type());
    for (Index r = 0; r < rows; ++r)
        std::memcpy(column.data() + at(r) * item, block.data() + at(r * width + k) * item, item);
    return column;
}

Values gathered(const Values& values, const AxisMap& map)
{
    return map.isPlain() ? values : values.gather(map.places());
}

Index bytesOf(const GeneVectors& vectors)
{
    Index bytes = static_cast<Index>(vectors.damage.unknown.size());
    for (const Values& values : vectors.genes)
        bytes += values.bytes();
    return bytes;
}

GeneDamage spread(const GeneDamage& damage, const AxisMap& map)
{
    if (!damage || map.isPlain())
        return damage;
    GeneDamage result;
    result.errors = damage.errors;
    for (const Index k : map.places()) {
        result.unknown.push_back(damage.unknown[at(k)]);
        result.places += damage.unknown[at(k)];
    }
    return result;
}

} // namespace

std::string_view nameOf(GeneWay way)
{
    switch (way) {
    case GeneWay::Memory: return "memory";
    case GeneWay::Indexed: return "index";
    case GeneWay::ByGene: return "by-gene";
    case GeneWay::Dense: return "dense";
    case GeneWay::Cells: return "cells";
    case GeneWay::Scan: return "scan";
    }
    return {};
}

GeneSource::GeneSource(std::shared_ptr<const Dataset> dataset,
                       std::shared_ptr<const MatrixReader> reader,
                       std::shared_ptr<Reading> reading, std::optional<SparseSource> sparse)
    : m_dataset(std::move(dataset)), m_reader(std::move(reader)), m_reading(std::move(reading)),
      m_sparse(std::move(sparse))
{
}

Result<std::shared_ptr<GeneSource>> GeneSource::open(std::shared_ptr<const Dataset> dataset,
                                                     const Element& matrix,
                                                     std::shared_ptr<Reading> reading)
{
    auto reader = MatrixReader::open(dataset, matrix, reading);
    if (!reader)
        return std::move(reader).error();
    std::optional<SparseSource> sparse;
    if (matrix.isSparse()) {
        auto source = SparseSource::open(dataset, matrix, reading);
        if (!source)
            return std::move(source).error();
        sparse = *std::move(source);
    }
    return std::shared_ptr<GeneSource>(new GeneSource(
        std::move(dataset), *std::move(reader), std::move(reading), std::move(sparse)));
}

std::shared_ptr<const GeneVectors> GeneSource::kept(Index gene)
{
    const std::lock_guard lock(m_mutex);
    const auto found = std::find_if(m_kept.begin(), m_kept.end(),
                                    [gene](const Kept& k) { return k.gene == gene; });
    if (found == m_kept.end())
        return nullptr;
    std::rotate(found, found + 1, m_kept.end());
    return m_kept.back().vector;
}

void GeneSource::keep(Index gene, std::shared_ptr<const GeneVectors> vector)
{
    const std::lock_guard lock(m_mutex);
    const Index limit = m_reading->budget().limit() / kKeptShare;
    Index held = bytesOf(*vector);
    if (held > limit)
        return;
    for (const Kept& k : m_kept)
        held += bytesOf(*k.vector);
    while (!m_kept.empty() && (held > limit || m_kept.size() >= kMostKept)) {
        held -= bytesOf(*m_kept.front().vector);
        m_kept.erase(m_kept.begin());
    }
    std::erase_if(m_kept, [gene](const Kept& k) { return k.gene == gene; });
    m_kept.push_back({gene, std::move(vector)});
}

void GeneSource::dropKept()
{
    const std::lock_guard lock(m_mutex);
    m_kept.clear();
}

GeneWay GeneSource::storedWay(const std::optional<Selection>& cells) const
{
    if (!m_sparse)
        return GeneWay::Dense;
    if (!m_sparse->byRows())
        return GeneWay::ByGene;
    return cells && cells->size() <= kFewCells && cells->size() < m_reader->rows() ? GeneWay::Cells
                                                                                  : GeneWay::Scan;
}

GeneCost GeneSource::cost(const Request& request)
{
    GeneCost cost;
    std::vector<Index> genes = request.genes;
    std::sort(genes.begin(), genes.end());
    genes.erase(std::unique(genes.begin(), genes.end()), genes.end());
    std::erase_if(genes, [this](Index gene) { return kept(gene) != nullptr; });
    if (genes.empty()) {
        cost.way = GeneWay::Memory;
        return cost;
    }
    cost.way = index() != nullptr ? GeneWay::Indexed : storedWay(request.cells);
    const auto count = static_cast<Index>(genes.size());
    const Index cells = request.cells ? request.cells->size() : m_reader->rows();
    double rate = kPlainPerSecond;
    const bool packed = !(m_sparse ? m_sparse->indices() : element().values).info().filters.empty();
    switch (cost.way) {
    case GeneWay::Memory:
        break;
    case GeneWay::Indexed:
        if (const auto prepared = index())
            for (const Index gene : genes) {
                cost.entries += prepared->entriesOf(gene);
                cost.bytes += prepared->bytesOf(gene);
            }
        rate = kPlainPerSecond / 4;
        break;
    case GeneWay::Dense:
        cost.entries = cells * count;
        cost.bytes = cost.entries * static_cast<Index>(sizeOf(dtype()));
        // Of a row or chunk that is read most is thrown away.
        rate = packed ? kInflatedPerSecond / 16 : kPlainPerSecond / 16;
        break;
    case GeneWay::ByGene:
        cost.entries = m_reader->columnCost().entries * count;
        cost.bytes = cost.entries
                   * (m_sparse->data().type().size + m_sparse->indices().type().size);
        rate = packed ? kInflatedPerSecond : kPlainPerSecond;
        break;
    case GeneWay::Cells:
        cost.entries = m_reader->rowCost().entries * cells;
        cost.bytes = cost.entries * m_sparse->indices().type().size;
        rate = packed ? kInflatedPerSecond / 4 : kPlainPerSecond / 4;
        break;
    case GeneWay::Scan: {
        cost.entries = m_sparse->stored();
        cost.bytes = cost.entries * m_sparse->indices().type().size;
        rate = (packed ? kInflatedPerSecond : kPlainPerSecond) * m_reading->threads();
        const std::lock_guard lock(m_mutex);
        if (m_entriesPerSecond > 0)
            rate = m_entriesPerSecond;
        break;
    }
    }
    cost.seconds = static_cast<double>(cost.entries) / rate;
    cost.worthIndex = cost.way == GeneWay::Scan && cost.seconds > 0.05;
    return cost;
}

Result<GeneVectors> GeneSource::scan(const std::vector<Index>& genes, const Request& request)
{
    const GeneScan scan(*m_sparse, m_reading, request.cells, genes);
    GeneScan::Pass pass{request.stop, request.progress, {}, 0};
    if (scan.lines().isPlain() && request.genes == genes)
        pass.part = request.part;
    const auto start = std::chrono::steady_clock::now();
    auto found = scan.run(pass);
    if (found && (!request.cells || request.cells->isAll())) {
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        const std::lock_guard lock(m_mutex);
        m_entriesPerSecond = static_cast<double>(m_sparse->stored()) / std::max(1e-4, seconds.count());
    }
    if (!found || scan.lines().isPlain())
        return found;
    GeneVectors result;
    result.charge = std::move(found->charge);
    for (const Values& values : found->genes)
        result.genes.push_back(gathered(values, scan.lines()));
    result.damage = spread(found->damage, scan.lines());
    return result;
}

Result<GeneVectors> GeneSource::readBlocks(const std::vector<Index>& genes, const Request& request)
{
    const Selection cells = request.cells ? *request.cells : Selection::all(m_reader->rows());
    const Index each = std::max<Index>(1, cells.size() * std::max<Index>(
                                                             1, static_cast<Index>(sizeOf(dtype()))));
    GeneVectors result;
    const auto count = static_cast<Index>(genes.size());
    auto charge = m_reading->budget().reserve(MemoryTag::Plot, each * count);
    if (!charge)
        return std::move(charge).error().at(element().path);
    result.charge = *std::move(charge);
    // Stored by gene, each is read for itself; otherwise what lies beside each other comes together.
    const Index room = (m_reading->budget().limit() - m_reading->budget().snapshot().total) / 2;
    const Index atOnce = storedWay(request.cells) == GeneWay::ByGene
                             ? 1
                             : std::clamp(room / each, Index{1}, count);
    if (request.progress != nullptr)
        request.progress->begin(count);
    for (Index k = 0; k < count; k += atOnce) {
        const Index width = std::min(atOnce, count - k);
        const std::vector<Index> wanted(genes.begin() + k, genes.begin() + k + width);
        auto block = m_reader->block(cells, Selection::indices(m_reader->columns(), wanted),
                                     request.stop);
        if (!block)
            return std::move(block).error();
        for (Index column = 0; column < width; ++column)
            result.genes.push_back(columnOf(*block, cells.size(), width, column));
        if (request.progress != nullptr)
            request.progress->advance(width);
    }
    if (request.part && cells.isAscending() && request.genes == genes)
        request.part({0, cells.size(), result.genes});
    return result;
}

Result<GeneVectors> GeneSource::readIndexed(const GeneIndex& index, const std::vector<Index>& genes,
                                            const Request& request)
{
    const bool whole = !request.cells || request.cells->isAll();
    const Index cells = request.cells ? request.cells->size() : m_reader->rows();
    const std::vector<Index> places = whole ? std::vector<Index>() : request.cells->positions();
    GeneVectors result;
    const auto count = static_cast<Index>(genes.size());
    auto charge = m_reading->budget().reserve(MemoryTag::Plot, count * cells
                                                                   * static_cast<Index>(sizeOf(dtype())));
    if (!charge)
        return std::move(charge).error().at(element().path);
    result.charge = *std::move(charge);
    if (request.progress != nullptr)
        request.progress->begin(count);
    for (const Index gene : genes) {
        if (request.stop.stop_requested())
            return Error::cancelled();
        auto values = index.values(gene);
        if (!values)
            return std::move(values).error();
        result.genes.push_back(whole ? *std::move(values) : values->gather(places));
        if (request.progress != nullptr)
            request.progress->advance(1);
    }
    if (request.part && request.genes == genes && (whole || request.cells->isAscending()))
        request.part({0, cells, result.genes});
    return result;
}

Result<void> GeneSource::lookForIndex(const GeneIndexStore& store, std::stop_token stop)
{
    auto found = store.find(m_dataset, element(), m_reading, stop);
    const std::lock_guard lock(m_mutex);
    m_index = found ? *found : nullptr;
    if (!found)
        return std::move(found).error();
    m_indexFault.clear();
    return {};
}

std::shared_ptr<const GeneIndex> GeneSource::index() const
{
    const std::lock_guard lock(m_mutex);
    return m_index;
}

std::string GeneSource::indexFault() const
{
    const std::lock_guard lock(m_mutex);
    return m_indexFault;
}

Result<GeneIndexStore::Estimate> GeneSource::indexEstimate(const GeneIndexStore& store,
                                                           std::stop_token stop) const
{
    return store.estimate(m_dataset, element(), m_reading, scanSeconds(), stop);
}

double GeneSource::scanSeconds() const
{
    const std::lock_guard lock(m_mutex);
    return m_entriesPerSecond > 0 && m_sparse
             ? static_cast<double>(m_sparse->stored()) / m_entriesPerSecond
             : 0;
}

Result<GeneVectors> GeneSource::readDistinct(const std::vector<Index>& genes,
                                             const Request& request)
{
    if (const auto prepared = index()) {
        auto read = readIndexed(*prepared, genes, request);
        if (read || (read.error().code() != ErrorCode::Corrupt && read.error().code() != ErrorCode::Io))
            return read;
        // B007o: sums overflow, so the matrix is at fault, not its index; as it is stored, all but
        // those sums can be read.
        if (read.error().ruleId() != "B007o") {
            const std::lock_guard lock(m_mutex);
            m_indexFault = read.error().message();
            m_index = nullptr;
        }
    }
    const GeneWay way = storedWay(request.cells);
    if (way == GeneWay::Scan)
        return scan(genes, request);
    auto block = readBlocks(genes, request);
    // Few cells of a damaged matrix: those that can be read.
    if (!block && way == GeneWay::Cells && block.error().code() == ErrorCode::Corrupt)
        return scan(genes, request);
    return block;
}

Result<GeneVectors> GeneSource::read(const Request& request)
{
    assert(static_cast<Index>(request.genes.size()) <= kMostAtOnce);
    assert(!request.cells || request.cells->extent() == m_reader->rows());
    std::vector<Index> distinct = request.genes;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    assert(distinct.empty() || (distinct.front() >= 0 && distinct.back() < m_reader->columns()));

    const bool whole = !request.cells || request.cells->isAll();
    std::vector<std::shared_ptr<const GeneVectors>> known;
    for (const Index gene : distinct)
        known.push_back(kept(gene));
    std::vector<Index> missing;
    for (std::size_t k = 0; k < distinct.size(); ++k)
        if (!known[k])
            missing.push_back(distinct[k]);

    GeneVectors fresh;
    if (!missing.empty()) {
        // Parts come from below only where they hold all that is wanted.
        auto read = readDistinct(missing, request);
        if (!read && read.error().code() == ErrorCode::OutOfBudget) {
            dropKept();
            known.clear();
            missing = distinct;
            read = readDistinct(missing, request);
        }
        if (!read)
            return std::move(read).error();
        fresh = *std::move(read);
        if (whole && !fresh.damage)
            for (std::size_t k = 0; k < missing.size(); ++k)
                keepCopy(missing[k], fresh.genes[k]);
        if (missing == request.genes)
            return fresh;
    }

    const Selection cells = request.cells ? *request.cells : Selection::all(m_reader->rows());
    GeneVectors result;
    auto charge = m_reading->budget().reserve(
        MemoryTag::Plot, static_cast<Index>(request.genes.size()) * cells.size()
                             * static_cast<Index>(sizeOf(dtype())));
    if (!charge)
        return std::move(charge).error().at(element().path);
    result.charge = *std::move(charge);
    result.damage = fresh.damage;
    for (const Index gene : request.genes) {
        const auto place = std::lower_bound(missing.begin(), missing.end(), gene);
        if (place != missing.end() && *place == gene) {
            result.genes.push_back(fresh.genes[at(place - missing.begin())]);
            continue;
        }
        const auto k = at(std::lower_bound(distinct.begin(), distinct.end(), gene)
                          - distinct.begin());
        const Values& values = known[k]->genes.front();
        result.genes.push_back(whole ? values : values.gather(cells.positions()));
    }
    if (request.part && cells.isAscending() && missing.size() < distinct.size()
        && distinct == request.genes)
        request.part({0, cells.size(), result.genes});
    return result;
}

void GeneSource::keepCopy(Index gene, const Values& values)
{
    const Index limit = m_reading->budget().limit() / kKeptShare;
    if (values.bytes() > limit)
        return;
    // Kept only while there is room: never at the cost of what is being read.
    auto charge = m_reading->budget().reserve(MemoryTag::Plot, values.bytes());
    if (!charge)
        return;
    auto vector = std::make_shared<GeneVectors>();
    vector->charge = *std::move(charge);
    vector->genes.push_back(values);
    keep(gene, std::move(vector));
}

} // namespace cellfolio
