// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/element_axes.h"
#include "app/cli/job_answer.h"
#include "app/cli/progress_line.h"
#include "core/base/text.h"
#include "core/matrix/gene_index_settings.h"

#include <cmath>

namespace cellfolio::cli {
namespace {

enum class IndexTask { Build, Status, Drop, Estimate };

struct IndexRequest {
    IndexTask task = IndexTask::Build;
    std::string matrix; // empty: the one FILE names, or X
};

Result<IndexRequest> readRequest(const Session& session)
{
    const Arguments& arguments = session.arguments;
    if (arguments.positionals.size() > 1)
        return Error(ErrorCode::BadUsage, "`index` takes one FILE.")
            .advise("cellfolio-cli index FILE [--matrix X] [--status|--drop|--estimate]");
    IndexRequest request;
    int tasks = 0;
    for (const auto& [name, task] : {std::pair{"status", IndexTask::Status},
                                     std::pair{"drop", IndexTask::Drop},
                                     std::pair{"estimate", IndexTask::Estimate}})
        if (arguments.has(name)) {
            request.task = task;
            ++tasks;
        }
    if (tasks > 1)
        return Error(ErrorCode::BadUsage, "--status, --drop and --estimate exclude each other.");
    if (arguments.has("matrix"))
        request.matrix = arguments.value("matrix");
    return request;
}

Result<Target> openMatrix(const std::string& file, const std::string& matrix)
{
    const bool named = file.find("::") != std::string::npos;
    auto target = openTarget(file, matrix.empty() && !named ? "X" : matrix);
    if (!target || !target->element->isDataSet)
        return target;
    const Element* x = target->element->child("X");
    if (x == nullptr)
        return Error(ErrorCode::NotFound, "There is no X.")
            .at(target->element->path.empty() ? "/" : target->element->path)
            .advise("Name a matrix with --matrix, such as layers/counts.");
    target->element = x;
    return target;
}

std::string rateText(const GeneIndexStore::Status& status)
{
    if (status.entries == 0)
        return byteText(status.bytes);
    const double rate = static_cast<double>(status.bytes) / static_cast<double>(status.entries);
    return byteText(status.bytes) + ", " + exactText(std::round(rate * 100) / 100)
         + " bytes an entry";
}

void writeStatus(JsonWriter& json, const GeneIndexStore::Status& status)
{
    json.member("exists", status.exists);
    json.member("fresh", status.fresh);
    if (status.exists) {
        json.member("bytes", status.bytes);
        json.member("entries", status.entries);
    } else {
        json.memberNull("bytes");
        json.memberNull("entries");
    }
    json.member("path", status.file.string());
    if (status.why.empty())
        json.memberNull("reason");
    else
        json.member("reason", status.why);
}

class IndexAnswer
{
public:
    IndexAnswer(Session& session, Target target, GeneIndexStore store)
        : m_session(session), m_target(std::move(target)), m_matrix(m_target.element->path),
          m_store(std::move(store))
    {
    }

    Result<int> give(IndexTask task)
    {
        if (m_session.wantsJson)
            m_session.json.member("matrix", m_matrix);
        if (Result<void> can = GeneIndexStore::canHave(*m_target.element); !can)
            return std::move(can).error();
        if (task == IndexTask::Drop)
            return drop();
        auto status = m_store.status(m_target.dataset, *m_target.element, m_session.reading,
                                     m_session.stop);
        if (!status)
            return std::move(status).error();
        switch (task) {
        case IndexTask::Status: return tell(*status);
        case IndexTask::Estimate: return estimate(*status);
        case IndexTask::Drop:
        case IndexTask::Build: break;
        }
        return build(*std::move(status));
    }

private:
    Result<int> tell(const GeneIndexStore::Status& status)
    {
        if (m_session.wantsJson) {
            writeStatus(m_session.json, status);
            return 0;
        }
        m_session.output.write(!status.exists ? "No gene index of " + m_matrix + ".\n"
                               : status.fresh
                                   ? "Gene index of " + m_matrix + ": " + rateText(status) + ", "
                                         + status.file.string() + "\n"
                                   : "The gene index of " + m_matrix + " cannot be used. "
                                         + status.why + "\n");
        return 0;
    }

    Result<int> estimate(const GeneIndexStore::Status& status)
    {
        auto estimate = m_store.estimate(m_target.dataset, *m_target.element, m_session.reading, 0,
                                         m_session.stop);
        if (!estimate)
            return std::move(estimate).error();
        if (m_session.wantsJson) {
            JsonWriter& json = m_session.json;
            writeStatus(json, status);
            json.memberNull("output");
            writeEstimate(json, {estimate->memory, estimate->temporary, estimate->output, estimate->seconds});
            json.member("fits", estimate->fits());
            if (!estimate->fits())
                json.member("reason", estimate->reason);
        } else {
            m_session.output.write(
                "A gene index of " + m_matrix + " would take about " + durationText(estimate->seconds)
                + " and " + byteText(estimate->output) + " in " + estimate->folder.string()
                + ", where " + byteText(estimate->free) + " are free; while it is built, another "
                + byteText(estimate->temporary) + " there.\n");
            if (!estimate->fits())
                m_session.output.write(estimate->reason + "\n");
        }
        return estimate->fits() ? 0 : 3;
    }

    Result<int> drop()
    {
        auto dropped = m_store.drop(*m_target.dataset, *m_target.element);
        if (!dropped)
            return std::move(dropped).error();
        auto status = m_store.status(m_target.dataset, *m_target.element, m_session.reading,
                                     m_session.stop);
        if (!status)
            return std::move(status).error();
        if (m_session.wantsJson) {
            writeStatus(m_session.json, *status);
            m_session.json.member("dropped", *dropped);
        } else {
            m_session.output.write(*dropped ? "The gene index of " + m_matrix + " is gone.\n"
                                            : "There was no gene index of " + m_matrix + ".\n");
        }
        return 0;
    }

    Result<int> build(GeneIndexStore::Status status)
    {
        const JobClock used;
        Index temporary = 0;
        if (!status.fresh) {
            if (status.exists)
                m_session.note(status.why + " The gene index is built again.");
            ProgressLine line(m_session, "Indexing " + m_matrix);
            auto built = m_store.build(m_target.dataset, *m_target.element, m_session.reading,
                                       m_session.stop, &line.progress());
            if (!built)
                return std::move(built).error();
            temporary = built->temporary;
            status = {true, true, built->bytes, built->entries, built->file, {}};
        } else {
            m_session.note("There is a gene index of " + m_matrix + " already.");
        }
        if (!m_session.wantsJson)
            return tell(status);
        JsonWriter& json = m_session.json;
        writeStatus(json, status);
        json.key("used");
        json.beginObject();
        json.member("memory", peakResidentBytes());
        json.member("temporary", temporary);
        json.member("output", status.bytes);
        json.member("seconds", used.seconds());
        json.member("processor_seconds", used.processorSeconds());
        json.endObject();
        return 0;
    }

    Session& m_session;
    Target m_target;
    std::string m_matrix;
    GeneIndexStore m_store;
};

} // namespace

int runIndex(Session& session)
{
    const std::string& file = session.arguments.positionals.front();
    return answerOne(session, file, [&]() -> Result<int> {
        const auto request = readRequest(session);
        if (!request)
            return request.error();
        auto target = openMatrix(file, request->matrix);
        if (!target)
            return std::move(target).error();
        const auto settings = GeneIndexSettings::read();
        if (!settings)
            return settings.error();
        return IndexAnswer(session, *std::move(target), settings->store()).give(request->task);
    });
}

} // namespace cellfolio::cli
