#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The readme's table of engines, out of what bench_engines measured.

    readme_table.py RUN.json [RUN.json] [--write README.md]

With two runs each row is that of the run in which assay looks worse.  Prints Markdown, or puts it
between the readme's lines "<!-- engines -->" and "<!-- end of engines -->".
"""
import argparse
import json
import pathlib

NAMES = {"onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "mnn": "MNN"}
BEGIN, END = "<!-- engines -->", "<!-- end of engines -->"


def rows_of(run):
    """{(model, input, threads): cell} of what was measured whole."""
    return {(cell["model"], "x".join(map(str, cell["shape"])), cell["threads"]): cell
            for cell in run["cells"]
            if cell["policies"].get("native", {}).get("ratio_to_fastest_other")}


def ratio_of(cell):
    return cell["policies"]["native"]["ratio_to_fastest_other"]


def number(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}"


def least_other(cell, key):
    return min(p[key] for name, p in cell["policies"].items() if name != "native" and key in p)


def row(key, cell):
    model, shape, threads = key
    ours, ratio = cell["policies"]["native"], ratio_of(cell)
    other = cell["fastest_other"]
    interval = f" ({ratio['low']:.2f}-{ratio['high']:.2f})" if ratio["low"] is not None else ""
    theirs = cell["policies"][other]["median_ms"]
    return (f"| {model.removesuffix('.onnx')} | {shape} | {threads} | {number(ours['median_ms'])} | "
            f"{number(theirs)} {NAMES.get(other, other)} | {ratio['ratio']:.2f}{interval} | "
            f"{number(ours['load_ms'])} / {number(least_other(cell, 'load_ms'))} | "
            f"{number(ours['peak_mib'])} / {number(least_other(cell, 'peak_mib'))} |")


def versions(run):
    policies = run["cells"][0]["policies"]
    return ", ".join(f"{NAMES[name]} {policies[name]['version']}" for name in NAMES
                     if policies.get(name, {}).get("version"))


def table(runs):
    worst = {}
    for run in runs:
        for key, cell in rows_of(run).items():
            if key not in worst or ratio_of(cell)["ratio"] > ratio_of(worst[key])["ratio"]:
                worst[key] = cell
    first, rounds = runs[0], ratio_of(next(iter(worst.values())))["n"]
    dates = " and ".join(run["date"] for run in runs)
    which = "the worse of two runs" if len(runs) == 2 else "one run"
    lines = [f"{dates}, {first['cpu']} ({first['isa']}, {first['cpus']} CPUs); {which}, {rounds} rounds "
             f"each, against {versions(first)}.", "",
             "| model | input | threads | assay ms | fastest other ms | ratio (95 %) | load ms, least "
             "other | peak MiB, least other |",
             "|---|---|---|---|---|---|---|---|"]
    return "\n".join(lines + [row(key, worst[key]) for key in worst]) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_args()
    text = table([json.loads(path.read_text()) for path in options.runs[:2]])
    if not options.write:
        print(text, end="")
        return
    readme = options.write.read_text()
    head, rest = readme.split(BEGIN + "\n", 1)
    _, tail = rest.split(END, 1)
    options.write.write_text(f"{head}{BEGIN}\n{text}{END}{tail}")


if __name__ == "__main__":
    main()
