#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What throttling and steal do to a slot's time: the trials behind two rules for noise.

    noise.py --assay ASSAY throttling [--rounds N]     as root, on a machine with cgroup version 1 or 2
    noise.py --assay ASSAY steal [--slots N]           on a virtual machine, which takes what its host does

Slots are `assay worker --kernel N`: one thread, a fixed amount of work, and what the machine did besides.
throttling  runs one slot under each quota, round by round in a rotated order, in a group of its own
            that is removed at the end.
steal       runs two slots side by side, one pinned to each of two CPUs, as a step of two threads would: its
            time is the longer one.  Nobody can make steal; the trial reports that which came.
Slots have niceness -20 where that is allowed, so that other work of this machine seldom holds them up.
Printed as Markdown; --raw FILE keeps every slot, one JSON object a line.
"""
import argparse
import json
import math
import os
import pathlib
import random
import statistics
import subprocess

GROUPS = pathlib.Path("/sys/fs/cgroup")
PERIOD_US = 100000
QUOTAS = (None, 1.10, 0.99, 0.97, 0.95, 0.90, 0.80, 0.50)  # of a CPU; the slot's thread wants 1
GATE = 5  # per cent, of run delay and of pressure: src/verdict/noise.h


class Group:
    """A cgroup of our own with a quota."""

    def __init__(self):
        self.is_first = (GROUPS / "cpu/cpu.cfs_quota_us").exists()
        self.folder = (GROUPS / "cpu" if self.is_first else GROUPS) / f"assay-trial-{os.getpid()}"
        self.folder.mkdir()

    def limit(self, share):
        quota = None if share is None else int(share * PERIOD_US)
        if self.is_first:
            (self.folder / "cpu.cfs_quota_us").write_text(str(-1 if quota is None else quota))
        else:
            (self.folder / "cpu.max").write_text(f"{'max' if quota is None else quota} {PERIOD_US}")

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))


def begin(options, cpu, group=None):
    def prepare():
        os.setsid()
        try:
            pathlib.Path("/proc/self/autogroup").write_text("-20")
            os.nice(-20)
        except OSError:
            pass
        os.sched_setaffinity(0, {cpu})
        if group:
            group.enter()
    return subprocess.Popen([options.assay, "worker", "--kernel", str(options.kernel)], text=True,
                            stdout=subprocess.PIPE, preexec_fn=prepare)


def end(process):
    """-> {"s", "throttled", "steal", "delay", "psi"} of the slot, shares in per cent."""
    lines = process.communicate()[0].splitlines()
    told, noise = json.loads(lines[0]), json.loads(lines[1])
    return {"s": told["seconds"], "throttled": noise["n_throttled"],
            "steal": 100 * noise["steal_ticks"] / noise["total_ticks"],
            "delay": 100 * noise["run_delay_s"] / noise["wall_s"],
            "psi": 100 * noise["psi_cpu_s"] / noise["wall_s"]}


def three(values, form):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:{form}} ({low:{form}}-{high:{form}})"


def throttling(options):
    cpu, rows, group = min(os.sched_getaffinity(0)), [], Group()
    try:
        for i in range(options.rounds):
            at = i % len(QUOTAS)
            for share in QUOTAS[at:] + QUOTAS[:at]:
                group.limit(share)
                rows.append({"round": i, "quota": share, **end(begin(options, cpu, group))})
    finally:
        group.folder.rmdir()
    free = {row["round"]: row["s"] for row in rows if row["quota"] is None}
    print("| quota, CPUs | slots | times throttled | run delay, % of wall | time to that without quota | "
          "throttled, other levels below 5 % |\n|---|---|---|---|---|---|")
    for share in QUOTAS:
        some = [row for row in rows if row["quota"] == share]
        alone = sum(row["throttled"] > 0 and row["delay"] < GATE and row["psi"] < GATE for row in some)
        print(f"| {share or 'none'} | {len(some)} | {three([r['throttled'] for r in some], '.0f')} | "
              f"{three([r['delay'] for r in some], '.1f')} | "
              f"{three([r['s'] / free[r['round']] for r in some], '.2f')} | {alone} |")
    return rows


def slope(rows):
    """-> by how many per cent a slot takes longer for each per cent of steal: least squares on ln s."""
    x, y = [row["steal"] for row in rows], [math.log(row["s"]) for row in rows]
    middle_x, middle_y = statistics.mean(x), statistics.mean(y)
    return 100 * sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y)) / sum((a - middle_x)**2 for a in x)


def steal(options):
    first, second = sorted(os.sched_getaffinity(0))[:2]
    rows = []
    for _ in range(options.slots):
        both = [end(process) for process in (begin(options, first), begin(options, second))]
        rows.append({key: max(slot[key] for slot in both) for key in both[0]})
    quiet = [row for row in rows if row["delay"] < GATE]
    print(f"{len(quiet)} of {len(rows)} slots had a run delay below {GATE} %.\n")
    print("| steal, % of all ticks | slots | seconds |\n|---|---|---|")
    for low, high in ((-1, 0), (0, 2), (2, 5), (5, 100)):
        some = [row["s"] for row in quiet if low < row["steal"] <= high]
        if len(some) > 1:
            print(f"| {'none' if high == 0 else f'above {low}, to {high}'} | {len(some)} | {three(some, '.3f')} |")
    chance = random.Random(1)
    drawn = sorted(slope(chance.choices(quiet, k=len(quiet))) for _ in range(2000))
    print(f"\nOne per cent of steal takes {slope(quiet):.1f} % of time ({drawn[50]:.1f} to {drawn[1949]:.1f}, bootstrap).")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trial", choices=("throttling", "steal"))
    parser.add_argument("--assay", default="build/assay")
    parser.add_argument("--kernel", type=int, default=4000, help="repetitions: 0.4 to 0.6 s")
    parser.add_argument("--rounds", type=int, default=16)
    parser.add_argument("--slots", type=int, default=200)
    parser.add_argument("--raw", type=pathlib.Path)
    options = parser.parse_args()
    rows = {"throttling": throttling, "steal": steal}[options.trial](options)
    if options.raw:
        options.raw.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
