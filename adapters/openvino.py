# SPDX-License-Identifier: Apache-2.0
"""OpenVINO behind docs/engine-protocol.md: its CPU plugin, float32, tuned for latency.

option.shapes=static|dynamic    static: the network is compiled for each shape that comes, which
                                runs fastest; dynamic: once, for all.
"""
import sys
import time

from protocol import Operators, serve, take_option

sys.path.pop(0)  # this folder, whose openvino.py is not the engine


class OpenVino:
    name = "openvino"

    def __init__(self, threads, options):
        import numpy
        import openvino
        self.numpy, self.ov = numpy, openvino
        self.version = openvino.__version__.split("-")[0]
        self.shapes = take_option(options, "shapes", ["static", "dynamic"])
        self.core, self.requests = openvino.Core(), {}
        self.settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32",
                         "PERFORMANCE_HINT": "LATENCY", "ENABLE_CPU_PINNING": True,
                         "CPU_DENORMALS_OPTIMIZATION": True}

    def load(self, model):
        self.model = self.core.read_model(model)
        if len(self.model.inputs) != 1 or len(self.model.outputs) != 1:
            raise RuntimeError(f"the model has {len(self.model.inputs)} inputs and "
                               f"{len(self.model.outputs)} outputs, one of each is needed")
        self.compiled = None
        if self.shapes == "dynamic" or not self.model.is_dynamic():
            self.request_of(None)

    def compile(self, key, settings):
        """The network for the shape `key`; None: for every shape."""
        model = self.model
        if key is not None:
            model = model.clone()
            model.reshape(list(key))
        return self.core.compile_model(model, "CPU", settings)

    def request_of(self, shape):
        """The request that serves a shape; None: every shape."""
        key = None if None in self.requests or shape is None else tuple(shape)
        if key not in self.requests:
            self.compiled = self.compile(key, self.settings)
            self.requests[key] = self.compiled.create_infer_request()
        return self.requests[key]

    def describe(self):
        if self.compiled is None:  # before the first shape: as it will be compiled
            held = self.core
            self.core.set_property("CPU", self.settings)
            read = lambda key: held.get_property("CPU", key)
        else:
            read = self.compiled.get_property
        precision = str(read("INFERENCE_PRECISION_HINT"))
        return {"threads": read("INFERENCE_NUM_THREADS"),
                "dtype": "float32" if "float32" in precision or precision == "f32" else precision,
                "flags": f"shapes={self.shapes},hint=latency,denormals=zero,"
                         f"pinning={'on' if read('ENABLE_CPU_PINNING') else 'off'}"}

    def run(self, x, shape):
        tensor = self.numpy.frombuffer(x, self.numpy.float32).reshape(shape)
        request = self.request_of(shape)
        request.infer({0: tensor}, share_inputs=True)
        result = request.get_output_tensor(0).data
        return self.numpy.ascontiguousarray(result), result.shape

    def trace(self, x, shape):
        """Two runs of the network compiled with counters, which are means over both and have no
        beginnings: the operators stand end to end, in their order."""
        key = None if None in self.requests else tuple(shape)
        request = self.compile(key, {**self.settings, "PERF_COUNT": True}).create_infer_request()
        tensor = self.numpy.frombuffer(x, self.numpy.float32).reshape(shape)
        operators, begin = Operators(), 0
        for _ in range(2):
            start = time.perf_counter_ns()
            request.infer({0: tensor}, share_inputs=True)
            operators.elapsed = (operators.elapsed or 0) + (time.perf_counter_ns() - start) / 2
        for node in request.profiling_info:
            elapsed = 1000 * (node.real_time.seconds * 10**6 + node.real_time.microseconds)
            if node.status == self.ov.ProfilingInfo.Status.EXECUTED:
                operators.add(node.node_type, begin, elapsed, route=node.exec_type,
                              name=node.node_name)
                begin += elapsed
        result = request.get_output_tensor(0).data
        return result, result.shape, operators

    def cleanup(self):
        """Forget what single shapes have cost; the model stays."""
        self.requests = {key: value for key, value in self.requests.items() if key is None}


if __name__ == "__main__":
    serve(OpenVino)
