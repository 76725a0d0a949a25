// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace cellfolio {

enum class TokenKind {
    Number,   // digits, a point, an exponent; no sign
    Text,     // between double quotes, taken out of them
    Word,     // a word of the language or the name of a column
    Quoted,   // the name of a column between backticks, taken out of them
    Symbol,   // ( ) [ ] , + - * / == != < <= > >= ~ ~*
    End,
};

struct Token {
    TokenKind kind = TokenKind::End;
    std::string text;  // symbols in their first spelling: "=" is "==", "<>" is "!="
    Index offset = 0;  // in bytes of the expression
    Index end = 0;
};

// The tokens of a filter expression, with an End behind them. BadUsage with the offset of what is
// no part of the language. Words: letters, digits, _ and . not at the start, and anything beyond
// ASCII. Between quotes only \" and \\ stand for something else, so that "\d" reaches a regular
// expression as it is; between backticks two of them stand for one.
Result<std::vector<Token>> tokensOf(std::string_view text);

// Words that mean something by themselves and are never columns unless in backticks.
bool isReservedWord(std::string_view word);

// The name of a column as it must be written in an expression.
std::string columnText(std::string_view name);
// A text as it must be written in an expression, in double quotes.
std::string quotedText(std::string_view text);

} // namespace cellfolio
