# SPDX-License-Identifier: GPL-3.0-or-later
"""`convert` against SciPy and NumPy: storage, types, widths of positions, chunks, and other formats."""
import fractions
import gzip
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import anndata
import h5py
import numpy as np
import scipy.sparse as sp

from canonical_test import DTYPES, messy, put_matrix, stored, write
from cli import PROGRAM, Failed, call
from structure import differences

MOMENTS = int(os.environ.get("CELLFOLIO_MOMENTS", "12"))
OURS = Path(__file__).resolve().parents[1] / "data" / "files"
INDEX_TYPES = [("int32", "int32"), ("int64", "int64"), ("int32", "int64"), ("uint16", "int32")]
STORINGS = [{}, {"compression": "gzip", "chunks": (50,)}, {"compression": "lzf", "shuffle": True, "chunks": (64,)}]


def refused(code, name, *words):
    try:
        call("convert", *words)
    except Failed as failed:
        assert (failed.code, failed.error["code"]) == (code, name), (words, failed.error)
        return failed.error
    raise AssertionError(f"{words} was let through")


def table(path, place="X"):
    with h5py.File(path) as file:
        found = file[place]
        if isinstance(found, h5py.Dataset):
            return found[()]
    return stored(path, place).toarray()


def untouched(source, result, *places):
    with h5py.File(source) as a, h5py.File(result) as b:
        found = [d for d in differences(a, b) if not d.startswith(tuple(f"/{place}" for place in places))]
    assert not found, found


def parts(matrix):
    return matrix.indptr, matrix.indices, matrix.data


def equal(got, wanted, about):
    assert got.format == wanted.format and got.dtype == wanted.dtype, (about, got.dtype, wanted.dtype)
    for name, a, b in zip(("indptr", "indices", "data"), parts(got), parts(wanted)):
        np.testing.assert_array_equal(a, b, err_msg=f"{about}: {name}")


def sparse_matrices(folder):
    """Every type and order, with duplicates and unsorted rows: CSR and CSC as SciPy turns them, entry by entry."""
    rng = np.random.default_rng(5)
    count = 0
    for number, dtype in enumerate(DTYPES):
        for kind in ("csr", "csc"):
            shape = (int(rng.integers(20, 60)), int(rng.integers(20, 90)))
            types, storing = INDEX_TYPES[count % 4], STORINGS[count % 3]
            values, indices, indptr = messy(rng, shape, dtype, kind, longest=400 if dtype not in ("int8", "uint8") else 60)
            source = folder / f"s{count}.h5ad"
            write(source, shape, X=(kind, values, indices, indptr, types, storing),
                  **{"layers/same": (kind, values, indices, indptr, types, storing)})
            matrix = {"csr": sp.csr_matrix, "csc": sp.csc_matrix}[kind]((values, indices, indptr), shape=shape)
            other = "csc" if kind == "csr" else "csr"

            turned = folder / f"s{count}_turned.h5ad"
            answer = call("convert", source, "-o", turned, "--storage", other)
            told = {e["element"]: e for e in answer["elements"]}
            assert told["X"]["action"] == "converted" and told["layers"]["action"] == "copied", told
            assert told["X"]["from"] == {"storage": kind, "dtype": dtype} and told["X"]["to"] == {"storage": other, "dtype": dtype}
            wanted = matrix.tocsc() if other == "csc" else matrix.tocsr()
            equal(stored(turned), wanted, (dtype, kind))
            untouched(source, turned, "X")
            with h5py.File(turned) as file:
                wide = "int64" if "int64" in types else "int32"
                assert file["X/indices"].dtype == file["X/indptr"].dtype == np.dtype(wide), types
                assert file["X/data"].compression == storing.get("compression"), storing
                if "chunks" in storing:
                    assert file["X/data"].chunks == storing["chunks"]
            if dtype != "bool" and types[0].startswith("int"):
                np.testing.assert_array_equal(anndata.read_h5ad(turned).X.toarray(), matrix.toarray())

            dense = folder / f"s{count}_dense.h5ad"
            call("convert", source, "-o", dense, "--storage", "dense", "--elements", "X,layers/same")
            for place in ("X", "layers/same"):
                got = table(dense, place)
                assert got.dtype == np.dtype(dtype)
                np.testing.assert_array_equal(got, matrix.toarray())
            untouched(source, dense, "X", "layers/same")
            with h5py.File(dense) as file:
                assert (file["X"].compression is not None) == ("compression" in storing)

            back = folder / f"s{count}_back.h5ad"
            answer = call("convert", dense, "-o", back, "--storage", other)
            built = (sp.csc_matrix if other == "csc" else sp.csr_matrix)(matrix.toarray())
            equal(stored(back), built, ("dense", dtype, other))
            count += 1
    return count


