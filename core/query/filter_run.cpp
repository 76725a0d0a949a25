// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/filter.h"

#include "core/matrix/quantiles.h"
#include "core/query/row_blocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>

// An expression is evaluated in stages. Of an "and", the parts that cost little are evaluated for
// all rows, then text, then genes, each only for the rows that are still open; "or" likewise. Within
// a stage rows are evaluated a block at a time. Figures over all rows (mean, quantile …) come
// before, and always speak of all rows at hand, whatever a stage would have left of them.

namespace cellfolio {
namespace query {
namespace {

// What is known of rows 0 … n-1.
struct Outcome {
    IndexSet yes;
    IndexSet unknown;
};

// A part of the numbers 0 … n-1, found among the numbers of an ascending choice of them.
IndexSet spread(const Selection& choice, const IndexSet& inner)
{
    return choice.then(Selection::of(inner)).toSet();
}

// Kleene's "and" and "or" where the second is known for a choice of rows only and the first has
// settled all others.
Outcome joined(JunctionNode::Kind kind, const Outcome& a, const Outcome& b, const Selection& choice)
{
    const IndexSet yesB = spread(choice, b.yes);
    const IndexSet openB = yesB | spread(choice, b.unknown);
    const IndexSet openA = a.yes | a.unknown;
    const IndexSet yes = kind == JunctionNode::Kind::And ? a.yes & yesB : a.yes | yesB;
    const IndexSet open = kind == JunctionNode::Kind::And ? openA & openB : openA | openB;
    return {yes, open - yes};
}

// Which of the numbers 0 … n-1 are done, when stretches come in any order: how many from the start.
class DonePrefix
{
public:
    void add(Index first, Index count)
    {
        Index& end = m_apart[first];
        end = std::max(end, first + count);
        while (!m_apart.empty() && m_apart.begin()->first <= m_end) {
            m_end = std::max(m_end, m_apart.begin()->second);
            m_apart.erase(m_apart.begin());
        }
    }
    Index end() const noexcept { return m_end; }

private:
    Index m_end = 0;
    std::map<Index, Index> m_apart; // by first number: behind the last
};

// The members of a set below `end`.
IndexSet firstOf(std::span<const std::uint64_t> words, Index extent, Index end)
{
    IndexSetBuilder part(extent);
    const auto whole = at(end / 64);
    std::copy_n(words.begin(), whole, part.words().begin());
    if (end % 64 != 0)
        part.words()[whole] = words[whole] & ((std::uint64_t{1} << (end % 64)) - 1);
    return std::move(part).take();
}

// Sum and spread of a stretch, merged as Chan, Golub and LeVeque do (1983, "Algorithms for
// Computing the Sample Variance"). Sums are wider than the values: of whole numbers they are exact.
struct Moments {
    double n = 0;
    long double sum = 0;
    double squares = 0; // of the distances from the mean
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();

    double mean() const { return static_cast<double>(sum / static_cast<long double>(n)); }
    // NaN is left out; `times`: how often each value counts, null for once.
    static Moments of(const std::vector<double>& values, const std::int32_t* times)
    {
        Moments own;
        const auto each = [&](auto&& visit) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (!std::isnan(values[i]))
                    visit(values[i], times != nullptr ? static_cast<double>(times[i]) : 1.0);
            }
        };
        each([&own](double value, double weight) {
            own.n += weight;
            own.sum += static_cast<long double>(value) * static_cast<long double>(weight);
            own.least = std::min(own.least, value);
            own.most = std::max(own.most, value);
        });
        if (own.n > 0) {
            const double mean = own.mean();
            each([&own, mean](double value, double weight) {
                own.squares += (value - mean) * (value - mean) * weight;
            });
        }
        return own;
    }
    void merge(const Moments& other)
    {
        if (other.n == 0)
            return;
        if (n > 0) {
            const double apart = other.mean() - mean();
            squares += apart * apart * n * other.n / (n + other.n);
        }
        squares += other.squares;
        sum += other.sum;
        n += other.n;
        least = std::min(least, other.least);
        most = std::max(most, other.most);
    }
};

class FilterRun
{
public:
    FilterRun(const CheckedFilter& filter, const FilterOptions& options)
        : m_filter(filter), m_options(options),
          m_aggregates(filter.aggregates.size(), std::numeric_limits<double>::quiet_NaN())
    {
        RowBlocks::Options blocks;
        blocks.stop = options.stop;
        blocks.aggregates = &m_aggregates;
        if (options.progress != nullptr)
            blocks.progress = [&options](Index rows) { options.progress->advance(rows); };
        m_blocks = std::make_unique<RowBlocks>(filter, std::move(blocks));
    }

