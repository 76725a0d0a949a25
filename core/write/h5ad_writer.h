// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/element.h"
#include "core/hdf5/file.h"
#include "core/write/array_writer.h"
#include "core/write/dense_writer.h"
#include "core/write/sparse_writer.h"
#include "core/write/staged_file.h"
#include "core/write/storing.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cellfolio {

// A new h5ad file, in the encodings that anndata 0.8 and everything since reads. Paths are those of
// elements: "obs", "obs/cell_type", "layers/counts"; parents come first. Nothing is seen of the file
// until commit(). Any thread may call; one at a time for a path.
//
//     auto writer = H5adWriter::create("out.h5ad", {});
//     writer->beginTable("obs", {"n_genes"});
//     auto names = writer->array("obs/_index", DType::String, cells);   names->append(…); names->finish();
//     auto x = writer->dense("X", DType::Float32, {cells, genes});      x->write(first, rows, values);
//     writer->commit();
//
// `like`: the array a new one takes the place of, whose chunks and filters it gets when the storing
// says so; null for what is new.
class H5adWriter
{
public:
    static Result<std::unique_ptr<H5adWriter>> create(const std::filesystem::path& target,
                                                      const StagedFile::Options& options,
                                                      const Storing& storing = {},
                                                      const hdf5::OutputOptions& file = {});
    // Not committed: nothing is left.
    ~H5adWriter();

    // The bytes in front of an HDF5 file, which are not its own, from another one with as many.
    Result<void> copyUserBlock(const hdf5::File& source);

    // The root's attributes and empty mappings that readers expect. Once, first.
    Result<void> beginData();
    // A mapping: layers, obsm, uns/pca …
    Result<void> mapping(const std::string& path);

    // A 1-D array of numbers or texts, encoding attributes included.
    Result<ArrayWriter> array(const std::string& path, DType type, Index length,
                              const hdf5::ArrayInfo* like = nullptr);
    // The same with its values; any number of dimensions (`shape` empty: 1-D).
    Result<void> array(const std::string& path, const Values& values, std::vector<Index> shape = {});
    // `storing`: another than that of the file.
    Result<DenseWriter> dense(const std::string& path, DType type, const std::vector<Index>& shape,
                              const hdf5::ArrayInfo* like = nullptr, const std::optional<Storing>& storing = {});

    struct Sparse {
        Storage storage = Storage::Csr;
        Index rows = 0;
        Index columns = 0;
        DType type = DType::Float32;
        Index entries = 0;  // at most; decides the width of indices
        bool wide = false;  // 64-bit indices in any case
        const hdf5::ArrayInfo* likeData = nullptr;
        const hdf5::ArrayInfo* likeIndices = nullptr;
        const hdf5::ArrayInfo* likeIndptr = nullptr;
        std::optional<Storing> storing = {}; // another than that of the file
    };
    // The group with its three arrays, data and indices still empty.
    Result<SparseWriter::Parts> sparseParts(const std::string& path, const Sparse& sparse);
    Result<std::unique_ptr<SparseWriter>> sparse(const std::string& path, const Sparse& sparse);

    // A table; its row names are an array at `path/index`, its columns are written one by one.
    Result<void> beginTable(const std::string& path, const std::vector<std::string>& columns,
                            const std::string& index = "_index");
    // A categorical: arrays `codes` and `categories` below it follow. The narrowest codes that
    // hold so many categories: codeType().
    Result<void> beginCategorical(const std::string& path, bool ordered);
    static DType codeType(Index categories);
    // Values that may be missing: arrays `values` and `mask` (Bool) below it follow.
    Result<void> beginNullable(const std::string& path, ColumnKind kind);

    Result<void> scalar(const std::string& path, const std::string& text);
    Result<void> scalar(const std::string& path, double number);
    Result<void> scalar(const std::string& path, std::int64_t number);
    Result<void> scalar(const std::string& path, bool value);

    // Encoding attributes of what lies at a path.
    Result<void> describe(const std::string& path, const std::string& type, const std::string& version);

    hdf5::OutputFile& file() noexcept { return *m_file; }
    const std::shared_ptr<hdf5::OutputFile>& filePointer() const noexcept { return m_file; }
    const StagedFile& staged() const noexcept { return *m_staged; }
    const Storing& storing() const noexcept { return m_storing; }
    // Bytes written so far.
    Index bytes() const;

    // Closes the file, brings it to the disk, opens it again, lets `verify` look at it, and puts it in
    // its place.
    Result<void> commit(const std::function<Result<void>(const std::filesystem::path&)>& verify = {});

private:
    H5adWriter() = default;
    Result<void> scalarOf(const std::string& path, DType type, const void* value);

    std::unique_ptr<StagedFile> m_staged;
    std::shared_ptr<hdf5::OutputFile> m_file;
    Storing m_storing;
};

} // namespace cellfolio
