// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/run/job_needs.h"
#include "core/write/file_rebuild.h"
#include "core/write/matrix_transfer.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio {

struct ConvertOptions {
    std::vector<std::string> elements; // matrices; empty: see Converter
    Storage storage = Storage::None;   // None: as it is
    std::optional<DType> dtype;
    bool lossy = false;                // values may change; what changes is told
    IndexWidth indexWidth = IndexWidth::Keep;
    Storing storing;                   // of what is rewritten
    std::string as;                    // "layers/NAME": beside the matrix, not in its place
    bool overwrite = false;
    std::filesystem::path temporary;   // folder; empty: that of the new file
    FileSystem* system = nullptr;      // null: the real one
};

// What became of one matrix.
struct ConvertedElement {
    std::string path;   // in the new file
    const char* action = "copied"; // copied, rewritten, converted, created
    Storage from = Storage::None;
    Storage to = Storage::None;
    DType type = DType::Float32;
    DType was = DType::Float32;
};

// Which matrices are meant: those that are named; else X, or, where only chunks, compression or the width of
// positions are asked for, every matrix of the file that it could concern. Refused: what is none, or cannot
// be read.
Result<std::vector<const Element*>> chooseMatrices(const Dataset& dataset, const ConvertOptions& options);

// The values of those matrices that would change as `dtype`. Refused, with the first of them, unless they
// may; then a finding for each matrix.
Result<std::vector<Finding>> checkLosses(const std::shared_ptr<const Dataset>& dataset,
                                         const std::vector<const Element*>& matrices, const ConvertOptions& options,
                                         const std::shared_ptr<Reading>& reading, std::stop_token stop,
                                         Progress* progress = nullptr);

// Changes how matrices of an h5ad file are stored, not what they hold: CSR, CSC, dense, type of the
// values, width of the positions, chunks, compression. Everything else is copied as it is stored; with no
// option at all the file is repacked. Works in the budget of its Reading, whatever the file's size.
class Converter
{
public:
    static Result<Converter> open(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Reading> reading,
                                  ConvertOptions options);

    // Whether the new file will differ in anything but waste.
    bool changes() const;
    // Whether anything is to be done to a file in its place.
    bool needed() const { return changes() || m_repacks; }
    // From shapes and sizes alone.
    JobNeeds needs() const;
    // Bytes that pass, about: the total of the progress.
    Index bytesToPass() const;

    // Looks for values that would change, then writes. `inPlace`: the target is the source, which is
    // replaced by a new file at the very end. Bytes of the new file.
    Result<Index> write(const std::filesystem::path& target, bool inPlace, std::stop_token stop,
                        Progress* progress = nullptr);
    const std::vector<ConvertedElement>& elements() const noexcept { return m_elements; }
    const std::vector<Finding>& findings() const noexcept { return m_findings; }
    Index temporary() const noexcept { return m_temporary; } // bytes that were used

private:
    Converter() = default;
    MatrixForm formFor(const Element& element) const;
    bool isAsWanted(const Element& element) const;
    Result<void> checkNewPlace() const;
    Result<void> convert(const Element& element, H5adWriter& writer, hdf5::ObjectCopier& copier, const std::string& path,
                         std::stop_token stop, Progress* progress);
    Result<void> verify(const std::filesystem::path& part) const;

    std::shared_ptr<const Dataset> m_dataset;
    std::shared_ptr<Reading> m_reading;
    ConvertOptions m_options;
    std::vector<const Element*> m_chosen;
    std::vector<ConvertedElement> m_elements; // one for each chosen
    std::vector<Finding> m_findings;
    bool m_repacks = false;
    Index m_temporary = 0;
};

} // namespace cellfolio