    Result<FilterAnswer> run(const Selection& rows)
    {
        // In the order of the file, each row once.
        const Selection base = rows.isAscending() ? rows : Selection::of(rows.toSet());
        if (m_options.progress != nullptr)
            m_options.progress->begin(base.size() * (levels() + stages(*m_filter.root)));
        if (auto done = aggregate(base, rows); !done)
            return std::move(done).error();
        Publish publish;
        if (m_options.soFar != nullptr && rows.isAscending())
            publish = [this](IndexSet yes, Index decided) { m_options.soFar->give({decided, std::move(yes)}); };
        auto outcome = evaluate(*m_filter.root, base, publish);
        if (!outcome)
            return std::move(outcome).error();
        FilterAnswer answer;
        answer.valuesRead = m_blocks->valuesRead();
        if (rows.isAscending()) {
            answer.missing = outcome->unknown.size();
            answer.chosen = Selection::of(std::move(outcome->yes));
            return answer;
        }
        const IndexSet yes = spread(base, outcome->yes);
        const IndexSet unknown = spread(base, outcome->unknown);
        IndexSetBuilder chosen(rows.size());
        Index number = 0;
        rows.forEach([&](Index position) {
            if (yes.contains(position))
                chosen.add(number);
            else if (unknown.contains(position))
                ++answer.missing;
            ++number;
        });
        answer.chosen = Selection::of(std::move(chosen).take());
        return answer;
    }

private:
    // What is settled of the rows of a stage: the chosen among the first `decided`.
    using Publish = std::function<void(IndexSet yes, Index decided)>;

    Cost costOfTest(const TestNode& node) const
    {
        Needs needs(m_filter.sources);
        node.addNeeds(needs);
        return costOf(needs);
    }

    // The parts of a junction that are evaluated together: all of one cost. A part that is dear and
    // holds something cheap is a stage of its own, so that it can be taken apart in turn.
    std::vector<std::vector<const TestNode*>> stagesOf(const JunctionNode& node) const
    {
        std::map<Cost, std::vector<const TestNode*>> together;
        std::vector<std::vector<const TestNode*>> apart;
        for (const TestPointer& part : node.parts()) {
            if (stages(*part) > 1)
                apart.push_back({part.get()});
            else
                together[costOfTest(*part)].push_back(part.get());
        }
        std::vector<std::vector<const TestNode*>> result;
        for (auto& [cost, parts] : together)
            result.push_back(std::move(parts));
        result.insert(result.end(), apart.begin(), apart.end());
        return result;
    }

    Index stages(const TestNode& node) const
    {
        if (const auto* inverted = dynamic_cast<const NotNode*>(&node))
            return stages(inverted->inner());
        const auto* junction = dynamic_cast<const JunctionNode*>(&node);
        if (junction == nullptr)
            return 1;
        Index count = 0;
        for (const auto& parts : stagesOf(*junction))
            count += parts.size() == 1 ? stages(*parts.front()) : 1;
        return count;
    }

    Index levels() const
    {
        int count = 0;
        for (const AggregateSpec& spec : m_filter.aggregates)
            count = std::max(count, spec.level + 1);
        return count;
    }

    Result<Outcome> evaluate(const TestNode& node, const Selection& rows, const Publish& publish = {})
    {
        if (stages(node) == 1)
            return together(JunctionNode::Kind::And, {&node}, rows, publish);
        if (const auto* inverted = dynamic_cast<const NotNode*>(&node)) {
            auto inner = evaluate(inverted->inner(), rows);
            if (!inner)
                return inner;
            return Outcome{~(inner->yes | inner->unknown), inner->unknown};
        }
        return staged(dynamic_cast<const JunctionNode&>(node), rows, publish);
    }

