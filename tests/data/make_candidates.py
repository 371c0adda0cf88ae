#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the six networks of the default search, and one that has every trained layer, as FOLDER/NAME.onnx.

Usage: make_candidates.py FOLDER
(needs the PyPI packages onnx and numpy)
{standard, dw_pw} x width {8, 16, 32}: convolution 3x3 1 -> 8, ReLU, mean pool 2, module 8 -> width, ReLU, mean
pool 2, linear; convolutions without bias.  Weights are uniform, +-1/sqrt(fan_in).
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Network:
    """A chain of nodes; `last` is the tensor that the next one reads."""

    def __init__(self, name):
        self.name, self.nodes, self.weights, self.last = name, [], [], "input"
        self.rng = np.random.default_rng(20260918)

    def weight(self, *shape, fan_in=None):
        bound = (fan_in or np.prod(shape[1:])) ** -0.5
        self.weights.append(numpy_helper.from_array(
            self.rng.uniform(-bound, bound, shape).astype(np.float32), f"w{len(self.weights)}"))
        return self.weights[-1].name

    def node(self, op, *more, **attributes):
        output = f"{op.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, [self.last, *more], [output], name=output, **attributes))
        self.last = output
        return self

    def conv(self, ic, oc, kernel, group=1):
        return self.node("Conv", self.weight(oc, ic // group, kernel, kernel), pads=[kernel // 2] * 4, group=group)

    def pool(self, op="AveragePool"):
        return self.node(op, kernel_shape=[2, 2], strides=[2, 2])

    def norm(self, c):
        positive = numpy_helper.from_array(self.rng.uniform(0.5, 2, c).astype(np.float32), f"var{len(self.nodes)}")
        self.weights.append(positive)
        return self.node("BatchNormalization", *[self.weight(c, fan_in=1) for _ in range(3)], positive.name)

    def linear(self, ic, oc):
        self.node("Flatten")
        return self.node("Gemm", self.weight(oc, ic), self.weight(oc, fan_in=ic), transB=1)

    def save(self, folder):
        self.nodes[-1].output[0] = "logits"
        ports = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
                 for n, s in (("input", ["N", 1, 8, 8]), ("logits", ["N", 10]))]
        graph = helper.make_graph(self.nodes, self.name, ports[:1], ports[1:], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7)
        onnx.checker.check_model(model)
        onnx.save(model, folder / f"{self.name}.onnx")


def candidate(module, width):
    net = Network(f"{module}-{width}").conv(1, 8, 3).node("Relu").pool()
    if module == "standard":
        net.conv(8, width, 3)
    else:
        net.conv(8, 8, 3, group=8).conv(8, width, 1)
    return net.node("Relu").pool().linear(4 * width, 10)


def every_layer():
    """An inverted residual between normalised convolutions; both pools."""
    net = Network("every-layer").conv(1, 8, 3).norm(8).node("Relu").pool("MaxPool")
    before = net.last
    net.conv(8, 24, 1).norm(24).node("Relu").conv(24, 24, 3, group=24).norm(24).node("Relu").conv(24, 8, 1).norm(8)
    return net.node("Add", before).conv(8, 12, 3, group=4).pool().linear(48, 10)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for module in ("standard", "dw_pw"):
        for width in (8, 16, 32):
            candidate(module, width).save(folder)
    every_layer().save(folder)


if __name__ == "__main__":
    main()
