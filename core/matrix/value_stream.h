// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/dense_stream.h"
#include "core/matrix/entry_stream.h"
#include "core/matrix/stats.h"

#include <functional>
#include <variant>

namespace cellfolio {

// A run of values of a stream, wherever they stand.
struct ValueBatch {
    Index ordinal = 0; // batches of one ordinal come in file order, from one thread
    int worker = 0;    // below ValueStream::workers()
    Index count = 0;
    const std::byte* values = nullptr; // native, valid during the call
};

// All stored values of an element that options choose, dense or sparse alike, as often as they
// want them.
class ValueStream
{
public:
    // Refused for what has no real numbers.
    static Result<ValueStream> open(const std::shared_ptr<const Dataset>& dataset,
                                    const Element& element, const std::shared_ptr<Reading>& reading,
                                    const StatsOptions& options);

    DType dtype() const noexcept { return m_type; }
    int workers() const noexcept;
    // Places the options choose: stored or not.
    Index places() const noexcept { return m_places; }
    bool isSparse() const noexcept { return std::holds_alternative<EntryStream>(m_stream); }
    const EntryStream* entries() const noexcept { return std::get_if<EntryStream>(&m_stream); }
    // Requires: not sparse.
    const DenseStream& dense() const { return std::get<DenseStream>(m_stream); }
    // Values a pass moves, about.
    Result<Index> passLength(std::stop_token stop) const;

    Result<void> run(std::stop_token stop, Progress* progress,
                     const std::function<Result<void>(const ValueBatch&)>& visit) const;

private:
    explicit ValueStream(std::variant<EntryStream, DenseStream> stream)
        : m_stream(std::move(stream))
    {
    }

    std::variant<EntryStream, DenseStream> m_stream;
    DType m_type = DType::Other;
    Index m_places = 0;
};

} // namespace cellfolio
