# SPDX-License-Identifier: Apache-2.0
"""The bundled detectors in double precision: what both engines round towards.

run(model, x) evaluates an .onnx file node by node with numpy's float64.  It knows the operators of
the two detectors and their attributes' values there, and raises KeyError at any other.
"""
import numpy as np
import onnx
from onnx import numpy_helper


def convolve(x, w, bias, attributes):
    """x[n][c][h][w] with w[oc][c / group][kh][kw]: a sum over the taps."""
    sh, sw = attributes.get("strides", [1, 1])
    top, left, bottom, right = attributes.get("pads", [0, 0, 0, 0])
    if attributes.get("auto_pad") == b"SAME_UPPER":  # of 2x2 windows with stride 1, here
        bottom, right = w.shape[2] - 1, w.shape[3] - 1
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    oh, ow = (x.shape[2] - w.shape[2]) // sh + 1, (x.shape[3] - w.shape[3]) // sw + 1
    y = np.zeros((len(x), len(w), oh, ow))
    for i in range(w.shape[2]):
        for j in range(w.shape[3]):
            part = x[:, :, i:i + (oh - 1) * sh + 1:sh, j:j + (ow - 1) * sw + 1:sw]
            if attributes.get("group", 1) > 1:  # depthwise
                y += w[None, :, 0, i, j, None, None] * part
            else:
                y += (w[:, :, i, j] @ part.reshape(*part.shape[:2], -1)).reshape(y.shape)
    return y if bias is None else y + bias[None, :, None, None]


def deconvolve(x, w, bias, attributes):
    """A transposed convolution whose stride is its kernel: every tap has its own pixels."""
    n, _, h, width = x.shape
    kh, kw = attributes["strides"]
    y = np.einsum("nchw,cokl->nohkwl", x, w, optimize=True).reshape(n, w.shape[1], h * kh, width * kw)
    return y if bias is None else y + bias[None, :, None, None]


def normalise(x, attributes, scale, shift, mean, variance):
    factor = scale / np.sqrt(variance + attributes["epsilon"])
    return x * factor[:, None, None] + (shift - mean * factor)[:, None, None]


def pool_max(x, attributes):
    """2x2, stride 1, SAME_UPPER: the window of the last row and column is cut."""
    assert attributes["kernel_shape"] == [2, 2] and attributes["strides"] == [1, 1]
    x = np.pad(x, ((0, 0), (0, 0), (0, 1), (0, 1)), constant_values=-np.inf)
    return np.maximum.reduce([x[:, :, i:x.shape[2] - 1 + i, j:x.shape[3] - 1 + j]
                              for i in (0, 1) for j in (0, 1)])


def erf(x):
    from math import erf as one
    return np.vectorize(one, otypes=[np.float64])(x)


def repeat(x, scales):
    assert list(scales[:2]) == [1, 1]
    return x.repeat(int(scales[2]), 2).repeat(int(scales[3]), 3)


OPERATORS = {
    "Add": lambda a, x, y: x + y,
    "BatchNormalization": lambda a, x, *rest: normalise(x, a, *rest),
    "Clip": lambda a, x, low, high: np.clip(x, low, high),
    "Concat": lambda a, *parts: np.concatenate(parts, a["axis"]),
    "Conv": lambda a, x, w, bias=None: convolve(x, w, bias, a),
    "ConvTranspose": lambda a, x, w, bias=None: deconvolve(x, w, bias, a),
    "Div": lambda a, x, y: x / y,
    "Erf": lambda a, x: erf(x),
    "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdims=True),
    "HardSigmoid": lambda a, x: np.clip(a["alpha"] * x + a["beta"], 0, 1),
    "Identity": lambda a, x: x,
    "MaxPool": lambda a, x: pool_max(x, a),
    "Mul": lambda a, x, y: x * y,
    "ReduceMean": lambda a, x: x.mean(tuple(a["axes"]), keepdims=True),
    "Relu": lambda a, x: np.maximum(x, 0),
    "Resize": lambda a, x, roi, scales: repeat(x, scales),
    "Sigmoid": lambda a, x: 1 / (1 + np.exp(-x)),
}


def widened(tensor):
    values = numpy_helper.to_array(tensor)
    return values.astype(np.float64) if values.dtype == np.float32 else values


def run(model, x):
    """-> the first output of `model` (a path) for its one input, in float64."""
    graph = onnx.load(model).graph
    values = {t.name: widened(t) for t in graph.initializer}
    values[graph.input[0].name] = x.astype(np.float64)
    for node in graph.node:
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        if node.op_type == "Constant":
            values[node.output[0]] = widened(attributes["value"])
        else:
            inputs = [values.get(name) for name in node.input]
            values[node.output[0]] = OPERATORS[node.op_type](attributes, *inputs)
    return values[graph.output[0].name]
