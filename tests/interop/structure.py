# SPDX-License-Identifier: GPL-3.0-or-later
"""How two HDF5 files differ in how they are stored, by h5py: types, spaces, chunks, filters, fill values, attributes,
links, order, and the bytes of the values. What h5diff does not look at."""
import h5py
import numpy as np


def type_key(dtype):
    """A type down to byte order, character set and labels."""
    kind = h5py.check_string_dtype(dtype)
    if kind is not None:
        return ("text", kind.encoding, kind.length)
    if h5py.check_ref_dtype(dtype) is not None:
        return ("reference",)
    labels = h5py.check_enum_dtype(dtype)
    if labels is not None:
        return ("labels", dtype.str, tuple(sorted(labels.items())))
    if dtype.fields:
        return tuple((name, type_key(field[0]), field[1]) for name, field in dtype.fields.items())
    return (dtype.str, dtype.shape)


def value_of(values, files):
    """Values for comparing: references as the path they lead to."""
    if isinstance(values, h5py.Reference):
        return files[values].name if values else None
    if isinstance(values, np.ndarray) and values.dtype.hasobject:
        return [value_of(v, files) for v in values.ravel().tolist()]
    return values.tolist() if isinstance(values, np.void) else values


def same(a, b):
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and (a == b or a != a and b != b)


def attribute_differences(a, b, path, without=()):
    found = []
    for name in sorted(set(a.attrs) | set(b.attrs)):
        if name in without:
            continue
        if name not in a.attrs or name not in b.attrs:
            found.append(f"{path}@{name} is only in one")
            continue
        x, y = a.attrs.get_id(name), b.attrs.get_id(name)
        if type_key(x.dtype) != type_key(y.dtype) or x.get_type() != y.get_type() and x.dtype.kind != "O":
            found.append(f"{path}@{name} has another type")
        if x.shape != y.shape or x.get_space().get_simple_extent_type() != y.get_space().get_simple_extent_type():
            found.append(f"{path}@{name} has another shape")
        try:
            u, v = a.attrs[name], b.attrs[name]
        except OSError:
            continue
        if isinstance(u, h5py.Empty) or isinstance(v, h5py.Empty):
            continue
        if not same(value_of(u, a.file), value_of(v, b.file)):
            found.append(f"{path}@{name} has other values")
    return found


def filters(dataset):
    plist = dataset.id.get_create_plist()
    return [plist.get_filter(k)[:3] for k in range(plist.get_nfilters())]


def dataset_differences(a, b, path):
    found = []
    if a.shape != b.shape or a.maxshape != b.maxshape:
        found.append(f"{path} has another shape: {a.shape} {a.maxshape}, {b.shape} {b.maxshape}")
        return found
    if type_key(a.dtype) != type_key(b.dtype) or a.id.get_type() != b.id.get_type() and a.dtype.kind != "O":
        found.append(f"{path} has another type: {a.dtype}, {b.dtype}")
    if a.chunks != b.chunks:
        found.append(f"{path} has other chunks: {a.chunks}, {b.chunks}")
    if filters(a) != filters(b):
        found.append(f"{path} has other filters: {filters(a)}, {filters(b)}")
    # h5py breaks off over the fill value of texts.
    if a.shape is not None and a.dtype.kind in "iufb" and not same(np.asarray(a.fillvalue), np.asarray(b.fillvalue)):
        found.append(f"{path} has another fill value")
    if a.shape is None or np.prod(a.shape, dtype=float) > 2e7:
        return found
    try:
        mine, theirs = a[()], b[()]
    except OSError:
        return found  # packed with what is not here; the library copied it as it was
    if not same(value_of(np.asarray(mine), a.file), value_of(np.asarray(theirs), b.file)):
        found.append(f"{path} has other values")
    return found


def link_key(group, name):
    link = group.get(name, getlink=True)
    if isinstance(link, h5py.SoftLink):
        return ("soft", link.path)
    if isinstance(link, h5py.ExternalLink):
        return ("external", link.filename, link.path)
    return ("hard",)


def differences(a, b, path="/", seen=None, without=()):
    """Sentences, one a difference, of two groups and what lies below them."""
    seen = {} if seen is None else seen
    found = attribute_differences(a, b, path)
    if list(a) != list(b):
        found.append(f"{path} holds {list(a)}, not {list(b)}")
        return found
    for name in a:
        inside = f"{path.rstrip('/')}/{name}"
        if inside in without:
            continue
        if link_key(a, name) != link_key(b, name):
            found.append(f"{inside} is another link: {link_key(a, name)}, {link_key(b, name)}")
            continue
        if link_key(a, name)[0] != "hard":
            continue
        x, y = a[name], b[name]
        if type(x) is not type(y):
            found.append(f"{inside} is another kind of object")
            continue
        # Two names of one object stay that.
        key = h5py.h5o.get_info(x.id).addr
        if key in seen:
            if h5py.h5o.get_info(b.file[seen[key]].id).addr != h5py.h5o.get_info(y.id).addr:
                found.append(f"{inside} is no longer the same as {seen[key]}")
            continue
        seen[key] = inside
        if isinstance(x, h5py.Group):
            found += differences(x, y, inside, seen, without)
        elif isinstance(x, h5py.Dataset):
            found += attribute_differences(x, y, inside)
            found += dataset_differences(x, y, inside)
    return found
