#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A view exported by cellfolio-cli against anndata's own `a[i, j].copy()`, on every file the anndata at hand opens:
values, names, column order, types, raw, obsm, varm, obsp, varp, uns. Categories: all of the file's, or, when unused
ones are dropped, those that anndata leaves."""
import json
import os
import pathlib
import shutil
import tempfile
import unittest
import warnings
from importlib import metadata

import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.sparse as sp

import cli
import structure

try:
    import awkward
except ImportError:  # then anndata opens no file with ragged arrays, and those are skipped
    awkward = None

warnings.filterwarnings("ignore")
ANNDATA = metadata.version("anndata")
# Newer versions know entries without a value.
UNREADABLE = "keep" if tuple(map(int, ANNDATA.split(".")[:2])) >= (0, 12) else "drop"
DEBIAN = ANNDATA.startswith("0.8.")
ROOT = pathlib.Path(__file__).resolve().parents[2]
MEMORY = next((folder for folder in ("/dev/shm",) if os.access(folder, os.W_OK)
               and shutil.disk_usage(folder).free > 200_000_000), None)
SHARED = pathlib.Path(os.environ.get("CELLFOLIO_SHARED", ROOT.parent / "shared")) / "data"


def known(folder):
    found = json.loads((SHARED / folder / "expected.json").read_text(encoding="utf-8"))
    return found.get("files", found)


def corpus_files():
    """Sound files: anndata checks nothing and reads foreign memory where a matrix is damaged."""
    found = sorted((ROOT / "tests/data/files").glob("*.h5ad"))
    if SHARED.is_dir():
        found += [SHARED / "real" / name for name in known("real")]
        found += [SHARED / "spec" / name for name, want in known("spec").items() if want["valid"]]
        found += [SHARED / "reports" / name for name, want in known("reports").items()
                  if want["outcome"] == "opens" and not want.get("huge")]
    found = [path for path in found if path.suffix == ".h5ad"]
    if not DEBIAN:  # Debian's has seen all of them; another one takes a third, to save time
        found = [path for k, path in enumerate(found) if "real" not in path.parts or k % 3 == 0]
    return found


def dense(values):
    return np.asarray(values.todense()) if sp.issparse(values) else np.asarray(values)


def choices(length, seed):
    """Slices, masks, lists with repeats: as text for the command line and as positions."""
    random = np.random.default_rng(seed)
    if length == 0:
        return [("", np.arange(0))]
    some = np.sort(random.choice(length, size=max(1, length // 3), replace=False))
    repeats = random.integers(0, length, size=min(length, 40))
    begin = int(random.integers(0, length))
    mask = random.random(length) < 0.4
    made = [(":", np.arange(length)), (f"{begin}:", np.arange(begin, length)), ("::-1", np.arange(length)[::-1]),
            (",".join(map(str, some)) + ",", some), (",".join(map(str, repeats)) + ",", repeats),
            ("mask:" + "".join("1" if m else "0" for m in mask), np.flatnonzero(mask))]
    return [choice for choice in made if len(choice[0]) < 100_000]


def pairs_of(path, whole):
    """Both axes at once, each choice of one with some choice of the other. Ragged arrays take all of them. The other
    files that hold one thing each take rows in reverse, with repeats, and one more; the many that are left take two, and
    those of thousands of columns or entries one. All files together see every pair many times."""
    rows, cols = choices(whole.n_obs, 1), choices(whole.n_vars, 2)
    pairs = [(rows[k % len(rows)], cols[(k + k // len(rows)) % len(cols)]) for k in range(max(len(rows), len(cols)))]
    pairs.append((rows[-1], cols[0]))
    if any(map(is_ragged, [*whole.obsm.values(), *whole.varm.values()])):
        return pairs
    first = sum(map(ord, path.name))
    if len(whole.obs.columns) + len(whole.var.columns) + entries(whole.uns) > 1000:
        return pairs[first % len(pairs):][:1]
    if DEBIAN and (ROOT in path.parents or "spec" in path.parts):
        wanted = [2, 4, (0, 1, 3, 5, 6)[first % 5]]
    else:
        wanted = [(2, 4)[first % 2], (0, 1, 3, 5, 6)[first % 5]]
    return [pairs[k] for k in wanted if k < len(pairs)] or pairs


def entries(values):
    return 1 + sum(map(entries, values.values())) if hasattr(values, "values") and callable(values.values) else 1


def is_ragged(values):
    return awkward is not None and isinstance(values, awkward.Array)


class Export(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        # In memory where there is one for it: here it does not matter whether a file reaches the disk.
        self.folder = tempfile.TemporaryDirectory(dir=MEMORY)
        self.addCleanup(self.folder.cleanup)

    def out(self, name="out.h5ad"):
        return pathlib.Path(self.folder.name) / name

    def export(self, path, *options):
        out = self.out()
        answer = cli.call("export", path, "-o", out, "--overwrite", "--unreadable", UNREADABLE, *options)
        self.assertEqual(answer["output"], str(out))
        self.assertEqual([p.name for p in out.parent.iterdir()], [out.name], "something was left behind")
        return answer, out

    def same_array(self, expected, found, what):
        expected, found = dense(expected), dense(found)
        self.assertEqual(expected.shape, found.shape, what)
        self.assertEqual(expected.dtype.newbyteorder("="), found.dtype.newbyteorder("="), what)
        if expected.dtype.kind in "fc":
            self.assertTrue(np.array_equal(expected, found, equal_nan=True), what)
        else:
            self.assertTrue(np.array_equal(expected, found), what)

    def same_matrix(self, expected, found, what):
        self.assertEqual(sp.issparse(expected), sp.issparse(found), what)
        if sp.issparse(expected):
            self.assertEqual(expected.format, found.format, what)
            if max(expected.shape) > 1_000_000 or np.prod(expected.shape, dtype=float) > 2e7:
                for one in (expected, found):
                    one.sum_duplicates()
                self.assertEqual(expected.shape, found.shape, what)
                if 0 in expected.shape:
                    return  # SciPy breaks off over nothing that is very wide
                difference = (expected != found)
                self.assertEqual(difference.nnz, 0, what)
                return
        self.same_array(expected, found, what)

    def same_series(self, expected, found, what, drops):
        expected.index, found.index = range(len(expected)), range(len(found))  # compared by themselves
        if isinstance(expected.dtype, pd.StringDtype):
            # Older readers know no text that may be missing: it comes back as categories or as plain texts.
            expected = expected.astype(object).where(expected.notna(), None)
            found = found.astype(object)
            found = found.where(found.notna(), None)
            self.assertEqual(list(expected), list(found), what)
            return
        if isinstance(expected.dtype, pd.CategoricalDtype):
            self.assertIsInstance(found.dtype, pd.CategoricalDtype, what)
            self.assertEqual(expected.cat.ordered, found.cat.ordered, what)
            if drops:
                self.assertEqual(list(expected.cat.categories), list(found.cat.categories), what)
            expected, found = expected.astype(object), found.astype(object)
        elif expected.dtype == object or found.dtype == object:
            # Text of fixed length comes back as bytes; what a view cuts is written as text.
            expected, found = (one.astype(object).map(lambda v: v.decode() if isinstance(v, bytes) else v)
                               for one in (expected, found))
        else:
            self.assertEqual(expected.dtype, found.dtype, what)
        pd.testing.assert_series_equal(expected, found, check_names=False, check_dtype=False, check_categorical=False, obj=what)

    def same_frame(self, expected, found, what, drops=False):
        self.assertEqual([str(c) for c in expected.columns], [str(c) for c in found.columns], what)
        self.assertEqual([str(n) for n in expected.index], [str(n) for n in found.index], f"names of {what}")
        for k, name in enumerate(expected.columns):
            self.same_series(native(expected.iloc[:, k]), native(found.iloc[:, k]), f"{what}/{name}", drops)

    def same_value(self, expected, found, what):
        mapping = hasattr(expected, "items") and not isinstance(expected, (pd.DataFrame, pd.Series))
        if isinstance(expected, dict) or mapping and not is_ragged(expected):
            self.assertEqual(sorted(map(str, expected)), sorted(map(str, found)), what)
            for key in expected:
                self.same_value(expected[key], found[key], f"{what}/{key}")
        elif isinstance(expected, pd.DataFrame):
            self.same_frame(expected, found, what)
        elif is_ragged(expected):
            self.assertTrue(is_ragged(found), what)
            self.assertEqual(str(awkward.type(expected)), str(awkward.type(found)), what)
            self.assertEqual(awkward.validity_error(found), "", what)
            # As texts, where a missing number is itself.
            self.assertEqual(str(awkward.to_list(expected)), str(awkward.to_list(found)), what)
        elif sp.issparse(expected):
            self.same_matrix(expected, found, what)
        elif isinstance(expected, (pd.Series, pd.Categorical)) or hasattr(expected, "isna"):
            self.assertEqual(list(map(str, expected)), list(map(str, found)), what)
        elif isinstance(expected, np.ndarray) and expected.dtype.kind in "iufcb":
            self.same_array(expected, found, what)
        elif isinstance(expected, np.ndarray):
            self.assertEqual(expected.tolist(), np.asarray(found).tolist(), what)
        elif np.ndim(expected) == 0 and expected != expected:
            self.assertTrue(found != found, what)
        else:
            self.assertEqual(expected, found, what)

    def compare(self, expected, found, drops=False, uns=True):
        self.assertEqual(expected.shape, found.shape)
        self.same_frame(expected.obs, found.obs, "obs", drops)
        self.same_frame(expected.var, found.var, "var", drops)
        self.assertEqual(expected.X is None, found.X is None)
        if expected.X is not None:
            self.same_matrix(expected.X, found.X, "X")
        self.assertEqual(sorted(expected.layers), sorted(found.layers))
        for name in expected.layers:
            self.same_matrix(expected.layers[name], found.layers[name], f"layers/{name}")
        for slot in ("obsm", "varm", "obsp", "varp"):
            mine, theirs = getattr(expected, slot), getattr(found, slot)
            self.assertEqual(sorted(mine), sorted(theirs), slot)
            for name in mine:
                self.same_value(mine[name], theirs[name], f"{slot}/{name}")
        self.assertEqual(expected.raw is None, found.raw is None)
        if expected.raw is not None:
            self.same_matrix(expected.raw.X, found.raw.X, "raw/X")
            self.same_frame(expected.raw.var, found.raw.var, "raw/var")
            for name in expected.raw.varm:
                self.same_value(expected.raw.varm[name], found.raw.varm[name], f"raw/varm/{name}")
        if uns:
            self.same_value(expected.uns, found.uns, "uns")

    def check(self, path):
        try:
            whole = anndata.read_h5ad(path)
        except Exception as why:  # whatever: then there is no oracle
            self.skipTest(f"anndata {ANNDATA} does not open it: {str(why).splitlines()[0][:100]}")
        for index, values in enumerate((whole.obs, whole.var)):
            if not values.columns.is_unique:
                self.skipTest("anndata has lost columns of the same name")
        for axis, frame in (("obs", whole.obs), ("var", whole.var)):
            if "_index" in frame.columns and "_index" not in cli.elements(path)[axis]["columns"]:
                self.skipTest("anndata takes the names for a column here")
        before = path.stat()
        for (row_text, i), (col_text, j) in pairs_of(path, whole):
            with self.subTest(f"[{row_text[:30]}, {col_text[:30]}]"):
                try:
                    expected = whole[i, j].copy()
                except Exception as why:
                    print(f"{path.name}: anndata cannot: {str(why)[:80]}")
                    continue
                drops = len(i) % 2 == 0
                more = ["--drop-unused-categories"] if drops else []
                _, out = self.export(path, f"--obs={row_text}", f"--var={col_text}", *more)
                self.compare(expected, anndata.read_h5ad(out), drops, uns=drops)
        if DEBIAN:  # it has nothing to do with anndata
            with self.subTest("structure of an untouched copy"):
                out = self.out()
                cli.call("export", path, "-o", out, "--overwrite", "--profile", "keep")
                with h5py.File(path) as source, h5py.File(out) as copy:
                    self.assertEqual(structure.differences(source, copy), [])
        after = path.stat()
        self.assertEqual((before.st_size, before.st_mtime_ns), (after.st_size, after.st_mtime_ns))


def native(series):
    if isinstance(series.dtype, np.dtype) and series.dtype.byteorder == ">":
        return pd.Series(series.to_numpy().astype(series.dtype.newbyteorder("=")), index=series.index)
    return series


def add_tests():
    for path in corpus_files():
        short = str(path.relative_to(ROOT) if ROOT in path.parents else path.relative_to(SHARED))
        name = "test_" + "".join(c if c.isalnum() and c.isascii() else "_" for c in short)

        def test(self, path=path):
            self.check(path)

        setattr(Export, name, test)


add_tests()

if __name__ == "__main__":
    print(f"anndata {ANNDATA}; {'with' if SHARED.is_dir() else 'without'} the bigger corpora")
    unittest.main()
