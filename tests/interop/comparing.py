# SPDX-License-Identifier: GPL-3.0-or-later
"""What Python holds against what cellfolio-cli shows, value by value. Mixed into unittest.TestCase."""
from fractions import Fraction

import numpy as np
import pandas as pd
import scipy.sparse as sp

import cli

# Slices, steps backwards, lists out of order and with repeats, nothing at all, everything.
SELECTIONS = [(":", ":"), ("1:4", "0:2"), ("::-1", "::-2"), ("-3:", ":-1"), ("2,0,0,-1", "1,1,0"), ("", ":")]


def positions(text, length):
    """What a selection of slices and positions picks from an axis."""
    if text == "":
        return []
    out = []
    for item in text.split(","):
        if ":" in item:
            parts = [int(part) if part else None for part in item.split(":")]
            out += range(length)[slice(*parts)]
        elif -length <= int(item) < length:
            out.append(int(item) % length)
        else:
            return None
    return out


def as_dense(values):
    """Entries stored twice at one place are added up, as scipy does."""
    return np.asarray(values.todense()) if sp.issparse(values) else np.asarray(values)


def block(values, rows, cols):
    """Those places as a dense array; a very wide sparse matrix is never made dense as a whole."""
    if not sp.issparse(values) or np.prod(values.shape, dtype=float) < 1e7:
        return as_dense(values)[np.ix_(rows, cols)]
    out = np.zeros((len(rows), len(cols)), values.dtype)
    for i, row in enumerate(rows):
        line = values.getrow(row).tocoo()
        for j, col in enumerate(cols):
            out[i, j] = line.data[line.col == col].sum()
    return out


def category_key(value):
    """10 and 10.0 are one category: JSON writes both as 10."""
    plain = expected_cell(value)
    return repr(float(plain)) if isinstance(plain, (int, float)) and not isinstance(plain, bool) else str(plain)


def has_unique_places(values):
    copy = values.copy()
    copy.sum_duplicates()
    return copy.nnz == values.nnz


def expected_cell(value):
    """One value of a pandas column in the form that JSON shows."""
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, bytes):  # text of fixed length, as some readers leave it
        return value.decode()
    return str(value)


