// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks and figures of every matrix at hand, against a plain dense copy made from the stored
// arrays as the library reads them: no page, no window and no stream in between.
#include "core/matrix/matrix_reader.h"
#include "core/matrix/sparse_reader.h"
#include "core/matrix/stats.h"
#include "tests/support/corpus.h"

#include <Eigen/Core>

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace cellfolio;
using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

namespace {

constexpr Index kMostValues = 60'000;

Result<Values> readAll(const ArrayRef& array)
{
    hdf5::File::Slab slab;
    slab.start.assign(array.info().shape.size(), 0);
    slab.count = array.info().shape;
    slab.member = array.member;
    return array.file->read(*array.object, slab, hdf5::Lane::Bulk);
}

// An entry of the plain copy: values of one place and how they are stored.
struct Entry {
    Index row;
    Index column;
    double value;
};

struct Plain {
    Dense sums; // entries added up
    std::vector<Entry> entries;
    bool sparse = false;
};

std::optional<Plain> plainCopy(const Element& element)
{
    const std::vector<Index>& shape = *element.shape;
    Plain plain;
    plain.sparse = element.isSparse();
    const Index rows = shape[0];
    const Index columns = shape.size() > 1 ? shape[1] : 1;
    plain.sums = Dense::Zero(rows, columns);
    auto values = readAll(element.values);
    if (!values)
        return std::nullopt;
    if (!plain.sparse) {
        for (Index row = 0; row < rows; ++row)
            for (Index column = 0; column < columns; ++column) {
                const double value = values->number(element.transposed ? column * rows + row
                                                                       : row * columns + column);
                plain.sums(row, column) = value;
                plain.entries.push_back({row, column, value});
            }
        return plain;
    }
    auto indices = readAll(element.indices);
    auto indptr = readAll(element.indptr);
    if (!indices || !indptr)
        return std::nullopt;
    const bool byRows = element.storage == Storage::Csr;
    for (Index line = 0; line + 1 < indptr->size(); ++line)
        for (Index e = indptr->integer(line); e < indptr->integer(line + 1); ++e) {
            const Index index = indices->integer(e);
            const Entry entry{byRows ? line : index, byRows ? index : line, values->number(e)};
            plain.sums(entry.row, entry.column) += entry.value;
            plain.entries.push_back(entry);
        }
    return plain;
}

// {everything, a range, every third, backwards, a set, a list with repeats, nothing}
std::vector<Selection> selections(Index extent, std::mt19937_64& random)
{
    std::vector<Selection> result{Selection::all(extent), Selection::none(extent)};
    if (extent == 0)
        return result;
    const auto any = [&] { return static_cast<Index>(random() % static_cast<std::uint64_t>(extent)); };
    result.push_back(Selection::slice(extent, extent / 3, extent / 3 + 5));
    result.push_back(Selection::slice(extent, {}, {}, 3));
    result.push_back(Selection::slice(extent, {}, {}, -1));
    std::vector<Index> list;
    for (int k = 0; k < 13; ++k)
        list.push_back(any());
    list.push_back(list.front());
    result.push_back(Selection::indices(extent, list));
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    result.push_back(Selection::indices(extent, list));
    return result;
}

bool near(double a, double b, double scale)
{
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= 1e-10 * std::max({scale, std::abs(a), std::abs(b)}) + 1e-300;
}

// Figures of the entries of a selection, by brute force in long doubles, dense zeros written out.
struct Brute {
    std::vector<double> values; // NaN left out
    Index n = 0;
    Index stored = 0;
    Index nonZero = 0;
    Index nan = 0;

