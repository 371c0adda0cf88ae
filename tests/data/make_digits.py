#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write digits.onnx, a classifier of 8x8 digits, and one batch of it with ONNX Runtime's answer.

Usage: make_digits.py digits.onnx digits_input.pb digits_output.pb
(needs the PyPI packages onnx, numpy and onnxruntime)
Convolution 3x3 1 -> 8, ReLU, mean pool 2, convolution 3x3 8 -> 16, ReLU, mean pool 2, linear 64 -> 10:
43 thousand multiply-adds, so that what a call costs besides them shows.  Weights are random.
"""
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


def weights(rng, name, *shape):
    fan_in = np.prod(shape[1:]) if len(shape) > 1 else 16
    return numpy_helper.from_array(rng.normal(0, fan_in ** -0.5, shape).astype(np.float32), name)


def main():
    rng = np.random.default_rng(20260918)
    pool = {"kernel_shape": [2, 2], "strides": [2, 2]}
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"]),
        helper.make_node("AveragePool", ["r1"], ["p1"], **pool),
        helper.make_node("Conv", ["p1", "w2", "b2"], ["c2"], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c2"], ["r2"]),
        helper.make_node("AveragePool", ["r2"], ["p2"], **pool),
        helper.make_node("Flatten", ["p2"], ["f"]),
        helper.make_node("Gemm", ["f", "w3", "b3"], ["digit"], transB=1),
    ]
    initializers = [
        weights(rng, "w1", 8, 1, 3, 3), weights(rng, "b1", 8),
        weights(rng, "w2", 16, 8, 3, 3), weights(rng, "b2", 16),
        weights(rng, "w3", 10, 64), weights(rng, "b3", 10),
    ]
    graph = helper.make_graph(
        nodes, "digits", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 1, 8, 8])],
        [helper.make_tensor_value_info("digit", TensorProto.FLOAT, ["N", 10])], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8,
                              producer_name="assay tests")
    onnx.checker.check_model(model)
    onnx.save(model, sys.argv[1])

    x = rng.uniform(0, 1, (5, 1, 8, 8)).astype(np.float32)
    session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
    y, = session.run(None, {"x": x})
    for path, name, array in ((sys.argv[2], "x", x), (sys.argv[3], "digit", y)):
        with open(path, "wb") as file:
            file.write(numpy_helper.from_array(array, name).SerializeToString())


if __name__ == "__main__":
    main()
