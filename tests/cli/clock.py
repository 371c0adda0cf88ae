#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Case B29 on whole experiments: what a broken clock says is never believed.

Usage: clock.py ASSAY CLOCK_SHIM SOURCE

The shim stands before the C library's clocks: wall time that jumps back, monotonic clocks that go back
50 ms at every 100th reading, are 2 s ahead at every 200th, or tick every 10 ms.
"""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

NS = ("preprocess_ns", "forward_ns", "transfer_ns", "postprocess_ns")


def run(folder, data, mode):
    """One experiment under `mode`: its exit status, what it said, and its database."""
    out = folder / (mode or "none")
    done = subprocess.run(
        [sys.argv[1], "experiment", "--model", data / "tiny_detector.onnx", "--corpus", folder / "corpus",
         "--policy", "a=native,threads=1", "--policy", "b=native,threads=1", "--rounds", "2", "--cycles", "60",
         "--noise", "report", "-q", "-o", out],
        env={**os.environ, "SHIM": mode, "LD_PRELOAD": sys.argv[2]}, stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL, text=True, check=False)
    return done.returncode, done.stderr, out


def numbers(value):
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


def check(folder, data, mode):
    status, said, out = run(folder, data, mode)
    db = sqlite3.connect(out / "evidence.db")
    (n,) = db.execute("SELECT count(*) FROM samples").fetchone()
    (n_bad,) = db.execute("SELECT count(*) FROM samples WHERE clock <> 'good'").fetchone()
    (n_told,) = db.execute("SELECT sum(n_bad_clock) FROM noise").fetchone()
    (unfit,) = db.execute("SELECT unfit FROM run").fetchone()
    good = db.execute(f"SELECT {', '.join(NS)} FROM samples WHERE clock = 'good'").fetchall()
    db.close()
    print(f"{mode or 'none'}: exit {status}, {n_bad} of {n} calls on a broken clock; {unfit or 'fit'}")
    assert n_bad == n_told
    assert all(0 <= ns < 1_900_000_000 for row in good for ns in row), "a jump was believed"
    summary = json.loads((out / "summary.json").read_text())
    for policy in summary["policies"]:
        spread = [v for v in numbers([policy["rounds_s"], policy["detection_s"], policy["documents"]])]
        assert all(v >= 0 for v in spread), "a negative time stands in the report"
    if n_bad * 100 > n:
        assert status == 3 and "clock is broken" in unfit and "clock is broken" in said
    else:
        assert status == 0 and not unfit, said
    return n_bad


def main():
    data = pathlib.Path(sys.argv[3]) / "tests/data"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.argv[1], "freeze", data / "images/pages.tif", "--whole-pages", "-q", "-o",
                        folder / "corpus"], check=True, stdout=subprocess.DEVNULL)
        assert check(folder, data, "") == 0
        assert check(folder, data, "real_back") == 0
        # A jump between two readings of one moment is seen and read again, so it may reach no call.
        check(folder, data, "mono_back")
        check(folder, data, "mono_glitch")
        assert check(folder, data, "coarse") > 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
