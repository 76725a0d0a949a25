#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes every file of files/ and damaged/ and expected.json anew; the same bytes come out each time.

    /usr/bin/python3 tests/data/make_fixtures.py [--out DIR] [--check]

--check makes them in a temporary folder and compares with what is stored here."""
import argparse
import filecmp
import json
import pathlib
import sys
import tempfile

import h5py

import damaged_files
import good_files
import other_files  # noqa: F401 - adds to good_files.GOOD
import query_files  # noqa: F401 - adds to good_files.GOOD
import ragged_files  # noqa: F401 - adds to good_files.GOOD

HERE = pathlib.Path(__file__).resolve().parent
MAX_BYTES = 100_000
MADE_WITH = (1, 10, 8)
# The newest layout keeps the time of making in each group; of this one the contents are compared.
WITH_TIMES = {"files/newest_layout.h5ad"}


def contents(path):
    found = {}
    with h5py.File(path) as f:
        def keep(name, node):
            value = node[()].tobytes() if isinstance(node, h5py.Dataset) and node.dtype.kind != "O" else None
            found[name] = (str(node), value, sorted((key, str(node.attrs[key])) for key in node.attrs))
        f.visititems(keep)
    return found


def same(name, fresh, stored):
    if not stored.is_file():
        return False
    return filecmp.cmp(fresh, stored, shallow=False) or name in WITH_TIMES and contents(fresh) == contents(stored)


def make(out):
    expected = {}
    for folder, makers in (("files", good_files.GOOD), ("damaged", damaged_files.DAMAGED)):
        (out / folder).mkdir(parents=True, exist_ok=True)
        for name, maker in makers.items():
            path = out / folder / name
            path.unlink(missing_ok=True)
            expected[f"{folder}/{name}"] = maker(str(path))
            if path.stat().st_size > MAX_BYTES:
                raise SystemExit(f"{path} is larger than {MAX_BYTES} bytes")
    text = json.dumps(expected, indent=1, ensure_ascii=False, sort_keys=True, allow_nan=False)
    (out / "expected.json").write_text(text + "\n", encoding="utf-8")
    return expected


def check():
    if h5py.version.hdf5_version_tuple != MADE_WITH:
        print(f"SKIPPED: HDF5 {h5py.version.hdf5_version} lays bytes differently than {MADE_WITH}")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        fresh = pathlib.Path(scratch)
        names = [*make(fresh), "expected.json"]
        differing = [name for name in names if not same(name, fresh / name, HERE / name)]
    for name in differing:
        print(f"{name} differs from what the script makes")
    print(f"{len(names)} fixtures, {len(differing)} differ")
    return 1 if differing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.check:
        return check()
    print(f"{len(make(args.out))} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
