# SPDX-License-Identifier: Apache-2.0
"""Networks whose weights no package carries: their architecture, with random weights.

    make_networks.py NAME FILE.onnx

squeezenet, resnet50, shufflenet, densenet121 and inception_v1 are the graphs of PyPI's onnx
(onnx/backend/test/data/light), whose weights are made by ConstantOfShape there; here they become
initializers.  unet and mobilenet_v2 are written out below.  The same name gives the same numbers.
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LIGHT = ("squeezenet", "resnet50", "shufflenet", "densenet121", "inception_v1")
PLACES = {"BatchNormalization": ("x", "scale", "bias", "mean", "variance"),
          "Conv": ("x", "weight", "bias"), "Gemm": ("x", "weight", "bias"),
          "Mul": ("x", "scale"), "Add": ("x", "bias")}


def numbers(rng, role, shape):
    """Weights that keep a signal's size from layer to layer."""
    if role in ("scale", "variance"):
        return rng.uniform(0.8, 1.2, shape).astype(np.float32)
    if role == "weight":
        return rng.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape).astype(np.float32)
    return rng.normal(0, 0.1, shape).astype(np.float32)


def role_of(graph, name):
    """What the first node that reads `name`, perhaps in another shape, takes it for."""
    for node in graph.node:
        if name in node.input:
            if node.op_type in ("Unsqueeze", "Reshape"):
                return role_of(graph, node.output[0])
            return PLACES[node.op_type][list(node.input).index(name)]
    return "bias"


def light(name, rng):
    """One of onnx's own graphs, its ConstantOfShape nodes replaced by weights.  A last Softmax is
    left out: over such weights it says 1 and zeros, and hides what comes before it."""
    folder = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "light")
    model = onnx.load(os.path.join(folder, f"light_{name}.onnx"))
    graph = model.graph
    shapes = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    for node in [n for n in graph.node if n.op_type == "ConstantOfShape"]:
        shape = tuple(shapes[node.input[0]])
        values = numbers(rng, role_of(graph, node.output[0]), shape)
        graph.initializer.append(numpy_helper.from_array(values, node.output[0]))
        graph.node.remove(node)
    if graph.node[-1].op_type == "Softmax":
        graph.node[-2].output[0] = graph.node[-1].output[0]
        del graph.node[-1]
    read = {name for node in graph.node for name in node.input}
    for kept in [i for i in graph.initializer if i.name not in read]:
        graph.initializer.remove(kept)
    for kept in [i for i in graph.input if i.name not in read]:
        graph.input.remove(kept)
    return model


class Writer:
    """Nodes and weights of a network that is written layer by layer."""

    def __init__(self, rng):
        self.rng, self.nodes, self.weights = rng, [], []

    def weight(self, role, *shape):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(numbers(self.rng, role, shape), name))
        return name

    def constant(self, values, dtype=np.float32):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(values, dtype), name))
        return name

    def node(self, op, *inputs, **attributes):
        output = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def conv_norm(self, x, ic, oc, kernel=3, stride=1, group=1):
        x = self.node("Conv", x, self.weight("weight", oc, ic // group, kernel, kernel),
                      strides=[stride] * 2, group=group, pads=[kernel // 2] * 4)
        return self.node("BatchNormalization", x, self.weight("scale", oc),
                         self.weight("bias", oc), self.weight("bias", oc),
                         self.weight("variance", oc))

    def model(self, *dims):
        """All nodes; the last one's output, of these dims, is the network's."""
        self.nodes[-1].output[0] = "y"
        graph = helper.make_graph(
            self.nodes, "network",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, "h", "w"])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, dims)], self.weights)
        return helper.make_model(graph, ir_version=9,
                                 opset_imports=[helper.make_opsetid("", 17)])


def unet(rng):
    """U-Net (Ronneberger et al., 2015) of 16 to 128 channels, zero-padded; the highest level is
    upsampled linearly instead of by a transposed convolution."""
    w = Writer(rng)

    def double(x, ic, oc):
        for i in (ic, oc):
            x = w.node("Relu", w.conv_norm(x, i, oc))
        return x

    x, levels, channels = "x", [], 3
    for width in (16, 32, 64):
        x = double(x, channels, width)
        levels.append(x)
        x = w.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
        channels = width
    x = double(x, 64, 128)
    for width, level in ((64, levels[2]), (32, levels[1])):
        x = w.node("ConvTranspose", x, w.weight("weight", 2 * width, width, 2, 2),
                   w.weight("bias", width), strides=[2, 2])
        x = double(w.node("Concat", level, x, axis=1), 2 * width, width)
    x = w.node("Resize", x, "", w.constant([1, 1, 2, 2]), mode="linear",
               coordinate_transformation_mode="half_pixel")
    x = double(w.node("Concat", levels[0], x, axis=1), 48, 16)
    x = w.node("Conv", x, w.weight("weight", 1, 16, 1, 1), w.weight("bias", 1))
    w.node("Sigmoid", x)
    return w.model("n", 1, "h", "w")


def mobilenet_v2(rng):
    """MobileNetV2 (Sandler et al., 2018, table 2) of width 1."""
    w = Writer(rng)
    low, high = w.constant(0), w.constant(6)

    def relu6(x):
        return w.node("Clip", x, low, high)

    x, ic = relu6(w.conv_norm("x", 3, 32, stride=2)), 32
    for expand, oc, n, stride in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
                                  (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for i in range(n):
            wide, inner = ic * expand, x
            if expand > 1:
                inner = relu6(w.conv_norm(inner, ic, wide, kernel=1))
            inner = relu6(w.conv_norm(inner, wide, wide, stride=stride if i == 0 else 1,
                                      group=wide))
            inner = w.conv_norm(inner, wide, oc, kernel=1)
            x = w.node("Add", x, inner) if i > 0 else inner
            ic = oc
    x = w.node("GlobalAveragePool", relu6(w.conv_norm(x, 320, 1280, kernel=1)))
    x = w.node("Flatten", x)
    w.node("Gemm", x, w.weight("weight", 1000, 1280), w.weight("bias", 1000), transB=1)
    return w.model("n", 1000)


def main():
    name, path = sys.argv[1:]
    rng = np.random.default_rng(sum(name.encode()))
    onnx.save(light(name, rng) if name in LIGHT else globals()[name](rng), path)


if __name__ == "__main__":
    main()