    Result<Outcome> staged(const JunctionNode& node, const Selection& rows, const Publish& publish)
    {
        std::optional<Outcome> soFar;
        const auto groups = stagesOf(node);
        for (std::size_t k = 0; k < groups.size(); ++k) {
            const auto& parts = groups[k];
            // Rows that an "and" has not lost and an "or" has not won.
            const IndexSet open = !soFar ? IndexSet::all(rows.size())
                                : node.kind() == JunctionNode::Kind::And
                                    ? soFar->yes | soFar->unknown
                                    : ~soFar->yes;
            const Selection choice = Selection::of(open);
            const Selection left = rows.then(choice);
            if (m_options.progress != nullptr)
                m_options.progress->advance(rows.size() - left.size());
            if (left.empty())
                continue;
            // The last stage settles each row it comes to, and those that were no longer open.
            Publish last;
            if (publish && k + 1 == groups.size())
                last = [&](IndexSet yes, Index decided) {
                    const Index upTo = decided == left.size() ? rows.size() : choice[decided];
                    IndexSet all = spread(choice, yes);
                    if (soFar && node.kind() == JunctionNode::Kind::And)
                        all = all & soFar->yes;
                    else if (soFar)
                        all = all | firstOf(soFar->yes.words(), rows.size(), upTo);
                    publish(std::move(all), upTo);
                };
            auto outcome = parts.size() == 1 ? evaluate(*parts.front(), left, last)
                                             : together(node.kind(), parts, left, last);
            if (!outcome)
                return outcome;
            soFar = soFar ? joined(node.kind(), *soFar, *outcome, choice) : std::move(*outcome);
        }
        return soFar ? std::move(*soFar)
                     : Outcome{IndexSet::none(rows.size()), IndexSet::none(rows.size())};
    }

    // One stage, a block of rows at a time.
    Result<Outcome> together(JunctionNode::Kind kind, const std::vector<const TestNode*>& parts,
                             const Selection& rows, const Publish& publish)
    {
        Needs needs(m_filter.sources);
        for (const TestNode* part : parts)
            part->addNeeds(needs);
        auto room = m_filter.reading->budget().reserve(MemoryTag::Job, rows.size() / 4);
        if (!room)
            return std::move(room).error();
        IndexSetBuilder yes(rows.size());
        IndexSetBuilder unknown(rows.size());
        std::mutex mutex;
        DonePrefix prefix;
        RowBlocks::Live live; // somebody would like to see what a matrix has given so far
        if (publish)
            live = [this] { return m_options.soFar->isAsked(); };
        auto done = m_blocks->run(needs, rows, live, [&](BlockRows& block, Index first) -> Result<void> {
            Truths truths;
            if (auto joinedParts = JunctionNode::join(kind, parts, block, truths); !joinedParts)
                return joinedParts;
            // Packed apart, then added under the lock: blocks may share a word at their ends.
            const Index skip = first % 64;
            const auto words = at((skip + block.count() + 63) / 64);
            std::vector<std::uint64_t> packed[2];
            packed[0].assign(words, 0);
            packed[1].assign(words, 0);
            for (std::size_t i = 0; i < truths.size(); ++i) {
                const std::size_t bit = at(skip) + i;
                packed[0][bit / 64] |= std::uint64_t{truths[i] == kYes} << (bit % 64);
                packed[1][bit / 64] |= std::uint64_t{truths[i] == kUnknown} << (bit % 64);
            }
            std::optional<IndexSet> part;
            Index decided = 0;
            {
                const std::lock_guard lock(mutex);
                for (std::size_t w = 0; w < words; ++w) {
                    yes.words()[at(first / 64) + w] |= packed[0][w];
                    unknown.words()[at(first / 64) + w] |= packed[1][w];
                }
                if (publish) {
                    prefix.add(first, block.count());
                    decided = prefix.end();
                    if (decided > 0 && m_options.soFar->isAsked())
                        part = firstOf(yes.words(), rows.size(), decided);
                }
            }
            if (part)
                publish(std::move(*part), decided);
            return {};
        });
        if (!done)
            return std::move(done).error();
        return Outcome{std::move(yes).take(), std::move(unknown).take()};
    }

    // How often each row of `base` stands among `rows`; empty where each stands once.
    static std::vector<std::int32_t> timesOf(const Selection& base, const Selection& rows)
    {
        std::vector<std::int32_t> times;
        if (base.size() == rows.size())
            return times;
        const IndexSet set = base.toSet();
        times.assign(at(base.size()), 0);
        rows.forEach([&](Index position) { ++times[at(set.rank(position))]; });
        return times;
    }

    Result<void> aggregate(const Selection& base, const Selection& rows)
    {
        if (m_filter.aggregates.empty())
            return {};
        const std::vector<std::int32_t> times = timesOf(base, rows);
        for (int level = 0; level < levels(); ++level) {
            if (auto done = aggregateLevel(level, base, times); !done)
                return done;
        }
        return {};
    }

