#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What assay writes, ONNX Runtime loads, and gives the numbers of the file that assay read, within 1e-5.

    written.py RESAVE ASSAY

assay's own numbers on the written file are compared as well.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

BOUND = 1e-5


def logits(path, x):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, {"input": x})[0]


def main():
    resave, assay = sys.argv[1:3]
    maker = pathlib.Path(__file__).resolve().parent.parent / "data" / "make_candidates.py"
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.executable, "-B", maker, folder], check=True)
        models = sorted(folder.glob("*.onnx"))
        x = np.random.default_rng(7).uniform(0, 1, (5, 1, 8, 8)).astype(np.float32)
        np.save(folder / "x.npy", x)
        for model in models:
            written = folder / f"{model.stem}.written"
            subprocess.run([resave, model, written], check=True)
            onnx.checker.check_model(str(written), full_check=True)
            wanted, got = logits(model, x), logits(written, x)
            subprocess.run([assay, "run", written, "--input", f"input={folder}/x.npy", "-o", folder / model.stem, "-q"],
                           check=True, stdout=subprocess.DEVNULL)
            ours = np.load(folder / model.stem / "logits.npy")
            for what, array in (("ONNX Runtime on the written file", got), ("assay", ours)):
                differs = float(np.abs(array - wanted).max())
                worst = max(worst, differs)
                if not differs <= BOUND:
                    sys.exit(f"{model.stem}: {what} differs by {differs:g}, at most {BOUND:g} is allowed")
    if len(models) != 7:
        sys.exit(f"{len(models)} models were compared, 7 were to be")
    print(f"{len(models)} models, largest difference {worst:.2g}")


if __name__ == "__main__":
    main()
