// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "widgets/bridge/model_context.h"

#include <QtTest/QTest>

#include <memory>
#include <string>

namespace cellfolio::test
{

// What a model of the window needs: a budget, threads, and the bundled example.
struct Bench {
    explicit Bench(Index budget = Index{64} << 20,
                   const char* file = "resources/examples/pbmc68k_reduced.h5ad") // of the repository
    {
        Reading::Options options;
        options.budget = budget;
        context.reading = std::make_shared<Reading>(options);
        context.reading->budget().setLimit(budget); // also below what a Reading would take
        context.quick = &quick;
        context.patient = &patient;
        dataset = *Dataset::open(std::string(CELLFOLIO_SOURCE_DIR "/") + file);
    }
    ModelContext context;
    std::shared_ptr<const Dataset> dataset;
    RequestPool quick{2};
    RequestPool patient{1};
};

// Until everything that the model was asked for has come.
template <typename Source>
bool waitFilled(const Source& source, int ms = 20'000)
{
    return QTest::qWaitFor([&] { return source.isFilled(); }, ms);
}

} // namespace cellfolio::test
