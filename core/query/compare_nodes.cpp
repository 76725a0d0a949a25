// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/number_nodes.h"
#include "core/query/test_nodes.h"

#include <algorithm>

// Tests that compare numbers and texts.

namespace cellfolio::query {
namespace {

// Calls f with the numbers as they are: a vector of double, int64 or uint64.
template <typename F>
void withNumbers(const Numbers& numbers, F&& f)
{
    switch (numbers.form) {
    case Numbers::Form::Real: f(numbers.real); break;
    case Numbers::Form::Signed: f(numbers.whole); break;
    case Numbers::Form::Unsigned: f(numbers.large); break;
    }
}

void markMissing(const Numbers& numbers, Truths& out)
{
    if (numbers.form == Numbers::Form::Real) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (numbers.real[i] != numbers.real[i])
                out[i] = kUnknown;
        }
        return;
    }
    for (std::size_t i = 0; i < numbers.missing.size(); ++i) {
        if (numbers.missing[i] != 0)
            out[i] = kUnknown;
    }
}

class NumberTest final : public TestNode
{
public:
    NumberTest(NumberPointer left, Comparison comparison, Numeral right)
        : m_left(std::move(left)), m_truths(truthsOf(comparison)), m_right(right)
    {
    }
    Result<void> evaluate(BlockRows& rows, Truths& out) const override
    {
        Numbers left;
        if (auto done = m_left->evaluate(rows, left); !done)
            return done;
        out.resize(at(rows.count()));
        withNumbers(left, [&](const auto& values) {
            std::visit(
                [&](auto right) {
                    for (std::size_t i = 0; i < out.size(); ++i)
                        out[i] = m_truths[static_cast<std::size_t>(
                            compareExactly(values[i], right) + 1)];
                },
                m_right);
        });
        markMissing(left, out);
        return {};
    }
    void addNeeds(Needs& needs) const override { m_left->addNeeds(needs); }

private:
    NumberPointer m_left;
    std::array<std::uint8_t, 3> m_truths;
    Numeral m_right;
};

class NumbersTest final : public TestNode
{
public:
    NumbersTest(NumberPointer left, Comparison comparison, NumberPointer right)
        : m_left(std::move(left)), m_truths(truthsOf(comparison)), m_right(std::move(right))
    {
    }
    Result<void> evaluate(BlockRows& rows, Truths& out) const override
    {
        Numbers left;
        Numbers right;
        if (auto done = m_left->evaluate(rows, left); !done)
            return done;
        if (auto done = m_right->evaluate(rows, right); !done)
            return done;
        out.resize(at(rows.count()));
        withNumbers(left, [&](const auto& a) {
            withNumbers(right, [&](const auto& b) {
                for (std::size_t i = 0; i < out.size(); ++i)
                    out[i] = m_truths[static_cast<std::size_t>(compareExactly(a[i], b[i]) + 1)];
            });
        });
        markMissing(left, out);
        markMissing(right, out);
        return {};
    }
    void addNeeds(Needs& needs) const override
    {
        m_left->addNeeds(needs);
        m_right->addNeeds(needs);
    }

private:
    NumberPointer m_left;
    std::array<std::uint8_t, 3> m_truths;
    NumberPointer m_right;
};

class NumberInTest final : public TestNode
{
public:
    NumberInTest(NumberPointer value, std::vector<Numeral> list)
        : m_value(std::move(value)), m_list(std::move(list))
    {
        std::sort(m_list.begin(), m_list.end(),
                  [](const Numeral& a, const Numeral& b) { return compareExactly(a, b) < 0; });
    }
    Result<void> evaluate(BlockRows& rows, Truths& out) const override
    {
        Numbers numbers;
        if (auto done = m_value->evaluate(rows, numbers); !done)
            return done;
        out.resize(at(rows.count()));
        withNumbers(numbers, [&](const auto& values) {
            for (std::size_t i = 0; i < out.size(); ++i) {
                const auto value = values[i];
                const auto order = [value](const Numeral& item) {
                    return std::visit([value](auto n) { return compareExactly(n, value); }, item);
                };
                const auto found =
                    std::partition_point(m_list.begin(), m_list.end(),
                                         [&order](const Numeral& item) { return order(item) < 0; });
                out[i] = truthOf(found != m_list.end() && order(*found) == 0);
            }
        });
        markMissing(numbers, out);
        return {};
    }
    void addNeeds(Needs& needs) const override { m_value->addNeeds(needs); }

private:
    NumberPointer m_value;
    std::vector<Numeral> m_list;
};