class Comparing:
    def same_numbers(self, expected, found, what):
        expected = np.asarray(expected)
        self.assertEqual(expected.shape, found.shape, what)
        equal = np.array_equal(expected, found, equal_nan=expected.dtype.kind in "fc")
        if not equal:
            at = np.argwhere(~((expected == found) | ((expected != expected) & (found != found))))[:3].tolist()
            where = [(place, expected[tuple(place)], found[tuple(place)]) for place in at]
            self.fail(f"{what}: differs at (place, Python, ours) {where}")

    def check_matrix(self, path, element, values, axes=("obs", "var"), selections=SELECTIONS, names=None):
        """Blocks of a matrix; axes name the options for its two dimensions."""
        if values.shape[1] > 1_000_000:
            selections = [(":3", ":4"), ("-2:", "-3:")]
        for first, second in selections:
            rows, cols = positions(first, values.shape[0]), positions(second, values.shape[1])
            if rows is None or cols is None:
                continue
            answer = cli.view(path, element, **{axes[0]: first, axes[1]: second})
            what = f"{element}[{first!r}, {second!r}]"
            self.assertEqual(answer["shape"], [len(rows), len(cols)], what)
            self.same_numbers(block(values, rows, cols), cli.matrix(answer, values.dtype), what)
            if names is not None and axes[0] in ("obs", "var"):
                self.assertEqual(answer[axes[0]], [names[row] for row in rows], what)
                self.assertEqual(answer[axes[0] + "_positions"], list(rows), what)

    def check_stats(self, path, element, values):
        """One pass over all values, against NumPy in double. Sums go over what is stored, as ours do."""
        dense = as_dense(values)
        stored = values.data[:values.nnz] if sp.issparse(values) else dense.ravel()
        floating = dense.dtype.kind == "f"
        answer = cli.stats(path, element)
        self.assertEqual(answer["n"], dense.size, element)
        self.assertEqual(answer["nan"], int(np.isnan(stored).sum()) if floating else 0, element)
        self.assertEqual(answer["inf"], int(np.isinf(stored).sum()) if floating else 0, element)
        self.assertEqual(answer["nnz"], int(np.count_nonzero(stored)), element)
        if sp.issparse(values):
            self.assertEqual(answer["stored"], values.nnz, element)
            self.assertEqual(answer["explicit_zeros"], int(np.sum(stored == 0)), element)
        if not floating:
            self.assertEqual(answer["sum"], sum(int(v) for v in stored), element)
        elif not np.isinf(stored).any():
            self.close(answer["sum"], np.nansum(stored.astype(np.float64)), f"sum of {element}")
        if sp.issparse(values) and not has_unique_places(values):
            return
        self.check_spread(answer, element, dense)

    def check_spread(self, answer, element, dense):
        numbers = dense[~np.isnan(dense)] if dense.dtype.kind == "f" else dense.ravel()
        if numbers.size == 0:
            self.assertIsNone(answer["mean"], element)
            return
        if dense.dtype.kind == "b":
            numbers = numbers.astype(np.uint8)
        for key, value in (("min", numbers.min()), ("max", numbers.max())):
            self.assertEqual(numbers.dtype.type(cli.number(answer[key])), value, f"{key} of {element}")
        doubles = numbers.astype(np.float64)
        if np.isfinite(doubles).all():
            exact = Fraction(sum(int(v) for v in numbers), numbers.size) if numbers.dtype.kind in "iu" else doubles.mean()
            self.close(answer["mean"], float(exact), f"mean of {element}")
            if doubles.size > 1 and np.abs(doubles).max() < 1e150:
                self.close(answer["sd"], doubles.std(ddof=1), f"sd of {element}", 1e-6)

    def close(self, found, expected, what, tolerance=1e-9):
        self.assertTrue(np.isclose(cli.number(found), expected, rtol=tolerance, atol=1e-12), (what, found, expected))

    def check_stats_by(self, path, element, values):
        """The same a cell and a gene."""
        dense = as_dense(values).astype(np.float64)
        if not np.isfinite(dense).all():
            return
        for by, axis in (("obs", 1), ("var", 0)):
            answer = cli.stats(path, element, by=by)
            found = np.array(cli.numbers(answer["sum"]), dtype=np.float64)
            self.assertTrue(np.allclose(found, dense.sum(axis), rtol=1e-9, atol=1e-12), f"{element} by {by}")
            self.assertEqual(answer["nnz"], np.count_nonzero(dense, axis).tolist(), f"{element} by {by}")

    def check_column(self, what, series, shown):
        """One column of a view against one of pandas."""
        values = [expected_cell(value) for value in series.astype(object)]
        self.assertEqual(len(values), len(shown), what)
        for row, (expected, found) in enumerate(zip(values, shown)):
            place = f"{what}, row {row}"
            if isinstance(expected, float) and np.isnan(expected):
                plain = series.dtype.kind == "f" if isinstance(series.dtype, np.dtype) else False
                self.assertEqual(found, "NaN" if plain else None, place)
            elif isinstance(expected, float):
                kept = series.dtype.type if isinstance(series.dtype, np.dtype) and series.dtype.kind == "f" else float
                self.assertEqual(kept(cli.number(found)), kept(expected), place)
            else:
                self.assertEqual(found, expected, place)
                self.assertEqual(isinstance(found, bool), isinstance(expected, bool), place)

    def check_table(self, path, element, frame, axis, selections=(":", "::-1", "2,0,0,-1", "-2:", "")):
        listed = cli.elements(path)[element]
        self.assertEqual(listed["columns"], [str(name) for name in frame.columns], element)
        for text in selections:
            rows = positions(text, len(frame))
            if rows is None:
                continue
            answer = cli.view(path, element, **{axis: text})
            self.assertEqual(answer["obs" if axis == "obs" else axis], [str(frame.index[r]) for r in rows],
                             f"names of {element}[{text!r}]")
            shown = cli.columns(answer)
            self.assertEqual(list(shown), [str(name) for name in frame.columns], element)
            for name in frame.columns:
                self.check_column(f"{element}/{name}[{text!r}]", frame[name].iloc[rows], shown[str(name)])

    def check_column_stats(self, path, element, series):
        """Counts a category, missing ones, sums."""
        answer = cli.stats(path, element)
        self.assertEqual(answer["n"], len(series), element)
        self.assertEqual(answer["missing"], int(series.isna().sum()), element)
        if isinstance(series.dtype, pd.CategoricalDtype):
            counted = {category_key(one["value"]): one["count"] for one in answer["categories"]}
            counts = series.value_counts(sort=False)
            self.assertEqual(counted, {category_key(key): int(n) for key, n in counts.items()}, element)
            self.assertEqual([category_key(one["value"]) for one in answer["categories"]],
                             [category_key(value) for value in series.cat.categories], element)
            self.assertEqual(answer["ordered"], bool(series.cat.ordered), element)
        elif series.dtype.kind in "iu" and isinstance(series.dtype, np.dtype):
            self.assertEqual(answer["sum"], int(sum(int(v) for v in series)), element)

    def check_value(self, what, expected, found):
        """A value of uns, mappings below it included."""
        if isinstance(expected, dict) or hasattr(expected, "items") and not isinstance(expected, pd.DataFrame):
            self.assertIsInstance(found, dict, what)
            self.assertEqual(sorted(found), sorted(expected), what)
            for key in expected:
                self.check_value(f"{what}/{key}", expected[key], found[key])
        elif isinstance(expected, pd.DataFrame):
            shown = cli.columns(found)
            for name in expected.columns:
                self.check_column(f"{what}/{name}", expected[name], shown[str(name)])
        elif sp.issparse(expected):
            self.assertIsNotNone(found, what)
        elif isinstance(expected, np.ndarray) and expected.dtype.names:
            for field in expected.dtype.names:
                self.check_value(f"{what}.{field}", np.asarray(expected[field]), found[field])
        elif isinstance(expected, np.ndarray) and expected.ndim:
            if isinstance(found, dict):  # too long to be shown inside a mapping
                self.assertGreater(expected.size, 10000, what)
                self.assertEqual(found["shape"], list(expected.shape), what)
            elif expected.dtype.kind in "OSU":
                texts = np.vectorize(lambda v: v.decode() if isinstance(v, bytes) else str(v), otypes=[object])
                self.assertEqual(found, texts(expected).tolist() if expected.size else [], what)
            else:
                shown = {"shape": list(expected.shape), "values": found}
                self.same_numbers(expected, cli.matrix(shown, expected.dtype), what)
        elif expected is None:
            self.assertIsNone(found, what)
        else:
            expected = expected[()] if isinstance(expected, np.ndarray) else expected
            plain = expected_cell(expected)
            if isinstance(plain, float) and np.isnan(plain):
                self.assertEqual(found, "NaN", what)
            elif isinstance(plain, float):
                kept = type(expected) if isinstance(expected, np.floating) else float
                self.assertEqual(kept(cli.number(found)), kept(plain), what)
            else:
                self.assertEqual(found, plain, what)
