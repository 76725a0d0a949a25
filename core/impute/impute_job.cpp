// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/impute_job.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"
#include "core/impute/blas.h"
#include "core/impute/result_file.h"
#include "core/impute/resume_journal.h"
#include "core/impute/thinned_plan.h"
#include "core/matrix/matrix_reader.h"
#include "core/paging/page_cache.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>

namespace cellfolio::impute {

namespace {

constexpr double kNoMass = 1e-300;

bool isWide(const ImputeJob& job)
{
    return job.mapping && std::holds_alternative<std::vector<SolvedPart<double>>>(job.mapping->parts);
}

Index innerOf(const ImputeJob& job)
{
    if (!job.mapping || job.mapping->factors)
        return 0;
    return std::visit([](const auto& parts) {
        return parts.empty() ? Index{0} : parts.front().cost.inner;
    }, job.mapping->parts);
}

Index residentBytesOf(const ImputeJob& job, Index elementBytes)
{
    const Index cells = job.referenceCells.size();
    const Index dense = cells * job.genes.size() * elementBytes;
    if (!job.matrix->isSparse())
        return dense;
    return std::min(dense, job.matrix->stored.value_or(0) * (elementBytes + 4) + 8 * cells);
}

ChunkRequest requestOf(const ImputeJob& job, const std::shared_ptr<Reading>& reading, int threads,
                       Index extraPerRow)
{
    ChunkRequest request;
    request.rows = static_cast<Index>(job.rows.size());
    request.columns = job.referenceCells.size();
    request.genes = job.genes.size();
    request.inner = innerOf(job);
    request.elementBytes = isWide(job) ? 8 : 4;
    request.threads = threads;
    request.budget = reading->budget().limit();
    // Pages of the file and windows of the readers come out of the same budget.
    request.buffers = std::max(Index{12} << 20, reading->pages().limit() + (Index{6} << 20));
    request.residentBytes = residentBytesOf(job, request.elementBytes);
    request.extraPerRow = extraPerRow;
    return request;
}

// Multiply-adds of one core in a second, measured in a few thousandths of one.
double paceOfProducts()
{
    constexpr Index kSize = 384;
    const std::vector<float> a(at(kSize * kSize), 1.0F);
    std::vector<float> c(at(kSize * kSize));
    Product<float> product;
    product.rows = product.columns = product.inner = kSize;
    product.a = product.b = a.data();
    product.strideA = product.strideB = product.strideC = kSize;
    product.c = c.data();
    double best = 1e9;
    for (int round = 0; round < 3; ++round) {
        const auto start = std::chrono::steady_clock::now();
        multiply(product);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return 2.0 * static_cast<double>(kSize * kSize * kSize) / best;
}

// What a few passes over the plan need, whichever plan it is.
template <typename Real>
class JobRun
{
public:
    JobRun(const ImputeJob& job, const std::shared_ptr<Reading>& reading, const Running& running)
        : m_job(job), m_reading(reading), m_running(running)
    {
    }

    Result<ImputeOutcome> run()
    {
        m_outcome.nObs = static_cast<Index>(m_job.rows.size());
        m_outcome.nVars = m_job.genes.size();
        if (auto checked = StagedFile::check(m_job.target, m_job.staging); !checked)
            return std::move(checked).error();
        if (auto opened = openPlan(); !opened)
            return std::move(opened).error();
        if (auto opened = openReference(); !opened)
            return std::move(opened).error();
        std::unique_ptr<ResumeJournal> journal;
        if (m_job.resume) {
            auto opened = ResumeJournal::open(m_job.target, m_job.resumeKey, m_outcome.nObs,
                                              m_outcome.nVars);
            if (!opened)
                return std::move(opened).error();
            journal = std::move(*opened);
            m_outcome.resumedAt = journal->rowsDone();
        }
        std::unique_ptr<ResultFile> file;
        if (!journal) {
            auto made = ResultFile::create(m_job);
            if (!made)
                return std::move(made).error();
            file = std::move(*made);
        }
        say("Carrying expression across");
        if (auto done = carry(journal.get(), file.get()); !done)
            return std::move(done).error();
        m_expression.reset();
        if (journal) {
            auto made = ResultFile::create(m_job);
            if (!made)
                return std::move(made).error();
            file = std::move(*made);
            if (auto done = replay(*journal, *file); !done)
                return std::move(done).error();
        }
        std::vector<CarriedLabels> labels;
        for (const std::string& column : m_job.labels) {
            say("Carrying labels across");
            auto carried = carryLabels(column);
            if (!carried)
                return std::move(carried).error();
            labels.push_back(std::move(*carried));
        }
        for (const std::string& key : m_job.obsm) {
            say("Carrying obsm/" + key + " across");
            if (auto done = carryObsm(key, *file); !done)
                return std::move(done).error();
        }
        say("Writing the tables");
        if (auto done = file->finish(labels, m_reading, m_running, m_outcome); !done)
            return std::move(done).error();
        if (journal)
            journal->remove();
        return std::move(m_outcome);
    }

private:
    void say(const std::string& stage) const
    {
        if (m_job.stage)
            m_job.stage(stage);
    }

    Result<void> openPlan()
    {
        if (m_job.mapping && m_job.mapping->factors) {
            m_factors = *m_job.mapping->factors;
        } else if (m_job.mapping) {
            auto made = planOfPotentials<Real>(
                std::get<std::vector<SolvedPart<Real>>>(m_job.mapping->parts), m_job.mapping->rows(),
                m_job.zeroMass == ZeroMass::Map ? DeadRows::Softmax : DeadRows::Zero, m_running);
            if (!made)
                return std::move(made).error();
            m_plan = std::move(*made);
        } else if (m_job.plan->isFactors()) {
            m_factors = m_job.plan->factors(m_job.transposed);
        } else {
            m_plan = m_job.plan->template source<Real>(m_job.transposed);
        }
        if (m_job.thin > 0 && m_factors)
            return Error(ErrorCode::BadUsage, "A plan of factors has no weights to be thinned.");
        if (m_job.thin > 0)
            m_plan = thinned<Real>(std::move(m_plan), m_job.thin);
        return {};
    }

    Result<void> openReference()
    {
        ExpressionRequest request;
        request.dataset = m_job.reference;
        request.matrix = m_job.matrix;
        request.cells = m_job.referenceCells;
        request.genes = m_job.genes;
        request.log1p = m_job.log1p;
        request.scratch = m_job.scratch;
        say("Reading the reference");
        auto opened = openExpression<Real>(request, m_reading, m_running.stop);
        if (!opened)
            return std::move(opened).error();
        m_expression = std::move(*opened);
        m_outcome.temporary = m_expression->temporaryBytes();
        ChunkRequest chunks =
            requestOf(m_job, m_reading, m_running.threads, m_plan ? m_plan->bytesPerRow() : 0);
        chunks.residentBytes = m_expression->residentBytes();
        auto planned = planChunks(chunks);
        if (!planned)
            return std::move(planned).error();
        m_chunks = *planned;
        if (m_chunks.genePasses > 1 && (m_job.resume || m_job.keep > 0))
            return Error(ErrorCode::OutOfBudget, "Rows do not fit the memory budget whole, which "
                                                 "--resume and --keep want.")
                .advise("Give more with --memory, or choose fewer genes.");
        if (m_chunks.resident) {
            auto held = holdExpression(std::move(m_expression), m_running.stop);
            if (!held)
                return std::move(held).error();
            m_expression = std::move(*held);
        }
        return {};
    }

    using Sink = std::function<Result<void>(const ImputedBlock<Real>&)>;

    Result<void> through(ExpressionRows<Real>& expression, Scaling scaling, Index firstRow,
                         const ChunkPlan& chunks, Progress* progress, const Sink& sink)
    {
        if (m_factors) {
            FactorRequest<Real> request;
            request.factors = &*m_factors;
            request.expression = &expression;
            request.rows = m_job.rows;
            request.firstRow = firstRow;
            request.scaling = scaling;
            request.rowBlock = std::clamp(chunks.rowBlock, Index{1}, Index{1024});
            request.geneBlock = chunks.geneBlock;
            request.sink = sink;
            return imputeThroughFactors(request, m_running);
        }
        ImputeRequest<Real> request;
        request.plan = m_plan.get();
        request.expression = &expression;
        request.rows = m_job.rows;
        request.firstRow = firstRow;
        request.scaling = scaling;
        request.chunks = chunks;
        request.progress = progress;
        request.sink = sink;
        return imputeBlocks(request, m_running);
    }

    Result<void> carry(ResumeJournal* journal, ResultFile* file)
    {
        if (m_job.progress != nullptr)
            m_job.progress->begin((m_outcome.nObs - m_outcome.resumedAt) * m_job.referenceCells.size()
                                  * m_chunks.genePasses);
        std::vector<float> narrow;
        return through(*m_expression, m_job.scaling, m_outcome.resumedAt, m_chunks, m_job.progress,
                       [&](const ImputedBlock<Real>& block) -> Result<void> {
            const std::size_t count = at(block.rows * block.genes);
            narrow.resize(count);
            std::transform(block.values, block.values + count, narrow.begin(),
                           [](Real value) { return static_cast<float>(value); });
            m_outcome.blocks += 1;
            if (journal != nullptr)
                return journal->append(block.rows, narrow.data(), block.rowSums);
            return file->write(block.firstRow, block.rows, block.firstGene, block.genes, narrow.data(),
                               block.rowSums);
        });
    }

    Result<void> replay(const ResumeJournal& journal, ResultFile& file)
    {
        say("Writing the result");
        const Index window = std::max(Index{1}, m_chunks.rowBlock);
        std::vector<float> values(at(window * m_outcome.nVars));
        std::vector<double> sums(at(window));
        for (Index first = 0; first < m_outcome.nObs; first += window) {
            if (m_running.stop.stop_requested())
                return Error::cancelled();
            const Index count = std::min(window, m_outcome.nObs - first);
            if (auto read = journal.read(first, count, values.data(), sums.data()); !read)
                return read;
            if (auto done = file.write(first, count, 0, m_outcome.nVars, values.data(), sums.data());
                !done)
                return done;
        }
        return {};
    }

    Result<ChunkPlan> smallChunks(Index columns) const
    {
        ChunkRequest request =
            requestOf(m_job, m_reading, m_running.threads, m_plan ? m_plan->bytesPerRow() : 0);
        request.genes = columns;
        request.residentBytes = m_job.referenceCells.size() * columns * Index{sizeof(Real)};
        return planChunks(request);
    }

    // The share of each label among the cells that a row averages.
    Result<CarriedLabels> carryLabels(const std::string& column)
    {
        const Element* obs = m_job.reference->obs();
        const Element* element = obs != nullptr ? obs->child(column) : nullptr;
        if (element == nullptr)
            return Error(ErrorCode::NotFound, "The reference's obs has no column \"" + column + "\".")
                .at("obs/" + column);
        auto reader = ColumnReader::open(m_job.reference, *element, m_reading);
        if (!reader)
            return std::move(reader).error();
        auto values = reader->read(m_job.referenceCells, m_running.stop);
        if (!values)
            return std::move(values).error();
        CarriedLabels carried;
        carried.column = column;
        std::unordered_map<std::string, Index> codes;
        std::vector<Index> ofCell;
        for (Index k = 0; k < values->size(); ++k) {
            if (values->isMissing(k)) {
                ofCell.push_back(-1);
                continue;
            }
            const auto [place, fresh] =
                codes.emplace(values->text(k), static_cast<Index>(carried.labels.size()));
            if (fresh)
                carried.labels.push_back(place->first);
            ofCell.push_back(place->second);
        }
        const auto width = static_cast<Index>(carried.labels.size());
        const Index cells = m_job.referenceCells.size();
        if (width == 0 || width * cells * Index{sizeof(Real)} > m_reading->budget().limit() / 2)
            return Error(ErrorCode::Refused, "obs/" + column + " has "
                                                 + counted(width, "label", "labels")
                                                 + ", which cannot be carried across.")
                .at("obs/" + column);
        std::vector<Real> marks(at(cells * width), Real{0});
        for (Index k = 0; k < cells; ++k)
            if (ofCell[at(k)] >= 0)
                marks[at(k * width + ofCell[at(k)])] = 1;
        auto expression = cellfolio::impute::expressionOf<Real>(cells, width, std::move(marks));
        auto chunks = smallChunks(width);
        if (!chunks)
            return std::move(chunks).error();
        carried.codes.assign(m_job.rows.size(), -1);
        carried.probability.assign(m_job.rows.size(), 0);
        std::vector<double> best(m_job.rows.size(), 0);
        auto done = through(*expression, Scaling::Source, 0, *chunks, nullptr,
                            [&](const ImputedBlock<Real>& block) -> Result<void> {
            for (Index row = 0; row < block.rows; ++row)
                for (Index k = 0; k < block.genes; ++k) {
                    const auto share = static_cast<double>(block.values[row * block.genes + k]);
                    const std::size_t place = at(block.firstRow + row);
                    if (share > best[place] && block.rowSums[row] > kNoMass) {
                        best[place] = share;
                        carried.codes[place] = block.firstGene + k;
                    }
                }
            return {};
        });
        if (!done)
            return std::move(done).error();
        carried.probability = std::move(best);
        return carried;
    }

    Result<void> carryObsm(const std::string& key, ResultFile& file)
    {
        auto points = storedPoints<Real>(m_job.reference, key, m_job.referenceCells, m_reading,
                                         m_running.stop);
        if (!points)
            return std::move(points).error();
        const Index width = points->dimensions;
        auto expression = cellfolio::impute::expressionOf<Real>(points->count, width,
                                                                std::move(points->values));
        auto chunks = smallChunks(width);
        if (!chunks)
            return std::move(chunks).error();
        auto writer = file.obsm(key, width);
        if (!writer)
            return std::move(writer).error();
        std::vector<float> narrow;
        return through(*expression, Scaling::Source, 0, *chunks, nullptr,
                       [&](const ImputedBlock<Real>& block) -> Result<void> {
            const std::size_t count = at(block.rows * block.genes);
            narrow.resize(count);
            std::transform(block.values, block.values + count, narrow.begin(),
                           [](Real value) { return static_cast<float>(value); });
            return writer->array().write({block.firstRow, block.firstGene}, {block.rows, block.genes},
                                         std::as_bytes(std::span<const float>(narrow)));
        });
    }

    const ImputeJob& m_job;
    const std::shared_ptr<Reading>& m_reading;
    const Running& m_running;
    ImputeOutcome m_outcome;
    std::unique_ptr<PlanSource<Real>> m_plan;
    std::optional<Factors> m_factors;
    std::unique_ptr<ExpressionRows<Real>> m_expression;
    ChunkPlan m_chunks;
};

} // namespace

Result<ImputeNeeds> needsOf(const ImputeJob& job, const std::shared_ptr<Reading>& reading)
{
    if (auto prepared = prepareProducts(); !prepared)
        return std::move(prepared).error();
    const Index extra =
        job.plan && !job.plan->isFactors()
            ? job.plan->source<float>(job.transposed)->bytesPerRow() + 16 * job.thin
            : 16 * job.thin;
    auto chunks = planChunks(requestOf(job, reading, reading->threads(), extra));
    if (!chunks)
        return std::move(chunks).error();
    ImputeNeeds needs;
    needs.chunks = *chunks;
    needs.memory = chunks->bytes;
    const auto rows = static_cast<Index>(job.rows.size());
    needs.output = rows * (job.keep > 0 ? 8 * std::min(job.keep, job.genes.size()) : 4 * job.genes.size());
    if (job.resume)
        needs.temporary += rows * (4 * job.genes.size() + 8);
    if (job.matrix->storage == Storage::Csc)
        needs.temporary += 3 * (isWide(job) ? 12 : 8) * job.matrix->stored.value_or(0);
    needs.seconds = chunks->flops / (paceOfProducts() * reading->threads())
                  + 1.5e-9 * chunks->exponentials / reading->threads()
                  + static_cast<double>(needs.output + needs.temporary) / 3e8;
    return needs;
}

Result<ImputeOutcome> runImputation(const ImputeJob& job, const std::shared_ptr<Reading>& reading,
                                    const Running& running)
{
    if (auto prepared = prepareProducts(); !prepared)
        return std::move(prepared).error();
    return isWide(job) ? JobRun<double>(job, reading, running).run()
                       : JobRun<float>(job, reading, running).run();
}

} // namespace cellfolio::impute
