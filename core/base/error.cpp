// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/error.h"

namespace cellfolio {

std::string_view nameOf(ErrorCode code)
{
    switch (code) {
    case ErrorCode::Cancelled: return "Cancelled";
    case ErrorCode::NotFound: return "NotFound";
    case ErrorCode::Ambiguous: return "Ambiguous";
    case ErrorCode::PermissionDenied: return "PermissionDenied";
    case ErrorCode::NotHdf5: return "NotHdf5";
    case ErrorCode::NotAnnData: return "NotAnnData";
    case ErrorCode::UnsupportedEncoding: return "UnsupportedEncoding";
    case ErrorCode::UnsupportedFilter: return "UnsupportedFilter";
    case ErrorCode::Corrupt: return "Corrupt";
    case ErrorCode::Refused: return "Refused";
    case ErrorCode::FileChanged: return "FileChanged";
    case ErrorCode::TargetExists: return "TargetExists";
    case ErrorCode::OutOfBudget: return "OutOfBudget";
    case ErrorCode::OutOfDisk: return "OutOfDisk";
    case ErrorCode::BadUsage: return "BadUsage";
    case ErrorCode::BadExpression: return "BadExpression";
    case ErrorCode::Io: return "Io";
    case ErrorCode::Internal: return "Internal";
    }
    return "Internal";
}

int exitCode(ErrorCode code)
{
    switch (code) {
    case ErrorCode::NotFound:
    case ErrorCode::Ambiguous:
    case ErrorCode::NotHdf5:
    case ErrorCode::NotAnnData:
    case ErrorCode::UnsupportedEncoding:
    case ErrorCode::UnsupportedFilter:
    case ErrorCode::Corrupt:
    case ErrorCode::BadExpression:
    case ErrorCode::Refused:
        return 1;
    case ErrorCode::BadUsage:
        return 2;
    case ErrorCode::Cancelled:
    case ErrorCode::PermissionDenied:
    case ErrorCode::FileChanged:
    case ErrorCode::TargetExists:
    case ErrorCode::OutOfBudget:
    case ErrorCode::OutOfDisk:
    case ErrorCode::Io:
    case ErrorCode::Internal:
        return 3;
    }
    return 3;
}

Error&& Error::at(std::string element) &&
{
    if (m_element.empty())
        m_element = std::move(element);
    return std::move(*this);
}

Error&& Error::rule(std::string id) &&
{
    m_rule = std::move(id);
    return std::move(*this);
}

Error&& Error::advise(std::string fix) &&
{
    m_fix = std::move(fix);
    return std::move(*this);
}

Error&& Error::atOffset(Index position) &&
{
    m_position = position;
    return std::move(*this);
}

Error&& Error::suggest(std::vector<std::string> names) &&
{
    m_suggestions = std::move(names);
    return std::move(*this);
}

Error&& Error::within(std::string doing) &&
{
    m_context.push_back(std::move(doing));
    return std::move(*this);
}

std::string Error::describe() const
{
    std::string text(nameOf(m_code));
    text += ": ";
    text += m_message;
    for (const std::string& doing : m_context)
        text += " (" + doing + ")";
    return text;
}

} // namespace cellfolio
