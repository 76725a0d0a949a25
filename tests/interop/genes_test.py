#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Genes of matrices stored by cell, from the scan and from the gene index, against scipy and NumPy: every type of
index and value, either byte order, rows in any order, duplicates, empty rows, zeros that are stored, NaN."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

import h5py
import numpy as np

import cli

INDEX_TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", ">i4", ">u2"]
VALUE_TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
               "float64", ">i2", ">i8", ">f4", ">f8"]


def values_for(dtype, count, random, kind):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.rand(count) < 0.7
    if kind == "counts":
        values = random.randint(0, 100, count).astype(dtype)
    elif kind == "wide":
        most = min(60_000, int(np.iinfo(dtype).max)) if dtype.kind in "iu" else 60_000
        values = (random.randint(0, 60_000, count) % most).astype(dtype)
    else:
        values = (random.randn(count) * 50).astype(dtype)
        if dtype.kind in "iu" and dtype.itemsize == 8:
            values[:5] = [np.iinfo(dtype).max, np.iinfo(dtype).max - 1, 2**53 + 1, 2**60 + 3, 0]
        if dtype.kind == "f":
            values[:6] = [np.nan, np.inf, -np.inf, -0.0, 0.0, np.finfo(dtype).tiny]
    return values


class Sparse:
    """Three arrays as h5py stores them, and what they mean."""

    def __init__(self, n_obs, n_vars, index_type, value_type, random, kind="counts", messy=False):
        lengths = random.randint(0, min(n_vars, 40), n_obs)
        lengths[random.rand(n_obs) < 0.2] = 0
        self.indptr = np.concatenate([[0], np.cumsum(lengths)])
        parts = []
        for length in lengths:
            # Messy rows may hold a column twice, in any order.
            row = random.randint(0, n_vars, length) if messy else np.sort(random.permutation(n_vars)[:length])
            parts.append(row)
        self.indices = np.concatenate(parts).astype(index_type) if parts else np.zeros(0, index_type)
        self.values = values_for(value_type, len(self.indices), random, kind)
        self.shape = (n_obs, n_vars)
        if messy and np.dtype(value_type).kind in "iu":
            self.values = (self.values // 8).astype(value_type)  # sums stay within the type

    def write(self, group, **options):
        group.attrs["encoding-type"], group.attrs["encoding-version"] = "csr_matrix", "0.1.0"
        group.attrs["shape"] = np.array(self.shape)
        for name, array in (("data", self.values), ("indices", self.indices), ("indptr", self.indptr)):
            group.create_dataset(name, data=array, **options)

    def gene(self, column):
        result = np.zeros(self.shape[0], self.values.dtype.newbyteorder("="))
        met = np.zeros(self.shape[0], bool)
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))
        for entry in np.flatnonzero(self.indices == column):
            row, value = rows[entry], self.values[entry]
            if self.values.dtype.kind == "b":
                result[row] = result[row] or value
            else:
                result[row] = value if not met[row] else result[row] + value
            met[row] = True
        return result


def table(file, name, count):
    group = file.create_group(name)
    group.attrs["encoding-type"], group.attrs["encoding-version"] = "dataframe", "0.2.0"
    group.attrs["_index"] = "_index"
    group.attrs.create("column-order", np.zeros(0), dtype=h5py.string_dtype())
    names = group.create_dataset("_index", data=[f"{name}{i}" for i in range(count)], dtype=h5py.string_dtype())
    names.attrs["encoding-type"], names.attrs["encoding-version"] = "string-array", "0.2.0"


