# SPDX-License-Identifier: GPL-3.0-or-later
"""The fixtures that open without a complaint (or with a remark). Each function writes one file and returns
what a reader must find there, taken from the arrays in hand and not from the file."""
import h5py
import numpy as np

from h5ad_parts import (TEXT, category_column, cell_names, counts, dense, mapping, new_file, nullable,
                        nullable_column, number_column, scalar, sparse, sparse_parts, table, tables, tag, text_column,
                        texts)

GOOD = {}


def good(name):
    def keep(function):
        GOOD[name] = function
        return function
    return keep


def plain(value):
    """A number as JSON can hold it."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    value = float(value)
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def whole(element, values):
    """A `select` entry that holds the whole matrix."""
    return {"element": element, "rows": list(range(values.shape[0])), "cols": list(range(values.shape[1])),
            "values": [[plain(v) for v in row] for row in values]}


def picked(element, values, rows, cols):
    return {"element": element, "rows": rows, "cols": cols,
            "values": [[plain(values[r, c]) for c in cols] for r in rows]}


def total(values):
    if values.dtype.kind in "iub":
        return int(sum(int(v) for v in values.ravel()))
    with np.errstate(invalid="ignore"):  # infinities of both signs
        return plain(np.nansum(values.astype(np.float64)))


def expect(shape, matrices, **more):
    """Sums, stored entries of sparse matrices (second item "sparse") and all values of each matrix."""
    answer = {"outcome": "opens", "shape": list(shape), "sum": {}, "nnz": {}, "select": []}
    for element, (values, storage) in matrices.items():
        answer["sum"][element] = total(values)
        if storage == "sparse":
            answer["nnz"][element] = int(np.count_nonzero(values))
        answer["select"].append(whole(element, values))
    answer.update(more)
    return answer


NUMBERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", ">i2",
           ">i4", ">i8", ">u2", ">u8", ">f4", ">f8"]


def of_type(dtype, seed):
    """A 6 x 5 matrix that reaches the ends of its type."""
    kind = np.dtype(dtype)
    values = counts(6, 5, seed).astype(dtype)
    if kind.kind in "iu":
        values[0, 0], values[5, 4] = np.iinfo(kind).max, np.iinfo(kind).min or 1
    elif kind.kind == "f":
        values[0, 0], values[5, 4] = np.finfo(kind).max if kind.itemsize < 8 else 1e300, -0.1
    return values


def layer_name(dtype):
    return dtype.replace(">", "big_")


def typed_layers(f, kind, types):
    """One layer a type, X as float32; returns the matrices written."""
    matrices = {}
    for seed, dtype in enumerate(types):
        values = of_type(dtype, seed + 1)
        element = "layers/" + layer_name(dtype)
        if kind == "dense":
            dense(f["layers"], layer_name(dtype), values)
        else:
            sparse(f["layers"], layer_name(dtype), values, kind)
        matrices[element] = (values, "dense" if kind == "dense" else "sparse")
    return matrices


@good("csr_types.h5ad")
def csr_types(path):
    x = counts(6, 5, 11).astype(np.float32)
    with new_file(path) as f:
        sparse(f, "X", x)
        tables(f, 6, 5)
        matrices = typed_layers(f, "csr", NUMBERS + ["bool"])
    return expect((6, 5), {"X": (x, "sparse"), **matrices}, about="CSR of every number type, ends of the range")


@good("csc_types.h5ad")
def csc_types(path):
    x = counts(6, 5, 12).astype(np.float64)
    with new_file(path) as f:
        sparse(f, "X", x, "csc")
        tables(f, 6, 5)
        matrices = typed_layers(f, "csc", NUMBERS + ["bool"])
    return expect((6, 5), {"X": (x, "sparse"), **matrices}, about="CSC of every number type, ends of the range")


@good("dense_types.h5ad")
def dense_types(path):
    x = (counts(6, 5, 13) / 8).astype(np.float32)
    with new_file(path) as f:
        dense(f, "X", x)
        tables(f, 6, 5)
        matrices = typed_layers(f, "dense", NUMBERS + ["bool", "float16", ">f2"])
    return expect((6, 5), {"X": (x, "dense"), **matrices}, about="dense of every number type, float16 too")


@good("index_types.h5ad")
def index_types(path):
    x = counts(6, 5, 21).astype(np.float32)
    kinds = [("int64", "int64"), ("int32", "int64"), ("int64", "int32"), ("uint8", "int32"), ("uint16", "int32"),
             ("uint32", "uint32"), ("uint64", "uint64"), (">i4", ">i8")]
    matrices = {"X": (x, "sparse")}
    with new_file(path) as f:
        sparse(f, "X", x)
        tables(f, 6, 5)
        for seed, (index, pointer) in enumerate(kinds):
            name = f"{layer_name(index)}_{layer_name(pointer)}"
            values = counts(6, 5, 30 + seed).astype(np.float32)
            sparse(f["layers"], name, values, index=index, pointer=pointer)
            matrices["layers/" + name] = (values, "sparse")
    return expect((6, 5), matrices, about="indices and indptr of every width, mixed, big-endian")


WAYS = {"plain_chunks": {}, "gzip": dict(compression="gzip"), "gzip_shuffle": dict(compression="gzip", shuffle=True),
        "lzf": dict(compression="lzf"), "lzf_shuffle": dict(compression="lzf", shuffle=True),
        "checksum": dict(fletcher32=True), "scale_offset": dict(scaleoffset=0),
        "gzip_checksum": dict(compression="gzip", shuffle=True, fletcher32=True)}


def filtered(path, store):
    """One layer a filter; store(parent, name, seed, filter) writes it and returns (values, storage)."""
    x = counts(30, 20, 41, density=0.3).astype(np.float32)
    matrices = {"X": (x, "sparse")}
    with new_file(path) as f:
        sparse(f, "X", x, chunks=(13,), compression="gzip", shuffle=True)
        tables(f, 30, 20)
        for seed, (name, way) in enumerate(WAYS.items()):
            matrices["layers/" + name] = store(f["layers"], name, 50 + seed, way)
    answer = expect((30, 20), matrices, about="every filter that h5py writes, chunks much smaller than the matrix")
    answer["select"] = [picked(element, values, [29, 0, 7, 7, 13], [19, 3, 3, 0])
                        for element, (values, _) in matrices.items()]
    return answer


@good("filters_dense.h5ad")
def filters_dense(path):
    def store(parent, name, seed, way):
        values = counts(30, 20, seed).astype(np.int32)
        dense(parent, name, values, chunks=(7, 9), **way)
        return values, "dense"
    return filtered(path, store)


@good("filters_sparse.h5ad")
def filters_sparse(path):
    def store(parent, name, seed, way):
        values = counts(30, 20, seed, density=0.2).astype(np.int32)
        sparse(parent, name, values, chunks=(11,), **way)
        return values, "sparse"
    return filtered(path, store)


@good("fill_values.h5ad")
def fill_values(path):
    x = np.full((20, 12), 2.5, np.float32)
    x[3:5, 4:7] = [[1, 2, 3], [4, 5, 6]]
    noise = np.frombuffer(bytes((i * 167 + 13 * (i // 7)) % 256 for i in range(20 * 12 * 4)), np.uint32)
    noise = noise.reshape(20, 12).copy()
    with new_file(path) as f:
        ds = f.create_dataset("X", shape=x.shape, dtype="f4", chunks=(3, 5), fillvalue=2.5, compression="gzip")
        tag(ds, "array", "0.2.0")
        ds[3:5, 4:7] = x[3:5, 4:7]
        tables(f, 20, 12)
        dense(f["layers"], "noise", noise, chunks=(2, 3), compression="gzip")
    return expect((20, 12), {"X": (x, "dense"), "layers/noise": (noise, "dense")},
                  about="chunks never written stand for the fill value; chunks that gzip could not shrink")


@good("newest_layout.h5ad")
def newest_layout(path):
    x = counts(40, 25, 71, density=0.2).astype(np.float32)
    y = counts(40, 25, 72).astype(np.int16)
    with new_file(path, libver="latest") as f:
        sparse(f, "X", x, chunks=(16,), maxshape=(None,), compression="gzip")
        tables(f, 40, 25)
        dense(f["layers"], "fixed", y, chunks=(8, 8), compression="gzip")
        dense(f["layers"], "one_chunk", y, chunks=(40, 25), compression="lzf")
        dense(f["layers"], "growing", y, chunks=(8, 8), maxshape=(None, None))
    layers = {f"layers/{name}": (y, "dense") for name in ("fixed", "one_chunk", "growing")}
    return expect((40, 25), {"X": (x, "sparse"), **layers}, about="the chunk indexes of HDF5's newest layout")


def column(frame, name, kind, values, **more):
    shown = {str(i): (plain(v) if not isinstance(v, str) and v is not None else v) for i, v in enumerate(values)}
    return {"frame": frame, "name": name, "type": kind, "values": shown, **more}


@good("columns.h5ad")
def columns(path):
    big = [2**63 - 1, -2**63, 2**53 + 1, 0]
    huge = [2**64 - 1, 2**53 + 1, 1, 0]
    obs = [("small", number_column(np.array([1, -2, 3, -4], "int8"))), ("big", number_column(np.array(big, "int64"))),
           ("huge", number_column(np.array(huge, "uint64"))),
           ("half", number_column(np.array([0.5, -2, 65504, 0], "float16"))),
           ("swapped", number_column(np.array([1.5, -2.5, 1e30, 0], ">f4"))),
           ("score", number_column(np.array([0.1, np.nan, np.inf, -np.inf]))),
           ("flag", number_column(np.array([True, False, True, True]))),
           ("word", text_column(["one", "", "naïve", "名前 🧬"])),
           ("kind", category_column([0, 1, -1, 0], ["b", "a"])),
           ("grade", category_column([2, 0, 1, -1], ["low", "mid", "high"], ordered=True, code_type="int16")),
           ("wide", category_column([0, 1, 0, 1], ["x", "y"], code_type="int32")),
           ("unsigned", category_column([1, 1, 0, 1], ["x", "y"], code_type="uint8")),
           ("tens", category_column([1, 0, 1, -1], [10, 20])),
           ("maybe_count", nullable_column("nullable-integer", np.array([7, 0, -9, 0], "int32"), [0, 1, 0, 1])),
           ("maybe_flag", nullable_column("nullable-boolean", np.array([True, False, False, True]), [0, 0, 1, 0])),
           ("maybe_word", nullable_column("nullable-string-array", ["", "", "z", "z"], [0, 1, 0, 0])),
           ("rate/hour", number_column(np.array([1, 2, 3, 4], "uint16")))]
    x = counts(4, 3, 81).astype(np.float32)
    with new_file(path) as f:
        dense(f, "X", x)
        tables(f, 4, 3, obs)
    return expect(
        (4, 3), {"X": (x, "dense")}, outcome="opens_warn", mentions=["rate/hour"], rules=["A014"],
        about="every kind of column", columns={"obs": [name for name, _ in obs], "var": []},
        index={"obs": {"0": "cell0", "3": "cell3"}, "var": {"2": "gene2"}},
        column=[column("obs", "small", "int", [1, -2, 3, -4]), column("obs", "big", "int", big),
                column("obs", "huge", "int", huge), column("obs", "half", "float", [0.5, -2.0, 65504.0, 0.0]),
                column("obs", "swapped", "float", [1.5, -2.5, np.float32(1e30), 0.0]),
                column("obs", "score", "float", [0.1, np.nan, np.inf, -np.inf]),
                column("obs", "flag", "bool", [True, False, True, True]),
                column("obs", "word", "string", ["one", "", "naïve", "名前 🧬"]),
                column("obs", "kind", "categorical", ["b", "a", None, "b"], categories=["b", "a"], ordered=False,
                       missing=1),
                column("obs", "grade", "categorical", ["high", "low", "mid", None],
                       categories=["low", "mid", "high"], ordered=True, missing=1),
                column("obs", "wide", "categorical", ["x", "y", "x", "y"], categories=["x", "y"], missing=0),
                column("obs", "unsigned", "categorical", ["y", "y", "x", "y"], categories=["x", "y"], missing=0),
                column("obs", "tens", "categorical", [20, 10, 20, None], categories=[10, 20], missing=1),
                column("obs", "maybe_count", "nullable-integer", [7, None, -9, None], missing=2),
                column("obs", "maybe_flag", "nullable-boolean", [True, False, None, True], missing=1),
                column("obs", "maybe_word", "nullable-string", ["", None, "z", "z"], missing=1),
                column("obs", "rate/hour", "int", [1, 2, 3, 4])])


@good("fixed_text.h5ad")
def fixed_text(path):
    x = counts(3, 2, 82).astype(np.float32)
    with new_file(path) as f:
        dense(f, "X", x)
        tables(f, 3, 2)
        del f["obs/_index"]
        tag(f["obs"].create_dataset("_index", data=np.array([b"AAC-1", b"AAG", b""])), "string-array", "0.2.0")
        padded = h5py.string_dtype("utf-8", 12)
        f["obs"].attrs["column-order"] = np.array(["site"], dtype=object)
        words = np.array([word.encode() for word in ("Köln", "名", "x")], dtype=padded)
        site = f["obs"].create_dataset("site", data=words, dtype=padded)
        tag(site, "string-array", "0.2.0")
    return expect((3, 2), {"X": (x, "dense")}, about="names and texts of fixed width", index={"obs": {"0": "AAC-1"}},
                  columns={"obs": ["site"]}, column=[column("obs", "site", "string", ["Köln", "名", "x"])])


@good("names_twice.h5ad")
def names_twice(path):
    x = counts(4, 3, 83).astype(np.float32)
    with new_file(path) as f:
        dense(f, "X", x)
        table(f, "obs", ["a", "b", "a", "c"])
        table(f, "var", ["g", "g", "h"])
    return expect((4, 3), {"X": (x, "dense")}, outcome="opens_warn", mentions=["a", "g"], rules=["B013", "B014"],
                  about="a cell and a gene that occur twice", index={"obs": {"2": "a"}, "var": {"1": "g"}})


@good("names_of_chains.h5ad")
def names_of_chains(path):
    x = counts(10, 2, 85).astype(np.float32)
    with new_file(path) as f:
        dense(f, "X", x)
        table(f, "obs", list("abacdefghi"))
        table(f, "var", ["g", "h"])
    return expect((10, 2), {"X": (x, "dense")}, outcome="opens_warn", mentions=["a"], rules=["B013"],
                  about="the repeated names that the chains of the index algebra are written for",
                  index={"obs": {"0": "a", "2": "a", "9": "i"}})


@good("other_indexes.h5ad")
def other_indexes(path):
    x = counts(3, 3, 84).astype(np.float32)
    with new_file(path) as f:
        dense(f, "X", x)
        tables(f, 3, 3)
        del f["obs"], f["var"]
        obs = table(f, "obs", None, [("n", number_column([1, 2, 3]))], index="barcode")
        nullable(obs, "barcode", "nullable-string-array", ["p", "q", "r"], [0, 0, 0])
        var = table(f, "var", None, [], index="_index")
        dense(var, "_index", np.array([10, 20, 30]))
    return expect((3, 3), {"X": (x, "dense")}, about="names as nullable text and as numbers",
                  index={"obs": {"1": "q"}, "var": {"2": "30"}}, columns={"obs": ["n"], "var": []})


@good("raw_and_layers.h5ad")
def raw_and_layers(path):
    x = counts(5, 3, 91).astype(np.float32)
    raw = counts(5, 7, 92).astype(np.int32)
    with new_file(path) as f:
        dense(f, "X", x)
        tables(f, 5, 3)
        group = tag(f.create_group("raw"), "raw", "0.1.0")
        sparse(group, "X", raw)
        table(group, "var", [f"raw{i}" for i in range(7)], [("mean", number_column(raw.mean(0)))])
        mapping(group, "varm")
        sparse(f["layers"], "by_gene", x, "csc")
    return expect((5, 3), {"X": (x, "dense"), "raw/X": (raw, "sparse"), "layers/by_gene": (x, "sparse")},
                  about="raw is wider than X and has names of its own", index={"raw/var": {"6": "raw6"}},
                  columns={"raw/var": ["mean"]}, column=[column("raw/var", "mean", "float", list(raw.mean(0)))])


@good("aligned.h5ad")
def aligned(path):
    x = counts(4, 3, 93).astype(np.float32)
    umap = np.array([[0.5, 1], [np.nan, 2], [3, -4], [5, 6]])
    graph = counts(4, 4, 94).astype(np.float64)
    loadings = (counts(3, 2, 95) / 4).astype(np.float32)
    with new_file(path) as f:
        sparse(f, "X", x)
        tables(f, 4, 3)
        dense(f["obsm"], "X_umap", umap)
        dense(f["obsm"], "cube", np.arange(24.0).reshape(4, 3, 2))
        sparse(f["obsm"], "marks", counts(4, 6, 96).astype(np.float32))
        table(f["obsm"], "tissue", cell_names(4), [("depth", number_column([1, 2, 3, 4])),
                                                  ("site", category_column([0, 1, 1, 0], ["left", "right"]))])
        dense(f["varm"], "PCs", loadings)
        sparse(f["obsp"], "distances", graph)
        dense(f["varp"], "cov", np.eye(3))
    marks = counts(4, 6, 96)
    return expect((4, 3), {"X": (x, "sparse"), "obsm/X_umap": (umap, "dense"), "obsm/marks": (marks, "sparse"),
                           "varm/PCs": (loadings, "dense"), "obsp/distances": (graph, "sparse"),
                           "varp/cov": (np.eye(3), "dense")},
                  about="arrays of every kind beside obs and var", columns={"obsm/tissue": ["depth", "site"]},
                  obsm={"X_umap": [4, 2], "cube": [4, 3, 2], "marks": [4, 6], "tissue": [4, 2]},
                  column=[column("obsm/tissue", "site", "categorical", ["left", "right", "right", "left"],
                                 categories=["left", "right"])])


@good("uns_values.h5ad")
def uns_values(path):
    x = counts(2, 2, 97).astype(np.float32)
    with new_file(path) as f:
        dense(f, "X", x)
        tables(f, 2, 2)
        uns = f["uns"]
        deep = mapping(mapping(mapping(uns, "one"), "two"), "three")
        scalar(deep, "bottom", "reached")
        scalar(uns, "title", "größe 名")
        scalar(uns, "whole", np.int64(2**53 + 1))
        scalar(uns, "part", 0.25)
        scalar(uns, "yes", np.bool_(True))
        dense(uns, "line", np.array([1, -2, 3], "int16"))
        dense(uns, "grid", np.arange(6.0).reshape(2, 3))
        texts(uns, "colors", ["#ff0000", "#00ff00"])
        mapping(uns, "empty")
        genes = np.array([("g1", 2.5, 3), ("g2", -1.0, 4)], dtype=[("names", TEXT), ("scores", "f4"), ("n", "i8")])
        tag(uns.create_dataset("markers", data=genes), "rec-array", "0.2.0")
        nothing = uns.create_dataset("nothing", data=h5py.Empty("f4"))
        tag(nothing, "null", "0.1.0")
    return expect((2, 2), {"X": (x, "dense")}, about="values of every kind, deep mappings, records, null",
                  uns={"one/two/three/bottom": "reached", "title": "größe 名", "whole": 2**53 + 1, "part": 0.25,
                       "yes": True, "line": [1, -2, 3], "grid": [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]],
                       "colors": ["#ff0000", "#00ff00"], "nothing": None,
                       "markers": {"names": ["g1", "g2"], "scores": [2.5, -1.0], "n": [3, 4]}},
                  uns_fields={"markers": ["names", "scores", "n"]})


@good("not_canonical.h5ad")
def not_canonical(path):
    with new_file(path) as f:
        sparse_parts(f, "X", (3, 4), np.array([3, 1, 2, 5, 0, 4], "f4"), [2, 0, 1, 1, 3, 0], [0, 2, 5, 6])
        tables(f, 3, 4)
    merged = np.array([[1, 0, 3, 0], [0, 7, 0, 0], [4, 0, 0, 0]], "f4")
    answer = expect((3, 4), {"X": (merged, "dense")}, outcome="opens_warn", mentions=["order", "twice", "sorted"],
                    rules=["B006", "B007"], about="unsorted columns, an entry stored twice, a stored zero")
    answer["nnz"] = {"X": 6}
    return answer


@good("not_finite.h5ad")
def not_finite(path):
    x = np.array([[1, np.nan, 0], [np.inf, 0, -np.inf], [0, 2, np.nan]], "f4")
    with new_file(path) as f:
        sparse(f, "X", x)
        tables(f, 3, 3)
        dense(f["obsm"], "X_umap", np.array([[1, np.nan], [np.inf, np.nan], [2, np.nan]]))
    answer = expect((3, 3), {"X": (x, "sparse")}, outcome="opens_warn", mentions=["X_umap"], rules=["B019"],
                    about="NaN and infinities in X, an infinite and an all-NaN column in an embedding")
    del answer["sum"]["X"]
    answer["nnz"] = {"X": 6}
    return answer


@good("holds.h5ad")
def holds(path):
    raw = counts(40, 30, 98, density=0.4)
    raw[:, 0] += 1
    scaled_to = 1e4 * raw / raw.sum(1, keepdims=True)
    log = np.log1p(scaled_to).astype(np.float32)
    standard = ((log - log.mean(0)) / log.std(0)).astype(np.float32)
    other = (raw * 0.37).astype(np.float32)
    with new_file(path) as f:
        sparse(f, "X", log, compression="gzip")
        tables(f, 40, 30)
        sparse(f["layers"], "misnamed_log", raw.astype(np.float32), compression="gzip")
        dense(f["layers"], "standard", standard, compression="gzip", chunks=(10, 30))
        sparse(f["layers"], "other", other, compression="gzip")
    return {"outcome": "opens", "shape": [40, 30], "about": "what each matrix holds is not told by its name",
            "nnz": {"X": int(np.count_nonzero(log))}, "sum": {"layers/misnamed_log": int(raw.sum())},
            "holds": {"X": ["log1p", 10000], "layers/misnamed_log": ["counts", None],
                      "layers/standard": ["scaled", None], "layers/other": ["other", None]}}


@good("no_obs.h5ad")
def no_obs(path):
    with new_file(path) as f:
        sparse(f, "X", np.zeros((0, 4), np.float32))
        tables(f, 0, 4, [("score", number_column(np.empty(0)))])
        dense(f["obsm"], "X_umap", np.empty((0, 2)))
    return {"outcome": "opens", "shape": [0, 4], "nnz": {"X": 0}, "sum": {"X": 0.0}, "columns": {"obs": ["score"]},
            "obsm": {"X_umap": [0, 2]}, "about": "no cells"}


@good("no_var.h5ad")
def no_var(path):
    with new_file(path) as f:
        dense(f, "X", np.empty((3, 0), np.float32))
        tables(f, 3, 0, [("score", number_column([1, 2, 3]))])
    return {"outcome": "opens", "shape": [3, 0], "sum": {"X": 0.0}, "about": "no genes",
            "column": [column("obs", "score", "int", [1, 2, 3])]}


@good("no_x.h5ad")
def no_x(path):
    layer = counts(3, 2, 99).astype(np.float32)
    with new_file(path) as f:
        tables(f, 3, 2)
        dense(f["layers"], "counts", layer)
    return expect((3, 2), {"layers/counts": (layer, "dense")}, about="no X")


@good("null_x.h5ad")
def null_x(path):
    with new_file(path) as f:
        tag(f.create_dataset("X", data=h5py.Empty("f4")), "null", "0.1.0")
        tables(f, 3, 2)
    return {"outcome": "opens", "shape": [3, 2], "rules": ["A043"], "about": "X is there and empty"}


@good("user_block.h5ad")
def user_block(path):
    x = counts(3, 2, 100).astype(np.float32)
    with new_file(path, userblock_size=1024) as f:
        sparse(f, "X", x, compression="gzip")
        tables(f, 3, 2)
    with open(path, "r+b") as f:
        f.write(b"A note in front of the data.\n")
    return expect((3, 2), {"X": (x, "sparse")}, about="1024 bytes of something else in front")


@good("links.h5ad")
def links(path):
    x = counts(3, 2, 101).astype(np.float32)
    with new_file(path) as f:
        dense(f, "X", x)
        tables(f, 3, 2)
        dense(f["obsm"], "X_umap", np.arange(6.0).reshape(3, 2))
        f["obsm/X_alias"] = h5py.SoftLink("/obsm/X_umap")
        f["layers/same"] = f["X"]
    return expect((3, 2), {"X": (x, "dense"), "layers/same": (x, "dense"),
                           "obsm/X_alias": (np.arange(6.0).reshape(3, 2), "dense")},
                  about="a soft link and a second hard link", obsm={"X_umap": [3, 2], "X_alias": [3, 2]})
