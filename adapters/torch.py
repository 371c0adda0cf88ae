# SPDX-License-Identifier: Apache-2.0
"""PyTorch behind docs/engine-protocol.md: the .onnx file node by node, by torch_graph.py.

option.mkldnn=on|off    oneDNN, which PyTorch calls mkldnn, for what it takes
option.nnpack=on|off    NNPACK, for convolutions that oneDNN leaves, from 16 images on
(a policy writes them mkldnn= and nnpack=)

Threads stay on the set of their CPUs, none is pinned to one: NNPACK's pool would inherit the
place of the thread that makes it, and all of it would run there.
"""
import gc
import sys
import time

from protocol import Operators, serve, take_option

FOLDER = sys.path.pop(0)  # whose torch.py is not the engine


class Torch:
    name = "torch"

    def __init__(self, threads, options):
        import torch
        sys.path.append(FOLDER)
        import torch_graph
        self.torch, self.make, self.version = torch, torch_graph.Graph, torch.__version__
        switches = {name: take_option(options, name, ["on", "off"]) for name in ("mkldnn", "nnpack")}
        torch.backends.mkldnn.set_flags(switches["mkldnn"] == "on")
        torch.backends.nnpack.set_flags(switches["nnpack"] == "on")
        torch.set_num_threads(threads)
        torch.set_num_interop_threads(1)
        self.denormals = "zero" if torch.set_flush_denormal(True) else "kept"

    def load(self, model):
        with self.torch.inference_mode():
            self.graph = self.make(model)
        inputs, outputs = self.graph.inputs, self.graph.outputs
        if len(inputs) != 1 or len(outputs) != 1:
            raise RuntimeError(f"the model has {len(inputs)} inputs and {len(outputs)} outputs, "
                               "one of each is needed")

    def describe(self):
        """As PyTorch holds them now; a switch that is on without the library behind it is off."""
        torch = self.torch
        held = {"mkldnn": torch._C._get_mkldnn_enabled() and torch.backends.mkldnn.is_available(),
                "nnpack": torch._C._get_nnpack_enabled() and torch.backends.nnpack.is_available()}
        flags = [f"{name}={'on' if is_on else 'off'}" for name, is_on in held.items()]
        dtypes = {1: "float32"}  # TensorProto.FLOAT
        return {"threads": torch.get_num_threads(),
                "dtype": ",".join(dtypes.get(t, str(t)) for t in sorted(self.graph.types)),
                "isa": torch.backends.cpu.get_cpu_capability().lower(),
                "flags": ",".join([*flags, f"denormals={self.denormals}",
                                   f"interop={torch.get_num_interop_threads()}"])}

    def run(self, x, shape):
        torch = self.torch
        with torch.inference_mode():
            result, = self.graph.run(torch.frombuffer(x, dtype=torch.float32).reshape(shape))
        return result.contiguous().numpy(), result.shape

    def trace(self, x, shape):
        """One run under PyTorch's own profiler; its events lie one inside the other."""
        profiler = self.torch.profiler
        with profiler.profile(activities=[profiler.ProfilerActivity.CPU],
                              record_shapes=True) as seen:
            begin = time.perf_counter_ns()
            floats, out = self.run(x, shape)
            elapsed = time.perf_counter_ns() - begin
        events, operators, threads = seen.events(), Operators(), {}
        operators.elapsed = elapsed
        first = min(e.time_range.start for e in events)
        for e in sorted(events, key=lambda e: e.time_range.start):
            shapes = " ".join("x".join(map(str, s)) for s in e.input_shapes if s)
            operators.add(e.name, 1000 * (e.time_range.start - first),
                          1000 * e.time_range.elapsed_us(), own=1000 * e.self_cpu_time_total,
                          shape=shapes, thread=threads.setdefault(e.thread, len(threads)))
        return floats, out, operators

    def cleanup(self):
        gc.collect()


if __name__ == "__main__":
    serve(Torch)
