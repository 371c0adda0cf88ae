# SPDX-License-Identifier: Apache-2.0
"""An .onnx file run node by node on PyTorch, as it stands: nothing is fused or reordered.

    graph = Graph("det.onnx")
    y, = graph.run(x)         inside torch.inference_mode(); inputs and outputs as the file lists them

Nodes that depend on constants alone are computed once, when the file is read.  A value is dropped
behind its last reader, so that memory is what a module written by hand would take.
"""
import onnx
import torch
from onnx import numpy_helper

from torch_operators import OPERATORS


class Step:
    """One node, ready to run."""

    def __init__(self, node, opset):
        self.kind, self.function = node.op_type, OPERATORS[node.op_type]
        self.name = node.name or (node.output[0] if node.output else "")
        self.inputs, self.outputs = list(node.input), list(node.output)
        self.attributes = {a.name: attribute_of(a) for a in node.attribute}
        self.attributes.update(opset=opset, n_outputs=len(self.outputs))
        self.last = []  # values that nobody reads behind this one

    def run(self, values):
        """Take inputs out of `values`, put outputs there."""
        try:
            got = self.function(self.attributes, *[values[name] for name in self.inputs])
            got = (got,) if isinstance(got, torch.Tensor) else got
            if len(got) < len(self.outputs):
                raise NotImplementedError(f"{len(self.outputs)} outputs, {len(got)} is known")
        except Exception as why:
            raise RuntimeError(f"node '{self.name}' ({self.kind}): {why}") from why
        values.update(zip(self.outputs, got))


def attribute_of(attribute):
    value = onnx.helper.get_attribute_value(attribute)
    return tensor_of(value) if isinstance(value, onnx.TensorProto) else value


def tensor_of(proto):
    return torch.from_numpy(numpy_helper.to_array(proto).copy())


class Graph:
    def __init__(self, path):
        model = onnx.load(path)
        self.known = {t.name: tensor_of(t) for t in model.graph.initializer}
        fed = [i for i in model.graph.input if i.name not in self.known]
        self.inputs = [i.name for i in fed]
        self.outputs = [o.name for o in model.graph.output]
        self.types = {v.type.tensor_type.elem_type for v in [*fed, *model.graph.output]}
        self.known[""] = None  # an input that is left out
        self.steps = self.prepare(model)
        self.drop_early()

    def prepare(self, model):
        """-> the steps that depend on the input; the others are run here."""
        opset = max([o.version for o in model.opset_import if o.domain in ("", "ai.onnx")],
                    default=1)
        foreign = sorted({n.op_type for n in model.graph.node
                          if n.op_type not in OPERATORS or n.domain not in ("", "ai.onnx")})
        if foreign:
            raise RuntimeError(f"no PyTorch function is known for {', '.join(foreign)}")
        steps = []
        for node in model.graph.node:
            step = Step(node, opset)
            if all(name in self.known for name in step.inputs):
                step.run(self.known)
            else:
                steps.append(step)
        return steps

    def drop_early(self):
        """Note behind which step a value has had its last reader, and forget unread constants."""
        seen = {*self.outputs, *self.known}
        for step in reversed(self.steps):
            names = dict.fromkeys([*step.inputs, *step.outputs])
            step.last = [name for name in names if name not in seen]
            seen.update(names)
        used = {name for step in self.steps for name in step.inputs} | {*self.outputs, ""}
        self.known = {name: value for name, value in self.known.items() if name in used}

    def run(self, *inputs):
        """-> the outputs; the inputs are only read."""
        values = {**self.known, **dict(zip(self.inputs, inputs))}
        for step in self.steps:
            step.run(values)
            for name in step.last:
                values.pop(name, None)
        return [values[name] for name in self.outputs]
