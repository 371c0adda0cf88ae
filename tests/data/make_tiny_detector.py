#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write tiny_detector.onnx: a network of 8 nodes with a text detector's ports and any N, H, W.

Usage: make_tiny_detector.py tiny_detector.onnx      (needs the PyPI packages onnx and numpy)
It marks dark pixels: mean darkness by a 5x5 convolution of stride 2, scaled by a squeeze-excite
mean (so that padding the input changes the map), spread by a 3x9 convolution so that the letters
of a word grow together, brought back by a 2x2 deconvolution, and put through a sigmoid.
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def weights(name, values):
    return numpy_helper.from_array(np.ascontiguousarray(values, np.float32), name)


def main():
    rng = np.random.default_rng(20260918)
    darkness = -np.full((4, 3, 5, 5), 1 / 75) * (1 + 0.1 * rng.random((4, 1, 1, 1)))
    spread = np.full((4, 4, 3, 9), 1 / 108) * (1 + 0.1 * rng.random((4, 4, 1, 1)))
    nodes = [
        helper.make_node("Conv", ["x", "darkness", "light"], ["dark"], strides=[2, 2], pads=[2, 2, 2, 2]),
        helper.make_node("Relu", ["dark"], ["ink"]),
        helper.make_node("GlobalAveragePool", ["ink"], ["mean"]),
        helper.make_node("HardSigmoid", ["mean"], ["gate"], alpha=0.2, beta=0.5),
        helper.make_node("Mul", ["ink", "gate"], ["scaled"]),
        helper.make_node("Conv", ["scaled", "spread"], ["word"], pads=[1, 4, 1, 4]),
        helper.make_node("ConvTranspose", ["word", "up", "level"], ["logit"], strides=[2, 2]),
        helper.make_node("Sigmoid", ["logit"], ["map"]),
    ]
    initializers = [
        weights("darkness", darkness),
        weights("light", np.full(4, 1.9)),
        weights("spread", spread),
        weights("up", np.full((4, 1, 2, 2), 6.0)),
        weights("level", np.full(1, -2.5)),
    ]
    shape = ["N", 3, "H", "W"]
    graph = helper.make_graph(
        nodes, "tiny_detector",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("map", TensorProto.FLOAT, ["N", 1, "H", "W"])], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8,
                              producer_name="assay tests")
    onnx.checker.check_model(model)
    onnx.save(model, sys.argv[1])


if __name__ == "__main__":
    main()
