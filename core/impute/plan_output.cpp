// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/plan_output.h"

#include "core/matrix/scratch_file.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace cellfolio::impute {

namespace {

constexpr Index kRows = 64; // written at once

std::string headerOf(Index rows, Index columns)
{
    std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", "
                     + std::to_string(columns) + "), }";
    // The values begin at a multiple of 64 bytes.
    text.append((64 - (10 + text.size() + 1) % 64) % 64, ' ');
    text += '\n';
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(text.size() & 0xff);
    header += static_cast<char>(text.size() >> 8);
    return header + text;
}

void rowsOfFactors(const Factors& factors, Index first, Index count, std::vector<float>& into)
{
    const Index columns = factors.columns();
    for (Index i = 0; i < count; ++i)
        for (Index j = 0; j < columns; ++j) {
            double sum = 0;
            for (Index k = 0; k < factors.rank; ++k)
                sum += factors.q[at((first + i) * factors.rank + k)] * factors.r[at(j * factors.rank + k)]
                     / factors.g[at(k)];
            into[at(i * columns + j)] = static_cast<float>(sum);
        }
}

} // namespace

template <typename Real>
Result<Index> writePlan(const std::filesystem::path& target, const StagedFile::Options& options,
                        const Mapping<Real>& mapping, Index rows, const Running& running)
{
    const Index columns =
        mapping.factors ? mapping.factors->columns() : mapping.parts.front().cost.columns();
    const std::string header = headerOf(rows, columns);
    StagedFile::Options staging = options;
    staging.bytesNeeded = static_cast<Index>(header.size()) + rows * columns * Index{sizeof(float)};
    auto staged = StagedFile::create(target, staging);
    if (!staged)
        return std::move(staged).error();
    const int descriptor = (*staged)->descriptor();
    if (auto done = writeAt(descriptor, 0, std::as_bytes(std::span(header)), target); !done)
        return std::move(done).error();
    std::unique_ptr<PlanSource<Real>> plan;
    if (!mapping.factors) {
        auto made = planOfPotentials<Real>(mapping.parts, rows, DeadRows::Zero, running);
        if (!made)
            return std::move(made).error();
        plan = std::move(*made);
    }
    std::vector<Index> all(at(rows));
    std::iota(all.begin(), all.end(), Index{0});
    std::vector<Real> room(at(kRows * kColumnTile));
    std::vector<float> block(at(kRows * columns));
    for (Index first = 0; first < rows; first += kRows) {
        if (running.stop.stop_requested())
            return Error::cancelled();
        const Index count = std::min(kRows, rows - first);
        if (mapping.factors) {
            rowsOfFactors(*mapping.factors, first, count, block);
        } else {
            if (auto done = plan->begin({all.data() + first, at(count)}, running); !done)
                return std::move(done).error();
            for (Index column = 0; column < columns; column += kColumnTile) {
                const Index width = std::min(kColumnTile, columns - column);
                if (auto done = plan->load(column, width, running); !done)
                    return std::move(done).error();
                plan->weights(0, {room.data(), count, width, kColumnTile}, nullptr);
                for (Index i = 0; i < count; ++i)
                    std::transform(room.begin() + i * kColumnTile, room.begin() + i * kColumnTile + width,
                                   block.begin() + i * columns + column,
                                   [](Real value) { return static_cast<float>(value); });
            }
        }
        const std::span<const float> values(block.data(), at(count * columns));
        if (auto done = writeAt(descriptor,
                                static_cast<Index>(header.size())
                                    + first * columns * Index{sizeof(float)},
                                std::as_bytes(values), target);
            !done)
            return std::move(done).error();
    }
    if (auto done = (*staged)->commit(); !done)
        return std::move(done).error();
    return staging.bytesNeeded;
}

template Result<Index> writePlan(const std::filesystem::path&, const StagedFile::Options&,
                                 const Mapping<float>&, Index, const Running&);
template Result<Index> writePlan(const std::filesystem::path&, const StagedFile::Options&,
                                 const Mapping<double>&, Index, const Running&);

} // namespace cellfolio::impute