def larger(folder):
    """More than a block of a small budget: temporary files, chunks shared by threads, several bands."""
    rng = np.random.default_rng(6)
    shape = (2500, 1700)
    matrix = sp.random(*shape, density=0.06, format="csr", random_state=rng, dtype="float32")
    source, dense = folder / "l.h5ad", folder / "l_dense.h5ad"
    storing = {"compression": "gzip", "chunks": (3000,)}
    write(source, shape, X=("csr", matrix.data, matrix.indices, matrix.indptr, ("int32", "int32"), storing))
    steps = [("csc", matrix.tocsc()), ("dense", matrix.toarray()), ("csc", matrix.tocsc()), ("csr", matrix)]
    before = source
    for number, (storage, wanted) in enumerate(steps):
        after = folder / f"l_{number}.h5ad"
        answer = call("convert", before, "-o", after, "--storage", storage, "--memory", "16M")
        assert answer["used"]["temporary"] > 0, answer["used"]
        if storage == "dense":
            np.testing.assert_array_equal(table(after), wanted)
        else:
            equal(stored(after), wanted, ("larger", number))
        untouched(before, after, "X")
        before = after
    assert sorted(p.name for p in folder.iterdir() if p.name.startswith(".")) == []


VALUES = {
    "f": [0, -0.0, 1, 1.5, -1, -1.5, 127, 128, 255, 256, 65504, 65505, 65535, 65536, 2**24, 2**24 + 1, 2**31 - 1, 2**31, 2**53,
          -2**31, -2**31 - 1, 2.0**63, -2.0**63, 2.0**64, 0.1, 1e-45, 1e30, 1e39, np.nan, np.inf, -np.inf],
    "i": [0, 1, 2, -1, 127, 128, -128, -129, 255, 256, 2048, 2049, 32767, 65504, 65535, 65536, 2**24, 2**24 + 1, 2**31 - 1, 2**31,
          -2**31 - 1, 2**32, 2**53, 2**53 + 1, 2**63 - 1, -2**63],
}


def values_of(dtype):
    if dtype == "bool":
        return np.array([False, True])
    kind = np.dtype(dtype).kind
    if kind == "f":
        with np.errstate(over="ignore"):
            return np.array(VALUES["f"], dtype="float64").astype(dtype)
    limits = np.iinfo(dtype)
    wanted = [v for v in VALUES["i"] if limits.min <= v <= limits.max] + [limits.min, limits.max]
    return np.array(wanted, dtype=dtype)


def number(value):
    """A value without rounding; None: none of the numbers."""
    value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return value
    return fractions.Fraction(value)


def holds(value, dtype):
    exact = number(value)
    if dtype == "bool":
        return exact in (0, 1)
    if np.dtype(dtype).kind == "f":
        if isinstance(exact, float):
            return True
        with np.errstate(over="ignore"):
            made = np.array([float(exact)]).astype(dtype)[0]  # exact or not, the doubles are dense enough
        return float(exact) == exact and bool(np.isfinite(made)) and number(made) == exact
    if isinstance(exact, float):
        return False
    limits = np.iinfo(dtype)
    return exact.denominator == 1 and limits.min <= exact <= limits.max


def forced(value, dtype):
    """What --lossy makes of it."""
    exact = number(value)
    if dtype == "bool":
        return exact != 0
    if np.dtype(dtype).kind == "f":
        with np.errstate(over="ignore"):
            return np.array([value]).astype(dtype)[0]
    if exact != exact:
        return 0
    limits = np.iinfo(dtype)
    if exact < limits.min or exact > limits.max:
        return limits.min if exact < 0 else limits.max
    return int(exact)


