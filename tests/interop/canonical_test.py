# SPDX-License-Identifier: GPL-3.0-or-later
"""`canonicalize` against scipy: the stored cases, and matrices of every type, order and width of index."""
import json
import shutil
import sys
import tempfile
from pathlib import Path

import anndata
import h5py
import numpy as np
import scipy.sparse as sp

from cli import Failed, call
from structure import differences

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "bool"]


def put_matrix(parent, name, kind, shape, data, indices, indptr, index_dtypes=("int32", "int32"), **storing):
    group = parent.create_group(name)
    group.attrs["encoding-type"] = f"{kind}_matrix"
    group.attrs["encoding-version"] = "0.1.0"
    group.attrs["shape"] = np.array(shape, dtype="int64")
    options = dict(maxshape=(None,), **storing)
    group.create_dataset("data", data=data, **options)
    group.create_dataset("indices", data=np.asarray(indices, dtype=index_dtypes[0]), **options)
    group.create_dataset("indptr", data=np.asarray(indptr, dtype=index_dtypes[1]), maxshape=(None,))
    return group


def write(path, shape, **matrices):
    """A file of that shape with matrices {place: (kind, data, indices, indptr, index types, storing)}."""
    data = anndata.AnnData(np.zeros(shape, dtype="float32"))
    data.obs["n"] = np.arange(shape[0])
    data.write_h5ad(path)
    with h5py.File(path, "r+") as file:
        for place, (kind, values, indices, indptr, types, storing) in matrices.items():
            if place in file:
                del file[place]
            put_matrix(file, place, kind, shape, values, indices, indptr, types, **storing)


def stored(path, place="X"):
    with h5py.File(path, "r") as file:
        group = file[place]
        kind = {"csr_matrix": sp.csr_matrix, "csc_matrix": sp.csc_matrix}[group.attrs["encoding-type"]]
        matrix = kind((group["data"][()], group["indices"][()], group["indptr"][()]), shape=tuple(group.attrs["shape"]))
        return matrix


def number(value):
    return {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}.get(value, value) if isinstance(value, str) else value


def cases(folder):
    path = SHARED / "spec" / "canonical_cases.json"
    if not path.exists():
        print("the stored cases are not beside this checkout")
        return 0
    done = 0
    for k, case in enumerate(json.loads(path.read_text())["cases"]):
        if case["shape"][1] > 1_000_000:
            continue  # no table of so many genes: the merger's own test has it
        source, result = folder / f"case{k}.h5ad", folder / f"case{k}_out.h5ad"
        values = np.array([number(v) for v in case["data"]], dtype=case["dtype"])
        write(source, case["shape"], X=("csr", values, case["indices"], case["indptr"], ("int32", "int32"), {}))
        if case["overflow"]:
            try:
                call("canonicalize", source, "-o", result)
                raise AssertionError(f"{case['about']}: no word of the overflow")
            except Failed as failed:
                assert failed.code == 1 and failed.error["id"] == "B007o", failed.error
                assert not result.exists(), case["about"]
            answer = call("canonicalize", source, "-o", result, "--overflow", "wrap")
        else:
            answer = call("canonicalize", source, "-o", result)
        with h5py.File(result) as file:
            got = file["X/data"][()], file["X/indices"][()], file["X/indptr"][()]
        wanted = np.array([number(v) for v in case["out_data"]], dtype=case["dtype"])
        assert got[0].dtype == wanted.dtype, case["about"]
        np.testing.assert_array_equal(got[0], wanted, err_msg=case["about"])
        np.testing.assert_array_equal(got[1], case["out_indices"], err_msg=case["about"])
        np.testing.assert_array_equal(got[2], case["out_indptr"], err_msg=case["about"])
        told = answer["elements"][0]
        assert told["element"] == "X" and told["merged"] == case["duplicates"], (case["about"], told)
        assert answer["changed"] == (not case["sorted"] or case["duplicates"] > 0), case["about"]
        done += 1
    return done


