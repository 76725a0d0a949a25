// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/number_nodes.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace cellfolio::query {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
int threeWay(T a, T b) noexcept
{
    return a < b ? -1 : a > b ? 1 : 0;
}

// A value of a column in the form it is compared in.
template <typename T>
auto widened(T value) noexcept
{
    if constexpr (std::is_same_v<T, Flag>)
        return std::int64_t{value.byte != 0};
    else if constexpr (std::is_same_v<T, Half>)
        return toDouble(value);
    else if constexpr (std::is_floating_point_v<T>)
        return static_cast<double>(value);
    else if constexpr (std::is_same_v<T, std::uint64_t>)
        return value;
    else
        return static_cast<std::int64_t>(value);
}

// The nearest number with so many binary digits and no exponent below `lowest`.
double roundedTo(int digits, int lowest, double value)
{
    int exponent = 0;
    (void)std::frexp(value, &exponent);
    const double unit = std::ldexp(1.0, std::max(exponent, lowest) - digits);
    return std::nearbyint(value / unit) * unit;
}

class ConstantNumber final : public NumberNode
{
public:
    explicit ConstantNumber(Numeral number) : m_number(number) {}
    Result<void> evaluate(BlockRows& rows, Numbers& out) const override
    {
        const std::size_t n = at(rows.count());
        out.missing.clear();
        std::visit(Overloaded{[&](std::int64_t value) {
                                  out.form = Numbers::Form::Signed;
                                  out.whole.assign(n, value);
                              },
                              [&](std::uint64_t value) {
                                  out.form = Numbers::Form::Unsigned;
                                  out.large.assign(n, value);
                              },
                              [&](double value) {
                                  out.form = Numbers::Form::Real;
                                  out.real.assign(n, value);
                              }},
                   m_number);
        return {};
    }
    void addNeeds(Needs&) const override {}

private:
    Numeral m_number;
};

void setMissing(Numbers& out, std::size_t i)
{
    if (out.form == Numbers::Form::Real) {
        out.real[i] = kNan;
        return;
    }
    if (out.missing.empty())
        out.missing.assign(out.form == Numbers::Form::Signed ? out.whole.size() : out.large.size(),
                           0);
    out.missing[i] = 1;
}

