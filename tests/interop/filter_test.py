#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter expressions on real files against pandas, and selections against NumPy. The oracle knows nothing of our
language: each case states in pandas what must come out, with missing values as a third truth. One test a case."""
import json
import operator
import os
import pathlib
import random
import re
import tempfile
import unittest
import warnings

import anndata
import numpy as np
import pandas as pd
import scipy.sparse as sp

import cli

warnings.filterwarnings("ignore")
ROOT = pathlib.Path(__file__).resolve().parents[2]
REAL = pathlib.Path(os.environ.get("CELLFOLIO_SHARED", ROOT.parent / "shared")) / "data" / "real"
EXAMPLE = "pbmc68k_reduced.h5ad"


class Truth:
    """What is true of each row, and where that is unknown."""

    def __init__(self, yes, unknown=None):
        self.yes = np.asarray(yes, bool)
        self.unknown = np.zeros(len(self.yes), bool) if unknown is None else np.asarray(unknown, bool)
        self.yes = self.yes & ~self.unknown

    def __and__(self, other):
        no = ~self.yes & ~self.unknown | ~other.yes & ~other.unknown
        return Truth(self.yes & other.yes, ~no & (self.unknown | other.unknown))

    def __or__(self, other):
        yes = self.yes | other.yes
        return Truth(yes, ~yes & (self.unknown | other.unknown))

    def __invert__(self):
        return Truth(~self.yes & ~self.unknown, self.unknown)


def test(values, rule):
    """rule(value) of each value that is there."""
    series = pd.Series(np.asarray(values) if not isinstance(values, pd.Series) else values.to_numpy(object))
    missing = series.isna().to_numpy()
    return Truth([not gone and bool(rule(value)) for value, gone in zip(series, missing)], missing)


def compare(values, how, right):
    """As NumPy compares whole columns: in the type of the column."""
    values = values.to_numpy() if isinstance(values, pd.Series) and isinstance(values.dtype, np.dtype) else values
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return Truth(how(values, values.dtype.type(right)), np.isnan(values))
    return test(values, lambda value: how(value, right))


def is_missing(values):
    return Truth(pd.Series(values).isna())


def of_gene(matrix, names, gene):
    column = matrix[:, list(names).index(gene)]
    return np.asarray(column.todense()).ravel() if sp.issparse(column) else np.asarray(column).ravel()


def x(a, gene):
    return of_gene(a.X, a.var_names, gene)


def raw(a, gene):
    return of_gene(a.raw.X, a.raw.var_names, gene)


gt, ge, lt, le, eq, ne = (getattr(operator, name) for name in ("gt", "ge", "lt", "le", "eq", "ne"))
P, A, N, R = EXAMPLE, "anndatar-example-0.8.h5ad", "anndatar-nullable-sparse-0.8.h5ad", "cellrank-adata-50.h5ad"
T, V, U, S = "tangram-smfish.h5ad", "anndata-v0.7.8.h5ad", "nfanndata-unicode.h5ad", "tiledbsoma-spatial-legacy.h5ad"
LABELS = ["CD14+ Monocyte", "CD19+ B", "Dendritic"]

# file, expression over obs, what pandas says
OBS = [
    (P, "n_genes > 1000", lambda a: compare(a.obs.n_genes, gt, 1000)),
    (P, "n_genes between 500 and 800", lambda a: Truth(a.obs.n_genes.between(500, 800))),
    (P, "n_genes not between 500 and 800", lambda a: ~Truth(a.obs.n_genes.between(500, 800))),
    (P, "percent_mito < 0.01 and n_counts >= 2000",
     lambda a: compare(a.obs.percent_mito, lt, 0.01) & compare(a.obs.n_counts, ge, 2000)),
    (P, "percent_mito == 0", lambda a: compare(a.obs.percent_mito, eq, 0)),
    (P, 'bulk_labels in ["CD14+ Monocyte", "CD19+ B", "Dendritic"]', lambda a: Truth(a.obs.bulk_labels.isin(LABELS))),
    (P, 'bulk_labels not in ["CD14+ Monocyte", "CD19+ B", "Dendritic"]',
     lambda a: ~Truth(a.obs.bulk_labels.isin(LABELS))),
    (P, 'bulk_labels == "Dendritic" or louvain == "3"',
     lambda a: Truth(a.obs.bulk_labels == "Dendritic") | Truth(a.obs.louvain == "3")),
    (P, 'bulk_labels ~ "^CD[48]\\+"', lambda a: Truth(a.obs.bulk_labels.str.contains(r"^CD[48]\+"))),
    (P, 'bulk_labels contains "MONO"', lambda a: Truth(a.obs.bulk_labels.str.contains("mono", case=False))),
    (P, 'bulk_labels endswith "b"', lambda a: Truth(a.obs.bulk_labels.str.lower().str.endswith("b"))),
    (P, 'not (bulk_labels contains "T") and phase != "G1"',
     lambda a: ~Truth(a.obs.bulk_labels.str.contains("t", case=False)) & Truth(a.obs.phase != "G1")),
    (P, 'name ~ "^A.*-3$"', lambda a: Truth(pd.Series(a.obs_names).str.contains("^A.*-3$"))),
    (P, 'name startswith "aaac"', lambda a: Truth([n.lower().startswith("aaac") for n in a.obs_names])),
    (P, "S_score > G2M_score", lambda a: Truth(a.obs.S_score > a.obs.G2M_score)),
    (P, "S_score * 2 + 0.1 < G2M_score - S_score",
     lambda a: Truth(a.obs.S_score.astype(float) * 2 + 0.1
                     < a.obs.G2M_score.astype(float) - a.obs.S_score.astype(float))),
    (P, "log1p(n_counts) > 7.5", lambda a: Truth(np.log1p(a.obs.n_counts.astype(float)) > 7.5)),
    (P, "sqrt(n_genes) between 20 and 25.5", lambda a: Truth(np.sqrt(a.obs.n_genes).between(20, 25.5))),
    (P, "log10(n_counts) - log2(n_genes) < -6",
     lambda a: Truth(np.log10(a.obs.n_counts.astype(float)) - np.log2(a.obs.n_genes) < -6)),
    (P, "log(S_score) < -3", lambda a: Truth(np.log(a.obs.S_score.astype(float)) < -3, ~(a.obs.S_score >= 0))),
    (P, "abs(S_score) > 0.3 or round(n_genes / 100) == 7",
     lambda a: Truth(a.obs.S_score.abs() > np.float32(0.3)) | Truth((a.obs.n_genes / 100).round() == 7)),
    (P, "n_genes > mean(n_genes) + 2 * sd(n_genes)",
     lambda a: Truth(a.obs.n_genes > a.obs.n_genes.mean() + 2 * a.obs.n_genes.std())),
    (P, "percent_mito <= quantile(percent_mito, 0.1)",
     lambda a: Truth(a.obs.percent_mito.astype(float) <= np.quantile(a.obs.percent_mito.astype(float), 0.1))),
    (P, "n_counts > median(n_counts) and n_genes < max(n_genes)",
     lambda a: Truth(a.obs.n_counts > a.obs.n_counts.astype(float).median()) & Truth(a.obs.n_genes < a.obs.n_genes.max())),
    (P, "min(n_genes, n_counts) == n_genes", lambda a: Truth(np.minimum(a.obs.n_genes, a.obs.n_counts) == a.obs.n_genes)),
    (P, 'gene("CST3") > 1', lambda a: compare(x(a, "CST3"), gt, 1)),
    (P, 'gene("CST3") > 1 and bulk_labels == "Dendritic"',
     lambda a: compare(x(a, "CST3"), gt, 1) & Truth(a.obs.bulk_labels == "Dendritic")),
    (P, 'gene("CST3") < gene("LYZ") or n_genes > 1500',
     lambda a: Truth(x(a, "CST3") < x(a, "LYZ")) | Truth(a.obs.n_genes > 1500)),
    (P, 'raw("CD3D") > 0 and raw("NKG7") == 0', lambda a: compare(raw(a, "CD3D"), gt, 0) & compare(raw(a, "NKG7"), eq, 0)),
    (P, 'gene("cst3") > mean(gene("CST3"))', lambda a: Truth(x(a, "CST3") > x(a, "CST3").astype(float).mean())),
    (P, 'obsm("X_umap", 0) < 0 and obsm("X_umap", 1) > 2.5',
     lambda a: Truth((a.obsm["X_umap"][:, 0] < 0) & (a.obsm["X_umap"][:, 1] > 2.5))),
    (P, 'obsm("X_pca", 49) > 0', lambda a: Truth(a.obsm["X_pca"][:, 49] > 0)),
    (A, "FloatNA > 10", lambda a: compare(a.obs.FloatNA, gt, 10)),
    (A, "not FloatNA > 10", lambda a: ~compare(a.obs.FloatNA, gt, 10)),
    (A, "FloatNA is missing or Float < 5", lambda a: is_missing(a.obs.FloatNA) | compare(a.obs.Float, lt, 5)),
    (A, "IntNA != 3", lambda a: compare(a.obs.IntNA, ne, 3)),
    (A, "IntNA in [0, 1, 5, 60]", lambda a: test(a.obs.IntNA, lambda v: v in (0, 1, 5, 60))),
    (A, "BoolNA", lambda a: test(a.obs.BoolNA, bool)),
    (A, "not BoolNA or Bool", lambda a: ~test(a.obs.BoolNA, bool) | test(a.obs.Bool, bool)),
    (A, "BoolNA is not missing and IntNA is not missing", lambda a: ~is_missing(a.obs.BoolNA) & ~is_missing(a.obs.IntNA)),
    (A, 'layer("csc_counts", "Gene001") >= 2', lambda a: compare(of_gene(a.layers["csc_counts"], a.var_names, "Gene001"), ge, 2)),
    (A, 'layer("dense_X", "Gene002") > 0', lambda a: compare(of_gene(a.layers["dense_X"], a.var_names, "Gene002"), gt, 0)),
    (A, 'layer("counts", "Gene003") == layer("dense_counts", "Gene003")', lambda a: Truth(np.ones(a.n_obs))),
    (A, 'leiden == "1" and FloatNA + IntNA > 20',
     lambda a: compare(a.obs.leiden, eq, "1")
     & test(a.obs.FloatNA + a.obs.IntNA.astype("float64"), lambda v: v > 20)),
    (N, "dummy_num2 > 0 and dummy_int2 > 2", lambda a: compare(a.obs.dummy_num2, gt, 0) & compare(a.obs.dummy_int2, gt, 2)),
    (N, "dummy_num2 > 0 or dummy_int2 > 2", lambda a: compare(a.obs.dummy_num2, gt, 0) | compare(a.obs.dummy_int2, gt, 2)),
    (N, "dummy_bool2 == dummy_bool",
     lambda a: Truth(a.obs.dummy_bool2.fillna(False).astype(bool) == a.obs.dummy_bool, a.obs.dummy_bool2.isna())),
    (N, "(dummy_num2 > 0) is missing", lambda a: is_missing(a.obs.dummy_num2)),
    (N, "dummy_int2 == dummy_int", lambda a: Truth(a.obs.dummy_int2.fillna(-1) == a.obs.dummy_int, a.obs.dummy_int2.isna())),
    (T, "density > 0.01", lambda a: compare(a.obs.density, gt, 0.01)),
    (T, "density > 0.01 and has_center", lambda a: compare(a.obs.density, gt, 0.01) & Truth(a.obs.has_center)),
    (T, "not has_center or area is missing", lambda a: ~Truth(a.obs.has_center) | is_missing(a.obs.area)),
    (T, "area > mean(area)", lambda a: compare(a.obs.area, gt, a.obs.area.mean())),
    (T, "elongation > quantile(elongation, 0.9)", lambda a: compare(a.obs.elongation, gt, a.obs.elongation.quantile(0.9))),
    (T, "x / y > 1.5 and cluster in [1, 2, 3]", lambda a: Truth(a.obs.x / a.obs.y > 1.5) & Truth(a.obs.cluster.isin([1, 2, 3]))),
    (V, 'cat_ordered < "f"', lambda a: ordered(a, lt, "f")),
    (V, 'cat_ordered >= "f"', lambda a: ordered(a, ge, "f")),
    (V, 'cat_ordered between "f" and "r"', lambda a: ordered(a, ge, "f") & ordered(a, le, "r")),
    (V, "uint8 > 100 and int64 < 50", lambda a: compare(a.obs.uint8, gt, 100) & compare(a.obs.int64, lt, 50)),
    (V, "float64 between 0.2 and 0.8", lambda a: Truth(a.obs.float64.between(0.2, 0.8))),
    (V, 'obsm("sparse", 1) > 0', lambda a: Truth(np.asarray(a.obsm["sparse"][:, 1].todense()).ravel() > 0)),
    (V, 'obsm("df", "cat_ordered") == "d" or obsm("df", "float64") > 0.5',
     lambda a: Truth(a.obsm["df"].cat_ordered == "d") | Truth(a.obsm["df"].float64 > 0.5)),
    ("anndata-csc-nonascii-column-new.h5ad", "idx² > 2500 and Prime",
     lambda a: compare(a.obs["idx²"], gt, 2500) & Truth(a.obs.Prime)),
    (R, '`age(days)` == "12"', lambda a: compare(a.obs["age(days)"], eq, "12")),
    (R, 'clusters is missing or initial_size > 3000.5',
     lambda a: is_missing(a.obs.clusters) | compare(a.obs.initial_size, gt, 3000.5)),
    ("tiledbsoma-pbmc-small-0.8.h5ad", "orig.ident == 0 and nFeature_RNA > 60",
     lambda a: Truth(a.obs["orig.ident"] == 0) & Truth(a.obs.nFeature_RNA > 60)),
    ("tiledbsoma-pbmc-small-0.8.h5ad", "RNA_snn_res.1 != RNA_snn_res.0.8",
     lambda a: Truth(a.obs["RNA_snn_res.1"] != a.obs["RNA_snn_res.0.8"])),
    ("novosparc-corti.h5ad", "`Anatomical Origin` is not missing and name contains \"_1\"",
     lambda a: ~is_missing(a.obs["Anatomical Origin"]) & Truth(["_1" in n for n in a.obs_names])),
    ("moscot-temporal.h5ad", "day == 10.5 or day in [11]", lambda a: Truth(a.obs.day.astype(float).isin([10.5, 11]))),
    ("snapatac2-rust-fragments-62.h5ad", "n_fragment > 1000 and frac_dup < 0.5",
     lambda a: compare(a.obs.n_fragment, gt, 1000) & compare(a.obs.frac_dup, lt, 0.5)),
    ("duckdbext-obs-categorical-code-widths.h5ad", "cell_size in [100, 130] or cell_size == 115",
     lambda a: Truth(a.obs.cell_size.astype(int).isin([100, 130, 115]))),
    (U, 'description ~ "[12]. with .*🧬$" and name endswith "ΑΒΓ"',
     lambda a: Truth(a.obs.description.str.contains("[12]. with .*🧬$"))),
    (U, 'description contains "ÉMOJIS" and cluster != "A"', lambda a: Truth(a.obs.cluster != "A")),
    ("nfanndata-dtypes-string.h5ad", 'sample_id ~ "1[0-4]$"', lambda a: Truth(a.obs.sample_id.str.contains("1[0-4]$"))),
    ("nfanndata-dtypes-categorical.h5ad", 'cat_ordered > "low"', lambda a: Truth(a.obs.cat_ordered > "low")),
    ("nfanndata-dtypes-nullable.h5ad", "nullable_int > 5 or nullable_bool",
     lambda a: compare(a.obs.nullable_int, gt, 5) | test(a.obs.nullable_bool, bool)),
    ("nfanndata-dtypes-numeric.h5ad", "int8 < 5 or float32 > 0.5",
     lambda a: compare(a.obs.int8, lt, 5) | compare(a.obs.float32, gt, 0.5)),
    (S, 'CellType == Region', lambda a: Truth(a.obs.CellType.astype(str) == a.obs.Region.astype(str),
                                              a.obs.CellType.isna() | a.obs.Region.isna())),
    (S, 'log1p_total_counts > 5 and louvain == "1" and Valid is not missing',
     lambda a: compare(a.obs.log1p_total_counts, gt, 5) & compare(a.obs.louvain, eq, "1") & ~is_missing(a.obs.Valid)),
    ("openproblems-multimodal-unsorted.h5ad", "tsne_1 > 0 or tsne_2 is missing",
     lambda a: compare(a.obs.tsne_1, gt, 0) | is_missing(a.obs.tsne_2)),
    ("openproblems-multimodal-unsorted.h5ad", 'cell_name ~* "h[ae]" and tsne_1 != 0',
     lambda a: test(a.obs.cell_name, lambda v: re.search("h[ae]", v, re.I)) & compare(a.obs.tsne_1, ne, 0)),
    ("scimap-imaging.h5ad", "Area / MajorAxisLength > 5 and ImageId == 1",
     lambda a: Truth(a.obs.Area / a.obs.MajorAxisLength > 5) & Truth(a.obs.ImageId == 1)),
]

# file, expression over var, what pandas says
VAR = [
    (P, "highly_variable and dispersions_norm > 1", lambda a: Truth(a.var.highly_variable) & compare(a.var.dispersions_norm, gt, 1)),
    (P, "means > 0.5 or n_counts < 100", lambda a: compare(a.var.means, gt, 0.5) | compare(a.var.n_counts, lt, 100)),
    (P, 'name in ["CD3D", "LYZ", "NKG7"]', lambda a: Truth(a.var_names.isin(["CD3D", "LYZ", "NKG7"]))),
    (P, 'name ~ "^HLA-"', lambda a: Truth(a.var_names.str.startswith("HLA-"))),
    (U, 'name ~ "^gene_[0-4]_日本" and symbol contains "🎯"', lambda a: Truth(np.arange(a.n_vars) < 5)),
    ("anndata-csc-nonascii-column-new.h5ad", "`sqrt(idx)` > 10", lambda a: compare(a.var["sqrt(idx)"], gt, 10)),
    ("squidpy-visium-0.8.h5ad", "highly_variable and dispersions_norm between 1 and 2",
     lambda a: Truth(a.var.highly_variable) & Truth(a.var.dispersions_norm.between(1, 2), a.var.dispersions_norm.isna())),
    ("simba-atac-unsorted.h5ad", 'chr == "chr1" and end - start > 200 and start > 1000000',
     lambda a: Truth(a.var.chr == "chr1") & Truth((a.var.end - a.var.start > 200) & (a.var.start > 1000000))),
]


def ordered(a, how, value):
    order = {category: k for k, category in enumerate(a.obs.cat_ordered.cat.categories)}
    return test(a.obs.cat_ordered, lambda v: how(order[v], order[value]))


def path_of(name):
    return ROOT / "resources/examples" / name if name == EXAMPLE else REAL / name


_FILES = {}


def opened(name):
    if name not in _FILES:
        _FILES[name] = anndata.read_h5ad(path_of(name))
    return _FILES[name]


class Filters(unittest.TestCase):
    maxDiff = 2000

    def check(self, name, expression, oracle, axis):
        path = path_of(name)
        if not path.exists():
            self.skipTest(f"{name} is not here")
        try:
            data = opened(name)
        except Exception as why:
            self.skipTest(f"anndata {anndata.__version__} does not open it: {str(why).splitlines()[0][:80]}")
        wanted = oracle(data)
        option = "--where" if axis == "obs" else "--where-var"
        answer = cli.call("filter", path, option, expression, "--positions")
        self.assertEqual(answer[f"{axis}_positions"], np.flatnonzero(wanted.yes).tolist())
        self.assertEqual(answer[f"{axis}_missing"], int(wanted.unknown.sum()))
        self.assertEqual(answer[f"{axis}_count"], int(wanted.yes.sum()))
        # Of a view in another order, the same rows in that order.
        if axis == "obs" and not any(word in expression for word in ("mean(", "sd(", "median(", "quantile(", "max(")):
            rows = np.arange(data.n_obs)[::-1][::3]
            with tempfile.TemporaryDirectory() as scratch:
                view = pathlib.Path(scratch) / "view.json"
                cli.call("filter", path, "--obs=::-1", "--obs=::3", "--save", view)
                narrowed = cli.call("filter", path, "--view", view, option, expression, "--positions")
            self.assertEqual(narrowed["obs_positions"], [int(r) for r in rows if wanted.yes[r]])
            self.assertEqual(narrowed["obs_missing"], int(wanted.unknown[rows].sum()))


def add(number, axis, case):
    name, expression, oracle = case
    label = re.sub(r"\W+", "_", expression)[:40]
    setattr(Filters, f"test_{axis}_{number:02d}_{label}", lambda self: self.check(name, expression, oracle, axis))


for number, case in enumerate(OBS):
    add(number, "obs", case)
for number, case in enumerate(VAR):
    add(number, "var", case)


class Chains(unittest.TestCase):
    """Random chains of selections on both axes against NumPy, of matrices stored in every way."""

    def pieces(self, choose, n):
        """An option's text and the same as positions."""
        kind = choose.randrange(4) if n else 0
        if kind == 0:
            start, stop = (choose.choice([None, choose.randint(-n - 2, n + 2)]) for _ in range(2))
            step = choose.choice([None, -3, -1, 2, 5])
            text = ":".join("" if part is None else str(part) for part in (start, stop, step))
            return text, np.arange(n)[slice(start, stop, step)]
        if kind == 1:
            marks = [choose.randrange(2) for _ in range(n)]
            return "mask:" + "".join(map(str, marks)), np.flatnonzero(marks)
        rows = [choose.randrange(-n, n) for _ in range(choose.randrange(1, 9))]
        return ",".join(map(str, rows)) + ",", np.arange(n)[rows]

    def chain(self, choose, option, n):
        words, rows = [], np.arange(n)
        for _ in range(choose.randint(1, 4)):
            text, inner = self.pieces(choose, len(rows))
            words.append(f"--{option}={text}")
            rows = rows[inner]
        return words, rows

    def test_random_chains(self):
        choose = random.Random(20261130)
        files = [(ROOT / "tests/data/files/filter.h5ad", element) for element in
                 ("X", "layers/counts", "layers/scaled", "raw/X")]
        for path, element in files:
            whole = cli.call("view", path, element)
            values = np.array([[np.nan if v == "NaN" else v for v in row] for row in whole["values"]], float)
            for _ in range(15):
                obs, rows = self.chain(choose, "obs", values.shape[0])
                var, columns = self.chain(choose, "var", values.shape[1])
                answer = cli.call("view", path, element, *obs, *var)
                with self.subTest(element=element, words=obs + var):
                    self.assertEqual(answer["obs_positions"], rows.tolist())
                    self.assertEqual(answer["var_positions"], columns.tolist())
                    got = np.array([[np.nan if v == "NaN" else v for v in row] for row in answer["values"]], float)
                    np.testing.assert_array_equal(got.reshape(len(rows), len(columns)),
                                                  values[np.ix_(rows, columns)])


