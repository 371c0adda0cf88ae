#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training of the default search's six networks, by assay and by PyTorch, interleaved.

    compare.py --bench BENCH_TRAIN --digits DIGITS.csv [--seeds 10] [--first 1] [--epochs 18] [--fused]
               [--same-start] [--networks NAME...]

(needs the PyPI packages torch and numpy)
Both train on the same images and the same stratified 60/20/20 split, in one thread: Adam 0.003, batches of 64
shuffled each epoch, validation loss behind every epoch, the weights of the least kept.  First weights follow
the same law from seeds of each one's own, so accuracies are compared as means over the seeds.  For every seed
and network, in a shuffled order, one trains and then the other; seconds are those of the epochs alone, without
starts of processes.  --fused gives PyTorch its fused Adam.  --same-start gives PyTorch the first weights and
the shuffles that assay has by the same seed, so that only roundings differ.  Printed as Markdown.
"""
import argparse
import copy
import json
import math
import pathlib
import platform
import random
import statistics
import subprocess
import tempfile
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

NAMES = [f"{module}-{width}" for module in ("standard", "dw_pw") for width in (8, 16, 32)]
BATCH = 64


def read_digits(path):
    table = np.loadtxt(path, delimiter=",", dtype=np.float32)
    return table[:, :64].reshape(-1, 1, 8, 8) / 16, table[:, 64].astype(np.int64)


def split(labels, rng):
    """Ids of the training and of the validation part, 60 and 20 % of each class."""
    parts = [], []
    for label in np.unique(labels):
        ids = rng.permutation(np.flatnonzero(labels == label))
        a, b = round(0.6 * len(ids)), round(0.8 * len(ids))
        parts[0].append(ids[:a])
        parts[1].append(ids[a:b])
    return [np.sort(np.concatenate(p)) for p in parts]


def write(folder, images, labels, train, validation):
    arrays = {"images": images.transpose(0, 2, 3, 1), "labels": labels.astype(np.int32), "train": train,
              "validation": validation}
    for name, array in arrays.items():
        np.save(pathlib.Path(folder) / f"{name}.npy", np.ascontiguousarray(array))


def by_assay(bench, folder, name, seed, epochs):
    command = [bench, folder, name, str(seed), str(epochs)]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return told["seconds"], told["accuracy"]


def network(name):
    kind, width = name.split("-")
    width = int(width)
    module = ([nn.Conv2d(8, width, 3, padding=1, bias=False)] if kind == "standard" else
              [nn.Conv2d(8, 8, 3, padding=1, groups=8, bias=False), nn.Conv2d(8, width, 1, bias=False)])
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1, bias=False), nn.ReLU(), nn.AvgPool2d(2), *module, nn.ReLU(),
                         nn.AvgPool2d(2), nn.Flatten(), nn.Linear(4 * width, 10))


class SplitMix:
    """The numbers of src/base/random.c, of one of a seed's streams (src/train/streams.h)."""

    def __init__(self, seed, stream):
        self.state = seed + stream * 0x9E3779B97F4A7C15
        self.state = self.next()

    def next(self):
        mask = (1 << 64) - 1
        self.state = z = (self.state + 0x9E3779B97F4A7C15) & mask
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        return z ^ (z >> 31)

    def uniform(self, n, bound):
        return torch.tensor([(2 * (self.next() >> 11) * 2.0**-53 - 1) * bound for _ in range(n)]).float()


def assay_start(net, seed, n_train, epochs):
    """Give `net` the first weights of src/train; the epochs' orders."""
    numbers = SplitMix(seed, 0)
    with torch.no_grad():
        for layer in (m for m in net if hasattr(m, "weight")):
            w = layer.weight
            bound = w[0].numel() ** -0.5
            values = numbers.uniform(w.numel(), bound)
            if isinstance(layer, nn.Linear):  # 2x2 maps lie with channels last
                layer.bias.copy_(numbers.uniform(len(w), bound))
                values = values.reshape(len(w), 4, -1).transpose(1, 2)
            w.copy_(values.reshape(w.shape))
    numbers, order, orders = SplitMix(seed, 1), list(range(n_train)), []
    for _ in range(epochs):
        for i in range(n_train, 1, -1):
            other = numbers.next() % i
            order[i - 1], order[other] = order[other], order[i - 1]
        orders.append(torch.tensor(order))
    return orders


