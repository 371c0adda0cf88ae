#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay detect against the oracle with ONNX Runtime, from pixels to boxes.

Usage: differ.py --assay PROGRAM --model MODEL.onnx [--dpi N] [--pages N] [--map-bound E]
                 [--share S] [--exact M] DOCUMENT...
DOCUMENT is a PNG, a PDF whose first N pages (0 = all) are rendered, or a folder of both.
A box is equal when its four corners are, at the same place of the order.  Prints how far maps and
scores are apart, how many boxes are equal, and for each other box how far its pixels stood from the
threshold and its score from the box threshold.

Two float32 engines that sum in different orders differ, and ONNX Runtime with its graph optimisations
on differs from itself without.  So the first M images are also computed in double precision
(exact.py), as is every other image whose map is further than E from the plain ONNX Runtime map, and
the bound E on maps is: within E of the double-precision map where there is one, else of the plain
ONNX Runtime map.

assay runs twice: by its exact routes (winograd=off), which the bound holds for, and by default, whose
maps are told and whose boxes must be equal as well.
Exit status 1 when a map is further away than that or a smaller share than S of the boxes is equal;
77 (skipped) when no document is there.
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
import exact  # noqa: E402

def images_of(document, dpi, pages, folder):
    """PNG files of one document."""
    path = pathlib.Path(document)
    if path.is_dir():
        inside = sorted(p for p in path.iterdir() if p.suffix in (".png", ".pdf"))
        return [image for p in inside for image in images_of(p, dpi, pages, folder)]
    if path.suffix != ".pdf":
        return [path]
    last = ["-l", str(pages)] if pages else []
    stem = pathlib.Path(folder) / path.stem
    subprocess.run(["pdftoppm", "-r", str(dpi), "-png", *last, str(path), str(stem)], check=True)
    return sorted(pathlib.Path(folder).glob(path.stem + "-*.png"))


def session_of(model, level):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 2, 3
    options.graph_optimization_level = level
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def oracle_answers(model, images, n_exact):
    """-> (path, maps {"double", "plain", "optimised"}, boxes, scores) of each image, batch 1."""
    plain = session_of(model, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL)
    optimised = session_of(model, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)
    name = plain.get_inputs()[0].name
    for i, path in enumerate(images):
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        x = oracle.preprocess(image)[None]
        maps = {"plain": plain.run(None, {name: x})[0][0, 0],
                "optimised": optimised.run(None, {name: x})[0][0, 0]}
        if i < n_exact:
            maps["double"] = exact.run(model, x)[0, 0]
        boxes, scores = oracle.boxes_from_map(maps["optimised"], *image.shape[:2])
        yield path, maps, [b.astype(int).tolist() for b in boxes], scores


POLICIES = {"exact routes": "native=native,winograd=off", "default": "native=native"}


def assay_answers(program, model, images, policy, maps):
    """image -> line of assay detect, whose maps lie in the folder `maps`."""
    command = [program, "detect", model, "--policy", policy, "--maps", maps, *map(str, images)]
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


def distances(ours, maps):
    """Largest distances of one image's maps: ours from each, and ONNX Runtime's from double."""
    far = {f"ours-{name}": float(np.abs(ours - prob).max()) for name, prob in maps.items()}
    for a, b in (("plain", "optimised"), ("plain", "double"), ("optimised", "double")):
        if b in maps:
            far[f"{a}-{b}"] = float(np.abs(maps[a] - maps[b]).max())
    return far


def compare(args, path, probs, boxes, scores, line, maps):
    """-> one image's figures: map distances, furthest score, boxes, equal ones, explanations."""
    optimised = probs["optimised"]
    ours = np.load(pathlib.Path(maps) / (path.name + ".npy"))
    far = distances(ours, probs)
    if far["ours-plain"] > args.map_bound and "double" not in probs:
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        probs["double"] = exact.run(args.model, oracle.preprocess(image)[None])[0, 0]
        far = distances(ours, probs)
    blocks = difflib.SequenceMatcher(None, [str(b) for b in boxes], [str(b) for b in line["boxes"]],
                                     autojunk=False).get_matching_blocks()
    equal = [(m.a + i, m.b + i) for m in blocks for i in range(m.size)]
    score = max([abs(scores[a] - float(line["scores"][b])) for a, b in equal], default=0.0)
    told = [f"{path.name}: box {boxes[i]} is not ours; its nearest pixel is "
            f"{margin(optimised, boxes[i], line['size']):.2e} from the threshold, its score "
            f"{abs(scores[i] - oracle.SET.box_thresh):.2e} from the box threshold"
            for i in sorted(set(range(len(boxes))) - {a for a, _ in equal})]
    told += [f"{path.name}: our box {line['boxes'][i]} is not the oracle's; its nearest pixel is "
             f"{margin(optimised, line['boxes'][i], line['size']):.2e} from the threshold"
             for i in sorted(set(range(len(line["boxes"]))) - {b for _, b in equal})]
    return far, score, max(len(boxes), len(line["boxes"])), len(equal), told


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--assay", required=True)
    ap.add_argument("--model", required=True)
    ap.add_argument("--dpi", type=int, default=200)
    ap.add_argument("--pages", type=int, default=0)
    ap.add_argument("--map-bound", type=float, default=1e-4)
    ap.add_argument("--share", type=float, default=0.999)
    ap.add_argument("--exact", type=int, default=1)
    ap.add_argument("documents", nargs="+")
    args = ap.parse_args()
    documents = [d for d in args.documents if pathlib.Path(d).exists()]
    if not documents or not pathlib.Path(args.model).exists():
        print("SKIPPED: none of the documents, or not the model, is here")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        images = [i for d in documents for i in images_of(d, args.dpi, args.pages, folder)]
        answers = list(oracle_answers(args.model, images, args.exact))
        failures = 0
        for name, policy in POLICIES.items():
            maps = str(pathlib.Path(folder) / name)
            lines = assay_answers(args.assay, args.model, images, policy, maps)
            results = [compare(args, *answer, lines[str(answer[0])], maps) for answer in answers]
            failures += report(args, name, results)
    return int(failures > 0)


def report(args, name, results):
    """Print the figures of one policy. @return 1 when a bound is not held."""
    far = {key: max(r[0].get(key, 0.0) for r in results) for r in results for key in r[0]}
    score = max(r[1] for r in results)
    boxes, equal = sum(r[2] for r in results), sum(r[3] for r in results)
    for told in (t for r in results for t in r[4]):
        print(told)
    print(f"{pathlib.Path(args.model).name}, {name}: {len(results)} images, {equal} of {boxes} boxes equal, "
          f"scores at most {score:.1e} apart; maps at most {far['ours-plain']:.2e} from plain ONNX "
          f"Runtime, {far['ours-optimised']:.2e} from optimised, which are "
          f"{far['plain-optimised']:.2e} from each other")
    if "ours-double" in far:
        n_exact = sum("ours-double" in r[0] for r in results)
        print(f"from double precision on {n_exact} images: ours "
              f"{far['ours-double']:.2e}, plain {far['plain-double']:.2e}, optimised "
              f"{far['optimised-double']:.2e}")
    is_far = any(r[0].get("ours-double", r[0]["ours-plain"]) > args.map_bound for r in results)
    return int(is_far and name == "exact routes" or equal < args.share * boxes)


if __name__ == "__main__":
    sys.exit(main())
