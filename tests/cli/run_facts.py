#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print what transcripts ask of a run: its calls and settings, kinds of answers, passes, rounds.

Usage: run_facts.py RUN
"""
import contextlib
import json
import sqlite3
import sys

with contextlib.closing(sqlite3.connect(sys.argv[1] + "/evidence.db")) as db:
    print(db.execute("SELECT n, inputs FROM calls ORDER BY id").fetchall())
    print(db.execute("SELECT round(thresh, 3), unclip FROM inputs ORDER BY id").fetchall())
    kinds = db.execute("SELECT count(DISTINCT box_set) FROM answers JOIN slots ON slots.id = slot"
                       " WHERE phase = 'formal' AND policy = 0").fetchone()[0]
    slots = db.execute("SELECT DISTINCT count(*) FROM answers JOIN slots ON slots.id = slot"
                       " WHERE phase = 'formal' GROUP BY slot").fetchall()
    print(kinds, "kinds of answers of the first policy,", [n for (n,) in slots], "in each slot")
with open(sys.argv[1] + "/summary.json", encoding="utf-8") as file:
    summary = json.load(file)
for policy in summary["policies"]:
    equality = policy["equality"]
    print(policy["name"], equality["boxes_equal"], equality["inputs_a_pass"], "x", equality["passes"], "=",
          equality["answers_in_rounds"], policy["forwards"], "forwards")
for turn in summary["rounds"]:
    print(turn["round"], turn["whole"], [(t["policy"], t["inputs"], t["forwards"]) for t in turn["turns"]])
