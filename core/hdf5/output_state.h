// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/hdf5/handle.h"
#include "core/hdf5/output_driver.h"
#include "core/hdf5/output_file.h"

// What the writers of this folder share. HDF5 thread only.
namespace cellfolio::hdf5 {

struct OutputFile::State {
    OutputSink sink;
    Handle file;
    Handle linkList; // makes groups on the way, names in UTF-8
};

struct OutputArray::State {
    std::string path;
    Handle dataset;
    ArrayInfo info;
};

// The type of values in a new file.
Handle newFileType(DType type);
// Sets one attribute of an open object.
Result<void> writeAttribute(std::int64_t object, const std::string& name, const AttributeValue& value);
// The error for a call that the library refused.
Error outputError(const std::string& doing);

} // namespace cellfolio::hdf5
