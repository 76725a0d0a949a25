# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of earlier generations and of related formats: anndata 0.7 and 0.5/0.6, 10x, loom, h5mu."""
import h5py
import numpy as np

from good_files import column, expect, good
from h5ad_parts import (TEXT, categorical, cell_names, compressed, counts, dense, gene_names, mapping, new_file,
                        number_column, sparse, sparse_parts, table, tables, tag)


def bare(node):
    """Takes the encoding attributes off again: 0.7 wrote none on these."""
    for key in ("encoding-type", "encoding-version"):
        node.attrs.pop(key, None)
    return node


@good("legacy_07.h5ad")
def legacy_07(path):
    x = counts(5, 3, 111).astype(np.float32)
    raw = counts(5, 4, 112).astype(np.float32)

    def frame(parent, name, names, columns, categories):
        group = tag(parent.create_group(name), "dataframe", "0.1.0")
        group.attrs["_index"] = "_index"
        order = np.array([key for key, _ in columns], dtype=object)
        group.attrs["column-order"] = order if len(order) else np.empty(0)
        group.create_dataset("_index", data=np.array(names, dtype=object), dtype=TEXT)
        lists = group.create_group("__categories")
        for key, values in columns:
            data = group.create_dataset(key, data=values)
            if key in categories:
                labels, ordered = categories[key]
                kept = lists.create_dataset(key, data=np.array(labels, dtype=object), dtype=TEXT)
                kept.attrs["ordered"] = np.bool_(ordered)
                data.attrs["categories"] = kept.ref
        return group

    with h5py.File(path, "w") as f:
        sparse(f, "X", x)
        frame(f, "obs", cell_names(5), [("grp", np.array([0, 1, -1, 1, 0], "int8")), ("n", np.arange(5)),
                                        ("stage", np.array([1, 0, 0, 1, 1], "int8"))],
              {"grp": (["alpha", "beta"], False), "stage": (["early", "late"], True)})
        frame(f, "var", gene_names(3), [], {})
        group = tag(f.create_group("raw"), "raw", "0.1.0")
        group.attrs["shape"] = np.array([5, 4])
        sparse(group, "X", raw)
        frame(group, "var", [f"raw{i}" for i in range(4)], [], {})
        bare(dense(f.create_group("obsm"), "X_pca", np.arange(10.0).reshape(5, 2)))
        uns = f.create_group("uns")
        uns.create_dataset("n_neighbors", data=15)
        uns.create_dataset("method", data="umap", dtype=TEXT)
    return expect((5, 3), {"X": (x, "sparse"), "raw/X": (raw, "sparse")}, about="the layout of anndata 0.7",
                  rules=["A003"], columns={"obs": ["grp", "n", "stage"]}, index={"raw/var": {"3": "raw3"}},
                  obsm={"X_pca": [5, 2]}, uns={"n_neighbors": 15, "method": "umap"},
                  column=[column("obs", "grp", "categorical", ["alpha", "beta", None, "beta", "alpha"],
                                 categories=["alpha", "beta"], ordered=False, missing=1),
                          column("obs", "stage", "categorical", ["late", "early", "early", "late", "late"],
                                 categories=["early", "late"], ordered=True, missing=0)])


@good("legacy_06.h5ad")
def legacy_06(path):
    x = counts(4, 3, 113).astype(np.float32)
    raw = counts(4, 5, 114).astype(np.float32)

    def old_sparse(parent, name, values):
        data, indices, indptr = compressed(values)
        group = parent.create_group(name)
        group.attrs["h5sparse_format"] = "csr"
        group.attrs["h5sparse_shape"] = np.array(values.shape)
        group.create_dataset("data", data=data)
        group.create_dataset("indices", data=indices.astype("i4"))
        group.create_dataset("indptr", data=indptr.astype("i4"))

    obs = np.array([(b"cell0", 1, 0.5), (b"cell1", 0, 1.5), (b"cell2", -1, 2.5), (b"cell3", 1, 3.5)],
                   dtype=[("index", "S6"), ("grade", "i1"), ("depth", "f8")])
    pairs = np.array([((i, -i),) for i in range(4)], dtype=[("X_pca", "f4", (2,))])
    with h5py.File(path, "w") as f:
        old_sparse(f, "X", x)
        f.create_dataset("obs", data=obs)
        f.create_dataset("var", data=np.array([(name.encode(),) for name in gene_names(3)], dtype=[("index", "S6")]))
        f.create_dataset("obsm", data=pairs)
        old_sparse(f, "raw.X", raw)
        f.create_dataset("raw.var", data=np.array([(b"raw%d" % i,) for i in range(5)], dtype=[("index", "S5")]))
        uns = f.create_group("uns")
        uns.create_dataset("grade_categories", data=np.array([b"high", b"low"]))
        uns.create_dataset("method", data=np.array([b"umap"]))
    return expect((4, 3), {"X": (x, "sparse"), "raw/X": (raw, "sparse")}, about="the layout of anndata 0.5 and 0.6",
                  rules=["A003"], columns={"obs": ["grade", "depth"]}, obsm={"X_pca": [4, 2]}, uns={"method": "umap"},
                  index={"obs": {"3": "cell3"}, "raw/var": {"4": "raw4"}},
                  column=[column("obs", "grade", "categorical", ["low", "high", None, "low"],
                                 categories=["high", "low"], missing=1),
                          column("obs", "depth", "float", [0.5, 1.5, 2.5, 3.5])])


