// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/buffer.h"
#include "core/hdf5/raw_file.h"

#include <utility>
#include <vector>

namespace cellfolio::hdf5 {

// Kinds of messages, as the HDF5 file format specification (version 3.0, IV.A.2) numbers them.
enum MessageType : unsigned {
    kDataspaceMessage = 0x01,
    kLinkInfoMessage = 0x02,
    kDatatypeMessage = 0x03,
    kOldFillMessage = 0x04,
    kFillMessage = 0x05,
    kLinkMessage = 0x06,
    kExternalFilesMessage = 0x07,
    kLayoutMessage = 0x08,
    kGroupInfoMessage = 0x0A,
    kFilterMessage = 0x0B,
    kAttributeMessage = 0x0C,
    kCommentMessage = 0x0D,
    kContinuationMessage = 0x10,
    kSymbolTableMessage = 0x11,
    kAttributeInfoMessage = 0x15,
};

struct HeaderMessage {
    unsigned type = 0;
    unsigned flags = 0; // bit 1: shared, the data only say where the message lies
    std::span<const std::byte> data;

    bool isShared() const noexcept { return (flags & 2u) != 0; }
};

// The header of an object (group, dataset, named type) as the file holds it: its messages, with
// those of its continuation blocks, cut out with their bounds checked and no more. Read beside the
// library, which trusts much of what it finds there. The checksums of version 2 are left to it.
class ObjectHeader
{
public:
    static Result<ObjectHeader> read(const RawFile& file, std::uint64_t address);

    int version() const noexcept { return m_version; }
    const std::vector<HeaderMessage>& messages() const noexcept { return m_messages; }
    const HeaderMessage* find(unsigned type) const noexcept; // the first of that type, or null
    std::uint64_t bytes() const noexcept { return m_bytes; }

private:
    Result<void> addBlock(const RawFile& file, std::uint64_t address, std::uint64_t size);
    Result<void> cutMessages(std::span<const std::byte> block);

    int m_version = 1;
    bool m_tracksOrder = false; // version 2: a creation order in each message
    std::uint64_t m_bytes = 0;
    std::vector<Buffer> m_blocks;
    std::vector<HeaderMessage> m_messages; // spans into the blocks
    std::vector<std::pair<std::uint64_t, std::uint64_t>> m_pending; // blocks yet to be read
};

} // namespace cellfolio::hdf5
