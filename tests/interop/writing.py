# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of written files share: repeatable values, saving, comparing every slot of a file."""
import pathlib
import tempfile
import warnings
from importlib import metadata

import anndata
import numpy as np
import pandas as pd

import cli
from comparing import Comparing

warnings.filterwarnings("ignore")
ANNDATA = metadata.version("anndata")
VERSION = tuple(int(part) for part in ANNDATA.split(".")[:2])
N_OBS, N_VARS = 9, 6
NUMBERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]


def values_of(dtype, seed, shape=(N_OBS, N_VARS), density=0.5):
    """Repeatable values that reach the ends of the type."""
    random = np.random.RandomState(seed)
    values = random.randint(1, 100, shape) * (random.rand(*shape) < density)
    values = values.astype(dtype)
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        values[0, 0] = np.iinfo(kind).max
        values[-1, -1] = np.iinfo(kind).min
    elif kind.kind == "f":
        values[0, 0], values[1, 1], values[2, 2] = 0.1, -1 / 3, 3e4
    return values


def make(x=None, **slots):
    obs = pd.DataFrame(index=[f"cell{i}" for i in range(N_OBS)])
    var = pd.DataFrame(index=[f"gene{i}" for i in range(N_VARS)])
    options = {"dtype": x.dtype} if x is not None and VERSION < (0, 9) else {}
    slots.setdefault("obs", obs)
    slots.setdefault("var", var)
    return anndata.AnnData(x, **options, **slots)


class Files(Comparing):
    """Saves with the anndata at hand and compares every slot; mixed into unittest.TestCase."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def save(self, data, **options):
        path = pathlib.Path(self.scratch.name) / f"{self.id().split('.')[-1]}_{np.random.randint(1 << 30)}.h5ad"
        data.write_h5ad(path, **options)
        return path

    def check_all(self, path, data):
        """Every slot that anndata reads back from the file itself."""
        data = anndata.read_h5ad(path)
        shown = cli.info(path)
        self.assertEqual([shown["n_obs"], shown["n_vars"]], list(data.shape))
        self.assertEqual([f for f in shown["findings"] if f["severity"] == "error"], [])
        self.check_table(path, "obs", data.obs, "obs")
        self.check_table(path, "var", data.var, "var")
        names = [str(name) for name in data.obs_names]
        if data.X is not None:
            self.check_matrix(path, "X", data.X, names=names)
            self.check_stats(path, "X", data.X)
        for name, values in data.layers.items():
            self.check_matrix(path, f"layers/{name}", values, names=names)
            self.check_stats(path, f"layers/{name}", values)
        if data.raw is not None:
            self.check_matrix(path, "raw/X", data.raw.X, names=names)
            self.check_table(path, "raw/var", data.raw.var, "var")
        self.check_mapping(path, "obsm", data.obsm, "obs")
        self.check_mapping(path, "varm", data.varm, "var")
        for mapping, axis in (("obsp", "obs"), ("varp", "var")):
            for name, values in getattr(data, mapping).items():
                self.check_matrix(path, f"{mapping}/{name}", values, axes=("rows", "cols"))

    def check_mapping(self, path, mapping, slots, axis):
        for name, values in slots.items():
            element = f"{mapping}/{name}"
            if isinstance(values, pd.DataFrame):
                self.check_table(path, element, values, axis)
            elif values.ndim == 2:
                self.check_matrix(path, element, values, axes=(axis, "cols"))
            else:
                answer = cli.view(path, element, **{axis: "3,0,0"})
                self.same_numbers(values[[3, 0, 0]], cli.matrix(answer, values.dtype), element)