    static bool needsAll(const AggregateSpec& spec)
    {
        return spec.kind == Aggregate::Median || spec.kind == Aggregate::Quantile;
    }

    Result<void> aggregateLevel(int level, const Selection& base,
                                const std::vector<std::int32_t>& times)
    {
        std::vector<std::size_t> members;
        Needs needs(m_filter.sources);
        std::size_t held = 0;
        for (std::size_t k = 0; k < m_filter.aggregates.size(); ++k) {
            const AggregateSpec& spec = m_filter.aggregates[k];
            if (spec.level != level)
                continue;
            members.push_back(k);
            spec.argument->addNeeds(needs);
            held += needsAll(spec) ? std::size_t{1} : std::size_t{0};
        }
        auto room = m_filter.reading->budget().reserve(
            MemoryTag::Job, base.size() * narrow<Index>(held * sizeof(double)));
        if (!room)
            return std::move(room).error().within("holding values for a median or quantile");
        // Values by row, or figures by first row of a block: merged in the order of the rows, so
        // that the outcome does not depend on which thread was first.
        std::vector<std::vector<double>> values(members.size());
        std::vector<std::map<Index, Moments>> moments(members.size());
        for (std::size_t m = 0; m < members.size(); ++m) {
            if (needsAll(m_filter.aggregates[members[m]]))
                values[m].resize(at(base.size()));
        }
        std::mutex mutex;
        auto done = m_blocks->run(needs, base, {}, [&](BlockRows& block, Index first) -> Result<void> {
            Numbers numbers;
            for (std::size_t m = 0; m < members.size(); ++m) {
                const AggregateSpec& spec = m_filter.aggregates[members[m]];
                if (auto filled = spec.argument->evaluate(block, numbers); !filled)
                    return filled;
                numbers.toReal();
                if (needsAll(spec)) {
                    std::copy(numbers.real.begin(), numbers.real.end(),
                              values[m].begin() + static_cast<std::ptrdiff_t>(first));
                    continue;
                }
                const Moments own = Moments::of(
                    numbers.real, times.empty() ? nullptr : times.data() + first);
                const std::lock_guard lock(mutex);
                moments[m][first] = own;
            }
            return {};
        });
        if (!done)
            return done;
        for (std::size_t m = 0; m < members.size(); ++m) {
            const AggregateSpec& spec = m_filter.aggregates[members[m]];
            m_aggregates[members[m]] = needsAll(spec) ? quantile(spec, std::move(values[m]), times)
                                                      : figure(spec, moments[m]);
        }
        return {};
    }

    static double figure(const AggregateSpec& spec, const std::map<Index, Moments>& byBlock)
    {
        Moments all;
        for (const auto& [first, moments] : byBlock)
            all.merge(moments);
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        switch (spec.kind) {
        case Aggregate::Mean: return all.n > 0 ? all.mean() : kNone;
        case Aggregate::Sd: return all.n > 1 ? std::sqrt(all.squares / (all.n - 1)) : kNone;
        case Aggregate::Min: return all.n > 0 ? all.least : kNone;
        case Aggregate::Max: return all.n > 0 ? all.most : kNone;
        case Aggregate::Median:
        case Aggregate::Quantile: break;
        }
        return kNone;
    }

    static double quantile(const AggregateSpec& spec, std::vector<double> values,
                           const std::vector<std::int32_t>& times)
    {
        std::vector<double> present;
        if (times.empty()) {
            values.erase(std::remove_if(values.begin(), values.end(),
                                        [](double value) { return std::isnan(value); }),
                         values.end());
            present = std::move(values);
        } else {
            for (std::size_t i = 0; i < values.size(); ++i) {
                if (!std::isnan(values[i]))
                    present.insert(present.end(), static_cast<std::size_t>(times[i]), values[i]);
            }
        }
        if (present.empty())
            return std::numeric_limits<double>::quiet_NaN();
        const double share = spec.kind == Aggregate::Median ? 0.5 : spec.share;
        return sortedQuantiles(present, 0, {share}).front().second;
    }

    const CheckedFilter& m_filter;
    const FilterOptions& m_options;
    std::vector<double> m_aggregates;
    std::unique_ptr<RowBlocks> m_blocks;
};

} // namespace
} // namespace query

Result<FilterAnswer> Filter::run(const Selection& rows, const FilterOptions& options) const
{
    assert(rows.extent() == m_checked->rows);
    return query::FilterRun(*m_checked, options).run(rows);
}

} // namespace cellfolio