def by_torch(data, name, seed, epochs, options):
    (x, y), (vx, vy) = data
    torch.manual_seed(seed)
    net = network(name)
    orders = assay_start(net, seed, len(x), epochs) if options.same_start else None
    begin = time.perf_counter()
    optimiser = torch.optim.Adam(net.parameters(), lr=0.003, fused=options.fused or None)
    best, accuracy, weights = math.inf, 0.0, None
    for epoch in range(epochs):
        order = orders[epoch] if orders else torch.randperm(len(x))
        for ids in order.split(BATCH):
            optimiser.zero_grad()
            functional.cross_entropy(net(x[ids]), y[ids]).backward()
            optimiser.step()
        with torch.no_grad():
            logits = net(vx)
            loss = functional.cross_entropy(logits, vy).item()
        if loss < best:
            best, accuracy = loss, (logits.argmax(1) == vy).double().mean().item()
            weights = copy.deepcopy(net.state_dict())
    net.load_state_dict(weights)
    return time.perf_counter() - begin, accuracy


def measure(options, folder, data):
    """{(name, engine): [(seconds, accuracy) a seed]}."""
    rows, order = {}, random.Random(20260918)
    by_torch(data, NAMES[0], 0, 1, options)  # its first training loads libraries
    for seed in range(options.first, options.first + options.seeds):
        turns = list(options.networks)
        order.shuffle(turns)
        for name in turns:
            engines = ["assay", "torch"]
            order.shuffle(engines)
            for engine in engines:
                row = (by_assay(options.bench, folder, name, seed, options.epochs) if engine == "assay" else
                       by_torch(data, name, seed, options.epochs, options))
                rows.setdefault((name, engine), []).append(row)
    return rows


def cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def mean_and_variance(values):
    return statistics.mean(values), statistics.variance(values) / len(values)


def print_table(names, rows):
    print("| network | assay, s | PyTorch, s | assay / PyTorch, least to most | assay, accuracy | PyTorch, accuracy "
          "| difference | 2 standard errors |\n" + "|---" * 8 + "|")
    for name in names:
        ours, theirs = rows[name, "assay"], rows[name, "torch"]
        times = [statistics.median(r[0] for r in side) for side in (ours, theirs)]
        ratios = [a[0] / b[0] for a, b in zip(ours, theirs)]
        (a, va), (b, vb) = (mean_and_variance([r[1] for r in side]) for side in (ours, theirs))
        print(f"| {name} | {times[0]:.4f} | {times[1]:.3f} | {statistics.median(ratios):.3f}, {min(ratios):.3f} to "
              f"{max(ratios):.3f} | {a:.4f} | {b:.4f} | {a - b:+.4f} | {2 * math.sqrt(va + vb):.4f} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", required=True)
    parser.add_argument("--digits", required=True)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=18)
    parser.add_argument("--networks", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--fused", action="store_true")
    parser.add_argument("--same-start", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    images, labels = read_digits(options.digits)
    parts = split(labels, np.random.default_rng(20260918))
    data = [(torch.from_numpy(images[p]), torch.from_numpy(labels[p])) for p in parts]
    with tempfile.TemporaryDirectory() as folder:
        write(folder, images, labels, *parts)
        rows = measure(options, folder, data)
    print(f"{cpu()}; PyTorch {torch.__version__}, {'fused ' if options.fused else ''}Adam; 1 thread each")
    print(f"{len(labels)} images, {len(parts[0])} train, {len(parts[1])} validate; {options.epochs} epochs; "
          f"seeds {options.first} to {options.first + options.seeds - 1}{', both from the same start' if options.same_start else ''}; seconds: medians; accuracy: means, of validation\n")
    print_table(options.networks, rows)


if __name__ == "__main__":
    main()
