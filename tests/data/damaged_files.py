# SPDX-License-Identifier: GPL-3.0-or-later
"""The fixtures with one fault each. What is not an h5ad at all is refused (`error`); everything else opens, the
fault is named (`opens_warn` with `mentions`) and the rest works, which `column` and `sum` prove."""
import gzip
import os

import h5py
import numpy as np

from good_files import column, total
from h5ad_parts import (categorical, cell_names, counts, dense, mapping, new_file, nullable, number_column, sparse,
                        sparse_parts, table, tables, tag)

DAMAGED = {}
N_OBS, N_VARS = 6, 5


def damaged(name):
    def keep(function):
        DAMAGED[name] = function
        return function
    return keep


def x_values():
    return counts(N_OBS, N_VARS, 7).astype(np.float32)


def base(path, x="csr"):
    """A whole file; the fault is added by whoever calls. The column `score` must stay readable."""
    f = new_file(path)
    if x == "csr":
        sparse(f, "X", x_values())
    elif x == "dense":
        dense(f, "X", x_values())
    tables(f, N_OBS, N_VARS, [("score", number_column(np.arange(N_OBS) / 2))])
    return f


def opens(mentions, defect_in, rules=(), x=True, about=""):
    answer = {"outcome": "opens_warn", "mentions": mentions, "defect_in": defect_in, "shape": [N_OBS, N_VARS],
              "rules": list(rules), "about": about,
              "column": [column("obs", "score", "float", [i / 2 for i in range(N_OBS)])]}
    if x:
        answer["sum"] = {"X": total(x_values())}
    return answer


def refused(mentions, rules=("A001",), about=""):
    return {"outcome": "error", "mentions": mentions, "defect_in": "file", "rules": list(rules), "about": about}


def write_bytes(path, data):
    with open(path, "wb") as f:
        f.write(data)


# ---- not an h5ad at all

@damaged("empty.h5ad")
def empty(path):
    write_bytes(path, b"")
    return refused(["empty", "0 bytes"], about="no bytes at all")


