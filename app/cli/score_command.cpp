// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/failure.h"
#include "app/cli/mapping_options.h"
#include "app/cli/progress_line.h"
#include "core/anndata/column_reader.h"
#include "core/base/text.h"
#include "core/impute/hold_out.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace cellfolio::cli {
namespace {

using impute::Agreement;
using impute::Spread;

using Member = double Agreement::*;

Spread spreadOf(const std::vector<Agreement>& agreements, Member member)
{
    std::vector<double> values;
    for (const Agreement& agreement : agreements)
        values.push_back(agreement.*member);
    return impute::spreadOf(std::move(values));
}

Index undefined(const std::vector<Agreement>& agreements)
{
    return static_cast<Index>(agreements.size()) - spreadOf(agreements, &Agreement::pearson).count;
}

void writeSpread(JsonWriter& json, const char* name, const Spread& spread)
{
    json.key(name);
    json.beginObject();
    json.member("mean", spread.mean);
    json.member("median", spread.median);
    json.member("lower_quartile", spread.lowerQuartile);
    json.member("upper_quartile", spread.upperQuartile);
    json.endObject();
}

void writeSpreads(JsonWriter& json, const std::vector<Agreement>& agreements)
{
    writeSpread(json, "pearson", spreadOf(agreements, &Agreement::pearson));
    writeSpread(json, "spearman", spreadOf(agreements, &Agreement::spearman));
    writeSpread(json, "rmse", spreadOf(agreements, &Agreement::rmse));
}

void writeGenes(JsonWriter& json, const std::vector<std::string>& genes,
                const std::vector<Agreement>& agreements)
{
    json.key("genes");
    json.beginArray();
    for (std::size_t k = 0; k < genes.size(); ++k) {
        json.beginObject();
        json.member("gene", genes[k]);
        json.member("pearson", agreements[k].pearson);
        json.member("spearman", agreements[k].spearman);
        json.member("rmse", agreements[k].rmse);
        json.endObject();
    }
    json.endArray();
}

std::string meanText(const std::vector<Agreement>& agreements)
{
    const Spread pearson = spreadOf(agreements, &Agreement::pearson);
    const Spread spearman = spreadOf(agreements, &Agreement::spearman);
    const Spread rmse = spreadOf(agreements, &Agreement::rmse);
    return "Pearson " + exactText(static_cast<float>(pearson.mean)) + " (median "
         + exactText(static_cast<float>(pearson.median)) + "), Spearman "
         + exactText(static_cast<float>(spearman.mean)) + ", RMSE "
         + exactText(static_cast<float>(rmse.mean)) + ".\n";
}

Result<std::vector<double>> epsilonList(const Arguments& arguments)
{
    std::vector<double> epsilons;
    const std::string text = arguments.value("epsilon");
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        double value = 0;
        if (!parseNumber(text.substr(begin, end - begin), value) || !(value >= 1e-5) || !(value <= 1e3))
            return Error(ErrorCode::BadUsage, "\"" + text + "\" is no list of epsilons.")
                .advise("Such as 0.5,0.2,0.1,0.05.");
        epsilons.push_back(value);
        begin = end + 1;
    }
    return epsilons;
}

