#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files written by the anndata at hand, read by cellfolio-cli, compared value by value."""
import unittest

import anndata
import numpy as np
import pandas as pd
import scipy.sparse as sp

import cli
from writing import ANNDATA, Files, N_OBS, N_VARS, NUMBERS, VERSION, make, values_of


class Written(Files, unittest.TestCase):
    def test_every_number_type_dense(self):
        layers = {dtype: values_of(dtype, seed) for seed, dtype in enumerate(NUMBERS)}
        layers["bool"] = values_of("uint8", 40) > 0
        layers["float16"] = values_of("float16", 41)
        data = make(values_of("float32", 42), layers=layers)
        path = self.save(data)
        self.check_all(path, data)
        listed = cli.elements(path)
        for name in layers:
            self.assertEqual(listed[f"layers/{name}"]["dtype"], name)
            self.assertEqual(listed[f"layers/{name}"]["storage"], "dense")

    def test_every_number_type_sparse(self):
        for storage, make_sparse in (("csr", sp.csr_matrix), ("csc", sp.csc_matrix)):
            layers = {dtype: make_sparse(values_of(dtype, seed)) for seed, dtype in enumerate(NUMBERS)}
            layers["bool"] = make_sparse(values_of("uint8", 40) > 0)
            data = make(make_sparse(values_of("float32", 42)), layers=layers)
            path = self.save(data)
            self.check_all(path, data)
            listed = cli.elements(path)
            for name, values in layers.items():
                self.assertEqual(listed[f"layers/{name}"]["dtype"], name)
                self.assertEqual(listed[f"layers/{name}"]["storage"], storage)
                self.assertEqual(listed[f"layers/{name}"]["stored"], values.nnz)

    def test_statistics_a_cell_and_a_gene(self):
        for values in (values_of("float64", 1), sp.csr_matrix(values_of("int32", 2) // 2),
                       sp.csc_matrix(values_of("float32", 3))):
            path = self.save(make(values))
            self.check_stats_by(path, "X", values)

    def test_compressed(self):
        sparse = sp.random(200, 150, 0.1, "csr", np.float32, np.random.RandomState(7))
        names = dict(obs=pd.DataFrame(index=[f"c{i}" for i in range(200)]),
                     var=pd.DataFrame(index=[f"g{i}" for i in range(150)]))
        for compression in ("gzip", "lzf", None):
            data = make(sparse, layers={"dense": sparse.toarray(), "csc": sparse.tocsc()}, **names)
            path = self.save(data, compression=compression)
            self.check_all(path, data)
            filters = cli.elements(path)["layers/dense"]["filters"]
            self.assertEqual(bool(filters), compression is not None, filters)
            if compression:
                self.assertTrue(filters[0].startswith(compression), filters)

    def test_not_canonical(self):
        data = sp.csr_matrix((np.array([3, 1, 2, 5, 0, 4], "f4"), [2, 0, 1, 1, 3, 0], [0, 2, 5] + [6] * 7),
                             shape=(N_OBS, N_VARS))
        path = self.save(make(data))
        self.check_matrix(path, "X", data)
        answer = cli.stats(path, "X")
        self.assertEqual((answer["stored"], answer["explicit_zeros"], answer["sum"]), (6, 1, 15))
        ids = {finding["id"] for finding in cli.call("validate", path)["findings"]}
        self.assertLessEqual({"B006", "B007"}, ids)

    def test_not_finite(self):
        values = values_of("float64", 5)
        values[0, :4] = [np.nan, np.inf, -np.inf, -0.0]
        for form in (values, sp.csr_matrix(values)):
            path = self.save(make(form))
            self.check_matrix(path, "X", form)
            answer = cli.stats(path, "X")
            self.assertEqual((answer["nan"], answer["inf"]), (1, 2))

    def test_columns(self):
        index = [f"cell{i}" for i in range(N_OBS)]
        many = [f"label {i % 7:03}" for i in range(N_OBS)]
        obs = pd.DataFrame({
            "i8": np.arange(N_OBS, dtype="int8") - 4, "i64": np.arange(N_OBS) * (2**53 + 1),
            "u64": np.full(N_OBS, 2**64 - 1, dtype="uint64"), "f32": np.linspace(0, 1, N_OBS).astype("float32"),
            "f64": [0.1, np.nan, np.inf, -np.inf, 1e-300, 5, 6, 7, 8], "flag": np.arange(N_OBS) % 2 == 0,
            "word": [f"w{i} é 名" for i in range(N_OBS)],
            "kind": pd.Categorical(["b", "a", None, "b", "b", "a", "a", "b", None]),
            "grade": pd.Categorical.from_codes([0, 1, 2, 2, 1, -1, 0, 0, 1], ["low", "mid", "high"], ordered=True),
            "unused": pd.Categorical(many, categories=sorted(set(many)) + ["never"]),
            "tens": pd.Categorical([10, 20, 10, 20, 10, 20, 10, 20, None]),
            "whole": pd.array([1, None, 3, None, 5, 6, 7, 8, -9], dtype="Int32"),
            "maybe": pd.array([True, None, False, True, True, None, False, False, True], dtype="boolean"),
        }, index=index)
        data = make(values_of("float32", 1), obs=obs)
        path = self.save(data)
        self.check_all(path, data)
        listed = cli.elements(path)
        kinds = {"i8": "numeric", "flag": "boolean", "word": "string", "kind": "categorical",
                 "whole": "nullable-integer", "maybe": "nullable-boolean"}
        for name, kind in kinds.items():
            self.assertEqual(listed[f"obs/{name}"]["column"], kind, name)
        self.assertEqual(listed["obs/grade"]["categories"], 3)
        self.assertIs(listed["obs/grade"]["ordered"], True)
        back = anndata.read_h5ad(path).obs
        for name in back.columns:
            self.check_column_stats(path, f"obs/{name}", back[name])

    def test_columns_in_chosen_order(self):
        obs = pd.DataFrame({"a": np.arange(N_OBS), "b": np.arange(N_OBS) * 2}, index=[f"c{i}" for i in range(N_OBS)])
        path = self.save(make(values_of("float32", 1), obs=obs))
        answer = cli.view(path, "obs", columns="b,a", obs="c3,c1")
        self.assertEqual(answer["obs"], ["c3", "c1"])
        self.assertEqual([column["name"] for column in answer["columns"]], ["b", "a"])
        self.assertEqual(cli.columns(answer), {"b": [6, 2], "a": [3, 1]})
        self.assertEqual(cli.view(path, "obs/b", obs="-2:")["values"], [14, 16])

    def test_names_select(self):
        data = make(values_of("float64", 8))
        path = self.save(data)
        answer = cli.view(path, "X", obs="cell7,cell2,cell7", var="gene1..gene3")
        self.same_numbers(data.X[[7, 2, 7]][:, 1:4], cli.matrix(answer, "float64"), "by name")
        self.assertEqual(answer["var"], ["gene1", "gene2", "gene3"])

    def test_raw(self):
        data = make(sp.csr_matrix(values_of("float32", 2)))
        data.var["mean"] = np.arange(N_VARS) / 3
        data.raw = data
        narrow = data[:, ["gene4", "gene1"]].copy()
        path = self.save(narrow)
        self.assertEqual(cli.elements(path)["raw/X"]["shape"], [N_OBS, N_VARS])
        self.check_all(path, narrow)

    def test_aligned(self):
        random = np.random.RandomState(3)
        index = [f"cell{i}" for i in range(N_OBS)]
        frame = pd.DataFrame({"depth": random.rand(N_OBS), "site": pd.Categorical(list("lrlrlrlrl"))}, index=index)
        umap = random.rand(N_OBS, 2)
        umap[4, 1] = np.nan
        graph = sp.random(N_OBS, N_OBS, 0.4, "csr", np.float64, random)
        data = make(values_of("float32", 1),
                    obsm={"X_umap": umap, "X_pca": random.rand(N_OBS, 50).astype("float32"), "frame": frame,
                          "cube": random.rand(N_OBS, 3, 2), "marks": sp.random(N_OBS, 12, 0.3, "csr", np.float32, random)},
                    varm={"PCs": random.rand(N_VARS, 50)},
                    obsp={"distances": graph, "whole": graph.toarray(), "by_column": graph.tocsc()},
                    varp={"cov": random.rand(N_VARS, N_VARS)})
        path = self.save(data)
        self.check_all(path, data)

    def test_uns(self):
        frame = pd.DataFrame({"n": [1, 2, 3], "who": ["x", "y", "z"]}, index=["r0", "r1", "r2"])
        records = np.rec.fromarrays([np.array(["g1", "g2"], dtype=object), np.array([0.5, -1], "f4"), np.array([3, 4])],
                                    names=["names", "scores", "n"])
        uns = {"title": "größe 名", "whole": 2**53 + 1, "part": 0.25, "single": np.float32(0.1), "yes": True,
               "line": np.array([1, -2, 3], "int16"), "grid": np.arange(6.0).reshape(2, 3), "empty": {},
               "colors": np.array(["#ff0000", "#00ff00"]), "deep": {"er": {"still": {"bottom": "reached"}}},
               "frame": frame, "records": records, "nan": float("nan"), "long": np.arange(20000),
               "nothing here": np.empty((0, 5))}
        path = self.save(make(values_of("float32", 1), uns=uns))
        self.assertEqual(cli.view(path, "uns/single")["value"], 0.1)  # the shortest text for a float32
        back = anndata.read_h5ad(path).uns
        del back["single"]  # which anndata widens to a double
        shown = cli.view(path, "uns")["value"]
        del shown["single"]
        self.check_value("uns", back, shown)
        self.assertEqual(cli.view(path, "uns/deep/er/still/bottom")["value"], "reached")
        whole = cli.view(path, "uns/long")
        self.assertEqual(whole.get("value", whole.get("values")), list(range(20000)))

    def test_no_cells_no_genes_no_x(self):
        empty = anndata.AnnData(obs=pd.DataFrame({"score": np.empty(0)}, index=pd.Index([], dtype=str)),
                                var=pd.DataFrame(index=["g0", "g1"]))
        empty.X = sp.csr_matrix((0, 2), dtype=np.float32)
        self.check_all(self.save(empty), empty)
        thin = anndata.AnnData(obs=pd.DataFrame(index=["c0", "c1", "c2"]), var=pd.DataFrame(index=pd.Index([], dtype=str)))
        thin.X = np.empty((3, 0), dtype=np.float32)
        self.check_all(self.save(thin), thin)
        without = make(None, layers={"counts": values_of("int32", 4)})
        path = self.save(without)
        self.check_all(path, without)
        with self.assertRaises(cli.Failed) as caught:
            cli.view(path, "X")
        self.assertEqual((caught.exception.code, caught.exception.error["code"]), (1, "NotFound"))

    def test_strange_names(self):
        names = ["a b", "a,b", "naïve", "名前", "x::y", "-5", "3", "", "q\"r"]
        obs = pd.DataFrame({"one two": np.arange(N_OBS), "ümlaut": np.arange(N_OBS)}, index=names)
        data = make(values_of("float32", 1), obs=obs)
        path = self.save(data)
        self.check_table(path, "obs", data.obs, "obs")
        answer = cli.view(path, "obs", obs='"3","a,b",名前,"-5","q\\"r"')
        self.assertEqual(answer["obs_positions"], [6, 1, 3, 5, 8])

    def test_big_enough_for_many_chunks(self):
        random = np.random.RandomState(11)
        matrix = sp.random(3000, 400, 0.05, "csr", np.float32, random)
        data = anndata.AnnData(matrix, obs=pd.DataFrame({"n": np.arange(3000)}, index=[f"c{i}" for i in range(3000)]),
                               var=pd.DataFrame(index=[f"g{i}" for i in range(400)]),
                               **({"dtype": matrix.dtype} if VERSION < (0, 9) else {}))
        path = self.save(data, compression="gzip")
        self.check_stats(path, "X", matrix)
        self.check_stats_by(path, "X", matrix)
        self.check_matrix(path, "X", matrix, selections=[("2999,0,1500,1500,7", "399,0,200"), ("::-250", "::-40"),
                                                         ("1490:1510", "10:20")])
        answer = cli.view(path, "obs", obs="2990:", columns="n")
        self.assertEqual(cli.columns(answer)["n"], list(range(2990, 3000)))


if __name__ == "__main__":
    print(f"anndata {ANNDATA}, NumPy {np.__version__}, pandas {pd.__version__}")
    unittest.main()
