#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small files with known answers: those of tests/data, and the bigger corpora where they lie beside the checkout.
One test a file."""
import json
import math
import os
import pathlib
import sys
import unittest

import cli
from expected import Expected, close, of_type

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("CELLFOLIO_SHARED", ROOT.parent / "shared")) / "data"


def test_name(short):
    return "test_" + "".join(c if c.isalnum() and c.isascii() else "_" for c in short)


class Ours(Expected, unittest.TestCase):
    """tests/data"""


class Reports(Expected, unittest.TestCase):
    """Inputs rebuilt from public bug reports."""


class Spec(Expected, unittest.TestCase):
    """One file an encoding and a fault: the rules that must be named."""

    def check_spec(self, path, want):
        """A file that is not valid still opens, unless it is not there at all."""
        shown = cli.info(path)
        checked = cli.call("validate", path, "--fail-on=never")
        found = {finding["id"] for finding in shown["findings"] + checked["findings"]}
        self.assertLessEqual(set(want["rules"]), found, f"rules of {path.name}")
        if want["valid"] and not want["rules"]:
            errors = [finding for finding in shown["findings"] + checked["findings"] if finding["severity"] == "error"]
            self.assertEqual(errors, [], path.name)


class Real(unittest.TestCase):
    """Real files of many writers: shapes, names, sums, columns."""

    def check_real(self, path, want):
        if want.get("opens") is False:
            with self.assertRaises(cli.Failed) as caught:
                cli.info(path)
            self.assertEqual(caught.exception.code, 1)
            return
        shown = cli.info(path)
        self.assertEqual(shown["format"], {"h5ad": "h5ad", "10x": "10x", "h5mu": "h5mu"}[want["format"]])
        if want["format"] == "10x":
            self.check_tenx(path, shown, want["matrices"])
            return
        if want["format"] == "h5mu":
            for name, inside in want["modalities"].items():
                with self.subTest(name):
                    self.check_h5ad(f"{path}::{name}", cli.info(f"{path}::{name}"), inside)
            self.assertEqual(sorted(one["name"] for one in shown["modalities"]), sorted(want["modalities"]))
            return
        self.check_h5ad(path, shown, want)

    def check_tenx(self, path, shown, matrices):
        for name, want in matrices.items():
            where = f"{path}::{name}" if len(matrices) > 1 else path
            about = cli.info(where) if len(matrices) > 1 else shown
            self.assertEqual([about["n_obs"], about["n_vars"]], [want["n_barcodes"], want["n_features"]])
            counted = cli.stats(where, "X")
            self.assertEqual((counted["stored"], counted["sum"]), (want["nnz_stored"], want["sum"]))
            first = cli.view(where, "obs", obs="0,-1", columns="")
            self.assertEqual(first["obs"], [want["barcodes"]["first"], want["barcodes"]["last"]])

    def check_h5ad(self, path, shown, want):
        if "shape" in want:
            self.assertEqual([shown["n_obs"], shown["n_vars"]], want["shape"])
        listed = {element["path"]: element for element in shown["elements"]}
        for frame in ("obs", "var"):
            if frame in want:
                self.check_frame(path, listed, frame, want[frame])
        matrices = {"X": want.get("X")}
        matrices.update({f"layers/{name}": one for name, one in (want.get("layers") or {}).items()})
        if want.get("raw"):
            matrices["raw/X"] = want["raw"].get("X")
            if want["raw"].get("var"):
                self.check_frame(path, listed, "raw/var", want["raw"]["var"])
        for mapping in ("obsm", "varm", "obsp", "varp"):
            matrices.update({f"{mapping}/{name}": one for name, one in (want.get(mapping) or {}).items()})
        for element, matrix in matrices.items():
            if matrix and "sum" in matrix and matrix["storage"] in ("dense", "csr", "csc") \
                    and "string" not in matrix["dtype"]:
                with self.subTest(element):
                    self.check_matrix(path, listed, element, matrix)

    def check_matrix(self, path, listed, element, want):
        about = listed[element]
        self.assertEqual((about["shape"], about["storage"], about["dtype"]),
                         (want["shape"], want["storage"], want["dtype"].lstrip("<>=|")), element)
        if "nnz_stored" in want:
            self.assertEqual(about["stored"], want["nnz_stored"], element)
        counted = cli.stats(path, element)
        self.assertTrue(close(want["sum"], counted["sum"] or 0), (element, want["sum"], counted["sum"]))
        self.assertEqual(counted["nan"], want.get("n_nan", 0), element)
        if "nnz" in want:
            self.assertEqual(counted["nnz"], want["nnz"], element)
        if "sum_first_row" in want and want["shape"][0] > 0:
            for row, key in (("0", "sum_first_row"), ("-1", "sum_last_row")):
                shown = [cli.number(value) for value in cli.view(path, element, rows=row)["values"][0]]
                total = math.fsum(of_type(value, want["dtype"].lstrip("<>=|")) for value in shown if value == value)
                self.assertTrue(close(float(want[key]), total), (element, key, want[key], total))

    def check_frame(self, path, listed, frame, want):
        axis = "obs" if frame == "obs" else "var"
        with self.subTest(f"names of {frame}"):
            index = want.get("index") or {}
            if want.get("n") and "first" in index and index.get("kind") != "missing":
                ends = cli.view(path, frame, **{axis: "0,-1", "columns": ""})
                self.assertEqual(ends[axis], [str(index["first"]), str(index["last"])])
        for column in want.get("columns", []):
            element = f"{frame}/{column['name']}"
            if element not in listed or listed[element].get("column") in (None, "opaque"):
                continue  # a column that cannot be shown has its own finding
            with self.subTest(element):
                self.check_column(path, listed[element], element, column)
        with self.subTest(f"columns of {frame}"):
            self.assertEqual(listed[frame]["columns"], [column["name"] for column in want.get("columns", [])])

    def check_column(self, path, about, element, want):
        if want["type"] in ("categorical", "numeric", "boolean", "string"):
            self.assertEqual(about["column"], want["type"], element)
        if "n_categories" in want:
            self.assertEqual(about["categories"], want["n_categories"], element)
        counted = cli.stats(path, element)
        if "n_missing" in want:
            self.assertEqual(counted["missing"], want["n_missing"], element)
        if "sum" in want:
            self.assertTrue(close(want["sum"], counted["sum"] or 0), (element, want["sum"], counted["sum"]))


def add(case, folder, expected, check):
    for short, want in expected.items():
        if not short.endswith(".json"):
            def test(self, path=folder / short, want=want):
                getattr(self, check)(path, want)
            setattr(case, test_name(short), test)


def load(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    return found.get("files", found)


add(Ours, ROOT / "tests/data", load(ROOT / "tests/data/expected.json"), "check_file")
if SHARED.is_dir():
    add(Reports, SHARED / "reports", load(SHARED / "reports/expected.json"), "check_file")
    add(Spec, SHARED / "spec", load(SHARED / "spec/expected.json"), "check_spec")
    add(Real, SHARED / "real", load(SHARED / "real/expected.json"), "check_real")

if __name__ == "__main__":
    if not SHARED.is_dir() and {"Reports", "Spec", "Real"} & set(sys.argv[1:]):
        print("SKIPPED: ../shared/data is not there")
        sys.exit(77)
    print(f"{'with' if SHARED.is_dir() else 'without'} the bigger corpora")
    unittest.main()
