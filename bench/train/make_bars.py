#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write FOLDER with 100 images 8x8 of ten classes, each a bar at a place of its own, as bench_train reads them.

Usage: make_bars.py FOLDER
(only the standard library)
"""
import pathlib
import struct
import sys


def save(path, dtype, shape, values, code):
    head = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode("ascii")
                     + struct.pack(f"<{len(values)}{code}", *values))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    labels = [i % 10 for i in range(100)]
    pixels = [float(x == label if label < 5 else y == label - 3) for label in labels for y in range(8) for x in range(8)]
    save(folder / "images.npy", "<f4", (100, 8, 8, 1), pixels, "f")
    save(folder / "labels.npy", "<i4", (100,), labels, "i")
    save(folder / "train.npy", "<i8", (70,), range(70), "q")
    save(folder / "validation.npy", "<i8", (30,), range(70, 100), "q")


if __name__ == "__main__":
    main()
