#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Error of F(4x4,3x3) in simulated float32 for several pairs of points P, Q (besides 0, their
negatives and infinity), in units of 2^-24 * max(sum |w||x|).

Usage: winograd_points.py [TILES]          needs numpy; TILES tiles of 64 channels each [60]
Each step rounds once, as a fused multiply-add does.  "normal": inputs of mean 0; "offset": mean 10;
"spike": one pixel of 1000, the others 0.  Prints the largest and the mean error over the tiles.
"""
import sys

import numpy as np

F = np.float32
PAIRS = [(1, 2), (1, .5), (.5, 1.5), (.75, 1.5), (.5**.5, 2**.5), (.625, 1.25), (.5, 1), (.6875, 1.375),
         (.75, 1.25), (.5, 1.25), (.625, 1.5), (.875, 1.75), (.6875, 1.5)]


def matrices(p, q):
    """B^T, A^T and G by the general rule."""
    points = [0, p, -p, q, -q]
    bt = np.zeros((6, 6))
    for i, x in enumerate(points):
        others = [y for y in points if y != x]
        bt[i, :5] = np.poly(others)[::-1]
    bt[5] = np.poly(points)[::-1]
    at = np.array([[float(x)**k for x in points] + [float(k == 3)] for k in range(4)])
    scale = [np.prod([x - y for y in points if y != x]) for x in points]
    g = np.array([[x**k / s for k in range(3)] for x, s in zip(points, scale)] + [[0, 0, 1]])
    return bt, at, g


def along(matrix, x):
    """matrix @ x of each [.., n, m] in x, every sum one chain that rounds to float32 each step."""
    out = np.zeros((x.shape[0], matrix.shape[0], x.shape[2]), F)
    for k in range(matrix.shape[1]):
        column = matrix[:, k].astype(F).astype(float)[None, :, None]
        out = (out.astype(float) + column * x[:, k].astype(float)[:, None, :]).astype(F)
    return out


def both(matrix, x):
    return along(matrix, along(matrix, x).transpose(0, 2, 1)).transpose(0, 2, 1)


def direct(d, g):
    return sum(d[:, i:i + 4, j:j + 4] * g[:, i, j][:, None, None] for i in range(3) for j in range(3)).sum(0)


def tile_error(mats, d, g):
    bt, at, gm = mats
    u, v = (gm @ g.astype(float) @ gm.T).astype(F), both(bt, d)
    m = np.zeros((6, 6), F)
    for uc, vc in zip(u, v):
        m = (m.astype(float) + uc.astype(float) * vc.astype(float)).astype(F)
    y, exact = both(at, m[None])[0], direct(d.astype(float), g.astype(float))
    return np.abs(y - exact).max() / direct(np.abs(d).astype(float), np.abs(g).astype(float)).max() * 2**24


def sample(kind, rng):
    d = rng.standard_normal((64, 6, 6)).astype(F)
    if kind == "offset":
        d += F(10)
    if kind == "spike":
        d[:] = 0
        d[:, 2, 3] = 1000 * rng.standard_normal(64).astype(F)
    return d, (rng.standard_normal((64, 3, 3)) / 24).astype(F)


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    print("P       Q       normal        offset        spike         (largest, mean)")
    for p, q in PAIRS:
        cells = []
        for kind in ("normal", "offset", "spike"):
            rng = np.random.default_rng(1)
            errors = [tile_error(matrices(p, q), *sample(kind, rng)) for _ in range(n)]
            cells.append(f"{max(errors):5.2f} {np.mean(errors):5.2f}")
        print(f"{p:.5f} {q:.5f} " + "   ".join(cells))


if __name__ == "__main__":
    main()
