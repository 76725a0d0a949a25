// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/embedding_data.h"
#include "widgets/models/gene_queue.h"

#include <QtCore/QString>

namespace cellfolio {

// How cells are coloured by a gene. The range to show is that of the values that are not 0: from the
// lowest to the 99th percentile (from at most 20 000 of them, evenly taken); with negative values,
// as of a scaled matrix, from the 1st. Zeros are counted; cells not reached yet are no missing ones.
ColorData geneColor(const GeneValues& gene);

// "X", "raw/X", "layers/counts".
QString matrixName(const Element& matrix);
// "X (log1p of counts per 10 000)"; without the brackets where it is not known what it holds.
QString matrixAndUnit(const Element& matrix, const QString& unit);
// How an expression asks for it: gene("CD3E"), raw("CD3E"), layer("counts", "CD3E"); empty for
// matrices that expressions do not reach. `name`: as findGenes() finds it.
QString geneExpression(const Dataset& dataset, const Element& matrix, const QString& name);

// Matrices of cells × genes that can colour: X, raw/X, the layers; in this order.
std::vector<const Element*> geneMatrices(const Dataset& dataset);
// The table with the names of its genes: var or raw/var. Null: none.
const Element* genesOf(const Dataset& dataset, const Element& matrix);

} // namespace cellfolio
