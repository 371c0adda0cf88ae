#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Read a folder's operators.json and cpu-trace.json as their users do, and hold them to each other.

Usage: trace.py FOLDER

Complete events of one track have to follow one another or lie one inside the other (Trace Event
Format, "Complete Events"), or viewers draw them wrongly.  Every field is held to what that format
says of it; a field that it does not name is an error here, for viewers drop such a field unsaid.
"""
import json
import pathlib
import sys

ROUNDING_US = 0.002

NUMBER = (int, float)
# Fields of an event by its phase: Trace Event Format, "Event Descriptions", "Complete Events" and
# "Metadata Events"; ts and dur are microseconds whatever displayTimeUnit says.
COMMON = {"name": str, "ph": str, "pid": int, "tid": int, "args": dict}
FIELDS = {"X": {**COMMON, "cat": str, "ts": NUMBER, "dur": NUMBER}, "M": COMMON}
# Metadata has args of one field: what it names, or the place that its track has among the others.
METADATA = {"process_name": ("name", str), "thread_name": ("name", str),
            "thread_sort_index": ("sort_index", int)}
CATEGORIES = ("stage", "forward", "operator")


def read(path):
    return json.loads(path.read_text())


def check_event(e):
    """Every field that the event's phase has, of its type, and no other."""
    assert e.get("ph") in FIELDS, f"{e} is of no phase that assay writes"
    fields = FIELDS[e["ph"]]
    assert set(e) == set(fields), f"{e} has other fields than {sorted(fields)}"
    for field, kind in fields.items():
        assert isinstance(e[field], kind) and not isinstance(e[field], bool), f"{field} of {e}"
    assert e["name"], f"{e} has no name"
    if e["ph"] == "M":
        assert e["name"] in METADATA, e
        field, kind = METADATA[e["name"]]
        assert set(e["args"]) == {field} and isinstance(e["args"][field], kind) and e["args"][field], e
    else:
        assert e["cat"] in CATEGORIES, e


def check_document(trace):
    """The JSON Object Format: its keys, one process with one name, each track named once."""
    assert set(trace) == {"displayTimeUnit", "traceEvents"}, sorted(trace)
    assert trace["displayTimeUnit"] in ("ms", "ns")
    for e in trace["traceEvents"]:
        check_event(e)
    assert len({e["pid"] for e in trace["traceEvents"]}) == 1, "more than one process"
    named = [e for e in trace["traceEvents"] if e["ph"] == "M"]
    assert [e["name"] for e in named].count("process_name") == 1
    tracks = [e["tid"] for e in named if e["name"] == "thread_name"]
    assert len(tracks) == len(set(tracks)), "a track has two names"
    sorted_by = [e["tid"] for e in named if e["name"] == "thread_sort_index"]
    assert sorted_by == tracks, "tracks are not sorted in the order in which they are named"


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
    check_document(trace)
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    names = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
    assert len(events) + 2 * len(names) + 1 == len(trace["traceEvents"])
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
