#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ten-line adapter of docs/engine-protocol.md as somebody would take it from there.

Usage: ten_lines.py ASSAY SOURCE

Writes it into a folder of its own, detects with it, and measures it against a second build of itself
that adapter= names and that has another version and an option.
"""
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile


def code_of(page):
    """The first Python block of a Markdown page."""
    return re.search(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S).group(1)


def run(*command, status=0, **more):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False, **more)
    assert done.returncode == status, f"{command} exits {done.returncode}: {done.stderr}"
    return done


def write_builds(source, folder):
    """-> the folder of the page's adapter, and the script of a second build."""
    code = code_of(source / "docs/engine-protocol.md")
    assert len(code.strip().splitlines()) <= 12, "the page promises ten lines"
    other = code.replace('name, version = "half", "1"', 'name, version = "half", "2"').replace(
        "self.threads = threads", 'self.threads, self.say = threads, options.pop("say", "")').replace(
        '"flags": "none"', '"flags": "say=" + self.say')
    assert other.count('"2"') == 1 and other.count("say") > 3
    scripts = []
    for name, text in (("first", code), ("second", other)):
        (folder / name).mkdir()
        shutil.copy(source / "adapters/protocol.py", folder / name)
        scripts.append(folder / name / "half.py")
        scripts[-1].write_text(text, encoding="utf-8")
    return scripts


def check_detect(assay, model, document, env):
    """A map of halves is one box of the whole page."""
    done = run(assay, "detect", model, document, "--dpi", "30", "--box-thresh", "0.4", "--policy",
               "H=half,python=python3", env=env)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines and all(line["scores"] == [0.5] for line in lines), lines


def check_experiment(assay, model, document, second, folder, env):
    corpus, out = folder / "corpus", folder / "run"
    run(assay, "freeze", document, "--dpi", "40", "--box-thresh", "0.4", "-o", corpus)
    run(assay, "experiment", "--model", model, "--corpus", corpus, "--rounds", "1", "--limit-calls", "2",
        "--policy", "A=half,python=python3",
        "--policy", f"B=half,adapter=python3 {second},option.say=hello", "-o", out, env=env)
    with sqlite3.connect(f"file:{out}/evidence.db?mode=ro", uri=True) as db:
        facts = {(name, json.loads(text)["version"], json.loads(text)["flags"]) for name, text in db.execute(
            "SELECT p.name, e.json FROM engines e JOIN slots s ON s.id = e.slot "
            "JOIN policies p ON p.id = s.policy")}
    assert facts == {("A", "1", "none"), ("B", "2", "say=hello")}, facts
    kept = {str(p.relative_to(out)) for p in out.glob("executed/adapters/*/*.py")}
    assert {"executed/adapters/A/half.py", "executed/adapters/A/protocol.py",
            "executed/adapters/B/half.py"} <= kept, kept


def main():
    assay, source = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    model, document = source / "tests/data/tiny_detector.onnx", source / "examples/form.pdf"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        first, second = write_builds(source, folder)
        env = {**os.environ, "ASSAY_ADAPTERS": str(first.parent)}
        check_detect(assay, model, document, env)
        check_experiment(assay, model, document, second, folder, env)


if __name__ == "__main__":
    main()
