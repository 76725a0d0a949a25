// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/filter_expression.h"

#include "core/base/text.h"
#include "core/query/lexer.h"
#include "core/query/syntax.h"
#include "core/query/text_nodes.h"
#include "core/query/token_cursor.h"

#include <array>
#include <optional>

// Recursive descent, one function a level of binding:
//     or < and < not < test < + - < * / < minus < value
// Tests and values share one grammar, so that a parenthesis may hold either; which one is due
// where is for the check against a file to say, which knows the columns.

namespace cellfolio {
namespace query {
namespace {

constexpr int kDeepest = 300;                       // parentheses, minus signs and nots within
constexpr std::size_t kLongest = std::size_t{16} << 20; // bytes of an expression

using Parsed = Result<NodePointer>;

struct FunctionName {
    std::string_view name;
    std::optional<Function> function;
    std::optional<Aggregate> aggregate;
};
constexpr std::array<FunctionName, 14> kFunctions{{
    {"log", Function::Log, {}}, {"log1p", Function::Log1p, {}}, {"log2", Function::Log2, {}},
    {"log10", Function::Log10, {}}, {"exp", Function::Exp, {}}, {"sqrt", Function::Sqrt, {}},
    {"abs", Function::Abs, {}}, {"round", Function::Round, {}},
    {"min", Function::Min, Aggregate::Min}, {"max", Function::Max, Aggregate::Max},
    {"mean", {}, Aggregate::Mean}, {"sd", {}, Aggregate::Sd}, {"median", {}, Aggregate::Median},
    {"quantile", {}, Aggregate::Quantile},
}};

class Parser : private TokenCursor
{
public:
    explicit Parser(std::vector<Token> tokens) : TokenCursor(std::move(tokens)) {}

    Parsed run()
    {
        if (here().kind == TokenKind::End)
            return Error(fault("The expression is empty.", here()))
                .advise("Such as n_genes > 500 and cell_type == \"T cell\".");
        auto root = disjunction();
        if (!root)
            return root;
        if (here().kind != TokenKind::End)
            return leftOver();
        return root;
    }

private:
    Error leftOver() const
    {
        const Token& token = here();
        if (token.kind == TokenKind::Symbol && token.text == ")")
            return fault("A parenthesis is closed that was not opened.", token);
        if (token.kind == TokenKind::Word) {
            std::string lower;
            for (const char c : token.text)
                lower.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
            if (lower != token.text && isReservedWord(lower))
                return Error(fault("\"" + token.text + "\" is no word of the language.", token))
                    .advise("Write " + lower + ".")
                    .suggest({lower});
        }
        return Error(fault("The expression ends before " + shown(token)
                               + ": and, or, or a comparison is due here.",
                           token))
            .advise(token.kind == TokenKind::Word && !isReservedWord(token.text)
                        ? "A column with a space in its name stands in backticks: `odd name`."
                        : "");
    }

    // Counts how deep the grammar is nested, so that no text can exhaust the stack.
    struct Nesting {
        explicit Nesting(int& depth) : m_depth(++depth), m_back(depth) {}
        ~Nesting() { --m_back; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;
        int m_depth;
        int& m_back;
    };
    Error tooDeep() const
    {
        return fault("The expression is nested too deeply.", here());
    }

    Parsed disjunction() { return joined("or", NodeKind::Or, &Parser::conjunction); }
    Parsed conjunction() { return joined("and", NodeKind::And, &Parser::negation); }

    Parsed joined(std::string_view word, NodeKind kind, Parsed (Parser::*part)())
    {
        auto first = (this->*part)();
        if (!first || !isWord(word))
            return first;
        NodePointer node = make(kind, (*first)->offset);
        node->children.push_back(std::move(*first));
        while (takeWord(word)) {
            auto next = (this->*part)();
            if (!next)
                return next;
            node->children.push_back(std::move(*next));
        }
        return closed(std::move(node));
    }

    Parsed negation()
    {
        const Nesting nesting(m_depth);
        if (nesting.m_depth > kDeepest)
            return tooDeep();
        const Index offset = here().offset;
        if (!takeWord("not"))
            return test();
        auto inner = negation();
        if (!inner)
            return inner;
        NodePointer node = make(NodeKind::Not, offset);
        node->children.push_back(std::move(*inner));
        return closed(std::move(node));
    }

    static std::optional<Comparison> comparisonOf(const Token& token)
    {
        if (token.kind != TokenKind::Symbol)
            return std::nullopt;
        constexpr std::pair<std::string_view, Comparison> kAll[] = {
            {"==", Comparison::Equal},     {"!=", Comparison::NotEqual},
            {"<", Comparison::Less},       {"<=", Comparison::LessEqual},
            {">", Comparison::Greater},    {">=", Comparison::GreaterEqual}};
        for (const auto& [text, comparison] : kAll) {
            if (token.text == text)
                return comparison;
        }
        return std::nullopt;
    }

