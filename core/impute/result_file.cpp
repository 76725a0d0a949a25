// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/result_file.h"

#include "core/anndata/column_reader.h"
#include "core/hdf5/object_copier.h"
#include "core/impute/table_copy.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace cellfolio::impute {

namespace {

constexpr double kNoMass = 1e-300;
constexpr Index kRowsAtOnce = 256; // of measured values

const char* nameOf(Scaling scaling)
{
    switch (scaling) {
    case Scaling::Source: return "source";
    case Scaling::Target: return "target";
    case Scaling::None: return "none";
    }
    return "";
}

// Entries of some rows as a batch of a CSR matrix.
struct RowBatch {
    std::vector<std::int32_t> narrow;
    std::vector<Index> wide;
    std::vector<float> values;
    std::vector<Index> ends;

    void add(Index column, float value)
    {
        wide.push_back(column);
        values.push_back(value);
    }
    void endRow() { ends.push_back(static_cast<Index>(values.size())); }

    Result<void> appendTo(SparseWriter& writer)
    {
        SparseWriter::Batch batch;
        batch.entries = static_cast<Index>(values.size());
        batch.values = reinterpret_cast<const std::byte*>(values.data());
        batch.ends = ends;
        if (writer.indexType() == DType::Int32) {
            narrow.assign(wide.begin(), wide.end());
            batch.indices = reinterpret_cast<const std::byte*>(narrow.data());
        } else {
            batch.indices = reinterpret_cast<const std::byte*>(wide.data());
        }
        return writer.append(batch);
    }
};

} // namespace

Result<std::unique_ptr<ResultFile>> ResultFile::create(const ImputeJob& job)
{
    std::unique_ptr<ResultFile> file(new ResultFile(job));
    auto writer = H5adWriter::create(job.target, job.staging);
    if (!writer)
        return std::move(writer).error();
    file->m_writer = std::move(*writer);
    if (auto begun = file->m_writer->beginData(); !begun)
        return std::move(begun).error();
    const auto rows = static_cast<Index>(job.rows.size());
    if (job.keep > 0) {
        H5adWriter::Sparse sparse;
        sparse.rows = rows;
        sparse.columns = job.genes.size();
        sparse.entries = rows * std::min(job.keep, job.genes.size());
        auto made = file->m_writer->sparse("X", sparse);
        if (!made)
            return std::move(made).error();
        file->m_sparse = std::move(*made);
    } else {
        auto made = file->m_writer->dense("X", DType::Float32, {rows, job.genes.size()});
        if (!made)
            return std::move(made).error();
        file->m_dense = std::move(*made);
    }
    return file;
}

Result<void> ResultFile::write(Index firstRow, Index rows, Index firstGene, Index genes, float* values,
                               const double* rowSums)
{
    for (Index row = 0; row < rows; ++row) {
        m_rowSums[at(firstRow + row)] = rowSums[row];
        if (m_job.zeroMass == ZeroMass::Missing && !(rowSums[row] > kNoMass))
            std::fill_n(values + row * genes, genes, std::numeric_limits<float>::quiet_NaN());
    }
    if (m_sparse)
        return writeSparse(rows, values);
    const auto* bytes = reinterpret_cast<const std::byte*>(values);
    if (firstGene == 0 && genes == m_job.genes.size())
        return m_dense.write(firstRow, rows, bytes);
    return m_dense.array().write({firstRow, firstGene}, {rows, genes},
                                 {bytes, at(rows * genes) * sizeof(float)});
}

Result<void> ResultFile::writeSparse(Index rows, const float* values)
{
    const Index genes = m_job.genes.size();
    RowBatch batch;
    std::vector<Index> order(at(genes));
    for (Index row = 0; row < rows; ++row) {
        const float* from = values + row * genes;
        std::iota(order.begin(), order.end(), Index{0});
        const Index kept = std::min(m_job.keep, genes);
        const auto larger = [from](Index x, Index y) {
            return from[x] != from[y] ? from[x] > from[y] : x < y;
        };
        std::nth_element(order.begin(), order.begin() + (kept - 1), order.end(), larger);
        std::sort(order.begin(), order.begin() + kept);
        for (Index k = 0; k < kept; ++k)
            if (from[order[at(k)]] != 0)
                batch.add(order[at(k)], from[order[at(k)]]);
        batch.endRow();
    }
    return batch.appendTo(*m_sparse);
}

