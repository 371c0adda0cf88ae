# SPDX-License-Identifier: Apache-2.0
"""OpenVINO behind docs/engine-protocol.md: its CPU plugin, float32, tuned for latency.

option.shapes=static|dynamic    static: the network is compiled for each shape that comes, which
                                runs fastest; dynamic: once, for all.
"""
import sys

from protocol import serve, take_option

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

    def request_of(self, shape):
        """The request that serves a shape; None: every shape."""
        key = None if None in self.requests or shape is None else tuple(shape)
        if key not in self.requests:
            model = self.model
            if key is not None:
                model = model.clone()
                model.reshape(list(key))
            self.compiled = self.core.compile_model(model, "CPU", self.settings)
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

    def cleanup(self):
        """Forget what single shapes have cost; the model stays."""
        self.requests = {key: value for key, value in self.requests.items() if key is None}


if __name__ == "__main__":
    serve(OpenVino)
