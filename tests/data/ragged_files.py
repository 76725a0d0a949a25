# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of ragged arrays: every kind of part that Awkward Array's forms have, written by hand, so that no
version of awkward matters. Offsets that do not begin at 0 and buffers that are longer than they must be are in them."""
import json

import numpy as np

from good_files import expect, good
from h5ad_parts import dense, new_file, sparse, tables, tag

ROWS, GENES = 7, 4


class Ragged:
    """Builds a form from the inside out; keeps the buffers it names."""

    def __init__(self):
        self.buffers, self.count = {}, 0

    def part(self, kind, buffers=(), meaning=None, **more):
        key = f"part{self.count}"
        self.count += 1
        for suffix, values in buffers:
            self.buffers[f"{key}-{suffix}"] = values
        parameters = {"__array__": meaning} if meaning else {}
        return {"class": kind, **more, "parameters": parameters, "form_key": key}

    def numbers(self, values, inner=(), meaning=None):
        values = np.asarray(values)
        return self.part("NumpyArray", [("data", values.ravel())], meaning, primitive=values.dtype.name,
                         inner_shape=list(inner))

    def lists(self, offsets, content, width="i64", meaning=None):
        return self.part("ListOffsetArray", [("offsets", indices(offsets, width))], meaning, offsets=width,
                         content=content)

    def texts(self, words, meaning="string"):
        coded = [word.encode() for word in words]
        content = self.numbers(np.frombuffer(b"".join(coded), np.uint8),
                               meaning="char" if meaning == "string" else "byte")
        return self.lists(np.cumsum([0] + [len(word) for word in coded]), content, meaning=meaning)

    def spans(self, starts, stops, content, width="i64"):
        return self.part("ListArray", [("starts", indices(starts, width)), ("stops", indices(stops, width))],
                         starts=width, stops=width, content=content)

    def fixed(self, size, content):
        return self.part("RegularArray", size=size, content=content)

    def record(self, fields, contents):
        return self.part("RecordArray", fields=fields, contents=contents)

    def indexed(self, index, content, width="i64", meaning=None, option=False):
        return self.part("IndexedOptionArray" if option else "IndexedArray", [("index", indices(index, width))], meaning,
                         index=width, content=content)

    def masked(self, mask, content, valid):
        return self.part("ByteMaskedArray", [("mask", np.asarray(mask, np.int8))], mask="i8", valid_when=valid,
                         content=content)

    def bits(self, mask, content, valid, low_first):
        packed = np.packbits(np.asarray(mask, bool), bitorder="little" if low_first else "big")
        return self.part("BitMaskedArray", [("mask", packed)], mask="u8", valid_when=valid, lsb_order=low_first,
                         content=content)

    def union(self, tags, index, contents, width="i64"):
        return self.part("UnionArray", [("tags", np.asarray(tags, np.int8)), ("index", indices(index, width))],
                         tags="i8", index=width, contents=contents)

    def store(self, parent, name, form, length):
        group = tag(parent.create_group(name), "awkward-array", "0.1.0")
        group.attrs["form"] = json.dumps(form)
        group.attrs["length"] = length
        for key, values in self.buffers.items():
            storage = {"chunks": (3,), "compression": "gzip"} if key.endswith("data") and len(values) > 9 else {}
            dense(group, key, values, **storage)


def indices(values, width):
    return np.asarray(values, {"i32": np.int32, "u32": np.uint32, "i64": np.int64}[width])


def numbered(r, count=30, dtype="int64"):
    return r.numbers(np.arange(count).astype(dtype))


OFFSETS = [2, 2, 5, 6, 6, 10, 11, 13]
FORMS = {
    "numbers": lambda r: numbered(r, ROWS, "float32"),
    "lists": lambda r: r.lists(OFFSETS, numbered(r)),
    "nested": lambda r: r.lists(OFFSETS, r.lists(np.arange(0, 45, 3), r.lists(range(1, 50), numbered(r, 60, "int16"), "u32"),
                                                 "i32")),
    "texts": lambda r: r.texts(["", "a", "bé", "c" * 40, "d", "", "e"]),
    "lists of texts": lambda r: r.lists(OFFSETS, r.texts([f"word {k}" * (k % 3) for k in range(13)])),
    "bytes": lambda r: r.texts([str(k) for k in range(ROWS)], "bytestring"),
    "booleans": lambda r: r.lists(OFFSETS, r.numbers(np.arange(13) % 3 == 0)),
    "complex": lambda r: r.lists(OFFSETS, r.numbers(np.arange(13) * (1 - 2j))),
    "inner": lambda r: r.numbers(np.arange(ROWS * 6).reshape(ROWS, 2, 3) / 4, (2, 3)),
    "no inner": lambda r: r.numbers(np.empty((ROWS, 0, 3)), (0, 3)),
    "fixed": lambda r: r.fixed(2, r.fixed(3, numbered(r, 6 * ROWS))),
    "fixed at none": lambda r: r.fixed(0, numbered(r, 0)),
    "records": lambda r: r.record(["b", "a", "texts"], [numbered(r), r.lists(OFFSETS, numbered(r)),
                                                        r.texts(list("abcdefg"))]),
    "lists of records": lambda r: r.lists(OFFSETS, r.record(["x", "y"], [numbered(r), numbered(r, 20, "uint8")])),
    "tuples": lambda r: r.record(None, [numbered(r), numbered(r, ROWS, "float16")]),
    "no fields": lambda r: r.record([], []),
    "spans": lambda r: r.spans([9, 0, 4, 4, 20, 25, 1], [12, 0, 6, 9, 29, 30, 3], numbered(r)),
    "narrow spans": lambda r: r.spans([9, 0, 4, 4, 20, 25, 1], [12, 0, 6, 9, 29, 30, 3], numbered(r), "i32"),
    "indexed": lambda r: r.indexed([5, 5, 0, 29, 3, 2, 1], numbered(r), "u32"),
    "options": lambda r: r.indexed([-1, 3, -1, 0, 3, 2, -1], r.lists(OFFSETS, numbered(r)), option=True),
    "lists of options": lambda r: r.lists(OFFSETS, r.indexed([k - 1 if k % 3 else -1 for k in range(13)], numbered(r), "i32",
                                                             option=True)),
    "categorical": lambda r: r.indexed([2, 0, 0, 1, 2, 1, 0], r.texts(["one", "two", "three"]), meaning="categorical"),
    "lists of categorical": lambda r: r.lists(OFFSETS, r.indexed([k % 4 - 1 for k in range(13)], r.texts(["one", "two", "three"]),
                                                                 option=True, meaning="categorical")),
    "masked": lambda r: r.masked([1, 0, 0, 1, 0, 1, 1], r.lists(OFFSETS, numbered(r)), True),
    "lists of masked": lambda r: r.lists(OFFSETS, r.masked([k % 3 == 0 for k in range(13)], numbered(r), False)),
    "bits": lambda r: r.bits([1, 0, 0, 1, 1, 1, 0], numbered(r), True, True),
    "lists of bits": lambda r: r.lists(OFFSETS, r.bits([k % 3 == 0 for k in range(13)], numbered(r), False, False)),
    "unmasked": lambda r: r.part("UnmaskedArray", content=r.lists(OFFSETS, numbered(r))),
    "union": lambda r: r.union([0, 1, 2, 1, 0, 0, 2], [7, 0, 1, 3, 2, 2, 4],
                               [numbered(r), r.texts(list("klmno")), r.lists(OFFSETS, numbered(r))]),
    "lists of a union": lambda r: r.lists(OFFSETS, r.union([k % 2 for k in range(13)], [12 - k for k in range(13)],
                                                           [r.texts([f"t{k}" for k in range(13)]), numbered(r)], "i32")),
    "empty": lambda r: r.lists([0] * (ROWS + 1), r.part("EmptyArray")),
    "all missing": lambda r: r.indexed([-1] * ROWS, r.part("EmptyArray"), option=True),
}


VARM = {"lists": lambda r: r.lists([0, 3, 3, 4, 9], numbered(r)),
        "options": lambda r: r.indexed([1, -1, 0, -1], r.texts(["yes", "no"]), option=True)}


def holding(path, names, of_genes):
    x = np.arange(ROWS * GENES).reshape(ROWS, GENES).astype(np.float32)
    with new_file(path) as f:
        sparse(f, "X", x)
        tables(f, ROWS, GENES)
        for slot, forms, length in (("obsm", {name: FORMS[name] for name in names}, ROWS),
                                    ("varm", {of_genes: VARM[of_genes]}, GENES), ("uns", {of_genes: VARM[of_genes]}, GENES)):
            for name, form in forms.items():
                r = Ragged()
                r.store(f[slot], name, form(r), length)
    return expect((ROWS, GENES), {"X": (x, "sparse")})


@good("ragged_lists.h5ad")
def ragged_lists(path):
    return holding(path, list(FORMS)[:11], "lists") | {"about": "ragged arrays: numbers, lists, texts"}


@good("ragged_records.h5ad")
def ragged_records(path):
    return holding(path, list(FORMS)[11:19], "lists") | {"about": "ragged arrays: records, lists anywhere, indices"}


@good("ragged_options.h5ad")
def ragged_options(path):
    return holding(path, list(FORMS)[19:], "options") | {"about": "ragged arrays: missing items, categories, unions"}
