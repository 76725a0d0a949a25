#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `export` writes for other programs, read by them: pandas, SciPy, NumPy, loompy, and the readers of 10x."""
import gzip
import os
import pathlib
import tempfile
import unittest
import warnings

import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp

import cli

warnings.filterwarnings("ignore")
CELLS, GENES = 257, 131


def example(counts):
    """Counts in one file, log values with the counts in raw in the other."""
    random = np.random.default_rng(3)
    dense = random.poisson(0.7, (CELLS, GENES)).astype(np.float32)
    obs = pd.DataFrame({"kind": pd.Categorical(random.choice(["a,b", 'c"d', "ü", "unused"][:3], CELLS), ["unused", "a,b", 'c"d', "ü"]),
                        "size": random.normal(size=CELLS), "whole": np.arange(CELLS), "flag": random.random(CELLS) < 0.5,
                        "text": [f"line {i}\nsecond" if i % 50 == 0 else f"t{i}" for i in range(CELLS)],
                        "some": pd.array([None if i % 7 == 0 else i for i in range(CELLS)], dtype="Int64")},
                       index=[f"cell{i}" for i in range(CELLS)])
    obs.loc[obs.index[5], "kind"] = np.nan
    obs.loc[obs.index[6], "size"] = np.nan
    var = pd.DataFrame({"gene_ids": [f"ENSG{i:05}" for i in range(GENES)], "mean": dense.mean(0)},
                       index=[f"gene{i}" for i in range(GENES)])
    data = anndata.AnnData(sp.csr_matrix(dense), obs, var, obsm={"X_umap": random.normal(size=(CELLS, 2))},
                           uns={"kind_colors": np.array(["#000000", "#111111", "#222222", "#333333"], dtype=object)},
                           layers={"csc": sp.csc_matrix(dense * 2), "dense": dense + 0.5})
    if not counts:
        data.raw = data
        data.X = sp.csr_matrix(np.log1p(dense))
    return data, dense


