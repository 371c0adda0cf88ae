# SPDX-License-Identifier: Apache-2.0
"""ONNX operators whose output element sees a window of the input, on PyTorch: convolutions, pools and
resizes, as torch_operators.py lists them; also what both files need to read attributes.
"""
import math

import torch
import torch.nn.functional as F


def text(attributes, key, default):
    value = attributes.get(key, default)
    return value.decode() if isinstance(value, bytes) else value


def whole(tensor):
    """-> a tensor of whole numbers as a list."""
    return [int(v) for v in tensor.reshape(-1).tolist()]


def listed(a, key, tensor):
    """-> a list that early opsets have as an attribute and later ones as an input; None: neither."""
    return whole(tensor) if tensor is not None else a.get(key)


# Windows

def window(a, sizes, kernel):
    """-> strides, dilations, pads before and pads behind, one number an axis."""
    rank = len(kernel)
    strides, dilations = a.get("strides", [1] * rank), a.get("dilations", [1] * rank)
    auto = text(a, "auto_pad", "NOTSET")
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        total = [max(0, (math.ceil(size / s) - 1) * s + (k - 1) * d + 1 - size)
                 for size, k, s, d in zip(sizes, kernel, strides, dilations)]
        less = [t // 2 for t in total]
        more = [t - l for t, l in zip(total, less)]
        return strides, dilations, *((less, more) if auto == "SAME_UPPER" else (more, less))
    pads = [0] * (2 * rank) if auto == "VALID" else a.get("pads", [0] * (2 * rank))
    return strides, dilations, pads[:rank], pads[rank:]


def padded(x, before, behind, value=0.0):
    """Pad the last axes; F.pad lists them from the last one on."""
    pairs = [n for b, e in zip(before[::-1], behind[::-1]) for n in (b, e)]
    return F.pad(x, pairs, value=value) if any(pairs) else x


def conv(a, x, w, bias=None):
    strides, dilations, before, behind = window(a, x.shape[2:], w.shape[2:])
    if before != behind:
        x, before = padded(x, before, behind), [0] * len(before)
    return torch.convolution(x, w, bias, strides, before, dilations, False, [0] * len(before),
                             a.get("group", 1))


def transposed_pads(a, sizes, kernel, strides, dilations):
    """-> pads before, pads behind and output padding; output_shape and auto_pad may say what the
    output is to be."""
    more = a.get("output_padding", [0] * len(kernel))
    auto, wanted = text(a, "auto_pad", "NOTSET"), a.get("output_shape")
    if wanted is None and auto.startswith("SAME"):
        wanted = [size * s for size, s in zip(sizes, strides)]
    if wanted is None:
        pads = [0] * (2 * len(kernel)) if auto == "VALID" else a.get("pads", [0] * (2 * len(kernel)))
        return pads[:len(kernel)], pads[len(kernel):], more
    total = [s * (size - 1) + m + (k - 1) * d + 1 - want for size, k, s, d, m, want
             in zip(sizes, kernel, strides, dilations, more, wanted[-len(kernel):])]
    more = [m + max(0, -t) for m, t in zip(more, total)]
    less = [max(0, t) // 2 for t in total]
    rest = [max(0, t) - l for t, l in zip(total, less)]
    return (less, rest, more) if auto == "SAME_UPPER" else (rest, less, more)


def conv_transpose(a, x, w, bias=None):
    rank = x.dim() - 2
    strides, dilations = a.get("strides", [1] * rank), a.get("dilations", [1] * rank)
    before, behind, more = transposed_pads(a, x.shape[2:], w.shape[2:], strides, dilations)
    inside = before if before == behind else [0] * rank
    y = torch.convolution(x, w, bias, strides, inside, dilations, True, more, a.get("group", 1))
    return y if before == behind else padded(y, [-n for n in before], [-n for n in behind])


def max_pool(a, x):
    kernel = a["kernel_shape"]
    strides, dilations, before, behind = window(a, x.shape[2:], kernel)
    if before != behind or any(2 * b > k for b, k in zip(before, kernel)):
        x, before = padded(x, before, behind, -math.inf), [0] * len(before)
    pool = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[len(kernel) - 1]
    return pool(x, kernel, strides, before, dilations, bool(a.get("ceil_mode", 0)))


def average_pool(a, x):
    kernel = a["kernel_shape"]
    strides, dilations, before, behind = window(a, x.shape[2:], kernel)
    if any(d != 1 for d in dilations):
        raise NotImplementedError("AveragePool with dilations")
    pool = (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)[len(kernel) - 1]
    ceil, counts = bool(a.get("ceil_mode", 0)), bool(a.get("count_include_pad", 0))
    if before == behind and not any(2 * b > k for b, k in zip(before, kernel)):
        return pool(x, kernel, strides, before, ceil, counts)
    mean = pool(padded(x, before, behind), kernel, strides, 0, ceil)
    if counts:
        return mean
    return mean / pool(padded(torch.ones_like(x), before, behind), kernel, strides, 0, ceil)


# Resizing

def nearest(x, axis, scale, size, where, rounding):
    """Resize one axis by the source element of each output element."""
    n = x.shape[axis]
    at = torch.arange(size, dtype=torch.float64)
    if where in ("half_pixel", "pytorch_half_pixel"):
        at = (at + 0.5) / scale - 0.5 if where == "half_pixel" or size > 1 else at * 0
    elif where == "align_corners":
        at = at * (n - 1) / max(size - 1, 1)
    elif where == "asymmetric":
        at = at / scale
    else:
        raise NotImplementedError(f"Resize with coordinate_transformation_mode {where}")
    rounded = {"floor": torch.floor, "ceil": torch.ceil,
               "round_prefer_floor": lambda v: torch.ceil(v - 0.5),
               "round_prefer_ceil": lambda v: torch.floor(v + 0.5)}[rounding](at)
    return x.index_select(axis, rounded.clamp(0, n - 1).to(torch.int64))


def resize(a, x, roi=None, scales=None, sizes=None):
    del roi  # only of tf_crop_and_resize, which is refused
    if scales is not None and scales.numel() == 0:
        scales = None
    if a.get("axes") is not None or text(a, "keep_aspect_ratio_policy", "stretch") != "stretch":
        raise NotImplementedError("Resize with axes or an aspect ratio policy")
    if scales is None:
        sizes = whole(sizes)
        scales = [size / n for size, n in zip(sizes, x.shape)]
    else:
        scales = [float(s) for s in scales.reshape(-1).tolist()]
        sizes = [math.floor(n * s) for n, s in zip(x.shape, scales)]
    mode = text(a, "mode", "nearest")
    where = text(a, "coordinate_transformation_mode",
                 "asymmetric" if a["opset"] < 11 else "half_pixel")
    if mode == "nearest":
        rounding = text(a, "nearest_mode", "floor" if a["opset"] < 11 else "round_prefer_floor")
        return resize_nearest(x, scales, sizes, where, rounding)
    return resize_smooth(a, x, mode, scales, sizes, where)


def resize_nearest(x, scales, sizes, where, rounding):
    is_repeat = where == "asymmetric" and rounding == "floor" and all(s == int(s) for s in scales)
    if is_repeat and x.dim() in (3, 4, 5) and scales[:2] == [1, 1]:
        return F.interpolate(x, size=sizes[2:], mode="nearest")
    for axis, (scale, size) in enumerate(zip(scales, sizes)):
        if scale != 1:
            x = nearest(x, axis, scale, size, where, rounding)
    return x


def resize_smooth(a, x, mode, scales, sizes, where):
    """linear and cubic, where PyTorch has the same: half pixels or aligned corners, -0.75."""
    kind = {("linear", 3): "linear", ("linear", 4): "bilinear", ("linear", 5): "trilinear",
            ("cubic", 4): "bicubic"}.get((mode, x.dim()))
    is_other = mode == "cubic" and (a.get("cubic_coeff_a", -0.75) != -0.75
                                    or a.get("exclude_outside", 0))
    if kind is None or scales[:2] != [1, 1] or is_other or a.get("antialias", 0) or \
            where not in ("half_pixel", "pytorch_half_pixel", "align_corners"):
        raise NotImplementedError(f"Resize of {x.dim()} axes with mode {mode} and {where}")
    if where == "align_corners":
        return F.interpolate(x, size=sizes[2:], mode=kind, align_corners=True)
    if [math.floor(n * s) for n, s in zip(x.shape, scales)] != sizes:
        return F.interpolate(x, size=sizes[2:], mode=kind, align_corners=False)
    return F.interpolate(x, scale_factor=tuple(scales[2:]), mode=kind, align_corners=False,
                         recompute_scale_factor=False)
