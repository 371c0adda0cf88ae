#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ten-line engine of docs/engine-protocol.md, and ways in which an adapter can be broken.

Usage: toy_adapter.py MODE, which is "good" or how it misbehaves.  Its map is constant: the model
file's first number (0 where it has none), plus option.add and the input's first value.
"""
import array
import json
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "adapters"))
from protocol import Missing, Operators, serve  # noqa: E402

MODE = sys.argv[1]


class Toy:
    name, version = "toy", "7"

    def __init__(self, threads, options):
        if MODE == "missing":
            raise Missing("no toys here")
        self.threads, self.add = threads, float(options.pop("add", 0))

    def load(self, model):
        word = pathlib.Path(model).read_bytes().split()[0]
        self.value = float(word) if word.startswith(b"0.") else 0.0

    def describe(self):
        return {"threads": self.threads, "flags": f"add={self.add}"}

    def run(self, x, shape):
        n, _, h, w = shape
        if MODE == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if MODE == "hang":
            time.sleep(60)
        if MODE == "exit":
            os._exit(3)
        if MODE == "short":
            return array.array("f", [0]), [n, 1, h, w]
        if MODE == "rank":
            return array.array("f", [0]), [1, 1, 1, 1, 1]
        return array.array("f", [self.value + self.add + x[0]]) * (n * h * w), [n, 1, h, w]


class Traces(Toy):
    """Tells two operators, one inside the other."""
    def trace(self, x, shape):
        operators = Operators()
        operators.add("toy::outer", 100, 5000, own=1000, name="n1", shape=str(shape))
        operators.add("toy::inner", 600, 4000, route="fast", nodes=-1 if MODE == "badtrace" else 1)
        return *self.run(x, shape), operators


class Lies(Toy):
    """Another name than the policy's."""
    name = "other"


def speak(*lines):
    """Answer with these lines, whatever is asked; the last one again and again."""
    lines = list(lines)
    while sys.stdin.readline():
        print(lines.pop(0) if len(lines) > 1 else lines[0], flush=True)


HELLO = json.dumps({"protocol": 1, "engine": "toy", "version": "7"})
if MODE == "nonsense":
    speak("good morning")
elif MODE == "protocol":
    speak(HELLO.replace("1,", "2,"))
elif MODE == "small":  # says that it wrote an output, and never made room for it
    speak(HELLO, "{}", json.dumps({"shape": [1, 1, 2, 2], "ns": [1]}))
elif MODE == "timeless":
    speak(HELLO, "{}", json.dumps({"shape": [1, 1, 2, 2], "ns": [0]}))
elif MODE == "shrink":  # takes the shared input away
    HELLO_LINE = json.loads(sys.stdin.readline())
    print(HELLO, flush=True)
    sys.stdin.readline()
    print("{}", flush=True)
    sys.stdin.readline()
    try:
        os.ftruncate(HELLO_LINE["input_fd"], 0)
        print(json.dumps({"error": "the input was shrunk"}), flush=True)
    except OSError:
        print(json.dumps({"error": "it does not shrink"}), flush=True)
else:
    serve({"name": Lies, "traces": Traces, "badtrace": Traces}.get(MODE, Toy))
