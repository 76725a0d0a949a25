#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What users reported of other programs' writing, done with cellfolio-cli: each ends as it should."""
import hashlib
import os
import pathlib
import shutil
import sys
import tempfile
import unittest
import warnings

import anndata
import h5py
import numpy as np

import cli

warnings.filterwarnings("ignore")
ROOT = pathlib.Path(__file__).resolve().parents[2]
REPORTS = pathlib.Path(os.environ.get("CELLFOLIO_SHARED", ROOT.parent / "shared")) / "data/reports"


def report(number):
    return next(REPORTS.glob(f"{number}-*.h5ad"))


class Reports(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        self.out = self.folder / "out.h5ad"

    def export(self, source, *options, out=None):
        return cli.call("export", source, "-o", out or self.out, *options)

    def refused(self, *line):
        with self.assertRaises(cli.Failed) as failed:
            self.export(*line)
        return failed.exception.code, failed.exception.error["code"]

    def test_b060_onto_itself_or_an_open_file(self):
        source = self.folder / "source.h5ad"
        shutil.copy(report("B051"), source)
        before = hashlib.sha256(source.read_bytes()).hexdigest()
        link = self.folder / "link.h5ad"
        link.symlink_to(source)
        for target in (source, link):
            with self.assertRaises(cli.Failed) as failed:
                self.export(source, "--overwrite", "--obs", "0:2", out=target)
            self.assertEqual((failed.exception.code, failed.exception.error["code"]), (2, "BadUsage"))
        # A reader that has the target open goes on reading what it opened.
        self.export(source)
        with h5py.File(self.out) as reader:
            self.export(source, "--overwrite", "--obs", "0:2")
            self.assertEqual(reader["obs/_index"].shape[0], cli.info(source)["n_obs"])
        self.assertEqual(cli.info(self.out)["n_obs"], 2)
        with h5py.File(self.out, "r+"):
            self.assertEqual(self.refused(source, "--overwrite"), (1, "Refused"))
        self.assertEqual(hashlib.sha256(source.read_bytes()).hexdigest(), before)

    def test_b062_a_part_is_as_large_as_its_share(self):
        source = report("B155")
        cells = cli.info(source)["n_obs"]
        self.export(source, "--obs", f"0:{max(1, cells // 100)}")
        self.assertLess(self.out.stat().st_size, max(60_000, source.stat().st_size // 10))

    def test_b063_one_piece_after_the_other(self):
        whole = anndata.read_h5ad(report("B051"))
        for first in (0, 4, 8):
            self.export(report("B051"), "--overwrite", "--obs", f"{first}:{first + 4}")
            part = anndata.read_h5ad(self.out)
            self.assertEqual(list(part.obs_names), list(whole.obs_names[first:first + 4]))
            self.assertTrue(np.array_equal(np.asarray(part.X.todense() if hasattr(part.X, "todense") else part.X),
                                           np.asarray(whole[first:first + 4].X.todense() if hasattr(whole.X, "todense") else whole[first:first + 4].X)))

    def test_b065_nothing_old_remains(self):
        shutil.copy(report("B128"), self.out)
        self.export(report("B010"), "--overwrite")
        with h5py.File(self.out) as file:
            self.assertFalse(list(file.get("obsm", {})))

    def test_b069_slashes_open_again(self):
        for number, element, columns in (("B069", "varm", None), ("B068", "var", ["rate/hour", "b"])):
            source = report(number)
            self.export(source, "--overwrite", "--obs", "::-1")
            before, after = cli.elements(source), cli.elements(self.out)
            for path, listed in before.items():
                if listed["kind"] == "table" and path.startswith(element):
                    self.assertEqual(after[path]["columns"], listed["columns"])
                    if columns:
                        self.assertEqual(listed["columns"], columns)
            anndata.read_h5ad(self.out)

    def test_b074_unknown_types_are_named(self):
        answer = self.export(report("B021"), "--obs", "0:2")
        self.assertTrue(answer["findings"])
        answer = self.export(report("B021"), "--overwrite", "--obs", "0:2", "--unreadable", "drop")
        self.assertTrue(any(element["action"] == "dropped" for element in answer["elements"]))
        anndata.read_h5ad(self.out)
        self.assertEqual(self.refused(report("B021"), "--overwrite", "--unreadable", "stop"), (1, "Refused"))

    def test_b079_positions_of_one_width(self):
        self.export(report("B079"))
        with h5py.File(self.out) as file:
            groups = [file["X"], *file.get("layers", {}).values()]
            for group in groups:
                if isinstance(group, h5py.Group):
                    self.assertEqual((group["indptr"].dtype, group["indices"].dtype), (np.int64, np.int64))

    def test_b089_parts_agree_on_categories(self):
        source = report("B089")
        listed = {path: element for path, element in cli.elements(source).items() if element.get("column") == "categorical"}
        self.assertTrue(listed)
        self.export(source, "--obs", "0:2")
        after = cli.elements(self.out)
        for path, element in listed.items():
            self.assertEqual((after[path]["categories"], element["categories"]), (4, 4))
        self.export(source, "--overwrite", "--drop-unused-categories")
        after = cli.elements(self.out)
        self.assertEqual([after[path]["categories"] for path in listed], [2] * len(listed))

    def test_b116_raw_by_itself(self):
        self.export(report("B114"), "--from-raw")
        part, whole = anndata.read_h5ad(self.out), anndata.read_h5ad(report("B114"))
        self.assertEqual(part.shape, (5, 6))
        self.assertEqual(list(part.var_names), list(whole.raw.var_names))
        self.assertIsNone(part.raw)

    def test_b122_what_does_not_fit_is_left_out_and_named(self):
        answer = self.export(report("B122"), "--obs", "0:3")
        self.assertIn({"element": "layers/tall", "action": "dropped"}, answer["elements"])
        self.assertIn("layers/tall", [finding["element"] for finding in answer["findings"]])
        self.assertEqual(list(anndata.read_h5ad(self.out).layers), ["good"])

    def test_b127_a_ragged_array_follows_the_view(self):
        answer = self.export(report("B127"))
        ragged = [path for path, element in cli.elements(report("B127")).items() if element["kind"] == "awkward"]
        self.assertTrue(ragged)
        self.assertEqual([cli.elements(self.out)[path]["kind"] for path in ragged], ["awkward"] * len(ragged))
        self.assertLessEqual(set(ragged), {finding["element"] for finding in answer["findings"]})
        answer = self.export(report("B127"), "--overwrite", "--obs", "3,0,3")
        for path in ragged:
            self.assertIn({"element": path, "action": "rewritten"}, answer["elements"])
            before = cli.view(report("B127"), path)["values"]
            self.assertEqual(cli.view(self.out, path)["values"], [before[3], before[0], before[3]])
        answer = self.export(report("B127"), "--overwrite", "--obs", "3,0,3", "--unreadable", "drop")
        for path in ragged:
            self.assertIn({"element": path, "action": "dropped"}, answer["elements"])

    def test_b179_damage_is_never_copied_as_values(self):
        self.assertEqual(self.refused(report("B179"), "--obs", "0:5"), (1, "Corrupt"))
        self.assertEqual(list(self.folder.iterdir()), [])
        self.export(report("B179"), "--obs", "10:20")
        self.assertEqual(cli.info(self.out)["n_obs"], 10)


if __name__ == "__main__":
    if not REPORTS.is_dir():
        print("SKIPPED: the files of the reports are not there")
        sys.exit(77)
    unittest.main()
