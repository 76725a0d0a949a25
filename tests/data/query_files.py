# SPDX-License-Identifier: GPL-3.0-or-later
"""The fixture of the filter expressions: twelve cells with every kind of column, with missing values in each kind that
can have them, and genes that are named once, twice, by symbol only, or in raw only."""
import h5py
import numpy as np

from good_files import column, expect, good
from h5ad_parts import (category_column, counts, dense, mapping, nullable_column, number_column, sparse,
                        sparse_parts, table, tag, text_column)

N = 12
NAMES = [f"AAAC{i}" if i < 6 else f"GGTT{i}" for i in range(N - 1)] + ["Zürich-11"]
SYMBOLS = ["CD3E", "GAPDH", "XIST", "TBCE", "TBCE"]
IDS = ["ENSG00000000001.3", "ENSG00000000002", "ENSG00000000003", "ENSG00000000004", "ENSG00000000005"]


@good("filter.h5ad")
def filter_file(path):
    nan = np.nan
    big = np.array([2**53 + i for i in range(N)], "int64")
    huge = np.array([2**63 + i for i in range(N)], "uint64")
    tenth = np.array([0.1, 0.2, nan, 0.4, 0.1, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2], "float32")
    score = np.array([1.5, nan, -2, 0, 4, nan, 6, 7.25, 8, -9, 10, 11])
    words = ["fetal Heart", "STRASSE", "straße", "", "heart", "a.b", "tab\there", 'quote"d', "back\\slash", "名前 🧬",
             "ΑΘΗΝΑ", "none"]
    kinds = [0, 1, -1, 2, 0, 0, 3, -1, 1, 0, 2, 0]
    stages = [0, 1, 2, -1, 2, 1, 0, 0, 1, 2, -1, 0]
    obs = [("n_genes", number_column(np.arange(100, 100 * N + 1, 100, dtype="int32"))),
           ("big", number_column(big)), ("huge", number_column(huge)), ("tenth", number_column(tenth)),
           ("half", number_column(np.linspace(0, 1.1, N).astype("float16"))),
           ("score", number_column(score)),
           ("doublet", number_column(np.arange(N) % 3 == 0)),
           ("cell_type", category_column(kinds, ["T cell", "B cell", "NK", "Übergang"])),
           ("stage", category_column(stages, ["early", "mid", "late"], ordered=True)),
           ("cluster", category_column([0, 1, 2, 2, 1, 0, -1, 1, 2, 0, 1, 2], [3, 5, 9])),
           ("kept", category_column([0, 1, 1, -1, 0, 1, 0, 1, 0, 1, 0, 1], np.array([False, True]))),
           ("batch", nullable_column("nullable-integer", np.arange(N, dtype="int64") % 4, np.arange(N) % 5 == 2)),
           ("checked", nullable_column("nullable-boolean", np.arange(N) % 2 == 0, np.arange(N) % 4 == 3)),
           ("donor", nullable_column("nullable-string-array", [f"D{i % 3}" for i in range(N)], np.arange(N) % 6 == 1)),
           ("note", text_column(words)),
           ("odd name", number_column(np.arange(N) * 0.5)), ("name", text_column(words[::-1])),
           ("tick`ed", number_column(np.arange(N)))]
    x = counts(N, 5, 301).astype(np.float32)
    wide = counts(N, 7, 302).astype(np.float32)
    layer = counts(N, 5, 303).astype(np.int32)
    whole = counts(N, 5, 304) / 4
    whole[3, 1] = nan
    umap = np.stack([np.linspace(-3, 3, N), np.linspace(5, -6, N)], axis=1)
    umap[2, 0] = nan
    with h5py.File(path, "w") as f:
        new = tag(f, "anndata", "0.1.0")
        sparse(new, "X", x, chunks=(7,))
        table(new, "obs", NAMES, obs)
        table(new, "var", ["CD3E", "ENSG00000000002", "XIST", "TBCE", "TBCE"],
              [("gene_symbols", text_column(SYMBOLS)), ("gene_ids", text_column(IDS)),
               ("highly_variable", number_column(np.array([True, False, True, False, True]))),
               ("n_cells", number_column(np.array([5, 10, 150, 200, 250])))])
        layers = mapping(new, "layers")
        sparse(layers, "counts", layer, kind="csc")
        dense(layers, "scaled", whole)
        obsm = mapping(new, "obsm")
        dense(obsm, "X_umap", umap)
        table(obsm, "tissue", NAMES, [("depth", number_column(np.arange(N) * 10)),
                                      ("site", category_column([0, 1] * 6, ["left", "right"]))])
        for name in ("varm", "obsp", "varp", "uns"):
            mapping(new, name)
        raw = tag(new.create_group("raw"), "raw", "0.1.0")
        sparse(raw, "X", wide)
        table(raw, "var", ["CD3E", "ENSG00000000002", "XIST", "TBCE", "TBCE", "MALAT1", "FOXP3"],
              [("mean", number_column(wide.mean(axis=0)))])
        mapping(raw, "varm")
    return expect((N, 5), {"X": (x, "sparse"), "raw/X": (wide, "sparse"), "layers/counts": (layer, "sparse"),
                           "layers/scaled": (whole, "dense")},
                  about="columns and genes for filter expressions", index={"obs": {"11": NAMES[11]}},
                  column=[column("obs", "big", "int", big), column("obs", "huge", "uint", huge) | {"type": "int"},
                          column("obs", "stage", "categorical", [["early", "mid", "late", None][s] for s in stages],
                                 categories=["early", "mid", "late"], ordered=True, missing=2)],
                  obsm={"X_umap": [N, 2], "tissue": [N, 2]})


