#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes filters.h5: the same small arrays stored plainly and through each filter that is met in the wild.

Needs h5py and hdf5plugin. Every array `FILTER/TYPE` must read like `plain/TYPE`.
"""
import pathlib

import h5py
import hdf5plugin
import numpy as np

rng = np.random.default_rng(7)
FILTERS = {
    "bitshuffle_lz4": hdf5plugin.Bitshuffle(cname="lz4"),
    "bitshuffle_none": hdf5plugin.Bitshuffle(cname="none"),
    "bitshuffle_zstd": hdf5plugin.Bitshuffle(cname="zstd"),
    "blosc_lz4": hdf5plugin.Blosc(cname="lz4"),
    "blosc_zlib_bits": hdf5plugin.Blosc(cname="zlib", shuffle=2),
    "blosc_zstd": hdf5plugin.Blosc(cname="zstd"),
    "lz4": hdf5plugin.LZ4(),
    "lz4_blocks": hdf5plugin.LZ4(nbytes=256),
    "zstd": hdf5plugin.Zstd(),
    "gzip": {"compression": "gzip"},
    "gzip_shuffle_fletcher": {"compression": "gzip", "shuffle": True, "fletcher32": True},
    "lzf_shuffle": {"compression": "lzf", "shuffle": True},
    "fletcher": {"fletcher32": True},
    "scaleoffset": {"scaleoffset": 0},
    "blosc2": hdf5plugin.Blosc2(),
}
with h5py.File(pathlib.Path(__file__).with_name("filters.h5"), "w", libver=("v108", "v110")) as file:
    for kind in ("<i4", ">i8"):
        values = rng.poisson(2, (25, 17)).astype(kind)
        name = kind.replace("<", "").replace(">", "big_")
        file.create_dataset(f"plain/{name}", data=values)
        for label, options in FILTERS.items():
            if kind == ">i8" and label not in ("gzip", "lzf_shuffle", "blosc_lz4"):
                continue
            file.create_dataset(f"{label}/{name}", data=values, chunks=(20, 16), **dict(options))
    # Random floats do not shrink: an optional filter is then skipped, chunk by chunk.
    noise = rng.random((25, 17)).astype("<f8")
    file.create_dataset("plain/noise", data=noise)
    for label in ("gzip", "lzf_shuffle"):
        file.create_dataset(f"{label}/noise", data=noise, chunks=(20, 16), **dict(FILTERS[label]))
