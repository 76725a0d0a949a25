// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/gene_index_store.h"

#include <filesystem>

namespace cellfolio {

// Where the gene indexes lie and how much room they may take: one choice of the user, kept in a
// small text file that the window writes and every program reads.
//
//     limit = 21474836480
//     folder = /data/cache/genes
struct GeneIndexSettings {
    std::filesystem::path folder = GeneIndexStore::defaultFolder();
    Index limit = GeneIndexStore::kDefaultLimit; // bytes of all indexes together

    // $XDG_CONFIG_HOME/cellfolio/genes.conf, or that below ~/.config.
    static std::filesystem::path defaultFile();
    // What the file does not say is as above, and all of it where there is no file. Corrupt, with
    // the line, where it says what is no size or no absolute folder; Io where it cannot be read.
    static Result<GeneIndexSettings> read(const std::filesystem::path& file = defaultFile());
    // Writes beside the file and renames: another program sees the old one or the new one.
    Result<void> write(const std::filesystem::path& file = defaultFile()) const;

    GeneIndexStore store() const { return GeneIndexStore(folder, limit); }
};

} // namespace cellfolio