def types(folder):
    """Every pair of types: refused exactly where NumPy's values are others, and what changes is told."""
    pairs = 0
    for dtype in DTYPES + ["float16"]:
        values = values_of(dtype)
        shape = (len(values), 3)
        source = folder / f"t_{dtype}.h5ad"
        whole = np.zeros(shape, dtype=dtype)
        whole[:, 1] = values
        if dtype == "float16":
            anndata.AnnData(np.zeros(shape, dtype="float32")).write_h5ad(source)
            with h5py.File(source, "r+") as file:
                file["layers"].create_dataset("dense", data=whole)
                file["layers/dense"].attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
            place = "layers/dense"
        else:
            place = "X"
            write(source, shape, X=("csr", values, np.ones(len(values), int), np.arange(len(values) + 1), ("int32", "int32"), {}))
        for wanted in DTYPES + (["float16"] if place != "X" else []):
            result = folder / f"t_{dtype}_{wanted}.h5ad"
            words = (source, "-o", result, "--elements", place, "--dtype", wanted)
            changed = [k for k, value in enumerate(values) if not holds(value, wanted)]
            if changed:
                error = refused(1, "Refused", *words)
                first = changed[0]
                assert error["element"] == place and f"in row {first}, column 1" in error["message"], (error, dtype, wanted)
                assert f"{len(changed)} value" in error["message"] and not result.exists(), (error, changed)
                answer = call("convert", *words, "--lossy")
                finding, = answer["findings"]
                assert finding["count"] == len(changed) and finding["id"] is None, (finding, changed)
                assert [p["row"] for p in finding["positions"]] == changed[:20], (dtype, wanted)
                assert {p["column"] for p in finding["positions"]} == {1}
            else:
                answer = call("convert", *words)
                assert answer["findings"] == [], answer["findings"]
            got = table(result, place)[:, 1] if place != "X" else stored(result).data
            assert got.dtype == np.dtype(wanted), (dtype, wanted, got.dtype)
            expected = np.array([forced(v, wanted) for v in values], dtype=wanted)
            np.testing.assert_array_equal(got, expected, err_msg=f"{dtype} to {wanted}")
            pairs += 1
    error = refused(1, "Refused", folder / "t_int8.h5ad", "-o", folder / "n.h5ad", "--dtype", "float16")
    assert "SciPy" in error["message"]
    return pairs


def sums(folder):
    """Entries of one place that add up to more than the new type holds: each alone would fit."""
    source = folder / "sums.h5ad"
    write(source, (2, 3), X=("csr", np.array([100, 100, 1], "int32"), [2, 2, 0], [0, 2, 3], ("int32", "int32"), {}))
    error = refused(1, "Refused", source, "-o", folder / "sums_out.h5ad", "--storage", "dense", "--dtype", "int8")
    assert "200" in error["message"] and not (folder / "sums_out.h5ad").exists(), error


def widths(folder):
    source = folder / "w.h5ad"
    arguments = (np.ones(3, "float32"), [3, 0, 1], [0, 2, 2, 3])
    for number, stored_types in enumerate([("int32", "int32"), ("int64", "int64"), ("int32", "int64"), ("uint64", "uint64")]):
        write(source, (3, 4), X=("csr", *arguments, stored_types, {}), **{"obsp/d": ("csr", *arguments[:1], [2, 0, 1], [0, 2, 2, 3],
                                                                                      stored_types, {})})
        with h5py.File(source, "r+") as file:
            file["obsp/d"].attrs["shape"] = np.array([3, 3])
        for width, name in (("32", "int32"), ("64", "int64")):
            result = folder / f"w{number}_{width}.h5ad"
            answer = call("convert", source, "-o", result, "--index-width", width)
            with h5py.File(result) as file:
                for place in ("X", "obsp/d"):
                    assert file[place + "/indices"].dtype == file[place + "/indptr"].dtype == np.dtype(name), (place, width)
                    assert list(file[place + "/indices"]) == (arguments[1] if place == "X" else [2, 0, 1])
            told = {e["element"]: e["action"] for e in answer["elements"]}
            assert told["X"] == ("copied" if stored_types == (name, name) else "rewritten"), (told, stored_types, width)
            untouched(source, result, "X", "obsp/d")
    with h5py.File(folder / "wide.h5ad", "w") as file:
        anndata.AnnData(np.zeros((3, 1), dtype="float32")).write_h5ad(folder / "narrow.h5ad")
        with h5py.File(folder / "narrow.h5ad") as narrow:
            for name in narrow:
                if name != "X":
                    narrow.copy(name, file)
            file.attrs.update(dict(narrow.attrs))
        put_matrix(file["uns"], "long", "csr", (3, 2**31 + 5), np.ones(2, "float32"), [0, 2**31 + 1], [0, 1, 1, 2],
                   ("int64", "int64"))
        put_matrix(file, "X", "csr", (3, 1), np.ones(2, "float32"), [0, 0], [0, 1, 1, 2])
    error = refused(1, "Refused", folder / "wide.h5ad", "-o", folder / "x.h5ad", "--index-width", "32")
    assert error["element"] == "uns/long", error


