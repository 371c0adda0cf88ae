#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the node cases of this onnx package, which are of its newest opset, as folders.

Usage: newest.py FOLDER

Each case becomes FOLDER/NAME/model.onnx with test_data_set_0/input_K.pb and output_K.pb, as Debian's
libonnx-testdata has older ones.  Inputs and outputs that are no dense tensors have no file.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def write(values, infos, folder, kind):
    for i, (value, info) in enumerate(zip(values, infos)):
        if not isinstance(value, (np.ndarray, np.generic, onnx.TensorProto)):
            continue
        tensor = value if isinstance(value, onnx.TensorProto) else \
            numpy_helper.from_array(np.asarray(value), info.name)
        (folder / f"{kind}_{i}.pb").write_bytes(tensor.SerializeToString())


def main():
    out = pathlib.Path(sys.argv[1])
    n = 0
    for case in collect_testcases(None):
        folder = out / case.name
        data = folder / "test_data_set_0"
        data.mkdir(parents=True)
        (folder / "model.onnx").write_bytes(case.model.SerializeToString())
        for inputs, outputs in case.data_sets[:1]:
            write(inputs, case.model.graph.input, data, "input")
            write(outputs, case.model.graph.output, data, "output")
        n += 1
    print(f"{n} cases of onnx {onnx.__version__}, opset {onnx.defs.onnx_opset_version()}")


if __name__ == "__main__":
    main()
