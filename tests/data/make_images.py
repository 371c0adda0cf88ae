#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make data/images: one picture of 5x4 pixels in many formats, for test_decode.

Pixel (x, y) has blue 40x, green 50y, red 20(x+y).  Needs the oracle's OpenCV for WebP alone.
"""
import os
import struct
import zlib

import cv2
import numpy as np

W, H = 5, 4
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "images")


def rgb(x, y):
    return (20 * (x + y), 50 * y, 40 * x)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(depth, colour_type, rows, extra=b""):
    head = struct.pack(">IIBBBBB", W, H, depth, colour_type, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", data)
            + chunk(b"IEND", b""))


def tiff(n_pages):
    """RGB pages without compression; page k has k added to every sample."""
    out, link = bytearray(b"II*\0\0\0\0\0"), 4
    for page in range(n_pages):
        data = bytes(v + page for y in range(H) for x in range(W) for v in rgb(x, y))
        strip = len(out)
        out += data
        bits = len(out)
        out += struct.pack("<HHH", 8, 8, 8)
        struct.pack_into("<I", out, link, len(out))
        tags = [(256, 4, 1, W), (257, 4, 1, H), (258, 3, 3, bits), (259, 3, 1, 1), (262, 3, 1, 2),
                (273, 4, 1, strip), (277, 3, 1, 3), (278, 4, 1, H), (279, 4, 1, len(data))]
        out += struct.pack("<H", len(tags))
        for tag in tags:
            out += struct.pack("<HHII", *tag)
        link = len(out)
        out += b"\0\0\0\0"
    return bytes(out)


def main():
    os.makedirs(FOLDER, exist_ok=True)
    colours = sorted({rgb(x, y) for y in range(H) for x in range(W)})
    files = {
        "rgb8.png": png(8, 2, [bytes(v for x in range(W) for v in rgb(x, y)) for y in range(H)]),
        "rgb16.png": png(16, 2, [b"".join(struct.pack(">H", v * 256 + 201) for x in range(W)
                                          for v in rgb(x, y)) for y in range(H)]),
        "palette.png": png(8, 3, [bytes(colours.index(rgb(x, y)) for x in range(W))
                                  for y in range(H)],
                           chunk(b"PLTE", b"".join(map(bytes, colours)))),
        "alpha.png": png(8, 6, [bytes(v for x in range(W) for v in rgb(x, y) + (51 * x,))
                                for y in range(H)]),
        "grey1.png": png(1, 0, [bytes([0b10101000]), bytes([0b01010000])] * 2),
        "grey16.png": png(16, 0, [b"".join(struct.pack(">H", 40 * x * 256 + 255)
                                           for x in range(W))] * H),
        "pages.tif": tiff(3),
        "rgb.ppm": b"P6\n# a comment\n5 4\n255\n" + bytes(
            v for y in range(H) for x in range(W) for v in rgb(x, y)),
    }
    for name, data in files.items():
        with open(os.path.join(FOLDER, name), "wb") as file:
            file.write(data)
    bgr = np.array([[rgb(x, y)[::-1] for x in range(W)] for y in range(H)], np.uint8)
    cv2.imwrite(os.path.join(FOLDER, "lossless.webp"), bgr, [cv2.IMWRITE_WEBP_QUALITY, 101])


if __name__ == "__main__":
    main()
