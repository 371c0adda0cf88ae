#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The polynomial of vf_gelu in simd/math.h, and the error of its float32 evaluation.

Usage: gelu_fit.py [DEGREE [POWER]]          needs numpy; [7 4]
With a = min(|x|, L) and the normal distribution's Phi,

    gelu(x) = max(x, 0) - a Phi(-a),      Phi(-a) = p(a)^POWER,      p(a) = (L - a) q(-a)

A root of Phi is far smoother than Phi, the powers cost two multiplications, and p vanishes at L, so
that nothing is left of it beyond.  Lawson's weights on Chebyshev nodes, and Gauss and Newton's steps
for the power, give the q of least largest |p^POWER - Phi|; L is tried in steps of 0.05.
"""
import math
import sys

import numpy as np

F = np.float32
erfc = np.vectorize(math.erfc)


def phi_of_minus(a):
    return 0.5 * erfc(a / math.sqrt(2))


def fit(edge, degree, power, steps=300, nodes=1000):
    """@return largest error, coefficients of q in powers of n = -a."""
    a = edge * (1 - np.cos((np.arange(nodes) + .5) * np.pi / nodes)) / 2
    phi = phi_of_minus(a)
    basis = (edge - a)[:, None] * np.polynomial.chebyshev.chebvander(1 - 2 * a / edge, degree)
    slope = power * phi**(1 - 1 / power)
    c = np.linalg.lstsq(basis * slope[:, None], phi**(1 / power) * slope, rcond=None)[0]
    weights = np.full(nodes, 1 / nodes)
    best = (np.inf, c)
    for step in range(steps):
        p = basis @ c
        error = phi - p**power
        best = min(best, (np.abs(error).max(), c), key=lambda b: b[0])
        if step > 10:
            weights = weights * np.abs(error)
            weights /= weights.sum()
        s = np.sqrt(weights)
        slope = power * np.abs(p)**(power - 1)
        c = c + 0.7 * np.linalg.lstsq(basis * (slope * s)[:, None], error * s, rcond=None)[0]
    v = np.polynomial.Polynomial([1, 2 / edge])
    return best[0], np.polynomial.Polynomial(np.polynomial.chebyshev.cheb2poly(best[1]))(v).coef


def fma(a, b, c):
    return (a.astype(float) * np.asarray(b, F).astype(float) + np.asarray(c, F).astype(float)).astype(F)


def evaluate(x, edge, q, power):
    """As vf_gelu does, each step rounded once."""
    n = np.maximum(-F(edge), -np.abs(x))
    s = np.full(x.shape, F(q[-1]))
    for c in q[-2::-1]:
        s = fma(s, n, c)
    p = (n + F(edge)) * s
    while power > 1:
        p, power = p * p, power // 2
    return fma(n, p, np.maximum(x, F(0)))


def main():
    degree = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    power = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    tried = [(*fit(edge, degree, power), edge) for edge in np.arange(5.0, 6.81, 0.05)]
    error, q, edge = min(tried, key=lambda t: t[0])
    x = np.linspace(-12, 12, 1000001).astype(F)
    gelu = x * phi_of_minus(-x.astype(float))
    off = np.abs(evaluate(x, edge, q, power) - gelu) / np.maximum(1, np.abs(x))
    print(f"L = {edge:.2f}, q = " + ", ".join(f"{c:.9g}f" for c in q))
    print(f"largest error of Phi {error:.2g}; of gelu in float32 {off.max():.3g} max(1, |x|)")


if __name__ == "__main__":
    main()
