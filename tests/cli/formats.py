#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold docs/formats.md to what assay writes: every key of a real file stands in its section.

Usage: formats.py ASSAY SOURCE
"""
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

# Keys that are data: names of files and policies.
DATA = {("machine", "adapters"), ("adapters",)}


def keys(value, path=()):
    """Every key of a JSON value with the place where it stands."""
    if isinstance(value, list):
        for item in value:
            yield from keys(item, path)
    elif isinstance(value, dict) and path not in DATA:
        for key, item in value.items():
            yield path + (key,)
            yield from keys(item, path + (key,))


class Document:
    """docs/formats.md: the words in backticks of each section."""

    def __init__(self, text):
        parts = re.split(r"^## (.*)$", text, flags=re.M)[1:]
        self.sections = dict(zip(parts[::2], parts[1::2]))
        self.missing = set()
        self.n_seen = 0

    def check(self, section, value):
        words = set(re.findall(r"`([^`\n]+)`", self.sections[section]))
        for path in set(keys(value)):
            self.n_seen += 1
            if path[-1] not in words:
                self.missing.add((section, ".".join(path)))

    def check_table(self, table, columns):
        rows = re.findall(rf"^\| `{table}` \| (.*) \|$", self.sections["evidence.db"], flags=re.M)
        words = set(re.findall(r"`([^`\n]+)`", "".join(rows)))
        self.n_seen += len(columns)
        self.missing |= {("evidence.db", f"{table}.{c}") for c in columns if c not in words}

    def example(self, section):
        return re.search(r"```json\n(.*?)```", self.sections[section], flags=re.S).group(1)


def assay(*words, allowed=(0,)):
    done = subprocess.run([sys.argv[1], *map(str, words)], stdout=subprocess.PIPE, text=True,
                          check=False)
    assert done.returncode in allowed, f"{words} exits {done.returncode}"
    return done.stdout


def write_bars(path):
    """Dark bars on white up to the right edge, where padding changes what the network sees."""
    width, height = 150, 110
    rows = [[0 if y % 36 >= 20 and x >= 20 else 255 for x in range(width)] for y in range(height)]
    pixels = bytes(v for row in rows for v in row for _ in range(3))
    path.write_bytes(b"P6\n%d %d\n255\n" % (width, height) + pixels)


def check_corpus(document, folder, data):
    """A corpus with every kind of entry; the example of the regions file makes another."""
    broken = folder / "broken.png"
    broken.write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    write_bars(folder / "bars.ppm")
    assay("freeze", folder / "bars.ppm", data / "images/pages.tif", broken, "--whole-pages",
          "-q", "-o", folder / "corpus", allowed=(4,))
    manifest = json.loads((folder / "corpus/manifest.json").read_text())
    assert all(manifest[k] for k in ("sources", "documents", "regions", "calls", "skipped"))
    document.check("manifest.json", manifest)
    regions = folder / "regions.json"
    regions.write_text(document.example("Regions file"))
    assay("freeze", data / "images/rgb8.png", "--regions", regions, "-q", "-o", folder / "two")
    frozen = json.loads((folder / "two/manifest.json").read_text())["regions"]
    wanted = json.loads(regions.read_text())["regions"]
    assert [r["xywh"] for r in frozen] == [r["xywh"] for r in wanted]
    assert frozen[1]["settings"] == wanted[1]["settings"]
    return broken


def check_boxes(document, data, broken):
    lines = assay("detect", data / "tiny_detector.onnx", data / "images/pages.tif", broken, "--stages",
                  allowed=(4,)).splitlines()
    lines = [json.loads(line) for line in lines]
    assert {"page", "stages", "error"} <= {k for line in lines for k in line}
    document.check("Boxes", lines)


def check_plan(document, folder, data):
    assay("tune", data / "tiny_detector.onnx", "--corpus", folder / "corpus", "--threads", 1, "--budget",
          "0.01", "-q", "-o", folder / "plan.json", allowed=(0, 6))
    plan = json.loads((folder / "plan.json").read_text())
    assert plan["layers"] and plan["evidence"]["calls"]
    document.check("Plan file", plan)


def check_profile(document, folder, data):
    assay("profile", "--model", data / "tiny_detector.onnx", "--corpus", folder / "corpus", "--policy",
          "g=native,conv=gemm", "-q", "-o", folder / "profile")
    operators = json.loads((folder / "profile/operators.json").read_text())
    assert operators["operators"] and operators["routes"] and operators["forwards"]
    document.check("operators.json", operators)


def check_operators(document, folder):
    out = assay("bench", "--operators", "--rounds", 1, "--repeat", 2, "--json", "-q", "-o", folder / "operators")
    document.check("Operator study", json.loads(out))
    machine = json.loads((folder / "operators/environment.json").read_text()).pop("machine")
    document.check("evidence.db", machine)
    for path in (folder / "operators").iterdir():
        if path.suffix == ".json":
            document.check("Operator study", {k: v for k, v in json.loads(path.read_text()).items()
                                              if k not in ("versions", "machine")})
        if path.suffix == ".csv":
            columns = path.read_text().split("\n", 1)[0].split(",")
            document.check("Operator study", dict.fromkeys(columns))


def check_latency_table(document, folder, data):
    models, table = [data / "digits.onnx"] * 2, folder / "table.json"
    words = ["--shape", "1x1x8x8", "--threads", 1, "--repeat", 5, "--json", "--latency-table", table]
    for some in (models, models[:1]):
        document.check("Latency table", json.loads(assay("bench", *some, *words)))
    document.check("Latency table", json.loads(table.read_text()))


def check_search(document, folder, source):
    """Keys of spaces but for the names that "vary" has of its own, and every file of a short search."""
    for path in ("data/digits.json", "examples/shapes.json", "fuzz/search/space/blocks_and_depths"):
        space = json.loads((source / path).read_text())
        for family in space["structures"]:
            if "vary" in family:
                family["vary"] = None
        document.check("Search space", space)
    space = {"schema": 1, "name": "toy", "seed": 7, "split": [0.6, 0.2, 0.2], "baseline": "a",
             "data": {"format": "csv", "file": "toy.csv", "shape": [1, 2, 2], "classes": 3},
             "training": {"epochs": 1}, "structures": [{"name": "a", "layers": [{"layer": "linear"}]}]}
    (folder / "toy.csv").write_text("".join(f"{i},{i % 5},1,0,{i % 3}\n" for i in range(30)))
    (folder / "toy.json").write_text(json.dumps(space))
    run = folder / "search"
    assay("search", folder / "toy.json", "--slots", 1, "-q", "-o", run)
    document.check("split-manifest.json", json.loads((run / "split-manifest.json").read_text()))
    for name in ("selection.json", "benchmark-protocol.json"):
        value = json.loads((run / name).read_text())
        value.pop("operators", None)  # the study's own section has them
        value.pop("activation_ledger_bytes", None)
        document.check("Candidates of a structure search", value)
    for path in run.glob("[ct]*-*.csv"):
        columns = path.read_text().split("\n", 1)[0].split(",")
        document.check("Candidates of a structure search", dict.fromkeys(columns))


def check_run(document, folder, data):
    run = folder / "run"
    # Padding moves boxes, so that differences are seen.
    assay("experiment", "--model", data / "tiny_detector.onnx", "--corpus", folder / "corpus", "--policy",
          "a=native,threads=1", "--policy", "b=native,threads=1,bucket=96", "--rounds", 1,
          "--on-difference", "measure", "-q", "-o", run, allowed=(1,))
    summary = json.loads((run / "summary.json").read_text())
    assert summary["differences"], "no box moved, so nothing is seen of differences"
    del summary["machine"]  # the evidence's own texts, looked at below
    for engine in summary["engines"]:
        del engine["facts"]
    document.check("summary.json", {**summary, "machine": None, "facts": None})
    with sqlite3.connect(run / "evidence.db") as db:
        tables = [t for (t,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for table in tables:
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            document.check_table(table, [c for c in columns if c != "id"])
        for column in ("machine_json", "findings_json"):
            (text,) = db.execute(f"SELECT {column} FROM run").fetchone()
            document.check("evidence.db", json.loads(text))
        for query in ("SELECT json FROM engines", "SELECT trace FROM profiles"):
            for (text,) in db.execute(query):
                document.check("evidence.db", json.loads(text))
    db.close()


def main():
    source = pathlib.Path(sys.argv[2])
    data = source / "tests/data"
    document = Document((source / "docs/formats.md").read_text())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        broken = check_corpus(document, folder, data)
        check_boxes(document, data, broken)
        check_plan(document, folder, data)
        check_profile(document, folder, data)
        check_operators(document, folder)
        check_latency_table(document, folder, data)
        check_search(document, folder, source)
        check_run(document, folder, data)
    for section, key in sorted(document.missing):
        print(f"docs/formats.md, {section}: nothing of {key}")
    print(f"{document.n_seen} keys and columns, {len(document.missing)} without a word")
    return 1 if document.missing else 0


if __name__ == "__main__":
    sys.exit(main())
