// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/paging/reading.h"
#include "widgets/bridge/request_pool.h"

#include <memory>

namespace cellfolio {

// What the models of one program share; made by its main function and handed down. `quick` is for
// what somebody looks at now, `patient` for what may take seconds (profiles, sorting, sampling), so
// that the one never waits behind the other.
struct ModelContext {
    std::shared_ptr<Reading> reading;
    RequestPool* quick = nullptr;
    RequestPool* patient = nullptr;
};

} // namespace cellfolio
