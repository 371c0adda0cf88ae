#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write or print one .npy file of whole numbers, without NumPy.

Usage: npy.py FILE TYPE SHAPE NUMBER...     as in: npy.py x.npy '<i4' '(2, 3)' 1 2 3 4 5 6
       npy.py FILE                          prints type, shape and numbers
"""
import ast
import struct
import sys

LETTERS = {"<i4": "i", "<i8": "q", "<f4": "f", "|b1": "?"}


def write(path, kind, shape, numbers):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    data = struct.pack(f"<{len(numbers)}{LETTERS[kind]}", *(int(n) for n in numbers))
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def show(path):
    data = open(path, "rb").read()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:end].decode())
    letter = LETTERS[header["descr"]]
    numbers = struct.unpack(f"<{(len(data) - end) // struct.calcsize(letter)}{letter}", data[end:])
    print(header["descr"], header["shape"], *numbers)


if len(sys.argv) == 2:
    show(sys.argv[1])
else:
    write(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