class FixedNumber final : public NumberNode
{
public:
    FixedNumber(int source, std::optional<int> mask) : m_source(source), m_mask(mask) {}
    Result<void> evaluate(BlockRows& rows, Numbers& out) const override
    {
        auto values = rows.fixed(m_source);
        if (!values)
            return std::move(values).error();
        fillNumbers(values->type, values->values, rows.count(), out);
        if (!m_mask)
            return {};
        auto mask = rows.fixed(*m_mask);
        if (!mask)
            return std::move(mask).error();
        visitReal(mask->type, [&]<typename T>(const T*) {
            const T* marks = reinterpret_cast<const T*>(mask->values);
            for (std::size_t i = 0; i < at(rows.count()); ++i) {
                if (toDouble(marks[i]) != 0)
                    setMissing(out, i);
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

class ColumnNumber final : public NumberNode
{
public:
    explicit ColumnNumber(int source) : m_source(source) {}
    Result<void> evaluate(BlockRows& rows, Numbers& out) const override
    {
        auto values = rows.column(m_source);
        if (!values)
            return std::move(values).error();
        const Values& from = (*values)->values;
        fillNumbers(from.type(), from.data(), rows.count(), out);
        for (Index i = 0; from.hasMissing() && i < rows.count(); ++i) {
            if (from.isMissing(i))
                setMissing(out, at(i));
        }
        return {};
    }
    void addNeeds(Needs& needs) const override
    {
        needs.columns[static_cast<std::size_t>(m_source)] = true;
    }

private:
    int m_source;
};

class MatrixNumber final : public NumberNode
{
public:
    explicit MatrixNumber(Sources::MatrixPlace place) : m_place(place) {}
    Result<void> evaluate(BlockRows& rows, Numbers& out) const override
    {
        const BlockRows::Fixed values = rows.matrix(m_place.matrix, m_place.column);
        fillNumbers(values.type, values.values, rows.count(), out);
        return {};
    }
    void addNeeds(Needs& needs) const override
    {
        needs.matrices[static_cast<std::size_t>(m_place.matrix)]
                      [static_cast<std::size_t>(m_place.column)] = true;
    }

private:
    Sources::MatrixPlace m_place;
};

class CategoryNumber final : public NumberNode
{
public:
    CategoryNumber(int codes, std::shared_ptr<const Values> categories)
        : m_codes(codes), m_count(categories->size())
    {
        fillNumbers(categories->type(), categories->data(), m_count, m_values);
    }
    Result<void> evaluate(BlockRows& rows, Numbers& out) const override
    {
        auto codes = rows.fixed(m_codes);
        if (!codes)
            return std::move(codes).error();
        const std::size_t n = at(rows.count());
        out.form = m_values.form;
        out.missing.clear();
        out.real.resize(m_values.form == Numbers::Form::Real ? n : 0);
        out.whole.resize(m_values.form == Numbers::Form::Signed ? n : 0);
        out.large.resize(m_values.form == Numbers::Form::Unsigned ? n : 0);
        visitReal(codes->type, [&]<typename T>(const T*) {
            const T* from = reinterpret_cast<const T*>(codes->values);
            for (std::size_t i = 0; i < n; ++i) {
                const double code = toDouble(from[i]);
                if (!(code >= 0 && code < static_cast<double>(m_count))) {
                    setMissing(out, i);
                    continue;
                }
                const auto k = static_cast<std::size_t>(code);
                if (m_values.form == Numbers::Form::Real)
                    out.real[i] = m_values.real[k];
                else if (m_values.form == Numbers::Form::Signed)
                    out.whole[i] = m_values.whole[k];
                else
                    out.large[i] = m_values.large[k];
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
    Index m_count;
    Numbers m_values;
};

class Negated final : public NumberNode
{
public:
    explicit Negated(NumberPointer inner) : m_inner(std::move(inner)) {}
    Result<void> evaluate(BlockRows& rows, Numbers& out) const override
    {
        if (auto done = m_inner->evaluate(rows, out); !done)
            return done;
        out.toReal();
        for (double& value : out.real)
            value = -value;
        return {};
    }
    void addNeeds(Needs& needs) const override { m_inner->addNeeds(needs); }

private:
    NumberPointer m_inner;
};

class Arithmetic final : public NumberNode
{
public:
    Arithmetic(NodeKind kind, NumberPointer left, NumberPointer right)
        : m_kind(kind), m_left(std::move(left)), m_right(std::move(right))
    {
    }
    Result<void> evaluate(BlockRows& rows, Numbers& out) const override
    {
        Numbers right;
        if (auto done = m_left->evaluate(rows, out); !done)
            return done;
        if (auto done = m_right->evaluate(rows, right); !done)
            return done;
        out.toReal();
        right.toReal();
        const std::size_t n = out.real.size();
        const double* b = right.real.data();
        double* a = out.real.data();
        switch (m_kind) {
        case NodeKind::Add:
            for (std::size_t i = 0; i < n; ++i)
                a[i] += b[i];
            break;
        case NodeKind::Subtract:
            for (std::size_t i = 0; i < n; ++i)
                a[i] -= b[i];
            break;
        case NodeKind::Multiply:
            for (std::size_t i = 0; i < n; ++i)
                a[i] *= b[i];
            break;
        default:
            for (std::size_t i = 0; i < n; ++i)
                a[i] /= b[i];
            break;
        }
        return {};
    }
    void addNeeds(Needs& needs) const override
    {
        m_left->addNeeds(needs);
        m_right->addNeeds(needs);
    }

private:
    NodeKind m_kind;
    NumberPointer m_left;
    NumberPointer m_right;
};

class Called final : public NumberNode
{
public:
    Called(Function function, std::vector<NumberPointer> arguments)
        : m_function(function), m_arguments(std::move(arguments))
    {
    }
    Result<void> evaluate(BlockRows& rows, Numbers& out) const override
    {
        if (auto done = m_arguments.front()->evaluate(rows, out); !done)
            return done;
        out.toReal();
        if (m_function == Function::Min || m_function == Function::Max)
            return extremes(rows, out);
        const auto each = [&out](auto&& f) {
            for (double& value : out.real)
                value = f(value);
        };
        switch (m_function) {
        case Function::Log: each([](double x) { return std::log(x); }); break;
        case Function::Log1p: each([](double x) { return std::log1p(x); }); break;
        case Function::Log2: each([](double x) { return std::log2(x); }); break;
        case Function::Log10: each([](double x) { return std::log10(x); }); break;
        case Function::Exp: each([](double x) { return std::exp(x); }); break;
        case Function::Sqrt: each([](double x) { return std::sqrt(x); }); break;
        case Function::Abs: each([](double x) { return std::abs(x); }); break;
        // Halves go to the even neighbour, as in NumPy.
        case Function::Round: each([](double x) { return std::nearbyint(x); }); break;
        case Function::Min:
        case Function::Max: break;
        }
        return {};
    }
    void addNeeds(Needs& needs) const override
    {
        for (const NumberPointer& argument : m_arguments)
            argument->addNeeds(needs);
    }

private:
    // Missing where any of the values is.
    Result<void> extremes(BlockRows& rows, Numbers& out) const
    {
        Numbers other;
        for (std::size_t k = 1; k < m_arguments.size(); ++k) {
            if (auto done = m_arguments[k]->evaluate(rows, other); !done)
                return done;
            other.toReal();
            for (std::size_t i = 0; i < out.real.size(); ++i) {
                const double a = out.real[i];
                const double b = other.real[i];
                const bool first = std::isnan(a) || (m_function == Function::Min ? a <= b : a >= b);
                out.real[i] = first ? a : b;
            }
        }
        return {};
    }

    Function m_function;
    std::vector<NumberPointer> m_arguments;
};

class Aggregated final : public NumberNode
{
public:
    explicit Aggregated(int number) : m_number(number) {}
    Result<void> evaluate(BlockRows& rows, Numbers& out) const override
    {
        out.form = Numbers::Form::Real;
        out.missing.clear();
        out.real.assign(at(rows.count()), rows.aggregate(m_number));
        return {};
    }
    void addNeeds(Needs&) const override {}

private:
    int m_number;
};

} // namespace

int compareExactly(std::int64_t a, std::int64_t b) noexcept { return threeWay(a, b); }
int compareExactly(std::uint64_t a, std::uint64_t b) noexcept { return threeWay(a, b); }
int compareExactly(double a, double b) noexcept { return threeWay(a, b); }

int compareExactly(std::int64_t a, std::uint64_t b) noexcept
{
    return a < 0 ? -1 : threeWay(static_cast<std::uint64_t>(a), b);
}

int compareExactly(std::int64_t a, double b) noexcept
{
    // Written so that NaN ends here too: its conversion would have no meaning.
    if (!(b < 0x1p63))
        return -1;
    if (b < -0x1p63)
        return 1;
    const double whole = std::trunc(b);
    const int order = threeWay(a, static_cast<std::int64_t>(whole));
    return order != 0 ? order : threeWay(whole, b);
}

int compareExactly(std::uint64_t a, double b) noexcept
{
    if (!(b < 0x1p64))
        return -1;
    if (b < 0)
        return 1;
    const double whole = std::trunc(b);
    const int order = threeWay(a, static_cast<std::uint64_t>(whole));
    return order != 0 ? order : threeWay(whole, b);
}

int compareExactly(std::uint64_t a, std::int64_t b) noexcept { return -compareExactly(b, a); }
int compareExactly(double a, std::int64_t b) noexcept { return -compareExactly(b, a); }
int compareExactly(double a, std::uint64_t b) noexcept { return -compareExactly(b, a); }

int compareExactly(const Numeral& a, const Numeral& b) noexcept
{
    return std::visit([](auto x, auto y) { return compareExactly(x, y); }, a, b);
}

double toReal(const Numeral& number) noexcept
{
    return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

Numeral inPrecisionOf(DType type, const Numeral& number)
{
    if (type != DType::Float32 && type != DType::Float16)
        return number;
    const double value = toReal(number);
    if (!std::isfinite(value) || value == 0)
        return number;
    const double near =
        type == DType::Float32 ? roundedTo(24, -125, value) : roundedTo(11, -13, value);
    const double largest = type == DType::Float32 ? 0x1.fffffep127 : 65504.0;
    return std::abs(near) > largest ? number : Numeral(near);
}

void Numbers::toReal()
{
    if (form == Form::Real)
        return;
    const auto convert = [this](const auto& from) {
        real.resize(from.size());
        for (std::size_t i = 0; i < from.size(); ++i)
            real[i] = static_cast<double>(from[i]);
    };
    if (form == Form::Signed)
        convert(whole);
    else
        convert(large);
    for (std::size_t i = 0; i < missing.size(); ++i) {
        if (missing[i] != 0)
            real[i] = kNan;
    }
    form = Form::Real;
}

void fillNumbers(DType type, const std::byte* values, Index count, Numbers& out)
{
    out.missing.clear();
    visitReal(type, [&]<typename T>(const T*) {
        using Wide = decltype(widened(T{}));
        const T* from = reinterpret_cast<const T*>(values);
        const auto fill = [&](auto& into) {
            into.resize(at(count));
            for (Index i = 0; i < count; ++i)
                into[at(i)] = widened(from[i]);
        };
        if constexpr (std::is_same_v<Wide, double>) {
            out.form = Numbers::Form::Real;
            fill(out.real);
        } else if constexpr (std::is_same_v<Wide, std::int64_t>) {
            out.form = Numbers::Form::Signed;
            fill(out.whole);
        } else {
            out.form = Numbers::Form::Unsigned;
            fill(out.large);
        }
    });
}

NumberPointer constantNumber(Numeral number) { return std::make_unique<ConstantNumber>(number); }

NumberPointer fixedNumber(int source, std::optional<int> mask)
{
    return std::make_unique<FixedNumber>(source, mask);
}

NumberPointer columnNumber(int source) { return std::make_unique<ColumnNumber>(source); }

NumberPointer matrixNumber(Sources::MatrixPlace place)
{
    return std::make_unique<MatrixNumber>(place);
}

NumberPointer categoryNumber(int codes, std::shared_ptr<const Values> categories)
{
    return std::make_unique<CategoryNumber>(codes, std::move(categories));
}

NumberPointer negated(NumberPointer inner) { return std::make_unique<Negated>(std::move(inner)); }

NumberPointer arithmetic(NodeKind kind, NumberPointer left, NumberPointer right)
{
    return std::make_unique<Arithmetic>(kind, std::move(left), std::move(right));
}

NumberPointer called(Function function, std::vector<NumberPointer> arguments)
{
    return std::make_unique<Called>(function, std::move(arguments));
}

NumberPointer aggregated(int number) { return std::make_unique<Aggregated>(number); }

} // namespace cellfolio::query
