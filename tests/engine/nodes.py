# SPDX-License-Identifier: Apache-2.0
"""Networks of one random node against ONNX Runtime without its graph optimisations.

    nodes.py --assay ASSAY [--count N] [--seed S] [--keep FOLDER]

Windows and moves get small whole numbers and have to be equal; what interpolates or takes roots is
compared within 2e-5 of 1 + the number.  A node that ONNX Runtime refuses is not counted.  --keep
saves the models that differ.
"""
import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

TYPES = {np.dtype("float32"): TensorProto.FLOAT, np.dtype("int64"): TensorProto.INT64,
         np.dtype("int32"): TensorProto.INT32, np.dtype("bool"): TensorProto.BOOL}


class Case:
    """A node in the making: its inputs by name, constant or fed."""

    def __init__(self, rng, op, opset, **attributes):
        self.rng, self.op, self.opset, self.attributes = rng, op, opset, attributes
        self.inputs, self.fed, self.constants, self.n_outputs, self.is_close = [], {}, [], 1, False

    def give(self, values, is_fed):
        name = f"i{len(self.inputs)}"
        self.inputs.append(name)
        if is_fed:
            self.fed[name] = values
        else:
            self.constants.append(numpy_helper.from_array(values, name))
        return self

    def skip(self):
        self.inputs.append("")
        return self

    def model(self):
        names = [f"o{i}" for i in range(self.n_outputs)]
        node = helper.make_node(self.op, self.inputs, names, name="n", **self.attributes)
        inputs = [helper.make_tensor_value_info(n, TYPES[v.dtype], v.shape) for n, v in self.fed.items()]
        outputs = [helper.make_empty_tensor_value_info(n) for n in names]
        graph = helper.make_graph([node], "g", inputs, outputs, self.constants)
        model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", self.opset)])
        return onnx.shape_inference.infer_shapes(model)


def whole(rng, *shape):
    return rng.integers(-4, 5, shape).astype(np.float32)


def any_type(rng, *shape):
    return rng.integers(-4, 5, shape).astype(rng.choice(["float32", "int64", "int32", "bool"]))


def product(rng):
    """MatMul of one to five dims, by a constant matrix or another network input."""
    k, n, rank = int(rng.integers(1, 20)), int(rng.integers(1, 40)), int(rng.integers(1, 6))
    case = Case(rng, "MatMul", 13).give(whole(rng, *rng.integers(1, 4, rank - 1), k), True)
    return case.give(whole(rng, k, n), rng.random() < 0.3)


def window(rng, n, kernel):
    """Strides, dilations and pads of a window over n axes."""
    a = {"strides": rng.integers(1, 4, n).tolist(), "dilations": rng.integers(1, 3, n).tolist()}
    auto = rng.choice(["NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"])
    if auto != "NOTSET":
        a["auto_pad"] = str(auto)
        a["strides"] = np.minimum(a["strides"], kernel).tolist()  # beyond, SAME has no one meaning
    else:
        a["pads"] = [int(rng.integers(0, k)) for k in kernel * 2]
    return a