Result<DenseWriter> ResultFile::obsm(const std::string& key, Index columns)
{
    return m_writer->dense("obsm/" + key, DType::Float32,
                           {static_cast<Index>(m_job.rows.size()), columns});
}

Selection ResultFile::resultCells() const
{
    return m_job.spatialCells.then(Selection::indices(m_job.spatialCells.size(), m_job.rows));
}

Result<void> ResultFile::finish(const std::vector<CarriedLabels>& labels,
                                const std::shared_ptr<Reading>& reading, const Running& running,
                                ImputeOutcome& outcome)
{
    if (m_sparse)
        if (auto done = m_sparse->finish(); !done)
            return std::move(done).error();
    outcome.zeroMass = std::count_if(m_rowSums.begin(), m_rowSums.end(),
                                     [](double sum) { return !(sum > kNoMass); });
    const Element* table = m_job.reference->namesOf(*m_job.matrix, 1);
    if (table != nullptr) {
        auto names = readNames(m_job.reference, *table, m_job.genes, reading, running.stop);
        if (!names)
            return std::move(names).error();
        m_geneNames = std::move(*names);
    }
    std::vector<std::string> measured;
    if (m_job.spatial && m_job.spatial->var() != nullptr) {
        const Element& var = *m_job.spatial->var();
        auto names = readNames(m_job.spatial, var, Selection::all(var.rows), reading, running.stop);
        if (!names)
            return std::move(names).error();
        measured = std::move(*names);
    }
    if (auto done = writeObs(labels, reading, running.stop, outcome); !done)
        return done;
    if (auto done = writeVar(measured, reading, running.stop); !done)
        return done;
    if (auto done = writeMeasured(measured, reading, running.stop); !done)
        return done;
    if (auto done = copySpatial(reading, running.stop, outcome); !done)
        return done;
    if (auto done = writeParameters(); !done)
        return done;
    return m_writer->commit();
}

Result<void> ResultFile::writeObs(const std::vector<CarriedLabels>& labels,
                                  const std::shared_ptr<Reading>& reading, std::stop_token stop,
                                  ImputeOutcome& outcome)
{
    const Element* table = m_job.spatial ? m_job.spatial->obs() : nullptr;
    std::vector<const Element*> columns;
    std::vector<std::string> left;
    if (table != nullptr)
        columns = writableColumns(*table, &left);
    for (const std::string& path : left)
        outcome.warnings.push_back(path + " cannot be written and is left out.");
    std::vector<std::string> names;
    std::unordered_set<std::string> own{"ot_mass"};
    for (const CarriedLabels& carried : labels) {
        own.insert(carried.column);
        own.insert(carried.column + "_probability");
    }
    std::erase_if(columns, [&](const Element* column) { return own.contains(column->name); });
    for (const Element* column : columns)
        names.push_back(column->name);
    names.push_back("ot_mass");
    for (const CarriedLabels& carried : labels) {
        names.push_back(carried.column);
        names.push_back(carried.column + "_probability");
    }
    if (auto done = m_writer->beginTable("obs", names); !done)
        return done;
    const Selection cells = resultCells();
    if (auto done = copyNames(*m_writer, "obs/_index", m_job.spatial, table, cells, reading, stop); !done)
        return done;
    for (const Element* column : columns)
        if (auto done = copyColumn(*m_writer, "obs/" + column->name, m_job.spatial, *column, cells,
                                   reading, stop);
            !done)
            return done;
    std::vector<double> mass = m_rowSums; // times n: 1 where a cell has its share
    for (double& sum : mass)
        sum *= static_cast<double>(m_job.spatialCells.size());
    if (auto done = writeDoubles(*m_writer, "obs/ot_mass", mass); !done)
        return done;
    for (const CarriedLabels& carried : labels) {
        if (auto done = writeCategorical(*m_writer, "obs/" + carried.column, carried.codes, carried.labels);
            !done)
            return done;
        if (auto done = writeDoubles(*m_writer, "obs/" + carried.column + "_probability",
                                     carried.probability);
            !done)
            return done;
    }
    return {};
}

