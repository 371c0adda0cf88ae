# SPDX-License-Identifier: Apache-2.0
"""ONNX operators as PyTorch functions: OPERATORS[kind](attributes, *inputs) -> a tensor or several.

Attributes are a dict as the node has them, with "opset" and "n_outputs" beside; an input that is left
out is None.  Semantics: the operators' pages of ONNX 1.23, opsets 7 to 24, for what networks on floats
use; another form raises NotImplementedError with what it is.
"""
import math

import torch
import torch.nn.functional as F

from torch_windows import (average_pool, conv, conv_transpose, listed, max_pool, padded, resize, text,
                           whole)

# TensorProto.DataType of onnx.proto
TYPES = {1: torch.float32, 2: torch.uint8, 3: torch.int8, 5: torch.int16, 6: torch.int32,
         7: torch.int64, 9: torch.bool, 10: torch.float16, 11: torch.float64, 16: torch.bfloat16}


# Elements moved

def slice_by(a, x, starts=None, ends=None, axes=None, steps=None):
    starts, ends = listed(a, "starts", starts), listed(a, "ends", ends)
    axes = listed(a, "axes", axes) or list(range(len(starts)))
    steps = whole(steps) if steps is not None else [1] * len(starts)
    for axis, start, end, step in zip(axes, starts, ends, steps):
        taken = slice_range(start, end, step, x.shape[axis])
        if step == 1:
            x = x.narrow(axis, taken.start, len(taken))
        else:
            x = x.index_select(axis, torch.tensor(list(taken), dtype=torch.int64))
    return x


def slice_range(start, end, step, size):
    """Negative places count from behind; what lies outside is moved to the nearest place."""
    start, end = (place + size if place < 0 else place for place in (start, end))
    if step > 0:
        return range(min(max(start, 0), size), min(max(end, 0), size), step)
    return range(min(max(start, 0), size - 1), min(max(end, -1), size - 1), step)


def split(a, x, sizes=None):
    axis = a.get("axis", 0)
    sizes = listed(a, "split", sizes)
    if sizes is None:
        part = math.ceil(x.shape[axis] / a.get("num_outputs", a["n_outputs"]))
        return x.split(part, axis)
    return x.split(sizes, axis)


def gather(a, x, indices):
    axis = a.get("axis", 0) % x.dim()
    flat = indices.reshape(-1).to(torch.int64)
    taken = x.index_select(axis, torch.where(flat < 0, flat + x.shape[axis], flat))
    return taken.reshape([*x.shape[:axis], *indices.shape, *x.shape[axis + 1:]])


def reshape(a, x, shape=None):
    shape = listed(a, "shape", shape)
    keeps_zero = a.get("allowzero", 0)
    return x.reshape([x.shape[i] if n == 0 and not keeps_zero else n for i, n in enumerate(shape)])


def flatten(a, x):
    axis = a.get("axis", 1)
    axis = axis + x.dim() if axis < 0 else axis
    return x.reshape(math.prod(x.shape[:axis]), -1)


def squeeze(a, x, axes=None):
    axes = listed(a, "axes", axes)
    if axes is None:
        return x.squeeze()
    return x.squeeze(tuple(axes))


def unsqueeze(a, x, axes=None):
    axes = listed(a, "axes", axes)
    rank = x.dim() + len(axes)
    for axis in sorted(axis % rank for axis in axes):
        x = x.unsqueeze(axis)
    return x


def pad(a, x, pads=None, value=None, axes=None):
    pads = listed(a, "pads", pads)
    given = [axis % x.dim() for axis in whole(axes)] if axes is not None else range(x.dim())
    before, behind = [0] * x.dim(), [0] * x.dim()
    for i, axis in enumerate(given):
        before[axis], behind[axis] = pads[i], pads[i + len(given)]
    mode = text(a, "mode", "constant")
    if mode == "constant":
        return padded(x, before, behind, float(a.get("value", 0.0) if value is None else value))
    for axis, (b, e) in enumerate(zip(before, behind)):
        size = x.shape[axis]
        places = [place(mode, i, size) for i in range(-b, size + e)]
        if b or e:
            x = x.index_select(axis, torch.tensor(places))
    return x


def place(mode, i, size):
    """Where the padded element i lies inside."""
    if mode == "edge":
        return min(max(i, 0), size - 1)
    if mode == "wrap":
        return i % size
    period = max(1, 2 * (size - 1))  # reflect
    i %= period
    return i if i < size else period - i


