#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write reshape_by_input.onnx: y = Reshape(x, dims), whose dims are an input of the network."""
import pathlib

import onnx
from onnx import TensorProto, helper

graph = helper.make_graph(
    [helper.make_node("Reshape", ["x", "dims"], ["y"], name="reshape")],
    "reshape_by_input",
    [helper.make_tensor_value_info("x", TensorProto.INT32, ["rows", 3]),
     helper.make_tensor_value_info("dims", TensorProto.INT64, ["n"])],
    [helper.make_tensor_value_info("y", TensorProto.INT32, None)])
model = helper.make_model(graph, producer_name="assay", opset_imports=[helper.make_opsetid("", 13)])
model.ir_version = 8
onnx.save(model, str(pathlib.Path(__file__).parent / "reshape_by_input.onnx"))