Result<int> held(Session& session)
{
    const Arguments& arguments = session.arguments;
    auto epsilons = epsilonList(arguments);
    if (!epsilons)
        return std::move(epsilons).error();
    auto folds = integerOption(arguments, "folds", 2, 100);
    if (!folds)
        return std::move(folds).error();
    auto spatial = openSide(session, "spatial");
    if (!spatial)
        return std::move(spatial).error();
    auto reference = openSide(session, "reference");
    if (!reference)
        return std::move(reference).error();
    auto request = mappingRequest(session, *spatial, *reference);
    if (!request)
        return std::move(request).error();
    impute::HoldOutOptions options;
    options.mapping = request->options;
    options.mapping.features.scratch =
        arguments.has("temp") ? arguments.value("temp") : std::filesystem::temp_directory_path().string();
    options.folds = *folds;
    options.epsilons = *epsilons;
    options.seed = options.mapping.seed;
    ProgressLine line(session, "Holding genes out");
    options.mapping.progress = &line.progress();
    auto result = impute::holdOut(spatial->side, reference->side, options, session.reading,
                                  {session.reading->threads(), session.stop});
    if (!result)
        return std::move(result).error();
    const std::size_t best = result->best();
    const std::vector<Agreement>& agreements = result->agreements[best];
    std::vector<Finding> findings;
    for (const std::string& warning : result->warnings)
        findings.push_back(jobFinding("M002", Severity::Warning, "/", warning));
    if (session.wantsJson) {
        JsonWriter& json = session.json;
        json.member("epsilon", result->epsilons[best]);
        json.member("folds", *folds);
        writeGenes(json, result->genes, agreements);
        json.key("summary");
        json.beginObject();
        writeSpreads(json, agreements);
        json.endObject();
        json.member("undefined", undefined(agreements));
        json.key("epsilons");
        json.beginArray();
        for (std::size_t e = 0; e < result->epsilons.size(); ++e) {
            json.beginObject();
            json.member("epsilon", result->epsilons[e]);
            writeSpreads(json, result->agreements[e]);
            json.endObject();
        }
        json.endArray();
        json.key("baseline");
        json.beginObject();
        json.member("method", "50 nearest");
        writeSpreads(json, result->baseline);
        json.endObject();
        writeFindings(json, findings);
        return 0;
    }
    session.output.write(counted(static_cast<Index>(result->genes.size()), "gene", "genes")
                         + " held out in " + counted(*folds, "fold", "folds") + "; means over genes:\n");
    for (std::size_t e = 0; e < result->epsilons.size(); ++e)
        session.output.write("epsilon " + exactText(result->epsilons[e])
                             + (e == best ? " (best): " : ": ") + meanText(result->agreements[e]));
    session.output.write("50 nearest cells: " + meanText(result->baseline));
    for (const Finding& finding : findings)
        session.note(finding.message);
    return 0;
}

// Two files, gene by gene.
class Comparison
{
public:
    explicit Comparison(Session& session) : m_session(session) {}

    Result<int> run()
    {
        if (auto opened = open(); !opened)
            return std::move(opened).error();
        if (auto compared = compare(); !compared)
            return std::move(compared).error();
        if (m_session.wantsJson) {
            JsonWriter& json = m_session.json;
            json.member("fitted", m_fitted);
            writeGenes(json, m_match.names, m_agreements);
            json.key("summary");
            json.beginObject();
            writeSpreads(json, m_agreements);
            json.endObject();
            json.member("undefined", undefined(m_agreements));
            return 0;
        }
        m_session.output.write(counted(m_match.size(), "shared gene", "shared genes")
                               + (m_fitted ? ", fitted (they built the mapping)" : "") + ": "
                               + meanText(m_agreements));
        return 0;
    }

private:
    Result<void> open()
    {
        for (const auto& [name, side] :
             {std::pair{"predicted", &m_predicted}, std::pair{"measured", &m_measured}}) {
            auto opened = openSide(m_session, name);
            if (!opened)
                return std::move(opened).error();
            *side = std::move(*opened);
            if (side->side.matrix == nullptr)
                return Error(ErrorCode::NotFound, side->location + " has no X.");
        }
        if (m_predicted.side.cells.size() != m_measured.side.cells.size())
            return Error(ErrorCode::Refused, "The files have " + grouped(m_predicted.side.cells.size()) + " and "
                                                 + grouped(m_measured.side.cells.size())
                                                 + " cells; they are compared cell by cell.");
        const auto names = [&](const OpenedSide& side) {
            return impute::geneNames(side.side.dataset, *side.side.matrix, m_session.arguments.value("genes-by"),
                                     side.side.genes, m_session.reading, m_session.stop);
        };
        auto predicted = names(m_predicted);
        if (!predicted)
            return std::move(predicted).error();
        auto measured = names(m_measured);
        if (!measured)
            return std::move(measured).error();
        auto match = impute::matchGenes(*measured, *predicted, impute::NameCase::Matters);
        if (!match)
            return std::move(match).error();
        m_match = std::move(*match);
        return tellFitted();
    }

