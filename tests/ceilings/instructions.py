#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""instructions.py - the loops that measure ceilings, as the compiler has made them: each has the instructions
that its operations are counted by, as many as the source says, in registers of its width, and nothing beside
them but what ends the loop. So none was left out, merged or made a vector of, and none waits for memory.
"""
import os
import pathlib
import platform
import re
import shutil
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, check_all, finish, skip
from loops import functions, innermost

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TOPDOWN_BUILD", SOURCE / "build"))
OBJECT = BUILD / "CMakeFiles/topdown_core.dir/analyzer/analyse/ceilings/kernels_x86.c.o"
JUMP = r"j(?!mp$)\w+"
OVERHEAD = 3  # counting and jumping

# {function: {mnemonic: how often}}; a second name is the same instruction with VEX or EVEX encoding
MUL, ADD = r"v?mul[ps][sd]", r"v?add[ps][sd]"
FMA = r"vfmadd\d+[ps][sd]"
COMPUTE = {
    **{f"mul_add_{name}": {MUL: 14, ADD: 14} for name in ("f64", "f32", "f64x2", "f32x4", "f64x4", "f32x8")},
    **{f"mul_add_{name}": {MUL: 24, ADD: 24} for name in ("f64x8", "f32x16")},
    **{
        f"fma_{name}": {FMA: 24}
        for name in ("f64", "f32", "f64x2", "f32x4", "f64x4", "f32x8", "f64x8", "f32x16")
    },
    "int_add": {"add": 64},
    **{f"int_add_{name}": {"v?paddd": 96} for name in ("x4", "x8", "x16")},
    "int_mul_add": {"imul": 16, "add|lea": 16},
    **{f"int_mul_add_{name}": {"v?pmulld": 24, "v?paddd": 24} for name in ("x4", "x8", "x16")},
}
STORE = r"v?mov(apd|aps|dqa|dqa64)"
NON_TEMPORAL = r"v?movnt(pd|ps|dq)"
# {function: (loads, stores, mnemonic of the stores)} of 16, 32 and 64 bytes
STREAMS = {
    "read": (8, 0, STORE),
    "write": (0, 8, STORE),
    "copy": (4, 4, STORE),
    "triad": (8, 4, STORE),
    "triad_tight": (2, 1, STORE),
    "write_nt": (0, 8, NON_TEMPORAL),
    "copy_nt": (4, 4, NON_TEMPORAL),
    "triad_nt": (8, 4, NON_TEMPORAL),
}
REGISTERS = {
    "f64x2": "%xmm",
    "f64x4": "%ymm",
    "f64x8": "%zmm",
    "f32x4": "%xmm",
    "f32x8": "%ymm",
    "f32x16": "%zmm",
    "x4": "%xmm",
    "x8": "%ymm",
    "x16": "%zmm",
    "f64": "%xmm",
    "f32": "%xmm",
}
SCALAR = {"f64": "sd", "f32": "ss"}


def count(loop, pattern):
    return sum(re.fullmatch(pattern, mnemonic) is not None for _, mnemonic, _ in loop)


def check_compute(name, code, expected):
    loop = innermost(code, JUMP)
    kind = name.rsplit("_", 1)[-1]
    for pattern, times in expected.items():
        # what ends the loop may be an addition as well
        found = count(loop, pattern)
        check(
            times <= found <= times + ("add" in pattern.split("|")), f"{name}: {times} times {pattern}", found
        )
    wanted = [line for line in loop if any(re.fullmatch(pattern, line[1]) for pattern in expected)]
    check(
        len(loop) <= sum(expected.values()) + OVERHEAD,
        f"{name}: nothing else in the loop",
        [line[1] for line in loop if line not in wanted],
    )
    check(
        not any("(" in operands for _, mnemonic, operands in wanted),
        f"{name}: operands in registers",
        [line for line in wanted if "(" in line[2]],
    )
    if kind in REGISTERS:
        check_all(
            wanted,
            lambda _address, _mnemonic, operands: REGISTERS[kind] in operands,
            f"{name}: registers of its width",
        )
    if kind in SCALAR:
        check_all(
            wanted,
            lambda _address, mnemonic, _operands: mnemonic.endswith(SCALAR[kind]),
            f"{name}: scalar instructions",
        )


def check_stream(name, code, vector):
    loads, stores, mnemonic = STREAMS[name]
    loop = innermost(code, JUMP)
    register = REGISTERS[vector]
    vectors = [line for line in loop if register in line[2]]
    stored = [line for line in vectors if re.fullmatch(mnemonic, line[1]) and re.search(r"\)$", line[2])]
    loaded = [line for line in vectors if re.search(r"\(.*\),", line[2])]
    check(len(stored) == stores, f"{name}_{vector}: {stores} stores", len(stored))
    check(len(loaded) == loads, f"{name}_{vector}: {loads} loads", len(loaded))


def main():
    if platform.machine() != "x86_64" or not shutil.which("objdump"):
        skip("these are x86-64's, and read by objdump")
    found = functions(OBJECT, "objdump")
    for name, expected in COMPUTE.items():
        check(name in found, f"{name} is there", sorted(found)[:5])
        check_compute(name, found.get(name, []), expected)
    for name in STREAMS:
        for vector in ("f64x2", "f64x4", "f64x8"):
            check_stream(name, found.get(f"{name}_{vector}", []), vector)
    finish()


main()
