# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime behind docs/engine-protocol.md: its CPU provider with every optimisation.

option.optimizations=all|extended|basic|off     its graph optimisation level
"""
import json
import pathlib
import sys
import tempfile

from protocol import Operators, serve, take_option

sys.path.pop(0)  # this folder, whose onnxruntime.py is not the engine

LEVELS = {"all": "ORT_ENABLE_ALL", "extended": "ORT_ENABLE_EXTENDED", "basic": "ORT_ENABLE_BASIC",
          "off": "ORT_DISABLE_ALL"}


class OnnxRuntime:
    name = "onnxruntime"

    def __init__(self, threads, options):
        import numpy
        import onnxruntime
        self.numpy, self.ort = numpy, onnxruntime
        self.version, self.session = onnxruntime.__version__, None
        self.optimizations = take_option(options, "optimizations", list(LEVELS))
        o = self.settings = onnxruntime.SessionOptions()
        o.log_severity_level = 3
        o.intra_op_num_threads, o.inter_op_num_threads = threads, 1
        o.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        level = LEVELS[self.optimizations]
        o.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, level)
        o.add_session_config_entry("session.set_denormal_as_zero", "1")
        self.pin(threads)

    def pin(self, threads):
        """Worker i on the i-th CPU, counted from 1; the caller's thread stays on their set."""
        import os
        cpus = sorted(os.sched_getaffinity(0))
        if threads > 1 and len(cpus) >= threads:
            places = ";".join(str(cpu + 1) for cpu in cpus[1:threads])
            self.settings.add_session_config_entry("session.intra_op_thread_affinities", places)

    def load(self, model):
        self.model = model
        self.session = self.ort.InferenceSession(model, self.settings,
                                                 providers=["CPUExecutionProvider"])
        inputs, outputs = self.session.get_inputs(), self.session.get_outputs()
        if len(inputs) != 1 or len(outputs) != 1:
            raise RuntimeError(f"the model has {len(inputs)} inputs and {len(outputs)} outputs, "
                               "one of each is needed")
        self.input = inputs[0].name
        self.types = {inputs[0].type, outputs[0].type}

    def describe(self):
        held = self.session.get_session_options()
        providers = self.session.get_providers()
        return {"threads": held.intra_op_num_threads,
                "device": "cpu" if providers == ["CPUExecutionProvider"] else ",".join(providers),
                "dtype": "float32" if self.types == {"tensor(float)"} else str(self.types),
                "flags": f"optimizations={self.optimizations},mode=sequential,denormals=zero"}

    def run(self, x, shape):
        tensor = self.numpy.frombuffer(x, self.numpy.float32).reshape(shape)
        result = self.session.run(None, {self.input: tensor})[0]
        return self.numpy.ascontiguousarray(result), result.shape

    def trace(self, x, shape):
        """One warm run in a session of its own, which writes a profile of its nodes."""
        tensor = {self.input: self.numpy.frombuffer(x, self.numpy.float32).reshape(shape)}
        with tempfile.TemporaryDirectory() as folder:
            self.settings.enable_profiling = True
            self.settings.profile_file_prefix = f"{folder}/profile"
            session = self.ort.InferenceSession(self.model, self.settings,
                                                providers=["CPUExecutionProvider"])
            self.settings.enable_profiling = False
            session.run(None, tensor)
            result = session.run(None, tensor)[0]
            events = json.loads(pathlib.Path(session.end_profiling()).read_text())
        last = max((e for e in events if e["name"] == "model_run"), key=lambda e: e["ts"])
        begin, operators = last["ts"], Operators()
        operators.elapsed = 1000 * last["dur"]
        for e in events:
            if e.get("cat") == "Node" and e["name"].endswith("_kernel_time") and e["ts"] >= begin:
                operators.add(e["args"]["op_name"], 1000 * (e["ts"] - begin), 1000 * e["dur"],
                              name=e["name"].removesuffix("_kernel_time"), shape=shape_of(e["args"]),
                              nodes=1)
        return self.numpy.ascontiguousarray(result), result.shape, operators


def shape_of(args):
    """ "1x24x80x80 -> 1x48x80x80" of the first input and output."""
    first = [args.get(key) or [{"": []}] for key in ("input_type_shape", "output_type_shape")]
    return " -> ".join("x".join(map(str, next(iter(one[0].values())))) for one in first)


if __name__ == "__main__":
    serve(OnnxRuntime)
