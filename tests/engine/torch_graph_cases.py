# SPDX-License-Identifier: Apache-2.0
"""The PyTorch interpreter of adapters/ against ONNX Runtime: random nodes of nodes.py, and whole
networks of networks.py.

    torch_graph_cases.py --models FOLDER [--count N] [--seed S] [NAME...]

Runs in .venv-engines.  Exit status 77 without torch there.  A node that either side refuses is not
counted; which kinds the interpreter refused is printed.
"""
import argparse
import collections
import importlib.util
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
if any(importlib.util.find_spec(name) is None for name in ("torch", "onnx", "onnxruntime")):
    print("SKIP: tools/engines torch onnxruntime makes what this needs")
    sys.exit(77)

import numpy as np  # noqa: E402
import torch  # noqa: E402

sys.path += [str(HERE), str(HERE.parents[1] / "adapters")]
import networks  # noqa: E402
import nodes  # noqa: E402
import onnx  # noqa: E402
from torch_graph import Graph  # noqa: E402


def run_graph(path, arrays):
    with torch.inference_mode():
        return [y.numpy() for y in Graph(path).run(*[torch.from_numpy(a) for a in arrays])]


def run_case(case, folder):
    """-> what is wrong, None, or "refused" by one of the two."""
    try:
        model = case.model()
        theirs = nodes.run_theirs(model, case.fed)
    except Exception:  # what ONNX Runtime raises has many types
        return "refused by ONNX Runtime"
    path = os.path.join(folder, "m.onnx")
    onnx.save(model, path)
    try:
        ours = run_graph(path, list(case.fed.values()))
    except RuntimeError as why:
        is_known = isinstance(why.__cause__, NotImplementedError) or "no PyTorch function" in str(why)
        return f"refused by the interpreter: {case.op}" if is_known else str(why)
    return nodes.differs(case, ours, theirs)


def check_nodes(options, folder):
    counts, bad = collections.Counter(), 0
    for i in range(options.count):
        case = nodes.MAKERS[i % len(nodes.MAKERS)](np.random.default_rng((options.seed, i)))
        wrong = run_case(case, folder)
        counts[wrong if wrong and wrong.startswith("refused") else case.op] += 1
        if wrong and not wrong.startswith("refused"):
            bad += 1
            print(f"seed {options.seed}, case {i}, {case.op}-{case.opset} {case.attributes}: {wrong}")
    print(", ".join(f"{what} {n}" for what, n in sorted(counts.items())) + f"; {bad} differ")
    return bad


def check_network(network, models, folder):
    name, _, file, shape, bound = network
    path = networks.find(name, file, models, folder)
    if path is None:
        print(f"{name}: not there, tools/models fetches it")
        return 0
    x = np.random.default_rng(20261130).uniform(-1, 1, shape).astype(np.float32)
    session = networks.session_of(path, 1)
    theirs = session.run(None, {session.get_inputs()[0].name: x})
    far = max(networks.distance(a, b) for a, b in zip(run_graph(str(path), [x]), theirs))
    print(f"{name}: {far:.1e} from ONNX Runtime, {bound:.0e} is allowed")
    return far > bound


DETECTORS = (("v4", "", "ch_PP-OCRv4_det_infer.onnx", (2, 3, 96, 160), 1e-5),
             ("v6s", "", "PP-OCRv6_det_small.onnx", (2, 3, 96, 160), 1e-5))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        bad = check_nodes(options, folder)
        for network in DETECTORS + networks.NETWORKS:
            if not options.names or network[0] in options.names:
                bad += check_network(network, options.models, folder)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
