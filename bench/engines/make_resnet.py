# SPDX-License-Identifier: Apache-2.0
"""Writes ResNet-18 for 1000 classes as an .onnx file:  make_resnet.py OUT.onnx

The layers of He, Zhang, Ren and Sun, Deep Residual Learning for Image Recognition (2015), table 1,
as PyTorch exports them for inference: convolutions with their bias, no BatchNormalization left.
Weights are random (a time does not depend on them) and scaled so that activations keep their size.
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(18)
nodes, weights = [], []


def constant(name, values):
    weights.append(numpy_helper.from_array(values.astype(np.float32), name))
    return name


def node(op, inputs, name, **attributes):
    nodes.append(helper.make_node(op, inputs, [name], name, **attributes))
    return name


def conv(x, name, ic, oc, k, stride, relu=True):
    # He's scale for a layer that ReLU follows; half of it where a shortcut is added.
    scale = np.sqrt((2 if relu else 0.5) / (ic * k * k))
    inputs = [x, constant(name + ".w", random.normal(0, scale, (oc, ic, k, k))),
              constant(name + ".b", random.normal(0, 0.01, oc))]
    y = node("Conv", inputs, name, kernel_shape=[k, k], strides=[stride] * 2, pads=[k // 2] * 4)
    return node("Relu", [y], name + ".relu") if relu else y


def block(x, name, ic, oc, stride):
    y = conv(x, name + ".a", ic, oc, 3, stride)
    y = conv(y, name + ".b", oc, oc, 3, 1, relu=False)
    if stride != 1 or ic != oc:
        x = conv(x, name + ".shortcut", ic, oc, 1, stride, relu=False)
    return node("Relu", [node("Add", [y, x], name + ".add")], name + ".relu")


def network():
    x = conv("x", "stem", 3, 64, 7, 2)
    x = node("MaxPool", [x], "pool", kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    ic = 64
    for stage, oc in enumerate((64, 128, 256, 512)):
        for i in range(2):
            x = block(x, f"stage{stage}.{i}", ic, oc, 2 if stage and i == 0 else 1)
            ic = oc
    x = node("Flatten", [node("GlobalAveragePool", [x], "mean")], "flat")
    w = constant("classes.w", random.normal(0, 0.04, (1000, 512)))
    node("Gemm", [x, w, constant("classes.b", np.zeros(1000))], "y", transB=1)
    image = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, "h", "w"])
    classes = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 1000])
    graph = helper.make_graph(nodes, "resnet18", [image], [classes], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


onnx.save(network(), sys.argv[1])