def chunks(folder):
    matrix = sp.random(300, 40, density=0.3, format="csr", random_state=1, dtype="float32")
    source = folder / "c.h5ad"
    write(source, matrix.shape, X=("csr", *parts(matrix)[::-1], ("int32", "int32"), {}))
    with h5py.File(source, "r+") as file:
        file["layers"].create_dataset("dense", data=matrix.toarray())
        file["layers/dense"].attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    for compression, name in (("gzip:4", "gzip"), ("lzf", "lzf"), ("none", None), ("zstd", None)):
        result = folder / f"c_{compression.replace(':', '')}.h5ad"
        call("convert", source, "-o", result, "--compression", compression, "--chunk", 100)
        with h5py.File(result) as file:
            assert file["X/data"].chunks == (100,) and file["layers/dense"].chunks[0] == 100
            for place in ("X/data", "X/indices", "layers/dense"):
                assert file[place].compression == name
                assert (32015 in [f[0] for f in filters_of(file[place])]) == (compression == "zstd")
            if compression == "gzip:4":
                assert file["X/data"].compression_opts == 4
        if compression != "zstd":
            equal(stored(result), matrix, compression)
            np.testing.assert_array_equal(table(result, "layers/dense"), matrix.toarray())
        untouched(source, result, "X", "layers/dense")
        back = folder / "c_back.h5ad"
        call("convert", result, "-o", back, "--compression", "none", "--overwrite")
        equal(stored(back), matrix, (compression, "back"))
    error = refused(1, "Refused", source, "-o", folder / "c_no.h5ad", "--chunk", 10**7)
    assert "524" in error["fix"], error
    # With no option: nothing changes but what was waste.
    wasted = folder / "wasted.h5ad"
    shutil.copy(source, wasted)
    with h5py.File(wasted, "r+") as file:
        file["uns"].create_dataset("gone", data=np.arange(200_000))
        file["uns"].create_dataset("behind", data=np.arange(20_000))
    with h5py.File(wasted, "r+") as file:
        del file["uns/gone"]
    shutil.copy(wasted, folder / "wasted_before.h5ad")
    before = wasted.stat().st_size
    answer = call("convert", wasted, "--in-place")
    assert wasted.stat().st_size < before - 1_000_000 and answer["changed"], (before, wasted.stat().st_size)
    untouched(folder / "wasted_before.h5ad", wasted)


def filters_of(dataset):
    plist = dataset.id.get_create_plist()
    return [plist.get_filter(k) for k in range(plist.get_nfilters())]


def layers(folder):
    matrix = sp.random(30, 20, density=0.3, format="csr", random_state=2, dtype="float32")
    source = folder / "a.h5ad"
    write(source, matrix.shape, X=("csr", *parts(matrix)[::-1], ("int32", "int32"), {}))
    result = folder / "a_out.h5ad"
    answer = call("convert", source, "-o", result, "--storage", "csc", "--as", "layers/by_gene")
    assert {"element": "layers/by_gene", "action": "created"}.items() <= answer["elements"][0].items(), answer["elements"]
    equal(stored(result, "layers/by_gene"), matrix.tocsc(), "as")
    equal(stored(result), matrix, "as")
    np.testing.assert_array_equal(anndata.read_h5ad(result).layers["by_gene"].toarray(), matrix.toarray())
    with h5py.File(source, "r+") as file:
        del file["layers"]
    call("convert", source, "-o", result, "--dtype", "float64", "--as", "layers/wide", "--overwrite")
    assert anndata.read_h5ad(result).layers["wide"].dtype == np.float64
    refused(1, "Refused", result, "-o", folder / "no.h5ad", "--dtype", "float64", "--as", "layers/wide")
    refused(2, "BadUsage", result, "-o", folder / "no.h5ad", "--as", "obsm/wide")
    refused(2, "BadUsage", result, "-o", folder / "no.h5ad", "--as", "layers/new", "--elements", "X,layers/wide")


