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


def adam7():
    """Rows of the seven passes of an interlaced PNG."""
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
              (0, 1, 1, 2)]
    return [bytes(v for x in range(x0, W, dx) for v in rgb(x, y))
            for x0, y0, dx, dy in passes if x0 < W for y in range(y0, H, dy)]


def header(colour_type, interlace=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", W, H, 8, colour_type, 0, 0, interlace))


def pixels(function):
    return b"".join(bytes(function(x, y)) for y in range(H) for x in range(W))


class Tiff:
    """A little-endian TIFF, page by page."""

    def __init__(self):
        self.out, self.link = bytearray(b"II*\0\0\0\0\0"), 4

    def place(self, data):
        self.out += data + b"\0" * (len(data) % 2)
        return len(self.out) - len(data) - len(data) % 2

    def values(self, kind, items):
        """Field type, count and either the value itself or where several stand."""
        form = {3: "H", 4: "I"}[kind]
        if len(items) * struct.calcsize(form) <= 4:
            text = struct.pack(f"<{len(items)}{form}", *items)
            return kind, len(items), struct.unpack("<I", text + b"\0" * (4 - len(text)))[0]
        return kind, len(items), self.place(struct.pack(f"<{len(items)}{form}", *items))

    def page(self, strips, photometric=2, bits=(8, 8, 8), compression=1, tile=None, more=()):
        """Strips, or tiles, of bytes; `more` has further tags (number, type, values)."""
        starts = [self.place(strip) for strip in strips]
        counts = [len(strip) for strip in strips]
        tags = [(256, 4, [W]), (257, 4, [H]), (258, 3, list(bits)), (259, 3, [compression]),
                (262, 3, [photometric]), (277, 3, [len(bits)]), *more]
        if tile:
            tags += [(322, 4, [tile]), (323, 4, [tile]), (324, 4, starts), (325, 4, counts)]
        else:
            tags += [(273, 4, starts), (278, 4, [H]), (279, 4, counts)]
        tags = [(number, *self.values(kind, items)) for number, kind, items in sorted(tags)]
        struct.pack_into("<I", self.out, self.link, len(self.out))
        self.out += struct.pack("<H", len(tags))
        for tag in tags:
            self.out += struct.pack("<HHII", *tag)
        self.link = len(self.out)
        self.out += b"\0\0\0\0"
        return self


def tiffs():
    """TIFFs of several layouts; the picture is the same in all but the last ones."""
    plain = pixels(rgb)
    tile = b"".join(bytes(rgb(x, y)) if x < W and y < H else b"\0\0\0"
                    for y in range(16) for x in range(16))
    pages, alone = Tiff(), lambda *args, **more: bytes(Tiff().page(*args, **more).out)
    for k in range(3):
        pages.page([bytes(v + k for v in plain)])
    bad = Tiff().page([plain]).page([b"\x7f" + plain[:20]], compression=32773).page([plain])
    alpha = (8, 8, 8, 8)
    return {
        "pages.tif": bytes(pages.out),
        "tiled.tif": alone([tile], tile=16),
        "planar.tif": alone([plain[c::3] for c in range(3)], more=[(284, 3, [2])]),
        "rgb16.tif": alone([b"".join(struct.pack("<H", v * 257) for v in plain)], bits=[16] * 3),
        "cmyk.tif": alone([pixels(lambda x, y: [255 - v for v in rgb(x, y)] + [0])],
                          photometric=5, bits=alpha),
        "turned.tif": alone([plain], more=[(274, 3, [3])]),
        "alpha.tif": alone([pixels(lambda x, y: rgb(x, y) + (51 * x,))], bits=alpha,
                           more=[(338, 3, [2])]),
        "multiplied.tif": alone(
            [pixels(lambda x, y: [v * 51 * x // 255 for v in rgb(x, y)] + [51 * x])], bits=alpha,
            more=[(338, 3, [1])]),
        "grey_alpha.tif": alone([pixels(lambda x, y: (40 * x, 51 * x))], photometric=1, bits=(8, 8),
                                more=[(338, 3, [2])]),
        "bad_page.tif": bytes(bad.out),
        "float.tif": alone([struct.pack(f"<{W * H}f", *range(W * H))], photometric=1, bits=[32],
                           more=[(339, 3, [3])]),
    }


def animated(still):
    """A WebP of two frames, each the picture of a still one."""
    frame = still[12:]
    body = struct.pack("<I", 0)[:3] * 2 + struct.pack("<I", W - 1)[:3] + struct.pack("<I", H - 1)[:3]
    body += struct.pack("<I", 40)[:3] + b"\0" + frame
    parts = [(b"VP8X", b"\2\0\0\0" + struct.pack("<I", W - 1)[:3] + struct.pack("<I", H - 1)[:3]),
             (b"ANIM", b"\0" * 6), (b"ANMF", body), (b"ANMF", body)]
    out = b"WEBP" + b"".join(kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
                             for kind, data in parts)
    return b"RIFF" + struct.pack("<I", len(out)) + out


def odd_pngs():
    """PNGs of rarer kinds, and some whose checksums are right and whose picture is not."""
    start, end = b"\x89PNG\r\n\x1a\n", chunk(b"IEND", b"")
    rows = [bytes(v for x in range(W) for v in rgb(x, y)) for y in range(H)]
    packed = zlib.compress(b"".join(b"\0" + row for row in rows))
    return {
        "interlaced.png": start + header(2, 1) + chunk(
            b"IDAT", zlib.compress(b"".join(b"\0" + row for row in adam7()))) + end,
        "clear_colour.png": png(8, 2, rows, chunk(b"tRNS", struct.pack(">HHH", *rgb(3, 2)))),
        "clear_grey.png": png(8, 0, [bytes(40 * x for x in range(W))] * H,
                              chunk(b"tRNS", struct.pack(">H", 80))),
        "grey_alpha16.png": png(16, 4, [b"".join(struct.pack(">HH", 40 * x * 257, 51 * x * 257)
                                                 for x in range(W))] * H),
        "surplus.png": start + header(2) + chunk(b"IDAT", zlib.compress(
            zlib.decompress(packed) + b"more" * 9)) + end,
        "few_rows.png": png(8, 2, rows[:2]),
        "no_data.png": start + header(2) + end,
        "bad_adler.png": start + header(2) + chunk(b"IDAT", packed[:-1] + b"x") + end,
        "two_headers.png": start + header(2) + header(2) + chunk(b"IDAT", packed) + end,
        "no_palette.png": png(8, 3, [bytes(W)] * H),
        "bad_depth.png": png(3, 2, rows),
        "strange_chunk.png": start + header(2) + chunk(b"ABCD", b"") + chunk(b"IDAT", packed) + end,
    }


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
        "rgb.ppm": b"P6\n# a comment\n5 4\n255\n" + bytes(
            v for y in range(H) for x in range(W) for v in rgb(x, y)),
    }
    bgr = np.array([[rgb(x, y)[::-1] for x in range(W)] for y in range(H)], np.uint8)
    lossless = cv2.imencode(".webp", bgr, [cv2.IMWRITE_WEBP_QUALITY, 101])[1].tobytes()
    files |= {"lossless.webp": lossless, "animated.webp": animated(lossless)} | tiffs() | odd_pngs()
    for name, data in files.items():
        with open(os.path.join(FOLDER, name), "wb") as file:
            file.write(data)

if __name__ == "__main__":
    main()
