// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/lexer.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>

namespace cellfolio {
namespace {

constexpr std::array<std::string_view, 33> kReserved{
    "not", "and", "or", "between", "in", "is", "missing", "contains", "startswith", "endswith",
    "true", "false", "name", "file", "gene", "raw", "layer", "obsm", "selection",
    "log", "log1p", "log2", "log10", "exp", "sqrt", "abs", "round", "min", "max",
    "mean", "sd", "median", "quantile"};

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool startsWord(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
        || static_cast<unsigned char>(c) >= 0x80;
}

bool continuesWord(char c)
{
    return startsWord(c) || isDigit(c) || c == '.';
}

Error malformed(std::string message, std::size_t offset)
{
    return Error(ErrorCode::BadUsage, std::move(message)).atOffset(narrow<Index>(offset));
}

class Lexer
{
public:
    explicit Lexer(std::string_view text) : m_text(text) {}

    Result<std::vector<Token>> run()
    {
        std::vector<Token> tokens;
        for (;;) {
            while (m_at < m_text.size()
                   && std::string_view(" \t\r\n").find(m_text[m_at]) != std::string_view::npos)
                ++m_at;
            auto token = next();
            if (!token)
                return std::move(token).error();
            const bool end = token->kind == TokenKind::End;
            tokens.push_back(std::move(*token));
            if (end)
                return tokens;
        }
    }

private:
    Token token(TokenKind kind, std::string text, std::size_t from) const
    {
        return {kind, std::move(text), narrow<Index>(from), narrow<Index>(m_at)};
    }

    Result<Token> next()
    {
        const std::size_t start = m_at;
        if (start == m_text.size())
            return token(TokenKind::End, {}, start);
        const char c = m_text[start];
        if (c == '"')
            return quoted();
        if (c == '`')
            return backticks();
        if (isDigit(c) || (c == '.' && start + 1 < m_text.size() && isDigit(m_text[start + 1])))
            return number();
        if (startsWord(c)) {
            while (m_at < m_text.size() && continuesWord(m_text[m_at]))
                ++m_at;
            return token(TokenKind::Word, std::string(m_text.substr(start, m_at - start)), start);
        }
        return symbol();
    }

    Result<Token> quoted()
    {
        const std::size_t start = m_at;
        std::string text;
        for (++m_at; m_at < m_text.size(); ++m_at) {
            const char c = m_text[m_at];
            if (c == '"') {
                ++m_at;
                return token(TokenKind::Text, std::move(text), start);
            }
            const char behind = m_at + 1 < m_text.size() ? m_text[m_at + 1] : '\0';
            if (c == '\\' && (behind == '"' || behind == '\\')) {
                text.push_back(behind);
                ++m_at;
            } else {
                text.push_back(c);
            }
        }
        return Error(malformed("A double quote is opened and not closed.", start))
            .advise("Close it, or write \\\" for a quote that belongs to the text.");
    }

    Result<Token> backticks()
    {
        const std::size_t start = m_at;
        std::string text;
        for (++m_at; m_at < m_text.size(); ++m_at) {
            if (m_text[m_at] != '`') {
                text.push_back(m_text[m_at]);
                continue;
            }
            if (m_at + 1 < m_text.size() && m_text[m_at + 1] == '`') {
                text.push_back('`');
                ++m_at;
                continue;
            }
            ++m_at;
            return token(TokenKind::Quoted, std::move(text), start);
        }
        return Error(malformed("A backtick is opened and not closed.", start))
            .advise("Names of columns stand between two of them: `odd name`.");
    }

    Result<Token> number()
    {
        const std::size_t start = m_at;
        const auto digits = [this] {
            while (m_at < m_text.size() && isDigit(m_text[m_at]))
                ++m_at;
        };
        digits();
        if (m_at < m_text.size() && m_text[m_at] == '.') {
            ++m_at;
            digits();
        }
        if (m_at < m_text.size() && (m_text[m_at] == 'e' || m_text[m_at] == 'E')) {
            std::size_t behind = m_at + 1;
            if (behind < m_text.size() && (m_text[behind] == '+' || m_text[behind] == '-'))
                ++behind;
            if (behind < m_text.size() && isDigit(m_text[behind])) {
                m_at = behind;
                digits();
            }
        }
        if (m_at < m_text.size() && continuesWord(m_text[m_at])) {
            std::size_t end = m_at;
            while (end < m_text.size() && continuesWord(m_text[end]))
                ++end;
            const std::string word(m_text.substr(start, end - start));
            return Error(malformed("\"" + word + "\" is neither a number nor a word.", start))
                .advise("The name of a column that begins with a digit stands in backticks: `"
                        + word + "`.");
        }
        return token(TokenKind::Number, std::string(m_text.substr(start, m_at - start)), start);
    }

    Result<Token> symbol()
    {
        const std::size_t start = m_at;
        const std::string_view rest = m_text.substr(start);
        for (const std::string_view two : {"==", "!=", "<>", "<=", ">=", "~*"}) {
            if (rest.starts_with(two)) {
                m_at += 2;
                return token(TokenKind::Symbol, std::string(two == "<>" ? "!=" : two), start);
            }
        }
        if (rest.starts_with("&") || rest.starts_with("|") || rest.starts_with("!")) {
            const std::string word = rest.front() == '&' ? "and" : rest.front() == '|' ? "or" : "not";
            return Error(malformed(std::string("\"") + rest.front()
                                       + "\" is not part of the language.",
                                   start))
                .advise("Write " + word + ".")
                .suggest({word});
        }
        if (rest.front() == '\'')
            return Error(malformed("Text stands in double quotes.", start))
                .advise("Write \"text\"; names of columns may stand in backticks.");
        constexpr std::string_view kSingle = "()[],+-*/<>=~";
        if (kSingle.find(rest.front()) == std::string_view::npos)
            return malformed(std::string("\"") + rest.front() + "\" is not part of the language.",
                             start);
        ++m_at;
        return token(TokenKind::Symbol, rest.front() == '=' ? "==" : std::string(1, rest.front()),
                     start);
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

std::size_t offsetOfIllFormed(std::string_view text)
{
    // Cutting inside a well-formed sequence makes it ill-formed, so only whole prefixes count.
    std::size_t good = 0;
    for (std::size_t end = 1; end <= text.size(); ++end) {
        if (isUtf8(text.substr(good, end - good)))
            good = end;
        else if (end - good >= 4)
            break;
    }
    return good;
}

} // namespace

Result<std::vector<Token>> tokensOf(std::string_view text)
{
    if (!isUtf8(text))
        return malformed("The expression is not UTF-8 text.", offsetOfIllFormed(text));
    if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
        return malformed("The expression holds a NUL character.", zero);
    return Lexer(text).run();
}

bool isReservedWord(std::string_view word)
{
    return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

std::string columnText(std::string_view name)
{
    const bool plain = !name.empty() && startsWord(name.front())
                    && std::all_of(name.begin(), name.end(), continuesWord)
                    && !isReservedWord(name);
    if (plain)
        return std::string(name);
    std::string result = "`";
    for (const char c : name) {
        if (c == '`')
            result.push_back('`');
        result.push_back(c);
    }
    return result + "`";
}

std::string quotedText(std::string_view text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result.push_back('\\');
        result.push_back(c);
    }
    return result + "\"";
}

} // namespace cellfolio