def conv(rng):
    n, group = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    ic, oc, kernel = group * int(rng.integers(1, 4)), group * int(rng.integers(1, 4)), rng.integers(1, 5, n).tolist()
    case = Case(rng, "Conv", int(rng.choice([7, 11, 22])), group=group, **window(rng, n, kernel))
    case.give(whole(rng, int(rng.integers(1, 3)), ic, *rng.integers(5, 12, n)), True)
    case.give(whole(rng, oc, ic // group, *kernel), rng.random() < 0.3)
    return case.give(whole(rng, oc), False) if rng.random() < 0.5 else case


def conv_transpose(rng):
    n, group = int(rng.integers(1, 3)), int(rng.integers(1, 3))
    ic, oc, kernel = group * int(rng.integers(1, 4)), int(rng.integers(1, 4)), rng.integers(1, 5, n).tolist()
    a = window(rng, n, kernel)
    if rng.random() < 0.4:
        a["output_padding"] = [int(rng.integers(0, s)) for s in a["strides"]]
    size = rng.integers(3, 7, n)
    if rng.random() < 0.4:
        a.pop("pads", None)
        a["output_shape"] = [int(s * i) for s, i in zip(a["strides"], size)]
    case = Case(rng, "ConvTranspose", int(rng.choice([7, 11, 22])), group=group, **a)
    case.give(whole(rng, 1, ic, *size), True)
    case.give(whole(rng, ic, oc, *kernel), rng.random() < 0.3)
    return case.give(whole(rng, oc * group), False) if rng.random() < 0.5 else case


def pool(rng):
    n, op = int(rng.integers(1, 4)), str(rng.choice(["MaxPool", "AveragePool", "LpPool"]))
    kernel = rng.integers(1, 5, n).tolist()
    a = window(rng, n, kernel)
    if "auto_pad" not in a:
        a["ceil_mode"] = int(rng.integers(0, 2))
    else:
        a["dilations"] = [1] * n
    if op == "AveragePool":
        a["count_include_pad"] = int(rng.integers(0, 2))
    case = Case(rng, op, 22, kernel_shape=kernel, **a)
    if op == "LpPool":
        case.attributes["p"] = int(rng.integers(1, 4))
    case.n_outputs = 2 if op == "MaxPool" and rng.random() < 0.5 else 1
    case.is_close = op != "MaxPool"
    return case.give(whole(rng, 2, 3, *rng.integers(6, 12, n)), True)


def resize(rng):
    mode = str(rng.choice(["nearest", "linear", "cubic"]))
    a = {"mode": mode, "coordinate_transformation_mode": str(rng.choice(
        ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]))}
    if mode == "nearest":
        a["nearest_mode"] = str(rng.choice(["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"]))
    case = Case(rng, "Resize", int(rng.choice([11, 13, 19])), **a)
    x = whole(rng, 1, 2, *rng.integers(3, 9, 2))
    case.is_close = mode != "nearest"
    case.give(x, True).give(np.zeros(0, np.float32), False)
    if rng.random() < 0.5:
        return case.give(np.array([1, 1, *rng.integers(1, 4, 2)], np.float32), False)
    sizes = np.array([1, 2, *rng.integers(2, 14, 2)])
    return case.give(np.zeros(0, np.float32), False).give(sizes, False)


def grid_sample(rng):
    mode, border = (str(rng.choice(c)) for c in (["nearest", "bilinear", "bicubic"],
                                                 ["zeros", "border", "reflection"]))
    if mode == "bicubic":
        border = "zeros"  # ONNX Runtime's others are not those of ONNX's reference, ours are
    case = Case(rng, "GridSample", 16, mode=mode, padding_mode=border,
                align_corners=int(rng.integers(0, 2)))
    case.is_close = True
    case.give(whole(rng, 2, 3, *rng.integers(3, 8, 2)), True)
    return case.give(rng.uniform(-1.5, 1.5, (2, 4, 5, 2)).astype(np.float32), True)


def move(rng):
    """One of the operators that put elements elsewhere, of any type; its lists constant or fed."""
    rank = int(rng.integers(1, 5))
    shape, fed = rng.integers(1, 6, rank), bool(rng.random() < 0.3)
    x = any_type(rng, *shape)
    op = str(rng.choice(["Transpose", "Slice", "Gather", "Tile", "Expand", "Pad", "Concat", "Split"]))
    case = Case(rng, op, 13).give(x, True)
    axis = int(rng.integers(-rank, rank))
    if op == "Transpose":
        case.attributes["perm"] = rng.permutation(rank).tolist()
    elif op == "Slice":
        axes = rng.permutation(rank)[:int(rng.integers(1, rank + 1))]
        for values in (rng.integers(-6, 6, len(axes)), rng.integers(-6, 6, len(axes)), axes,
                       rng.choice([-2, -1, 1, 2], len(axes))):
            case.give(np.array(values, np.int64), fed)
    elif op == "Gather":
        case.attributes["axis"] = axis
        case.give(rng.integers(-shape[axis], shape[axis], rng.integers(1, 4, int(rng.integers(0, 3)))), fed)
        case.constants = [c if c.data_type != 0 else c for c in case.constants]
    elif op == "Tile":
        case.give(rng.integers(1, 4, rank), fed)
    elif op == "Expand":
        case.give(np.array([2, *np.where(shape == 1, 3, shape)]), fed)
    elif op == "Pad":
        case.attributes["mode"] = str(rng.choice(["constant", "edge", "reflect"]))
        most = np.tile(shape if case.attributes["mode"] != "reflect" else shape - 1, 2)
        case.give(rng.integers(0, most + 1), fed)
        if case.attributes["mode"] == "constant" and rng.random() < 0.5:
            case.give(np.array(3, x.dtype), False)
    elif op == "Concat":
        case.attributes["axis"] = axis
        case.give(x, False)
    else:
        case.attributes["axis"] = axis
        case.give(np.array([shape[axis] // 2, shape[axis] - shape[axis] // 2]), fed)
        case.n_outputs = 2
    return case


MAKERS = (conv, conv, conv_transpose, conv_transpose, pool, pool, resize, grid_sample, move, move, product)


def run_theirs(model, fed):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, fed)


def run_ours(assay, model, fed, folder):
    path = pathlib.Path(folder)
    onnx.save(model, path / "m.onnx")
    command = [assay, "run", str(path / "m.onnx"), "-o", str(path / "out"), "--force", "-q"]
    for name, values in fed.items():
        np.save(path / f"{name}.npy", values)
        command += ["--input", f"{name}={path / name}.npy"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return done.stderr.strip()
    return [np.load(path / "out" / f"{o.name}.npy") for o in model.graph.output]


def differs(case, ours, theirs):
    """What is wrong, or None."""
    if isinstance(ours, str):
        return ours
    for a, b in zip(ours, theirs):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{a.dtype}{a.shape} for {b.dtype}{b.shape}"
        away = np.abs(a.astype(np.float64) - b.astype(np.float64)) / (1 + np.abs(b.astype(np.float64)))
        if away.size and not away.max() <= (2e-5 if case.is_close else 0):
            return f"{away.max():.2e} away"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--keep")
    options = parser.parse_args()
    counts, bad = collections.Counter(), 0
    for i in range(options.count):
        rng = np.random.default_rng((options.seed, i))
        case = MAKERS[i % len(MAKERS)](rng)
        try:
            model = case.model()
            theirs = run_theirs(model, case.fed)
        except Exception:  # what ONNX Runtime raises has many types
            counts["refused by ONNX Runtime"] += 1
            continue
        with tempfile.TemporaryDirectory() as folder:
            wrong = differs(case, run_ours(options.assay, model, case.fed, folder), theirs)
        counts[case.op] += 1
        if wrong:
            bad += 1
            print(f"seed {options.seed}, case {i}, {case.op}-{case.opset} {case.attributes}: {wrong}")
            if options.keep:
                os.makedirs(options.keep, exist_ok=True)
                onnx.save(model, os.path.join(options.keep, f"{i}.onnx"))
    print(", ".join(f"{op} {n}" for op, n in sorted(counts.items())) + f"; {bad} differ")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