class Reports(unittest.TestCase):
    """What people reported, where it concerns choosing: duplicate names, categories, nullable, strings, views."""

    def test_what_a_filter_finds_in_the_reported_files(self):
        folder = REAL.parent / "reports"
        if not folder.is_dir():
            self.skipTest("../shared/data/reports is not here")
        expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
        kinds = 0
        for name, want in expected.get("files", expected).items():
            if want["outcome"] != "opens" or want.get("huge"):
                continue
            for column in want.get("column", []):
                if column["frame"] != "obs" or column["type"] not in ("categorical", "string", "bool", "int",
                                                                      "nullable-integer", "nullable-boolean"):
                    continue
                kinds += 1
                quoted = "`" + column["name"].replace("`", "``") + "`"
                rows = {int(row): value for row, value in column["values"].items()}
                for value in {json.dumps(v): v for v in rows.values()}.values():
                    where = f"{quoted} is missing" if value is None else f"{quoted} == {json.dumps(value, ensure_ascii=False)}"
                    answer = cli.call("filter", folder / name, "--where", where, "--positions")
                    with self.subTest(file=name, where=where):
                        found = set(answer["obs_positions"])
                        for row, there in rows.items():
                            self.assertEqual(row in found, there == value and type(there) is type(value), row)
        self.assertGreater(kinds, 10)

    def test_duplicate_genes_are_asked_about(self):
        path = REAL / "duckdbext-duplicate-var-names.h5ad"
        if not path.exists():
            self.skipTest("../shared/data/real is not here")
        data = opened(path.name)
        twice = next(name for name in data.var_names if list(data.var_names).count(name) > 1)
        with self.assertRaises(cli.Failed) as failed:
            cli.call("filter", path, "--where", f'gene("{twice}") > 0')
        self.assertEqual((failed.exception.code, failed.exception.error["code"]), (1, "Ambiguous"))
        ids = data.var.gene_id[data.var_names == twice]
        self.assertEqual(sorted(failed.exception.error["suggestions"]), sorted(ids))
        for gene_id in ids:  # each of them by its id
            column = np.asarray(data.X[:, list(data.var.gene_id).index(gene_id)]).ravel()
            answer = cli.call("filter", path, "--where", f'gene("{gene_id}") > 0', "--positions")
            self.assertEqual(answer["obs_positions"], np.flatnonzero(column > 0).tolist())


if __name__ == "__main__":
    unittest.main()
