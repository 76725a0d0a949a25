// SPDX-License-Identifier: GPL-3.0-or-later
// P X in blocks equals the explicit product, by every way a plan can come: potentials (one group of
// cells and several), stored matrices of NumPy and HDF5 both ways round, sparse ones, factors. And
// how blocks are planned, genes matched, rows resumed.
#include "core/impute/blas.h"
#include "core/impute/gene_matching.h"
#include "core/impute/imputation.h"
#include "core/impute/joint_embedding.h"
#include "core/impute/random_stream.h"
#include "core/impute/resume_journal.h"
#include "core/impute/stored_plan.h"
#include "core/impute/thinned_plan.h"
#include "tests/support/ot_vectors.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <fstream>

using namespace cellfolio;
using namespace cellfolio::impute;
using namespace cellfolio::test;

namespace {

using Doubles = std::vector<double>;

constexpr Index kRows = 61;
constexpr Index kColumns = 530; // more than a tile
constexpr Index kGenes = 7;

Doubles uniform(const char* name, Index count)
{
    RandomStream stream(5, name);
    Doubles values(at(count));
    for (double& value : values)
        value = stream.uniform();
    return values;
}

template <typename T>
T got(Result<T> result)
{
    if (!result)
        throw std::runtime_error(result.error().describe());
    return std::move(result).value();
}

// A plan with holes, and X.
Doubles planValues()
{
    Doubles plan = uniform("plan", kRows * kColumns);
    for (std::size_t k = 0; k < plan.size(); ++k)
        if (k % 3 != 0)
            plan[k] = 0;
    for (Index j = 0; j < kColumns; ++j)
        plan[at(4 * kColumns + j)] = 0; // a row without mass
    return plan;
}
const Doubles kX = uniform("x", kColumns* kGenes);

// Rows of P X, the plain way.
Doubles explicitProduct(const Doubles& plan, const std::vector<Index>& rows, Scaling scaling)
{
    Doubles columnSums(at(kColumns), 0.0);
    Doubles rowSums(at(kRows), 0.0);
    for (Index i = 0; i < kRows; ++i)
        for (Index j = 0; j < kColumns; ++j) {
            columnSums[at(j)] += plan[at(i * kColumns + j)];
            rowSums[at(i)] += plan[at(i * kColumns + j)];
        }
    Doubles result;
    for (Index row : rows)
        for (Index gene = 0; gene < kGenes; ++gene) {
            double sum = 0;
            for (Index j = 0; j < kColumns; ++j) {
                const double target = columnSums[at(j)] > 0 ? 1 / columnSums[at(j)] : 0;
                sum += plan[at(row * kColumns + j)] * kX[at(j * kGenes + gene)]
                     * (scaling == Scaling::Target ? target : 1);
            }
            if (scaling == Scaling::Source)
                sum = rowSums[at(row)] > 0 ? sum / rowSums[at(row)] : 0;
            result.push_back(sum);
        }
    return result;
}

ChunkPlan blocksOf(Index rows, Index genes)
{
    ChunkPlan chunks;
    chunks.rowBlock = rows;
    chunks.geneBlock = genes;
    return chunks;
}

struct Cut {
    Index rows;
    Index genes;
    int threads;
};
const Cut kCuts[] = {{1, kGenes, 1}, {7, kGenes, 2}, {kRows, kGenes, 1}, {7, 3, 1}, {kRows, 1, 2}};

template <typename Real>
Doubles imputed(PlanSource<Real>& plan, const std::vector<Index>& rows, Scaling scaling, const Cut& cut)
{
    auto expression = expressionOf<Real>(kColumns, kGenes, std::vector<Real>(kX.begin(), kX.end()));
    Doubles result(rows.size() * at(kGenes), -1);
    ImputeRequest<Real> request;
    request.plan = &plan;
    request.expression = expression.get();
    request.rows = rows;
    request.scaling = scaling;
    request.chunks = blocksOf(cut.rows, cut.genes);
    request.sink = [&](const ImputedBlock<Real>& block) -> Result<void> {
        for (Index i = 0; i < block.rows; ++i)
            for (Index k = 0; k < block.genes; ++k)
                result[at((block.firstRow + i) * kGenes + block.firstGene + k)] =
                    static_cast<double>(block.values[i * block.genes + k]);
        return {};
    };
    const auto done = imputeBlocks(request, {cut.threads, {}});
    if (!done)
        throw std::runtime_error(done.error().describe());
    return result;
}

std::vector<Index> allRows()
{
    std::vector<Index> rows;
    for (Index row = 0; row < kRows; ++row)
        rows.push_back(row);
    return rows;
}
const std::vector<Index> kSomeRows{2, 0, 60, 4, 0, 33};

void checkEveryCut(const std::function<std::unique_ptr<PlanSource<double>>()>& make, const Doubles& plan)
{
    for (const Scaling scaling : {Scaling::None, Scaling::Source, Scaling::Target})
        for (const Cut& cut : kCuts)
            for (const auto& rows : {allRows(), kSomeRows}) {
                auto source = make();
                QCOMPARE(source->rows(), kRows);
                QCOMPARE(source->columns(), kColumns);
                const double away = farthestRelative(imputed(*source, rows, scaling, cut),
                                                     explicitProduct(plan, rows, scaling));
                QVERIFY2(away < 1e-12, QByteArray::number(away));
            }
}

// An .npy file of doubles.
void writeNumpy(const std::filesystem::path& path, const Doubles& values, Index rows, Index columns,
                bool fortran = false, bool single = false)
{
    std::string text = std::string("{'descr': '") + (single ? "<f4" : "<f8") + "', 'fortran_order': "
                     + (fortran ? "True" : "False") + ", 'shape': (" + std::to_string(rows) + ", "
                     + std::to_string(columns) + "), }";
    text.append((64 - (10 + text.size() + 1) % 64) % 64, ' ');
    text += '\n';
    std::ofstream file(path, std::ios::binary);
    file.write("\x93NUMPY\x01\x00", 8);
    const char length[2] = {static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
    file.write(length, 2);
    file << text;
    for (double value : values) {
        const auto narrow = static_cast<float>(value);
        if (single)
            file.write(reinterpret_cast<const char*>(&narrow), 4);
        else
            file.write(reinterpret_cast<const char*>(&value), 8);
    }
}

Doubles transposed(const Doubles& values, Index rows, Index columns)
{
    Doubles result(values.size());
    for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < columns; ++j)
            result[at(j * rows + i)] = values[at(i * columns + j)];
    return result;
}

template <typename Real>
Points<Real> cloud(const char* name, Index count)
{
    const Doubles values = uniform(name, count * 3);
    return {count, 3, std::vector<Real>(values.begin(), values.end())};
}

template <typename Real>
SolvedPart<Real> solvedPart(std::vector<Index> rows)
{
    SolvedPart<Real> part;
    part.rows = std::move(rows);
    const auto all = cloud<Real>("source", kRows);
    Points<Real> own{static_cast<Index>(part.rows.size()), 3, {}};
    for (Index row : part.rows)
        own.values.insert(own.values.end(), all[row], all[row] + 3);
    part.cost = costBetween<Real>(CostKind::SquaredEuclidean, own, cloud<Real>("target", kColumns));
    part.cost.scale(got(scaleOf<Real>(part.cost, {}, {})));
    Doubles a(part.rows.size(), 1.0);
    a.front() = 0; // a row without mass
    for (double& weight : a)
        weight /= static_cast<double>(part.rows.size() - 1);
    const Doubles b(at(kColumns), 1.0 / static_cast<double>(kColumns));
    part.potentials = got(sinkhorn<Real>(part.cost, a, b, {}, {}));
    return part;
}

template <typename Real>
Doubles planOf(const std::vector<SolvedPart<Real>>& parts)
{
    Doubles plan(at(kRows * kColumns), 0.0);
    for (const auto& part : parts)
        for (std::size_t i = 0; i < part.rows.size(); ++i)
            for (Index j = 0; j < kColumns; ++j) {
                double cost = part.cost.r[i] + part.cost.c[at(j)];
                for (Index k = 0; k < part.cost.inner; ++k)
                    cost += static_cast<double>(part.cost.u[i * at(part.cost.inner) + at(k)])
                          * static_cast<double>(part.cost.v[at(j * part.cost.inner + k)]);
                plan[at(part.rows[i] * kColumns + j)] =
                    std::exp((part.potentials.f[i] + part.potentials.g[at(j)] - cost)
                             / part.potentials.epsilon);
            }
    return plan;
}

std::vector<std::vector<Index>> twoBatches()
{
    std::vector<std::vector<Index>> batches(2);
    for (Index row = 0; row < kRows; ++row)
        batches[row % 3 == 0 ? 0 : 1].push_back(row);
    return batches;
}

} // namespace

class ImputeBlocksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QVERIFY(prepareProducts().ok()); }

    void potentials()
    {
        std::vector<SolvedPart<double>> parts;
        parts.push_back(solvedPart<double>(allRows()));
        checkEveryCut([&] { return got(planOfPotentials<double>(parts, kRows, DeadRows::Zero, {})); },
                      planOf(parts));
    }

    void batchesThatAlternate()
    {
        std::vector<SolvedPart<double>> parts;
        for (auto& rows : twoBatches())
            parts.push_back(solvedPart<double>(std::move(rows)));
        checkEveryCut([&] { return got(planOfPotentials<double>(parts, kRows, DeadRows::Zero, {})); },
                      planOf(parts));
    }

    void singlePrecision()
    {
        std::vector<SolvedPart<float>> parts;
        parts.push_back(solvedPart<float>(allRows()));
        auto plan = got(planOfPotentials<float>(parts, kRows, DeadRows::Zero, {}));
        const Doubles exact = explicitProduct(planOf(parts), allRows(), Scaling::Source);
        const Doubles one = imputed<float>(*plan, allRows(), Scaling::Source, {kRows, kGenes, 1});
        QVERIFY(farthestRelative(one, exact) < 1e-5);
        for (const Cut& cut : kCuts)
            QVERIFY(farthestRelative(imputed<float>(*plan, allRows(), Scaling::Source, cut), one) < 1e-6);
        // Threads change no bit.
        QVERIFY(imputed<float>(*plan, allRows(), Scaling::Source, {kRows, kGenes, 3}) == one);
    }

    void rowsWithoutMassCanBeMapped()
    {
        std::vector<SolvedPart<double>> parts;
        parts.push_back(solvedPart<double>(allRows()));
        auto zero = got(planOfPotentials<double>(parts, kRows, DeadRows::Zero, {}));
        auto soft = got(planOfPotentials<double>(parts, kRows, DeadRows::Softmax, {}));
        const Doubles x = imputed<double>(*zero, allRows(), Scaling::Source, {7, kGenes, 1});
        const Doubles y = imputed<double>(*soft, allRows(), Scaling::Source, {7, kGenes, 1});
        for (Index gene = 0; gene < kGenes; ++gene) {
            QCOMPARE(x[at(gene)], 0.0);
            QVERIFY(y[at(gene)] > 0 && y[at(gene)] < 1); // an average of values in 0 … 1
        }
        QVERIFY(farthest(Doubles(x.begin() + kGenes, x.end()), Doubles(y.begin() + kGenes, y.end())) < 1e-14);
    }

    void storedMatrices_data()
    {
        QTest::addColumn<bool>("transposedFile");
        QTest::addColumn<bool>("fortran");
        QTest::newRow("as it is") << false << false;
        QTest::newRow("columns together") << false << true;
        QTest::newRow("transposed") << true << false;
        QTest::newRow("transposed, columns together") << true << true;
    }
    void storedMatrices()
    {
        QFETCH(bool, transposedFile);
        QFETCH(bool, fortran);
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("plan.npy").toStdString();
        const Doubles plan = planValues();
        const Doubles turned = transposed(plan, kRows, kColumns);
        // The file's own rows × columns, and the order in which they lie.
        writeNumpy(path, transposedFile != fortran ? turned : plan, transposedFile ? kColumns : kRows,
                   transposedFile ? kRows : kColumns, fortran);
        auto reading = std::make_shared<Reading>();
        const StoredPlan stored = got(StoredPlan::open(path.string(), reading, folder.path().toStdString(), {}));
        const PlanOrientation way = got(orientationOf(stored, kRows, kColumns, false));
        QCOMPARE(way.transposed, transposedFile);
        checkEveryCut([&] { return stored.source<double>(transposedFile); }, plan);
    }

    void onlyTheLargestWeights()
    {
        std::vector<SolvedPart<double>> parts;
        parts.push_back(solvedPart<double>(allRows()));
        Doubles plan = planOf(parts);
        for (Index i = 0; i < kRows; ++i) {
            const auto row = plan.begin() + i * kColumns;
            Doubles sorted(row, row + kColumns);
            std::nth_element(sorted.begin(), sorted.begin() + 4, sorted.end(), std::greater<>());
            for (Index j = 0; j < kColumns; ++j)
                if (row[j] < sorted[4])
                    row[j] = 0;
        }
        checkEveryCut([&] {
            return thinned<double>(got(planOfPotentials<double>(parts, kRows, DeadRows::Zero, {})), 5);
        }, plan);
    }

    void factors()
    {
        Factors factors{3, uniform("q", kRows * 3), uniform("r", kColumns * 3), {0.5, 0.25, 2}};
        Doubles plan(at(kRows * kColumns), 0.0);
        for (Index i = 0; i < kRows; ++i)
            for (Index j = 0; j < kColumns; ++j)
                for (Index k = 0; k < 3; ++k)
                    plan[at(i * kColumns + j)] += factors.q[at(i * 3 + k)] * factors.r[at(j * 3 + k)]
                                                / factors.g[at(k)];
        for (const Scaling scaling : {Scaling::None, Scaling::Source, Scaling::Target})
            for (const Cut& cut : kCuts) {
                auto expression = expressionOf<double>(kColumns, kGenes, kX);
                Doubles result(kSomeRows.size() * at(kGenes), -1);
                FactorRequest<double> request;
                request.factors = &factors;
                request.expression = expression.get();
                request.rows = kSomeRows;
                request.scaling = scaling;
                request.rowBlock = cut.rows;
                request.geneBlock = cut.genes;
                request.sink = [&](const ImputedBlock<double>& block) -> Result<void> {
                    for (Index i = 0; i < block.rows; ++i)
                        for (Index k = 0; k < block.genes; ++k)
                            result[at((block.firstRow + i) * kGenes + block.firstGene + k)] =
                                block.values[i * block.genes + k];
                    return {};
                };
                QVERIFY(imputeThroughFactors(request, {}).ok());
                QVERIFY(farthestRelative(result, explicitProduct(plan, kSomeRows, scaling)) < 1e-12);
            }
    }

    void plansThatDoNotFit()
    {
        const QTemporaryDir folder;
        auto reading = std::make_shared<Reading>();
        const auto open = [&](const std::string& name) {
            return StoredPlan::open(folder.filePath(QString::fromStdString(name)).toStdString(), reading,
                                    folder.path().toStdString(), {});
        };
        const auto path = [&](const char* name) {
            return std::filesystem::path(folder.filePath(name).toStdString());
        };
        writeNumpy(path("plan.npy"), Doubles(6, 1.0), 2, 3);
        const StoredPlan plan = got(open("plan.npy"));
        QVERIFY(!orientationOf(plan, std::nullopt, 5, false));
        QVERIFY(!orientationOf(plan, 2, 3, true));
        QVERIFY(got(orientationOf(plan, std::nullopt, 2, false)).transposed);
        // A length that the file does not have.
        std::filesystem::resize_file(path("plan.npy"), std::filesystem::file_size(path("plan.npy")) - 8);
        const auto cut = open("plan.npy");
        QVERIFY(!cut && cut.error().code() == ErrorCode::Corrupt);
        std::ofstream(path("text.npy")) << "no array at all, but long enough";
        QVERIFY(open("text.npy").error().code() == ErrorCode::Corrupt);
        std::ofstream(path("text.npz")) << "no archive at all, but long enough";
        QVERIFY(open("text.npz").error().code() == ErrorCode::Corrupt);
        QVERIFY(open("missing.npy").error().code() == ErrorCode::NotFound);
        writeNumpy(path("odd.npy"), {1, std::nan(""), 0, 1}, 2, 2);
        const StoredPlan odd = got(open("odd.npy"));
        auto source = odd.source<double>(false);
        const std::vector<Index> rows{0, 1};
        QVERIFY(source->begin(rows, {}).ok());
        const auto loaded = source->load(0, 2, {});
        QVERIFY(!loaded && loaded.error().message().find("row 0, column 1") != std::string::npos);
    }

    // The sizes of a report from practice, and what is promised of their plans.
    void chunksFitTheirBudget()
    {
        for (const Index mebibytes : {Index{32}, Index{48}, Index{64}, Index{128}, Index{512}, Index{2048}})
            for (const Index resident : {Index{-1}, Index{2'700'000} * 8 + 8 * 13298}) {
                ChunkRequest request;
                request.rows = 17806;
                request.columns = 13298;
                request.genes = 2039;
                request.inner = 30;
                request.threads = 2;
                request.budget = mebibytes << 20;
                request.residentBytes = resident;
                const ChunkPlan plan = got(planChunks(request));
                QVERIFY(plan.bytes <= request.budget);
                QVERIFY(plan.rowBlock * plan.rowPasses >= request.rows);
                QCOMPARE(plan.resident, resident >= 0 && mebibytes >= 128);
            }
        ChunkRequest request;
        request.rows = 17806;
        request.columns = 13298;
        request.genes = 2039;
        request.inner = 30;
        request.budget = Index{32} << 20;
        QCOMPARE(got(planChunks(request)).rowPasses, Index{89}); // as the design's table has it
        request.budget = Index{64} << 20;
        QCOMPARE(got(planChunks(request)).rowPasses, Index{9});
        request.budget = Index{16} << 20;
        const auto none = planChunks(request);
        QVERIFY(!none && none.error().code() == ErrorCode::OutOfBudget);
    }

    void genesAreMatchedByName()
    {
        const auto match = got(matchGenes({"Actb", "Blank-3", "Gad1", "x"}, {"Gad1", "Blank-3", "ACTB", "Actb"},
                                          NameCase::Matters));
        QCOMPARE(match.names, (std::vector<std::string>{"Gad1", "Actb"}));
        QCOMPARE(match.spatial, (std::vector<Index>{2, 0}));
        QCOMPARE(match.reference, (std::vector<Index>{0, 3}));
        QCOMPARE(match.probes, Index{1});
        const auto none = matchGenes({"g1", "g2"}, {"G1", "G2"}, NameCase::Matters);
        QVERIFY(!none && none.error().message().find("2 if case is ignored") != std::string::npos);
        QCOMPARE(got(matchGenes({"g1", "g2"}, {"G1", "G2"}, NameCase::Ignored)).size(), Index{2});
        const auto twice = matchGenes({"a", "b"}, {"a", "b", "a"}, NameCase::Matters);
        QVERIFY(!twice && twice.error().code() == ErrorCode::Ambiguous);
    }

    // Both ways to the axes give the same distances, and those of the data itself.
    void embeddingKeepsDistances()
    {
        constexpr Index kWide = 40;
        Doubles low = uniform("low", 90 * 5);
        const Doubles axes = uniform("axes", 5 * kWide);
        Doubles values(at(90 * kWide), 0.0);
        for (Index i = 0; i < 90; ++i)
            for (Index k = 0; k < 5; ++k)
                for (Index g = 0; g < kWide; ++g)
                    values[at(i * kWide + g)] += low[at(i * 5 + k)] * axes[at(k * kWide + g)];
        auto first = expressionOf<double>(50, kWide, Doubles(values.begin(), values.begin() + 50 * kWide));
        auto second = expressionOf<double>(40, kWide, Doubles(values.begin() + 50 * kWide, values.end()));
        for (const Index most : {Index{5000}, Index{0}}) {
            EmbeddingOptions options;
            options.components = 5;
            options.mostExactGenes = most;
            const auto points = got(jointEmbedding<double>({first.get(), second.get()}, options, {2, {}}));
            for (Index i = 0; i < 50; i += 7)
                for (Index j = 0; j < 40; j += 3) {
                    double direct = 0;
                    double scores = 0;
                    for (Index g = 0; g < kWide; ++g)
                        direct += std::pow(values[at(i * kWide + g)] - values[at((50 + j) * kWide + g)], 2);
                    for (Index k = 0; k < 5; ++k)
                        scores += std::pow(points[0][i][k] - points[1][j][k], 2);
                    QVERIFY(std::abs(direct - scores) < 1e-9);
                }
        }
    }

    void journalGoesOnWhereItEnded()
    {
        const QTemporaryDir folder;
        const std::filesystem::path target = folder.filePath("out.h5ad").toStdString();
        const std::vector<float> values{1, 2, 3, 4, 5, 6};
        const Doubles sums{0.5, 0.25};
        {
            auto journal = got(ResumeJournal::open(target, "key", 5, 3));
            QCOMPARE(journal->rowsDone(), Index{0});
            QVERIFY(journal->append(2, values.data(), sums.data()).ok());
            // Two runs at once do not share it.
            QVERIFY(!ResumeJournal::open(target, "key", 5, 3));
        }
        {
            auto journal = got(ResumeJournal::open(target, "key", 5, 3));
            QCOMPARE(journal->rowsDone(), Index{2});
            std::vector<float> back(6);
            Doubles backSums(2);
            QVERIFY(journal->read(0, 2, back.data(), backSums.data()).ok());
            QVERIFY(back == values && backSums == sums);
        }
        // Other options, or a file cut short: from the start.
        std::filesystem::resize_file(ResumeJournal::pathFor(target), 90);
        QCOMPARE(got(ResumeJournal::open(target, "key", 5, 3))->rowsDone(), Index{0});
        {
            auto journal = got(ResumeJournal::open(target, "key", 5, 3));
            QVERIFY(journal->append(2, values.data(), sums.data()).ok());
        }
        auto journal = got(ResumeJournal::open(target, "other", 5, 3));
        QCOMPARE(journal->rowsDone(), Index{0});
        journal->remove();
        QVERIFY(!std::filesystem::exists(ResumeJournal::pathFor(target)));
    }
};

QTEST_GUILESS_MAIN(ImputeBlocksTest)
#include "impute_blocks_test.moc"
