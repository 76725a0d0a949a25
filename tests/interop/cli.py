# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls cellfolio-cli (its path in CELLFOLIO_CLI) and brings its JSON into NumPy's shape."""
import json
import os
import subprocess

PROGRAM = os.environ.get("CELLFOLIO_CLI", "")
SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class Failed(Exception):
    """The command line said no. Holds the exit code and the error object."""

    def __init__(self, code, answer, line):
        error = answer.get("error", {})
        super().__init__(f"{' '.join(line)} ended with {code}: {error.get('message')}")
        self.code, self.error = code, error


def call(*words, timeout=120):
    """One command with --json; the object it printed."""
    line = [PROGRAM, *map(str, words), "--json"]
    done = subprocess.run(line, capture_output=True, timeout=timeout)
    if b"HDF5-DIAG" in done.stdout + done.stderr:
        raise AssertionError(f"{line} shows HDF5-DIAG")
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise AssertionError(f"{line} ended with {done.returncode}, no JSON: {done.stdout[-300:]!r} "
                             f"{done.stderr[-300:]!r}") from None
    if done.returncode != 0 and "error" in answer:
        raise Failed(done.returncode, answer, line[1:])
    answer["exit code"] = done.returncode
    return answer


def selection(options):
    """{"obs": "0:3"} as ["--obs=0:3"]; underscores become dashes."""
    return [f"--{name.replace('_', '-')}={text}" for name, text in options.items() if text is not None]


def info(path):
    return call("info", path)


def elements(path):
    return {element["path"]: element for element in info(path)["elements"]}


def view(path, element, **options):
    return call("view", path, element, *selection(options))


def stats(path, element, **options):
    return call("stats", path, element, *selection(options))


def number(value):
    return SPECIAL.get(value, value) if isinstance(value, str) else value


def numbers(values):
    """Special numbers out of their text form, at any depth."""
    return [numbers(v) for v in values] if isinstance(values, list) else number(values)


def matrix(answer, dtype):
    """The values of a `view` as an array of the given type and of the stated shape."""
    import numpy as np  # only here, so that tests without NumPy can use this module

    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype.kind == "c":
        pairs = np.array(numbers(answer["values"]), dtype=np.float64)
        return (pairs[..., 0] + 1j * pairs[..., 1]).astype(dtype)
    kind = object if dtype.kind in "iu" else np.float64
    flat = np.array(numbers(answer["values"]), dtype=kind)
    return flat.reshape(answer["shape"]).astype(dtype)


def columns(answer):
    """Column name → list of values, None where missing."""
    return {column["name"]: column["values"] for column in answer["columns"]}
