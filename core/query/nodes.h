// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/query/sources.h"
#include "core/query/syntax.h"

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cellfolio::query {

// The checked tree: nodes of three types that fill one vector a block. Nodes are immutable and
// shared by the threads of a run.

// Kleene's three values, ordered so that "and" is the smaller, "or" the larger of two.
constexpr std::uint8_t kNo = 0;
constexpr std::uint8_t kUnknown = 1;
constexpr std::uint8_t kYes = 2;
using Truths = std::vector<std::uint8_t>;

// Numbers of a block: whole ones stay whole, so that 64 bits compare to the last digit.
struct Numbers {
    enum class Form { Real, Signed, Unsigned };
    Form form = Form::Real;
    std::vector<double> real; // NaN is missing
    std::vector<std::int64_t> whole;
    std::vector<std::uint64_t> large;
    std::vector<std::uint8_t> missing; // of whole ones; empty: none is

    bool isMissing(std::size_t i) const noexcept
    {
        return form == Form::Real ? real[i] != real[i] : !missing.empty() && missing[i] != 0;
    }
    // As doubles, missing as NaN; 64-bit integers may round.
    void toReal();
};

// Texts of a block; they live in the block, in the node, or in `owned`.
struct Texts {
    std::vector<std::string_view> text;
    std::vector<std::uint8_t> missing; // empty: none is
    std::vector<std::string> owned;

    bool isMissing(std::size_t i) const noexcept { return !missing.empty() && missing[i] != 0; }
};

class TestNode
{
public:
    virtual ~TestNode() = default;
    virtual Result<void> evaluate(BlockRows& rows, Truths& out) const = 0;
    virtual void addNeeds(Needs& needs) const = 0;
};

class NumberNode
{
public:
    virtual ~NumberNode() = default;
    virtual Result<void> evaluate(BlockRows& rows, Numbers& out) const = 0;
    virtual void addNeeds(Needs& needs) const = 0;
};

class TextNode
{
public:
    virtual ~TextNode() = default;
    virtual Result<void> evaluate(BlockRows& rows, Texts& out) const = 0;
    virtual void addNeeds(Needs& needs) const = 0;
};

using TestPointer = std::unique_ptr<const TestNode>;
using NumberPointer = std::unique_ptr<const NumberNode>;
using TextPointer = std::unique_ptr<const TextNode>;

// "and" and "or" of several, in the order of their cost; the run takes it apart to read what is
// dear only where it matters.
class JunctionNode final : public TestNode
{
public:
    enum class Kind { And, Or };
    JunctionNode(Kind kind, std::vector<TestPointer> parts) : m_kind(kind), m_parts(std::move(parts))
    {
    }

    Kind kind() const noexcept { return m_kind; }
    const std::vector<TestPointer>& parts() const noexcept { return m_parts; }

    Result<void> evaluate(BlockRows& rows, Truths& out) const override;
    void addNeeds(Needs& needs) const override;

    // Some of the parts, joined; ends early once they have settled every row.
    static Result<void> join(Kind kind, const std::vector<const TestNode*>& parts,
                             BlockRows& rows, Truths& out);

private:
    Kind m_kind;
    std::vector<TestPointer> m_parts;
};

class NotNode final : public TestNode
{
public:
    explicit NotNode(TestPointer inner) : m_inner(std::move(inner)) {}
    const TestNode& inner() const noexcept { return *m_inner; }

    Result<void> evaluate(BlockRows& rows, Truths& out) const override;
    void addNeeds(Needs& needs) const override { m_inner->addNeeds(needs); }

private:
    TestPointer m_inner;
};

// A figure over all rows at hand, worked out in passes before the expression itself: first those
// that need no other, then those that do.
struct AggregateSpec {
    Aggregate kind = Aggregate::Mean;
    double share = 0;   // of a quantile
    int level = 0;      // 0: its argument holds no aggregate
    NumberPointer argument;
};

// An expression with everything it reads.
struct CheckedFilter {
    std::shared_ptr<const Dataset> dataset; // keeps the file open
    std::shared_ptr<Reading> reading;
    Index rows = 0; // of the table
    Sources sources;
    std::vector<ColumnReader> lists; // what charges the budget for the category lists in use
    std::vector<AggregateSpec> aggregates;
    TestPointer root;
};

} // namespace cellfolio::query