def places(folder):
    matrix = sp.random(30, 20, density=0.3, format="csr", random_state=3, dtype="float32")
    source = folder / "p.h5ad"
    write(source, matrix.shape, X=("csr", *parts(matrix)[::-1], ("int32", "int32"), {}))
    before = source.read_bytes()
    refused(2, "BadUsage", source)
    refused(2, "BadUsage", source, "-o", source)
    refused(2, "BadUsage", source, "-o", folder / "p1.h5ad", "--storage", "coo")
    refused(2, "BadUsage", source, "-o", folder / "p1.h5ad", "--dtype", "text")
    refused(2, "BadUsage", source, "-o", folder / "p1.h5ad", "--lossy")
    refused(2, "BadUsage", source, "-o", folder / "p1.h5ad", "--chunk", "0")
    refused(2, "BadUsage", source, "-o", folder / "p1.h5ad", "--index-width", "16")
    refused(1, "NotFound", source, "-o", folder / "p1.h5ad", "--elements", "layers/none", "--storage", "csc")
    refused(1, "Refused", source, "-o", folder / "p1.h5ad", "--elements", "obs", "--storage", "csc")
    estimate = call("convert", source, "-o", folder / "p1.h5ad", "--storage", "csc", "--estimate")
    assert estimate["fits"] is True and estimate["output"] is None and not (folder / "p1.h5ad").exists()
    assert estimate["estimate"]["temporary"] > 0
    taken = folder / "taken_too.h5ad"
    taken.write_bytes(b"something else")
    refused(3, "TargetExists", source, "-o", taken)
    assert taken.read_bytes() == b"something else" and source.read_bytes() == before
    call("convert", source, "-o", taken, "--storage", "csc", "--overwrite")
    equal(stored(taken), matrix.tocsc(), "overwritten")
    copy = folder / "p_copy.h5ad"
    shutil.copy(source, copy)
    assert call("convert", copy, "--storage", "csc", "--in-place")["changed"] is True
    equal(stored(copy), matrix.tocsc(), "in place")
    once = copy.read_bytes()
    again = call("convert", copy, "--storage", "csc", "--in-place")
    assert again["changed"] is False and copy.read_bytes() == once, again
    broken = folder / "p_broken.h5ad"
    write(broken, (3, 4), X=("csr", np.ones(3, "float32"), [9, 0, 1], [0, 2, 2, 3], ("int32", "int32"), {}))
    assert refused(1, "Corrupt", broken, "-o", folder / "p2.h5ad", "--storage", "csc")["element"] == "X"
    several = folder / "p_several"
    several.mkdir()
    answer = call("convert", broken, source, "--output-dir", several, "--storage", "csc")
    assert answer["failed"] == 1 and answer["files"][0]["error"]["code"] == "Corrupt", answer
    equal(stored(several / "p.h5ad"), matrix.tocsc(), "several")
    assert [p.name for p in several.iterdir()] == ["p.h5ad"]