    Result<void> tellFitted()
    {
        const Element* var = m_predicted.side.dataset->var();
        const Element* column = var != nullptr ? var->child("in_cost") : nullptr;
        if (column == nullptr || column->column != ColumnKind::Boolean)
            return {};
        auto reader = ColumnReader::open(m_predicted.side.dataset, *column, m_session.reading);
        if (!reader)
            return std::move(reader).error();
        auto values = reader->read(Selection::all(reader->rows()), m_session.stop);
        if (!values)
            return std::move(values).error();
        for (Index gene : m_match.reference)
            m_fitted = m_fitted || values->values.number(gene) != 0;
        return {};
    }

    Result<std::unique_ptr<impute::ExpressionRows<float>>> rowsOf(const OpenedSide& side,
                                                                  const std::vector<Index>& genes,
                                                                  impute::Normalize normalize)
    {
        auto choice = impute::chooseNormalize(normalize, side.side.dataset, *side.side.matrix,
                                              m_session.reading, m_session.stop);
        if (!choice)
            return std::move(choice).error();
        impute::ExpressionRequest request;
        request.dataset = side.side.dataset;
        request.matrix = side.side.matrix;
        request.cells = side.side.cells;
        request.genes = side.side.genes.then(Selection::indices(side.side.genes.size(), genes));
        request.log1p = choice->log1p;
        request.scratch = std::filesystem::temp_directory_path();
        return impute::openExpression<float>(request, m_session.reading, m_session.stop);
    }

    Result<void> compare()
    {
        auto normalize = normalizeOption(m_session.arguments, impute::Normalize::Auto);
        if (!normalize)
            return std::move(normalize).error();
        auto predicted = rowsOf(m_predicted, m_match.reference, impute::Normalize::None);
        if (!predicted)
            return std::move(predicted).error();
        auto measured = rowsOf(m_measured, m_match.spatial, *normalize);
        if (!measured)
            return std::move(measured).error();
        const Index n = (*predicted)->cells();
        const Index block = std::clamp(m_session.pieceBytes() / (n * Index{2 * sizeof(float)} + 1), Index{1},
                                       m_match.size());
        std::vector<float> x(at(n * block));
        std::vector<float> y(at(n * block));
        std::vector<double> one(at(n));
        std::vector<double> other(at(n));
        for (Index first = 0; first < m_match.size(); first += block) {
            const Index width = std::min(block, m_match.size() - first);
            if (auto done = (*predicted)->read(0, n, first, width, x.data(), width, m_session.stop); !done)
                return done;
            if (auto done = (*measured)->read(0, n, first, width, y.data(), width, m_session.stop); !done)
                return done;
            for (Index gene = 0; gene < width; ++gene) {
                for (Index i = 0; i < n; ++i) {
                    one[at(i)] = static_cast<double>(x[at(i * width + gene)]);
                    other[at(i)] = static_cast<double>(y[at(i * width + gene)]);
                }
                m_agreements.push_back(impute::agreementOf(one, other));
            }
        }
        return {};
    }

    Session& m_session;
    OpenedSide m_predicted;
    OpenedSide m_measured;
    impute::GeneMatch m_match;
    bool m_fitted = false;
    std::vector<Agreement> m_agreements;
};

Result<int> run(Session& session)
{
    const Arguments& arguments = session.arguments;
    const bool two = arguments.has("predicted") && arguments.has("measured");
    const bool pair = arguments.has("spatial") && arguments.has("reference");
    if (two == pair)
        return Error(ErrorCode::BadUsage, "Give --spatial and --reference, or --predicted and --measured.");
    return two ? Comparison(session).run() : held(session);
}

} // namespace

int runScore(Session& session)
{
    const Arguments& arguments = session.arguments;
    return answerOne(session, arguments.value(arguments.has("predicted") ? "predicted" : "spatial"),
                     [&] { return run(session); });
}

} // namespace cellfolio::cli
