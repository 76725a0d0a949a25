# SPDX-License-Identifier: GPL-3.0-or-later
"""A054 against files whose unused space is known: what was written and deleted again."""

import sys
import tempfile
from pathlib import Path

import anndata
import h5py
import numpy
import pandas

from cli import call


def table(rows):
    return pandas.DataFrame({"n": numpy.arange(rows), "label": [f"label {k % 97} of a cell" for k in range(rows)]},
                            index=[f"cell_{k:07d}_with_a_name" for k in range(rows)])


def write(path, rows):
    data = anndata.AnnData(numpy.arange(rows * 20, dtype="float32").reshape(rows, 20), obs=table(rows), var=table(20),
                           uns={"texts": numpy.array([f"text {k}" for k in range(5000)], dtype=object),
                                "many": {f"key_{k}": f"value {k}" for k in range(300)}})
    data.write_h5ad(path)


def finding(path):
    found = [f for f in call("validate", path, "--only", "A054", "--fail-on", "never")["findings"] if f["id"] == "A054"]
    return found[0] if found else None


def size_of(text):
    number, unit = text.split()
    return float(number) * {"bytes": 1, "KB": 1e3, "MB": 1e6, "KiB": 2**10, "MiB": 2**20}[unit]


def main():
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder) / "full.h5ad"
        write(full, 20_000)
        assert finding(full) is None, finding(full)
        size = full.stat().st_size

        # The matrix is deleted: its bytes stay in the file.
        hollow = Path(folder) / "hollow.h5ad"
        write(hollow, 20_000)
        with h5py.File(hollow, "r+") as file:
            matrix = file["X"].size * 4
            del file["X"]
        told = finding(hollow)
        share = matrix / hollow.stat().st_size
        assert share > 0.2, share
        assert told is not None and told["severity"] == "info" and told["fixable"], told
        unused = size_of(told["message"].split(" of the file's ")[0])
        assert matrix * 0.98 <= unused <= matrix * 1.1, (told["message"], matrix)

        # Texts deleted: their heap stays as well.
        mute = Path(folder) / "mute.h5ad"
        write(mute, 20_000)
        with h5py.File(mute, "r+") as file:
            texts = numpy.array([f"a text that is long enough to count {k}" * 3 for k in range(30_000)], dtype=object)
            file["uns"].create_dataset("spoken", data=texts, dtype=h5py.string_dtype())
        assert finding(mute) is None, finding(mute)
        with h5py.File(mute, "r+") as file:
            del file["uns/spoken"]
        told = finding(mute)
        assert told is not None, (mute.stat().st_size, size)
    print("unused space is found where it was made, and nowhere else")
    return 0


if __name__ == "__main__":
    sys.exit(main())
