// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/run/file_system.h"

#include <cstdint>

namespace cellfolio::hdf5 {

// What the library writes through: an open descriptor, and the first failure of the system. From
// a failure on nothing more is written and the library is told that all is well, since after an
// error on closing it keeps what it could not write and tries again when the program ends. Whoever
// writes looks at `failure` after each call. HDF5 thread only.
struct OutputSink {
    int descriptor = -1;
    FileSystem* system = nullptr;
    int failure = 0; // the system's error number

    // OutOfDisk, PermissionDenied or Io, when something failed.
    Result<void> check() const;
};

// The error for a failed write.
Error writeFailure(int number);

// Makes the file access property list `list` write through the sink, which must outlive the file.
bool useSink(std::int64_t list, OutputSink& sink);

} // namespace cellfolio::hdf5