Result<void> ResultFile::writeVar(const std::vector<std::string>& measured,
                                  const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    const Element* table = m_job.reference->namesOf(*m_job.matrix, 1);
    std::vector<const Element*> columns;
    if (table != nullptr)
        columns = writableColumns(*table, nullptr);
    std::erase_if(columns, [](const Element* column) {
        return column->name == "imputed" || column->name == "measured" || column->name == "in_cost";
    });
    std::vector<std::string> names;
    for (const Element* column : columns)
        names.push_back(column->name);
    names.insert(names.end(), {"imputed", "measured", "in_cost"});
    if (auto done = m_writer->beginTable("var", names); !done)
        return done;
    if (auto done = copyNames(*m_writer, "var/_index", m_job.reference, table, m_job.genes, reading, stop);
        !done)
        return done;
    for (const Element* column : columns)
        if (auto done = copyColumn(*m_writer, "var/" + column->name, m_job.reference, *column,
                                   m_job.genes, reading, stop);
            !done)
            return done;
    const auto flags = [&](const std::vector<std::string>& list) {
        const std::unordered_set<std::string> known(list.begin(), list.end());
        std::vector<bool> marks(at(m_job.genes.size()), false);
        for (std::size_t k = 0; k < m_geneNames.size(); ++k)
            marks[k] = known.contains(m_geneNames[k]);
        return marks;
    };
    if (auto done = writeFlags(*m_writer, "var/imputed",
                               std::vector<bool>(at(m_job.genes.size()), true));
        !done)
        return done;
    if (auto done = writeFlags(*m_writer, "var/measured", flags(measured)); !done)
        return done;
    return writeFlags(*m_writer, "var/in_cost",
                      flags(m_job.mapping ? m_job.mapping->record.genes : std::vector<std::string>()));
}

Result<void> ResultFile::writeMeasured(const std::vector<std::string>& measured,
                                       const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    if (!m_job.spatial || m_job.spatial->x() == nullptr || measured.empty())
        return {};
    std::unordered_map<std::string, Index> places;
    for (std::size_t k = 0; k < measured.size(); ++k)
        places.emplace(measured[k], static_cast<Index>(k));
    std::vector<Index> here;  // genes of the spatial file
    std::vector<Index> there; // their columns in the result
    std::unordered_set<Index> taken;
    for (std::size_t k = 0; k < m_geneNames.size(); ++k)
        if (const auto found = places.find(m_geneNames[k]);
            found != places.end() && taken.insert(found->second).second) {
            here.push_back(found->second);
            there.push_back(static_cast<Index>(k));
        }
    const std::string path =
        m_job.mapping ? m_job.mapping->record.spatialMatrix : std::string("X");
    auto matrix = m_job.spatial->find(path);
    if (!matrix || here.empty() || (*matrix)->ofRaw)
        return {};
    ExpressionRequest request;
    request.dataset = m_job.spatial;
    request.matrix = *matrix;
    request.cells = resultCells();
    request.genes = Selection::indices(static_cast<Index>(measured.size()), here);
    request.scratch = m_job.scratch;
    auto rows = openExpression<float>(request, reading, stop);
    if (!rows)
        return std::move(rows).error();
    const auto width = static_cast<Index>(here.size());
    H5adWriter::Sparse sparse;
    sparse.rows = request.cells.size();
    sparse.columns = m_job.genes.size();
    sparse.entries = sparse.rows * width;
    auto writer = m_writer->sparse("layers/measured", sparse);
    if (!writer)
        return std::move(writer).error();
    std::vector<float> block(at(kRowsAtOnce * width));
    for (Index first = 0; first < sparse.rows; first += kRowsAtOnce) {
        const Index count = std::min(kRowsAtOnce, sparse.rows - first);
        if (auto done = (*rows)->read(first, count, 0, width, block.data(), width, stop); !done)
            return done;
        RowBatch batch;
        for (Index row = 0; row < count; ++row) {
            for (Index k = 0; k < width; ++k)
                if (block[at(row * width + k)] != 0)
                    batch.add(there[at(k)], block[at(row * width + k)]);
            batch.endRow();
        }
        if (auto done = batch.appendTo(**writer); !done)
            return done;
    }
    if (auto done = (*writer)->finish(); !done)
        return std::move(done).error();
    return {};
}