def by_barcode(values):
    """10x stores features x barcodes by column, which is cells x features by row."""
    data, indices, indptr = compressed(values)
    return data.astype("i4"), indices.astype("i8"), indptr.astype("i8")


def fill_tenx(group, values):
    data, indices, indptr = by_barcode(values)
    group.create_dataset("barcodes", data=np.array([b"AAC-%d" % i for i in range(len(values))]))
    for name, part in (("data", data), ("indices", indices), ("indptr", indptr)):
        group.create_dataset(name, data=part, chunks=True, compression="gzip", shuffle=True)
    group.create_dataset("shape", data=np.array(values.shape[::-1], "i4"))


@good("tenx_v2.h5")
def tenx_v2(path):
    x = counts(5, 4, 115)
    with h5py.File(path, "w") as f:
        group = f.create_group("GRCh38")
        fill_tenx(group, x)
        group.create_dataset("genes", data=np.array([b"ENSG%02d" % i for i in range(4)]))
        group.create_dataset("gene_names", data=np.array([b"SYM%d" % i for i in range(4)]))
    return expect((5, 4), {"X": (x.astype("i4"), "sparse")}, about="10x, Cell Ranger 2: one group a genome",
                  rules=["A004"], index={"obs": {"4": "AAC-4"}, "var": {"3": "SYM3"}},
                  column=[column("var", "gene_ids", "string", [f"ENSG{i:02}" for i in range(4)])])


@good("tenx_v3.h5")
def tenx_v3(path):
    x = counts(5, 4, 116)
    with h5py.File(path, "w") as f:
        f.attrs["filetype"] = "matrix"
        group = f.create_group("matrix")
        fill_tenx(group, x)
        features = group.create_group("features")
        features.create_dataset("id", data=np.array([b"ENSG%02d" % i for i in range(4)]))
        features.create_dataset("name", data=np.array([b"SYM%d" % i for i in range(4)]))
        features.create_dataset("feature_type", data=np.array([b"Gene Expression"] * 3 + [b"Antibody Capture"]))
        features.create_dataset("genome", data=np.array([b"GRCh38"] * 4))
        features.create_dataset("_all_tag_keys", data=np.array([b"genome"]))
    types = ["Gene Expression"] * 3 + ["Antibody Capture"]
    return expect((5, 4), {"X": (x.astype("i4"), "sparse")}, about="10x, Cell Ranger 3 and later", rules=["A004"],
                  index={"obs": {"0": "AAC-0"}, "var": {"0": "SYM0"}},
                  column=[column("var", "feature_types", "string", types),
                          column("var", "gene_ids", "string", [f"ENSG{i:02}" for i in range(4)])])


@good("tiny.loom")
def tiny_loom(path):
    x = counts(4, 3, 117).astype(np.float32)
    with h5py.File(path, "w") as f:
        attrs = f.create_group("attrs")
        attrs.create_dataset("LOOM_SPEC_VERSION", data="3.0.0", dtype=TEXT)
        f.create_dataset("matrix", data=x.T, chunks=(2, 2), compression="gzip")
        rows, columns = f.create_group("row_attrs"), f.create_group("col_attrs")
        rows.create_dataset("Gene", data=np.array(["A", "B", "C"], dtype=object), dtype=TEXT)
        rows.create_dataset("length", data=np.array([10, 20, 30]))
        columns.create_dataset("CellID", data=np.array(cell_names(4), dtype=object), dtype=TEXT)
        columns.create_dataset("cluster", data=np.array([1, 2, 1, 2]))
        layers = f.create_group("layers")
        layers.create_dataset("spliced", data=2 * x.T)
        for name in ("row_graphs", "col_graphs"):
            f.create_group(name)
    return expect((4, 3), {"X": (x, "dense"), "layers/spliced": (2 * x, "dense")}, about="loom 3.0.0: genes are rows",
                  rules=["A004"], index={"obs": {"3": "cell3"}, "var": {"0": "A"}},
                  column=[column("obs", "cluster", "int", [1, 2, 1, 2]), column("var", "length", "int", [10, 20, 30])])


