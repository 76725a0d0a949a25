#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What only newer versions of anndata write; an older one skips these, one by one."""
import unittest

import anndata
import h5py
import numpy as np
import pandas as pd
import scipy.sparse as sp

import cli
from writing import ANNDATA, Files, N_OBS, VERSION, make, values_of


def repack(path, filters):
    """Stores the numbers of X and of the layers anew with a filter."""
    with h5py.File(path, "r+") as f:
        for name, chunks in (("X/data", (1000,)), ("X/indices", (1000,)), ("layers/dense", (70, 60)),
                             ("layers/whole", (70, 60))):
            values, attributes = f[name][:], dict(f[name].attrs)
            del f[name]
            f.create_dataset(name, data=values, chunks=chunks, **filters).attrs.update(attributes)


class WrittenByNewer(Files, unittest.TestCase):

    @unittest.skipIf(VERSION < (0, 11), "nullable text came with anndata 0.11")
    def test_nullable_text(self):
        setting = "allow_write_nullable_strings"
        words = pd.array(["a", None, "", "b", None, "c", "c", "c", "z"], dtype="string")
        obs = pd.DataFrame({"word": words}, index=[f"cell{i}" for i in range(N_OBS)])
        data = make(values_of("float32", 1), obs=obs)
        with anndata.settings.override(**{setting: True}):
            path = self.save(data, convert_strings_to_categoricals=False) if VERSION >= (0, 12) else None
            if path is None:
                self.skipTest("this anndata turns text into categories on writing")
        listed = cli.elements(path)["obs/word"]
        self.assertEqual((listed["encoding"], listed["column"]), ("nullable-string-array", "nullable-string"))
        shown = cli.columns(cli.view(path, "obs"))["word"]
        self.assertEqual(shown, ["a", None, "", "b", None, "c", "c", "c", "z"])

    @unittest.skipIf(VERSION < (0, 12), "null came with anndata 0.12")
    def test_null(self):
        path = self.save(make(values_of("float32", 1), uns={"nothing": None, "kept": 1}))
        self.assertEqual(cli.elements(path)["uns/nothing"]["kind"], "null")
        self.assertEqual(cli.view(path, "uns")["value"], {"nothing": None, "kept": 1})

    @unittest.skipIf(VERSION < (0, 9), "awkward arrays came with anndata 0.9")
    def test_awkward(self):
        try:
            import awkward
        except ImportError:
            self.skipTest("awkward is not installed")
        ragged = awkward.Array([[1, 2], [], [3], [4, 5, 6], [], [7], [8], [9], [10, 11]])
        path = self.save(make(values_of("float32", 1), obsm={"ragged": ragged}))
        listed = cli.elements(path)["obsm/ragged"]
        self.assertEqual((listed["kind"], listed["shape"]), ("awkward", [N_OBS]))

    @unittest.skipIf(VERSION < (0, 10), "tried with the newer h5py only")
    def test_plugin_filters(self):
        try:
            import hdf5plugin
        except ImportError:
            self.skipTest("hdf5plugin is not installed")
        sparse = sp.random(300, 200, 0.1, "csr", np.float32, np.random.RandomState(5))
        dense = sparse.toarray()
        names = dict(obs=pd.DataFrame(index=[f"c{i}" for i in range(300)]),
                     var=pd.DataFrame(index=[f"g{i}" for i in range(200)]))
        data = make(sparse, layers={"dense": dense, "whole": (dense * 1000).astype("uint16")}, **names)
        ways = {"zstd": hdf5plugin.Zstd(), "lz4": hdf5plugin.LZ4(), "blosc": hdf5plugin.Blosc(cname="lz4"),
                "blosc zstd": hdf5plugin.Blosc(cname="zstd", shuffle=hdf5plugin.Blosc.BITSHUFFLE),
                "bitshuffle": hdf5plugin.Bitshuffle(cname="lz4"), "bitshuffle zstd": hdf5plugin.Bitshuffle(cname="zstd")}
        for way, filters in ways.items():
            with self.subTest(way):
                path = self.save(data)
                repack(path, filters)
                try:
                    for element, values in (("X", sparse), ("layers/dense", dense), ("layers/whole", data.layers["whole"])):
                        self.check_matrix(path, element, values, selections=[(":", ":"), ("299,0,150", "199,0")])
                except cli.Failed as why:
                    # A filter may be missing here; then the sentence names it.
                    self.assertEqual(why.error["code"], "UnsupportedFilter", why)
                    self.assertIn(str(filters["compression"]), why.error["message"])

    @unittest.skipIf(VERSION < (0, 11), "sparse arrays came with anndata 0.11")
    def test_sparse_arrays(self):
        values = sp.csr_array(values_of("float32", 3))
        path = self.save(make(values))
        self.check_matrix(path, "X", values)


if __name__ == "__main__":
    print(f"anndata {ANNDATA}")
    unittest.main()
