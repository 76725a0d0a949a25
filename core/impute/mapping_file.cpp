// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/mapping_file.h"

#include "core/hdf5/file.h"
#include "core/write/h5ad_writer.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstring>

namespace cellfolio::impute {

namespace {

using Json = nlohmann::json;

constexpr const char* kKind = "cellfolio mapping 1";

template <typename T>
constexpr DType typeOf()
{
    if constexpr (std::is_same_v<T, float>)
        return DType::Float32;
    else if constexpr (std::is_same_v<T, double>)
        return DType::Float64;
    else
        return DType::Int64;
}

template <typename T>
Values valuesOf(const std::vector<T>& list)
{
    Values values(typeOf<T>(), static_cast<Index>(list.size()));
    if (!list.empty())
        std::memcpy(values.data(), list.data(), list.size() * sizeof(T));
    return values;
}

// JSON has no infinity; NaN stands for nothing here.
Json selectionJson(const Selection& selection)
{
    if (selection.isAll())
        return {{"extent", selection.extent()}, {"all", true}};
    return {{"extent", selection.extent()}, {"all", false}};
}

Json jsonOf(const MappingRecord& r)
{
    return {{"kind", kKind},
            {"version", CELLFOLIO_VERSION},
            {"spatial", r.spatialFile},
            {"reference", r.referenceFile},
            {"spatial_fingerprint", r.spatialFingerprint},
            {"reference_fingerprint", r.referenceFingerprint},
            {"spatial_matrix", r.spatialMatrix},
            {"reference_matrix", r.referenceMatrix},
            {"reference_log1p", r.referenceLog1p},
            {"spatial_cells", selectionJson(r.spatialCells)},
            {"reference_cells", selectionJson(r.referenceCells)},
            {"reference_genes", selectionJson(r.referenceGenes)},
            {"cost", r.cost},
            {"features", r.features},
            {"entropy", r.entropy},
            {"epsilon", r.epsilon},
            {"tau_a", r.tauA},
            {"tau_b", r.tauB},
            {"alpha", r.alpha},
            {"rank", r.rank},
            {"dimensions", r.dimensions},
            {"iterations", r.iterations},
            {"error", r.error},
            {"converged", r.converged},
            {"transport_cost", r.transportCost},
            {"mass", r.mass},
            {"perplexity", r.perplexity}};
}

class Writer
{
public:
    explicit Writer(H5adWriter& writer) : m_writer(writer) {}

    template <typename T>
    Result<void> list(const std::string& path, const std::vector<T>& values,
                      std::vector<Index> shape = {})
    {
        return m_writer.array(path, valuesOf(values), std::move(shape));
    }
    Result<void> selection(const std::string& path, const Selection& selection)
    {
        return selection.isAll() ? Result<void>() : list(path, selection.positions());
    }
    template <typename Real>
    Result<void> part(const std::string& path, const SolvedPart<Real>& part)
    {
        if (auto done = m_writer.mapping(path); !done)
            return done;
        const InnerCost<Real>& cost = part.cost;
        const std::pair<const char*, const std::vector<double>*> lists[] = {
            {"f", &part.potentials.f}, {"g", &part.potentials.g}, {"r", &cost.r},
            {"c", &cost.c},            {"row_sums", &part.rowSums}};
        for (const auto& [name, values] : lists)
            if (auto done = list(path + "/" + name, *values); !done)
                return done;
        if (auto done = list(path + "/rows", part.rows); !done)
            return done;
        if (auto done = list(path + "/u", cost.u, {cost.rows(), cost.inner}); !done)
            return done;
        if (auto done = list(path + "/v", cost.v, {cost.columns(), cost.inner}); !done)
            return done;
        if (auto done = m_writer.scalar(path + "/epsilon", part.potentials.epsilon); !done)
            return done;
        return m_writer.scalar(path + "/divisor", cost.divisor);
    }

private:
    H5adWriter& m_writer;
};

class Reader
{
public:
    explicit Reader(std::shared_ptr<const hdf5::File> file) : m_file(std::move(file)) {}

