// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/test_nodes.h"

#include "core/query/number_nodes.h"

#include <algorithm>

namespace cellfolio::query {
namespace {

class ConstantTest final : public TestNode
{
public:
    explicit ConstantTest(bool value) : m_value(value) {}
    Result<void> evaluate(BlockRows& rows, Truths& out) const override
    {
        out.assign(at(rows.count()), truthOf(m_value));
        return {};
    }
    void addNeeds(Needs&) const override {}

private:
    bool m_value;
};

class BooleanTest final : public TestNode
{
public:
    BooleanTest(int source, std::optional<int> mask) : m_source(source), m_mask(mask) {}
    Result<void> evaluate(BlockRows& rows, Truths& out) const override
    {
        auto values = rows.fixed(m_source);
        if (!values)
            return std::move(values).error();
        const std::size_t n = at(rows.count());
        out.resize(n);
        visitReal(values->type, [&]<typename T>(const T*) {
            const T* from = reinterpret_cast<const T*>(values->values);
            for (std::size_t i = 0; i < n; ++i)
                out[i] = truthOf(toDouble(from[i]) != 0);
        });
        if (!m_mask)
            return {};
        auto mask = rows.fixed(*m_mask);
        if (!mask)
            return std::move(mask).error();
        visitReal(mask->type, [&]<typename T>(const T*) {
            const T* marks = reinterpret_cast<const T*>(mask->values);
            for (std::size_t i = 0; i < n; ++i) {
                if (toDouble(marks[i]) != 0)
                    out[i] = kUnknown;
            }
        });
        return {};
    }
    void addNeeds(Needs& needs) const override
    {
        needs.fixed[static_cast<std::size_t>(m_source)] = true;
        if (m_mask)
            needs.fixed[static_cast<std::size_t>(*m_mask)] = true;
    }

private:
    int m_source;
    std::optional<int> m_mask;
};

class CategoryTest final : public TestNode
{
public:
    CategoryTest(int codes, std::vector<std::uint8_t> truths, std::uint8_t missing)
        : m_codes(codes), m_truths(std::move(truths)), m_missing(missing)
    {
    }
    Result<void> evaluate(BlockRows& rows, Truths& out) const override
    {
        auto codes = rows.fixed(m_codes);
        if (!codes)
            return std::move(codes).error();
        const std::size_t n = at(rows.count());
        out.resize(n);
        visitReal(codes->type, [&]<typename T>(const T*) {
            const T* from = reinterpret_cast<const T*>(codes->values);
            const std::uint8_t* truths = m_truths.data();
            const std::size_t count = m_truths.size();
            for (std::size_t i = 0; i < n; ++i) {
                if constexpr (std::is_integral_v<T>) {
                    // A code below 0 becomes larger than any count.
                    const auto code = static_cast<std::size_t>(from[i]);
                    out[i] = code < count ? truths[code] : m_missing;
                } else {
                    const double code = toDouble(from[i]);
                    out[i] = code >= 0 && code < static_cast<double>(count)
                               ? truths[static_cast<std::size_t>(code)]
                               : m_missing;
                }
            }
        });
        return {};
    }
    void addNeeds(Needs& needs) const override
    {
        needs.fixed[static_cast<std::size_t>(m_codes)] = true;
    }

private:
    int m_codes;
    std::vector<std::uint8_t> m_truths;
    std::uint8_t m_missing;
};

class CodesTest final : public TestNode
{
public:
    CodesTest(int left, int right, Index count, Comparison comparison)
        : m_left(left), m_right(right), m_count(count), m_truths(truthsOf(comparison))
    {
    }
    Result<void> evaluate(BlockRows& rows, Truths& out) const override
    {
        Numbers codes[2];
        for (const int side : {0, 1}) {
            auto read = rows.fixed(side == 0 ? m_left : m_right);
            if (!read)
                return std::move(read).error();
            fillNumbers(read->type, read->values, rows.count(), codes[side]);
            codes[side].toReal();
        }
        out.resize(at(rows.count()));
        const auto known = [this](double code) {
            return code >= 0 && code < static_cast<double>(m_count);
        };
        for (std::size_t i = 0; i < out.size(); ++i) {
            const double a = codes[0].real[i];
            const double b = codes[1].real[i];
            out[i] = known(a) && known(b)
                       ? m_truths[static_cast<std::size_t>(compareExactly(a, b) + 1)]
                       : kUnknown;
        }
        return {};
    }
    void addNeeds(Needs& needs) const override
    {
        needs.fixed[static_cast<std::size_t>(m_left)] = true;
        needs.fixed[static_cast<std::size_t>(m_right)] = true;
    }

private:
    int m_left;
    int m_right;
    Index m_count;
    std::array<std::uint8_t, 3> m_truths;
};

class TestsTest final : public TestNode
{
public:
    TestsTest(TestPointer left, Comparison comparison, TestPointer right)
        : m_left(std::move(left)), m_equal(comparison == Comparison::Equal),
          m_right(std::move(right))
    {
    }
    Result<void> evaluate(BlockRows& rows, Truths& out) const override
    {
        Truths right;
        if (auto done = m_left->evaluate(rows, out); !done)
            return done;
        if (auto done = m_right->evaluate(rows, right); !done)
            return done;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const bool known = out[i] != kUnknown && right[i] != kUnknown;
            out[i] = known ? truthOf((out[i] == right[i]) == m_equal) : kUnknown;
        }
        return {};
    }
    void addNeeds(Needs& needs) const override
    {
        m_left->addNeeds(needs);
        m_right->addNeeds(needs);
    }

private:
    TestPointer m_left;
    bool m_equal;
    TestPointer m_right;
};

// Filled is Numbers, Texts or Truths.
template <typename Pointer, typename Filled>
class MissingTest final : public TestNode
{
public:
    explicit MissingTest(Pointer value) : m_value(std::move(value)) {}
    Result<void> evaluate(BlockRows& rows, Truths& out) const override
    {
        Filled values;
        if (auto done = m_value->evaluate(rows, values); !done)
            return done;
        out.resize(at(rows.count()));
        for (std::size_t i = 0; i < out.size(); ++i) {
            if constexpr (std::is_same_v<Filled, Truths>)
                out[i] = truthOf(values[i] == kUnknown);
            else
                out[i] = truthOf(values.isMissing(i));
        }
        return {};
    }
    void addNeeds(Needs& needs) const override { m_value->addNeeds(needs); }

private:
    Pointer m_value;
};

class SelectionTest final : public TestNode
{
public:
    explicit SelectionTest(IndexSet rows) : m_rows(std::move(rows)) {}
    Result<void> evaluate(BlockRows& rows, Truths& out) const override
    {
        out.clear();
        out.reserve(at(rows.count()));
        rows.positions().forEach(
            [&](Index position) { out.push_back(truthOf(m_rows.contains(position))); });
        return {};
    }
    void addNeeds(Needs&) const override {}

private:
    IndexSet m_rows;
};

} // namespace