@damaged("web_page.h5ad")
def web_page(path):
    write_bytes(path, b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Sign in to go on.</body></html>\n")
    return refused(["web page", "HTML"], about="a sign-in page saved under the file's name")


@damaged("pointer.h5ad")
def pointer(path):
    write_bytes(path, b"version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 123456\n" % (b"0" * 64))
    return refused(["pointer", "HDF5"], about="what Git LFS leaves in the place of a file")


@damaged("gzipped.h5ad")
def gzipped(path):
    write_bytes(path, gzip.compress(b"\x89HDF\r\n\x1a\n" + bytes(500), mtime=0))
    return refused(["gzip", "compressed"], about="still packed by gzip")


@damaged("noise.h5ad")
def noise(path):
    write_bytes(path, bytes((i * i * 31 + 7 * i) % 256 for i in range(4096)))
    return refused(["HDF5"], about="bytes without meaning")


@damaged("cut.h5ad")
def cut(path):
    with base(path) as f:
        dense(f["layers"], "big", np.arange(20 * 500.0).reshape(20, 500)[:N_OBS, :N_VARS])
        f["uns"].create_dataset("filler", data=np.arange(3000))
    size = os.path.getsize(path)
    os.truncate(path, size * 6 // 10)
    return refused(["cut", "truncated", "incomplete"], about="the last 40 % are missing, as after a broken download")


@damaged("plain.h5")
def plain_h5(path):
    with h5py.File(path, "w") as f:
        f.create_dataset("measurements", data=np.arange(10))
    return refused(["h5ad"], rules=["A005"], about="HDF5, but neither obs nor var")


# ---- tables

@damaged("column_not_stored.h5ad")
def column_not_stored(path):
    with base(path) as f:
        f["obs"].attrs["column-order"] = np.array(["score", "batch"], dtype=object)
    return opens(["batch"], "obs", ["A008"], about="a listed column is not there")


@damaged("column_short.h5ad")
def column_short(path):
    with base(path) as f:
        dense(f["obs"], "short", np.arange(4))
        f["obs"].attrs["column-order"] = np.array(["score", "short"], dtype=object)
    return opens(["short"], "obs/short", ["A010"], about="a column of 4 values beside 6 names")


@damaged("column_twice.h5ad")
def column_twice(path):
    with base(path) as f:
        f["obs"].attrs["column-order"] = np.array(["score", "score"], dtype=object)
    return opens(["score"], "obs", ["A011"], about="a column listed twice")


@damaged("column_unknown.h5ad")
def column_unknown(path):
    with base(path) as f:
        tag(f["obs"].create_dataset("later", data=np.arange(6)), "run-length-array", "9.0.0")
        f["obs"].attrs["column-order"] = np.array(["score", "later"], dtype=object)
    return opens(["run-length-array", "later"], "obs/later", ["A015"], about="an encoding nobody knows")


@damaged("code_too_large.h5ad")
def code_too_large(path):
    with base(path) as f:
        categorical(f["obs"], "kind", [0, 1, 0, 7, 1, 0], ["a", "b"])
        f["obs"].attrs["column-order"] = np.array(["score", "kind"], dtype=object)
    return opens(["kind"], "obs/kind", ["A018"], about="a code past the last category")


@damaged("category_list_lost.h5ad")
def category_list_lost(path):
    with base(path) as f:
        categorical(f["obs"], "kind", [0, 1, 0, 1, 1, 0], ["a", "b"])
        del f["obs/kind/categories"]
        f["obs"].attrs["column-order"] = np.array(["score", "kind"], dtype=object)
    return opens(["kind"], "obs/kind", ["A017"], about="codes without categories")


@damaged("mask_short.h5ad")
def mask_short(path):
    with base(path) as f:
        nullable(f["obs"], "maybe", "nullable-integer", np.arange(6), [0, 1, 0])
        f["obs"].attrs["column-order"] = np.array(["score", "maybe"], dtype=object)
    return opens(["maybe"], "obs/maybe", ["A022"], about="a mask of 3 beside 6 values")


@damaged("no_index.h5ad")
def no_index(path):
    with base(path) as f:
        f["obs"].attrs["_index"] = "barcodes"
    return opens(["barcodes"], "obs", ["A007"], about="the names are said to be where nothing is")


@damaged("not_utf8.h5ad")
def not_utf8(path):
    with base(path) as f:
        raw = np.array([b"K\xf6ln", b"ok", b"ok", b"ok", b"ok", b"ok"], dtype="S8")
        tag(f["obs"].create_dataset("site", data=raw), "string-array", "0.2.0")
        f["obs"].attrs["column-order"] = np.array(["score", "site"], dtype=object)
    return opens(["site"], "obs/site", ["A023"], about="Latin-1 bytes where UTF-8 is due")


# ---- links and elements

@damaged("dangling_link.h5ad")
def dangling_link(path):
    with base(path) as f:
        f["layers/lost"] = h5py.SoftLink("/nowhere")
    return opens(["lost"], "layers/lost", ["A046"], about="a soft link to nothing")


@damaged("external_link.h5ad")
def external_link(path):
    with base(path) as f:
        f["layers/outside"] = h5py.ExternalLink("another.h5ad", "/X")
    return opens(["outside"], "layers/outside", ["A046"], about="a link into a file that is not here")


@damaged("unknown_encoding.h5ad")
def unknown_encoding(path):
    with base(path) as f:
        tag(f["uns"].create_group("novelty"), "quantum-array", "1.0.0")
    return opens(["quantum-array", "novelty"], "uns/novelty", ["A015"], about="an encoding nobody knows, in uns")


@damaged("layer_shape.h5ad")
def layer_shape(path):
    with base(path) as f:
        dense(f["layers"], "other", np.zeros((N_OBS + 2, N_VARS)))
    return opens(["other"], "layers/other", ["A039"], about="a layer of 8 rows")


@damaged("extra_root.h5ad")
def extra_root(path):
    with base(path) as f:
        f.create_group("analysis")
    return opens(["analysis"], "analysis", ["A055"], about="a group that anndata does not know at the root")


@damaged("x_three_axes.h5ad")
def x_three_axes(path):
    with base(path, x=None) as f:
        dense(f, "X", np.zeros((N_OBS, N_VARS, 2)))
    return opens(["X"], "X", ["A038"], x=False, about="X with three axes")


# ---- sparse matrices

def with_x(path, data, indices, indptr, shape=(N_OBS, N_VARS), **options):
    f = base(path, x=None)
    sparse_parts(f, "X", shape, np.asarray(data, "f4"), indices, indptr, **options)
    return f


@damaged("indptr_falls.h5ad")
def indptr_falls(path):
    with_x(path, [1, 2, 3, 4], [0, 1, 2, 3], [0, 3, 1, 4, 4, 4, 4]).close()
    return opens(["indptr", "pointers", "row"], "X/indptr", ["A032"], x=False, about="a row that ends before it starts")


@damaged("indptr_short.h5ad")
def indptr_short(path):
    with_x(path, [1, 2, 3], [0, 1, 2], [0, 1, 2, 3]).close()
    return opens(["indptr", "pointers"], "X/indptr", ["A030"], x=False, about="4 row pointers for 6 rows")


@damaged("indptr_start.h5ad")
def indptr_start(path):
    with_x(path, [1, 2, 3], [0, 1, 2], [1, 1, 2, 3, 3, 3, 3]).close()
    return opens(["indptr", "pointers"], "X/indptr", ["A031"], x=False, about="the first row pointer is 1")


@damaged("indptr_past_end.h5ad")
def indptr_past_end(path):
    with_x(path, [1, 2, 3], [0, 1, 2], [0, 1, 2, 3, 3, 3, 9]).close()
    return opens(["X"], "X", ["A033"], x=False, about="the rows claim 9 values, 3 are stored")


@damaged("indptr_stuck.h5ad")
def indptr_stuck(path):
    f = base(path, x=None)
    sparse_parts(f, "X", (N_OBS, N_VARS), np.zeros(0, "f4"), [], np.array([0, 1, 2, 2**31 - 1, 2**31 - 1, 2**31 - 1, 2**31 - 1], "i4"))
    # More values than 32 bits count, of which none was ever written.
    for name, dtype in (("data", "f4"), ("indices", "i4")):
        del f["X"][name]
        f["X"].create_dataset(name, (2**31 + 5,), dtype, chunks=(2**20,))
    f.close()
    return opens(["from row 2 on"], "X/indptr", ["A036"], x=False, about="row pointers stuck at the most that 32 bits hold")


@damaged("index_too_large.h5ad")
def index_too_large(path):
    with_x(path, [1, 2, 3], [0, 9, 2], [0, 1, 2, 3, 3, 3, 3]).close()
    return opens(["9", "X"], "X/indices", ["A034"], x=False, about="a value in column 9 of 5")


@damaged("index_negative.h5ad")
def index_negative(path):
    with_x(path, [1, 2, 3], [0, -4, 2], [0, 1, 2, 3, 3, 3, 3]).close()
    return opens(["X"], "X/indices", ["A034"], x=False, about="a value in column -4")


@damaged("csc_index_too_large.h5ad")
def csc_index_too_large(path):
    with_x(path, [1, 2, 3], [0, 9, 2], [0, 1, 2, 3, 3, 3], kind="csc").close()
    return opens(["9", "X"], "X/indices", ["A034"], x=False, about="by columns: a value in row 9 of 6")


@damaged("lengths_differ.h5ad")
def lengths_differ(path):
    with_x(path, [1, 2, 3, 4], [0, 1, 2], [0, 1, 2, 3, 4, 4, 4]).close()
    return opens(["X"], "X", ["A033"], x=False, about="4 values, 3 column numbers")


@damaged("no_indices.h5ad")
def no_indices(path):
    f = with_x(path, [1, 2, 3], [0, 1, 2], [0, 1, 2, 3, 3, 3, 3])
    del f["X/indices"]
    f.close()
    return opens(["indices"], "X", ["A028"], x=False, about="a sparse matrix without column numbers")


@damaged("matrix_shape.h5ad")
def matrix_shape(path):
    with_x(path, [1, 2], [0, 1], [0, 1, 2, 2], shape=(3, N_VARS)).close()
    return opens(["X"], "X", ["A029"], x=False, about="X says 3 rows, the tables 6")


# ---- storage

@damaged("filter_unknown.h5ad")
def filter_unknown(path):
    with base(path, x=None) as f:
        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        how.set_chunk((3, 5))
        how.set_obj_track_times(False)
        how.set_filter(305, h5py.h5z.FLAG_OPTIONAL, ())
        space = h5py.h5s.create_simple((N_OBS, N_VARS))
        ds = h5py.Dataset(h5py.h5d.create(f.id, b"X", h5py.h5t.NATIVE_FLOAT, space, how))
        tag(ds, "array", "0.2.0")
        ds.id.write_direct_chunk((0, 0), bytes(60))
        ds.id.write_direct_chunk((3, 0), bytes(60))
    return opens(["305", "filter"], "X", ["A045"], x=False, about="a compression that no library here knows")


def flip(path, needle, at):
    """Turns one byte of the first place where needle is stored."""
    with open(path, "r+b") as f:
        data = f.read()
        start = data.index(needle)
        assert data.count(needle) == 1
        f.seek(start + at)
        f.write(bytes([data[start + at] ^ 0xFF]))


@damaged("checksum.h5ad")
def checksum(path):
    with base(path) as f:
        values = counts(N_OBS, N_VARS, 77).astype(np.float64) + 0.123
        dense(f["layers"], "checked", values, chunks=(2, 5), fletcher32=True)
    flip(path, values[2:4].tobytes(), 5)
    answer = opens(["checked", "damaged"], "layers/checked", ["A056"], about="one chunk of three fails its checksum")
    answer["select"] = [{"element": "layers/checked", "rows": [0, 1, 5], "cols": [0, 4],
                         "values": [[float(values[r, c]) for c in (0, 4)] for r in (0, 1, 5)]}]
    return answer


@damaged("gzip_broken.h5ad")
def gzip_broken(path):
    with base(path) as f:
        values = counts(N_OBS, N_VARS, 78).astype(np.float64) + 0.321
        ds = dense(f["layers"], "packed", values, chunks=(2, 5), compression="gzip")
        stored = ds.id.read_direct_chunk((2, 0))[1]
    flip(path, bytes(stored), 2)
    answer = opens(["packed", "damaged"], "layers/packed", ["A056"], about="one chunk of three cannot be unpacked")
    answer["select"] = [{"element": "layers/packed", "rows": [0, 1, 5], "cols": [0, 4],
                         "values": [[float(values[r, c]) for c in (0, 4)] for r in (0, 1, 5)]}]
    return answer


@damaged("raw_twice.h5ad")
def raw_twice(path):
    with base(path) as f:
        group = tag(f.create_group("raw"), "raw", "0.1.0")
        sparse(group, "X", x_values())
        table(group, "var", [f"g{i}" for i in range(N_VARS)])
        sparse(f, "raw.X", x_values())
        f.create_dataset("raw.var", data=np.array([(b"g%d" % i,) for i in range(N_VARS)], dtype=[("index", "S3")]))
    return opens(["raw"], "raw", ["A042"], about="raw in two generations at once")


@damaged("no_var.h5ad")
def no_var_table(path):
    with base(path) as f:
        del f["var"]
    return opens(["var"], "var", ["A005"], about="the table of genes is missing")


@damaged("obsm_rows.h5ad")
def obsm_rows(path):
    with base(path) as f:
        dense(f["obsm"], "X_umap", np.zeros((4, 2)))
        table(f["obsm"], "tissue", cell_names(N_OBS), [("depth", number_column(np.arange(N_OBS)))])
        mapping(f["uns"], "kept")
    return opens(["X_umap"], "obsm/X_umap", ["A039"], about="an embedding of 4 cells beside 6")