    Parsed test()
    {
        auto value = sum();
        if (!value)
            return value;
        auto tested = testOf(std::move(*value));
        if (!tested)
            return tested;
        if ((*tested)->kind == NodeKind::Compare && comparisonOf(here()))
            return Error(fault("Comparisons do not chain.", here()))
                .advise("Write `x between 1 and 5`, or join two comparisons with and.");
        return tested;
    }

    Parsed testOf(NodePointer value)
    {
        const Index offset = value->offset;
        const auto start = [&](NodeKind kind) {
            NodePointer node = make(kind, offset);
            node->children.push_back(std::move(value));
            return node;
        };
        if (const auto comparison = comparisonOf(here())) {
            ++m_at;
            NodePointer node = start(NodeKind::Compare);
            node->comparison = *comparison;
            auto right = sum();
            if (!right)
                return right;
            node->children.push_back(std::move(*right));
            return closed(std::move(node));
        }
        if (takeWord("is")) {
            NodePointer node = start(NodeKind::IsMissing);
            node->negated = takeWord("not");
            if (!takeWord("missing"))
                return Error(due("The word missing"))
                    .advise("Such as batch is missing, or batch is not missing.");
            return closed(std::move(node));
        }
        const bool negated = isWord("not");
        const std::size_t before = m_at;
        if (negated)
            ++m_at;
        auto found = negatable(value, start);
        if (!found)
            return found;
        if (*found) {
            (*found)->negated = negated;
            return found;
        }
        m_at = before;
        if (negated) {
            ++m_at;
            return Error(due("A test"))
                .advise("Behind not stand in, between, contains, startswith, endswith or ~; or "
                        "write not before the whole comparison.");
        }
        return Parsed(std::move(value));
    }

    // The tests that may stand behind "not"; null where none is here.
    template <typename Start>
    Parsed negatable(NodePointer& value, const Start& start)
    {
        if (takeWord("between")) {
            NodePointer node = start(NodeKind::Between);
            for (const std::string_view joint : {"and", ""}) {
                auto bound = sum();
                if (!bound)
                    return bound;
                node->children.push_back(std::move(*bound));
                if (!joint.empty() && !takeWord(joint))
                    return due("The \"and\" of between");
            }
            return closed(std::move(node));
        }
        if (takeWord("in"))
            return isWord("file") ? inFile(start(NodeKind::InFile))
                                  : inList(start(NodeKind::InList));
        if (isSymbol("~") || isSymbol("~*")) {
            const bool ignoreCase = isSymbol("~*");
            ++m_at;
            NodePointer node = start(NodeKind::Matches);
            node->ignoreCase = ignoreCase;
            return regular(std::move(node));
        }
        constexpr std::pair<std::string_view, NodeKind> kWords[] = {
            {"contains", NodeKind::Contains},
            {"startswith", NodeKind::StartsWith},
            {"endswith", NodeKind::EndsWith}};
        for (const auto& [word, kind] : kWords) {
            if (!takeWord(word))
                continue;
            NodePointer node = start(kind);
            if (here().kind != TokenKind::Text)
                return due("A text in double quotes");
            node->text = here().text;
            ++m_at;
            return closed(std::move(node));
        }
        (void)value;
        return NodePointer();
    }

    Parsed regular(NodePointer node)
    {
        if (here().kind != TokenKind::Text)
            return due("A regular expression in double quotes");
        if (auto pattern = TextPattern::regular(here().text, node->ignoreCase); !pattern)
            return std::move(pattern).error().atOffset(here().offset);
        node->text = here().text;
        ++m_at;
        return closed(std::move(node));
    }

    Parsed inFile(NodePointer node)
    {
        ++m_at;
        if (!takeSymbol("("))
            return due("A path in parentheses, such as file(\"genes.txt\"),");
        if (here().kind != TokenKind::Text || here().text.empty())
            return due("The path of a file in double quotes");
        node->text = here().text;
        ++m_at;
        if (!takeSymbol(")"))
            return due("A closing parenthesis");
        return closed(std::move(node));
    }

    Parsed inList(NodePointer node)
    {
        const Token& opening = here();
        if (!takeSymbol("["))
            return Error(due("A list in brackets"))
                .advise("Such as in [\"a\", \"b\"] or in file(\"names.txt\").");
        while (!takeSymbol("]")) {
            if (here().kind == TokenKind::End)
                return fault("A bracket is opened and not closed.", opening);
            auto item = literal();
            if (!item)
                return item;
            node->children.push_back(std::move(*item));
            if (!isSymbol("]") && !takeSymbol(",") && here().kind != TokenKind::End)
                return due("A comma or a closing bracket");
        }
        return closed(std::move(node));
    }

