#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Searches of spaces and data of one's own: examples/shapes.json whole but short, and splits of other data.

Usage: spaces.py ASSAY SOURCE
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ASSAY, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])

TOY = {
    "schema": 1, "name": "toy", "seed": 7, "split": [0.6, 0.2, 0.2], "baseline": "a",
    "data": {"format": "csv", "file": "toy.csv", "shape": [1, 2, 2], "classes": 3},
    "training": {"epochs": 1},
    "structures": [{"name": "a", "layers": [{"layer": "linear"}]}],
}


def assay(*words, fails=None):
    """Run assay; `fails` is the whole sentence with which it has to end in status 4."""
    done = subprocess.run([ASSAY, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == (4 if fails else 0), f"{words} exits {done.returncode}: {done.stderr}"
    if fails:
        assert done.stderr == f"assay: {fails}\n", f"{words}: {done.stderr}, wanted is {fails}"
    return done.stdout


def shapes(folder):
    """The space of the examples on its own data, two epochs and one seed of each structure."""
    subprocess.run([SOURCE / "examples/make_shapes", folder], check=True)
    space = json.loads((SOURCE / "examples/shapes.json").read_text())
    space["training"]["epochs"], space["seeds"] = 2, 1
    (folder / "shapes.json").write_text(json.dumps(space))
    assay("search", folder / "shapes.json", "--slots", 1, "-q", "-o", folder / "run")
    with open(folder / "run/candidate-results.csv", encoding="utf-8", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    # 8 x 3 x 3 and a batchnorm; 8 to 8 and one, or by channels and 1 x 1; to 24; linear 24 to 6.
    stem, linear = 72 + 16, 24 * 6 + 6
    params = {"standard-8-1": stem + (576 + 16) + (1728 + 48) + linear,
              "dw_pw-8-1": stem + (72 + 16 + 64 + 16) + (72 + 16 + 192 + 48) + linear,
              "inverted-1": stem + 2 * (8 * 32 + 64 + 288 + 64) + (32 * 8 + 16) + (32 * 24 + 48) + linear}
    assert {name: int(rows[name]["params"]) for name in params} == params
    assert len(rows) == 10 and all((folder / f"run/{name}.onnx").exists() for name in rows)
    assert all(0 < float(row["validation_acc"]) <= 1 and row["test_acc"] for row in rows.values())
    split = json.loads((folder / "run/split-manifest.json").read_text())
    assert split["counts"] == {"train": 1260, "validation": 420, "test": 420}
    selection = json.loads((folder / "run/selection.json").read_text())
    assert selection["manual_baseline"] == space["baseline"]


def splits(folder):
    """What --split takes, and its sentence for each manifest that it cannot."""
    samples = [f"{i % 3},{i % 5},{i},1,{i % 3}" for i in range(30)]
    (folder / "toy.csv").write_text("\n".join(samples) + "\n")
    (folder / "toy.json").write_text(json.dumps(TOY))
    search = ["search", folder / "toy.json", "--slots", 1, "-q", "-o"]
    assay(*search, folder / "first")
    manifest = folder / "first/split-manifest.json"
    assay(*search, folder / "second", "--split", manifest)
    assert manifest.read_bytes() == (folder / "second/split-manifest.json").read_bytes()
    made = json.loads(manifest.read_text())
    first = made["train_ids"][0]
    hashes = {key: made[key][:12] for key in ("input_sha256", "labels_sha256")}
    for change, sentence in [
            ({"input_sha256": "0" * 64}, "it splits other images: their SHA-256 is 000000000000..., "
             f"the data set's {hashes['input_sha256']}..."),
            ({"labels_sha256": "0" * 64}, "it splits other labels: their SHA-256 is 000000000000..., "
             f"the data set's {hashes['labels_sha256']}..."),
            ({"test_ids": [30]}, 'value 1 of "test_ids" is no sample\'s id, these are 0..29'),
            ({"test_ids": [-1]}, 'value 1 of "test_ids" is no sample\'s id, these are 0..29'),
            ({"test_ids": [1.5]}, 'value 1 of "test_ids" is no sample\'s id, these are 0..29'),
            ({"test_ids": [first]}, f'sample {first} stands twice, again in "test_ids"'),
            ({"train_ids": [first, first]}, f'sample {first} stands twice, again in "train_ids"'),
            ({"validation_ids": []}, '"validation_ids" is empty'),
            ({"train_ids": 3}, '"train_ids" is an integer, an array is needed')]:
        (folder / "split.json").write_text(json.dumps({**made, **change}))
        assay(*search, folder / "none", "--split", folder / "split.json", fails=f"split.json: {sentence}")
        assert not (folder / "none").exists()
    (folder / "split.json").write_text(json.dumps(made)[:-9])
    done = subprocess.run([ASSAY, *map(str, search), folder / "none", "--split", folder / "split.json"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 4 and "it is not JSON" in done.stderr, done.stderr


def main():
    for check in (shapes, splits):
        with tempfile.TemporaryDirectory() as name:
            check(pathlib.Path(name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
