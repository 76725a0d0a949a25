# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads an 8-bit PNG without any library, so that a test can look at a picture of the window."""
import pathlib
import struct
import zlib


def read_png(path):
    """(width, height, channels, rows of bytes)"""
    data = pathlib.Path(path).read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("not a PNG")
    at, packed, head = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    width, height, depth, colour, _, _, interlace = head
    if depth != 8 or interlace or colour not in (2, 6):
        raise ValueError(f"an unexpected kind of PNG: {head}")
    channels = 3 if colour == 2 else 4
    return width, height, channels, unfiltered(zlib.decompress(packed), width * channels, height, channels)


def unfiltered(raw, stride, height, step):
    rows, above = [], bytearray(stride)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        if kind == 1:
            for x in range(step, stride):
                line[x] = (line[x] + line[x - step]) & 255
        elif kind == 2:
            line = bytearray((a + b) & 255 for a, b in zip(line, above))
        elif kind == 3:
            for x in range(stride):
                left = line[x - step] if x >= step else 0
                line[x] = (line[x] + (left + above[x]) // 2) & 255
        elif kind == 4:
            for x in range(stride):
                left, corner = (line[x - step], above[x - step]) if x >= step else (0, 0)
                guess = left + above[x] - corner
                best = min((abs(guess - left), 0, left), (abs(guess - above[x]), 1, above[x]),
                           (abs(guess - corner), 2, corner))
                line[x] = (line[x] + best[2]) & 255
        rows.append(bytes(line))
        above = line
    return rows


def colours(picture):
    """Colour → number of points."""
    width, _, step, rows = picture
    counted = {}
    for row in rows:
        for x in range(0, width * step, step):
            key = row[x:x + 3]
            counted[key] = counted.get(key, 0) + 1
    return counted
