// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/matrix_check.h"

#include "core/anndata/rules.h"
#include "core/anndata/value_rules.h"
#include "core/base/text.h"
#include "core/matrix/holds.h"
#include "core/validate/content_rules.h"
#include "core/validate/dense_pass.h"
#include "core/validate/matrix_findings.h"
#include "core/validate/sparse_pass.h"

#include <algorithm>
#include <initializer_list>

namespace cellfolio {

namespace {

bool isGraph(const Element& element)
{
    return element.parent != nullptr && element.parent->name == "obsp" && element.shape
        && element.shape->size() == 2 && (*element.shape)[0] == (*element.shape)[1];
}

} // namespace

MatrixCheck::MatrixCheck(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Reading> reading,
                         Wants wants, std::stop_token stop)
    : m_dataset(std::move(dataset)), m_reading(std::move(reading)), m_wants(std::move(wants)),
      m_stop(std::move(stop))
{
    plan();
}

MatrixAsk MatrixCheck::askOf(const Element& matrix, const MatrixPlace& place) const
{
    const auto any = [this](std::initializer_list<const char*> ids) {
        return std::any_of(ids.begin(), ids.end(), [this](const char* id) { return m_wants(id); });
    };
    const bool named = place.role != MatrixRole::Other;
    const bool main = place.role == MatrixRole::X || place.role == MatrixRole::Raw;
    const bool sparse = matrix.isSparse();
    const bool real = matrix.dtype && isReal(*matrix.dtype);
    MatrixAsk ask;
    ask.stop = m_stop;
    ask.structure = sparse && any({"A032", "A034", "B006", "B007", "B007o"});
    if (!real)
        return ask;
    ask.values = (named && any({"A056", "B001", "B002", "B003", "B004", "B009", "B015", "B016",
                                "B017", "B018", "B022", "B029"}))
              || (sparse && any({"A056", "B007o", "B008"}));
    ask.wishes.negative = place.countsExpected() && m_wants("B003");
    ask.wishes.fraction = place.role == MatrixRole::Raw && m_wants("B004");
    ask.wishes.zeros = sparse && m_wants("B008");
    ask.wishes.large = named && *matrix.dtype == DType::Float32 && m_wants("B016");
    ask.rows = main && any({"B011", "B012", "B015", "B017", "B025"});
    if (ask.rows && place.countsExpected() && m_wants("B015"))
        ask.twins = place.role == MatrixRole::Raw ? Twins::OfAnything : Twins::OfCounts;
    ask.graph = isGraph(matrix) && m_wants("B020");
    return ask;
}

void MatrixCheck::plan()
{
    std::set<const hdf5::Object*> seen;
    for (const Element* element : m_dataset->elements()) {
        const bool dense = element->storage == Storage::Dense && element->values && element->shape
                        && (element->kind == ElementKind::Matrix || isGraph(*element));
        const bool sparse =
            element->isSparse() && element->values && element->indices && element->indptr;
        if (element->whyNot || (!dense && !sparse))
            continue;
        const MatrixPlace place = placeOf(*element);
        const MatrixAsk ask = askOf(*element, place);
        if (!ask.structure && !ask.values && !ask.rows && !ask.graph)
            continue;
        // Once under whatever names it lies; X and raw are judged each for itself.
        const bool first = seen.insert(element->values.object).second;
        if (first || place.role == MatrixRole::X || place.role == MatrixRole::Raw)
            m_planned.push_back({element, place, ask});
    }
}

std::vector<const Element*> MatrixCheck::matrices() const
{
    std::vector<const Element*> result;
    for (const Planned& planned : m_planned)
        result.push_back(planned.matrix);
    return result;
}

std::set<const hdf5::Object*> MatrixCheck::arrays() const
{
    std::set<const hdf5::Object*> result;
    for (const Planned& planned : m_planned) {
        if (planned.matrix->isSparse()
            && (planned.ask.structure || planned.ask.rows || planned.ask.graph))
            result.insert(planned.matrix->indices.object);
        if (planned.ask.values || planned.ask.rows || planned.ask.graph)
            result.insert(planned.matrix->values.object);
    }
    return result;
}

Result<MatrixFacts> MatrixCheck::pass(const Planned& planned) const
{
    if (!planned.matrix->isSparse())
        return passDense(m_dataset, *planned.matrix, m_reading, planned.ask);
    Result<SparseSource> source = SparseSource::open(m_dataset, *planned.matrix, m_reading);
    if (!source)
        return std::move(source).error();
    return passSparse(*std::move(source), m_reading, planned.ask);
}

Result<std::vector<Finding>> MatrixCheck::check(const Element& matrix)
{
    const auto planned = std::find_if(m_planned.begin(), m_planned.end(),
                                      [&](const Planned& p) { return p.matrix == &matrix; });
    if (planned == m_planned.end())
        return std::vector<Finding>();
    m_whyPartly.clear();
    Result<MatrixFacts> facts = pass(*planned);
    if (!facts) {
        const ErrorCode code = facts.error().code();
        if (code != ErrorCode::Corrupt && code != ErrorCode::Io)
            return std::move(facts).error();
        // Which of it is damaged is worth a look of its own.
        ValueRuleOptions options;
        options.only = {"A034", "A056"};
        options.stop = m_stop;
        options.element = &matrix;
        Result<std::vector<Finding>> damage = valueFindings(m_dataset, m_reading, options);
        if (!damage)
            return std::move(damage).error();
        if (damage->empty())
            return std::move(facts).error();
        m_whyPartly = facts.error().message();
        return damage;
    }
    Kept kept{planned->matrix, planned->place, holdCounts(*facts), facts->digest.nonZero > 0, {},
              facts->rows, facts->columns};
    if (facts->rowFacts) {
        kept.fingerprint = facts->rowFacts->fingerprint;
        m_whyPartly = facts->rowFacts->whyNoTwins;
    }
    m_kept.push_back(kept);
    std::vector<Finding> found = judgeMatrix(matrix, planned->place, *facts);
    if (Result<void> done = lookForNormalization(*planned, *facts, found); !done)
        return std::move(done).error();
    return found;
}

// Totals of cells come from the sample that `info` shows: all of them would take an exponential of
// every value.
Result<void> MatrixCheck::lookForNormalization(const Planned& planned, const MatrixFacts& facts,
                                               std::vector<Finding>& found) const
{
    if (planned.place.role != MatrixRole::X || !m_wants("B022") || !facts.digest.fraction
        || facts.digest.min < 0)
        return {};
    Result<HoldsResult> holds =
        sampleHolds(m_dataset, *planned.matrix, m_reading, m_stop, HoldsEffort::Quick);
    if (!holds) // what is damaged was told by the pass
        return holds.error().code() == ErrorCode::Cancelled ? Result<void>(holds.error())
                                                             : Result<void>();
    if (holds->holds == Holds::Log1p)
        found.push_back(ruleFinding("B022", planned.matrix->path,
                                    inQuotes(planned.matrix->path) + " holds " + holds->text()
                                        + ", going by a sample of its cells."));
    return {};
}

std::vector<Finding> MatrixCheck::together() const
{
    std::vector<Finding> found;
    for (const Kept& x : m_kept) {
        if (x.place.role != MatrixRole::X || !x.anyValue)
            continue;
        const auto same = [&x](const Kept& other, MatrixRole role) {
            return other.place.role == role && other.place.dataSet == x.place.dataSet;
        };
        for (const Kept& raw : m_kept)
            if (same(raw, MatrixRole::Raw) && x.fingerprint && x.fingerprint == raw.fingerprint
                && x.rows == raw.rows && x.columns == raw.columns)
                found.push_back(ruleFinding("B017", x.matrix->path,
                                            inQuotes(x.matrix->path) + " equals "
                                                + inQuotes(raw.matrix->path)
                                                + ": there are no normalized data."));
        if (x.place.hasRaw)
            continue;
        if (x.counts) {
            found.push_back(ruleFinding("B018", x.matrix->path,
                                        inQuotes(x.matrix->path)
                                            + " holds whole counts and there is no raw: X is raw, "
                                              "nothing is normalized."));
            continue;
        }
        const bool elsewhere = std::any_of(m_kept.begin(), m_kept.end(), [&](const Kept& layer) {
            return same(layer, MatrixRole::Layer) && layer.counts;
        });
        if (!elsewhere)
            found.push_back(ruleFinding("B018", x.matrix->path,
                                        inQuotes(x.matrix->path)
                                            + " holds no whole counts and there is no raw: raw "
                                              "counts are missing."));
    }
    return found;
}

} // namespace cellfolio
