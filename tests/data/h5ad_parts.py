# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes single elements of an h5ad file with h5py, one function an encoding, so that a fixture holds exactly
what it is for and nothing depends on a writer's version."""
import h5py
import numpy as np

TEXT = h5py.string_dtype("utf-8")


def tag(node, kind, version):
    node.attrs["encoding-type"] = kind
    node.attrs["encoding-version"] = version
    return node


def new_file(path, **options):
    f = h5py.File(path, "w", **options)
    return tag(f, "anndata", "0.1.0")


def mapping(parent, name):
    return tag(parent.require_group(name), "dict", "0.1.0")


def dense(parent, name, values, **storage):
    return tag(parent.create_dataset(name, data=values, **storage), "array", "0.2.0")


def texts(parent, name, values, **storage):
    data = np.array(values, dtype=object) if len(values) else np.empty(0, dtype=object)
    return tag(parent.create_dataset(name, data=data, dtype=TEXT, **storage), "string-array", "0.2.0")


def scalar(parent, name, value):
    if isinstance(value, str):
        return tag(parent.create_dataset(name, data=value, dtype=TEXT), "string", "0.2.0")
    return tag(parent.create_dataset(name, data=value), "numeric-scalar", "0.2.0")


def compressed(values, by_row=True):
    """data, indices, indptr of a dense matrix; zeros are left out, everything else (NaN too) is kept."""
    rows = values if by_row else values.T
    indices = [np.flatnonzero(row != 0) for row in rows]
    indptr = np.concatenate([[0], np.cumsum([len(i) for i in indices], dtype=np.int64)])
    data = np.concatenate([row[i] for row, i in zip(rows, indices)]) if len(rows) else values[:0].ravel()
    flat = np.concatenate(indices) if len(rows) else np.empty(0, np.int64)
    return data, flat, indptr


def sparse_parts(parent, name, shape, data, indices, indptr, kind="csr", index="int32", pointer=None, **storage):
    group = tag(parent.create_group(name), f"{kind}_matrix", "0.1.0")
    group.attrs["shape"] = np.array(shape, dtype=np.int64)
    for key, values, dtype in (("data", data, None), ("indices", indices, index),
                               ("indptr", indptr, pointer or index)):
        values = np.asarray(values) if dtype is None else np.asarray(values).astype(dtype)
        options = dict(storage)
        if options and "chunks" not in options:
            options["chunks"] = True
        if isinstance(options.get("chunks"), tuple):
            options["chunks"] = (max(1, min(options["chunks"][0], len(values))),)
        if key == "indptr":
            options.pop("scaleoffset", None)
        group.create_dataset(key, data=values, **options)
    return group


def sparse(parent, name, values, kind="csr", **options):
    data, indices, indptr = compressed(values, kind == "csr")
    return sparse_parts(parent, name, values.shape, data, indices, indptr, kind, **options)


def categorical(parent, name, codes, categories, ordered=False, code_type="int8"):
    group = tag(parent.create_group(name), "categorical", "0.2.0")
    group.attrs["ordered"] = np.bool_(ordered)
    dense(group, "codes", np.array(codes, dtype=code_type))
    if len(categories) and isinstance(categories[0], str):
        texts(group, "categories", categories)
    else:
        dense(group, "categories", np.array(categories))
    return group


def nullable(parent, name, kind, values, mask):
    group = tag(parent.create_group(name), kind, "0.1.0")
    if kind == "nullable-string-array":
        texts(group, "values", values)
    else:
        dense(group, "values", np.asarray(values))
    dense(group, "mask", np.array(mask, dtype=bool))
    return group


def table(parent, name, names, columns=(), index="_index"):
    """columns: (name, writer) pairs; writer(parent, name) stores the column. Returns the group."""
    group = tag(parent.create_group(name), "dataframe", "0.2.0")
    group.attrs["_index"] = index
    order = [column for column, _ in columns]
    group.attrs["column-order"] = np.array(order, dtype=object) if order else np.empty(0)
    if names is not None:
        texts(group, index, names)
    for column, write in columns:
        write(group, column)
    return group


def number_column(values):
    return lambda parent, name: dense(parent, name, np.asarray(values))


def text_column(values):
    return lambda parent, name: texts(parent, name, values)


def category_column(*args, **options):
    return lambda parent, name: categorical(parent, name, *args, **options)


def nullable_column(kind, values, mask):
    return lambda parent, name: nullable(parent, name, kind, values, mask)


def cell_names(count):
    return [f"cell{i}" for i in range(count)]


def gene_names(count):
    return [f"gene{i}" for i in range(count)]


def tables(f, n_obs, n_vars, obs=(), var=()):
    table(f, "obs", cell_names(n_obs), obs)
    table(f, "var", gene_names(n_vars), var)
    for name in ("layers", "obsm", "varm", "obsp", "varp", "uns"):
        mapping(f, name)


def counts(n_obs, n_vars, seed, most=9, density=0.5):
    """Small whole numbers, about `density` of them not zero; the same for the same seed, everywhere."""
    state, out = seed * 2654435761 % 2**32 or 1, np.zeros((n_obs, n_vars))
    for i in range(n_obs):
        for j in range(n_vars):
            state = (1664525 * state + 1013904223) % 2**32
            if (state >> 8) % 1000 < density * 1000:
                out[i, j] = 1 + (state >> 18) % most
    return out