class Formats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.counts_path = pathlib.Path(cls.folder.name) / "counts.h5ad"
        cls.logs_path = pathlib.Path(cls.folder.name) / "logs.h5ad"
        cls.counts, cls.dense = example(True)
        cls.logs, _ = example(False)
        cls.counts.write_h5ad(cls.counts_path)
        cls.logs.write_h5ad(cls.logs_path)
        # The same as anndata has it when it is read back.
        cls.counts = anndata.read_h5ad(cls.counts_path)
        cls.rows = [5, 250, 6, 6, 100, 3]
        cls.cols = [7, 0, 130]
        cls.choice = ["--obs=" + ",".join(map(str, cls.rows)), "--var=" + ",".join(map(str, cls.cols))]

    def out(self, name):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        return pathlib.Path(made.name) / name

    def export(self, source, name, *options):
        out = self.out(name)
        self.answer = cli.call("export", source, "-o", out, *options)
        self.assertEqual([entry.name for entry in out.parent.iterdir()], [name])
        return out

    def test_table(self):
        for name, mark in (("obs.csv", ","), ("obs.csv.gz", ","), ("obs.tsv", "\t")):
            out = self.export(self.counts_path, name, self.choice[0])
            found = pd.read_csv(out, sep=mark, index_col=0, keep_default_na=False, dtype=str)
            expected = self.counts.obs.iloc[self.rows]
            self.assertEqual(list(found.index), list(expected.index))
            self.assertEqual(list(found.columns), list(expected.columns))
            self.assertEqual(list(found["kind"]), ["" if pd.isna(v) else v for v in expected["kind"]])
            self.assertEqual([float(v) for v in found["size"][:2]], list(expected["size"][:2]))
            self.assertEqual(found["size"].iloc[2], "NaN")
            self.assertEqual(list(found["text"]), list(expected["text"]))
            self.assertEqual(list(found["some"]), ["" if pd.isna(v) else str(v) for v in expected["some"]])
            self.assertEqual(list(found["flag"]), [str(v).lower() for v in expected["flag"]])

    def test_matrix_as_text(self):
        for element, values in (("X", self.dense), ("layers/csc", self.dense * 2), ("layers/dense", self.dense + np.float32(0.5))):
            out = self.export(self.counts_path, "x.csv", "--element", element, *self.choice)
            found = pd.read_csv(out, index_col=0)
            self.assertEqual(list(found.columns), [f"gene{c}" for c in self.cols])
            self.assertTrue(np.array_equal(found.to_numpy(np.float32), values[np.ix_(self.rows, self.cols)]), element)
        out = self.export(self.counts_path, "umap.csv", "--element", "obsm/X_umap", self.choice[0])
        found = pd.read_csv(out, index_col=0, float_precision="round_trip")
        self.assertTrue(np.array_equal(found.to_numpy(), self.counts.obsm["X_umap"][self.rows]))

    def test_numpy(self):
        for element, values in (("X", self.dense), ("layers/csc", self.dense * 2), ("layers/dense", self.dense + np.float32(0.5))):
            expected = values[np.ix_(self.rows, self.cols)]
            found = np.load(self.export(self.counts_path, "x.npy", "--element", element, *self.choice))
            self.assertEqual(found.dtype, expected.dtype)
            self.assertTrue(np.array_equal(found, expected), element)
            out = self.export(self.counts_path, "x.npz", "--element", element, *self.choice)
            if element == "layers/dense":
                self.assertTrue(np.array_equal(np.load(out)["arr_0"], expected))
                continue
            found = sp.load_npz(out)
            self.assertEqual(found.format, "csc" if element == "layers/csc" else "csr")
            self.assertEqual(found.dtype, expected.dtype)
            self.assertTrue(np.array_equal(found.toarray(), expected), element)
        out = self.export(self.counts_path, "umap.npy", "--element", "obsm/X_umap")
        self.assertTrue(np.array_equal(np.load(out), self.counts.obsm["X_umap"]))

    def check_market(self, folder, expected, genes, cells, whole=True):
        with gzip.open(folder / "matrix.mtx.gz", "rt") as file:
            head = file.readline()
        self.assertIn("integer" if whole else "real", head)
        with gzip.open(folder / "matrix.mtx.gz") as file:
            found = scipy.io.mmread(file).toarray()
        self.assertEqual(found.shape, (len(genes), len(cells)))
        self.assertTrue(np.array_equal(found.T.astype(expected.dtype), expected))
        features = pd.read_csv(folder / "features.tsv.gz", sep="\t", header=None)
        self.assertEqual(features[0].tolist(), [f"ENSG{g:05}" for g in genes])
        self.assertEqual(features[1].tolist(), [f"gene{g}" for g in genes])
        self.assertEqual(set(features[2]), {"Gene Expression"})
        barcodes = pd.read_csv(folder / "barcodes.tsv.gz", sep="\t", header=None)[0].tolist()
        self.assertEqual(barcodes, [f"cell{c}" for c in cells])

    def test_matrix_market(self):
        out = self.export(self.counts_path, "mtx", "--format", "mtx", *self.choice)
        self.assertEqual(self.answer["findings"], [])
        self.check_market(out, self.dense[np.ix_(self.rows, self.cols)], self.cols, self.rows)
        out = self.export(self.counts_path, "mtx", "--format", "mtx", "--element", "layers/csc")
        self.check_market(out, self.dense * 2, range(GENES), range(CELLS))
        out = self.export(self.counts_path, "mtx", "--format", "mtx", "--element", "layers/dense")
        self.check_market(out, self.dense + np.float32(0.5), range(GENES), range(CELLS), whole=False)

    def test_log_values_are_called_so(self):
        self.export(self.logs_path, "mtx", "--format", "mtx")
        self.assertEqual([finding["element"] for finding in self.answer["findings"]], ["X"])
        out = self.export(self.logs_path, "mtx", "--format", "mtx", "--element", "raw/X", *self.choice)
        self.assertEqual(self.answer["findings"], [])
        self.check_market(out, self.dense[np.ix_(self.rows, self.cols)], self.cols, self.rows)

    def test_10x(self):
        for element in ("X", "layers/csc"):
            out = self.export(self.counts_path, "counts.h5", "--element", element, *self.choice)
            expected = self.dense[np.ix_(self.rows, self.cols)] * (2 if element == "layers/csc" else 1)
            with h5py.File(out) as file:
                matrix = file["matrix"]
                found = sp.csc_matrix((matrix["data"][:], matrix["indices"][:], matrix["indptr"][:]), tuple(matrix["shape"][:]))
                self.assertEqual(matrix["data"].dtype, np.int32)
                self.assertTrue(np.array_equal(found.toarray().T, expected), element)
                self.assertEqual(matrix["barcodes"][:].astype(str).tolist(), [f"cell{r}" for r in self.rows])
                self.assertEqual(matrix["features/id"][:].astype(str).tolist(), [f"ENSG{c:05}" for c in self.cols])
                self.assertEqual(matrix["features/name"][:].astype(str).tolist(), [f"gene{c}" for c in self.cols])
                self.assertEqual(matrix["features/_all_tag_keys"][:].tolist(), [b"genome"])
            # And by ourselves, as the h5ad it would become.
            again = cli.view(out, "X")
            self.assertTrue(np.array_equal(np.array(again["values"]), expected))

    def test_loom(self):
        try:
            import loompy
        except ImportError:
            self.skipTest("no loompy here")
        out = self.export(self.counts_path, "x.loom", *self.choice)
        expected = self.dense[np.ix_(self.rows, self.cols)]
        with loompy.connect(out, "r", validate=True) as file:
            self.assertTrue(np.array_equal(file[:, :].T, expected))
            self.assertTrue(np.array_equal(file.layers["csc"][:, :].T, expected * 2))
            self.assertEqual(file.ca.CellID.tolist(), [f"cell{r}" for r in self.rows])
            self.assertEqual(file.ra.Gene.tolist(), [f"gene{c}" for c in self.cols])
            self.assertEqual(file.ra.gene_ids.tolist(), [f"ENSG{c:05}" for c in self.cols])
            self.assertEqual(file.ca.text.tolist(), self.counts.obs["text"].iloc[self.rows].tolist())
            self.assertTrue(np.array_equal(file.ca.X_umap, self.counts.obsm["X_umap"][self.rows]))

        # loompy breaks off over letters beyond ASCII, which the format allows.
        kinds = self.counts.obs["kind"].iloc[self.rows]
        with h5py.File(out) as file:
            self.assertEqual(file["col_attrs/kind"].asstr()[:].tolist(), ["" if pd.isna(v) else v for v in kinds])

    def test_seurat_folder(self):
        out = self.export(self.logs_path, "folder", "--format", "seurat", self.choice[0])
        self.check_market(out, self.dense[self.rows], range(GENES), self.rows)
        obs = pd.read_csv(out / "obs.csv", index_col=0)
        self.assertEqual(list(obs.index), [f"cell{r}" for r in self.rows])
        self.assertEqual(list(obs.columns), list(self.counts.obs.columns))
        umap = pd.read_csv(out / "obsm_X_umap.csv", index_col=0, float_precision="round_trip")
        self.assertTrue(np.array_equal(umap.to_numpy(), self.counts.obsm["X_umap"][self.rows]))
        categories = pd.read_csv(out / "categories.csv")
        self.assertEqual(categories[categories.column == "kind"].category.tolist(), ["unused", "a,b", 'c"d', "ü"])
        self.assertEqual(categories[categories.column == "kind"].color.tolist(), ["#000000", "#111111", "#222222", "#333333"])
        self.assertIn("CreateSeuratObject", (out / "load_seurat.R").read_text())

    def test_seurat_needs_counts(self):
        data = anndata.AnnData(np.log1p(self.dense) * 1.01)
        source = self.out("log.h5ad")
        data.write_h5ad(source)
        with self.assertRaises(cli.Failed) as failed:
            cli.call("export", source, "-o", source.parent / "folder", "--format", "seurat")
        self.assertEqual((failed.exception.code, failed.exception.error["code"]), (1, "Refused"))
        self.assertFalse((source.parent / "folder").exists())

    def test_split(self):
        out = self.out("part_{}.h5ad")
        answer = cli.call("export", self.counts_path, "-o", out, "--split", "kind")
        kinds = self.counts.obs["kind"]
        self.assertEqual(len(answer["outputs"]), 3)  # the unused category has no cells
        for path in answer["outputs"]:
            part = anndata.read_h5ad(path)
            kind = pathlib.Path(path).name[len("part_"):-len(".h5ad")]
            expected = self.counts[(kinds == kind).to_numpy()]
            self.assertEqual(list(part.obs_names), list(expected.obs_names))
            self.assertTrue(np.array_equal(part.X.toarray(), expected.X.toarray()))
            self.assertEqual(list(part.obs["kind"].cat.categories), list(kinds.cat.categories))

    def test_options_of_h5ad(self):
        out = self.export(self.counts_path, "x.h5ad", "--storage", "dense", "--dtype", "float64", "--slots", "X,obs/kind")
        found = anndata.read_h5ad(out)
        self.assertIsInstance(found.X, np.ndarray)
        self.assertEqual(found.X.dtype, np.float64)
        self.assertTrue(np.array_equal(found.X, self.dense))
        self.assertEqual((list(found.obs.columns), list(found.var.columns), list(found.obsm), list(found.uns)), (["kind"], [], [], []))
        out = self.export(self.counts_path, "x.h5ad", "--without", "layers,uns/kind_colors", *self.choice)
        found = anndata.read_h5ad(out)
        self.assertEqual((list(found.layers), list(found.uns)), ([], []))
        self.assertTrue(np.array_equal(found.obsm["X_umap"], self.counts.obsm["X_umap"][self.rows]))
        out = self.export(self.logs_path, "x.h5ad", "--from-raw", *self.choice)
        found = anndata.read_h5ad(out)
        self.assertIsNone(found.raw)
        self.assertTrue(np.array_equal(found.X.toarray(), self.dense[np.ix_(self.rows, self.cols)]))
        out = self.export(self.counts_path, "x.h5ad", "--storage", "csr", "--slots", "layers/dense", *self.choice)
        found = anndata.read_h5ad(out)
        self.assertTrue(np.array_equal(found.layers["dense"].toarray(), (self.dense + np.float32(0.5))[np.ix_(self.rows, self.cols)]))
        for packing, filters in (("none", None), ("gzip", "gzip"), ("lzf", "lzf")):
            out = self.export(self.counts_path, "x.h5ad", "--compression", packing, *self.choice)
            with h5py.File(out) as file:
                self.assertEqual(file["X/data"].compression, filters)
                self.assertEqual(file["layers/dense"].compression, filters)
            self.assertTrue(np.array_equal(anndata.read_h5ad(out).X.toarray(), self.dense[np.ix_(self.rows, self.cols)]))

    def test_whole_numbers_stay_whole(self):
        with self.assertRaises(cli.Failed) as failed:
            cli.call("export", self.logs_path, "-o", self.out("x.h5ad"), "--dtype", "int32")
        self.assertEqual((failed.exception.code, failed.exception.error["code"]), (1, "Refused"))

    def test_drop_unused_categories_and_colours(self):
        out = self.export(self.counts_path, "x.h5ad", "--drop-unused-categories")
        found = anndata.read_h5ad(out)
        self.assertEqual(list(found.obs["kind"].cat.categories), ["a,b", 'c"d', "ü"])
        self.assertEqual(list(found.uns["kind_colors"]), ["#111111", "#222222", "#333333"])

    def test_usage(self):
        target = self.out("x.h5ad")
        target.write_text("old")
        for options, code, name in ((["-o", target], 3, "TargetExists"), (["-o", self.counts_path, "--overwrite"], 2, "BadUsage"),
                                    (["-o", target.parent], 2, "BadUsage"), ([], 2, "BadUsage"),
                                    (["-o", self.out("x.what")], 2, "BadUsage"), (["-o", self.out("a.h5ad"), "--split", "kind"], 2, "BadUsage"),
                                    (["-o", self.out("a.h5ad"), "--slots", "obsm/X_umpa"], 1, "NotFound"),
                                    (["-o", self.out("a.h5ad"), "--from-raw"], 1, "NotFound"),
                                    (["-o", self.out("no") / "folder" / "a.h5ad"], 1, "NotFound")):
            with self.assertRaises(cli.Failed) as failed:
                cli.call("export", self.counts_path, *options)
            self.assertEqual((failed.exception.code, failed.exception.error["code"]), (code, name), options)
        self.assertEqual(target.read_text(), "old")

    def test_estimate_does_nothing(self):
        out = self.out("x.h5ad")
        answer = cli.call("export", self.counts_path, "-o", out, "--estimate")
        self.assertTrue(answer["fits"])
        self.assertIsNone(answer["output"])
        self.assertEqual(list(out.parent.iterdir()), [])
        done = cli.call("export", self.counts_path, "-o", out)
        self.assertLess(abs(answer["estimate"]["output"] / done["used"]["output"] - 1), 0.35)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    unittest.main()
