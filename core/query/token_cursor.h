// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/query/lexer.h"
#include "core/query/syntax.h"

namespace cellfolio::query {

using NodePointer = std::unique_ptr<Node>;

// A number as it was written, which a sign is no part of: whole as long as 64 bits hold it.
Numeral numberOf(const std::string& text);
Numeral negative(const Numeral& number);

// The tokens of an expression and how far the parser has come in them.
class TokenCursor
{
protected:
    const Token& here() const { return m_tokens[m_at]; }
    const Token& ahead() const
    {
        return m_tokens[m_at + 1 < m_tokens.size() ? m_at + 1 : m_at];
    }
    bool isSymbol(std::string_view text) const
    {
        return here().kind == TokenKind::Symbol && here().text == text;
    }
    bool isWord(std::string_view text) const
    {
        return here().kind == TokenKind::Word && here().text == text;
    }
    bool takeSymbol(std::string_view text)
    {
        if (!isSymbol(text))
            return false;
        ++m_at;
        return true;
    }
    bool takeWord(std::string_view text)
    {
        if (!isWord(text))
            return false;
        ++m_at;
        return true;
    }
    Index lastEnd() const { return m_at > 0 ? m_tokens[m_at - 1].end : 0; }

    static Error fault(std::string message, const Token& where)
    {
        return Error(ErrorCode::BadUsage, std::move(message)).atOffset(where.offset);
    }
    // The token as a sentence shows it.
    static std::string shown(const Token& token)
    {
        switch (token.kind) {
        case TokenKind::End: return "the end";
        case TokenKind::Text: return "the text \"" + token.text + "\"";
        case TokenKind::Quoted: return "the column `" + token.text + "`";
        case TokenKind::Number:
        case TokenKind::Word:
        case TokenKind::Symbol: break;
        }
        return "\"" + token.text + "\"";
    }
    Error due(const std::string& what) const
    {
        return fault(what + " is due here, not " + shown(here()) + ".", here());
    }

    NodePointer make(NodeKind kind, Index offset) const
    {
        auto node = std::make_unique<Node>();
        node->kind = kind;
        node->offset = offset;
        return node;
    }
    NodePointer closed(NodePointer node) const
    {
        node->end = lastEnd();
        return node;
    }

    explicit TokenCursor(std::vector<Token> tokens) : m_tokens(std::move(tokens)) {}

    std::vector<Token> m_tokens; // with an End behind them
    std::size_t m_at = 0;
};

} // namespace cellfolio::query