Result<void> JunctionNode::join(Kind kind, const std::vector<const TestNode*>& parts,
                                BlockRows& rows, Truths& out)
{
    const std::uint8_t settled = kind == Kind::And ? kNo : kYes;
    Truths next;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        if (k > 0 && std::all_of(out.begin(), out.end(),
                                 [settled](std::uint8_t truth) { return truth == settled; }))
            return {};
        if (auto done = parts[k]->evaluate(rows, k == 0 ? out : next); !done)
            return done;
        if (k == 0)
            continue;
        if (kind == Kind::And) {
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = std::min(out[i], next[i]);
        } else {
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = std::max(out[i], next[i]);
        }
    }
    return {};
}

Result<void> JunctionNode::evaluate(BlockRows& rows, Truths& out) const
{
    std::vector<const TestNode*> parts;
    for (const TestPointer& part : m_parts)
        parts.push_back(part.get());
    return join(m_kind, parts, rows, out);
}

void JunctionNode::addNeeds(Needs& needs) const
{
    for (const TestPointer& part : m_parts)
        part->addNeeds(needs);
}

Result<void> NotNode::evaluate(BlockRows& rows, Truths& out) const
{
    if (auto done = m_inner->evaluate(rows, out); !done)
        return done;
    for (std::uint8_t& truth : out)
        truth = static_cast<std::uint8_t>(kYes - truth);
    return {};
}

TestPointer constantTest(bool value) { return std::make_unique<ConstantTest>(value); }

TestPointer booleanTest(int source, std::optional<int> mask)
{
    return std::make_unique<BooleanTest>(source, mask);
}

TestPointer categoryTest(int codes, std::vector<std::uint8_t> truths, std::uint8_t missing)
{
    return std::make_unique<CategoryTest>(codes, std::move(truths), missing);
}

TestPointer codesTest(int left, int right, Index count, Comparison comparison)
{
    return std::make_unique<CodesTest>(left, right, count, comparison);
}

TestPointer testsTest(TestPointer left, Comparison comparison, TestPointer right)
{
    return std::make_unique<TestsTest>(std::move(left), comparison, std::move(right));
}

TestPointer missingTest(NumberPointer value)
{
    return std::make_unique<MissingTest<NumberPointer, Numbers>>(std::move(value));
}

TestPointer missingTest(TextPointer value)
{
    return std::make_unique<MissingTest<TextPointer, Texts>>(std::move(value));
}

TestPointer missingTest(TestPointer value)
{
    return std::make_unique<MissingTest<TestPointer, Truths>>(std::move(value));
}

TestPointer selectionTest(IndexSet rows)
{
    return std::make_unique<SelectionTest>(std::move(rows));
}

TestPointer notTest(TestPointer inner) { return std::make_unique<NotNode>(std::move(inner)); }

TestPointer junction(JunctionNode::Kind kind, std::vector<TestPointer> parts,
                     const Sources& sources)
{
    std::stable_sort(parts.begin(), parts.end(),
                     [&sources](const TestPointer& a, const TestPointer& b) {
                         Needs ofA(sources);
                         Needs ofB(sources);
                         a->addNeeds(ofA);
                         b->addNeeds(ofB);
                         return costOf(ofA) < costOf(ofB);
                     });
    return std::make_unique<JunctionNode>(kind, std::move(parts));
}

} // namespace cellfolio::query
