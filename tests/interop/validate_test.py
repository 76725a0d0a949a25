#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `validate` says of matrices and tables, rule by rule, against NumPy: every type of value and index, CSR, CSC and
dense, as X and as raw, with faults planted, in budgets small enough that rows are cut and compared in bands."""
import pathlib
import tempfile
import unittest

import h5py
import numpy as np

import cli

RULES = ["A034", "B001", "B002", "B003", "B004", "B006", "B007", "B007o", "B008", "B011", "B012", "B015", "B016", "B017",
         "B018", "B025"]
VALUES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
INDICES = ["int32", "int64", "uint16", ">i4"]


def table(file, name, count, columns=None):
    group = file.create_group(name)
    group.attrs["encoding-type"], group.attrs["encoding-version"] = "dataframe", "0.2.0"
    group.attrs["_index"] = "_index"
    group.attrs["column-order"] = np.array(list(columns or {}), dtype=h5py.string_dtype())
    names = np.array([f"{name[0]}{i}" for i in range(count)], dtype=object)
    group.create_dataset("_index", data=names, dtype=h5py.string_dtype())
    group["_index"].attrs["encoding-type"], group["_index"].attrs["encoding-version"] = "string-array", "0.2.0"
    for key, (codes, categories) in (columns or {}).items():
        column = group.create_group(key)
        column.attrs["encoding-type"], column.attrs["encoding-version"] = "categorical", "0.2.0"
        column.attrs["ordered"] = False
        column["codes"] = np.array(codes, np.int8)
        column.create_dataset("categories", data=np.array(categories, object), dtype=h5py.string_dtype())
        for part, kind in (("codes", "array"), ("categories", "string-array")):
            column[part].attrs["encoding-type"], column[part].attrs["encoding-version"] = kind, "0.2.0"


class Sparse:
    """Three arrays, and what is true of them."""

    def __init__(self, storage, shape, data, indices, indptr):
        self.storage, self.shape = storage, shape
        self.data, self.indices, self.indptr = data, indices, indptr

    def write(self, file, path, **options):
        group = file.create_group(path)
        group.attrs["encoding-type"], group.attrs["encoding-version"] = f"{self.storage}_matrix", "0.1.0"
        group.attrs["shape"] = np.array(self.shape)
        for name in ("data", "indices", "indptr"):
            values = getattr(self, name)
            fitting = dict(options)
            if "chunks" in options:
                fitting["chunks"] = (max(1, min(options["chunks"][0], len(values))),)
            group.create_dataset(name, data=values, **fitting)

    @property
    def places(self):
        """Row, column and value of every entry that lies inside, as stored."""
        lines = np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))
        across = self.indices.astype(np.int64)
        inside = (across >= 0) & (across < self.shape[1 if self.storage == "csr" else 0])
        rows, columns = (lines, across) if self.storage == "csr" else (across, lines)
        return rows[inside], columns[inside], self.data[inside], inside

    @property
    def dense(self):
        """Entries of one place added up in stored order and in their own type."""
        result = np.zeros(self.shape, self.data.dtype.newbyteorder("="))
        rows, columns, values, _ = self.places
        for row, column, value in zip(rows, columns, values):
            with np.errstate(all="ignore"):
                result[row, column] = (result[row, column] or value) if result.dtype.kind == "b" \
                    else result[row, column] + value
        return result

    def structure(self):
        """Counts of A034, B006, B007 and B007o, one line after the other."""
        lines = [(self.indices[a:b].astype(np.int64), self.data[a:b]) for a, b in zip(self.indptr, self.indptr[1:])]
        width = self.shape[1 if self.storage == "csr" else 0]
        found = dict.fromkeys(("A034", "B006", "B007", "B007o"), 0)
        for indices, data in lines:
            found["A034"] += int(((indices < 0) | (indices >= width)).sum())
            found["B006"] += int((np.diff(indices) < 0).any())
            sums = {}
            for index, value in zip(indices.tolist(), data.tolist()):
                if not 0 <= index < width:
                    continue
                if index in sums:
                    found["B007"] += 1
                    total = sums[index] + value
                    if self.data.dtype.kind in "iu":
                        limits = np.iinfo(self.data.dtype)
                        if not limits.min <= total <= limits.max:
                            found["B007o"] += 1
                            total = (total - limits.min) % (int(limits.max) - int(limits.min) + 1) + limits.min
                    sums[index] = total
                else:
                    sums[index] = value
        return found


class Dense:
    storage = "dense"

    def __init__(self, values):
        self.data, self.shape, self.dense = values, values.shape, values

    def write(self, file, path, **options):
        file.create_dataset(path, data=self.data, **options)
        file[path].attrs["encoding-type"], file[path].attrs["encoding-version"] = "array", "0.2.0"

    def structure(self):
        return dict.fromkeys(("A034", "B006", "B007", "B007o"), 0)


def truth(matrix, role, has_raw):
    """Counts of the rules for one matrix, from NumPy."""
    stored, dense = matrix.data, matrix.dense
    found = matrix.structure()
    numbers = stored.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    expected = role == "raw/X" or (role == "X" and not has_raw)
    whole = bool((finite == np.trunc(finite)).all())
    counts = bool(numbers.size and whole and (finite >= 0).all() and np.isfinite(numbers).all() and (finite != 0).any())
    found["B001"], found["B002"] = int(np.isnan(numbers).sum()), int(np.isinf(numbers).sum())
    found["B003"] = int((numbers < 0).sum()) if expected else 0
    found["B004"] = int((finite != np.trunc(finite)).sum()) if role == "raw/X" else 0
    found["B008"] = int((stored == 0).sum()) if matrix.storage != "dense" else 0
    found["B011"] = int((~(dense != 0).any(axis=1)).sum())
    found["B012"] = int((~(dense != 0).any(axis=0)).sum())
    found["B016"] = int((finite > 2**24).sum()) if stored.dtype == np.float32 and counts else 0
    found["B015"] = found["B025"] = 0
    lengths = (dense != 0).sum(axis=1)
    if expected and (counts or role == "raw/X"):
        seen = set()
        for row in dense[lengths > 0]:
            key = tuple("NaN" if value != value else value for value in row.tolist())
            found["B015"] += key in seen
            seen.add(key)
    if matrix.storage != "dense" and (lengths > 0).any():
        typical = np.sort(lengths[lengths > 0])[((lengths > 0).sum() - 1) // 2]
        found["B025"] = int(lengths.max() > 100 * typical)
    return found


def random_matrix(random, storage, dtype, index_type, shape=(60, 40), fault=""):
    dtype = np.dtype(dtype)
    lines, width = shape if storage != "csc" else shape[::-1]
    if storage == "dense":
        values = random.randint(0, 5, shape) * (random.rand(*shape) < 0.4)
        values[random.randint(shape[0])] = 0
        values[:, random.randint(shape[1])] = 0
        values[5] = values[17]
        return Dense(plant(values.astype(dtype), random, fault))
    parts = []
    for line in range(lines):
        length = 0 if random.rand() < 0.1 else random.randint(1, max(2, width // 3))
        row = np.sort(random.permutation(width)[:length])
        if fault == "unsorted" and random.rand() < 0.3:
            random.shuffle(row)
        if fault in ("twice", "overflow") and length > 1 and random.rand() < 0.4:
            row = random.choice(row, length)
            row = np.sort(row) if random.rand() < 0.5 else row
        parts.append(row)
    if fault != "twice" and lines > 20:
        parts[11] = parts[3]
    indptr = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    indices = np.concatenate(parts).astype(index_type)
    data = random.randint(0 if fault == "zeros" else 1, 5, len(indices)).astype(dtype)
    if lines > 20 and fault != "twice":
        data[indptr[11]:indptr[12]] = data[indptr[3]:indptr[4]]
    if fault == "outside":
        indices = indices.copy()
        indices[::37] = width + 3
    if fault == "overflow" and dtype.kind in "iu":
        data[::3] = np.iinfo(dtype).max
    return Sparse(storage, shape, plant(data, random, fault), indices, indptr.astype(random.choice(["int32", "int64"])))


def plant(values, random, fault):
    flat = values.reshape(-1)
    places = random.permutation(flat.size)[:7]
    if values.dtype.kind == "f":
        if fault == "special":
            flat[places[:3]], flat[places[3]], flat[places[4]] = np.nan, np.inf, -np.inf
        if fault == "fraction":
            flat[places] = 0.25
        if fault == "large":
            flat[places[:2]] = 2**25
    if fault == "negative" and values.dtype.kind in "fi":
        flat[places] = -3
    return values


class Validate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def path(self, name="x"):
        return pathlib.Path(self.scratch.name) / f"{self.id().split('.')[-1]}_{name}.h5ad"

    def write(self, path, matrices, obs=None, var=None, **options):
        shape = matrices["X"].shape
        with h5py.File(path, "w") as file:
            file.attrs["encoding-type"], file.attrs["encoding-version"] = "anndata", "0.1.0"
            table(file, "obs", shape[0], obs)
            table(file, "var", shape[1], var)
            if "raw/X" in matrices:
                file.create_group("raw").attrs.update({"encoding-type": "raw", "encoding-version": "0.1.0"})
                table(file, "raw/var", matrices["raw/X"].shape[1])
            for name, matrix in matrices.items():
                matrix.write(file, name, **options)

    def findings(self, path, *options, rules=RULES):
        answer = cli.call("validate", path, "--only", ",".join(rules), "--fail-on=never", *options)
        self.assertEqual(answer["rules_left_out"], [])
        return {(one["element"], one["id"]): one for one in answer["findings"]}

    def check(self, matrices, *options, **storage):
        path = self.path()
        self.write(path, matrices, **storage)
        found = self.findings(path, *options)
        for name, matrix in matrices.items():
            for rule, count in truth(matrix, name, "raw/X" in matrices).items():
                shown = found.get((name, rule))
                self.assertEqual((shown or {}).get("count", 0), count, (rule, name, matrix.storage, matrix.data.dtype, shown))
                if shown:
                    self.assertEqual(len(shown["positions"]), min(20, count), rule)
                    self.positions(matrix, rule, shown)
        return found

    def positions(self, matrix, rule, shown):
        """The first positions hold what they are told for."""
        tests = {"B001": np.isnan, "B002": np.isinf, "B003": lambda v: v < 0, "B004": lambda v: v != np.trunc(v),
                 "B008": lambda v: v == 0}
        places = [(one.get("row"), one.get("column")) for one in shown["positions"]]
        if rule in tests:
            self.assertEqual(len(set(places)) == len(places), True, rule)
            for one in shown["positions"]:
                value = matrix.data[one["offset"]] if matrix.storage != "dense" else matrix.dense[one["row"], one["column"]]
                self.assertTrue(tests[rule](np.float64(value)), (rule, one))
        if rule == "B011":
            self.assertEqual([row for row, _ in places],
                             np.flatnonzero(~(matrix.dense != 0).any(axis=1))[:20].tolist())
        if rule == "B012":
            self.assertEqual([column for _, column in places],
                             np.flatnonzero(~(matrix.dense != 0).any(axis=0))[:20].tolist())

    def test_types_and_storage(self):
        """Every type in every storage, as X without raw and as raw."""
        random = np.random.RandomState(1)
        for number, dtype in enumerate(VALUES):
            for storage in ("csr", "csc", "dense"):
                index_type = INDICES[(number + len(storage)) % len(INDICES)]
                with self.subTest(f"{dtype} {storage} {index_type}"):
                    self.check({"X": random_matrix(random, storage, dtype, index_type)})
                    self.check({"X": random_matrix(random, "csr", "float32", "int32"),
                                "raw/X": random_matrix(random, storage, dtype, index_type)})

    def test_faults(self):
        random = np.random.RandomState(2)
        for fault in ("special", "fraction", "negative", "large", "zeros", "unsorted", "twice", "outside", "overflow"):
            for storage in ("csr", "csc", "dense"):
                for dtype in ("float32", "float64", "int16", "uint64" if fault == "overflow" else "uint8"):
                    with self.subTest(f"{fault} {storage} {dtype}"):
                        matrix = random_matrix(random, storage, dtype, "int32", fault=fault)
                        self.check({"X": matrix})
                        self.check({"X": random_matrix(random, "csr", "float32", "int32"), "raw/X": matrix})

    def test_chunks_cut_lines(self):
        """Small chunks and a small budget: lines lie in many blocks, and dense rows in many tiles."""
        random = np.random.RandomState(3)
        for fault in ("", "special", "unsorted", "twice", "outside"):
            for storage in ("csr", "csc"):
                with self.subTest(f"{fault} {storage}"):
                    shape = (40, 30_000) if storage == "csr" else (30_000, 40)
                    self.check({"X": random_matrix(random, storage, "float32", "int64", shape, fault)},
                               "--memory", "16M", chunks=(500,), compression="gzip")
        values = random.randint(0, 3, (300, 500)).astype(np.float32)
        values[10] = values[200]
        self.check({"X": Dense(values)}, chunks=(7, 60), compression="gzip")

    def test_rows_in_bands(self):
        """More rows than a small budget can hold hashes of."""
        random = np.random.RandomState(4)
        rows = 700_000
        columns = random.randint(0, 1000, rows)
        values = (np.arange(rows) % 350_000 + 1).astype(np.float32)  # every row but for its column comes twice
        columns[350_000:] = columns[:350_000]
        columns[-5:] = 999 - columns[-5:]
        matrix = Sparse("csr", (rows, 1000), values, columns.astype(np.int32), np.arange(rows + 1))
        path = self.path()
        self.write(path, {"X": matrix})
        found = self.findings(path, "--memory", "16M", rules=["B015"])
        pairs = np.stack([columns, values], axis=1)
        self.assertEqual(found["X", "B015"]["count"], rows - len(np.unique(pairs, axis=0)))
        self.assertEqual([one["row"] for one in found["X", "B015"]["positions"]], list(range(350_000, 350_020)))

    def test_equal_matrices(self):
        """X and raw that hold the same, whatever the storage and type; and that nearly do."""
        random = np.random.RandomState(5)
        dense = random.randint(0, 4, (30, 20))
        csr = Sparse("csr", dense.shape, dense[dense != 0].astype(np.float32), np.nonzero(dense)[1].astype(np.int32),
                     np.concatenate([[0], np.cumsum((dense != 0).sum(axis=1))]))
        rows, columns = np.nonzero(dense.T)
        csc = Sparse("csc", dense.shape, dense.T[dense.T != 0].astype(np.int64), columns.astype(np.int64),
                     np.concatenate([[0], np.cumsum((dense != 0).sum(axis=0))]))
        other = dense.copy()
        other[3, 4] += 1
        for raw, same in ((csr, True), (csc, True), (Dense(dense.astype(np.uint8)), True), (Dense(other), False)):
            path = self.path()
            self.write(path, {"X": csr, "raw/X": raw})
            self.assertEqual(("X", "B017") in self.findings(path), same, raw.storage)

    def test_graphs(self):
        random = np.random.RandomState(6)
        lower = np.tril(random.rand(12, 12) * (random.rand(12, 12) < 0.4), -1)
        skew = lower + 2 * lower.T
        diagonal = lower + lower.T + np.diag(np.arange(12) % 2.0)
        x = Dense(np.ones((12, 3), np.float32))
        for name, graph, said in (("even", lower + lower.T, None), ("skew", skew, "places, not in its values"),
                                  ("lower", lower, "not symmetric"), ("own", diagonal, "6 rows have a value with")):
            path = self.path(name)
            self.write(path, {"X": x})
            with h5py.File(path, "a") as file:
                file.create_group("obsp").attrs.update({"encoding-type": "dict", "encoding-version": "0.1.0"})
                Dense(graph).write(file, "obsp/dense")
                Sparse("csr", graph.shape, graph[graph != 0], np.nonzero(graph)[1].astype(np.int32),
                       np.concatenate([[0], np.cumsum((graph != 0).sum(axis=1))])).write(file, "obsp/sparse")
            found = self.findings(path, rules=["B020"])
            self.assertEqual(set(found), {(f"obsp/{kind}", "B020") for kind in ("dense", "sparse")} if said else set())
            for one in found.values():
                self.assertIn(said, one["message"])

    def test_tables(self):
        obs = {"all": ([0, 1, 2, 0], ["a", "b", "c"]), "some": ([0, 2, 2, 0], ["a", "b", "c", "d"]),
               "same": ([1, 1, 1, 1], ["x", "y"]), "none": ([-1] * 4, ["x"]), "gaps": ([0, -1, 0, 0], ["x"])}
        path = self.path()
        self.write(path, {"X": Dense(np.ones((4, 3), np.float32))}, obs=obs)
        with h5py.File(path, "a") as file:
            file.create_group("uns").attrs.update({"encoding-type": "dict", "encoding-version": "0.1.0"})
            for name, count in (("all", 3), ("some", 2), ("elsewhere", 7)):
                colors = file["uns"].create_dataset(f"{name}_colors", data=["#000000"] * count, dtype=h5py.string_dtype())
                colors.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})
        found = self.findings(path, rules=["B026", "B027", "B028"])
        self.assertEqual({key: one["count"] for key, one in found.items() if key[1] == "B026"},
                         {("obs/some", "B026"): 2, ("obs/same", "B026"): 1, ("obs/none", "B026"): 1})
        self.assertEqual([one["value"] for one in found["obs/some", "B026"]["positions"]], ["b", "d"])
        self.assertEqual({key[0] for key in found if key[1] == "B027"}, {"obs/same", "obs/none"})
        self.assertEqual([key[0] for key in found if key[1] == "B028"], ["uns/some_colors"])


if __name__ == "__main__":
    unittest.main()
