# SPDX-License-Identifier: GPL-3.0-or-later
"""What expected.json says of a file against what cellfolio-cli shows. Plain Python: no NumPy, no anndata.
The keys are explained in tests/data/README.md. Mixed into unittest.TestCase."""
import hashlib
import math
import pathlib
import struct

import cli

TYPES = {"int": {"numeric"}, "float": {"numeric"}, "bool": {"boolean"}, "string": {"string"},
         "categorical": {"categorical"}, "nullable-integer": {"nullable-integer"},
         "nullable-boolean": {"nullable-boolean"}, "nullable-string": {"nullable-string"}}


def flat(values):
    for value in values:
        if isinstance(value, list):
            yield from flat(value)
        else:
            yield value


def of_type(value, dtype):
    """The text of a float is the shortest one that reads back to the same value of its own type; so read it back."""
    code = {"float16": "<e", "float32": "<f"}.get(dtype)
    return struct.unpack(code, struct.pack(code, value))[0] if code and math.isfinite(value) else float(value)


def same(expected, found, dtype=None):
    """Exact, in the type that is stored."""
    expected, found = cli.number(expected), cli.number(found)
    if isinstance(expected, float) and isinstance(found, (int, float)) and not isinstance(found, bool):
        if math.isnan(expected):
            return math.isnan(found)
        return of_type(expected, dtype) == of_type(float(found), dtype)
    return expected == found and isinstance(expected, bool) == isinstance(found, bool)


def close(expected, found):
    expected, found = cli.number(expected), cli.number(found)
    if isinstance(expected, int) and isinstance(found, int):
        return expected == found
    return expected == found or math.isclose(expected, found, rel_tol=1e-9, abs_tol=1e-12)


def words_of(answers):
    """All that is said about a file, in one lower-case text."""
    parts = []
    for answer in answers:
        for finding in answer.get("findings", []):
            parts += [finding["id"], finding["element"], finding["message"], finding.get("fix") or ""]
        error = answer.get("error") or {}
        parts += [str(error.get(key) or "") for key in ("id", "element", "message", "fix", "code")]
        for one in answer.get("unchecked", []):
            parts += [one["element"], one["why"]]
    return "\n".join(parts).lower()