    Parsed literal()
    {
        const Token& token = here();
        const bool minus = takeSymbol("-");
        if (here().kind == TokenKind::Number) {
            NodePointer node = make(NodeKind::Number, token.offset);
            node->number = minus ? negative(numberOf(here().text)) : numberOf(here().text);
            ++m_at;
            return closed(std::move(node));
        }
        if (!minus && here().kind == TokenKind::Text) {
            NodePointer node = make(NodeKind::Text, token.offset);
            node->text = here().text;
            ++m_at;
            return closed(std::move(node));
        }
        if (!minus && (isWord("true") || isWord("false"))) {
            NodePointer node = make(NodeKind::Boolean, token.offset);
            node->truth = isWord("true");
            ++m_at;
            return closed(std::move(node));
        }
        return Error(due("A number, a text in double quotes, true or false"))
            .advise(here().kind == TokenKind::Word ? "Text stands in double quotes: \""
                                                         + here().text + "\"."
                                                   : "");
    }

    Parsed sum()
    {
        return chained({{"+", NodeKind::Add}, {"-", NodeKind::Subtract}}, &Parser::product);
    }
    Parsed product()
    {
        return chained({{"*", NodeKind::Multiply}, {"/", NodeKind::Divide}}, &Parser::signedValue);
    }

    Parsed chained(std::initializer_list<std::pair<std::string_view, NodeKind>> operators,
                   Parsed (Parser::*part)())
    {
        auto left = (this->*part)();
        if (!left)
            return left;
        int length = 0;
        for (;;) {
            const auto* taken = operators.end();
            for (const auto* candidate = operators.begin(); candidate != operators.end();
                 ++candidate) {
                if (taken == operators.end() && takeSymbol(candidate->first))
                    taken = candidate;
            }
            if (taken == operators.end())
                return left;
            // Each operator makes the tree one deeper, and trees are walked by recursion.
            if (++length > kDeepest)
                return tooDeep();
            NodePointer node = make(taken->second, (*left)->offset);
            auto right = (this->*part)();
            if (!right)
                return right;
            node->children.push_back(std::move(*left));
            node->children.push_back(std::move(*right));
            left = closed(std::move(node));
        }
    }

    Parsed signedValue()
    {
        const Nesting nesting(m_depth);
        if (nesting.m_depth > kDeepest)
            return tooDeep();
        const Index offset = here().offset;
        if (!isSymbol("-"))
            return value();
        if (ahead().kind == TokenKind::Number)
            return literal();
        ++m_at;
        auto inner = signedValue();
        if (!inner)
            return inner;
        NodePointer node = make(NodeKind::Negate, offset);
        node->children.push_back(std::move(*inner));
        return closed(std::move(node));
    }

    Parsed value()
    {
        const Token token = here();
        switch (token.kind) {
        case TokenKind::Number:
        case TokenKind::Text:
            return literal();
        case TokenKind::Quoted: {
            ++m_at;
            NodePointer node = make(NodeKind::Column, token.offset);
            node->text = token.text;
            return closed(std::move(node));
        }
        case TokenKind::Word:
            return word(token);
        case TokenKind::Symbol:
            if (takeSymbol("(")) {
                const Nesting nesting(m_depth);
                if (nesting.m_depth > kDeepest)
                    return tooDeep();
                auto inner = disjunction();
                if (!inner)
                    return inner;
                if (here().kind == TokenKind::End)
                    return fault("A parenthesis is opened and not closed.", token);
                if (!takeSymbol(")"))
                    return leftOver();
                return inner;
            }
            break;
        case TokenKind::End:
            break;
        }
        return due("A column or a value");
    }

    Parsed word(const Token& token)
    {
        if (token.text == "true" || token.text == "false")
            return literal();
        if (token.text == "name") {
            ++m_at;
            return closed(make(NodeKind::RowName, token.offset));
        }
        constexpr std::pair<std::string_view, NodeKind> kCalls[] = {
            {"gene", NodeKind::Gene}, {"raw", NodeKind::Raw}, {"layer", NodeKind::Layer},
            {"obsm", NodeKind::Obsm}, {"selection", NodeKind::Selection}};
        for (const auto& [name, kind] : kCalls) {
            if (token.text == name)
                return named(token, kind);
        }
        for (const FunctionName& function : kFunctions) {
            if (token.text == function.name)
                return call(token, function);
        }
        if (isReservedWord(token.text))
            return Error(due("A column or a value"))
                .advise("A column of that name stands in backticks: `" + token.text + "`.");
        ++m_at;
        if (isSymbol("("))
            return unknownFunction(token);
        NodePointer node = make(NodeKind::Column, token.offset);
        node->text = token.text;
        return closed(std::move(node));
    }