@good("filter_changed.h5ad")
def filter_changed(path):
    """filter.h5ad as someone else left it: cells in another order, one cut, one new; genes the other way round."""
    names = ["new", *[name for name in NAMES[::-1] if name != "AAAC1"]]
    x = counts(N, 5, 305).astype(np.float32)
    with h5py.File(path, "w") as f:
        new = tag(f, "anndata", "0.1.0")
        dense(new, "X", x)
        table(new, "obs", names, [("n_genes", number_column(np.arange(N)))])
        table(new, "var", ["TBCE", "TBCE", "XIST", "ENSG00000000002", "CD3E"])
        for name in ("layers", "obsm", "varm", "obsp", "varp", "uns"):
            mapping(new, name)
    return expect((N, 5), {"X": (x, "dense")}, about="filter.h5ad, changed by someone else",
                  index={"obs": {"0": "new", "1": NAMES[11]}, "var": {"4": "CD3E"}})


LONG = 40_000


@good("long.h5ad")
def long_file(path):
    """More rows than a filter looks at in one block, small on disk: what is found so far can be watched."""
    row = np.arange(LONG)
    packed = {"compression": "gzip", "compression_opts": 9, "shuffle": True, "chunks": (4096,)}
    # One entry a cell, 1 + (row mod 5) in gene 0 of even rows and gene 1 of odd ones.
    data = (1 + row % 5).astype("float32")
    with h5py.File(path, "w") as f:
        new = tag(f, "anndata", "0.1.0")
        sparse_parts(new, "X", (LONG, 2), data, row % 2, np.arange(LONG + 1), **packed)
        obs = tag(new.create_group("obs"), "dataframe", "0.2.0")
        obs.attrs["_index"] = "_index"
        obs.attrs["column-order"] = np.array(["word", "count"], dtype=object)
        dense(obs, "_index", row.astype("int32"), **packed)
        # Text of fixed length: the others would take 16 bytes a row and more.
        words = np.array([f"w{i % 7}" for i in row], dtype="S2")
        dense(obs, "word", words, **packed)
        dense(obs, "count", (row % 1000).astype("int32"), **packed)
        table(new, "var", ["even", "odd"])
        for name in ("layers", "obsm", "varm", "obsp", "varp", "uns"):
            mapping(new, name)
    return expect((LONG, 2), {}, about="forty thousand cells for filters that are watched")
