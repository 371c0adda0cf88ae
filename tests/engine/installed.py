#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay as a stranger has it: installed below a prefix, found by pkg-config, and nothing of the build.

Usage: installed.py BUILD SOURCE CC

Installs BUILD into a temporary DESTDIR, looks at what lies there, builds the programs of examples/
against it, and holds what they print to what the installed program says.
"""
import ast
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

PREFIX = "opt/assay"
WIDTH, HEIGHT = 160, 96


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, **more)
    assert done.returncode == 0, f"{command} exits {done.returncode}"
    return done.stdout


def check_tree(root):
    wanted = {"bin/assay", "lib/libassay.so", "lib/pkgconfig/assay.pc", "share/man/man1/assay.1",
              "share/assay/adapters/onnxruntime.py", "include/assay/assay.h"}
    if (pathlib.Path(sys.argv[1]) / "assay-search-mpi").exists():
        wanted.add("bin/assay-search-mpi")
    seen = {str(p.relative_to(root)) for p in root.rglob("*") if not p.is_dir()}
    assert wanted <= seen, f"not installed: {wanted - seen}"
    source = {p.name for p in (SOURCE / "include/assay").glob("*.h")}
    assert source == {p.name for p in (root / "include/assay").glob("*")}


def check_library(root, version):
    library = root / "lib/libassay.so"
    dynamic = run("readelf", "-d", str(library))
    soname = f"libassay.so.{version.split('.')[0]}"
    assert f"[{soname}]" in dynamic, dynamic
    assert (root / "lib" / soname).resolve().name == f"libassay.so.{version}"
    names = [line.split()[-1] for line in
             run("nm", "-D", "--defined-only", str(library)).splitlines()]
    foreign = [n for n in names if not n.startswith("assay_")]
    assert not foreign, f"exported, but not public: {foreign}"
    headers = "".join(p.read_text() for p in (root / "include/assay").glob("*.h"))
    declared = {n for n in names if f"{n}(" in headers}
    assert declared == set(names), f"exported, but in no header: {set(names) - declared}"
    assert headers.count("ASSAY_API ") - headers.count("define ASSAY_API ") == len(names)


def build(root, cc, name, folder):
    pc = {**os.environ, "PKG_CONFIG_PATH": str(root / "lib/pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "assay", env=pc).split()
    assert f"-I{root}/include" in [os.path.normpath(f) if f[0] != "-" else f[:2] + os.path.normpath(
        f[2:]) for f in flags], flags
    program = folder / name
    run(cc, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
        str(SOURCE / f"examples/{name}.c"), "-o", str(program), *flags)
    return str(program)


def write_picture(path):
    """A dark bar on white."""
    rows = [[0 if 40 <= y < 56 and 30 <= x < 120 else 255 for x in range(WIDTH)]
            for y in range(HEIGHT)]
    pixels = bytes(v for row in rows for v in row for _ in range(3))
    path.write_bytes(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + pixels)


def write_halves(path, dims):
    header = str({"descr": "<f4", "fortran_order": False, "shape": dims}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    n = 1
    for dim in dims:
        n *= dim
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header +
                     struct.pack("<f", 0.5) * n)


def read_floats(path):
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    return header["shape"], [v for (v,) in struct.iter_unpack("<f", data[10 + length:])]


def check_run(assay, program, model, folder, env):
    dims = (1, 3, 32, 64)
    write_halves(folder / "x.npy", dims)
    run(assay, "run", model, "--input", str(folder / "x.npy"), "-o", str(folder / "out"))
    shape, values = read_floats(folder / "out/map.npy")
    line = run(program, model, *map(str, dims), env=env)
    assert line == "map [%s] %.9g %.9g\n" % (
        ", ".join(map(str, shape)), min(values), max(values)), line
    refused = subprocess.run([program, "none.onnx", "1"], env=env, capture_output=True, text=True,
                             check=False)
    assert (refused.returncode, refused.stderr) == (1, "none.onnx does not exist\n")


def check_detect(assay, program, model, folder, env):
    picture = folder / "bar.ppm"
    write_picture(picture)
    said = json.loads(run(assay, "detect", model, str(picture)))
    wanted = ["".join(f"({x}, {y}) " for x, y in box) + f"{score:.6f}"
              for box, score in zip(said["boxes"], said["scores"])]
    assert wanted, "the picture has no box, so the example proves nothing"
    assert run(program, model, str(picture), env=env).splitlines() == wanted


def main():
    build_folder, cc = sys.argv[1], sys.argv[3]
    model = str(SOURCE / "tests/data/tiny_detector.onnx")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        run("cmake", "--install", build_folder, "--prefix", f"/{PREFIX}",
            env={**os.environ, "DESTDIR": str(folder / "root")})
        root = folder / "root" / PREFIX
        assay = str(root / "bin/assay")
        env = {**os.environ, "LD_LIBRARY_PATH": str(root / "lib")}
        version = run(assay, "--version").split()[1]
        check_tree(root)
        check_library(root, version)
        check_run(assay, build(root, cc, "load_and_run", folder), model, folder, env)
        check_detect(assay, build(root, cc, "detect_on_image", folder), model, folder, env)


SOURCE = pathlib.Path(sys.argv[2]).resolve()
if __name__ == "__main__":
    main()
