// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/session.h"

namespace cellfolio::cli {

int runValidate(Session& session)
{
    return answerOne(session, session.arguments.positionals.front(), []() -> Result<int> {
        return Error(ErrorCode::BadUsage, "`validate` is not built yet.");
    });
}

} // namespace cellfolio::cli
