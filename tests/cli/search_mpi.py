#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay-search-mpi on 1, 2 and 4 ranks: whatever holds no time is what `assay search` writes.

Usage: search_mpi.py ASSAY SOURCE [ASSAY_SEARCH_MPI]

Besides: the other ranks have ended when latency is measured, a rank that is killed loses nothing that
ended, ranks that could train other bits are refused, and a mistake is told once.  Exits 77, which ctest
counts as skipped, where the program was not built or mpirun is missing.
"""
import contextlib
import csv
import fnmatch
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

# The same bytes; what holds times, or the program that ran ...
WHOLE = ["*.onnx", "split-manifest.json", "training-epochs.csv", "environment.json", "learning*"]
OTHER = ["evidence.db", "executed", "logs", "plots", "*.png", "*.gp", "report.*"]
# ... the columns without times, in the order of the rows ...
COLUMNS = {
    "candidate-results.csv": "name validation_acc params mac test_acc",
    "candidate-latency-samples.csv": "name round repeat",
    "candidate-slots.csv": "name policy engine version repeat error",
    "operator-costs.csv": "case module input_shape output_shape params mac activation_ledger_bytes",
    "operator-timings.csv": "case module round repeat",
    "operator-part-timings.csv": "case module round repeat",
    "operator-ratios.csv": "case mac_ratio rounds factor_error",
    "operator-roofline.csv": "case module routes mac products bytes mac_per_byte samples",
}
# ... and the keys; of the protocol all but what was measured.
CHOICE = ["manual_baseline", "random_two_names"]
MEASURED = {"calls", "peak_mac_per_s", "bytes_per_s"}


def space(source):
    """Three small structures, each trained twice; the last ones long enough to be killed meanwhile."""
    return {
        "schema": 1, "name": "ranks", "seed": 7, "seeds": 2, "split": [0.6, 0.2, 0.2], "baseline": "standard-4",
        "data": {"format": "csv", "file": str(source / "data/digits.csv"), "shape": [1, 8, 8], "classes": 10,
                 "scale": 16},
        "training": {"optimiser": "adam", "rate": 0.003, "epochs": 20, "batch": 64},
        "structures": [
            {"vary": {"width": [4, 6]}, "name": "standard-$width", "kind": "standard",
             "layers": [{"layer": "standard", "width": "$width"}, {"layer": "relu"},
                        {"layer": "average_pool", "size": 2}, {"layer": "linear"}]},
            {"name": "dw_pw-4", "kind": "dw_pw", "training": {"epochs": 300},
             "layers": [{"layer": "dw_pw", "width": 4}, {"layer": "relu"}, {"layer": "average_pool", "size": 2},
                        {"layer": "linear"}]}]}


def is_any(name, patterns):
    return any(fnmatch.fnmatch(name, p) for p in patterns)


def without(value, keys):
    if isinstance(value, dict):
        return {k: without(v, keys) for k, v in value.items() if k not in keys}
    return [without(v, keys) for v in value] if isinstance(value, list) else value


def timeless(path):
    """What of a file may not depend on times; None where nothing is held."""
    if is_any(path.name, WHOLE):
        return path.read_bytes()
    if path.name in COLUMNS:
        with open(path, newline="", encoding="utf-8") as file:
            return [[row[c] for c in COLUMNS[path.name].split()] for row in csv.DictReader(file)]
    if path.name == "selection.json":
        return {k: json.loads(path.read_text())[k] for k in CHOICE}
    if path.name == "benchmark-protocol.json":
        return without(json.loads(path.read_text()), MEASURED)
    assert is_any(path.name, OTHER), f"{path.name} is not among the files that this test knows"
    return None


def stored(run):
    """Trainings and epochs of the evidence, in the order of structures and seeds, without times."""
    with contextlib.closing(sqlite3.connect(run / "evidence.db")) as db:
        columns = [r[1] for r in db.execute("PRAGMA table_info(trainings)") if r[1] not in ("id", "seconds")]
        return [db.execute(query).fetchall() for query in (
            f"SELECT {','.join(columns)} FROM trainings ORDER BY structure, seed_index",
            "SELECT structure, seed_index, epoch, train_loss, e.validation_loss, e.validation_accuracy"
            " FROM epochs e JOIN trainings t ON t.id = e.training ORDER BY structure, seed_index, epoch",
            "SELECT structure, seed_index, loss, accuracy FROM test_scores s JOIN trainings t"
            " ON t.id = s.training ORDER BY structure, seed_index")]


def hold(one, other):
    """Hold the run `other` to `one`. @return how many files are equal as a whole."""
    names, theirs = (sorted([p.name for p in run.iterdir()] + [f"plots/{p.name}" for p in run.glob("plots/learning*")])
                     for run in (one, other))
    assert names == theirs, (names, theirs)
    for name in names:
        assert timeless(one / name) == timeless(other / name), f"{other.name}/{name} is not {one.name}/{name}"
    assert stored(one) == stored(other), f"{other.name}/evidence.db is not {one.name}/evidence.db"
    return sum(is_any(pathlib.Path(n).name, WHOLE) for n in names)


def ranks(mpirun, program):
    """{rank: process id} of the ranks that live: children of that mpirun that run the program."""
    found = {}
    for task in pathlib.Path(f"/proc/{mpirun.pid}/task").iterdir():
        for pid in (task / "children").read_text().split():
            with contextlib.suppress(OSError, KeyError):
                entry = pathlib.Path("/proc", pid)
                environment = dict(v.split(b"=", 1) for v in (entry / "environ").read_bytes().split(b"\0") if b"=" in v)
                if os.path.samefile(entry / "exe", program):
                    found[int(environment[b"OMPI_COMM_WORLD_RANK"])] = int(pid)
    return found


class Bench:
    """The programs and how they are called."""

    def __init__(self, assay, program, folder):
        self.assay, self.program, self.folder = assay, program, folder

    def single(self, *words):
        subprocess.run([self.assay, "search", "-q", "--slots", "1", *map(str, words)], check=True,
                       stdout=subprocess.DEVNULL)

    def mpirun(self, *words):
        """Words for the whole of mpirun, PROGRAM among them for the program."""
        words = [self.program if w == "PROGRAM" else str(w) for w in words]
        return subprocess.Popen(["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", *words],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def fails(self, status, sentence, *words):
        process = self.mpirun(*words)
        err = process.communicate()[1]
        told = [line for line in err.splitlines() if line.startswith("assay: ")]
        assert process.returncode == status and len(told) == 1 and sentence in told[0], (process.returncode, err)

    def is_alone(self, process, mark):
        """Whether rank 0 was once seen alone, with the file `mark` there, before the program ended."""
        seen = []
        while process.poll() is None:
            seen.append(mark.exists() and sorted(ranks(process, self.program)) == [0])
            time.sleep(0.05)
        return any(seen)


def test_bytes(bench, name):
    """The same bytes whatever the number of ranks."""
    bench.single(name, "-o", bench.folder / "one")
    for n in 1, 2, 4:
        run = bench.folder / f"ranks-{n}"
        split = ["--split", bench.folder / "one/split-manifest.json", "--seeds", 2] if n == 2 else []
        process = bench.mpirun("-n", n, "PROGRAM", "-q", "--slots", 1, *split, name, "-o", run)
        alone = bench.is_alone(process, run / "dw_pw-4.onnx")
        out, err = process.communicate()
        assert process.returncode == 0, (n, out, err)
        assert alone, f"with {n} ranks, rank 0 was never alone behind the trainings"
        print(f"{n} ranks: {hold(bench.folder / 'one', run)} files are the same bytes")


def n_trained(run):
    try:
        with contextlib.closing(sqlite3.connect(f"file:{run / 'evidence.db'}?mode=ro", uri=True)) as db:
            return db.execute("SELECT count(*) FROM trainings").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_kill(bench, name):
    """A rank is killed in the midst of the trainings; what had ended is there, and resuming gives the same."""
    run, total = bench.folder / "killed", 6
    process = bench.mpirun("-n", 2, "PROGRAM", "--slots", 1, name, "-o", run)
    while n_trained(run) == 0:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    os.kill(ranks(process, bench.program)[1], signal.SIGKILL)
    err = process.communicate()[1]
    told = [line for line in err.splitlines() if line.startswith("assay: ")]
    assert process.returncode != 0 and len(told) == 1 and "stopped" in told[0], (process.returncode, err)
    assert f"what ended is kept: 'assay-search-mpi --resume {run}' goes on" in err, err
    kept = n_trained(run)
    assert 0 < kept < total, kept
    process = bench.mpirun("-n", 2, "PROGRAM", "-q", "--resume", run)
    err = process.communicate()[1]
    assert process.returncode == 0, err
    hold(bench.folder / "one", run)
    print(f"a rank was killed: {kept} of {total} trainings were kept, the rest came by --resume")


def test_refusals(bench, name):
    bench.fails(2, "-o RUN", "-n", 2, "PROGRAM", name)
    if "avx2" in pathlib.Path("/proc/cpuinfo").read_text() or os.uname().machine == "aarch64":
        bench.fails(3, "rank 1 on", "-n", 1, "PROGRAM", name, "-o", bench.folder / "isa",
                    ":", "-n", 1, "-x", "ASSAY_ISA=scalar", "PROGRAM")


def main():
    if len(sys.argv) < 4 or not shutil.which("mpirun"):
        print("SKIPPED: there is no MPI here, so assay-search-mpi is not tested (libopenmpi-dev, openmpi-bin)")
        return 77
    source = pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(sys.argv[1], sys.argv[3], pathlib.Path(name))
        file = bench.folder / "space.json"
        file.write_text(json.dumps(space(source)))
        test_bytes(bench, file)
        test_kill(bench, file)
        test_refusals(bench, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