class Expected:
    def check_file(self, path, want):
        before = hashlib.sha256(pathlib.Path(path).read_bytes()).digest()
        try:
            self.check_outcome(path, want)
        finally:
            self.assertEqual(before, hashlib.sha256(pathlib.Path(path).read_bytes()).digest(), f"{path} was changed")

    def check_outcome(self, path, want):
        try:
            shown, error = cli.info(path), None
        except cli.Failed as why:
            shown, error = None, why
        if want["outcome"] == "error":
            self.assertIsNotNone(error, f"{path} was not refused")
            self.assertIn(error.code, (1, 3), path)
            said = words_of([{"error": error.error}])
            self.assertTrue(any(word.lower() in said for word in want["mentions"]), (want["mentions"], said))
            return
        if want["outcome"] == "either" and error is not None:
            return
        self.assertIsNone(error, f"{path}: {error}")
        checked = cli.call("validate", path, "--fail-on=never")
        said = words_of([shown, checked])
        if want["outcome"] == "opens_warn":
            self.assertTrue(any(word.lower() in said for word in want["mentions"]), (want["mentions"], said))
            self.assertTrue(shown["findings"] or checked["findings"], f"{path}: no finding")
        found = {finding["id"] for finding in shown["findings"] + checked["findings"]}
        self.assertLessEqual(set(want.get("rules", [])), found, f"rules of {path}")
        self.check_values(path, want, shown)

    def check_values(self, path, want, shown):
        if "shape" in want:
            self.assertEqual([shown["n_obs"], shown["n_vars"]], want["shape"], path)
        if "modalities" in want:
            found = [[one["name"], one["n_obs"], one["n_vars"]] for one in shown["modalities"]]
            self.assertEqual(found, want["modalities"], path)
        listed = {element["path"]: element for element in shown["elements"]}
        huge = want.get("huge", [])
        for element, total in want.get("sum", {}).items():
            if element not in huge:
                with self.subTest(f"sum of {element}"):
                    found = cli.stats(path, element)["sum"]
                    self.assertTrue(close(total, found or 0), (element, total, found))
        for element, count in want.get("nnz", {}).items():
            with self.subTest(f"stored entries of {element}"):
                self.assertEqual(listed[element]["stored"], count, element)
        for frame, names in want.get("columns", {}).items():
            self.assertEqual(listed[frame]["columns"], names, frame)
        for frame, count in want.get("n_columns", {}).items():
            self.assertEqual(len(listed[frame]["columns"]), count, frame)
        for name, shape in want.get("obsm", {}).items():
            self.assertEqual(listed[f"obsm/{name}"]["shape"], shape, name)
        for element, (holds, total) in want.get("holds", {}).items():
            self.assertEqual(listed[element].get("holds"), holds, element)
            if total is not None:
                self.assertEqual(listed[element].get("holds_total"), total, element)
        self.check_cells(path, want, listed)
        self.check_columns(path, want, listed)
        self.check_uns(path, want)
        for inside, more in want.get("inside", {}).items():
            with self.subTest(inside):
                self.check_outcome(f"{path}::{inside}", more)

    def check_cells(self, path, want, listed):
        blocks = list(want.get("select", []))
        blocks += [{"element": element, "rows": [row], "cols": [col], "values": [[value]]}
                   for element, row, col, value in want.get("cells", [])]
        for block in blocks:
            with self.subTest(f"block of {block['element']}"):
                rows, cols = (",".join(map(str, block[key])) for key in ("rows", "cols"))
                found = cli.view(path, block["element"], rows=rows, cols=cols)
                self.assertEqual(found["shape"], [len(block["rows"]), len(block["cols"])])
                dtype = listed[block["element"]]["dtype"]
                wrong = [(place, a, b) for place, (a, b) in enumerate(zip(flat(block["values"]), flat(found["values"])))
                         if not same(a, b, dtype)]
                self.assertEqual(wrong[:5], [], f"{block['element']} (place, expected, ours)")

    def check_columns(self, path, want, listed):
        for frame, rows in want.get("index", {}).items():
            axis = "obs" if frame in ("obs",) or frame.startswith("obsm/") else "var"
            for row, name in rows.items():
                with self.subTest(f"name {row} of {frame}"):
                    self.assertEqual(cli.view(path, frame, **{axis: row, "columns": ""})[axis], [name])
        for column in want.get("column", []):
            element = f"{column['frame']}/{column['name']}"
            with self.subTest(element):
                about = listed[element]
                self.assertIn(about["column"], TYPES[column["type"]], element)
                rows = list(column["values"])
                shown = cli.view(path, element, rows=",".join(rows))["values"] if rows else []
                wrong = [(row, column["values"][row], found) for row, found in zip(rows, shown)
                         if not same(column["values"][row], found, about.get("dtype"))]
                self.assertEqual((wrong, len(shown)), ([], len(rows)), f"{element} (row, expected, ours)")
                if "categories" in column:
                    counted = cli.stats(path, element)["categories"]
                    self.assertEqual([one["value"] for one in counted], column["categories"], element)
                if "ordered" in column:
                    self.assertEqual(about["ordered"], column["ordered"], element)
                if "missing" in column:
                    self.assertEqual(cli.stats(path, element)["missing"], column["missing"], element)

    def check_uns(self, path, want):
        for key, value in want.get("uns", {}).items():
            with self.subTest(f"uns/{key}"):
                shown = cli.view(path, f"uns/{key}")
                found = shown["value"] if "value" in shown else shown["values"]
                if isinstance(value, dict):
                    self.assertEqual(found, value)
                elif isinstance(value, list):
                    self.assertEqual(list(flat(found)), list(flat(value)))
                else:
                    self.assertTrue(same(value, found), (value, found))
        for key, names in want.get("uns_fields", {}).items():
            with self.subTest(f"uns/{key}"):
                self.assertEqual(list(cli.view(path, f"uns/{key}")["value"]), names)
