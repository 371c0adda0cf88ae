# SPDX-License-Identifier: Apache-2.0
"""MNN behind docs/engine-protocol.md: its CPU backend, precision high.

MNN reads its own format, so the .onnx file is converted at load, by a process of its own.
option.converted=FILE    keep the converted file there, and take it if it is there
"""
import os
import struct
import subprocess
import sys
import tempfile

from protocol import serve

sys.path.pop(0)  # this folder, whose mnn.py is not the engine

CONVERT = """
import sys
from MNN.tools.mnnconvert import main
sys.argv = ["mnnconvert", "-f", "ONNX", "--modelFile", sys.argv[1], "--MNNModel", sys.argv[2],
            "--bizCode", "assay"]
main()
"""
N_THREADS = 4  # MNN/Interpreter.hpp, SessionInfoCode::THREAD_NUMBER


class Mnn:
    name = "mnn"

    def __init__(self, threads, options):
        import numpy
        import MNN
        self.numpy, self.mnn, self.version = numpy, MNN, MNN.version()
        self.threads, self.shape = threads, None
        self.converted = options.pop("converted", None)

    def convert(self, model, path):
        done = subprocess.run([sys.executable, "-c", CONVERT, model, path], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if not os.path.exists(path) or os.path.getsize(path) == 0:
            last = done.stdout.strip().splitlines()[-1:] or ["no words"]
            raise RuntimeError(f"MNN's converter made nothing of it: {last[0]}")

    def load(self, model):
        if self.converted and os.path.exists(self.converted):
            self.open(self.converted)
            return
        with tempfile.TemporaryDirectory() as folder:
            path = self.converted or os.path.join(folder, "model.mnn")
            self.convert(model, path)
            self.open(path)

    def open(self, path):
        self.net = self.mnn.Interpreter(path)
        self.session = self.net.createSession(
            {"numThread": self.threads, "precision": "high", "backend": "CPU"})
        if len(self.net.getSessionInputAll(self.session)) != 1:
            raise RuntimeError("the model has several inputs, one is needed")
        self.input = self.net.getSessionInput(self.session)

    def held_threads(self):
        """MNN 3.6.1 gives Python the integer's bits as a float: 2 arrives as 2.8e-45."""
        told = self.net.getSessionInfo(self.session, N_THREADS)
        return told if isinstance(told, int) else struct.unpack("i", struct.pack("f", told))[0]

    def describe(self):
        return {"threads": self.held_threads(),
                "flags": "precision=high,backend=cpu"}

    def run(self, x, shape):
        if shape != self.shape:
            self.net.resizeTensor(self.input, tuple(shape))
            self.net.resizeSession(self.session)
            self.shape, self.output = shape, self.net.getSessionOutput(self.session)
        tensor = self.numpy.frombuffer(x, self.numpy.float32).reshape(shape)
        self.input.copyFrom(self.mnn.Tensor(tuple(shape), self.mnn.Halide_Type_Float, tensor,
                                            self.mnn.Tensor_DimensionType_Caffe))
        self.net.runSession(self.session)
        result = self.output.getNumpyData()
        return self.numpy.ascontiguousarray(result), result.shape


if __name__ == "__main__":
    serve(Mnn)