    static Error unknownFunction(const Token& token)
    {
        std::vector<std::string> names{"gene", "raw", "layer", "obsm", "selection"};
        for (const FunctionName& function : kFunctions)
            names.emplace_back(function.name);
        auto near = nearest(token.text, names);
        return Error(fault("\"" + token.text + "\" is not a function.", token))
            .advise(near.empty() ? "" : "Did you mean " + near.front() + "?")
            .suggest(near);
    }

    Result<void> opened(const Token& token, const std::string& example)
    {
        ++m_at;
        if (takeSymbol("("))
            return {};
        return Error(due("A parenthesis behind " + token.text))
            .advise("Such as " + example + "; a column of that name stands in backticks: `"
                    + token.text + "`.");
    }

    // gene("N"), raw("N"), layer("L", "N"), obsm("KEY", column), selection("NAME")
    Parsed named(const Token& token, NodeKind kind)
    {
        const bool two = kind == NodeKind::Layer || kind == NodeKind::Obsm;
        const std::string example = kind == NodeKind::Layer  ? "layer(\"counts\", \"GAPDH\")"
                                  : kind == NodeKind::Obsm ? "obsm(\"X_umap\", 0)"
                                                             : token.text + "(\"NAME\")";
        if (auto open = opened(token, example); !open)
            return std::move(open).error();
        NodePointer node = make(kind, token.offset);
        const auto text = [&](std::string& into) -> Result<void> {
            if (here().kind != TokenKind::Text)
                return Error(due("A name in double quotes")).advise("Such as " + example + ".");
            into = here().text;
            ++m_at;
            return {};
        };
        if (auto read = text(two ? node->more : node->text); !read)
            return std::move(read).error();
        if (two) {
            if (!takeSymbol(","))
                return Error(due("A comma")).advise("Such as " + example + ".");
            if (kind == NodeKind::Obsm && here().kind == TokenKind::Number) {
                node->number = numberOf(here().text);
                if (!std::holds_alternative<std::int64_t>(node->number))
                    return fault("Columns are numbered 0, 1, 2 …", here());
                ++m_at;
            } else {
                node->hasText = true;
                if (auto read = text(node->text); !read)
                    return std::move(read).error();
            }
        }
        if (!takeSymbol(")"))
            return due("A closing parenthesis");
        return closed(std::move(node));
    }

    Parsed call(const Token& token, const FunctionName& function)
    {
        const std::string name(function.name);
        const std::string example = name == "quantile" ? "quantile(n_genes, 0.95)" : name + "(n_genes)";
        if (auto open = opened(token, example); !open)
            return std::move(open).error();
        NodePointer node = make(NodeKind::Call, token.offset);
        do {
            auto argument = sum();
            if (!argument)
                return argument;
            node->children.push_back(std::move(*argument));
        } while (takeSymbol(","));
        if (!takeSymbol(")"))
            return due("A comma or a closing parenthesis");
        const std::size_t count = node->children.size();
        const bool several = function.function && function.aggregate && count > 1; // min, max
        if (function.function && (!function.aggregate || several)) {
            if (!several && count != 1)
                return fault(name + " takes one value.", token);
            node->function = *function.function;
            return closed(std::move(node));
        }
        node->kind = NodeKind::Aggregate;
        node->aggregate = *function.aggregate;
        if (node->aggregate != Aggregate::Quantile) {
            if (count != 1)
                return fault(name + " takes one value.", token);
            return closed(std::move(node));
        }
        if (count != 2 || node->children[1]->kind != NodeKind::Number)
            return Error(fault("quantile takes a value and a number from 0 to 1.", token))
                .advise("Such as " + example + ".");
        node->number = node->children[1]->number;
        const double share = std::visit([](auto n) { return static_cast<double>(n); }, node->number);
        if (!(share >= 0 && share <= 1))
            return Error(ErrorCode::BadUsage, "A quantile lies between 0 and 1.")
                .atOffset(node->children[1]->offset);
        node->number = share;
        node->children.pop_back();
        return closed(std::move(node));
    }

    int m_depth = 0;
};

} // namespace
} // namespace query

Result<FilterExpression> FilterExpression::parse(std::string_view text)
{
    if (text.size() > query::kLongest)
        return Error(ErrorCode::BadUsage, "The expression is longer than 16 MiB.")
            .advise("Long lists belong into a file: name in file(\"names.txt\").");
    auto tokens = tokensOf(text);
    if (!tokens)
        return std::move(tokens).error();
    auto root = query::Parser(std::move(*tokens)).run();
    if (!root)
        return std::move(root).error();
    return FilterExpression(std::string(text),
                            std::shared_ptr<const query::Node>(std::move(*root)));
}

} // namespace cellfolio