class Genes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        os.environ["XDG_CACHE_HOME"] = f"{cls.scratch.name}/cache"

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def save(self, name, layers, **options):
        path = pathlib.Path(self.scratch.name) / f"{name}.h5ad"
        n_obs, n_vars = next(iter(layers.values())).shape
        with h5py.File(path, "w") as file:
            file.attrs["encoding-type"], file.attrs["encoding-version"] = "anndata", "0.1.0"
            table(file, "obs", n_obs)
            table(file, "var", n_vars)
            mapping = file.create_group("layers")
            mapping.attrs["encoding-type"], mapping.attrs["encoding-version"] = "dict", "0.1.0"
            for layer, matrix in layers.items():
                matrix.write(mapping.create_group(layer), **options)
        return path

    def check(self, path, layers, random):
        for layer, matrix in layers.items():
            columns = sorted(random.randint(0, matrix.shape[1], 5).tolist())
            wanted = np.stack([matrix.gene(column) for column in columns], axis=1)
            line = dict(var=",".join(map(str, columns)))
            for step in ("as stored", "from the index"):
                if step == "from the index":
                    built = cli.call("index", path, "--matrix", f"layers/{layer}")
                    self.assertTrue(built["fresh"], layer)
                    self.assertEqual(built["entries"], len(matrix.indices), layer)
                found = cli.view(path, f"layers/{layer}", **line)["values"]
                for row in range(matrix.shape[0]):
                    for k in range(len(columns)):
                        self.same(found[row][k], wanted[row, k], f"{layer} {step} {row} {columns[k]}")

    def same(self, found, wanted, where):
        if wanted.dtype.kind in "iub":
            self.assertEqual(found, wanted.item(), where)
            return
        found = cli.number(found)
        exact = np.array(found, wanted.dtype)
        self.assertTrue(exact == wanted or (np.isnan(exact) and np.isnan(wanted)), f"{where}: {found} {wanted!r}")
        self.assertEqual(bool(np.signbit(exact)) and not np.isnan(exact), bool(np.signbit(wanted)) and not np.isnan(wanted), where)

    def test_index_types(self):
        random = np.random.RandomState(1)
        layers = {index.replace(">", "big_"): Sparse(300, 100, index, "float32", random) for index in INDEX_TYPES}
        self.check(self.save("index_types", layers, chunks=(101,), compression="gzip"), layers, random)

    def test_value_types(self):
        random = np.random.RandomState(2)
        for kind in ("counts", "wide", "any"):
            layers = {value.replace(">", "big_"): Sparse(200, 30, "int32", value, random, kind) for value in VALUE_TYPES}
            self.check(self.save(f"value_types_{kind}", layers), layers, random)

    def test_duplicates_in_any_order(self):
        random = np.random.RandomState(3)
        layers = {value: Sparse(250, 12, "int64", value, random, "counts", messy=True)
                  for value in ("bool", "int16", "int64", "uint32", "float32", "float64")}
        self.check(self.save("duplicates", layers, chunks=(64,), compression="lzf"), layers, random)

    def test_scan_of_many_cells(self):
        # More cells than are taken one by one, so that whole matrices are passed over.
        random = np.random.RandomState(4)
        layers = {"long": Sparse(150_000, 400, "uint16", "float32", random),
                  "messy": Sparse(150_000, 400, "int32", "float64", random, messy=True)}
        path = self.save("many_cells", layers, chunks=(30_011,), compression="gzip")
        for layer, matrix in layers.items():
            genes = [0, 17, 399]
            for threads in (1, 4):
                found = cli.view(path, f"layers/{layer}", var=",".join(map(str, genes)), threads=threads)["values"]
                wanted = np.stack([matrix.gene(g) for g in genes], axis=1)
                self.assertTrue(np.array_equal(np.array(found, float), wanted.astype(float)), layer)

    def test_matrix_changed_in_place(self):
        # Same size, and the fingerprint's blocks untouched: the sample of the matrix tells.
        random = np.random.RandomState(5)
        layers = {"x": Sparse(60_000, 100, "int32", "float32", random)}
        path = self.save("in_place", layers)
        cli.call("index", path, "--matrix", "layers/x")
        before = cli.info(path)["fingerprint"]
        with h5py.File(path, "r") as file:
            offset = file["layers/x/data"].id.get_offset()
            size = file["layers/x/data"].id.get_storage_size()
        content = path.read_bytes()
        touched = bytearray(content)
        # Fingerprint blocks lie at every 17th of the file, 4 KiB each, and at its ends.
        step = len(content) // 17
        for place in range(offset, offset + size - 4, 4):
            if all(not k * step - 8 <= place < k * step + 4104 for k in range(18)) \
                    and 65540 < place < len(content) - 65540:
                touched[place:place + 4] = np.float32(7).tobytes()
        path.write_bytes(touched)
        self.assertEqual(cli.info(path)["fingerprint"], before)
        status = cli.call("index", path, "--matrix", "layers/x", "--status")
        self.assertTrue(status["exists"])
        self.assertFalse(status["fresh"])
        with h5py.File(path, "r") as file:
            layers["x"].values = file["layers/x/data"][:]
        found = np.array(cli.view(path, "layers/x", var="5")["values"], float)[:, 0]
        self.assertTrue(np.array_equal(found, layers["x"].gene(5).astype(float)))

    def test_damaged_matrix_has_no_index(self):
        random = np.random.RandomState(6)
        for name, spoil in (("negative", lambda m: m.indices.__setitem__(50, -3)),
                            ("outside", lambda m: m.indices.__setitem__(50, 100)),
                            ("falling", lambda m: m.indptr.__setitem__(20, m.indptr[-1] + 5))):
            matrix = Sparse(100, 100, "int32", "float32", random)
            spoil(matrix)
            path = self.save(name, {"x": matrix})
            with self.assertRaises(cli.Failed) as failed:
                cli.call("index", path, "--matrix", "layers/x")
            self.assertEqual(failed.exception.code, 1)
            self.assertEqual(failed.exception.error["code"], "Corrupt")
            self.assertRegex(failed.exception.error["message"], r"row \d+")
            self.assertFalse(cli.call("index", path, "--matrix", "layers/x", "--status")["exists"])

    def test_interrupted_build_leaves_nothing(self):
        random = np.random.RandomState(7)
        path = self.save("interrupted", {"x": Sparse(200_000, 2000, "int32", "float32", random)}, chunks=(10_007,), compression="gzip")
        folder = pathlib.Path(os.environ["XDG_CACHE_HOME"], "cellfolio/genes")
        before = set(folder.glob("*")) if folder.is_dir() else set()
        for wait in (0.02, 0.08, 0.15):
            child = subprocess.Popen([cli.PROGRAM, "index", path, "--matrix", "layers/x", "--json", "--threads", "1"],
                                     stdout=subprocess.PIPE)
            try:
                child.wait(wait)
            except subprocess.TimeoutExpired:
                child.terminate()
            output = child.communicate()[0]
            if child.returncode == -signal.SIGTERM:
                self.assertEqual(output, b"")  # not even begun
                continue
            answer = json.loads(output)
            if child.returncode == 0:
                cli.call("index", path, "--matrix", "layers/x", "--drop")
            else:
                self.assertEqual((child.returncode, answer["error"]["code"]), (3, "Cancelled"))
            self.assertEqual(set(folder.glob("*")) - before, set())


if __name__ == "__main__":
    unittest.main()
