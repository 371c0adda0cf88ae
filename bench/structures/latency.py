#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Batch-1 latency of the default search's six networks, by assay and by other engines, interleaved.

    latency.py --assay ASSAY --models FOLDER [--rounds N] [--policy NAME=ENGINE,...]...

FOLDER has the networks of tests/data/make_candidates.py.  Every round runs each network once under each
policy, the policies of a network one after the other, in an order of its own; each time a fresh process does 30
warm-ups and 3 x 200 calls and tells their median (src/trial/model_slot.h).  Printed, as Markdown: the median over
the rounds with the least and the greatest, the median of the rounds' ratios to the second policy, which is ONNX
Runtime unless told otherwise, and the ratio of the leasts.
"""
import argparse
import json
import pathlib
import platform
import random
import statistics
import subprocess

NAMES = [f"{module}-{width}" for module in ("standard", "dw_pw") for width in (8, 16, 32)]
POLICIES = ["assay=native,threads=1", "onnxruntime=onnxruntime,threads=1"]


def slot(assay, model, policy, seed):
    job = {"policy": policy, "shape": [1, 1, 8, 8], "warm_up": 30, "rounds": 3, "repeats": 200, "seed": seed}
    command = [assay, "worker", "--model", model, "--latency", json.dumps(job)]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[0])
    return told["median_us"], f'{told["engine"]} {told["version"]}, {told["threads"]} thread'


def cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--policy", action="append")
    options = parser.parse_args()
    policies = options.policy or POLICIES
    us, engines, order = {}, {}, random.Random(20260918)
    for seed in range(options.rounds):
        turns = [(n, p) for n in order.sample(NAMES, len(NAMES)) for p in order.sample(policies, len(policies))]
        for name, policy in turns:
            value, engines[policy] = slot(options.assay, options.models / f"{name}.onnx", policy, seed)
            us.setdefault((name, policy), []).append(value)
    print(f"{cpu()}; " + "; ".join(engines[p] for p in policies))
    print(f"{options.rounds} rounds; microseconds: median (least-greatest) of the rounds\n")
    heads = [p.split("=")[0] for p in policies]
    print("| network | " + " | ".join(heads) + f" | {heads[0]} / {heads[1]} | of the leasts |")
    print("|---" * (len(heads) + 3) + "|")
    for name in NAMES:
        rows = [us[name, p] for p in policies]
        cells = [f"{statistics.median(r):.2f} ({min(r):.2f}-{max(r):.2f})" for r in rows]
        ratio = statistics.median(a / b for a, b in zip(rows[0], rows[1]))
        print(f"| {name} | " + " | ".join(cells) + f" | {ratio:.3f} | {min(rows[0]) / min(rows[1]):.3f} |")


if __name__ == "__main__":
    main()
