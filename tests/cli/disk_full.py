#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An experiment on disks of every size that is too small: it says so, loses nothing and goes on; so is a
run that is to be replaced on a disk without room for another.

Usage: disk_full.py ASSAY SOURCE [STEP_KIB]

Each disk is a tmpfs in a mount namespace of this program's own; exits 77 where there is none to be had.
Sizes end where the whole run fits; they begin where the copies of what runs just do not fit, and go in
steps of STEP_KIB (default: 8 disks).
"""
import contextlib
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

ROOM = "size=64m"


def mount(folder, size, how="rw"):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"{how},{size}", "tmpfs", folder], check=True)


def used_kib(folder):
    stat = os.statvfs(folder)
    return (stat.f_blocks - stat.f_bfree) * stat.f_frsize // 1024


class Disk:
    """What is run on each disk, and how its end is looked at."""

    def __init__(self, assay, folder, source):
        self.assay, self.folder = assay, folder
        self.disk, self.run = folder / "disk", folder / "disk/run"
        self.disk.mkdir()
        pixels = bytes(v for y in range(110) for x in range(150)
                       for v in [0 if y % 36 >= 20 and x >= 20 else 255] * 3)
        (folder / "bars.ppm").write_bytes(b"P6\n150 110\n255\n" + pixels)
        self.call("freeze", folder / "bars.ppm", "--whole-pages", "-q", "-o", folder / "corpus")
        self.experiment = ("experiment", "--model", source / "tests/data/tiny_detector.onnx", "--corpus",
                           folder / "corpus", "--policy", "a=native,threads=1", "--policy",
                           "b=native,threads=1,conv=gemm", "--rounds", 1, "-q", "-o", self.run)

    def call(self, *words):
        return subprocess.run([self.assay, *map(str, words)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)

    def check_whole(self):
        """Every slot once, every file of JSON whole, nothing half-made."""
        with contextlib.closing(sqlite3.connect(self.run / "evidence.db")) as db:
            slots = db.execute("SELECT phase, round, policy FROM slots WHERE state = 'finished'").fetchall()
        formal = [s for s in slots if s[0] == "formal"]
        assert len(slots) == len(set(slots)) and len(formal) == 2, slots
        for path in self.run.rglob("*.json"):
            json.loads(path.read_text())
        left = [p for p in self.run.rglob("*") if ".part" in p.name or "journal" in p.name or ".tmp" in p.name]
        assert not left, left

    def fill(self, size_kib):
        """Run on a disk of that size. @return whether it was too small."""
        mount(self.disk, f"size={size_kib}k")
        try:
            done = self.call(*self.experiment)
            errors = [line for line in done.stderr.splitlines() if "warning" not in line]
            for path in self.run.rglob("*.json"):
                json.loads(path.read_text())
            if done.returncode == 0:
                self.check_whole()
                return False
            assert done.returncode == 5, (size_kib, done.returncode, done.stderr)
            assert re.search(r"disk/run|evidence\.db", errors[0]), errors
            assert re.search(r"No space left|(is|may be) full", errors[0]), errors
            mount(self.disk, ROOM, "remount")
            has_run = (self.run / "evidence.db").exists()
            again = self.call("experiment", "-q", "--resume", self.run) if has_run else self.call(
                *self.experiment)
            assert again.returncode == 0, (size_kib, again.stderr)
            self.check_whole()
            return True
        finally:
            subprocess.run(["umount", self.disk], check=True)

    def files(self):
        return {p: p.read_bytes() if p.is_file() else None for p in sorted(self.run.rglob("*"))}

    def replace(self, room_kib):
        """Replace a run where that much room is left, which is not enough: it stays to the byte."""
        mount(self.disk, ROOM)
        try:
            done = self.call(*self.experiment)
            assert done.returncode == 0, done.stderr
            older = self.files()
            mount(self.disk, f"size={used_kib(self.disk) + room_kib}k", "remount")
            done = self.call(*self.experiment, "--force")
            assert self.files() == older, room_kib
            assert done.returncode == 5, (room_kib, done.returncode, done.stderr)
            assert re.fullmatch(r"assay: .*(No space left|(is|may be) full).*\n", done.stderr), done.stderr
            mount(self.disk, ROOM, "remount")
            done = self.call("summarize", "-q", self.run)
            assert done.returncode == 0, done.stderr
            done = self.call(*self.experiment, "--force")
            assert done.returncode == 0, done.stderr
            self.check_whole()
        finally:
            subprocess.run(["umount", self.disk], check=True)


def main():
    assay, source = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        disk = Disk(assay, pathlib.Path(name), source)
        mount(disk.disk, ROOM)
        done = disk.call(*disk.experiment)
        assert done.returncode == 0, done.stderr
        disk.check_whole()
        needed, copies = used_kib(disk.disk), (disk.run / "executed/assay").stat().st_size // 1024
        subprocess.run(["umount", disk.disk], check=True)
        first = copies - 8
        step = int(sys.argv[3]) if len(sys.argv) > 3 else (needed - first) // 8
        sizes = range(first, needed + 1, step)
        n_full = sum(disk.fill(size) for size in sizes)
        print(f"{n_full} disks of {len(sizes)} were too small, the largest that is needed has {needed} KiB")
        assert n_full >= len(sizes) * 2 // 3, "hardly a disk was too small"
        for room_kib in (0, copies + 8):  # too little for a folder, for the database
            disk.replace(room_kib)


if __name__ == "__main__":
    if "DISK_FULL_INSIDE" not in os.environ:
        if subprocess.run(["unshare", "-rm", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
            sys.exit(77)
        os.environ["DISK_FULL_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "-rm", sys.executable, *sys.argv])
    main()
