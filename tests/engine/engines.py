#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The engines that tools/engines installs against our own: the same boxes' count, maps within
0.01, threads as asked.  Usage: engines.py --assay PROGRAM --model MODEL DOCUMENT, in .venv-engines;
an engine that is not installed is passed over, none at all is exit 77.
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
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
