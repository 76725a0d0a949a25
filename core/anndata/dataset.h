// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/element.h"
#include "core/anndata/finding.h"
#include "core/base/result.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cellfolio {

enum class FileFormat { H5ad, H5mu, TenX, Loom };
std::string_view nameOf(FileFormat format); // "h5ad", "h5mu", "10x", "loom"

struct Modality {
    std::string name;
    std::optional<Index> nObs;
    std::optional<Index> nVars;
};

// One open data set: an h5ad file, a modality of an h5mu, a genome of a 10x file, a loom file, or
// an h5mu/10x file as a whole where it holds several. An immutable snapshot of its structure, made
// in time and memory that do not depend on the number of cells. Thread-safe.
class Dataset
{
public:
    // `location`: PATH or PATH::INSIDE (CLI.md §2.1). A file whose own name holds "::" wins.
    // Anything inside that cannot be read is listed with a finding; only what is no such file at
    // all is refused (NotHdf5, NotAnnData, NotFound, PermissionDenied, Corrupt …).
    // INSIDE that names an element and no modality opens the file whole and is kept as inside().
    static Result<std::shared_ptr<const Dataset>> open(const std::string& location);

    const hdf5::File& file() const noexcept { return *m_file; }
    const std::shared_ptr<const hdf5::File>& filePointer() const noexcept { return m_file; }
    const std::string& location() const noexcept { return m_location; }
    FileFormat format() const noexcept { return m_format; }
    // "0.8", "0.7", "0.5", the container's own version, or none.
    const std::optional<std::string>& generation() const noexcept { return m_generation; }
    std::optional<Index> nObs() const noexcept { return m_nObs; }
    std::optional<Index> nVars() const noexcept { return m_nVars; }
    const std::vector<Modality>& modalities() const noexcept { return m_modalities; }
    // Whether this is a file of several modalities or genomes seen as a whole.
    bool isWhole() const noexcept { return m_whole; }
    // The element named behind "::", empty when none or when it was a modality.
    const std::string& inside() const noexcept { return m_inside; }

    const Element& root() const noexcept { return *m_root; }
    // Every element below the root once, mappings and tables before their members.
    std::vector<const Element*> elements() const;
    // By path, spelled as the 0.8 layout spells it (one leading slash forgiven); also stored parts
    // ("X/indptr", "obs/cell_type/codes"), "obs/_index", old names ("raw.X"), uns keys that were
    // split at their slash. NotFound with suggestions otherwise.
    Result<const Element*> find(std::string_view path) const;
    // Shorthands; null when absent.
    const Element* x() const noexcept { return m_root->child("X"); }
    const Element* obs() const noexcept { return m_root->child("obs"); }
    const Element* var() const noexcept { return m_root->child("var"); }
    const Element* raw() const noexcept { return m_root->child("raw"); }
    // The table that names the rows or columns of an element; null when there is none.
    const Element* namesOf(const Element& element, int dimension) const noexcept;

    // What the quick rules found, sorted (sortFindings).
    const std::vector<Finding>& findings() const noexcept { return m_findings; }

private:
    friend class DatasetBuilder;
    Dataset() = default;

    std::shared_ptr<const hdf5::File> m_file;
    std::string m_location;
    std::string m_inside;
    FileFormat m_format = FileFormat::H5ad;
    std::optional<std::string> m_generation;
    std::optional<Index> m_nObs;
    std::optional<Index> m_nVars;
    std::vector<Modality> m_modalities;
    bool m_whole = false;
    std::unique_ptr<Element> m_root;
    std::vector<std::unique_ptr<Element>> m_hidden; // stored parts, found by path only
    std::unordered_map<std::string, const Element*> m_byPath; // old names and parts as well
    std::vector<Finding> m_findings;
};

} // namespace cellfolio
