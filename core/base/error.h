// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/index.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cellfolio {

// What kind of failure it is, so that a caller can choose what to do. The names are part of the
// command line's contract; exitCode() groups them.
enum class ErrorCode {
    Cancelled,
    NotFound,
    Ambiguous,
    PermissionDenied,
    NotHdf5,
    NotAnnData,
    UnsupportedEncoding,
    UnsupportedFilter,
    Corrupt,
    Refused,
    FileChanged,
    TargetExists,
    OutOfBudget,
    OutOfDisk,
    BadUsage,
    BadExpression,
    Io,
    Internal,
};

std::string_view nameOf(ErrorCode code);

// 1: the input is at fault, 2: the command line is, 3: it could not be finished here.
int exitCode(ErrorCode code);

// A failure as a value: a code, one sentence for people, what to do, and where it happened.
// Built on the spot and refined on the way up:
//     return Error(ErrorCode::Corrupt, "indptr falls from 3 to 2 at row 1.").at("X").rule("A032");
class Error
{
public:
    Error(ErrorCode code, std::string message) : m_code(code), m_message(std::move(message)) {}

    static Error cancelled() { return {ErrorCode::Cancelled, "Cancelled."}; }

    ErrorCode code() const noexcept { return m_code; }
    // The sentence alone.
    const std::string& message() const noexcept { return m_message; }
    // What to do about it; empty when there is nothing to say.
    const std::string& fix() const noexcept { return m_fix; }
    // Path of the element at fault, "/" for the file, empty when none is.
    const std::string& element() const noexcept { return m_element; }
    // Rule of the format's list ("A001"), or empty.
    const std::string& ruleId() const noexcept { return m_rule; }
    // Offset of the fault in the text of a selection or expression.
    std::optional<Index> position() const noexcept { return m_position; }
    const std::vector<std::string>& suggestions() const noexcept { return m_suggestions; }
    // What was being done, innermost first: "reading X, obs 4096-8191".
    const std::vector<std::string>& context() const noexcept { return m_context; }

    Error&& at(std::string element) &&;      // names the element, unless one is named already
    Error&& rule(std::string id) &&;
    Error&& advise(std::string fix) &&;
    Error&& atOffset(Index position) &&;
    Error&& suggest(std::vector<std::string> names) &&;
    Error&& within(std::string doing) &&;    // adds to the context chain

    // Sentence and context in one line, for a log.
    std::string describe() const;

private:
    ErrorCode m_code;
    std::string m_message;
    std::string m_fix;
    std::string m_element;
    std::string m_rule;
    std::optional<Index> m_position;
    std::vector<std::string> m_suggestions;
    std::vector<std::string> m_context;
};

} // namespace cellfolio