// obsm and uns of the spatial file: the cells stay where they are.
Result<void> ResultFile::copySpatial(const std::shared_ptr<Reading>& reading, std::stop_token stop,
                                     ImputeOutcome& outcome)
{
    if (!m_job.spatial)
        return {};
    const Selection cells = resultCells();
    if (const Element* obsm = m_job.spatial->root().child("obsm"); obsm != nullptr)
        for (const auto& child : obsm->children) {
            const bool carried = std::find(m_job.obsm.begin(), m_job.obsm.end(), child->name)
                              != m_job.obsm.end();
            if (carried)
                continue;
            if (child->kind != ElementKind::Array || child->storage != Storage::Dense
                || !child->readable || child->transposed || !child->dtype || !isReal(*child->dtype)) {
                outcome.warnings.push_back(child->path + " is no dense array and is left out.");
                continue;
            }
            if (auto done = copyRows(*m_writer, child->path, m_job.spatial, *child, cells, reading, stop);
                !done)
                return done;
        }
    const Element* uns = m_job.spatial->root().child("uns");
    if (uns == nullptr || uns->object == nullptr || !uns->object->isGroup())
        return {};
    hdf5::ObjectCopier::Options options;
    options.stop = stop;
    hdf5::ObjectCopier copier(m_job.spatial->filePointer(), m_writer->filePointer(), options);
    for (const auto& child : uns->object->children)
        if (child->name != "imputation")
            if (auto done = copier.copy(*child, "/uns/" + child->name); !done)
                return done;
    return copier.finish();
}

Result<void> ResultFile::writeParameters()
{
    const std::string path = "uns/imputation";
    if (auto done = m_writer->mapping(path); !done)
        return done;
    std::vector<std::pair<const char*, std::string>> texts{
        {"scaling", nameOf(m_job.scaling)},
        {"reference_file", m_job.reference->location()},
        {"reference_matrix", m_job.matrix->path},
        {"normalize", m_job.log1p ? "log1p" : "none"},
        {"version", CELLFOLIO_VERSION}};
    std::vector<std::pair<const char*, double>> numbers;
    if (m_job.spatial)
        texts.emplace_back("spatial_file", m_job.spatial->location());
    if (m_job.mapping) {
        const MappingRecord& record = m_job.mapping->record;
        texts.emplace_back("method", record.rank > 0    ? "low-rank optimal transport"
                                     : record.alpha > 0 ? "fused Gromov-Wasserstein"
                                                        : "entropic optimal transport");
        texts.emplace_back("cost", record.cost);
        texts.emplace_back("features", record.features);
        texts.emplace_back("entropy", record.entropy);
        numbers = {{"epsilon", record.epsilon},     {"tau_a", record.tauA},
                   {"tau_b", record.tauB},          {"alpha", record.alpha},
                   {"error", record.error},         {"iterations", static_cast<double>(record.iterations)},
                   {"perplexity", record.perplexity}};
        if (auto done = m_writer->scalar(path + "/converged", record.converged); !done)
            return done;
    } else {
        texts.emplace_back("method", "a transport plan solved elsewhere");
    }
    for (const auto& [name, text] : texts)
        if (auto done = m_writer->scalar(path + "/" + name, text); !done)
            return done;
    for (const auto& [name, number] : numbers)
        if (auto done = m_writer->scalar(path + "/" + name, number); !done)
            return done;
    return {};
}

} // namespace cellfolio::impute