def messy(rng, shape, dtype, kind, longest):
    """Rows with duplicates and in any order; some empty, one long."""
    lines, width = shape if kind == "csr" else shape[::-1]
    counts = rng.integers(0, 12, lines)
    counts[rng.integers(0, lines, lines // 5)] = 0
    counts[rng.integers(lines)] = longest
    indptr = np.concatenate([[0], np.cumsum(counts)])
    indices = rng.integers(0, width, indptr[-1])
    if dtype == "bool":
        values = rng.integers(0, 2, indptr[-1]).astype(bool)
    elif np.dtype(dtype).kind == "f":
        # Sums of such numbers do not depend on the order of addition.
        values = rng.integers(-50, 50, indptr[-1]).astype(dtype) / 4
    else:
        values = rng.integers(0, 3, indptr[-1]).astype(dtype)
    return values, indices, indptr


def canonical_by_scipy(kind, values, indices, indptr, shape):
    matrix = {"csr": sp.csr_matrix, "csc": sp.csc_matrix}[kind]((values, indices.astype("int64"), indptr.astype("int64")),
                                                                shape=shape, copy=True)
    matrix.sum_duplicates()
    return matrix


def random_matrices(folder):
    rng = np.random.default_rng(20)
    index_types = [("int32", "int32"), ("int64", "int64"), ("int32", "int64"), ("uint16", "int32"), ("uint64", "uint64")]
    storings = [{}, {"compression": "gzip", "chunks": (50,)}, {"compression": "lzf", "shuffle": True, "chunks": (64,)}]
    count = 0
    for number_, dtype in enumerate(DTYPES):
        for kind in ("csr", "csc"):
            shape = (int(rng.integers(20, 60)), int(rng.integers(20, 90)))
            types = index_types[count % len(index_types)]
            storing = storings[count % len(storings)]
            values, indices, indptr = messy(rng, shape, dtype, kind, longest=400 if dtype not in ("int8", "uint8") else 60)
            source, result = folder / f"r{count}.h5ad", folder / f"r{count}_out.h5ad"
            write(source, shape, X=(kind, values, indices, indptr, types, storing),
                  **{"layers/same": (kind, values, indices, indptr, types, storing)})
            before = source.read_bytes()
            answer = call("canonicalize", source, "-o", result)
            assert source.read_bytes() == before
            wanted = canonical_by_scipy(kind, values, indices, indptr, shape)
            for place in ("X", "layers/same"):
                got = stored(result, place)
                assert got.has_canonical_format, (dtype, kind, place)
                assert got.dtype == np.dtype(dtype)
                np.testing.assert_array_equal(got.indptr, wanted.indptr)
                np.testing.assert_array_equal(got.indices, wanted.indices)
                np.testing.assert_array_equal(got.data, wanted.data)
            told = {e["element"]: e for e in answer["elements"]}["X"]
            lines = [indices[a:b] for a, b in zip(indptr[:-1], indptr[1:])]
            assert told["rows_sorted"] == sum(bool(np.any(np.diff(line) < 0)) for line in lines)
            assert told["merged"] == len(values) - wanted.nnz
            assert (told["stored_before"], told["stored_after"]) == (len(values), wanted.nnz)
            with h5py.File(result) as file:
                wide = "int64" if types in (("int64", "int64"), ("int32", "int64"), ("uint64", "uint64")) else "int32"
                assert file["X/indices"].dtype == file["X/indptr"].dtype == np.dtype(wide), (types, file["X/indices"].dtype)
                if "compression" in storing:
                    assert file["X/data"].compression == storing["compression"]
                    assert file["X/data"].chunks == storing["chunks"]
            with h5py.File(source) as a, h5py.File(result) as b:
                found = [d for d in differences(a, b) if not d.startswith(("/X", "/layers/same"))]
            assert not found, found
            # anndata reads it; a second run changes nothing.
            if dtype != "bool" and types[0].startswith("int"):
                np.testing.assert_array_equal(anndata.read_h5ad(result).X.toarray(), wanted.toarray())
            again = call("canonicalize", result, "--in-place")
            assert again["changed"] is False and all(e["action"] == "copied" for e in again["elements"]), again

            dropped = folder / f"r{count}_zeros.h5ad"
            answer = call("canonicalize", source, "-o", dropped, "--drop-zeros", "--elements", "X")
            wanted.eliminate_zeros()
            got = stored(dropped)
            assert (got != wanted).nnz == 0 and got.nnz == wanted.nnz, (dtype, kind)
            with h5py.File(dropped) as file:
                np.testing.assert_array_equal(file["layers/same/data"][()], values)

            kept = folder / f"r{count}_kept.h5ad"
            call("canonicalize", source, "-o", kept, "--keep-duplicates", "--elements", "X")
            got = stored(kept)
            assert got.nnz == len(values) and got.has_sorted_indices
            order = np.lexsort((np.arange(len(indices)), indices, np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))))
            np.testing.assert_array_equal(got.data, values[order])
            count += 1
    return count


def widening(folder):
    source, result = folder / "wide.h5ad", folder / "wide_out.h5ad"
    write(source, (2, 3), X=("csr", np.array([100, 100, 100, 1], "int8"), [2, 2, 2, 0], [0, 4, 4], ("int32", "int32"), {}))
    answer = call("canonicalize", source, "-o", result, "--overflow", "widen")
    got = stored(result)
    assert got.dtype == np.dtype("int16") and got[0, 2] == 300, (got.dtype, got.toarray())
    assert answer["elements"][0]["dtype"] == "int16"


