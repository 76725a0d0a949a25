// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/mapping_options.h"

namespace cellfolio::cli {
namespace {

const OptionSpec kSpatial{"spatial", "FILE", "", "The spatial cells: rows of the plan."};
const OptionSpec kReference{"reference", "FILE", "", "The single cells: columns of the plan."};
const OptionSpec kSpatialMatrix{"spatial-matrix", "ELEMENT", "X", "Its expression."};
const OptionSpec kSpatialWhere{"spatial-where", "EXPRESSION", "", "Spatial cells for which it holds."};
const OptionSpec kSpatialWhereVar{"spatial-where-var", "EXPRESSION", "", "Its genes, likewise."};
const OptionSpec kSpatialObs{"spatial-obs", "SELECTION", "", "Spatial cells by position or name."};
const OptionSpec kSpatialVar{"spatial-var", "SELECTION", "", "Its genes, likewise."};
const OptionSpec kSpatialView{"spatial-view", "NAME", "", "A view of the spatial file."};
const OptionSpec kReferenceMatrix{"reference-matrix", "ELEMENT", "X", "Its expression."};
const OptionSpec kReferenceWhere{"reference-where", "EXPRESSION", "", "Reference cells for which it holds."};
const OptionSpec kReferenceWhereVar{"reference-where-var", "EXPRESSION", "", "Its genes, likewise."};
const OptionSpec kReferenceObs{"reference-obs", "SELECTION", "", "Reference cells by position or name."};
const OptionSpec kReferenceVar{"reference-var", "SELECTION", "", "Its genes, likewise."};
const OptionSpec kReferenceView{"reference-view", "NAME", "", "A view of the reference."};

const OptionSpec kFeatures{"features", "genes|obsm:KEY", "genes",
                           "What both files share: genes of one name, or an embedding."};
const OptionSpec kGenesBy{"genes-by", "COLUMN", "", "Match genes by a column of var, where a file has it, not by name."};
const OptionSpec kIgnoreCase{"ignore-case", "", "", "Upper and lower case are the same in names of genes."};
const OptionSpec kNormalize{"normalize", "auto|log1p|none", "auto",
                            "Counts are brought to 10 000 a cell, then log1p; auto looks at the numbers."};
const OptionSpec kComponents{"components", "D", "30", "Dimensions of the joint space; with no more genes than that, the genes."};
const OptionSpec kCost{"cost", "sqeuclidean|cosine|euclidean", "sqeuclidean", "Distance in the joint space."};
const OptionSpec kScaleCost{"scale-cost", "mean|std|max|NUMBER", "mean", "What the cost is divided by."};
const OptionSpec kEpsilon{"epsilon", "E|auto", "0.1",
                          "How far a cell is spread over the reference; auto tries several on genes held out."};
const OptionSpec kTauA{"tau-a", "T", "1", "Below 1: spatial cells need not all be explained."};
const OptionSpec kTauB{"tau-b", "T", "1", "Below 1: reference cells need not all be placed, such as types the tissue lacks."};
const OptionSpec kEntropy{"entropy", "product|counting", "product", "Measure of the entropy; counting is that of OTT and moscot."};
const OptionSpec kAlpha{"alpha", "A", "", "Fused mapping: weight of the spatial structure, above 0 to 1."};
const OptionSpec kSpatialKey{"spatial-key", "KEY", "spatial", "The obsm with the coordinates, for --alpha."};
const OptionSpec kRank{"rank", "R", "", "Low-rank coupling, for sizes beyond a full one."};
const OptionSpec kBatch{"batch", "COLUMN", "", "One solution for each value of this obs column of the spatial file."};
const OptionSpec kWeightsSpatial{"weights-spatial", "COLUMN", "", "Weights of the spatial cells; without it equal ones."};
const OptionSpec kWeightsReference{"weights-reference", "COLUMN", "", "Weights of the reference cells, likewise."};
const OptionSpec kThreshold{"threshold", "T", "1e-3", "Error of the marginals at which the iteration ends."};
const OptionSpec kMaxIterations{"max-iterations", "N", "2000", "At most so many steps."};
const OptionSpec kPrecision{"precision", "float32|float64", "float32", "Of tiles; below an epsilon of 0.005 always float64."};
const OptionSpec kSeed{"seed", "N", "0", "Of random numbers."};
const OptionSpec kSavePlan{"save-plan", "OUT.npy", "", "Also write the plan itself, spatial × reference."};

const OptionSpec kMap{"map", "MAPPING.h5", "", "A mapping that `map` saved; it knows its files."};
const OptionSpec kPlan{"plan", "PLAN", "",
                       "A plan solved elsewhere: .npy, .npz, or FILE::ELEMENT of an HDF5 file; spatial × reference."};
const OptionSpec kTransposed{"transposed", "", "", "The plan is stored as reference × spatial."};
const OptionSpec kImputeMatrix{"matrix", "X|layers/…|raw/X", "X", "What of the reference is carried across."};
const OptionSpec kGenes{"genes", "all|missing|SELECTION", "all", "Which genes; missing: those the spatial file has not."};
const OptionSpec kImputeNormalize{"normalize", "auto|log1p|none", "",
                                  "Without it as the mapping had it; none for a plan solved elsewhere."};
const OptionSpec kRows{"rows", "SELECTION", "", "Rows of the plan, in this order; without it all."};
const OptionSpec kScaling{"scaling", "source|target|none", "source",
                          "source: averages, in the units of the reference; target: mass-conserving (moscot); none: P·X."};
const OptionSpec kZeroMass{"zero-mass", "zero|missing|map", "zero", "What rows without mass get."};
const OptionSpec kLabels{"labels", "COL,…", "", "Columns of the reference's obs to carry along, with their probability."};
const OptionSpec kObsm{"obsm", "KEY,…", "", "Embeddings of the reference to carry along."};
const OptionSpec kKeep{"keep", "K", "", "Only the K largest values of a row, stored sparse."};
const OptionSpec kThin{"thin", "K", "", "Only the K largest weights of a row of the plan count."};
const OptionSpec kResume{"resume", "", "", "Keep what an interruption leaves, and go on from there."};

const OptionSpec kFolds{"folds", "K", "5", "Parts into which the shared genes are dealt."};
const OptionSpec kEpsilons{"epsilon", "E,…", "0.1", "One or several; the answer is of the best, with a summary of each."};
const OptionSpec kPredicted{"predicted", "FILE", "", "Instead: an imputed file …"};
const OptionSpec kMeasured{"measured", "FILE", "", "… compared with a measured one on the genes they share."};

const OptionSpec kOutput{"output", "OUT", "", "The new file (also -o). It appears whole or not at all."};
const OptionSpec kReplace{"overwrite", "", "", "Allow OUT to exist; it is replaced once the new file is whole."};
const OptionSpec kTemp{"temp", "DIR", "", "Folder for temporary files. Without it, that of OUT."};
const OptionSpec kEstimate{"estimate", "", "", "Say what the work needs, and do nothing."};

std::vector<const OptionSpec*> sides()
{
    return {&kSpatial,       &kReference,      &kSpatialMatrix,     &kSpatialWhere, &kSpatialWhereVar,
            &kSpatialObs,    &kSpatialVar,     &kSpatialView,       &kReferenceMatrix,
            &kReferenceWhere, &kReferenceWhereVar, &kReferenceObs, &kReferenceVar, &kReferenceView};
}

std::vector<const OptionSpec*> joined(std::vector<const OptionSpec*> first,
                                      const std::vector<const OptionSpec*>& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

std::vector<const OptionSpec*> solving(const OptionSpec& epsilon)
{
    return {&kFeatures, &kGenesBy, &kIgnoreCase, &kNormalize, &kComponents, &kCost, &kScaleCost, &epsilon,
            &kTauA, &kTauB, &kEntropy, &kAlpha, &kSpatialKey, &kRank, &kBatch, &kWeightsSpatial,
            &kWeightsReference, &kThreshold, &kMaxIterations, &kPrecision, &kSeed};
}

} // namespace

std::vector<const OptionSpec*> mapOptions()
{
    return joined(joined(sides(), solving(kEpsilon)),
                  {&kOutput, &kReplace, &kSavePlan, &kTemp, &kEstimate});
}

std::vector<const OptionSpec*> imputeOptions()
{
    return {&kMap, &kPlan, &kTransposed, &kReference, &kSpatial, &kOutput, &kReplace, &kImputeMatrix,
            &kGenes, &kImputeNormalize, &kRows, &kScaling, &kZeroMass, &kLabels, &kObsm, &kThin, &kKeep, &kResume,
            &kTemp, &kEstimate};
}

std::vector<const OptionSpec*> scoreOptions()
{
    return joined(joined(sides(), solving(kEpsilons)), {&kFolds, &kPredicted, &kMeasured, &kTemp});
}

} // namespace cellfolio::cli
