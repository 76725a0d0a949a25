// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace cellfolio::cli {

struct Session;

// Each runs one command of the table and returns its exit code.
int runInfo(Session& session);
int runView(Session& session);
int runStats(Session& session);
int runValidate(Session& session);
int runIndex(Session& session);
int runFilter(Session& session);
int runMap(Session& session);
int runImpute(Session& session);
int runScore(Session& session);
int runExport(Session& session);
int runCanonicalize(Session& session);
int runConvert(Session& session);

} // namespace cellfolio::cli