    void add(double value)
    {
        ++stored;
        nonZero += value != 0 ? 1 : 0;
        if (std::isnan(value))
            ++nan;
        else
            values.push_back(value);
    }
};

double numpyQuantile(const std::vector<double>& sorted, double p)
{
    const double place = p * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const double high = sorted[std::min(low + 1, sorted.size() - 1)];
    const double share = place - static_cast<double>(low);
    return share == 0 ? sorted[low] : sorted[low] + (high - sorted[low]) * share;
}

QByteArray compare(Brute brute, const Figures& figures, bool sparse, bool narrow)
{
    for (Index k = brute.stored; k < brute.n; ++k)
        brute.values.push_back(0);
    std::sort(brute.values.begin(), brute.values.end());
    if (figures.n != brute.n || figures.stored != brute.stored || figures.nnz != brute.nonZero
        || figures.nan != brute.nan)
        return "counts differ";
    if (figures.explicitZeros != (sparse ? brute.stored - brute.nonZero : 0))
        return "explicit zeros differ";
    long double sum = 0;
    long double size = 0;
    bool infinite = false;
    for (const double v : brute.values) {
        sum += v;
        size += std::abs(v);
        infinite = infinite || std::isinf(v);
    }
    if (!near(figures.sum.number(), static_cast<double>(sum), static_cast<double>(size)))
        return "sum " + QByteArray::number(figures.sum.number(), 'g', 17) + ", not "
               + QByteArray::number(static_cast<double>(sum), 'g', 17);
    if (brute.values.empty())
        return figures.min || figures.mean ? "figures of nothing" : "";
    // Duplicates counted as stored can outnumber places; then the mean is over the places.
    if (figures.min != brute.values.front() || figures.max != brute.values.back())
        return "min or max differ";
    if (infinite)
        return figures.sd ? "a spread of infinite values" : "";
    const auto n = static_cast<long double>(brute.values.size());
    const long double mean = sum / n;
    if (!near(*figures.mean, static_cast<double>(mean), static_cast<double>(size / n)))
        return "mean differs";
    if (brute.values.size() > 1) {
        long double squares = 0;
        long double scale = 0;
        for (const double v : brute.values) {
            squares += (v - mean) * (v - mean);
            scale += static_cast<long double>(v) * v;
        }
        const auto sd = static_cast<double>(std::sqrt(squares / (n - 1)));
        if (sd > 1e150) // squares leave the double: none is given
            return figures.sd ? "a spread past what can be squared" : "";
        // Relative 1e-9, but where all of the spread is rounding.
        if (!figures.sd
            || std::abs(*figures.sd - sd)
                   > 1e-9 * sd + 1e-12 * static_cast<double>(std::sqrt(scale / n)))
            return "sd " + QByteArray::number(figures.sd.value_or(-1), 'g', 17) + ", not "
                   + QByteArray::number(sd, 'g', 17);
    }
    for (const auto& [p, value] : figures.quantiles)
        if (!near(value, numpyQuantile(brute.values, p), narrow ? 1e-6 * std::abs(value) : 0))
            return "quantile " + QByteArray::number(p) + " is " + QByteArray::number(value, 'g', 17)
                   + ", not " + QByteArray::number(numpyQuantile(brute.values, p), 'g', 17);
    return "";
}

} // namespace

class MatrixOracleTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agrees_data();
    void agrees();

private:
    void checkBlocks(const MatrixReader& reader, const Plain& plain);
    void checkLines(const SparseSource& source, const Plain& plain);
    void checkFigures(const std::shared_ptr<const Dataset>& dataset, const Element& element,
                      const Plain& plain, const std::shared_ptr<Reading>& reading);
    std::mt19937_64 m_random{7};
};

void MatrixOracleTest::agrees_data()
{
    QTest::addColumn<QString>("path");
    for (const auto& file : test::allFiles())
        QTest::newRow(file.filename().c_str()) << QString::fromStdString(file.string());
}

