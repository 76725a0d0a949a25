#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mapping and imputation by the command line against NumPy's own product, solved plans of reports from practice, and
the measured figures of real pairs of files."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import anndata
import h5py
import numpy as np
import scipy.sparse as sps

import cli

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared/data"
REPORTS, PAIRS = SHARED / "reports", SHARED / "real/pairs"


def log1p(counts, target=1e4):
    total = counts.sum(axis=1, keepdims=True)
    return np.log1p(counts * np.divide(target, total, out=np.zeros_like(total), where=total > 0))


def sinkhorn(cost, a, b, eps, iterations=3000):
    """The plan, the slow way."""
    f, g = np.zeros(a.size), np.zeros(b.size)
    for _ in range(iterations):
        s = (f[:, None] - cost) / eps
        top = s.max(axis=0)
        g = eps * (np.log(b) - top - np.log(np.exp(s - top).sum(axis=0)))
        s = (g[None, :] - cost) / eps
        top = s.max(axis=1)
        f = eps * (np.log(a) - top - np.log(np.exp(s - top[:, None]).sum(axis=1)))
    return np.exp((f[:, None] + g[None, :] - cost) / eps)


class Small(unittest.TestCase):
    """Files made here: every number is known."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        random = np.random.RandomState(3)
        cls.genes = [f"g{k}" for k in range(40)]
        types = np.exp(random.randn(4, 40))
        kind_sc, kind_sp = random.randint(0, 4, 150), random.randint(0, 4, 90)
        cls.sc = random.poisson(3 * types[kind_sc]).astype(np.float64)
        cls.sp = random.poisson(2 * types[kind_sp])[:, 5:30].astype(np.float64)
        cls.write(cls.folder / "sc.h5ad", sps.csr_matrix(cls.sc.astype(np.float32)), cls.genes, kind_sc)
        cls.write(cls.folder / "sc_csc.h5ad", sps.csc_matrix(cls.sc.astype(np.float32)), cls.genes, kind_sc)
        cls.write(cls.folder / "sp.h5ad", sps.csr_matrix(cls.sp.astype(np.float32)), cls.genes[5:30], kind_sp)
        cls.kind_sc = kind_sc

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @staticmethod
    def write(path, x, genes, kind):
        n = x.shape[0]
        data = anndata.AnnData(x)
        data.var_names = genes
        data.obs_names = [f"cell{k}" for k in range(n)]
        data.obs["kind"] = np.array([f"type {k}" for k in kind])
        data.obs["kind"] = data.obs["kind"].astype("category")
        data.obs["batch"] = np.array(["left", "right"])[np.arange(n) % 2]
        data.obsm["spatial"] = np.column_stack([np.arange(n, dtype=np.float64), kind.astype(np.float64)])
        data.uns["note"] = "kept"
        data.write_h5ad(path)

    def embedded(self):
        """The joint space: 25 shared genes, no more than the 30 components, so the values themselves."""
        return log1p(self.sp), log1p(self.sc[:, 5:30])

    def plan(self, eps):
        x, y = self.embedded()
        cost = ((x[:, None, :] - y[None, :, :]) ** 2).sum(-1)
        return sinkhorn(cost / cost.mean(), np.full(90, 1 / 90), np.full(150, 1 / 150), eps)

    def map(self, *options, out="mapping.h5"):
        return cli.call("map", "--spatial", self.folder / "sp.h5ad", "--reference", self.folder / "sc.h5ad",
                        "-o", self.folder / out, "--overwrite", *options)

    def impute(self, *options, out="imputed.h5ad"):
        answer = cli.call("impute", *options, "-o", self.folder / out, "--overwrite")
        return answer, anndata.read_h5ad(self.folder / out)

    def test_pull_is_the_product(self):
        answer = self.map("--threshold", "1e-6", "--precision", "float64")
        self.assertEqual((answer["n"], answer["m"], answer["features"], answer["converged"]), (90, 150, 25, True))
        self.assertAlmostEqual(answer["mass"], 1, places=6)
        plan, carried = self.plan(0.1), log1p(self.sc)
        row, col = plan.sum(1, keepdims=True), plan.sum(0)
        wanted = {"source": plan @ carried / row, "none": plan @ carried, "target": plan @ (carried / col[:, None])}
        for scaling, value in wanted.items():
            for memory, threads in (("256M", 2), ("16M", 1)):
                with self.subTest(scaling=scaling, memory=memory):
                    _, result = self.impute("--map", self.folder / "mapping.h5", "--scaling", scaling, "--memory",
                                            memory, "--threads", threads)
                    np.testing.assert_allclose(result.X, value, rtol=2e-5, atol=2e-5 * value.max())
        self.assertEqual(list(result.var_names), self.genes)
        self.assertEqual(list(result.obs_names[:2]), ["cell0", "cell1"])
        self.assertEqual(list(result.var["measured"]), [5 <= k < 30 for k in range(40)])
        self.assertEqual(list(result.var["in_cost"]), [5 <= k < 30 for k in range(40)])
        self.assertEqual(result.uns["note"], "kept")
        self.assertEqual(result.uns["imputation"]["epsilon"], 0.1)
        np.testing.assert_array_equal(result.layers["measured"].toarray()[:, 5:30], self.sp)
        np.testing.assert_array_equal(result.obsm["spatial"][:, 0], np.arange(90))
        np.testing.assert_allclose(result.obs["ot_mass"], 1, rtol=1e-6)

    def test_labels_and_embeddings_travel_too(self):
        self.map("--threshold", "1e-6")
        _, result = self.impute("--map", self.folder / "mapping.h5", "--labels", "kind", "--obsm", "spatial",
                                "--genes", "g1,g30,", "--rows", "5,0,5,")
        self.assertEqual(list(result.obs_names), ["cell5", "cell0", "cell5"])
        self.assertEqual(list(result.var_names), ["g1", "g30"])
        share = self.plan(0.1)
        share = (share / share.sum(1, keepdims=True))[[5, 0, 5]]
        kinds = sorted(set(self.kind_sc))
        chance = np.column_stack([share[:, self.kind_sc == kind].sum(1) for kind in kinds])
        self.assertEqual(list(result.obs["kind"]), [f"type {kinds[k]}" for k in chance.argmax(1)])
        np.testing.assert_allclose(result.obs["kind_probability"], chance.max(1), rtol=1e-3)
        place = np.column_stack([np.arange(150), self.kind_sc])
        np.testing.assert_allclose(result.obsm["spatial"], share @ place, rtol=1e-3)

    def test_stored_by_gene_gives_the_same(self):
        self.map()
        _, rows = self.impute("--map", self.folder / "mapping.h5")
        _, columns = self.impute("--map", self.folder / "mapping.h5", "--reference", self.folder / "sc_csc.h5ad")
        np.testing.assert_allclose(columns.X, rows.X, rtol=1e-6)

    def test_batches_are_mapped_by_themselves(self):
        answer = self.map("--batch", "batch", "--threshold", "1e-6")
        self.assertTrue(answer["converged"])
        _, result = self.impute("--map", self.folder / "mapping.h5")
        x, y = self.embedded()
        carried = log1p(self.sc)
        for batch in (0, 1):
            cost = ((x[batch::2, None, :] - y[None, :, :]) ** 2).sum(-1)
            plan = sinkhorn(cost / cost.mean(), np.full(45, 1 / 45), np.full(150, 1 / 150), 0.1)
            np.testing.assert_allclose(result.X[batch::2], plan @ carried / plan.sum(1, keepdims=True), rtol=1e-3,
                                       atol=1e-3)

    def test_other_kinds_of_mapping(self):
        fused = self.map("--alpha", "0.5", "--epsilon", "0.5", out="fused.h5")
        self.assertEqual(fused["n"], 90)
        low = self.map("--rank", "5", out="low.h5")
        self.assertIsNone(low["perplexity"])
        loose = self.map("--tau-b", "0.8", out="loose.h5")
        self.assertLess(loose["mass"], 1.001)
        for name in ("fused.h5", "low.h5", "loose.h5"):
            with self.subTest(name):
                _, result = self.impute("--map", self.folder / name)
                carried = log1p(self.sc)
                self.assertTrue(np.isfinite(result.X).all())
                self.assertTrue((result.X <= carried.max(0) + 1e-4).all())  # averages
        saved = self.map("--save-plan", self.folder / "plan.npy", "--threshold", "1e-6", out="with_plan.h5")
        self.assertEqual(len(saved["outputs"]), 2)
        np.testing.assert_allclose(np.load(self.folder / "plan.npy"), self.plan(0.1), rtol=1e-3, atol=1e-7)

    def test_plans_of_every_form(self):
        plan = np.random.RandomState(1).rand(90, 150) * (np.random.RandomState(2).rand(90, 150) < 0.3)
        plan[7] = 0
        np.save(self.folder / "c.npy", plan)
        np.save(self.folder / "f.npy", np.asfortranarray(plan.astype(np.float32)))
        np.save(self.folder / "t.npy", plan.T)
        np.savez(self.folder / "one.npz", anything=plan)
        np.savez_compressed(self.folder / "packed.npz", plan=plan)
        sps.save_npz(self.folder / "csr.npz", sps.csr_matrix(plan))
        sps.save_npz(self.folder / "csc.npz", sps.csc_matrix(plan), compressed=False)
        sps.save_npz(self.folder / "t.npz", sps.csr_matrix(plan.T))
        with h5py.File(self.folder / "any.h5", "w") as file:
            file.create_dataset("a/dense", data=plan, chunks=(16, 64), compression="gzip")
            file["a/turned"] = plan.T
        data = anndata.AnnData(sps.csr_matrix(plan.astype(np.float32)))
        data.uns["plan"] = sps.csc_matrix(plan)
        data.write_h5ad(self.folder / "plan.h5ad")
        carried = self.sc
        for name in ("c.npy", "f.npy", "t.npy", "one.npz", "packed.npz", "csr.npz", "csc.npz", "t.npz",
                     "any.h5::a/dense", "any.h5::a/turned", "plan.h5ad::X", "plan.h5ad::uns/plan"):
            for scaling in ("source", "none", "target"):
                with self.subTest(name, scaling=scaling):
                    answer, result = self.impute("--plan", self.folder / name, "--reference", self.folder / "sc.h5ad",
                                                 "--spatial", self.folder / "sp.h5ad", "--scaling", scaling)
                    wanted = {"none": plan @ carried, "target": plan @ (carried / plan.sum(0)[:, None]),
                              "source": np.divide(plan @ carried, plan.sum(1, keepdims=True),
                                                  out=np.zeros((90, 40)), where=plan.sum(1, keepdims=True) > 0)}[scaling]
                    np.testing.assert_allclose(result.X, wanted, rtol=1e-5, atol=1e-5 * wanted.max())
                    self.assertEqual(answer["zero_mass"], 1)
                    self.assertTrue(any("no mass" in f["message"] for f in answer["findings"]))
        _, result = self.impute("--plan", self.folder / "c.npy", "--reference", self.folder / "sc.h5ad",
                                "--zero-mass", "missing", "--keep", "3")
        self.assertTrue(sps.issparse(result.X))
        full = np.divide(plan @ carried, plan.sum(1, keepdims=True), out=np.zeros((90, 40)),
                         where=plan.sum(1, keepdims=True) > 0)
        for row in (0, 50):
            kept = np.flatnonzero(result.X.toarray()[row])
            self.assertEqual(set(kept), set(np.argsort(-full[row])[:3]))

    def test_what_is_refused(self):
        np.save(self.folder / "wrong.npy", np.ones((3, 4)))
        for words, code in (
                (["impute", "--plan", self.folder / "wrong.npy", "--reference", self.folder / "sc.h5ad"], 1),
                (["impute", "--plan", self.folder / "wrong.npy"], 2),
                (["impute"], 2),
                (["map", "--spatial", self.folder / "sp.h5ad"], 2),
                (["map", "--spatial", self.folder / "sp.h5ad", "--reference", self.folder / "sc.h5ad", "--cost", "x"], 2),
                (["map", "--spatial", self.folder / "sp.h5ad", "--reference", self.folder / "sc.h5ad", "--features",
                  "obsm:none"], 1)):
            with self.subTest(words=[str(w) for w in words]), self.assertRaises(cli.Failed) as caught:
                cli.call(*words, "-o", self.folder / "never.h5ad")
            self.assertEqual(caught.exception.code, code, caught.exception)
            self.assertTrue(caught.exception.error["message"])
            self.assertFalse((self.folder / "never.h5ad").exists())

    def test_estimate_does_nothing(self):
        self.map()
        answer = cli.call("impute", "--map", self.folder / "mapping.h5", "-o", self.folder / "never.h5ad", "--estimate")
        self.assertTrue(answer["fits"])
        self.assertEqual(answer["estimate"]["output"], 4 * 90 * 40)
        self.assertFalse((self.folder / "never.h5ad").exists())

    def test_threads_change_no_bit(self):
        self.map("--threads", "1", out="one.h5")
        self.map("--threads", "3", out="three.h5")
        with h5py.File(self.folder / "one.h5") as one, h5py.File(self.folder / "three.h5") as three:
            np.testing.assert_array_equal(one["part0/f"][:], three["part0/f"][:])
            np.testing.assert_array_equal(one["part0/g"][:], three["part0/g"][:])

    def test_resume_after_the_worst(self):
        """Killed in the middle, then again with the same options: the same values, and not all of it anew."""
        random = np.random.RandomState(4)
        plan = random.rand(6000, 150).astype(np.float32)
        np.save(self.folder / "long.npy", plan)
        out = self.folder / "long.h5ad"
        words = [cli.PROGRAM, "impute", "--plan", self.folder / "long.npy", "--reference", self.folder / "sc.h5ad",
                 "-o", out, "--resume", "--memory", "40M", "--threads", "1", "--json"]
        journal = self.folder / ".long.h5ad.resume"
        started = subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE)
        done = 0
        while started.poll() is None and done == 0:
            if journal.exists() and journal.stat().st_size >= 40:
                with open(journal, "rb") as file:
                    header = np.frombuffer(file.read(40), dtype="<u8")
                done = int(header[4]) if header.size == 5 else 0
            time.sleep(0.0005)
        started.send_signal(signal.SIGKILL)
        started.communicate()
        if out.exists():
            self.skipTest("it was done before it could be killed")
        answer = json.loads(subprocess.run(list(map(str, words)), capture_output=True).stdout)
        self.assertNotIn("code", str(answer.get("error", "")))
        self.assertGreater(answer["resumed_at"], 0)
        self.assertFalse(journal.exists())
        result = anndata.read_h5ad(out)
        wanted = plan @ self.sc / plan.sum(1, keepdims=True)
        np.testing.assert_allclose(result.X, wanted, rtol=1e-5)


@unittest.skipUnless(REPORTS.is_dir(), "the shared reports are not there")
class Reports(unittest.TestCase):
    def test_plans_from_practice(self):
        expected = json.loads((REPORTS / "expected.json").read_text())
        for name, place in (("B181-transport-6-to-4", "uns/transport"), ("B183-low-rank-transport", "uns")):
            path = REPORTS / f"{name}.h5ad"
            entry = expected.get("files", expected)[path.name]
            for case in entry["impute"]:
                with self.subTest(name, rows=case["rows"]), tempfile.TemporaryDirectory() as folder:
                    out = pathlib.Path(folder, "out.h5ad")
                    cli.call("impute", "--plan", f"{path}::{place}", "--reference", path, "-o", out, "--scaling",
                             "none", "--rows", ",".join(map(str, case["rows"])) + ",")
                    np.testing.assert_allclose(anndata.read_h5ad(out).X, case["values"], rtol=1e-6)
            if "impute_row_normalised" in entry:
                with tempfile.TemporaryDirectory() as folder:
                    out = pathlib.Path(folder, "out.h5ad")
                    cli.call("impute", "--plan", f"{path}::{place}", "--reference", path, "-o", out)
                    np.testing.assert_allclose(anndata.read_h5ad(out).X, entry["impute_row_normalised"], rtol=1e-6)


    def test_thinned_row_by_row(self):
        path = REPORTS / "B181-transport-6-to-4.h5ad"
        with h5py.File(path) as file:
            plan = file["uns/transport"][:]
        x = anndata.read_h5ad(path).X
        x = x.toarray() if sps.issparse(x) else x
        for row in plan:
            row[np.argsort(-row, kind="stable")[2:]] = 0
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out.h5ad")
            cli.call("impute", "--plan", f"{path}::uns/transport", "--reference", path, "-o", out, "--scaling", "none",
                     "--thin", "2")
            np.testing.assert_allclose(anndata.read_h5ad(out).X, plan @ x, rtol=1e-6)


@unittest.skipUnless(PAIRS.is_dir(), "the real pairs are not there")
class RealPairs(unittest.TestCase):
    """Five-fold gene hold-out on three published pairs, mean Pearson."""

    def score(self, spatial, cells, genes, normalize, figures):
        with tempfile.TemporaryDirectory() as folder:
            names = pathlib.Path(folder, "genes.txt")
            names.write_text("\n".join(genes) + "\n")
            answer = cli.call("score", "--spatial", PAIRS / spatial, "--reference", PAIRS / cells, "--reference-var",
                              f"@{names}", "--normalize", normalize, "--seed", "1", "--epsilon",
                              ",".join(str(eps) for eps in figures if eps != "50 nearest"), timeout=900)
        found = {entry["epsilon"]: entry["pearson"]["mean"] for entry in answer["epsilons"]}
        found["50 nearest"] = answer["baseline"]["pearson"]["mean"]
        for key, value in figures.items():
            with self.subTest(spatial, at=key):
                self.assertLess(abs(found[key] - value), 0.003, found)

    @staticmethod
    def genes(spatial, cells, most, log=True):
        """Shared genes, unique, seen in 1 % of both files; of these the most variable of the single cells."""
        sp, sc = anndata.read_h5ad(PAIRS / spatial), anndata.read_h5ad(PAIRS / cells)
        place = []
        for data in (sp, sc):
            values, first, count = np.unique(np.asarray(data.var_names), return_index=True, return_counts=True)
            place.append({name: at for name, at, k in zip(values, first, count) if k == 1})
        names = [g for g in sc.var_names if g in place[0] and g in place[1]]
        dense = [np.asarray(sps.csr_matrix(data.X)[:, [where[g] for g in names]].toarray(), dtype=np.float64)
                 for data, where in zip((sp, sc), place)]
        seen = ((dense[0] > 0).mean(0) >= 0.01) & ((dense[1] > 0).mean(0) >= 0.01)
        spread = np.where(seen, (log1p(dense[1]) if log else dense[1]).var(0), -1.0)
        order = np.argsort(-spread, kind="stable")[:most]
        return [names[k] for k in np.sort(order[spread[order] >= 0])]

    def test_pancreas(self):
        files = "pdac-a-st1.h5ad", "pdac-a-scrna.h5ad"
        self.score(*files, self.genes(*files, 1000), "log1p",
                   {"50 nearest": 0.265, 0.5: 0.284, 0.1: 0.264, 0.01: 0.175})

    def test_cortex(self):
        files = "osmfish-spatial.h5ad", "osmfish-scrna.h5ad"
        self.score(*files, self.genes(*files, 1000), "log1p",
                   {"50 nearest": 0.157, 0.5: 0.179, 0.2: 0.182, 0.1: 0.181, 0.01: 0.142})

    def test_embryo(self):
        files = "drosophila-insitu-spatial.h5ad", "drosophila-scrna-binarized.h5ad"
        self.score(*files, self.genes(*files, 1000, log=False), "none",
                   {"50 nearest": 0.514, 0.2: 0.515, 0.1: 0.547, 0.05: 0.556})


if __name__ == "__main__":
    unittest.main()