@good("two_modalities.h5mu")
def two_modalities(path):
    rna, prot = counts(4, 3, 118).astype(np.float32), counts(4, 2, 119).astype(np.float32)
    with h5py.File(path, "w", userblock_size=512) as f:
        tag(f, "MuData", "0.1.0")
        f.attrs["axis"] = 0
        mod = f.create_group("mod")
        mod.attrs["mod-order"] = np.array(["rna", "prot"], dtype=object)
        for name, x in (("rna", rna), ("prot", prot)):
            group = tag(mod.create_group(name), "anndata", "0.1.0")
            sparse(group, "X", x)
            table(group, "obs", cell_names(4), [("n", number_column([1, 2, 3, 4]))])
            table(group, "var", [f"{name}{i}" for i in range(x.shape[1])])
        table(f, "obs", cell_names(4))
        table(f, "var", [f"rna{i}" for i in range(3)] + [f"prot{i}" for i in range(2)])
        for axis, length in (("obsmap", 4), ("varmap", 5)):
            maps = mapping(f, axis)
            dense(maps, "rna", np.arange(1, length + 1, dtype="u4"))
            dense(maps, "prot", np.arange(1, length + 1, dtype="u4"))
    with open(path, "r+b") as f:
        f.write(b"MuData (format-version=0.1.0;creator=fixtures)")
    inside = {"rna": expect((4, 3), {"X": (rna, "sparse")}, index={"var": {"2": "rna2"}}),
              "prot": expect((4, 2), {"X": (prot, "sparse")}, index={"var": {"1": "prot1"}})}
    return {"outcome": "opens", "shape": [4, 5], "rules": ["A004"], "about": "a container of two modalities",
            "modalities": [["rna", 4, 3], ["prot", 4, 2]], "inside": inside}


@good("wide_rows.h5ad")
def wide_rows(path):
    """Rows much longer than a chunk, empty rows between, an empty row first and last."""
    rows, width = 9, 700
    lengths = [0, 1, 699, 0, 17, 700, 0, 300, 0]
    indices = [np.sort((np.arange(n, dtype=np.int64) * 3 % width)) for n in lengths]
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    data = np.array([1 + i % 250 for i in range(indptr[-1])], dtype=np.uint8)
    x = np.zeros((rows, width), np.uint8)
    for r in range(rows):
        x[r, indices[r]] = data[indptr[r]:indptr[r + 1]]
    with new_file(path) as f:
        sparse_parts(f, "X", x.shape, data, np.concatenate(indices), indptr, chunks=(32,), compression="gzip")
        tables(f, rows, width)
    answer = expect(x.shape, {}, about="rows of 0 to 700 entries over chunks of 32")
    answer["sum"]["X"], answer["nnz"]["X"] = int(x.sum(dtype=np.int64)), int(indptr[-1])
    answer["cells"] = [["X", r, c, int(x[r, c])] for r, c in ((1, 0), (2, 699), (5, 0), (5, 699), (7, 299), (8, 1))]
    picks = [8, 5, 5, 0, 2]
    answer["select"] = [{"element": "X", "rows": picks, "cols": [699, 0, 7, 350],
                         "values": [[int(x[r, c]) for c in (699, 0, 7, 350)] for r in picks]}]
    return answer



def version(path, cells, genes, more=()):
    """Some cells and genes of one and the same data set."""
    x = counts(200, 40, 116)[np.ix_(cells, genes)].astype(np.float32)
    with new_file(path) as f:
        sparse(f, "X", x)
        table(f, "obs", [f"cell{i}" for i in cells],
              [("grade", number_column([i * 7 % 50 for i in cells])),
               ("group", lambda parent, name: categorical(parent, name, [i % 3 for i in cells], ["a", "b", "c"])),
               ("depth", number_column([i / 4 for i in cells])), *more])
        table(f, "var", [f"gene{i}" for i in genes])
        for name in ("layers", "obsm", "varm", "obsp", "varp", "uns"):
            mapping(f, name)
        dense(f["obsm"], "X_umap", np.array([[i % 20, i // 20] for i in cells], dtype=np.float32))
    answer = expect(x.shape, {"X": (x, "sparse")}, index={"obs": {"0": f"cell{cells[0]}"}})
    answer["select"] = []
    return answer


@good("version_first.h5ad")
def version_first(path):
    return {**version(path, list(range(200)), list(range(40))), "about": "200 cells, as they were first written"}


@good("version_second.h5ad")
def version_second(path):
    extra = ("extra", number_column(np.ones(170)))
    return {**version(path, list(range(30, 200)), list(range(5, 40)), [extra]),
            "about": "the same without 30 cells and 5 genes, one column more"}
