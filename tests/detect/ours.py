# SPDX-License-Identifier: Apache-2.0
"""Our detector for Python, through the program detect_differ, and how its boxes are compared."""
import os
import struct
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import detect as oracle  # noqa: E402  (the oracle lies beside this folder)

BOX = np.dtype([("corners", np.int32, (4, 2)), ("score", np.float64)])
SCORE_TOLERANCE = 1e-5


class Ours:
    """One detect_differ process; a question, then its answer."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _ask(self, *parts):
        for part in parts:
            self.process.stdin.write(part)
        self.process.stdin.flush()

    def _read(self, n_bytes):
        data = self.process.stdout.read(n_bytes)
        if len(data) != n_bytes:
            sys.exit(f"detect_differ ended with {self.process.wait()}")
        return data

    def preprocess(self, bgr, net_h, net_w):
        h, w = bgr.shape[:2]
        self._ask(struct.pack("=5i", 1, h, w, net_h, net_w), np.ascontiguousarray(bgr).tobytes())
        return np.frombuffer(self._read(12 * net_h * net_w), np.float32).reshape(3, net_h, net_w)

    def boxes(self, prob, image_h, image_w):
        """Boxes and scores with the oracle's present settings."""
        s = oracle.SET
        self._ask(struct.pack("=5i3d", 2, *prob.shape, image_h, image_w, s.thresh, s.box_thresh, s.unclip),
                  np.ascontiguousarray(prob, np.float32).tobytes())
        (n,) = struct.unpack("=i", self._read(4))
        found = np.frombuffer(self._read(n * BOX.itemsize), BOX)
        return found["corners"], found["score"]

    def network_size(self, h, w):
        s = oracle.SET
        self._ask(struct.pack("=5i", 3, h, w, s.limit_side, s.limit_type == "min"))
        return struct.unpack("=3i", self._read(12))[:2]


class Comparison:
    """Counts boxes that equal the oracle's and prints the others."""

    def __init__(self):
        self.maps = self.boxes = self.different = 0

    def add(self, name, prob, image_h, image_w, ours):
        """Compare one map; `name` says how to make it again."""
        expected, scores = oracle.boxes_from_map(prob, image_h, image_w)
        found, found_scores = ours.boxes(prob, image_h, image_w)
        self.maps += 1
        self.boxes += len(expected)
        if len(found) != len(expected):
            self.different += max(abs(len(found) - len(expected)), 1)
            print(f"{name}: {len(found)} boxes, the oracle has {len(expected)}")
        for i in range(min(len(found), len(expected))):
            corners = expected[i].astype(int)
            near = np.isclose(found_scores[i], scores[i], rtol=0, atol=SCORE_TOLERANCE, equal_nan=True)
            if np.array_equal(found[i], corners) and near:
                continue
            self.different += 1
            print(f"{name}: box {i} is {found[i].tolist()} score {found_scores[i]:.9g}, "
                  f"the oracle has {corners.tolist()} score {scores[i]:.9g} "
                  f"({scores[i] - oracle.SET.box_thresh:+.3g} above box_thresh)")

    def is_enough(self, share=0.999):
        return self.boxes > 0 and self.different <= (1 - share) * self.boxes

    def __str__(self):
        return f"{self.maps} maps, {self.boxes} boxes compared, {self.different} different"
