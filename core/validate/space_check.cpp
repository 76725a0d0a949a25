// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/space_check.h"

#include "core/anndata/rules.h"
#include "core/base/text.h"
#include "core/hdf5/space_use.h"

namespace cellfolio {

Result<std::optional<Finding>> checkSpace(const std::shared_ptr<const Dataset>& dataset,
                                          std::stop_token stop)
{
    Result<hdf5::SpaceUse> use = hdf5::spaceUse(dataset->file().shared_from_this(), stop);
    if (!use)
        return std::move(use).error();
    const Index unused = use->unusedBytes();
    if (unused <= kSmallestWaste || unused <= use->fileBytes / 5)
        return std::optional<Finding>();
    return std::optional(makeFinding("A054", "/",
                                     byteText(unused) + " of the file's " + byteText(use->fileBytes)
                                         + " are not used by anything in it."));
}

} // namespace cellfolio
