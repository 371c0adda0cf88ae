# SPDX-License-Identifier: Apache-2.0
"""A classifier's outputs against ONNX Runtime's: every number, and the place of the largest.

    outputs.py --assay ASSAY --model MODEL [--tolerance T] NxCxHxW...

Each shape is fed noise and a picture of stripes, which a trained network is surer of.  Prints the
largest difference of each; fails when it exceeds T or some image's largest output is another one.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime


def pictures(shape):
    """[(name, x)] in -1 .. 1, the same each time."""
    noise = np.random.default_rng(20261130).uniform(-1, 1, shape).astype(np.float32)
    stripes = np.sign(np.sin(np.arange(shape[2])[:, None] / 3 + np.zeros(shape[3])))
    return [("noise", noise), ("stripes", (stripes + noise / 8).astype(np.float32))]


def run_assay(assay, model, x, folder):
    np.save(os.path.join(folder, "x.npy"), x)
    out = os.path.join(folder, "out")
    subprocess.run([assay, "run", model, "--input", os.path.join(folder, "x.npy"), "-o", out,
                    "--force", "-q"], check=True)
    (name,) = os.listdir(out)
    return np.load(os.path.join(out, name))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--tolerance", type=float, default=2e-6)
    parser.add_argument("shapes", nargs="+")
    options = parser.parse_args()
    if not os.path.exists(options.model):
        print(f"SKIPPED: {options.model} is not there, tools/models fetches it")
        return 77
    session = onnxruntime.InferenceSession(options.model, providers=["CPUExecutionProvider"])
    is_right = True
    with tempfile.TemporaryDirectory() as folder:
        for text in options.shapes:
            shape = tuple(int(extent) for extent in text.split("x"))
            for name, x in pictures(shape):
                ours = run_assay(options.assay, options.model, x, folder)
                (theirs,) = session.run(None, {session.get_inputs()[0].name: x})
                off = np.abs(ours - theirs).max()
                same = (ours.argmax(1) == theirs.argmax(1)).all()
                print(f"{text} {name}: off by at most {off:.2g}, largest output "
                      f"{'equal' if same else 'ANOTHER'} for {len(x)} images")
                is_right &= ours.shape == theirs.shape and off <= options.tolerance and same
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
