// SPDX-License-Identifier: GPL-3.0-or-later
// The solvers of mappings against the reference vectors, in double to the tolerance written beside
// them and in single precision to 1e-5; and laws that hold without them.
#include "core/impute/blas.h"
#include "core/impute/correlation.h"
#include "core/impute/fused_gw.h"
#include "core/impute/low_rank.h"
#include "core/impute/random_stream.h"
#include "core/impute/sinkhorn.h"
#include "core/impute/tile_stream.h"
#include "tests/support/ot_vectors.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace cellfolio;
using namespace cellfolio::impute;
using namespace cellfolio::test;

namespace {

using Doubles = std::vector<double>;

const std::vector<std::string> kSinkhornFiles{"sinkhorn_7x5", "sinkhorn_60x40", "sinkhorn_200x150"};

template <typename Real>
std::vector<Real> as(const Doubles& values)
{
    return std::vector<Real>(values.begin(), values.end());
}

template <typename Real>
Points<Real> pointsOf(const ReferenceArray& array)
{
    return {array.rows(), array.columns(), as<Real>(array.data)};
}

template <typename Real>
Matrix<Real> matrixOf(const ReferenceArray& array)
{
    return {array.rows(), array.columns(), as<Real>(array.data)};
}

Running threads(int count = 1)
{
    return {count, {}};
}

// Fails the test with the sentence of an error.
template <typename T>
T got(Result<T> result)
{
    if (!result)
        throw std::runtime_error(result.error().describe());
    return std::move(result).value();
}

template <typename Real>
InnerCost<Real> scaledCost(const ReferenceCase& reference, double* factor = nullptr)
{
    const std::string kind = reference.params.at("cost");
    const std::string mode = reference.params.at("scale_cost");
    CostScale scale;
    scale.mode = mode == "mean"  ? ScaleMode::Mean
               : mode == "std"   ? ScaleMode::Sd
               : mode == "max"   ? ScaleMode::Max
                                 : ScaleMode::None;
    auto cost = costBetween<Real>(kind == "cosine" ? CostKind::Cosine : CostKind::SquaredEuclidean,
                                  pointsOf<Real>(reference.in("x")), pointsOf<Real>(reference.in("y")));
    const double by = got(scaleOf<Real>(cost, scale, threads()));
    cost.scale(by);
    if (factor != nullptr)
        *factor = by;
    return cost;
}

SinkhornOptions optionsOf(const ReferenceCase& reference)
{
    SinkhornOptions options;
    options.epsilon = reference.params.at("eps");
    options.tauA = reference.params.at("tau_a");
    options.tauB = reference.params.at("tau_b");
    options.entropy =
        reference.params.at("reference") == "counting" ? Entropy::Counting : Entropy::Product;
    options.threshold = std::max(std::min(options.tauA, options.tauB) >= 1 ? 1e-13 : 1e-14,
                                 2e-15 / options.epsilon); // rounding allows no less
    options.maxIterations = 200000;
    options.annealing = options.epsilon < 0.005;
    return options;
}

// Potentials of points without weight are stored as 0.
Doubles finite(Doubles values)
{
    for (double& value : values)
        value = std::isfinite(value) ? value : 0;
    return values;
}

Doubles inverse(const Doubles& values)
{
    Doubles result;
    for (double value : values)
        result.push_back(value > 0 ? 1 / value : 0);
    return result;
}

template <typename Real>
Matrix<Real> rowsTimes(Matrix<Real> matrix, const Doubles& factor)
{
    for (Index i = 0; i < matrix.rows; ++i)
        for (Index k = 0; k < matrix.columns; ++k)
            matrix.values[at(i * matrix.columns + k)] =
                static_cast<Real>(static_cast<double>(matrix.values[at(i * matrix.columns + k)])
                                  * factor[at(i)]);
    return matrix;
}

template <typename Real>
Doubles applied(const CostSide<Real>& side, const Doubles& f, const Doubles& g, double epsilon,
                const Matrix<Real>& x)
{
    const auto result = got(applyPlan<Real>(side, f, g, epsilon, x, threads(2)));
    return Doubles(result.product.values.begin(), result.product.values.end());
}

Matrix<double> explicitPlan(const InnerCost<double>& cost, const Potentials& solved)
{
    Matrix<double> plan{cost.rows(), cost.columns(), {}};
    for (Index i = 0; i < cost.rows(); ++i)
        for (Index j = 0; j < cost.columns(); ++j) {
            double inner = cost.r[at(i)] + cost.c[at(j)];
            for (Index k = 0; k < cost.inner; ++k)
                inner += cost.u[at(i * cost.inner + k)] * cost.v[at(j * cost.inner + k)];
            if (cost.isRoot())
                inner = std::sqrt(std::max(inner, 0.0)) / cost.divisor;
            plan.values.push_back(
                std::exp((solved.f[at(i)] + solved.g[at(j)] - inner) / solved.epsilon));
        }
    return plan;
}

// Points from a stream, uniform in a cube.
template <typename Real>
Points<Real> cloud(std::uint64_t seed, Index count, Index dimensions)
{
    RandomStream stream(seed, "cloud");
    Points<Real> points{count, dimensions, {}};
    for (Index k = 0; k < count * dimensions; ++k)
        points.values.push_back(static_cast<Real>(stream.uniform()));
    return points;
}

} // namespace

