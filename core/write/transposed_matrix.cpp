// SPDX-License-Identifier: GPL-3.0-or-later
// CSR as CSC and back: entries come index by index from several threads, and where each belongs is known
// from the counts before the first one comes.
#include "core/matrix/external_transpose.h"
#include "core/run/memory_budget.h"
#include "core/write/matrix_transfer.h"
#include "core/write/placed_array.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <vector>

namespace cellfolio {

namespace {

constexpr Index kWindow = Index{1} << 16; // pointers written at once

template <typename To>
Result<void> appendPointers(ArrayWriter& writer, const std::vector<Index>& starts)
{
    std::vector<To> window;
    for (std::size_t first = 0; first < starts.size(); first += at(kWindow)) {
        const std::size_t end = std::min(starts.size(), first + at(kWindow));
        window.clear();
        for (std::size_t k = first; k < end; ++k)
            window.push_back(static_cast<To>(starts[k]));
        if (auto written = writer.append(reinterpret_cast<const std::byte*>(window.data()),
                                         static_cast<Index>(window.size()));
            !written)
            return written;
    }
    return writer.finish();
}

} // namespace

Result<void> MatrixTransfer::writeTransposed(const Element& element, const std::string& path, const MatrixForm& form)
{
    auto source = SparseSource::open(m_context.dataset, element, m_context.reading);
    if (!source)
        return std::move(source).error();
    const DType from = source->dtype();
    const DType to = *form.dtype;
    struct Own {
        PlacedArray::Stretch data;
        PlacedArray::Stretch indices;
        std::vector<std::int64_t> wide;
        Buffer values;
    };
    std::vector<Own> owns;
    std::vector<Index> starts; // of each index among all entries
    std::unique_ptr<PlacedArray> data;
    std::unique_ptr<PlacedArray> indices;
    std::vector<MemoryReservation> held;
    bool wide = false;
    const auto reserve = [&](Index bytes) -> Result<void> {
        auto room = m_context.reading->budget().reserve(MemoryTag::Job, bytes);
        if (!room)
            return std::move(room).error().at(element.path);
        held.push_back(*std::move(room));
        return {};
    };
    const auto begin = [&](const std::vector<Index>& counts, int workers) -> Result<void> {
        if (auto room = reserve(static_cast<Index>((counts.size() + 1) * sizeof(Index))); !room)
            return room;
        starts.assign(1, 0);
        starts.reserve(counts.size() + 1);
        std::partial_sum(counts.begin(), counts.end(), std::back_inserter(starts));
        auto plan = sparsePlan(element, form.storage, starts.back(), form);
        if (!plan)
            return std::move(plan).error();
        auto parts = m_writer.sparseParts(path, *plan);
        if (!parts)
            return std::move(parts).error();
        wide = parts->indices.info().type.value == DType::Int64;
        auto written = wide ? appendPointers<std::int64_t>(parts->indptr, starts)
                            : appendPointers<std::int32_t>(parts->indptr, starts);
        if (!written)
            return written;
        for (hdf5::OutputArray* array : {&parts->data, &parts->indices})
            if (auto resized = array->resize({starts.back()}); !resized)
                return resized;
        data = std::make_unique<PlacedArray>(parts->data);
        indices = std::make_unique<PlacedArray>(parts->indices);
        owns = std::vector<Own>(static_cast<std::size_t>(workers));
        return {};
    };
    const Index bytesAnEntry = static_cast<Index>(sizeOf(from) + sizeOf(source->indices().dtype()));
    const auto sink = [&](const TransposedPiece& piece) -> Result<void> {
        Own& own = owns[at(Index{piece.worker})];
        const auto count = static_cast<Index>(piece.lines.size());
        const Index place = starts[at(piece.index)] + piece.first;
        const std::byte* values = piece.values;
        if (from != to) {
            own.values.resize(piece.lines.size() * sizeOf(to));
            const Index bad = convertValues(from, values, count, to, own.values.data(), form.rounding);
            if (bad >= 0)
                return wouldChange(element.path, to, from, values + at(bad) * sizeOf(from));
            values = own.values.data();
        }
        if (auto written = data->put(own.data, place, values, count); !written)
            return written;
        // Below 2^31 signed and unsigned are the same.
        const auto* lines = reinterpret_cast<const std::byte*>(piece.lines.data());
        if (wide) {
            own.wide.assign(piece.lines.begin(), piece.lines.end());
            lines = reinterpret_cast<const std::byte*>(own.wide.data());
        }
        auto written = indices->put(own.indices, place, lines, count);
        passed(count * bytesAnEntry, count);
        return written;
    };
    ExternalTranspose::Options options;
    options.folder = folder();
    options.stop = m_context.stop;
    Index temporary = 0;
    options.temporary = &temporary;
    if (auto plan = sparsePlan(element, form.storage, source->stored(), form)) {
        // Of each array: the chunk at hand, two to pack it, one that waits for its neighbour.
        const auto bytes = [&](DType type, const hdf5::ArrayInfo* like) {
            const Index chunk = planArray({type, {0}, true}, plan->storing.value_or(m_writer.storing()), like).chunk.front();
            return 4 * std::min(chunk, std::max<Index>(1024, plan->entries)) * static_cast<Index>(sizeOf(type));
        };
        options.sinkBytes = (Index{64} << 10) + bytes(to, plan->likeData) + bytes(DType::Int64, plan->likeIndices);
    } else {
        return std::move(plan).error();
    }
    if (auto done = ExternalTranspose(*source, m_context.reading).run(options, begin, sink); !done)
        return done;
    m_temporary += temporary;
    for (Own& own : owns) {
        if (auto closed = data->close(own.data); !closed)
            return closed;
        if (auto closed = indices->close(own.indices); !closed)
            return closed;
    }
    if (auto finished = data->finish(); !finished)
        return finished;
    return indices->finish();
}

} // namespace cellfolio
