#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Read a folder's operators.json and cpu-trace.json as their users do, and hold them to each other.

Usage: trace.py FOLDER

Complete events of one track have to follow one another or lie one inside the other (Trace Event
Format, "Complete Events"), or viewers draw them wrongly.
"""
import json
import pathlib
import sys

ROUNDING_US = 0.002


def read(path):
    return json.loads(path.read_text())


def check_track(events):
    """Each event lies inside the one that is open, or begins behind its end."""
    open_ends = []
    for e in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
        assert e["ts"] >= 0 and e["dur"] >= 0, e
        while open_ends and open_ends[-1] <= e["ts"] + ROUNDING_US:
            open_ends.pop()
        end = e["ts"] + e["dur"]
        assert not open_ends or end <= open_ends[-1] + ROUNDING_US, f"{e} outlasts what it is in"
        open_ends.append(end)


def main():
    folder = pathlib.Path(sys.argv[1])
    operators, trace = read(folder / "operators.json"), read(folder / "cpu-trace.json")
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    names = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
    assert len(events) + len(names) + 1 == len(trace["traceEvents"])
    tracks = {}
    for e in events:
        assert e["tid"] in names, f"track {e['tid']} has no name"
        tracks.setdefault(e["tid"], []).append(e)
    for track in tracks.values():
        check_track(track)
    spans = [e for e in events if e["cat"] == "operator"]
    forwards = [e for e in events if e["cat"] == "forward"]
    assert len(forwards) == len(operators["forwards"])
    own = sum(e["args"]["self_us"] for e in spans if names[e["tid"]] == "thread 0")
    told = sum(o["self_us"] for o in operators["operators"])
    assert abs(own - told) <= ROUNDING_US * (len(spans) + 1), (own, told)
    whole = sum(f["us"] for f in operators["forwards"])
    assert abs(whole - told - operators["between_us"]) < 1
    assert told <= whole + 1 or not operators["tells_operators"], "operators outlast their forwards"
    threads = {e["tid"] for e in spans}
    print(f"{len(spans)} spans on {len(threads)} threads, {len(operators['operators'])} kinds of operators")


if __name__ == "__main__":
    sys.exit(main())
