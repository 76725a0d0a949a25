// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/write/h5ad_writer.h"

#include "core/hdf5/output_driver.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <span>

#include <sys/stat.h>

namespace cellfolio {

namespace {

// Attributes beyond this need room of another kind: 16 bytes a name, 64 KiB altogether.
constexpr std::size_t kUsualColumns = 3700;

const char* encodingOf(DType type)
{
    return type == DType::String ? "string-array" : "array";
}

} // namespace

Result<std::unique_ptr<H5adWriter>> H5adWriter::create(const std::filesystem::path& target,
                                                       const StagedFile::Options& options,
                                                       const Storing& storing, const hdf5::OutputOptions& file)
{
    auto staged = StagedFile::create(target, options);
    if (!staged)
        return std::move(staged).error();
    std::unique_ptr<H5adWriter> writer(new H5adWriter);
    writer->m_staged = *std::move(staged);
    writer->m_storing = storing;
    auto output = hdf5::OutputFile::create(writer->m_staged->descriptor(), writer->m_staged->system(), file);
    if (!output)
        return std::move(output).error();
    writer->m_file = *std::move(output);
    return writer;
}

H5adWriter::~H5adWriter()
{
    // The library still writes what it kept back: while the descriptor is open.
    if (m_file)
        static_cast<void>(m_file->close());
}

Result<void> H5adWriter::copyUserBlock(const hdf5::File& source)
{
    if (source.userBlock() == 0)
        return {};
    std::vector<char> head(at(source.userBlock()));
    std::ifstream file(source.path(), std::ios::binary);
    if (!file.read(head.data(), source.userBlock()))
        return Error(ErrorCode::Io, "The first bytes of the file cannot be read again.").at("/");
    const int failure = m_staged->system().write(m_staged->descriptor(), 0, std::as_bytes(std::span(head)));
    return failure != 0 ? Result<void>(hdf5::writeFailure(failure)) : Result<void>();
}

Result<void> H5adWriter::describe(const std::string& path, const std::string& type, const std::string& version)
{
    const std::string place = path.empty() ? "/" : "/" + path;
    if (auto set = m_file->setAttribute(place, "encoding-type", type); !set)
        return set;
    return m_file->setAttribute(place, "encoding-version", version);
}

Result<void> H5adWriter::beginData()
{
    if (auto described = describe("", "anndata", "0.1.0"); !described)
        return described;
    for (const char* name : {"layers", "obsm", "obsp", "uns", "varm", "varp"})
        if (auto made = mapping(name); !made)
            return made;
    return {};
}

Result<void> H5adWriter::mapping(const std::string& path)
{
    if (auto made = m_file->createGroup("/" + path); !made)
        return made;
    return describe(path, "dict", "0.1.0");
}

Result<ArrayWriter> H5adWriter::array(const std::string& path, DType type, Index length, const hdf5::ArrayInfo* like)
{
    auto made = m_file->createArray("/" + path, planArray({type, {length}}, m_storing, like));
    if (!made)
        return std::move(made).error();
    if (auto described = describe(path, encodingOf(type), "0.2.0"); !described)
        return std::move(described).error();
    return ArrayWriter(*std::move(made));
}

Result<void> H5adWriter::array(const std::string& path, const Values& values, std::vector<Index> shape)
{
    if (shape.size() <= 1) {
        auto writer = array(path, values.type(), values.size());
        if (!writer)
            return std::move(writer).error();
        if (auto written = writer->append(values); !written)
            return written;
        return writer->finish();
    }
    if (values.type() == DType::String) {
        auto made = m_file->createArray("/" + path, planArray({values.type(), shape}, {Storing::As::Chosen, {}}, nullptr));
        if (!made)
            return std::move(made).error();
        if (auto written = made->writeTexts(0, values.texts()); !written)
            return written;
        return describe(path, "string-array", "0.2.0");
    }
    auto writer = dense(path, values.type(), shape);
    if (!writer)
        return std::move(writer).error();
    return writer->write(0, shape.front(), values.data());
}

Result<DenseWriter> H5adWriter::dense(const std::string& path, DType type, const std::vector<Index>& shape,
                                      const hdf5::ArrayInfo* like, const std::optional<Storing>& storing)
{
    auto made = m_file->createArray("/" + path, planArray({type, shape}, storing.value_or(m_storing), like));
    if (!made)
        return std::move(made).error();
    if (auto described = describe(path, encodingOf(type), "0.2.0"); !described)
        return std::move(described).error();
    return DenseWriter(*std::move(made));
}

Result<SparseWriter::Parts> H5adWriter::sparseParts(const std::string& path, const Sparse& sparse)
{
    const Storing& storing = sparse.storing ? *sparse.storing : m_storing;
    const bool byRows = sparse.storage == Storage::Csr;
    const Index lines = byRows ? sparse.rows : sparse.columns;
    const Index width = byRows ? sparse.columns : sparse.rows;
    const DType indexType =
        sparse.wide || needsWideIndices(sparse.entries, width) ? DType::Int64 : DType::Int32;
    if (auto made = m_file->createGroup("/" + path); !made)
        return std::move(made).error();
    if (auto described = describe(path, byRows ? "csr_matrix" : "csc_matrix", "0.1.0"); !described)
        return std::move(described).error();
    if (auto set = m_file->setAttribute("/" + path, "shape", std::vector<std::int64_t>{sparse.rows, sparse.columns});
        !set)
        return std::move(set).error();
    const auto entries = [&](const char* name, DType type, const hdf5::ArrayInfo* like) {
        hdf5::NewArray plan = planArray({type, {0}, true}, storing, like);
        // A chunk need not be longer than all there will be, but h5py's shortest.
        plan.chunk[0] = std::min(plan.chunk[0], std::max<Index>(1024, sparse.entries));
        return m_file->createArray("/" + path + "/" + name, plan);
    };
    auto data = entries("data", sparse.type, sparse.likeData);
    if (!data)
        return std::move(data).error();
    auto indices = entries("indices", indexType, sparse.likeIndices);
    if (!indices)
        return std::move(indices).error();
    hdf5::NewArray pointers = planArray({indexType, {lines + 1}, true}, storing, sparse.likeIndptr);
    pointers.chunk[0] = std::min(pointers.chunk[0], lines + 1);
    auto indptr = m_file->createArray("/" + path + "/indptr", pointers);
    if (!indptr)
        return std::move(indptr).error();
    for (const char* name : {"data", "indices", "indptr"})
        if (auto described = describe(path + "/" + name, "array", "0.2.0"); !described)
            return std::move(described).error();
    return SparseWriter::Parts{*std::move(data), *std::move(indices), ArrayWriter(*std::move(indptr)), lines};
}

Result<std::unique_ptr<SparseWriter>> H5adWriter::sparse(const std::string& path, const Sparse& sparse)
{
    auto parts = sparseParts(path, sparse);
    if (!parts)
        return std::move(parts).error();
    return std::make_unique<SparseWriter>(*std::move(parts));
}

Result<void> H5adWriter::beginTable(const std::string& path, const std::vector<std::string>& columns,
                                    const std::string& index)
{
    const auto size = columns.size() > kUsualColumns ? hdf5::GroupSize::ManyAttributes : hdf5::GroupSize::Usual;
    if (auto made = m_file->createGroup("/" + path, size); !made)
        return made;
    if (auto described = describe(path, "dataframe", "0.2.0"); !described)
        return described;
    if (auto set = m_file->setAttribute("/" + path, "_index", index); !set)
        return set;
    return m_file->setAttribute("/" + path, "column-order", columns);
}

Result<void> H5adWriter::beginCategorical(const std::string& path, bool ordered)
{
    if (auto made = m_file->createGroup("/" + path); !made)
        return made;
    if (auto described = describe(path, "categorical", "0.2.0"); !described)
        return described;
    return m_file->setAttribute("/" + path, "ordered", ordered);
}

DType H5adWriter::codeType(Index categories)
{
    if (categories <= std::numeric_limits<std::int8_t>::max())
        return DType::Int8;
    if (categories <= std::numeric_limits<std::int16_t>::max())
        return DType::Int16;
    return categories <= std::numeric_limits<std::int32_t>::max() ? DType::Int32 : DType::Int64;
}

Result<void> H5adWriter::beginNullable(const std::string& path, ColumnKind kind)
{
    if (auto made = m_file->createGroup("/" + path); !made)
        return made;
    return describe(path,
                    kind == ColumnKind::NullableBoolean  ? "nullable-boolean"
                    : kind == ColumnKind::NullableString ? "nullable-string-array"
                                                         : "nullable-integer",
                    "0.1.0");
}

Result<void> H5adWriter::scalarOf(const std::string& path, DType type, const void* value)
{
    auto made = m_file->createArray("/" + path, planArray({type, {}}, m_storing, nullptr));
    if (!made)
        return std::move(made).error();
    if (auto written = made->write({}, {}, {static_cast<const std::byte*>(value), sizeOf(type)}); !written)
        return written;
    return describe(path, "numeric-scalar", "0.2.0");
}

Result<void> H5adWriter::scalar(const std::string& path, const std::string& text)
{
    auto made = m_file->createArray("/" + path, planArray({DType::String, {}}, m_storing, nullptr));
    if (!made)
        return std::move(made).error();
    if (auto written = made->writeTexts(0, {&text, 1}); !written)
        return written;
    return describe(path, "string", "0.2.0");
}

Result<void> H5adWriter::scalar(const std::string& path, double number)
{
    return scalarOf(path, DType::Float64, &number);
}

Result<void> H5adWriter::scalar(const std::string& path, std::int64_t number)
{
    return scalarOf(path, DType::Int64, &number);
}

Result<void> H5adWriter::scalar(const std::string& path, bool value)
{
    const std::uint8_t byte = value ? 1 : 0;
    return scalarOf(path, DType::Bool, &byte);
}

Index H5adWriter::bytes() const
{
    struct stat state {};
    return ::fstat(m_staged->descriptor(), &state) == 0 ? static_cast<Index>(state.st_size) : 0;
}

Result<void> H5adWriter::commit(const std::function<Result<void>(const std::filesystem::path&)>& verify)
{
    if (auto closed = m_file->close(); !closed)
        return closed;
    return m_staged->commit([&](const std::filesystem::path& part) -> Result<void> {
        // Whatever happens to the target later, what is put there opens.
        auto file = hdf5::File::open(part);
        if (!file)
            return std::move(file).error();
        return verify ? verify(part) : Result<void>();
    });
}

} // namespace cellfolio