def formats(folder):
    """10x, loom, a modality and old layouts as h5ad."""
    result = folder / "tenx.h5ad"
    call("convert", OURS / "tenx_v3.h5", "-o", result)
    made = anndata.read_h5ad(result)
    with h5py.File(OURS / "tenx_v3.h5") as file:
        group = file["matrix"]
        wanted = sp.csc_matrix((group["data"][()], group["indices"][()], group["indptr"][()]), shape=group["shape"][()])
        np.testing.assert_array_equal(made.X.toarray(), wanted.toarray().T)
        assert list(made.obs_names) == [b.decode() for b in group["barcodes"]]
        assert list(made.var["gene_ids"]) == [b.decode() for b in group["features/id"]]
    turned = folder / "tenx_csc.h5ad"
    answer = call("convert", OURS / "tenx_v3.h5", "-o", turned, "--storage", "csc", "--dtype", "float64")
    told = {e["element"]: e for e in answer["elements"]}["X"]
    assert told["from"]["storage"] == "csr" and told["to"] == {"storage": "csc", "dtype": "float64"}, told
    equal(stored(turned), sp.csc_matrix(wanted.T.tocsr()).astype("float64"), "10x as csc")
    refused(1, "Refused", OURS / "tenx_v3.h5", "--in-place")
    several = folder / "formats"
    several.mkdir()
    answer = call("convert", OURS / "tenx_v3.h5", f"{OURS / 'two_modalities.h5mu'}::rna", OURS / "tiny.loom", "--output-dir", several,
                  "--storage", "csr")
    assert answer["failed"] == 0 and sorted(p.name for p in several.iterdir()) == ["tenx_v3.h5ad", "tiny.h5ad", "two_modalities_rna.h5ad"]
    with h5py.File(OURS / "two_modalities.h5mu") as file:
        x = file["mod/rna/X"]
        wanted = x[()] if isinstance(x, h5py.Dataset) else stored_group(x)
    np.testing.assert_array_equal(anndata.read_h5ad(several / "two_modalities_rna.h5ad").X.toarray(), wanted)
    with h5py.File(OURS / "tiny.loom") as file:
        wanted = file["matrix"][()].T
    equal(stored(several / "tiny.h5ad"), sp.csr_matrix(wanted), "loom")
    refused(1, "Ambiguous", OURS / "two_modalities.h5mu", "-o", folder / "none.h5ad")
    for old in ("legacy_06", "legacy_07"):
        source = OURS / f"{old}.h5ad"
        for words in (("--profile", "anndata"), ("--storage", "csc"), ("--storage", "dense"), ("--profile", "r", "--storage", "csc")):
            result = folder / f"{old}_{len(words)}_{words[1]}.h5ad"
            call("convert", source, "-o", result, *words)
            a, b = anndata.read_h5ad(source), anndata.read_h5ad(result)
            assert list(a.obs_names) == list(b.obs_names) and list(a.var_names) == list(b.var_names), words
            x = [m.toarray() if sp.issparse(m) else np.asarray(m) for m in (a.X, b.X)]
            np.testing.assert_array_equal(*x)
            for name in a.obs:
                assert list(a.obs[name].astype(str)) == list(b.obs[name].astype(str)), (old, words, name)
            if "--profile" in words:
                with h5py.File(result) as file:
                    assert file.attrs["encoding-type"] == "anndata" and file["obs"].attrs["encoding-version"] == "0.2.0"


def broken_off(folder):
    """Killed, stopped or without room: the source is what it was or, in its place, whole; the next run succeeds."""
    place = folder / "broken_off"
    place.mkdir()
    source, out = place / "source.h5ad", place / "out.h5ad"
    matrix = sp.random(4000, 1500, density=0.1, format="csr", random_state=4, dtype="float32")
    write(source, matrix.shape, X=("csr", *parts(matrix)[::-1], ("int32", "int32"), {"compression": "gzip", "chunks": (20_000,)}))
    before, turned = source.read_bytes(), matrix.tocsc()
    line = [PROGRAM, "convert", source, "-o", out, "--storage", "csc", "--overwrite", "--memory", "32M"]
    start = time.perf_counter()
    assert subprocess.run(line, capture_output=True).returncode == 0
    seconds = time.perf_counter() - start
    chance = random.Random(11)
    for moment in range(MOMENTS):
        copy = place / "copy.h5ad"
        copy.write_bytes(before)
        in_place = moment % 2 == 0
        words = [PROGRAM, "convert", copy, "--in-place", "--storage", "csc"] if in_place else line
        if moment % 4 < 2 and out.exists():
            out.unlink()
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.random() * seconds)
        stopped = moment % 3 == 0
        child.send_signal(signal.SIGINT if stopped else signal.SIGKILL)
        # Before the program has begun, the signal itself ends it.
        assert child.wait() in (0, 3, -signal.SIGINT, -signal.SIGKILL)
        if in_place and copy.read_bytes() != before:
            equal(stored(copy), turned, moment)
        if out.exists():
            equal(stored(out), turned, moment)
        left = [p for p in place.iterdir() if p.name.startswith(".")]
        assert not left or not stopped, left
        for path in left:
            path.unlink()
        assert source.read_bytes() == before
    # No room for the new file: nothing is left of it.
    out.unlink(missing_ok=True)
    done = subprocess.run([*line, "--json"], capture_output=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000)))
    assert done.returncode == 3 and json.loads(done.stdout)["error"]["code"] in ("OutOfDisk", "Io"), (done.returncode, done.stdout)
    assert sorted(p.name for p in place.iterdir()) == ["copy.h5ad", "source.h5ad"], list(place.iterdir())
    assert subprocess.run(line, capture_output=True).returncode == 0
    equal(stored(out), turned, "after")


