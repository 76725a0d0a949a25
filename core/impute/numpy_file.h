// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/base/result.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace cellfolio::impute {

// Bytes that lie in a file, read where they are wanted.
class ByteSource
{
public:
    virtual ~ByteSource() = default;
    virtual Index size() const = 0;
    virtual Result<void> read(Index offset, std::span<std::byte> bytes) const = 0;
};

// An array as NumPy stores it (.npy, format 1 to 3), its numbers read in pieces of any length and
// never held whole. A value; copies read the same file.
class NumpyArray
{
public:
    static Result<NumpyArray> open(const std::filesystem::path& path);
    // `name`: for sentences.
    static Result<NumpyArray> of(std::shared_ptr<const ByteSource> bytes, std::string name);

    const std::vector<Index>& shape() const noexcept { return m_shape; }
    Index count() const noexcept;
    // Columns lie together, not rows.
    bool isFortran() const noexcept { return m_fortran; }
    DType dtype() const noexcept { return m_type; } // String: a text, see text()
    const std::string& name() const noexcept { return m_name; }

    // Numbers first … as they lie in the file.
    template <typename Real>
    Result<void> read(Index first, Index count, Real* into) const;
    // Of an array that holds one text.
    Result<std::string> text() const;

private:
    std::shared_ptr<const ByteSource> m_bytes;
    std::string m_name;
    std::vector<Index> m_shape;
    DType m_type = DType::Other;
    bool m_fortran = false;
    bool m_swapped = false;  // of the other byte order
    bool m_wideText = false; // four bytes a letter
    Index m_itemSize = 0;
    Index m_offset = 0;
};

// An archive of arrays (.npz). Arrays that are stored compressed are unpacked into a temporary file
// first, block by block.
class NumpyArchive
{
public:
    static Result<NumpyArchive> open(const std::filesystem::path& path,
                                     const std::filesystem::path& scratch, std::stop_token stop);

    std::vector<std::string> names() const; // without ".npy"
    bool holds(const std::string& name) const { return m_members.contains(name); }
    Result<NumpyArray> array(const std::string& name) const;

private:
    struct Member {
        Index header = 0; // offset of its local header
        Index packed = 0;
        Index size = 0;
        unsigned method = 0;
    };
    std::shared_ptr<const ByteSource> m_bytes;
    std::filesystem::path m_path;
    std::filesystem::path m_scratch;
    std::stop_token m_stop;
    std::map<std::string, Member> m_members;
};

} // namespace cellfolio::impute