def order_of_the_root(folder):
    """A file that remembers the order in which things were made keeps it, its user block too."""
    plain, source, result = folder / "made.h5ad", folder / "ordered.h5ad", folder / "ordered_out.h5ad"
    write(plain, (3, 4), X=("csr", np.ones(3, "float32"), [3, 0, 1], [0, 2, 2, 3], ("int32", "int32"), {}))
    with h5py.File(plain) as a, h5py.File(source, "w", track_order=True, userblock_size=512) as b:
        for key, value in a.attrs.items():
            b.attrs[key] = value
        for name in ("var", "X", "uns", "obs", "layers"):
            a.copy(name, b)
    with open(source, "r+b") as file:
        file.write(b"a line in front")
    assert call("canonicalize", source, "-o", result)["changed"]
    with h5py.File(source) as a, h5py.File(result) as b:
        assert list(a["/"]) == list(b["/"]) == ["var", "X", "uns", "obs", "layers"], list(b["/"])
    assert result.read_bytes()[:512] == source.read_bytes()[:512]
    assert stored(result).has_canonical_format


def refusals(folder):
    source = folder / "plain.h5ad"
    write(source, (3, 4), X=("csr", np.ones(3, "float32"), [3, 0, 1], [0, 2, 2, 3], ("int32", "int32"), {}))

    def refused(code, name, *words):
        try:
            call("canonicalize", *words)
        except Failed as failed:
            assert (failed.code, failed.error["code"]) == (code, name), (words, failed.error)
            return
        raise AssertionError(f"{words} was let through")

    before = source.read_bytes()
    refused(2, "BadUsage", source)
    refused(2, "BadUsage", source, "-o", source)
    refused(2, "BadUsage", source, "-o", folder / "a.h5ad", "--in-place")
    refused(1, "NotFound", source, "-o", folder / "a.h5ad", "--elements", "layers/none")
    refused(1, "Refused", source, "-o", folder / "a.h5ad", "--elements", "obs")
    taken = folder / "taken.h5ad"
    taken.write_bytes(b"something else")
    refused(3, "TargetExists", source, "-o", taken)
    assert taken.read_bytes() == b"something else" and source.read_bytes() == before
    answer = call("canonicalize", source, "-o", taken, "--overwrite")
    assert answer["changed"] and stored(taken).has_canonical_format
    estimate = call("canonicalize", source, "-o", folder / "b.h5ad", "--estimate")
    assert estimate["fits"] is True and estimate["output"] is None and not (folder / "b.h5ad").exists()
    assert set(estimate["estimate"]) == {"memory", "temporary", "output", "seconds"}
    copy = folder / "copy.h5ad"
    shutil.copy(source, copy)
    answer = call("canonicalize", copy, "--in-place")
    assert answer["changed"] and stored(copy).has_canonical_format
    broken = folder / "broken.h5ad"
    write(broken, (3, 4), X=("csr", np.ones(3, "float32"), [9, 0, 1], [0, 2, 2, 3], ("int32", "int32"), {}))
    refused(1, "Corrupt", broken, "-o", folder / "c.h5ad")
    assert not (folder / "c.h5ad").exists()
    several = folder / "several"
    several.mkdir()
    try:
        call("canonicalize", source, broken, "--output-dir", several)
    except Failed:
        pass
    assert stored(several / "plain.h5ad").has_canonical_format and not (several / "broken.h5ad").exists()


def infinities(folder):
    """Sums as scipy has them; those that only adding made NaN are counted."""
    inf, nan = np.inf, np.nan
    for dtype in ("float32", "float64"):
        values = np.array([inf, 1, -inf, nan, 2, inf, inf, 3], dtype=dtype)
        indices, indptr = [2, 0, 2, 1, 1, 3, 3, 0], [0, 5, 8]
        source, result = folder / f"inf_{dtype}.h5ad", folder / f"inf_{dtype}_out.h5ad"
        write(source, (2, 4), X=("csr", values, indices, indptr, ("int32", "int32"), {}))
        told = call("canonicalize", source, "-o", result)["elements"][0]
        wanted = sp.csr_matrix((values, indices, indptr), shape=(2, 4))
        wanted.sum_duplicates()
        np.testing.assert_array_equal(stored(result).data, wanted.data)
        np.testing.assert_array_equal(stored(result).indices, wanted.indices)
        assert (told["merged"], told["nan_sums"]) == (3, 1), told


def main():
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        print(cases(folder), "stored cases,", random_matrices(folder), "random matrices")
        widening(folder)
        infinities(folder)
        refusals(folder)
        order_of_the_root(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