def put_folder(folder, matrix, order="cell", kind="integer", packed=True, genes_file="features.tsv", members=1):
    """A folder as Cell Ranger writes it, entries in an order of our choice."""
    folder.mkdir()
    rows, columns = matrix.row, matrix.col  # cells, genes
    keys = {"cell": (columns, rows), "gene": (rows, columns), "none": (np.arange(len(rows)) * 7919 % 101,)}[order]
    lines = [f"%%MatrixMarket matrix coordinate {kind} general\n", "%metadata_json: {}\n",
             f"{matrix.shape[1]} {matrix.shape[0]} {matrix.nnz}\n"]
    for k in np.lexsort(keys):
        value = "" if kind == "pattern" else f" {matrix.data[k].item()!r}"
        lines.append(f"{columns[k] + 1} {rows[k] + 1}{value}\n")
    genes = [f"ENSG{k:05}\tGene{k % 50}\tGene Expression\n" for k in range(matrix.shape[1])]
    if genes_file == "genes.tsv":
        genes = ["\t".join(line.split("\t")[:2]) + "\n" for line in genes]
    cells = [f"CELL{k}-1\n" for k in range(matrix.shape[0])]
    for name, text in (("matrix.mtx", lines), ("barcodes.tsv", cells), (genes_file, genes)):
        if not packed:
            (folder / name).write_text("".join(text))
            continue
        step = -(-len(text) // members)
        with open(folder / (name + ".gz"), "wb") as file:
            for k in range(0, len(text), step):
                file.write(gzip.compress("".join(text[k:k + step]).encode()))


def folders(folder):
    rng = np.random.default_rng(8)
    matrix = sp.random(400, 90, density=0.1, format="csr", random_state=rng)
    matrix.data = rng.integers(1, 1000, matrix.nnz).astype("int32")
    matrix = matrix.tocoo()
    for number, words in enumerate((dict(), dict(packed=False), dict(order="gene", members=3), dict(genes_file="genes.tsv", members=5))):
        source = folder / f"tenx_{number}"
        put_folder(source, matrix, **words)
        result = folder / f"tenx_{number}.h5ad"
        answer = call("convert", source, "-o", result)
        assert answer["n_obs"] == 400 and answer["n_vars"] == 90 and answer["elements"][0]["to"] == {"storage": "csr", "dtype": "int32"}
        equal(stored(result), matrix.tocsr(), words)
        made = anndata.read_h5ad(result)
        assert list(made.obs_names) == [f"CELL{k}-1" for k in range(400)]
        assert list(made.var_names) == [f"Gene{k % 50}" for k in range(90)]
        assert list(made.var["gene_ids"]) == [f"ENSG{k:05}" for k in range(90)]
        assert ("feature_types" in made.var) == ("genes_file" not in words)
        with h5py.File(result) as file:
            assert (file["X/data"].compression == "gzip") == words.get("packed", True)
        turned = folder / f"tenx_{number}_csc.h5ad"
        call("convert", source, "-o", turned, "--storage", "csc", "--dtype", "float32", "--compression", "lzf")
        equal(stored(turned), matrix.astype("float32").tocsc(), words)
        with h5py.File(turned) as file:
            assert file["X/data"].compression == "lzf"
    several = folder / "tenx_several"
    several.mkdir()
    call("convert", f"{folder / 'tenx_0'}/", folder / "tenx_1", "--output-dir", several)
    assert sorted(p.name for p in several.iterdir()) == ["tenx_0.h5ad", "tenx_1.h5ad"]

    put_folder(folder / "tenx_real", (matrix * 0.25).tocoo(), kind="real")
    call("convert", folder / "tenx_real", "-o", folder / "tenx_real.h5ad")
    equal(stored(folder / "tenx_real.h5ad"), (matrix * 0.25).astype("float32").tocsr(), "real")
    put_folder(folder / "tenx_pattern", matrix, kind="pattern")
    call("convert", folder / "tenx_pattern", "-o", folder / "tenx_pattern.h5ad")
    assert (stored(folder / "tenx_pattern.h5ad").data == 1).all()
    call("convert", folder / "tenx_0", "-o", folder / "tenx_dense.h5ad", "--storage", "dense")
    np.testing.assert_array_equal(table(folder / "tenx_dense.h5ad"), matrix.toarray())

    put_folder(folder / "tenx_none", matrix, order="none")
    assert "neither" in refused(1, "Refused", folder / "tenx_none", "-o", folder / "no.h5ad")["message"]
    assert "uint8" in refused(1, "Refused", folder / "tenx_0", "-o", folder / "no.h5ad", "--dtype", "uint8")["message"]
    large = matrix.astype("int64")
    large.data[5] = 2**40
    put_folder(folder / "tenx_large", large)
    assert str(2**40) in refused(1, "Refused", folder / "tenx_large", "-o", folder / "no.h5ad")["message"]
    call("convert", folder / "tenx_large", "-o", folder / "tenx_large.h5ad", "--dtype", "int64")
    equal(stored(folder / "tenx_large.h5ad"), large.tocsr(), "large")
    refused(1, "Refused", folder / "tenx_0", "--in-place")
    refused(1, "NotFound", folder, "-o", folder / "no.h5ad")
    for number, (change, word) in enumerate(((lambda t: t[:len(t) // 2], "gz"), (lambda t: t[:100] + b"?" + t[101:], "gz"))):
        damaged = folder / f"tenx_damaged_{number}"
        shutil.copytree(folder / "tenx_0", damaged)
        path = damaged / "matrix.mtx.gz"
        path.write_bytes(change(path.read_bytes()))
        assert word in refused(1, "Corrupt", damaged, "-o", folder / "no.h5ad")["message"]
    text = (folder / "tenx_1" / "matrix.mtx").read_text().splitlines()
    for number, (line, written, word) in enumerate(((3, "91 1 5", "gene 91"), (4, "1 1 0.5", "value"), (5, "1 1", "value"),
                                                    (6, "x", "no entry"), (2, "90 400", "numbers of genes"), (0, "text", "MatrixMarket"),
                                                    (2, f"90 400 {matrix.nnz + 1}", "ends after"),
                                                    (2, f"90 400 {matrix.nnz - 1}", "one more"),
                                                    (2, f"90 401 {matrix.nnz}", "names 400"))):
        damaged = folder / f"tenx_line_{number}"
        shutil.copytree(folder / "tenx_1", damaged)
        changed = list(text)
        changed[line] = written
        (damaged / "matrix.mtx").write_text("\n".join(changed) + "\n")
        error = refused(1, "Corrupt", damaged, "-o", folder / "no.h5ad")
        assert word in error["message"], (error, word)
    assert not (folder / "no.h5ad").exists() and not [p for p in folder.iterdir() if p.name.startswith(".")]


def stored_group(group):
    kind = {"csr_matrix": sp.csr_matrix, "csc_matrix": sp.csc_matrix}[group.attrs["encoding-type"]]
    return kind((group["data"][()], group["indices"][()], group["indptr"][()]), shape=tuple(group.attrs["shape"])).toarray()


def main():
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        print(sparse_matrices(folder), "matrices,", types(folder), "pairs of types")
        larger(folder)
        sums(folder)
        widths(folder)
        chunks(folder)
        layers(folder)
        places(folder)
        formats(folder)
        folders(folder)
        broken_off(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