class ImputeSolverTest : public QObject
{
    Q_OBJECT

private:
    // Every case of every file as a row of the table.
    static void addCases(const std::vector<std::string>& files)
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("number");
        bool any = false;
        for (const std::string& file : files) {
            const auto cases = referenceCases(file);
            for (std::size_t k = 0; k < cases.size(); ++k) {
                QTest::newRow((file + " " + cases[k].name).c_str())
                    << QString::fromStdString(file) << static_cast<int>(k);
                any = true;
            }
        }
        if (!any)
            QTest::newRow("none") << QString() << -1;
    }
    static ReferenceCase currentCase()
    {
        QFETCH(QString, file);
        QFETCH(int, number);
        return referenceCases(file.toStdString()).at(static_cast<std::size_t>(number));
    }
    static bool nothingToCompare()
    {
        QFETCH(int, number);
        return number < 0;
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(prepareProducts().ok()); }

    void sinkhornInDouble_data() { addCases(kSinkhornFiles); }
    void sinkhornInDouble()
    {
        if (nothingToCompare())
            QSKIP("The reference vectors are not there.");
        const ReferenceCase reference = currentCase();
        double factor = 0;
        const auto cost = scaledCost<double>(reference, &factor);
        QVERIFY(std::abs(factor - reference.number("cost_scale")) < 1e-8);
        const Doubles a = reference.in("a").data;
        const Doubles b = reference.in("b").data;
        const SinkhornOptions options = optionsOf(reference);
        const Potentials solved = got(sinkhorn<double>(cost, a, b, options, threads(2)));
        QVERIFY2(solved.converged || solved.error < 1e-11,
                 std::to_string(solved.error).c_str());
        QVERIFY(farthest(finite(solved.f), reference.out("f").data) < 1e-7);
        QVERIFY(farthest(finite(solved.g), reference.out("g").data) < 1e-7);
        const Marginals sums = got(marginalsOf<double>(cost, solved, threads(2)));
        QVERIFY(farthest(sums.rows, reference.out("row_marginal").data) < 1e-8);
        QVERIFY(farthest(sums.columns, reference.out("col_marginal").data) < 1e-8);

        const auto x = matrixOf<double>(reference.in("expr"));
        const auto pull = [&](const Matrix<double>& values) {
            return applied(cost.byRows(), solved.f, solved.g, solved.epsilon, values);
        };
        const Doubles none = pull(x);
        QVERIFY(farthest(none, reference.out("pull_none").data) < 1e-8);
        QVERIFY(farthest(pull(rowsTimes(x, inverse(sums.columns))),
                         reference.out("pull_target").data)
                < 1e-8);
        const auto source =
            rowsTimes(Matrix<double>{cost.rows(), x.columns, none}, inverse(sums.rows));
        QVERIFY(farthest(source.values, reference.out("pull_source").data) < 1e-8);
        // The softmax form also serves rows without mass; compared where there is some.
        auto soft = got(softmaxApply<double>(cost.byRows(), solved.g, solved.epsilon, x, threads(2)));
        for (Index i = 0; i < soft.rows; ++i)
            if (!(a[at(i)] > 0))
                std::fill_n(soft.values.begin() + i * soft.columns, soft.columns, 0.0);
        QVERIFY(farthest(soft.values, reference.out("pull_source").data) < 1e-8);

        if (reference.has("push_none")) {
            const auto push = [&](const Matrix<double>& values) {
                return applied(cost.byColumns(), solved.g, solved.f, solved.epsilon, values);
            };
            const Doubles back = push(source);
            QVERIFY(farthest(back, reference.out("push_none").data) < 1e-8);
            QVERIFY(farthest(push(rowsTimes(source, inverse(sums.rows))),
                             reference.out("push_source").data)
                    < 1e-8);
            QVERIFY(farthest(rowsTimes(Matrix<double>{cost.columns(), x.columns, back},
                                       inverse(sums.columns))
                                 .values,
                             reference.out("push_target").data)
                    < 1e-8);
        }
        if (reference.has("plan"))
            QVERIFY(farthest(explicitPlan(cost, solved).values, reference.out("plan").data) < 1e-8);

        const PlanFigures figures = got(figuresOf<double>(cost, solved, threads(2)));
        QVERIFY(std::abs(figures.transportCost - reference.number("transport_cost")) < 1e-8);
        QVERIFY(std::abs(dualValue(a, b, solved, options, figures.mass) - reference.number("dual"))
                < 1e-8);
        if (reference.has("pearson_pull_source")) {
            const ReferenceArray measured = reference.in("measured");
            const auto column = [&](const Doubles& values, Index k) {
                Doubles gene;
                for (Index i = 0; i < measured.rows(); ++i)
                    gene.push_back(values[at(i * measured.columns() + k)]);
                return gene;
            };
            Doubles pearsons;
            Doubles spearmans;
            for (Index k = 0; k < measured.columns(); ++k) {
                Doubles predicted = column(source.values, k);
                const Doubles truth = column(measured.data, k);
                pearsons.push_back(agreementOf(predicted, truth).pearson);
                for (double& value : predicted)
                    value = std::round(value * 1000) / 1000;
                spearmans.push_back(agreementOf(predicted, truth).spearman);
            }
            QVERIFY(farthest(pearsons, reference.out("pearson_pull_source").data) < 1e-7);
            QVERIFY(farthest(spearmans, reference.out("spearman_pull_source").data) < 1e-7);
        }
    }

    void singlePrecision_data() { addCases(kSinkhornFiles); }
    void singlePrecision()
    {
        if (nothingToCompare())
            QSKIP("The reference vectors are not there.");
        const ReferenceCase reference = currentCase();
        const auto cost = scaledCost<float>(reference);
        const Doubles a = reference.in("a").data;
        const Doubles b = reference.in("b").data;
        SinkhornOptions options = optionsOf(reference);
        if (options.epsilon < kLeastSingleEpsilon)
            QSKIP("Below this epsilon tiles are double.");
        const auto x = matrixOf<float>(reference.in("expr"));
        const Doubles wanted = reference.out("pull_source").data;
        const auto pulled = [&](const Potentials& solved) {
            const auto soft =
                got(softmaxApply<float>(cost.byRows(), solved.g, solved.epsilon, x, threads(2)));
            Doubles values(soft.values.begin(), soft.values.end());
            for (Index i = 0; i < soft.rows; ++i)
                if (!(a[at(i)] > 0))
                    std::fill_n(values.begin() + i * soft.columns, soft.columns, 0.0);
            return values;
        };
        const auto exact = got(sinkhorn<double>(scaledCost<double>(reference), a, b, options, threads()));
        const double ofTiles = farthestRelative(pulled(exact), wanted);
        QVERIFY2(ofTiles < 1e-5, std::to_string(ofTiles * 1e5).c_str());
        // Solved in single precision as well, as far as it can tell.
        options.threshold = 2e-6;
        options.maxIterations = 20000;
        const double ofAll = farthestRelative(pulled(got(sinkhorn<float>(cost, a, b, options, threads()))), wanted);
        QVERIFY2(ofAll < 1e-6 / options.epsilon, std::to_string(ofAll * 1e6).c_str());
    }

    void fusedGromovWassersteinInDouble_data() { addCases({"fgw_30x24"}); }
    void fusedGromovWassersteinInDouble()
    {
        if (nothingToCompare())
            QSKIP("The reference vectors are not there.");
        const ReferenceCase reference = currentCase();
        const SelfCost source = got(SelfCost::of(pointsOf<double>(reference.in("structure_x")), "x"));
        const SelfCost target = got(SelfCost::of(pointsOf<double>(reference.in("structure_y")), "y"));
        auto joint =
            costBetween<double>(CostKind::SquaredEuclidean, pointsOf<double>(reference.in("joint_x")),
                                pointsOf<double>(reference.in("joint_y")));
        joint.scale(got(scaleOf<double>(joint, {}, threads())));
        const Doubles a = reference.in("a").data;
        const Doubles b = reference.in("b").data;
        FusedOptions fused;
        fused.alpha = reference.params.at("alpha");
        fused.mostOuter = 3000;
        fused.outerThreshold = 1e-15;
        SinkhornOptions inner;
        inner.epsilon = reference.params.at("eps");
        inner.threshold = 1e-13;
        inner.maxIterations = 100000;
        const InnerCost<double>* used = fused.alpha >= 1 ? nullptr : &joint;
        const double phi = reference.params.at("phi");

        Doubles middle;
        for (Index k = 0; k < source.width; ++k)
            for (Index l = 0; l < target.width; ++l) {
                double x = 0;
                double y = 0;
                for (Index i = 0; i < source.count; ++i)
                    x += a[at(i)] * source.b[at(i * source.width + k)];
                for (Index j = 0; j < target.count; ++j)
                    y += b[at(j)] * target.a[at(j * target.width + l)];
                middle.push_back(x * y);
            }
        const auto first = linearised<double>(source, target, middle, a, b, used, phi);
        Potentials flat;
        flat.f.assign(a.size(), 0.0);
        flat.g.assign(b.size(), 0.0);
        flat.epsilon = 1;
        Doubles entries = explicitPlan(first, flat).values;
        for (double& entry : entries)
            entry = -std::log(entry);
        QVERIFY(farthestRelative(entries, reference.out("linearised_cost_at_product").data) < 1e-12);

        const auto solved =
            got(fusedGromovWasserstein<double>(source, target, used, a, b, fused, inner, threads(2)));
        QVERIFY(farthest(explicitPlan(solved.cost, solved.potentials).values,
                         reference.out("plan").data)
                < 1e-6);
        const auto pulled =
            got(softmaxApply<double>(solved.cost.byRows(), solved.potentials.g, inner.epsilon,
                                     matrixOf<double>(reference.in("expr")), threads(2)));
        QVERIFY(farthest(pulled.values, reference.out("pull_source").data) < 1e-6);
    }

    void lowRankInDouble_data() { addCases({"lowrank_60x40"}); }
    void lowRankInDouble()
    {
        if (nothingToCompare())
            QSKIP("The reference vectors are not there.");
        const ReferenceCase reference = currentCase();
        auto cost = costBetween<double>(CostKind::SquaredEuclidean, pointsOf<double>(reference.in("x")),
                                        pointsOf<double>(reference.in("y")));
        cost.scale(got(scaleOf<double>(cost, {}, threads())));
        const Doubles a = reference.in("a").data;
        const Doubles b = reference.in("b").data;
        // The stored start is the one that our own stream of random numbers makes.
        const Factors ours = got(lowRankStart(a, b, 5, 0, threads()));
        QVERIFY(farthest(ours.q, reference.in("q0").data) < 1e-12);
        QVERIFY(farthest(ours.r, reference.in("r0").data) < 1e-12);
        Factors start{5, reference.in("q0").data, reference.in("r0").data, reference.in("g0").data};
        LowRankOptions options;
        options.mostSteps = 60;
        options.threshold = 0;
        const LowRankSolution solved =
            got(lowRankTransport(cost, a, b, std::move(start), options, threads()));
        QVERIFY(farthest(solved.factors.q, reference.out("q").data) < 1e-6);
        QVERIFY(farthest(solved.factors.r, reference.out("r").data) < 1e-6);
        QVERIFY(farthest(solved.factors.g, reference.out("g").data) < 1e-6);
        QVERIFY(farthest(solved.values, reference.out("values").data) < 1e-6);
    }

    void randomStream()
    {
        const auto cases = referenceCases("random_stream");
        if (cases.empty())
            QSKIP("The reference vectors are not there.");
        RandomStream bits(7, "check");
        for (const auto& hex : cases.front().expected.at("bits_hex"))
            QCOMPARE(bits.bits(), std::stoull(hex.get<std::string>(), nullptr, 16));
        RandomStream stream(7, "check");
        for (double expected : cases.front().out("uniform").data)
            QVERIFY(std::abs(stream.uniform() - expected) < 1e-12);
    }

    // Known values of a 2 x 2 problem: those of the manual of another library, eps 1.
    void publishedPlans()
    {
        InnerCost<double> cost;
        cost.r = {0.25, 0.25};
        cost.c = {0.25, 0.25};
        cost.inner = 1;
        cost.u = {1, -1};
        cost.v = {-0.5, 0.5}; // 0 on the diagonal, 1 beside it
        const Doubles half{0.5, 0.5};
        const auto plan = [&](double tau, Entropy entropy) {
            SinkhornOptions options;
            options.epsilon = 1;
            options.tauA = options.tauB = tau;
            options.entropy = entropy;
            options.threshold = 1e-14;
            return explicitPlan(cost, got(sinkhorn<double>(cost, half, half, options, threads())))
                .values;
        };
        const Doubles balanced = plan(1, Entropy::Counting);
        QVERIFY(std::abs(balanced[0] - 0.36552929) < 1e-7 && std::abs(balanced[1] - 0.13447071) < 1e-7);
        const Doubles product = plan(0.5, Entropy::Product);
        QVERIFY(std::abs(product[0] - 0.3220536) < 1e-7 && std::abs(product[1] - 0.1184769) < 1e-7);
        const Doubles counting = plan(0.5, Entropy::Counting);
        QVERIFY(std::abs(counting[0] - 0.51122823) < 1e-7 && std::abs(counting[1] - 0.18807035) < 1e-7);
    }

    // Larger than a tile on both sides, with a rest of neither vector nor tile length.
    void bitsDoNotDependOnThreads()
    {
        auto cost = costBetween<float>(CostKind::SquaredEuclidean, cloud<float>(1, 777, 7),
                                       cloud<float>(2, 1111, 7));
        cost.scale(got(scaleOf<float>(cost, {}, threads())));
        const Doubles a(777, 1.0 / 777);
        const Doubles b(1111, 1.0 / 1111);
        SinkhornOptions options;
        options.epsilon = 0.05;
        const Potentials one = got(sinkhorn<float>(cost, a, b, options, threads(1)));
        const Potentials three = got(sinkhorn<float>(cost, a, b, options, threads(3)));
        QVERIFY(one.converged);
        QVERIFY(one.f == three.f && one.g == three.g);
        Matrix<float> x{1111, 13, cloud<float>(3, 1111, 13).values};
        const auto y1 = got(applyPlan<float>(cost.byRows(), one.f, one.g, 0.05, x, threads(1)));
        const auto y3 = got(applyPlan<float>(cost.byRows(), one.f, one.g, 0.05, x, threads(3)));
        QVERIFY(y1.product.values == y3.product.values && y1.rowSum == y3.rowSum);
    }

    void tilesAgreeWithTheWholeMatrix_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("squared") << static_cast<int>(CostKind::SquaredEuclidean);
        QTest::newRow("cosine") << static_cast<int>(CostKind::Cosine);
        QTest::newRow("euclidean") << static_cast<int>(CostKind::Euclidean);
    }
    void tilesAgreeWithTheWholeMatrix()
    {
        QFETCH(int, kind);
        const auto x = cloud<double>(4, 301, 5);
        const auto y = cloud<double>(5, 533, 5);
        auto cost = costBetween<double>(static_cast<CostKind>(kind), x, y);
        // Every entry the plain way.
        Doubles plain;
        for (Index i = 0; i < x.count; ++i)
            for (Index j = 0; j < y.count; ++j) {
                double square = 0, dot = 0, lx = 0, ly = 0;
                for (Index k = 0; k < 5; ++k) {
                    square += (x[i][k] - y[j][k]) * (x[i][k] - y[j][k]);
                    dot += x[i][k] * y[j][k];
                    lx += x[i][k] * x[i][k];
                    ly += y[j][k] * y[j][k];
                }
                plain.push_back(kind == static_cast<int>(CostKind::Cosine) ? 1 - dot / std::sqrt(lx * ly)
                                : kind == static_cast<int>(CostKind::Euclidean) ? std::sqrt(square)
                                                                                : square);
            }
        double mean = 0, meanSquare = 0, largest = 0;
        for (double entry : plain) {
            mean += entry / static_cast<double>(plain.size());
            meanSquare += entry * entry / static_cast<double>(plain.size());
            largest = std::max(largest, entry);
        }
        for (const auto& [mode, wanted] :
             {std::pair{ScaleMode::Mean, mean}, std::pair{ScaleMode::Max, largest},
              std::pair{ScaleMode::Sd, std::sqrt(meanSquare - mean * mean)}})
            QVERIFY(std::abs(got(scaleOf<double>(cost, {mode, 1}, threads(2))) - wanted) < 1e-9);
        cost.scale(mean);
        RandomStream stream(6, "g");
        Doubles f, g;
        for (Index i = 0; i < x.count; ++i)
            f.push_back(0.1 * stream.uniform() - 0.6);
        for (Index j = 0; j < y.count; ++j)
            g.push_back(j % 11 == 0 ? -std::numeric_limits<double>::infinity()
                                    : 0.1 * stream.uniform() - 0.6);
        Potentials solved;
        solved.f = f;
        solved.g = g;
        solved.epsilon = 0.1;
        Doubles sums(at(x.count), 0.0);
        Doubles product(at(x.count), 0.0);
        double mass = 0, transport = 0, perplexity = 0;
        for (Index i = 0; i < x.count; ++i) {
            double rowSum = 0, entropy = 0;
            for (Index j = 0; j < y.count; ++j) {
                const double entry = plain[at(i * y.count + j)] / mean;
                const double p = std::exp((f[at(i)] + g[at(j)] - entry) / 0.1);
                sums[at(i)] += std::exp((g[at(j)] - entry) / 0.1);
                product[at(i)] += p * static_cast<double>(j);
                rowSum += p;
                transport += p * entry;
                entropy -= p > 0 ? p * std::log(p) : 0;
            }
            mass += rowSum;
            perplexity += std::exp(entropy / rowSum + std::log(rowSum)) / static_cast<double>(x.count);
        }
        for (double& value : sums)
            value = std::log(value);
        QVERIFY(farthest(got(logSumExp<double>(cost.byRows(), g, 0.1, threads(2))), sums) < 1e-9);
        Matrix<double> column{y.count, 1, {}};
        for (Index j = 0; j < y.count; ++j)
            column.values.push_back(static_cast<double>(j));
        const auto result = got(applyPlan<double>(cost.byRows(), f, g, 0.1, column, threads(2)));
        QVERIFY(farthestRelative(result.product.values, product) < 1e-11);
        const PlanFigures figures = got(figuresOf<double>(cost, solved, threads(2)));
        QVERIFY(std::abs(figures.mass / mass - 1) < 1e-10);
        QVERIFY(std::abs(figures.transportCost / transport - 1) < 1e-10);
        QVERIFY(std::abs(figures.perplexity / perplexity - 1) < 1e-9);
    }

    void cancelEndsOrKeeps()
    {
        auto cost = costBetween<float>(CostKind::SquaredEuclidean, cloud<float>(1, 500, 3),
                                       cloud<float>(2, 600, 3));
        cost.scale(got(scaleOf<float>(cost, {}, threads())));
        const Doubles a(500, 1.0 / 500);
        const Doubles b(600, 1.0 / 600);
        std::stop_source stop;
        SinkhornOptions options;
        options.epsilon = 0.01;
        options.threshold = 1e-9;
        options.report = [&](Index iteration, double) {
            if (iteration == 5)
                stop.request_stop();
        };
        const auto ended = sinkhorn<float>(cost, a, b, options, {2, stop.get_token()});
        QVERIFY(!ended && ended.error().code() == ErrorCode::Cancelled);
        stop = std::stop_source();
        options.onStop = SinkhornOptions::OnStop::Keep;
        const auto kept = sinkhorn<float>(cost, a, b, options, {2, stop.get_token()});
        QVERIFY(kept.ok() && kept->stopped && !kept->converged);
        QCOMPARE(kept->iterations, Index{5});
        const Marginals sums = got(marginalsOf<float>(cost, *kept, threads()));
        QVERIFY(farthest(sums.rows, a) < 1e-8); // rows hold
    }

    void onePlaceIsRefused()
    {
        Points<double> same{4, 2, Doubles(8, 1.0)};
        const auto cost = costBetween<double>(CostKind::SquaredEuclidean, same, same);
        const auto scale = scaleOf<double>(cost, {}, threads());
        QVERIFY(!scale && scale.error().code() == ErrorCode::Refused);
    }

    void constantGenesHaveNoCorrelation()
    {
        const Doubles constant(5, 0.1);
        const Doubles rising{1, 2, 3, 4, 5};
        QVERIFY(std::isnan(agreementOf(constant, rising).pearson));
        QVERIFY(std::isnan(agreementOf(rising, constant).spearman));
        QCOMPARE(averageRanks(Doubles{2, 1, 2, 3}), (Doubles{2.5, 1, 2.5, 4}));
        const Spread spread = spreadOf({3, std::nan(""), 1, 2, 10});
        QCOMPARE(spread.mean, 4.0);
        QCOMPARE(spread.median, 2.5);
        QCOMPARE(spread.count, Index{4});
    }
};

QTEST_GUILESS_MAIN(ImputeSolverTest)
#include "impute_solver_test.moc"