void MatrixOracleTest::agrees()
{
    QFETCH(QString, path);
    const auto dataset = Dataset::open(path.toStdString());
    if (!dataset)
        QSKIP(dataset.error().message().c_str());
    const auto tiny = std::make_shared<Reading>(Reading::Options{Index{16} << 20, 8 << 10, 1});
    const auto ample = std::make_shared<Reading>(Reading::Options{Index{512} << 20, 0, 3});
    int checked = 0;
    for (const Element* element : (*dataset)->elements()) {
        if (!element->values || !element->shape || element->whyNot || element->shape->empty()
            || element->shape->size() > 2 || !isReal(element->values.dtype())
            || (element->kind != ElementKind::Matrix && element->kind != ElementKind::Array)
            || checked > 20)
            continue;
        Index places = 1;
        for (const Index length : *element->shape)
            places *= length;
        if (std::max(places, element->stored.value_or(0)) > kMostValues)
            continue;
        // Damaged pointers and indices have tests of their own; a plain copy cannot hold them.
        const auto reader = MatrixReader::open(*dataset, *element, ample);
        if (!reader || !(*reader)->block(Selection::all((*reader)->rows()),
                                         Selection::all((*reader)->columns())))
            continue;
        const std::optional<Plain> plain = plainCopy(*element);
        if (!plain)
            continue;
        ++checked;
        for (const auto& reading : {tiny, ample}) {
            const auto opened = MatrixReader::open(*dataset, *element, reading);
            QVERIFY(opened.ok());
            checkBlocks(**opened, *plain);
            if (element->isSparse()) {
                // The same by scans, which otherwise only large matrices see.
                auto source = SparseSource::open(*dataset, *element, reading);
                QVERIFY(source.ok());
                checkBlocks(SparseReader(*dataset, *element, reading, *source, 0), *plain);
                checkLines(*source, *plain);
            }
            checkFigures(*dataset, *element, *plain, reading);
            if (QTest::currentTestFailed()) {
                qWarning("at %s", element->path.c_str());
                return;
            }
        }
    }
}

void MatrixOracleTest::checkBlocks(const MatrixReader& reader, const Plain& plain)
{
    for (const Selection& rows : selections(reader.rows(), m_random))
        for (const Selection& columns : selections(reader.columns(), m_random)) {
            auto block = reader.block(rows, columns);
            if (!block && block.error().code() == ErrorCode::OutOfBudget)
                continue;
            QVERIFY2(block.ok(), block.ok() ? "" : block.error().describe().c_str());
            QCOMPARE(block->size(), rows.size() * columns.size());
            for (Index r = 0; r < rows.size(); ++r)
                for (Index c = 0; c < columns.size(); ++c) {
                    const double value = block->number(r * columns.size() + c);
                    const double expected = plain.sums(rows[r], columns[c]);
                    if (value == expected || (std::isnan(value) && std::isnan(expected)))
                        continue;
                    QVERIFY2(near(value, expected, 0)
                                 || (std::abs(value - expected) <= 1e-6 * std::abs(expected)),
                             qPrintable(QString("row %1 column %2: %3, not %4")
                                            .arg(rows[r])
                                            .arg(columns[c])
                                            .arg(value)
                                            .arg(expected)));
                }
        }
}

void MatrixOracleTest::checkLines(const SparseSource& source, const Plain& plain)
{
    // Lines in three parts give the entries in the order they are stored.
    std::size_t seen = 0;
    const Index step = std::max(Index{1}, source.lines() / 3);
    for (Index first = 0; first < source.lines(); first += step) {
        auto block = source.block(first, std::min(step, source.lines() - first));
        QVERIFY2(block.ok(), block.ok() ? "" : block.error().describe().c_str());
        for (Index line = 0; line < block->lines(); ++line)
            for (Index e = block->indptr[at(line)]; e < block->indptr[at(line + 1)]; ++e) {
                const Entry& entry = plain.entries[seen++];
                QCOMPARE(block->indices[at(e)], source.byRows() ? entry.column : entry.row);
                QCOMPARE(first + line, source.byRows() ? entry.row : entry.column);
                const double value = block->data.number(e);
                QVERIFY(value == entry.value || (std::isnan(value) && std::isnan(entry.value)));
            }
    }
    QCOMPARE(seen, plain.entries.size());
}

