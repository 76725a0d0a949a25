// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/query/nodes.h"
#include "core/select/selection.h"

#include <atomic>
#include <functional>
#include <stop_token>

namespace cellfolio::query {

// Streams what a part of an expression needs, for ascending rows of the table, in blocks that come
// from several threads in any order. Neighbouring rows are scanned past the page cache, scattered
// ones are picked out of it; columns of a matrix are read for as many rows as the budget likes, all
// of the wanted columns in one pass, before the blocks of these rows begin.
class RowBlocks
{
public:
    struct Options {
        std::stop_token stop = {};
        std::function<void(Index rows)> progress = {}; // called from the threads
        const std::vector<double>* aggregates = nullptr;
    };
    RowBlocks(const CheckedFilter& filter, Options options)
        : m_filter(filter), m_options(std::move(options))
    {
    }

    // visit(block, first): `first` is the number of the block's first row among `rows`.
    using Visit = std::function<Result<void>(BlockRows& block, Index first)>;
    // Whether somebody waits to see more while a matrix is read, which may take long: then rows are
    // visited as they come, in their order, and once more in the end.
    using Live = std::function<bool()>;
    Result<void> run(const Needs& needs, const Selection& rows, const Live& live, const Visit& visit);

    // Values read so far, about.
    Index valuesRead() const noexcept { return m_valuesRead; }

private:
    struct Segment;
    class Block;
    Result<void> readMatrices(const Needs& needs, Segment& segment, const Live& live, const Visit& visit) const;
    GenePartVisitor partVisitor(const Needs& needs, const Segment& segment, std::size_t matrix,
                                const std::vector<std::size_t>& places, const Live& live,
                                const Visit& visit) const;
    Result<GeneVectors> oneByOne(const Element& matrix, const Selection& rows,
                                 const GeneSource::Request& request) const;
    Result<void> scanned(const Needs& needs, const Segment& segment, const Visit& visit);
    Result<void> picked(const Needs& needs, const Segment& segment, const Visit& visit);
    Result<void> inThreads(Index count, Index bytesEach,
                           const std::function<Result<void>(Index)>& work) const;

    const CheckedFilter& m_filter;
    Options m_options;
    std::atomic<Index> m_valuesRead{0};
};

} // namespace cellfolio::query
