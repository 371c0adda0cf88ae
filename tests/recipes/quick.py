#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The quick form of a recipe on the bundled documents.

Usage: quick.py ASSAY SOURCE RECIPE|interrupt

Holds what comes of it to what the recipe promises; given a second time, it goes on with the finished run
and changes nothing.  An engine that is not installed has to be said with exit status 3.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time


class Missing(Exception):
    """What the recipe needs is not here, and it said so."""


def go(recipe, run, *more):
    """-> exit status and stderr."""
    done = subprocess.run([SOURCE / "recipes" / recipe, "-o", run, "--quick", *more], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "ASSAY": ASSAY})
    if done.returncode == 3:
        assert "tools/engines" in done.stderr, done.stderr
        raise Missing(done.stderr.strip().splitlines()[-1])
    return done.returncode, done.stdout + done.stderr


def policies_of(summary):
    return {policy["name"]: policy for policy in summary["policies"]}


def equal(summary, *names):
    """Every named policy saw boxes, and all of them were equal."""
    for name in names:
        equality = policies_of(summary)[name]["equality"]
        assert equality["boxes_equal"] and equality["inputs_with_boxes"] > 0, (name, equality)


def check_nnpack(summary, _run):
    equal(summary, "A", "V", "R")
    flags = {(e["policy"], e["facts"]["flags"].split(",denormals")[0]) for e in summary["engines"]}
    assert flags == {("A", "mkldnn=off,nnpack=on"), ("V", "mkldnn=off,nnpack=off"),
                     ("R", "mkldnn=off,nnpack=on")}, flags
    forwards = {s["policy"]: s["forwards"] for s in summary["slots"] if s["phase"] == "formal"}
    assert forwards["A"] == forwards["V"] == 2 and forwards["R"] == 3, forwards


def check_engines(summary, _run):
    names = set(policies_of(summary))
    assert "native" in names and len(names) > 1, names
    equal(summary, "native")
    threads = {e["facts"]["threads"] for e in summary["engines"]}
    assert threads == {1}, threads


def check_fusion(summary, _run):
    assert set(policies_of(summary)) == {"fused", "direct", "plain"}
    equal(summary, "fused", "direct")


def check_buckets(summary, _run):
    equal(summary, "own", "b32")
    assert policies_of(summary)["b128"]["equality"]["boxes_equal"] is False
    assert summary["verdict"]["chosen"] not in ("b64", "b128")


def check_threads(summary, _run):
    names = set(policies_of(summary))
    assert "t1" in names and f"t{len(os.sched_getaffinity(0))}" in names, names
    equal(summary, *names)


def check_microbatch(summary, run):
    equal(summary, "whole", "p1", "p8")
    lines = (run / "microbatch.md").read_text(encoding="utf-8").splitlines()
    sizes = [int(line.split("|")[1]) for line in lines if line[2:3].isdigit()]
    assert sizes == [1, 2, 4, 8, 16, 32], sizes
    assert sum("break-even |" in line for line in lines) == 1, lines
    assert (run / "microbatch.svg").read_text(encoding="utf-8").rstrip().endswith("</svg>")


# Recipe: its check, the exit statuses that may come of it, options that make it one of a test.
RECIPES = {"nnpack": (check_nnpack, {0}, []),
           "engines": (check_engines, {0, 1}, ["--threads", "1"]),
           "fusion": (check_fusion, {0, 1}, []),
           "buckets": (check_buckets, {1}, []),
           "microbatch": (check_microbatch, {0}, []),
           "threads": (check_threads, {0}, [])}


def check(recipe):
    holds, statuses, more = RECIPES[recipe]
    with tempfile.TemporaryDirectory() as name:
        run = pathlib.Path(name, "run")
        status, said = go(recipe, run, *more)
        assert status in statuses, f"{recipe} exits {status}: {said}"
        text = (run / "summary.json").read_text(encoding="utf-8")
        summary = json.loads(text)
        assert summary["state"] == "finished" and summary["rounds_done"] == 1, summary["state"]
        holds(summary, run)
        assert go(recipe, run, *more)[0] == status
        assert (run / "summary.json").read_text(encoding="utf-8") == text, "it ran again"


def check_interrupt():
    """Ctrl-C is assay's to answer: status 130, and how to go on."""
    with tempfile.TemporaryDirectory() as name:
        run = pathlib.Path(name, "run")
        command = [SOURCE / "recipes/fusion", "-o", run, "--quick", "--", "--rounds", "999"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              start_new_session=True, env={**os.environ, "ASSAY": ASSAY}) as process:
            while process.poll() is None and not (run / "evidence.db").exists():
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGINT)
            said = process.communicate()[1]
        assert process.returncode == 130, (process.returncode, said)
        assert "--resume" in said and "Traceback" not in said, said


ASSAY, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
if __name__ == "__main__":
    if not (SOURCE / "models/PP-OCRv6_det_small.onnx").exists():
        print("SKIP: tools/models fetches the model")
        sys.exit(77)
    try:
        check_interrupt() if sys.argv[3] == "interrupt" else check(sys.argv[3])
    except Missing as why:
        print(f"said as it has to be: {why}")
