#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every file of the bigger corpora (and ours) that the anndata at hand opens: does cellfolio-cli show the same?
One test a file. Without ../shared/data only the files of tests/data are compared, and that is said."""
import json
import os
import pathlib
import unittest
import warnings
import zlib
from importlib import metadata

import anndata
import numpy as np
import pandas as pd
import scipy.sparse as sp

import cli
from comparing import Comparing, positions

warnings.filterwarnings("ignore")
ANNDATA = metadata.version("anndata")
ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("CELLFOLIO_SHARED", ROOT.parent / "shared")) / "data"
SELECTIONS = [("0:3", "0:4"), ("::-7", "::-11"), ("-2:", "-3:"), ("2,0,0,-1", "1,1,0,-1")]
ROWS = ["0:5", "::-97", "-3:", "2,0,0,1"]


def two_of(choices, path, element):
    """Each element is asked for in two of the ways; over the corpus every way meets every kind of element."""
    turn = zlib.crc32(f"{path.name}/{element}".encode())
    return [choices[turn % len(choices)], choices[(turn + 1 + turn // 7 % (len(choices) - 1)) % len(choices)]]


def native(series):
    """pandas cannot take rows out of big-endian numbers."""
    if isinstance(series.dtype, np.dtype) and series.dtype.byteorder == ">":
        return pd.Series(series.to_numpy().astype(series.dtype.newbyteorder("=")), index=series.index)
    return series


def known(folder):
    found = json.loads((SHARED / folder / "expected.json").read_text(encoding="utf-8"))
    return found.get("files", found)


def corpus_files():
    """Sound files only: anndata checks nothing and reads foreign memory where a matrix is damaged. Files that hold
    little and stand for much (`huge`) would need more memory than a machine has."""
    found = sorted((ROOT / "tests/data/files").glob("*.h5ad"))
    if SHARED.is_dir():
        # Debian's anndata is the oracle of the real files; a newer one only of those that it cannot open.
        found += [SHARED / "real" / name for name, want in known("real").items()
                  if ANNDATA.startswith("0.8.") or (want.get("anndata_0_8_0") or "").startswith("fails")]
        found += [SHARED / "spec" / name for name, want in known("spec").items() if want["valid"]]
        found += [SHARED / "reports" / name for name, want in known("reports").items()
                  if want["outcome"] == "opens" and not want.get("huge")]
    return [path for path in found if path.suffix == ".h5ad"]


class Corpus(Comparing, unittest.TestCase):
    maxDiff = 2000

    def compare(self, path):
        try:
            data = anndata.read_h5ad(path)
        except Exception as why:  # whatever: then there is no oracle
            self.skipTest(f"anndata {ANNDATA} does not open it: {str(why).splitlines()[0][:100]}")
        shown = cli.info(path)
        listed = {element["path"]: element for element in shown["elements"]}
        if "_index" in data.obs.columns and "_index" not in listed["obs"]["columns"]:
            self.skipTest("anndata takes the names of the cells for a column here")
        self.assertEqual([shown["n_obs"], shown["n_vars"]], list(data.shape))
        self.bad = {finding["element"] for finding in shown["findings"] if finding["severity"] == "error"}
        for axis, frame in (("obs", data.obs), ("var", data.var)):
            self.compare_table(path, listed, axis, frame, axis)
        names = [str(name) for name in data.obs_names]
        if data.X is not None and "X" in listed and listed["X"].get("dtype") != "string":
            self.compare_matrix(path, "X", data.X, ("obs", "var"), names)
        for name, values in data.layers.items():
            if np.ndim(values) == 2:
                self.compare_matrix(path, f"layers/{name}", values, ("obs", "var"), names)
        if data.raw is not None:
            self.compare_matrix(path, "raw/X", data.raw.X, ("obs", "var"), names)
            self.compare_table(path, listed, "raw/var", data.raw.var, "var")
        for mapping, axis in (("obsm", "obs"), ("varm", "var")):
            for name, values in getattr(data, mapping).items():
                self.compare_slot(path, listed, f"{mapping}/{name}", values, axis)
        for mapping in ("obsp", "varp"):
            for name, values in getattr(data, mapping).items():
                if f"{mapping}/{name}" in listed:
                    self.compare_matrix(path, f"{mapping}/{name}", values, ("rows", "cols"), None)

    def damaged(self, element):
        return any(bad == element or bad.startswith(element + "/") for bad in self.bad)

    def compare_matrix(self, path, element, values, axes, names):
        if self.damaged(element) or values.dtype.kind not in "iufbc":
            return
        if sp.issparse(values) and values.dtype == np.float16:
            return  # SciPy cannot compute with these
        with self.subTest(element):
            self.check_matrix(path, element, values, axes, two_of(SELECTIONS, path, element), names)
        with self.subTest(f"stats of {element}"):
            if np.prod(values.shape) <= 4_000_000 and values.dtype.kind != "c":
                self.check_stats(path, element, values)

    def compare_table(self, path, listed, element, frame, axis):
        if self.damaged(element):
            return
        with self.subTest(element):
            self.check_rows(path, listed[element], element, frame, axis)
        for name in list(frame.columns)[:20]:
            series = frame[name]
            if not isinstance(series, pd.Series) or f"{element}/{name}" not in listed:
                continue
            with self.subTest(f"stats of {element}/{name}"):
                self.check_column_stats(path, f"{element}/{name}", series)

    def check_rows(self, path, listed, element, frame, axis):
        names = [str(name) for name in frame.columns]
        self.assertEqual(listed["columns"], names, element)
        count = len(frame)
        for text in two_of(ROWS, path, element):
            if count < 3:
                text = ":"
            rows = list(positions(text, count))
            answer = cli.view(path, element, **{axis: text})
            self.assertEqual(answer[axis], [str(frame.index[row]) for row in rows], f"names of {element}")
            if len(set(names)) == len(names):
                shown = cli.columns(answer)
                for name in frame.columns:
                    self.check_column(f"{element}/{name}[{text}]", native(frame[name]).iloc[rows], shown[str(name)])

    def compare_slot(self, path, listed, element, values, axis):
        if element not in listed or self.damaged(element) or listed[element]["kind"] == "awkward":
            return
        if len(listed[element]["shape"]) == 1 and getattr(values, "ndim", 1) == 2:
            values = values[:, 0]  # newer versions give a flat array a second axis
        if isinstance(values, pd.DataFrame):
            self.compare_table(path, listed, element, values, axis)
        elif sp.issparse(values) or getattr(values, "ndim", 0) == 2:
            self.compare_matrix(path, element, values, (axis, "cols"), None)
        elif isinstance(values, np.ndarray) and values.dtype.kind in "iufb" and values.shape[0] > 2:
            with self.subTest(element):
                answer = cli.view(path, element, **{axis: "2,0,0"})
                self.same_numbers(values[[2, 0, 0]], cli.matrix(answer, values.dtype), element)


def add_tests():
    for path in corpus_files():
        short = str(path.relative_to(ROOT) if ROOT in path.parents else path.relative_to(SHARED))
        name = "test_" + "".join(c if c.isalnum() and c.isascii() else "_" for c in short)

        def test(self, path=path):
            self.compare(path)

        setattr(Corpus, name, test)


add_tests()

if __name__ == "__main__":
    print(f"anndata {ANNDATA}; {'with' if SHARED.is_dir() else 'without'} the bigger corpora")
    unittest.main()
