// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_table.h"

#include "app/cli/commands.h"
#include "app/cli/mapping_options.h"

namespace cellfolio::cli {
namespace {

const OptionSpec kJson{"json", "", "", "One JSON object instead of text, on failure too."};
const OptionSpec kMemory{"memory", "SIZE", "256M",
                         "Memory budget: bytes, or with K, M, G; at least 16M. The process may be "
                         "64 MiB larger, never more."};
const OptionSpec kThreads{"threads", "N", "all cores", "Threads to use."};
const OptionSpec kProgress{"progress", "", "", "A line of progress a second on standard error."};
const OptionSpec kQuiet{"quiet", "", "", "No progress and no notes on standard error."};
const OptionSpec kHelp{"help", "", "", "This text."};
const OptionSpec kVersion{"version", "", "", "The version of the program."};

const OptionSpec kObs{"obs", "SELECTION", "",
                      "Cells: positions, slices, names, A..B, lists, @FILE of names, mask:0101. "
                      "Given again, it counts within what the one before left."};
const OptionSpec kVar{"var", "SELECTION", "", "Genes, likewise; on raw, those of raw/var."};
const OptionSpec kRows{"rows", "SELECTION", "", "The first axis, whatever it is."};
const OptionSpec kCols{"cols", "SELECTION", "", "The second axis, whatever it is."};
const OptionSpec kWhere{"where", "EXPRESSION", "",
                        "Cells for which the expression holds, such as 'n_genes > 500 and "
                        "gene(\"CD3E\") > 1'. Given again, it counts within what is left."};
const OptionSpec kWhereVar{"where-var", "EXPRESSION", "",
                           "Genes for which it holds; on raw, those of raw/var."};
const OptionSpec kView{"view", "NAME", "",
                       "A view kept for this file, or FILE.json. Views come before expressions, "
                       "expressions before --obs and --var."};

const OptionSpec kSizes{"sizes", "", "",
                        "Also the bytes each array takes on disk (walks the chunk index)."};
const OptionSpec kColumns{"columns", "LIST", "",
                          "Columns by name in the wanted order; positions for arrays. Empty: the "
                          "row names alone."};
const OptionSpec kCsv{"csv", "", "", "Comma-separated values, whole (RFC 4180)."};
const OptionSpec kTsv{"tsv", "", "", "Tab-separated values, whole."};
const OptionSpec kBy{"by", "obs|var", "",
                     "The figures of each cell or gene, instead of all together."};
const OptionSpec kQuantiles{"quantiles", "LIST", "",
                            "Also these quantiles, exact, such as 0.25,0.5,0.75."};
const OptionSpec kStatsCsv{"csv", "", "", "The figures as comma-separated values (RFC 4180)."};

const OptionSpec kCount{"count", "", "", "Only the number of cells, bare."};
const OptionSpec kNames{"names", "", "", "The names of the cells, one a line."};
const OptionSpec kPositions{"positions", "", "", "Their positions in the file, one a line."};
const OptionSpec kSave{"save", "NAME|OUT.json", "",
                       "Keep the outcome as a view of this file, or write it to a file."};
const OptionSpec kOverwrite{"overwrite", "", "", "Allow OUT.json to exist."};

const OptionSpec kSchema{"schema", "anndata|cellxgene", "anndata",
                         "Which rules; cellxgene is not built yet."};
const OptionSpec kOntology{"ontology", "DIR", "", "Ontology files for cellxgene.", false};
const OptionSpec kQuick{"quick", "", "", "Only rules that read no values."};
const OptionSpec kOnly{"only", "IDS", "", "Only these rules, such as A008,B013."};
const OptionSpec kFailOn{"fail-on", "error|warning|info|never", "error",
                         "From which severity on a finding ends with 1."};
const OptionSpec kReport{"report", "OUT.html", "", "A report as a web page.", false};

const OptionSpec kMatrix{"matrix", "ELEMENT", "X", "The matrix, stored by cell."};
const OptionSpec kStatus{"status", "", "", "Only tell whether there is an index that can be used."};
const OptionSpec kDrop{"drop", "", "", "Remove the index."};
const OptionSpec kEstimate{"estimate", "", "", "Say what the work needs, and do nothing."};

const OptionSpec kOutput{"output", "OUT", "", "The new file (also -o). It appears whole or not at all."};
const OptionSpec kReplace{"overwrite", "", "", "Allow OUT to exist; it is replaced once the new file is whole."};
const OptionSpec kTemp{"temp", "DIR", "", "Folder for temporary files. Without it, that of OUT."};
const OptionSpec kFormat{"format", "h5ad|csv|tsv|mtx|10x|seurat|loom|npy|npz", "",
                         "What to write. Without it, by the ending of OUT; .gz behind .csv and .tsv packs. mtx and "
                         "seurat are folders."};
const OptionSpec kElement{"element", "ELEMENT", "",
                          "What of the file, for formats that hold one element. Without it obs for csv and tsv, X for "
                          "the others."};
const OptionSpec kSlots{"slots", "LIST", "", "Only these elements of an h5ad, such as X,obs,obsm/X_umap. Names stay."};
const OptionSpec kWithout{"without", "LIST", "", "All elements but these."};
const OptionSpec kFromRaw{"from-raw", "", "", "raw/X and raw/var become X and var; --var speaks of raw/var."};
const OptionSpec kProfile{"profile", "keep|anndata|r|seuratdisk|cellxgene", "anndata", "For which readers."};
const OptionSpec kUnreadable{"unreadable", "keep|drop|stop", "keep", "What the profile has no form for."};
const OptionSpec kStorage{"storage", "keep|csr|csc|dense", "keep", "How X and the layers are stored."};
const OptionSpec kDtype{"dtype", "TYPE", "keep", "Type of the numbers of X and the layers, such as float32."};
const OptionSpec kCompression{"compression", "keep|none|gzip[:1-9]|lzf|zstd[:1-19]", "keep",
                              "How arrays are packed; gzip alone is level 2."};
const OptionSpec kDropUnused{"drop-unused-categories", "", "", "Categories that no cell has are left out, their colours too."};
const OptionSpec kOutputDir{"output-dir", "DIR", "", "Folder of the new files, which keep their names; for several FILEs."};
const OptionSpec kInPlace{"in-place", "", "",
                          "Instead of OUT: the new file is written beside FILE, verified, and renamed over it."};
const OptionSpec kElements{"elements", "LIST", "", "Which matrices, such as X,raw/X. Without it, all that need it."};
const OptionSpec kDropZeros{"drop-zeros", "", "", "Leave out stored zeros."};
const OptionSpec kKeepDuplicates{"keep-duplicates", "", "", "Sort only; what is stored twice at one place stays so."};
const OptionSpec kOverflow{"overflow", "stop|widen|wrap", "stop",
                           "What becomes of integers whose sum their type cannot hold."};
const OptionSpec kConvertElements{"elements", "LIST", "",
                                  "Which matrices, such as X,layers/counts. Without it X; where only --compression, --chunk or "
                                  "--index-width is given, every matrix."};
const OptionSpec kConvertStorage{"storage", "keep|csr|csc|dense", "keep", "How they are stored."};
const OptionSpec kConvertDtype{"dtype", "TYPE", "keep", "Type of their numbers. A value that would change stops it."};
const OptionSpec kLossy{"lossy", "", "", "Values may change; which ones is told."};
const OptionSpec kIndexWidth{"index-width", "keep|32|64", "keep", "Bits of the positions of sparse matrices."};
const OptionSpec kChunk{"chunk", "N", "", "Length of a chunk: entries of a sparse matrix, rows of a dense one."};
const OptionSpec kConvertProfile{"profile", "keep|anndata|r|seuratdisk|cellxgene", "",
                                 "For which readers the whole file is written. Without it keep for an h5ad, anndata for "
                                 "what becomes one."};
const OptionSpec kAs{"as", "layers/NAME", "", "The matrix stays, and what it becomes is a new layer."};
const OptionSpec kSplit{"split", "COLUMN", "", "One file a category of a column of obs; OUT holds {}."};

std::vector<const OptionSpec*> with(std::vector<const OptionSpec*> own, bool readsCells)
{
    if (readsCells)
        own.insert(own.begin(), {&kObs, &kVar, &kRows, &kCols, &kWhere, &kWhereVar, &kView});
    own.insert(own.end(),
               {&kJson, &kMemory, &kThreads, &kProgress, &kQuiet, &kHelp, &kVersion});
    return own;
}

CommandSpec later(std::string_view name, std::string_view sentence)
{
    return {name, "FILE", sentence, with({}, false), {}, nullptr};
}

std::vector<CommandSpec> makeCommands()
{
    return {
        {"info", "FILE…", "Tell what is in a file, without reading it.", with({&kSizes}, false),
         {"cellfolio-cli info pbmc68k_reduced.h5ad",
          "cellfolio-cli info pbmc68k_reduced.h5ad --sizes --json"},
         &runInfo},
        {"view", "FILE ELEMENT", "Show the values of a table, matrix, column or any other element.",
         with({&kColumns, &kCsv, &kTsv}, true),
         {"cellfolio-cli view pbmc68k_reduced.h5ad obs --obs -5: --columns bulk_labels,n_genes",
          "cellfolio-cli view pbmc68k_reduced.h5ad X --obs 0:3 --var CD3D,NKG7 --csv"},
         &runView},
        {"stats", "FILE ELEMENT",
         "Count, add up and describe the values of a matrix or column in one pass.",
         with({&kBy, &kQuantiles, &kStatsCsv}, true),
         {"cellfolio-cli stats pbmc68k_reduced.h5ad raw/X",
          "cellfolio-cli stats pbmc68k_reduced.h5ad obs/bulk_labels --json"},
         &runStats},
        {"validate", "FILE…", "Check a file against the rules of its format.",
         with({&kSchema, &kOntology, &kQuick, &kOnly, &kFailOn, &kReport}, false),
         {"cellfolio-cli validate pbmc68k_reduced.h5ad --fail-on never",
          "cellfolio-cli validate pbmc68k_reduced.h5ad --quick --fail-on warning --json"},
         &runValidate},
        {"filter", "FILE", "Choose cells and genes by expressions; count, list or keep them.",
         with({&kObs, &kVar, &kWhere, &kWhereVar, &kView, &kCount, &kNames, &kPositions, &kSave,
               &kOverwrite},
              false),
         {"cellfolio-cli filter pbmc68k_reduced.h5ad --where 'n_genes > 1000 and "
          "bulk_labels contains \"T\"'",
          "cellfolio-cli filter pbmc68k_reduced.h5ad --where 'raw(\"CD3D\") > 2' --names"},
         &runFilter},
        {"index", "FILE", "Build an index that makes reading by gene fast, in the user's cache folder.",
         with({&kMatrix, &kStatus, &kDrop, &kEstimate}, false),
         {"cellfolio-cli index pbmc68k_reduced.h5ad --matrix raw/X",
          "cellfolio-cli index pbmc68k_reduced.h5ad --matrix raw/X --status --json"},
         &runIndex},
        {"export", "FILE", "Write a view to a new file, with every slot or as other programs read it.",
         with({&kOutput, &kReplace, &kObs, &kVar, &kWhere, &kWhereVar, &kView, &kFormat, &kElement, &kSlots, &kWithout,
               &kFromRaw, &kProfile, &kUnreadable, &kStorage, &kDtype, &kCompression, &kDropUnused, &kSplit, &kEstimate,
               &kTemp},
              false),
         {"cellfolio-cli export pbmc68k_reduced.h5ad --where 'n_genes > 1000' -o many_genes.h5ad",
          "cellfolio-cli export pbmc68k_reduced.h5ad --element raw/X --var CD3D,NKG7 -o genes.csv"},
         &runExport},
        {"canonicalize", "FILE…", "Sort and merge the entries of sparse matrices; everything else stays as it is stored.",
         with({&kOutput, &kOutputDir, &kInPlace, &kReplace, &kElements, &kDropZeros, &kKeepDuplicates, &kOverflow,
               &kCompression, &kEstimate},
              false),
         {"cellfolio-cli canonicalize pbmc68k_reduced.h5ad -o in_order.h5ad",
          "cellfolio-cli canonicalize pbmc68k_reduced.h5ad --elements raw/X --drop-zeros -o in_order.h5ad --overwrite"},
         &runCanonicalize},
        {"convert", "FILE…", "Change how matrices are stored, or make an h5ad of another format; values stay.",
         with({&kOutput, &kOutputDir, &kInPlace, &kReplace, &kConvertElements, &kConvertStorage, &kConvertDtype, &kLossy,
               &kIndexWidth, &kChunk, &kCompression, &kConvertProfile, &kAs, &kTemp, &kEstimate},
              false),
         {"cellfolio-cli convert pbmc68k_reduced.h5ad --elements raw/X --storage csc -o by_gene.h5ad",
          "cellfolio-cli convert pbmc68k_reduced.h5ad --compression gzip -o packed.h5ad --overwrite --json"},
         &runConvert},
        later("concat", "Join files along the cells."),
        later("fix", "Repair what validation found."),
        {"map", "", "Map spatial cells onto single cells by optimal transport, within the memory budget.",
         with(mapOptions(), false),
         {"cellfolio-cli map --spatial pbmc68k_reduced.h5ad --spatial-obs :100 --reference pbmc68k_reduced.h5ad "
          "--features obsm:X_pca -o mapping.h5",
          "cellfolio-cli map --spatial pbmc68k_reduced.h5ad --spatial-matrix raw/X --reference pbmc68k_reduced.h5ad "
          "--reference-matrix raw/X --epsilon 0.05 -o by_genes.h5 --json"},
         &runMap},
        {"impute", "", "Predict expression, labels and embeddings through a mapping, block by block.",
         with(imputeOptions(), false),
         {"cellfolio-cli impute --map mapping.h5 --matrix raw/X --labels bulk_labels -o imputed.h5ad",
          "cellfolio-cli impute --map mapping.h5 --genes CD3D,NKG7 --keep 1 -o two_genes.h5ad --json"},
         &runImpute},
        {"score", "", "Judge a mapping on genes held out, or a prediction against measured values.",
         with(scoreOptions(), false),
         {"cellfolio-cli score --spatial pbmc68k_reduced.h5ad --spatial-matrix raw/X --spatial-obs :200 "
          "--reference pbmc68k_reduced.h5ad --reference-matrix raw/X --epsilon 0.2,0.1",
          "cellfolio-cli score --predicted imputed.h5ad --measured imputed.h5ad --normalize none --json"},
         &runScore},
        later("smooth", "Smooth a matrix over neighbouring cells."),
        later("qc", "Quality figures of each cell."),
        later("de", "Genes that tell groups apart."),
        later("run", "Replay a recipe."),
    };
}

} // namespace

const std::vector<CommandSpec>& commands()
{
    static const std::vector<CommandSpec> kCommands = makeCommands();
    return kCommands;
}

const CommandSpec* findCommand(std::string_view name)
{
    for (const CommandSpec& command : commands()) {
        if (command.name == name)
            return &command;
    }
    return nullptr;
}

} // namespace cellfolio::cli
