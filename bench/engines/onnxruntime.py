#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay against ONNX Runtime on one machine, interleaved.

Usage: onnxruntime.py --assay PROGRAM [--shape NxCxHxW]... [--threads T]... [--rounds N]
                      [--calls N] [--json FILE] MODEL.onnx...
A round runs each engine once in a fresh process (warm-up, then N calls, their median); who goes
first alternates from round to round.  The figure is the ratio assay / ONNX Runtime of a round's
two medians: its median over the rounds, quartiles, least and greatest.
Run it with the interpreter that tools/oracle made.
"""
import argparse
import datetime
import json
import pathlib
import platform
import statistics
import subprocess
import sys

WORKER = """
import sys, time, numpy as np, onnxruntime as ort
model, shape, threads, calls = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
options = ort.SessionOptions()
options.intra_op_num_threads, options.log_severity_level = threads, 3
net = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
state, name = np.random.default_rng(20260918), net.get_inputs()[0].name
x = state.uniform(-2, 2, [int(d) for d in shape.split("x")]).astype(np.float32)
times = []
for i in range(calls + 5):
    start = time.perf_counter()
    net.run(None, {name: x})
    times.append(time.perf_counter() - start)
print(1e3 * float(np.median(times[5:])))
"""


def run_assay(args, model, shape, threads):
    command = [args.assay, "bench", model, "--shape", shape, "--threads", str(threads),
               "--repeat", str(args.calls), "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)["median_ms"]


def run_onnxruntime(args, model, shape, threads):
    command = [sys.executable, "-c", WORKER, model, shape, str(threads), str(args.calls)]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def compare(args, model, shape, threads):
    """-> one row: both engines' medians over the rounds, and the ratios' spread."""
    engines = {"assay": run_assay, "onnxruntime": run_onnxruntime}
    rounds = []
    for i in range(args.rounds):
        order = list(engines) if i % 2 == 0 else list(engines)[::-1]
        rounds.append({name: engines[name](args, model, shape, threads) for name in order})
    ratios = sorted(r["assay"] / r["onnxruntime"] for r in rounds)
    quartiles = statistics.quantiles(ratios, n=4, method="inclusive")
    return {"model": pathlib.Path(model).name, "shape": shape, "threads": threads, "n": args.rounds,
            "assay_ms": statistics.median(r["assay"] for r in rounds),
            "onnxruntime_ms": statistics.median(r["onnxruntime"] for r in rounds),
            "ratio": statistics.median(ratios), "quartiles": [quartiles[0], quartiles[2]],
            "least": ratios[0], "greatest": ratios[-1], "rounds": rounds}


def cpu_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--assay", required=True)
    ap.add_argument("--shape", action="append")
    ap.add_argument("--threads", action="append", type=int)
    ap.add_argument("--rounds", type=int, default=12)
    ap.add_argument("--calls", type=int, default=10)
    ap.add_argument("--json")
    ap.add_argument("models", nargs="+")
    args = ap.parse_args()
    import onnxruntime
    print(f"{datetime.date.today()}, {cpu_model()}, Linux {platform.release()}, "
          f"ONNX Runtime {onnxruntime.__version__}; {args.rounds} rounds of {args.calls} calls an "
          "engine, each in a fresh process, order alternating\n")
    print("| model | input | threads | assay ms | ONNX Runtime ms | ratio | quartiles | range | n |")
    print("|---|---|---|---|---|---|---|---|---|")
    rows = []
    for model in args.models:
        for shape in args.shape or ["1x3x640x640"]:
            for threads in args.threads or [1, 2]:
                r = compare(args, model, shape, threads)
                rows.append(r)
                print(f"| {r['model']} | {shape} | {threads} | {r['assay_ms']:.1f} | "
                      f"{r['onnxruntime_ms']:.1f} | {r['ratio']:.3f} | {r['quartiles'][0]:.3f}-"
                      f"{r['quartiles'][1]:.3f} | {r['least']:.3f}-{r['greatest']:.3f} | {r['n']} |",
                      flush=True)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
