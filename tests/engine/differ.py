#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay detect against the oracle with ONNX Runtime, from pixels to boxes.

Usage: differ.py --assay PROGRAM --model MODEL.onnx [--dpi N] [--pages N] [--map-bound E]
                 [--share S] DOCUMENT...
DOCUMENT is a PNG, a folder of PNGs, or a PDF whose first N pages (0 = all) are rendered.
Prints how far the probability maps are apart, how many boxes are equal, and for each other box how
far its pixels stood from the threshold and its score from the box threshold.  Exit status 1 when a
map is further away than E or a smaller share than S of the boxes is equal; 77 (skipped) when no
document is there.
"""
import argparse
import difflib
import json
import pathlib
import subprocess
import sys
import tempfile

import cv2
import numpy as np
import onnxruntime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "oracle"))
import detect as oracle  # noqa: E402

SCORE_BOUND = 1e-5


def images_of(document, dpi, pages, folder):
    """PNG files of one document."""
    path = pathlib.Path(document)
    if path.is_dir():
        return sorted(path.glob("*.png"))
    if path.suffix != ".pdf":
        return [path]
    last = ["-l", str(pages)] if pages else []
    stem = pathlib.Path(folder) / path.stem
    subprocess.run(["pdftoppm", "-r", str(dpi), "-png", *last, str(path), str(stem)], check=True)
    return sorted(pathlib.Path(folder).glob(path.stem + "-*.png"))


def oracle_answers(model, images):
    """image -> (map, boxes, scores), batch 1: ONNX Runtime on the oracle's own input."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 2, 3
    net = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    name = net.get_inputs()[0].name
    for path in images:
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        prob = net.run(None, {name: oracle.preprocess(image)[None]})[0][0, 0]
        boxes, scores = oracle.boxes_from_map(prob, *image.shape[:2])
        yield path, prob, [b.astype(int).tolist() for b in boxes], scores


def assay_answers(program, model, images, maps):
    """image -> line of assay detect, whose maps lie in the folder `maps`."""
    command = [program, "detect", model, "--maps", maps, *map(str, images)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return {line["image"]: line for line in map(json.loads, done.stdout.splitlines())}


def margin(prob, box, size):
    """Least distance of a pixel around `box` from the threshold."""
    h, w = prob.shape
    scale = np.array([w / size[1], h / size[0]])
    low = np.floor(np.min(box, axis=0) * scale - 2).astype(int).clip(0)
    high = np.ceil(np.max(box, axis=0) * scale + 3).astype(int)
    part = prob[low[1]:high[1], low[0]:high[0]]
    return float(np.abs(part - oracle.SET.thresh).min()) if part.size else float("nan")


def compare(path, prob, boxes, scores, line, maps):
    """-> (map distance, boxes, equal boxes, explanations) of one image."""
    ours = np.load(pathlib.Path(maps) / (path.name + ".npy"))
    distance = float(np.abs(ours - prob).max())
    pairs = difflib.SequenceMatcher(None, [str(b) for b in boxes], [str(b) for b in line["boxes"]],
                                    autojunk=False).get_matching_blocks()
    equal, told = 0, []
    matched = set()
    for a, b, n in pairs:
        for i in range(n):
            matched.add(a + i)
            if abs(scores[a + i] - float(line["scores"][b + i])) <= SCORE_BOUND:
                equal += 1
            else:
                told.append(f"{path.name}: score {scores[a + i]:.7f}, ours {line['scores'][b + i]:.7f}")
    for i in sorted(set(range(len(boxes))) - matched):
        told.append(f"{path.name}: box {boxes[i]} is not ours; its nearest pixel is "
                    f"{margin(prob, boxes[i], line['size']):.2e} from the threshold, its score "
                    f"{abs(scores[i] - oracle.SET.box_thresh):.2e} from the box threshold")
    extra = len(line["boxes"]) - len(matched)
    if extra > len(boxes) - len(matched):
        told.append(f"{path.name}: {extra} of our boxes are not the oracle's")
    return distance, max(len(boxes), len(line["boxes"])), equal, told


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--assay", required=True)
    ap.add_argument("--model", required=True)
    ap.add_argument("--dpi", type=int, default=200)
    ap.add_argument("--pages", type=int, default=0)
    ap.add_argument("--map-bound", type=float, default=1e-4)
    ap.add_argument("--share", type=float, default=0.999)
    ap.add_argument("documents", nargs="+")
    args = ap.parse_args()
    documents = [d for d in args.documents if pathlib.Path(d).exists()]
    if not documents or not pathlib.Path(args.model).exists():
        print("SKIPPED: none of the documents, or not the model, is here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        images = [i for d in documents for i in images_of(d, args.dpi, args.pages, folder)]
        maps = str(pathlib.Path(folder) / "maps")
        lines = assay_answers(args.assay, args.model, images, maps)
        results = [compare(path, prob, boxes, scores, lines[str(path)], maps)
                   for path, prob, boxes, scores in oracle_answers(args.model, images)]
    furthest = max(r[0] for r in results)
    boxes, equal = sum(r[1] for r in results), sum(r[2] for r in results)
    for told in (t for r in results for t in r[3]):
        print(told)
    print(f"{pathlib.Path(args.model).name}: {len(results)} images, maps at most {furthest:.2e} apart "
          f"(bound {args.map_bound:.0e}), {equal} of {boxes} boxes equal")
    return int(furthest > args.map_bound or equal < args.share * boxes)


if __name__ == "__main__":
    sys.exit(main())
