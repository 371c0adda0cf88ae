#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Differential test: src/detect against tests/oracle/detect.py on random inputs.

Usage:  differ.py DETECT_DIFFER [--seed N] [--maps N] [--resizes N] [--sizes N] [--only-map N]
Network sizes and network inputs must be equal to the last bit, boxes in count, order and corners
with scores within 1e-5.  Exit status 1 where a size or an input differs, or where fewer than 99.9 %
of the boxes are equal; every other box is printed.  --only-map makes one map of a run again.
"""
import argparse
import math
import sys

import cv2
import numpy as np

from ours import Comparison, Ours, oracle

KINDS = ("blobs", "rectangles", "border", "lines", "holes", "noise", "mixed")


def level(rng):
    """A probability around the thresholds."""
    return float(rng.choice([.29, .31, .5, .61, .7, .9, .99]))


def random_rectangle(rng, h, w, at_border):
    centre = [float(rng.random() * w), float(rng.random() * h)]
    if at_border:
        centre = [float(rng.choice([0, w - 1, centre[0]])), float(rng.choice([0, h - 1, centre[1]]))]
    size = (float(3 + rng.random() ** 2 * w * .6), float(2 + rng.random() ** 2 * h * .3))
    angle = float(rng.choice([0, 90, 45, rng.random() * 180, rng.normal() * 3]))
    return np.round(cv2.boxPoints((centre, size, angle))).astype(np.int32)


def draw_rectangles(rng, prob, n, at_border):
    for _ in range(n):
        cv2.fillPoly(prob, [random_rectangle(rng, *prob.shape, at_border)], level(rng))


def draw_lines(rng, prob, n):
    h, w = prob.shape
    for _ in range(n):
        ends = [(int(rng.integers(0, w)), int(rng.integers(0, h))) for _ in range(2)]
        cv2.line(prob, *ends, level(rng), int(rng.choice([1, 1, 1, 2, 4, 6])))


def draw_holes(rng, prob, n):
    for _ in range(n):
        outer = random_rectangle(rng, *prob.shape, False)
        cv2.fillPoly(prob, [outer], level(rng))
        middle = outer.mean(0)
        inner = np.round(middle + (outer - middle) * float(rng.random() * .9)).astype(np.int32)
        cv2.fillPoly(prob, [inner], float(rng.choice([0., .2, .8])))


def draw_blobs(rng, prob):
    field = cv2.GaussianBlur(rng.random(prob.shape).astype(np.float32), (0, 0), float(rng.choice([1, 2, 4, 8])))
    field = (field - field.mean()) / (field.std() + 1e-6)
    np.maximum(prob, 1 / (1 + np.exp(-4 * (field - rng.random() * 1.5))), out=prob)


def random_map(rng):
    """One probability map of a random kind and size."""
    kind = str(rng.choice(KINDS))
    h, w = (int(v) * 32 for v in rng.integers(1, 11, 2))
    if rng.random() < .15:
        h, w = (int(v) for v in rng.integers(1, 200, 2))
    prob = (rng.random((h, w)) * .25).astype(np.float32)
    n = int(rng.integers(1, 12))
    if kind in ("rectangles", "mixed"):
        draw_rectangles(rng, prob, n, False)
    if kind in ("border", "mixed"):
        draw_rectangles(rng, prob, max(n // 2, 1), True)
    if kind in ("lines", "mixed"):
        draw_lines(rng, prob, n)
    if kind in ("holes", "mixed"):
        draw_holes(rng, prob, n)
    if kind in ("blobs", "mixed"):
        draw_blobs(rng, prob)
    if kind == "noise":
        prob = (rng.random((h, w)) ** float(rng.choice([.3, 1, 3]))).astype(np.float32)
    if rng.random() < .3:
        prob = cv2.GaussianBlur(prob, (0, 0), .8)
    return kind, prob


def random_settings(rng):
    """Mostly the defaults; the ratio below 1 pixel of distance is code of its own in Clipper."""
    oracle.SET.thresh = float(rng.choice([.3, .3, .3, .2, .5]))
    oracle.SET.box_thresh = float(rng.choice([.6, .6, .3, .1]))
    oracle.SET.unclip = float(rng.choice([1.5] * 8 + [.05, .3, .7, 1., 2., 3., 20.]))


def compare_maps(ours, seed, numbers):
    comparison = Comparison()
    for number in numbers:
        rng = np.random.default_rng([seed, 1, number])
        kind, prob = random_map(rng)
        random_settings(rng)
        h, w = prob.shape
        image = (h, w) if rng.random() < .3 else tuple(int(rng.integers(1, 4 * v + 2)) for v in (h, w))
        comparison.add(f"seed {seed} map {number} ({kind}, {h} x {w}, image {image[0]} x {image[1]})",
                       prob, *image, ours)
    print(f"random maps: {comparison}")
    return comparison.is_enough() or not comparison.maps


def random_resize(rng, number):
    """Source and network size; every eighth of each special relation between them."""
    h, w = (int(v) for v in np.exp(rng.random(2) * math.log(1200)).astype(int))
    net_h, net_w = (int(v) * 32 for v in rng.integers(1, 31, 2))
    special = number % 8
    if special == 1:
        h = 1
    elif special == 2:
        w = 1
    elif special == 3:
        h, w = net_h, net_w
    elif special == 4:
        h, w = 2 * net_h, 2 * net_w
    elif special == 5:
        h = 2 * net_h
    elif special == 6:
        net_h, net_w = oracle.network_size(h, w)
    return h, w, net_h, net_w


def compare_resizes(ours, seed, n):
    n_different = 0
    for number in range(n):
        rng = np.random.default_rng([seed, 2, number])
        h, w, net_h, net_w = random_resize(rng, number)
        image = rng.integers(0, 256, (h, w, 3), dtype=np.uint8)
        if number % 3 == 0:  # pictures have smooth parts
            image = cv2.GaussianBlur(image, (0, 0), 2)
        resized = cv2.resize(image, (net_w, net_h))
        expected = (resized.astype(np.float32) * oracle.SCALE - oracle.SHIFT).transpose(2, 0, 1)
        found = ours.preprocess(image, net_h, net_w)
        if not np.array_equal(found, expected):
            n_different += 1
            print(f"seed {seed} resize {number}: {h} x {w} to {net_h} x {net_w} differs in "
                  f"{np.count_nonzero(found != expected)} of {expected.size} numbers")
    print(f"resizes: {n} compared byte for byte, {n_different} different")
    return n_different == 0


def compare_sizes(ours, seed, n):
    rng = np.random.default_rng([seed, 3])
    n_different = 0
    for _ in range(n):
        h, w = (int(v) for v in np.exp(rng.random(2) * math.log(20000)))
        oracle.SET.limit_side = int(rng.choice([960, 736, 64, rng.integers(1, 4001)]))
        oracle.SET.limit_type = str(rng.choice(["max", "min"]))
        found, expected = ours.network_size(h, w), oracle.network_size(h, w)
        if found != expected:
            n_different += 1
            print(f"{h} x {w}, {oracle.SET.limit_type} {oracle.SET.limit_side}: {found}, needed {expected}")
    oracle.SET.limit_side, oracle.SET.limit_type = 960, "max"
    print(f"network sizes: {n} compared, {n_different} different")
    return n_different == 0


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program")
    ap.add_argument("--seed", type=int, default=20260918)
    ap.add_argument("--maps", type=int, default=1000)
    ap.add_argument("--resizes", type=int, default=200)
    ap.add_argument("--sizes", type=int, default=10000)
    ap.add_argument("--only-map", type=int)
    args = ap.parse_args()
    ours = Ours(args.program)
    if args.only_map is not None:
        return not compare_maps(ours, args.seed, [args.only_map])
    results = [compare_sizes(ours, args.seed, args.sizes),
               compare_resizes(ours, args.seed, args.resizes),
               compare_maps(ours, args.seed, range(args.maps))]
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