void MatrixOracleTest::checkFigures(const std::shared_ptr<const Dataset>& dataset,
                                    const Element& element, const Plain& plain,
                                    const std::shared_ptr<Reading>& reading)
{
    const Index rows = plain.sums.rows();
    const Index columns = plain.sums.cols();
    const bool narrow = element.values.dtype() == DType::Float32;
    const std::vector<std::optional<Selection>> rowChoices{
        std::nullopt, selections(rows, m_random).back(),
        rows > 0 ? selections(rows, m_random)[5] : Selection::none(rows)};
    const std::vector<std::optional<Selection>> columnChoices{
        std::nullopt, columns > 0 ? selections(columns, m_random)[5] : Selection::none(columns)};
    for (const auto& rowChoice : rowChoices)
        for (const auto& columnChoice : columnChoices) {
            if (element.shape->size() == 1 && columnChoice)
                continue;
            StatsOptions options;
            options.rows = rowChoice;
            options.columns = columnChoice;
            options.quantiles = {0, 0.1, 0.5, 0.975, 1};
            std::vector<Index> rowTimes(static_cast<std::size_t>(rows), rowChoice ? 0 : 1);
            std::vector<Index> columnTimes(static_cast<std::size_t>(columns), columnChoice ? 0 : 1);
            if (rowChoice)
                for (const Index row : rowChoice->positions())
                    ++rowTimes[at(row)];
            if (columnChoice)
                for (const Index column : columnChoice->positions())
                    ++columnTimes[at(column)];

            Brute all;
            all.n = std::accumulate(rowTimes.begin(), rowTimes.end(), Index{0})
                    * std::accumulate(columnTimes.begin(), columnTimes.end(), Index{0});
            std::vector<Brute> byRow(static_cast<std::size_t>(rows));
            std::vector<Brute> byColumn(static_cast<std::size_t>(columns));
            for (const Entry& entry : plain.entries) {
                const Index rowTimesHere = rowTimes[at(entry.row)];
                const Index columnTimesHere = columnTimes[at(entry.column)];
                for (Index k = 0; k < rowTimesHere * columnTimesHere; ++k)
                    all.add(entry.value);
                for (Index k = 0; k < columnTimesHere; ++k)
                    byRow[at(entry.row)].add(entry.value);
                for (Index k = 0; k < rowTimesHere; ++k)
                    byColumn[at(entry.column)].add(entry.value);
            }
            auto stats = matrixStats(dataset, element, reading, options);
            if (!stats && stats.error().code() == ErrorCode::OutOfBudget)
                continue;
            QVERIFY2(stats.ok(), stats.ok() ? "" : stats.error().describe().c_str());
            QByteArray difference = compare(all, stats->figures, plain.sparse, narrow);
            QVERIFY2(difference.isEmpty(), difference);
            if (element.shape->size() != 2)
                continue;
            for (const int axis : {0, 1}) {
                auto by = matrixStatsBy(dataset, element, axis, reading, options);
                if (!by && by.error().code() == ErrorCode::OutOfBudget)
                    continue;
                QVERIFY2(by.ok(), by.ok() ? "" : by.error().describe().c_str());
                const auto& choice = axis == 0 ? rowChoice : columnChoice;
                const Index lines = axis == 0 ? rows : columns;
                QCOMPARE(static_cast<Index>(by->size()), choice ? choice->size() : lines);
                for (std::size_t k = 0; k < by->size(); ++k) {
                    const Index line = choice ? (*choice)[static_cast<Index>(k)]
                                              : static_cast<Index>(k);
                    Brute brute = axis == 0 ? byRow[at(line)] : byColumn[at(line)];
                    const auto& times = axis == 0 ? columnTimes : rowTimes;
                    brute.n = std::accumulate(times.begin(), times.end(), Index{0});
                    difference = compare(brute, (*by)[k], plain.sparse, narrow);
                    QVERIFY2(difference.isEmpty(), "axis " + QByteArray::number(axis) + " line "
                                                       + QByteArray::number(line) + ": "
                                                       + difference);
                }
            }
        }
}

QTEST_GUILESS_MAIN(MatrixOracleTest)
#include "matrix_oracle_test.moc"
