#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes an h5ad of any length in seconds: every chunk of X is the same packed bytes, written directly.

Row r holds the value (r % 16) + 1 at the columns 0, 100, 200 ... so that every figure is known beforehand.

  make_long_file.py OUT --obs 2000000
  make_long_file.py OUT --obs 10000 --dense 5000
"""
import argparse
import zlib

import h5py
import numpy as np

ENTRIES_PER_ROW = 100
VARS = 20_000
ROWS_PER_CHUNK = 640  # a multiple of 16: all chunks are alike


def repeated(group, name, chunk_values, length):
    """A 1-D gzip dataset whose chunks all hold chunk_values (the last one is cut by the length)."""
    dataset = group.create_dataset(name, (length,), chunk_values.dtype, chunks=(len(chunk_values),),
                                   maxshape=(None,), compression="gzip", compression_opts=4)
    packed = zlib.compress(chunk_values.tobytes(), 4)
    for start in range(0, length, len(chunk_values)):
        dataset.id.write_direct_chunk((start,), packed)
    return dataset


def tag(node, kind, version):
    node.attrs["encoding-type"] = kind
    node.attrs["encoding-version"] = version
    return node


def names(group, prefix, count):
    dataset = group.create_dataset("_index", (count,), h5py.string_dtype("utf-8"), chunks=(min(count, 65536),))
    tag(dataset, "string-array", "0.2.0")
    for start in range(0, count, 1_000_000):
        stop = min(count, start + 1_000_000)
        dataset[start:stop] = np.array([f"{prefix}{i}" for i in range(start, stop)], dtype=object)


def write_sparse(file, n):
    x = tag(file.create_group("X"), "csr_matrix", "0.1.0")
    x.attrs["shape"] = np.array([n, VARS], dtype=np.int64)
    rows = np.arange(ROWS_PER_CHUNK)
    columns = np.arange(ENTRIES_PER_ROW, dtype=np.int32) * 100
    repeated(x, "data", np.repeat(rows % 16 + 1, ENTRIES_PER_ROW).astype("<f4"), n * ENTRIES_PER_ROW)
    repeated(x, "indices", np.tile(columns, ROWS_PER_CHUNK).astype("<i4"), n * ENTRIES_PER_ROW)
    indptr = x.create_dataset("indptr", (n + 1,), "<i8", chunks=(65536,), compression="gzip")
    for start in range(0, n + 1, 1_000_000):
        stop = min(n + 1, start + 1_000_000)
        indptr[start:stop] = np.arange(start, stop, dtype=np.int64) * ENTRIES_PER_ROW


def write_dense(file, n, n_vars):
    """Row r holds (r % 16) + 1 everywhere; n is a multiple of 16."""
    x = tag(file.create_dataset("X", (n, n_vars), "<f4", chunks=(16, n_vars), compression="gzip"), "array", "0.2.0")
    packed = zlib.compress(np.repeat(np.arange(16) + 1, n_vars).astype("<f4").tobytes(), 1)
    for start in range(0, n, 16):
        x.id.write_direct_chunk((start, 0), packed)


def write_repeated_names(path, n):
    with h5py.File(path, "w") as file:
        tag(file, "anndata", "0.1.0")
        for table, count in (("obs", n), ("var", 1)):
            frame = tag(file.create_group(table), "dataframe", "0.2.0")
            frame.attrs["_index"] = "_index"
            frame.attrs["column-order"] = np.array([], dtype="S1")
            names(frame, "cell" if table == "obs" else "gene", count)
        for row, name in ((2, "cell5"), (n // 2, "cell7"), (n - 1, "cell5")):
            file["obs/_index"][row] = name


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--obs", type=int, default=2_000_000)
    parser.add_argument("--repeated-names", action="store_true",
                        help="names alone, three of them those of earlier cells: 2 and the last repeat cell 5, "
                             "the one in the middle repeats cell 7")
    parser.add_argument("--dense", type=int, metavar="VARS", help="X is dense, of so many columns")
    options = parser.parse_args()
    n = options.obs
    n_vars = options.dense or VARS
    if options.repeated_names:
        return write_repeated_names(options.out, n)
    with h5py.File(options.out, "w") as file:
        tag(file, "anndata", "0.1.0")
        if options.dense:
            write_dense(file, n, n_vars)
        else:
            write_sparse(file, n)
        for table, count in (("obs", n), ("var", n_vars)):
            frame = tag(file.create_group(table), "dataframe", "0.2.0")
            frame.attrs["_index"] = "_index"
            frame.attrs["column-order"] = np.array(["kind", "level"], dtype=object)
            names(frame, "cell" if table == "obs" else "gene", count)
            kind = tag(frame.create_group("kind"), "categorical", "0.2.0")
            kind.attrs["ordered"] = False
            tag(repeated(kind, "codes", (np.arange(65536) % 4).astype("i1"), count), "array", "0.2.0")
            labels = kind.create_dataset("categories", data=np.array(list("abcd"), dtype=object),
                                         dtype=h5py.string_dtype("utf-8"))
            tag(labels, "string-array", "0.2.0")
            tag(repeated(frame, "level", np.arange(65536).astype("<f8"), count), "array", "0.2.0")
        obsm = tag(file.create_group("obsm"), "dict", "0.1.0")
        umap = obsm.create_dataset("X_umap", (n, 2), "<f4", maxshape=(None, 2), chunks=(65536, 2),
                                   compression="gzip")
        tag(umap, "array", "0.2.0")
        block = np.random.default_rng(0).random((65536, 2)).astype("<f4")
        packed = zlib.compress(block.tobytes(), 1)
        for start in range(0, n, 65536):
            umap.id.write_direct_chunk((start, 0), packed)
        for name in ("layers", "varm", "obsp", "varp", "uns"):
            tag(file.create_group(name), "dict", "0.1.0")


if __name__ == "__main__":
    main()
