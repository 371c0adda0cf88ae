#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The engines that tools/engines installs against our own: the same boxes' count, maps within
0.01, threads as asked.  Usage: engines.py --assay PROGRAM --model MODEL DOCUMENT, in .venv-engines;
an engine that is not installed is passed over, none at all is exit 77.  Then each is profiled on a
call of 16 of a small detector: the operators that it tells, and of PyTorch the routes that its switches lead to.
"""
import argparse
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

MODULES = {"onnxruntime": "onnxruntime", "openvino": "openvino", "mnn": "MNN", "torch": "torch"}
BOUND = 0.01  # seen on form.pdf at 50 dpi: ONNX Runtime 2.0e-4, OpenVINO 4.2e-5, MNN 4.3e-3


def detect(args, engine, folder):
    """-> the lines of detect, and its maps by name."""
    import numpy
    policy = f"p={engine},threads=1" + ("" if engine == "native" else f",python={sys.executable}")
    command = [args.assay, "detect", args.model, args.document, "--dpi", "50", "--policy", policy,
               "--maps", str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    maps = {path.name: numpy.load(path) for path in sorted(folder.iterdir())}
    return [json.loads(line) for line in done.stdout.splitlines()], maps


# Small, and without groups, which PyTorch runs one by one where oneDNN is off.
TINY = pathlib.Path(__file__).parents[1] / "data/tiny_detector.onnx"

# A policy, whether its routes are the policy's, and an operator that it has to tell; "" where an engine tells none.
PROFILES = {
    "onnxruntime": [("O=onnxruntime", True, "Conv")],
    "openvino": [("P=openvino", True, "Convolution")],
    "mnn": [("N=mnn", True, "")],
    "torch": [("A=torch,mkldnn=off,nnpack=on", True, "aten::_nnpack_spatial_convolution"),
              ("hidden=torch,nnpack=on", False, "aten::mkldnn_convolution")],
}


def freeze_16(args, folder):
    """A corpus of one call: 16 regions of one picture."""
    picture, regions, corpus = folder / "grey.pgm", folder / "regions.json", folder / "corpus"
    picture.write_bytes(b"P5\n256 256\n255\n" + bytes(x * y % 251 for y in range(256) for x in range(256)))
    places = [{"document": "grey.pgm", "page": 1, "xywh": [x, y, 64, 64]}
              for y in range(0, 256, 64) for x in range(0, 256, 64)]
    regions.write_text(json.dumps({"regions": places}))
    subprocess.run([args.assay, "freeze", picture, "--regions", regions, "-q", "-o", corpus], check=True,
                   stdout=subprocess.DEVNULL)
    return corpus


def profile(args, corpus, policy, holds, operator):
    """-> whether the policy's profile is as expected."""
    folder = corpus.parent / policy.split("=")[0]
    done = subprocess.run([args.assay, "profile", "--model", TINY, "--corpus", corpus, "--policy",
                           f"{policy},threads=1,python={sys.executable}", "-q", "-o", folder], check=False,
                          stdout=subprocess.DEVNULL)
    told = json.loads((folder / "operators.json").read_text())
    counts = {}
    for row in told["operators"]:
        counts[row["operator"]] = counts.get(row["operator"], 0) + row["count"]
    is_good = (done.returncode == (0 if holds else 1) and told["routes_hold"] == holds and
               told["tells_operators"] == bool(operator) and (counts.get(operator, 0) > 0 or not operator))
    print(f"{policy}: {'' if is_good else 'NOT '}as expected, {counts.get(operator, 0)} of {operator or 'none'}")
    return is_good


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--assay", required=True)
    ap.add_argument("--model", required=True)
    ap.add_argument("document")
    args = ap.parse_args()
    engines = [name for name, module in MODULES.items() if importlib.util.find_spec(module)]
    if not engines or not pathlib.Path(args.model).exists():
        print("SKIP: tools/engines and tools/models make what this needs")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as top:
        lines, maps = detect(args, "native", pathlib.Path(top, "native"))
        failures = 0
        for engine in engines:
            theirs, their_maps = detect(args, engine, pathlib.Path(top, engine))
            worst = max(float(abs(maps[name] - their_maps[name]).max()) for name in maps)
            counts = [len(line["boxes"]) for line in lines], [len(line["boxes"]) for line in theirs]
            is_good = worst <= BOUND and counts[0] == counts[1] and sum(counts[0]) > 0
            failures += not is_good
            print(f"{engine}: {'' if is_good else 'NOT '}as native, boxes {counts[1]} of {counts[0]}, "
                  f"maps off by at most {worst:.2g}")
        corpus = freeze_16(args, pathlib.Path(top))
        for engine in engines:
            failures += sum(not profile(args, corpus, *case) for case in PROFILES[engine])
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
