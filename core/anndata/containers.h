// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/data_set_builder.h"

#include <optional>
#include <string>
#include <vector>

namespace cellfolio {

// Other containers of single-cell data, recognised by their structure and shown as the h5ad they
// would become.

// An h5mu: the modalities in the file's order.
bool looksLikeMuData(const hdf5::Object& root);
std::vector<const hdf5::Object*> modalitiesOf(const hdf5::Object& root);

// 10x feature-barcode matrices: the group "matrix", or one group a genome (before version 3).
std::vector<const hdf5::Object*> tenXMatricesOf(const hdf5::Object& root);
std::optional<std::string> tenXVersion(const hdf5::Object& matrix);
Axes buildTenX(BuildContext& context, const hdf5::Object& matrix, Element& root);

bool looksLikeLoom(const hdf5::Object& root);
std::optional<std::string> loomVersion(BuildContext& context, const hdf5::Object& root);
Axes buildLoom(BuildContext& context, const hdf5::Object& file, Element& root);

// Why a file that is none of these is refused: one sentence that says what it looks like.
std::string whatElse(const hdf5::Object& root);

} // namespace cellfolio