def transpose(a, x):
    return x.permute(a.get("perm", list(range(x.dim()))[::-1]))


def expand(_, x, shape):
    """Both ways: where the shape says 1, x keeps its extent."""
    shape = whole(shape)
    shape = [1] * (x.dim() - len(shape)) + shape
    own = [1] * (len(shape) - x.dim()) + list(x.shape)
    return x.expand([mine if wanted == 1 else wanted for mine, wanted in zip(own, shape)])


def depth_to_space(a, x):
    n, c, h, w = x.shape
    b = a["blocksize"]
    if text(a, "mode", "DCR") == "CRD":
        return F.pixel_shuffle(x, b)
    x = x.reshape(n, b, b, c // (b * b), h, w).permute(0, 3, 4, 1, 5, 2)
    return x.reshape(n, c // (b * b), h * b, w * b)


def space_to_depth(a, x):
    n, c, h, w = x.shape
    b = a["blocksize"]
    return x.reshape(n, c, h // b, b, w // b, b).permute(0, 3, 5, 1, 2, 4).reshape(
        n, c * b * b, h // b, w // b)


def shape_of(a, x):
    return torch.tensor(list(x.shape)[a.get("start", 0):a.get("end", x.dim())], dtype=torch.int64)


# Sums

def reduced(function):
    """A reduction: axes as an attribute or an input, none is all."""
    def reduce(a, x, axes=None):
        axes = listed(a, "axes", axes)
        if not axes and a.get("noop_with_empty_axes", 0):
            return x
        return function(x, tuple(axes or range(x.dim())), bool(a.get("keepdims", 1)))
    return reduce


def softmax(function):
    def apply(a, x):
        axis = a.get("axis", -1 if a["opset"] >= 13 else 1)
        if a["opset"] >= 13:
            return function(x, axis)
        axis = axis % x.dim()
        return function(x.reshape(math.prod(x.shape[:axis]), -1), 1).reshape(x.shape)
    return apply


def arg(function):
    def apply(a, x):
        if a.get("select_last_index", 0):
            raise NotImplementedError("ArgMax or ArgMin of the last index")
        return function(x, a.get("axis", 0), bool(a.get("keepdims", 1)))
    return apply


def gemm(a, x, y, c=None):
    x = x.t() if a.get("transA", 0) else x
    y = y.t() if a.get("transB", 0) else y
    product = (x @ y) * a.get("alpha", 1.0) if a.get("alpha", 1.0) != 1 else x @ y
    return product if c is None else product + (c if a.get("beta", 1.0) == 1 else a["beta"] * c)


def layer_norm(a, x, scale, shift=None):
    axis = a.get("axis", -1) % x.dim()
    return F.layer_norm(x, x.shape[axis:], scale, shift, a.get("epsilon", 1e-5))


# Elementwise

def clip(a, x, low=None, high=None):
    low = a.get("min") if low is None else low.item()
    high = a.get("max") if high is None else high.item()
    return x if low is None and high is None else x.clamp(low, high)


def divide(_, x, y):
    return x / y if x.is_floating_point() else torch.div(x, y, rounding_mode="trunc")


def modulo(a, x, y):
    return torch.fmod(x, y) if a.get("fmod", 0) else torch.remainder(x, y)


def folded(function):
    """Any number of operands, two at a time."""
    def fold(_, first, *rest):
        for value in rest:
            first = function(first, value)
        return first
    return fold


def one(function):
    """An operator without attributes."""
    return lambda _, *inputs: function(*inputs)


def constant(a):
    for key in ("value_float", "value_int", "value_floats", "value_ints"):
        if key in a:
            return torch.tensor(a[key], dtype=torch.float32 if "float" in key else torch.int64)
    return a["value"]


def constant_of_shape(a, shape):
    value = a.get("value", torch.zeros(1))
    return torch.full(whole(shape), value.item(), dtype=value.dtype)


OPERATORS = {
    "Abs": one(torch.abs),
    "Add": one(torch.add),
    "And": one(torch.logical_and),
    "ArgMax": arg(torch.argmax),
    "ArgMin": arg(torch.argmin),
    "AveragePool": average_pool,
    "BatchNormalization": lambda a, x, scale, shift, mean, variance: F.batch_norm(
        x, mean, variance, scale, shift, False, 0.0, a.get("epsilon", 1e-5)),
    "Cast": lambda a, x: x.to(TYPES[a["to"]]),
    "Ceil": one(torch.ceil),
    "Clip": clip,
    "Concat": lambda a, *parts: torch.cat(parts, a.get("axis", 1)),
    "Constant": constant,
    "ConstantOfShape": constant_of_shape,
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "DepthToSpace": depth_to_space,
    "Div": divide,
    "Dropout": lambda a, x, *rest: (x, torch.ones_like(x, dtype=torch.bool))[:a["n_outputs"]],
    "Elu": lambda a, x: F.elu(x, a.get("alpha", 1.0)),
    "Equal": one(torch.eq),
    "Erf": one(torch.erf),
    "Exp": one(torch.exp),
    "Expand": expand,
    "Flatten": flatten,
    "Floor": one(torch.floor),
    "Gather": gather,
    "Gelu": lambda a, x: F.gelu(x, approximate=text(a, "approximate", "none")),
    "Gemm": gemm,
    "GlobalAveragePool": lambda a, x: x.mean(tuple(range(2, x.dim())), True),
    "GlobalMaxPool": lambda a, x: x.amax(tuple(range(2, x.dim())), True),
    "Greater": one(torch.gt),
    "GreaterOrEqual": one(torch.ge),
    "HardSigmoid": lambda a, x: (x * a.get("alpha", 0.2) + a.get("beta", 0.5)).clamp(0, 1),
    "HardSwish": one(F.hardswish),
    "Identity": one(lambda x: x),
    "InstanceNormalization": lambda a, x, scale, shift: F.instance_norm(
        x, None, None, scale, shift, True, 0.0, a.get("epsilon", 1e-5)),
    "LRN": lambda a, x: F.local_response_norm(x, a["size"], a.get("alpha", 1e-4),
                                              a.get("beta", 0.75), a.get("bias", 1.0)),
    "LayerNormalization": layer_norm,
    "LeakyRelu": lambda a, x: F.leaky_relu(x, a.get("alpha", 0.01)),
    "Less": one(torch.lt),
    "LessOrEqual": one(torch.le),
    "Log": one(torch.log),
    "LogSoftmax": softmax(torch.log_softmax),
    "MatMul": one(torch.matmul),
    "Max": folded(torch.maximum),
    "MaxPool": max_pool,
    "Min": folded(torch.minimum),
    "Mish": one(F.mish),
    "Mod": modulo,
    "Mul": one(torch.mul),
    "Neg": one(torch.neg),
    "Not": one(torch.logical_not),
    "Or": one(torch.logical_or),
    "PRelu": lambda a, x, slope: torch.where(x < 0, x * slope, x),
    "Pad": pad,
    "Pow": lambda a, x, y: torch.pow(x, y).to(x.dtype),
    "Range": one(lambda start, limit, step: torch.arange(start.item(), limit.item(), step.item(),
                                                         dtype=start.dtype)),
    "Reciprocal": one(torch.reciprocal),
    "ReduceL2": reduced(lambda x, axes, keep: torch.linalg.vector_norm(x, 2, axes, keep)),
    "ReduceMax": reduced(torch.amax),
    "ReduceMean": reduced(torch.mean),
    "ReduceMin": reduced(torch.amin),
    "ReduceSum": reduced(torch.sum),
    "Relu": one(torch.relu),
    "Reshape": reshape,
    "Resize": resize,
    "Round": one(torch.round),
    "Selu": lambda a, x: a.get("gamma", 1.0507010221481323) * F.elu(
        x, a.get("alpha", 1.6732631921768188)),
    "Shape": shape_of,
    "Sigmoid": one(torch.sigmoid),
    "Sign": one(torch.sign),
    "Slice": slice_by,
    "Softmax": softmax(torch.softmax),
    "Softplus": one(F.softplus),
    "SpaceToDepth": space_to_depth,
    "Split": split,
    "Sqrt": one(torch.sqrt),
    "Squeeze": squeeze,
    "Sub": one(torch.sub),
    "Sum": folded(torch.add),
    "Tanh": one(torch.tanh),
    "Tile": one(lambda x, repeats: x.repeat(whole(repeats))),
    "Transpose": transpose,
    "Unsqueeze": unsqueeze,
    "Upsample": lambda a, x, scales=None: resize({**a, "opset": 10}, x, None, torch.tensor(
        a["scales"]) if scales is None else scales),
    "Where": one(torch.where),
    "Xor": one(torch.logical_xor),
}