class TextsTest final : public TestNode
{
public:
    TextsTest(TextPointer left, Comparison comparison, TextPointer right)
        : m_left(std::move(left)), m_truths(truthsOf(comparison)), m_right(std::move(right))
    {
    }
    Result<void> evaluate(BlockRows& rows, Truths& out) const override
    {
        Texts left;
        Texts right;
        if (auto done = m_left->evaluate(rows, left); !done)
            return done;
        if (auto done = m_right->evaluate(rows, right); !done)
            return done;
        out.resize(at(rows.count()));
        for (std::size_t i = 0; i < out.size(); ++i) {
            // Bytes of UTF-8 order as code points do.
            const int order = left.text[i].compare(right.text[i]);
            out[i] = left.isMissing(i) || right.isMissing(i)
                       ? kUnknown
                       : m_truths[order < 0 ? 0 : order > 0 ? 2 : 1];
        }
        return {};
    }
    void addNeeds(Needs& needs) const override
    {
        m_left->addNeeds(needs);
        m_right->addNeeds(needs);
    }

private:
    TextPointer m_left;
    std::array<std::uint8_t, 3> m_truths;
    TextPointer m_right;
};

// A yes or no for each text by itself.
template <typename Test>
class EachTextTest final : public TestNode
{
public:
    EachTextTest(TextPointer value, Test test) : m_value(std::move(value)), m_test(std::move(test))
    {
    }
    Result<void> evaluate(BlockRows& rows, Truths& out) const override
    {
        Texts texts;
        if (auto done = m_value->evaluate(rows, texts); !done)
            return done;
        out.resize(at(rows.count()));
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = texts.isMissing(i) ? kUnknown : truthOf(m_test(texts.text[i]));
        return {};
    }
    void addNeeds(Needs& needs) const override { m_value->addNeeds(needs); }

private:
    TextPointer m_value;
    Test m_test;
};

template <typename Test>
TestPointer eachText(TextPointer value, Test test)
{
    return std::make_unique<EachTextTest<Test>>(std::move(value), std::move(test));
}

} // namespace

bool holds(Comparison comparison, int order) noexcept
{
    switch (comparison) {
    case Comparison::Equal: return order == 0;
    case Comparison::NotEqual: return order != 0;
    case Comparison::Less: return order < 0;
    case Comparison::LessEqual: return order <= 0;
    case Comparison::Greater: return order > 0;
    case Comparison::GreaterEqual: return order >= 0;
    }
    return false;
}

Comparison turned(Comparison comparison) noexcept
{
    switch (comparison) {
    case Comparison::Less: return Comparison::Greater;
    case Comparison::LessEqual: return Comparison::GreaterEqual;
    case Comparison::Greater: return Comparison::Less;
    case Comparison::GreaterEqual: return Comparison::LessEqual;
    case Comparison::Equal:
    case Comparison::NotEqual: break;
    }
    return comparison;
}

std::array<std::uint8_t, 3> truthsOf(Comparison comparison) noexcept
{
    return {truthOf(holds(comparison, -1)), truthOf(holds(comparison, 0)),
            truthOf(holds(comparison, 1))};
}

TestPointer numberTest(NumberPointer left, Comparison comparison, Numeral right)
{
    return std::make_unique<NumberTest>(std::move(left), comparison, right);
}

TestPointer numbersTest(NumberPointer left, Comparison comparison, NumberPointer right)
{
    return std::make_unique<NumbersTest>(std::move(left), comparison, std::move(right));
}

TestPointer numberInTest(NumberPointer value, std::vector<Numeral> list)
{
    return std::make_unique<NumberInTest>(std::move(value), std::move(list));
}

TestPointer textsTest(TextPointer left, Comparison comparison, TextPointer right)
{
    return std::make_unique<TextsTest>(std::move(left), comparison, std::move(right));
}

TestPointer textInTest(TextPointer value, std::unordered_set<std::string> list)
{
    // Shared, since a closure that is copied would copy the list.
    auto shared = std::make_shared<const std::unordered_set<std::string>>(std::move(list));
    return eachText(std::move(value), [shared](std::string_view text) {
        return shared->find(std::string(text)) != shared->end();
    });
}

TestPointer patternTest(TextPointer value, TextPattern pattern)
{
    return eachText(std::move(value), [pattern = std::move(pattern)](std::string_view text) {
        return pattern.matches(text);
    });
}

} // namespace cellfolio::query
