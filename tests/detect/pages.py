#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Differential test: src/detect against tests/oracle/detect.py on real pages and real models.

Usage:  pages.py DETECT_DIFFER PDF_FOLDER MODEL_FOLDER [--pages N] [--crops N] [--dpi N]
Renders the first N pages of every PDF (all by default), whole and as random crops, runs each model
of the folder with ONNX Runtime on the oracle's input, and compares the input bit for bit and the
boxes out of the model's map.  Exit status 1 where one differs, 77 where there are no PDFs, no
models or no pdftoppm.
"""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import cv2
import numpy as np
import onnxruntime

from ours import Comparison, Ours, oracle

MODELS = ("ch_PP-OCRv4_det_infer.onnx", "PP-OCRv6_det_small.onnx")


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(77)


def render(pdf, folder, dpi, n_pages):
    """Page images of one PDF, in order."""
    last = ["-l", str(n_pages)] if n_pages else []
    stem = os.path.join(folder, os.path.basename(pdf)[:-4])
    subprocess.run(["pdftoppm", "-r", str(dpi), "-png", *last, pdf, stem], check=True)
    return sorted(glob.glob(glob.escape(stem) + "-*.png"))


def views(page, n_crops, rng):
    """The whole page, then random parts of it."""
    h, w = page.shape[:2]
    yield "whole", page
    for _ in range(n_crops):
        ch, cw = int(rng.integers(h // 20, h // 2)), int(rng.integers(w // 8, w))
        y, x = int(rng.integers(0, h - ch)), int(rng.integers(0, w - cw))
        yield f"crop [{y}:{y + ch}, {x}:{x + cw}]", np.ascontiguousarray(page[y:y + ch, x:x + cw])


def load(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("program")
    ap.add_argument("pdfs")
    ap.add_argument("models")
    ap.add_argument("--pages", type=int)
    ap.add_argument("--crops", type=int, default=2)
    ap.add_argument("--dpi", type=int, default=200)
    args = ap.parse_args()
    pdfs = sorted(glob.glob(os.path.join(args.pdfs, "*.pdf")))
    paths = [os.path.join(args.models, name) for name in MODELS]
    if not pdfs:
        skip(f"no PDF in {args.pdfs}")
    if not all(map(os.path.exists, paths)):
        skip(f"{args.models} lacks a model, tools/models makes them")
    if not shutil.which("pdftoppm"):
        skip("pdftoppm is not installed")
    ours, rng = Ours(args.program), np.random.default_rng(20260918)
    nets = [load(path) for path in paths]
    comparisons, n_inputs, n_bad_inputs = [Comparison() for _ in nets], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for png in (p for pdf in pdfs for p in render(pdf, folder, args.dpi, args.pages)):
            for view, image in views(cv2.imread(png, cv2.IMREAD_COLOR), args.crops, rng):
                name, x = f"{os.path.basename(png)} {view}", oracle.preprocess(image)
                n_inputs += 1
                if not np.array_equal(ours.preprocess(image, *x.shape[1:]), x):
                    n_bad_inputs += 1
                    print(f"{name}: the network's input differs")
                for net, model, comparison in zip(nets, MODELS, comparisons):
                    prob = net.run(None, {net.get_inputs()[0].name: x[None]})[0][0, 0]
                    comparison.add(f"{name}, {model}", prob, *image.shape[:2], ours)
    print(f"{n_inputs} inputs compared bit for bit, {n_bad_inputs} different")
    for model, comparison in zip(MODELS, comparisons):
        print(f"{model}: {comparison}")
    return bool(n_bad_inputs) or any(c.different or not c.boxes for c in comparisons)


if __name__ == "__main__":
    sys.exit(main())
