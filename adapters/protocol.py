# SPDX-License-Identifier: Apache-2.0
"""An adapter's half of docs/engine-protocol.md.

    from protocol import serve

    class Engine:
        name, version = "half", "1"
        def __init__(self, threads, options): ...      raise Missing, ValueError (a bad option)
        def load(self, model): ...
        def describe(self): return {"threads": ..., "flags": "..."}
        def run(self, x, shape): return floats, shape  x: floats as a memoryview
        def cleanup(self): ...                         may be left out
        def trace(self, x, shape): return floats, shape, operators    may be left out; Operators

    serve(Engine)

Replies go where stdout led; stdout itself is led to stderr, because engines print on it.
"""
import json
import mmap
import os
import sys
import time

VERSION = 1


class Missing(Exception):
    """The engine is not installed."""


class Floats:
    """The floats in the shared file behind a descriptor; it grows on either side."""

    def __init__(self, fd):
        self.fd, self.map = fd, b""

    def view(self, at, count):
        """-> count floats from byte `at` on."""
        end = at + 4 * count
        if end > len(self.map):
            self.map = mmap.mmap(self.fd, os.fstat(self.fd).st_size)
        return memoryview(self.map)[at:end].cast("f")

    def put(self, floats, count):
        """Store `count` floats of any contiguous buffer at the beginning."""
        source = memoryview(floats).cast("B")
        if source.nbytes != 4 * count:
            raise RuntimeError(f"the output has {source.nbytes} bytes, its shape needs {4 * count}")
        if os.fstat(self.fd).st_size < source.nbytes:
            os.ftruncate(self.fd, source.nbytes)
        memoryview(self.view(0, count)).cast("B")[:] = source


class Operators:
    """What a traced run consisted of; times in nanoseconds from its beginning.

    `elapsed` is what the run took, where that is less than the call of trace: a profiler takes its
    own time to begin and to tell.
    """

    def __init__(self):
        self.kinds, self.spans, self.elapsed = {}, [], None

    def add(self, op, begin, elapsed, own=None, route="", name="", shape="", thread=0, nodes=0):
        """One operator's turn; `own` is what of `elapsed` was spent in no operator inside it."""
        kind = (op, route, name, shape, nodes)
        index, count = self.kinds.get(kind, (len(self.kinds), 0))
        self.kinds[kind] = index, count + 1
        elapsed = max(0, int(elapsed))
        own = elapsed if own is None else min(elapsed, max(0, int(own)))
        self.spans.append([index, thread, max(0, int(begin)), elapsed, own])

    def told(self):
        return {"operators": [[*kind, count] for kind, (_, count) in self.kinds.items()],
                "spans": self.spans}


def take_option(options, key, allowed):
    """Take a choice out of the options; the first allowed value is the default."""
    value = options.pop(key, allowed[0])
    if value not in allowed:
        raise ValueError(f"option.{key}={value} is unknown, there are {', '.join(allowed)}")
    return value


def count_of(shape):
    count = 1
    for extent in shape:
        count *= int(extent)
    return count


class Server:
    def __init__(self, make):
        self.make, self.engine = make, None

    def hello(self, ask):
        os.sched_setaffinity(0, ask["cpus"])
        options = dict(ask["options"])
        self.engine = self.make(ask["threads"], options)
        if options:
            raise ValueError(f"option.{next(iter(options))} is unknown to {self.engine.name}")
        self.input, self.output = Floats(ask["input_fd"]), Floats(ask["output_fd"])
        return {"protocol": VERSION, "engine": self.engine.name, "version": self.engine.version,
                "traces": hasattr(self.engine, "trace")}

    def load(self, ask):
        self.engine.load(ask["model"])
        return {}

    def describe(self, _ask):
        return {"device": "cpu", "dtype": "float32", **self.engine.describe()}

    def forward(self, ask):
        x, times = self.input.view(ask["at"], count_of(ask["shape"])), []
        for _ in range(ask["repeat"]):
            begin = time.perf_counter_ns()
            floats, shape = self.engine.run(x, ask["shape"])
            times.append(time.perf_counter_ns() - begin)
        shape = [int(extent) for extent in shape]
        self.output.put(floats, count_of(shape))
        return {"shape": shape, "ns": times}

    def trace(self, ask):
        x = self.input.view(ask["at"], count_of(ask["shape"]))
        begin = time.perf_counter_ns()
        floats, shape, operators = self.engine.trace(x, ask["shape"])
        elapsed = operators.elapsed or time.perf_counter_ns() - begin
        shape = [int(extent) for extent in shape]
        self.output.put(floats, count_of(shape))
        return {"shape": shape, "ns": [int(elapsed)], **operators.told()}

    def cleanup(self, _ask):
        getattr(self.engine, "cleanup", lambda: None)()
        self.input, self.output = Floats(self.input.fd), Floats(self.output.fd)
        return {}

    def answer(self, ask):
        """-> the reply; a failure becomes one sentence and its kind."""
        kinds = {"hello": "failed", "load": "model"}
        try:
            return {"hello": self.hello, "load": self.load, "describe": self.describe,
                    "forward": self.forward, "trace": self.trace,
                    "cleanup": self.cleanup}[ask["do"]](ask)
        except (Missing, ImportError) as why:
            return {"error": str(why), "kind": "missing"}
        except Exception as why:  # an engine may raise anything, and assay is to hear of it
            is_option = ask["do"] == "hello" and isinstance(why, ValueError)
            sentence = " ".join(str(why).split()) or type(why).__name__
            return {"error": sentence, "kind": "option" if is_option else kinds.get(ask["do"], "failed")}


def serve(make):
    """Answer assay's lines until it says quit or is gone."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    server = Server(make)
    for line in sys.stdin:
        ask = json.loads(line)
        if ask["do"] == "quit":
            break
        print(json.dumps(server.answer(ask)), file=replies, flush=True)
    replies.flush()
    os._exit(0)  # engines' own threads need no farewell