    Result<Values> values(const std::string& path) const
    {
        const hdf5::Object* object = m_file->root().find(path);
        if (object == nullptr || !object->isDataset())
            return Error(ErrorCode::Corrupt, m_file->path().string() + " is no mapping, or lacks \""
                                                 + path + "\".");
        hdf5::File::Slab slab;
        slab.start.assign(object->array->shape.size(), 0);
        slab.count = object->array->shape;
        return m_file->read(*object, slab, hdf5::Lane::Bulk);
    }
    template <typename T>
    Result<std::vector<T>> list(const std::string& path) const
    {
        auto found = values(path);
        if (!found)
            return std::move(found).error();
        std::vector<T> list(at(found->size()));
        for (Index k = 0; k < found->size(); ++k) {
            if constexpr (std::is_same_v<T, Index>)
                list[at(k)] = found->integer(k);
            else
                list[at(k)] = static_cast<T>(found->number(k));
        }
        return list;
    }
    Result<Selection> selection(const std::string& path, const Json& json) const
    {
        const Index extent = json.at("extent");
        if (json.at("all").get<bool>())
            return Selection::all(extent);
        auto positions = list<Index>(path);
        if (!positions)
            return std::move(positions).error();
        for (Index position : *positions)
            if (position < 0 || position >= extent)
                return Error(ErrorCode::Corrupt, m_file->path().string() + " is damaged in " + path + ".");
        return Selection::indices(extent, *positions);
    }
    template <typename Real>
    Result<SolvedPart<Real>> part(const std::string& path, Index rows, Index columns) const
    {
        SolvedPart<Real> part;
        InnerCost<Real>& cost = part.cost;
        const std::pair<const char*, std::vector<double>*> lists[] = {
            {"f", &part.potentials.f}, {"g", &part.potentials.g}, {"r", &cost.r},
            {"c", &cost.c},            {"row_sums", &part.rowSums}};
        for (const auto& [name, into] : lists) {
            auto values = list<double>(path + "/" + name);
            if (!values)
                return std::move(values).error();
            *into = std::move(*values);
        }
        auto own = list<Index>(path + "/rows");
        auto u = list<Real>(path + "/u");
        auto v = list<Real>(path + "/v");
        auto epsilon = list<double>(path + "/epsilon");
        auto divisor = list<double>(path + "/divisor");
        if (!own)
            return std::move(own).error();
        for (auto* factor : {&u, &v})
            if (!*factor)
                return std::move(*factor).error();
        for (auto* number : {&epsilon, &divisor})
            if (!*number || (*number)->size() != 1)
                return Error(ErrorCode::Corrupt, m_file->path().string() + " is damaged in " + path + ".");
        part.rows = std::move(*own);
        cost.u = std::move(*u);
        cost.v = std::move(*v);
        cost.divisor = divisor->front();
        part.potentials.epsilon = epsilon->front();
        const std::size_t n = part.rows.size();
        const std::size_t m = at(columns);
        cost.inner = m > 0 ? static_cast<Index>(cost.v.size() / m) : 0;
        const bool fits = part.potentials.f.size() == n && cost.r.size() == n
                       && part.rowSums.size() == n && part.potentials.g.size() == m
                       && cost.c.size() == m && cost.u.size() == n * at(cost.inner)
                       && cost.v.size() == m * at(cost.inner) && cost.inner > 0
                       && part.potentials.epsilon > 0;
        bool inside = true;
        for (Index row : part.rows)
            inside = inside && row >= 0 && row < rows;
        if (!fits || !inside)
            return Error(ErrorCode::Corrupt, m_file->path().string()
                                                 + " is damaged: the lengths in " + path
                                                 + " do not fit each other.");
        return part;
    }
    const hdf5::File& file() const { return *m_file; }

private:
    std::shared_ptr<const hdf5::File> m_file;
};

template <typename Real>
Result<std::vector<SolvedPart<Real>>> partsIn(const Reader& reader, Index count, Index rows, Index columns)
{
    std::vector<SolvedPart<Real>> parts;
    for (Index k = 0; k < count; ++k) {
        auto part = reader.part<Real>("part" + std::to_string(k), rows, columns);
        if (!part)
            return std::move(part).error();
        parts.push_back(std::move(*part));
    }
    return parts;
}

Result<StoredMapping> mappingIn(const Reader& reader)
{
    auto text = reader.values("parameters");
    if (!text)
        return std::move(text).error();
    const Json json = text->texts().empty() ? Json() : Json::parse(text->texts().front(), nullptr, false);
    const std::string path = reader.file().path().string();
    if (!json.is_object() || json.value("kind", "") != kKind)
        return Error(ErrorCode::Corrupt, path + " is no mapping that this version can read.");
    StoredMapping mapping;
    MappingRecord& r = mapping.record;
    r.spatialFile = json.at("spatial");
    r.referenceFile = json.at("reference");
    r.spatialFingerprint = json.at("spatial_fingerprint");
    r.referenceFingerprint = json.at("reference_fingerprint");
    r.spatialMatrix = json.at("spatial_matrix");
    r.referenceMatrix = json.at("reference_matrix");
    r.referenceLog1p = json.at("reference_log1p");
    r.cost = json.at("cost");
    r.features = json.at("features");
    r.entropy = json.at("entropy");
    r.epsilon = json.at("epsilon");
    r.tauA = json.at("tau_a");
    r.tauB = json.at("tau_b");
    r.alpha = json.at("alpha");
    r.rank = json.at("rank");
    r.dimensions = json.at("dimensions");
    r.iterations = json.at("iterations");
    r.error = json.at("error").is_null() ? 0 : json.at("error").get<double>();
    r.converged = json.at("converged");
    r.transportCost = json.at("transport_cost");
    r.mass = json.at("mass");
    r.perplexity = json.at("perplexity");
    const std::pair<const char*, Selection*> selections[] = {{"spatial_cells", &r.spatialCells},
                                                             {"reference_cells", &r.referenceCells},
                                                             {"reference_genes", &r.referenceGenes}};
    for (const auto& [name, into] : selections) {
        auto selection = reader.selection(name, json.at(name));
        if (!selection)
            return std::move(selection).error();
        *into = std::move(*selection);
    }
    auto genes = reader.values("genes");
    if (!genes)
        return std::move(genes).error();
    r.genes = genes->texts();
    if (r.rank > 0) {
        Factors factors;
        factors.rank = r.rank;
        const std::pair<const char*, std::vector<double>*> lists[] = {
            {"Q", &factors.q}, {"R", &factors.r}, {"g", &factors.g}};
        for (const auto& [name, into] : lists) {
            auto list = reader.list<double>(name);
            if (!list)
                return std::move(list).error();
            *into = std::move(*list);
        }
        if (static_cast<Index>(factors.g.size()) != r.rank || factors.rows() != mapping.rows()
            || factors.columns() != mapping.columns())
            return Error(ErrorCode::Corrupt, path + " is damaged: its factors do not fit.");
        mapping.factors = std::move(factors);
        return mapping;
    }
    const Index count = json.at("parts");
    const bool wide = json.at("precision") == "float64";
    if (wide) {
        auto parts = partsIn<double>(reader, count, mapping.rows(), mapping.columns());
        if (!parts)
            return std::move(parts).error();
        mapping.parts = std::move(*parts);
    } else {
        auto parts = partsIn<float>(reader, count, mapping.rows(), mapping.columns());
        if (!parts)
            return std::move(parts).error();
        mapping.parts = std::move(*parts);
    }
    return mapping;
}

} // namespace

template <typename Real>
Result<Index> writeMapping(const std::filesystem::path& target, const StagedFile::Options& options,
                           const MappingRecord& record, const Mapping<Real>& mapping)
{
    auto created = H5adWriter::create(target, options);
    if (!created)
        return std::move(created).error();
    H5adWriter& file = **created;
    Json json = jsonOf(record);
    json["parts"] = mapping.parts.size();
    json["precision"] = sizeof(Real) == sizeof(double) ? "float64" : "float32";
    Writer writer(file);
    if (auto done = file.scalar("parameters", json.dump()); !done)
        return std::move(done).error();
    if (auto done = file.array("genes", Values(record.genes)); !done)
        return std::move(done).error();
    if (auto done = writer.selection("spatial_cells", record.spatialCells); !done)
        return std::move(done).error();
    if (auto done = writer.selection("reference_cells", record.referenceCells); !done)
        return std::move(done).error();
    if (auto done = writer.selection("reference_genes", record.referenceGenes); !done)
        return std::move(done).error();
    if (auto done = writer.list("history", mapping.figures.history); !done)
        return std::move(done).error();
    for (std::size_t k = 0; k < mapping.parts.size(); ++k)
        if (auto done = writer.part("part" + std::to_string(k), mapping.parts[k]); !done)
            return std::move(done).error();
    if (mapping.factors) {
        const Factors& factors = *mapping.factors;
        if (auto done = writer.list("Q", factors.q, {factors.rows(), factors.rank}); !done)
            return std::move(done).error();
        if (auto done = writer.list("R", factors.r, {factors.columns(), factors.rank}); !done)
            return std::move(done).error();
        if (auto done = writer.list("g", factors.g); !done)
            return std::move(done).error();
    }
    if (auto done = file.commit(); !done)
        return std::move(done).error();
    std::error_code failed;
    const auto size = std::filesystem::file_size(target, failed);
    return failed ? Index{0} : static_cast<Index>(size);
}

Result<StoredMapping> readMapping(const std::filesystem::path& path)
{
    auto file = hdf5::File::open(path);
    if (!file)
        return std::move(file).error();
    // The library of JSON answers what is missing by an exception.
    try {
        return mappingIn(Reader(*file));
    } catch (const Json::exception&) {
        return Error(ErrorCode::Corrupt, path.string() + " is no mapping that this version can read.");
    }
}

Result<std::string> fingerprintOf(const Dataset& dataset)
{
    auto print = dataset.file().fingerprint();
    if (!print)
        return std::move(print).error();
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(*print));
    return std::string(text);
}

std::string changeOf(const Dataset& dataset, const std::string& fingerprint)
{
    auto now = fingerprintOf(dataset);
    if (now && *now == fingerprint)
        return {};
    return dataset.location() + " is no longer the file that the mapping was made of.";
}

template Result<Index> writeMapping(const std::filesystem::path&, const StagedFile::Options&,
                                    const MappingRecord&, const Mapping<float>&);
template Result<Index> writeMapping(const std::filesystem::path&, const StagedFile::Options&,
                                    const MappingRecord&, const Mapping<double>&);

} // namespace cellfolio::impute
