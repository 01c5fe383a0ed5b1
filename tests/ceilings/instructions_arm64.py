#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""instructions_arm64.py - what instructions.py does, of arm64's kernels: NEON and SVE. Each loop has the
instructions that its row in the table of its source claims, and nothing beside them but what ends the loop.
Streams go through all of each array: no vector twice, and none left out. An arm64 build's own objects are
taken; elsewhere a cross compiler makes them, with the build's options. Exit status 77: there is none.
"""
import collections
import fractions
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(f"{sys.path[0]}/..")
from lib import check, check_all, finish, skip
from loops import functions, innermost

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TOPDOWN_BUILD", SOURCE / "build"))
OWN = BUILD / "CMakeFiles/topdown_core.dir/analyzer/analyse/ceilings"
CROSS = "aarch64-linux-gnu-"
OVERHEAD = 3  # counting and jumping
FILES = "kernels_arm64", "kernels_sve"

# {operation: what an iteration has of it, each for one chain}; floating point, then integers
FLOAT = {"MUL_ADD": ("fmul", "fadd"), "FMA": (r"fml[as]|fmad|fmsb|fnml[as]|fn?madd|fn?msub",)}
INTEGER = {"ADD": ("add",), "FMA": ("madd|mla|mad",)}
LOADS = {"ldr": 1, "ldp": 2, "ld1d": 1, "ld1b": 1}
STORES = {"str": 1, "stp": 2, "st1d": 1, "st1b": 1}
NON_TEMPORAL = {"stnp": 2, "stnt1d": 1, "stnt1b": 1}
# {pattern: (arrays that are read, those that are written, vectors of each in an iteration)}
PATTERNS = {"READ": (1, 0, 8), "WRITE": (0, 1, 8), "COPY": (1, 1, 4), "TRIAD": (2, 1, 4)}
ADDRESSES = {
    "add",
    "sub",
    "subs",
    "cmp",
    "lsl",
    "mov",
    "addvl",
    "incb",
    "inch",
    "incw",
    "incd",
    "nop",
    "ptrue",
}
ELEMENTS = {"b": 1, "h": 2, "w": 4, "d": 8}


def rows(name):
    """[(kind, operation, bits, chains, rounds, function)] of compute kernels, [(pattern, bits, function)] of
    streams."""
    text = (SOURCE / f"analyzer/analyse/ceilings/{name}.c").read_text(encoding="utf-8")
    compute = re.findall(
        r"\{ CEILING_(F64|F32|INT), CEILING_(\w+), (\d+), \w+, (\d+), (\d+), (\w+), \w+ \}", text
    )
    streams = re.findall(r"\{ CEILING_(\w+), (\d+), \w+, (\w+), \w+, NULL \}", text)
    check(
        len(compute) + len(streams) == len(re.findall(r"\{ CEILING_", text)) > 12,
        f"{name}: all rows are read",
        (compute, streams),
    )
    return compute, streams


def register(kind, bits):
    """That of its lanes: "v3.2d" and "z3.d" of vectors, "d3" and "w3" of scalars."""
    lane, width = {"F64": ("d", 64), "F32": ("s", 32), "INT": ("s", 32)}[kind]
    if bits == 0:
        return rf"z\d+\.{lane}"
    if bits == 128:
        return rf"v\d+\.{128 // width}{lane}"
    return r"w\d+" if kind == "INT" else rf"{lane}\d+"


def check_compute(name, code, row):
    kind, operation, bits, chains, rounds = row
    loop, patterns = innermost(code, r"b\..+|cbn?z"), (INTEGER if kind == "INT" else FLOAT)[operation]
    times = int(chains) * int(rounds) // len(patterns)
    wanted = []
    for pattern in patterns:
        found = [line for line in loop if re.fullmatch(pattern, line[1])]
        wanted += found
        check(len(found) == times, f"{name}: {times} times {pattern}", len(found))
    others = [line for line in loop if line not in wanted]
    check(len(others) < OVERHEAD, f"{name}: nothing else in the loop", others)
    one = register(kind, int(bits))
    operands = re.compile(rf"{one}(, p\d/m)?(, {one}){{2,3}}")
    check_all(wanted, lambda line: operands.fullmatch(line[2]), f"{name}: registers of {one}")
    # As many accumulators as the row has chains: each waits for itself only.
    results = {line[2].split(",")[0] for line in wanted}
    check(len(results) == int(chains), f"{name}: {chains} chains", sorted(results))


# ---- addresses: sums of registers that nothing is known of, bytes ("1") and vectors ("VL") ----


def plus(one, other, times=1):
    total = collections.Counter(one)
    for term, factor in other.items():
        total[term] += factor * times
    return {term: factor for term, factor in total.items() if factor}


class Values:
    """Of the registers of an instruction after the other, without jumps."""

    def __init__(self):
        self.known, self.fresh = {}, 0

    def of(self, text):
        if text in ("xzr", "wzr"):
            return {}
        if text.startswith("#"):
            number = int(text[1:], 0)
            return {"1": fractions.Fraction(number)} if number else {}
        return self.known.setdefault(text, {text: fractions.Fraction(1)})

    def forget(self, name):
        self.fresh += 1
        self.known[name] = {f"{name}.{self.fresh}": fractions.Fraction(1)}

    def step(self, mnemonic, operands):
        words = [word.strip() for word in operands.split("//")[0].split(",")]
        target, rest = words[0], words[1:]
        element = ELEMENTS.get(mnemonic[-1])
        if mnemonic in ("add", "sub", "subs") and len(rest) >= 2 and target[0] == "x":
            shift = int(rest[2].split("#")[1]) if len(rest) > 2 else 0
            self.known[target] = plus(
                self.of(rest[0]), self.of(rest[1]), (1 if mnemonic == "add" else -1) * 2**shift
            )
        elif mnemonic in ("lsl", "lsr") and rest[1].startswith("#"):
            power = fractions.Fraction(2) ** (int(rest[1][1:], 0) * (1 if mnemonic == "lsl" else -1))
            self.known[target] = plus({}, self.of(rest[0]), power)
        elif mnemonic == "mov" and target[0] == "x":
            self.known[target] = self.of(rest[0])
        elif mnemonic == "rdvl":
            self.known[target] = {"VL": fractions.Fraction(int(rest[0][1:], 0))}
        elif mnemonic == "addvl":
            self.known[target] = plus(self.of(rest[0]), {"VL": fractions.Fraction(int(rest[1][1:], 0))})
        elif re.fullmatch("(cnt|inc)[bhwd]", mnemonic) and target[0] == "x":
            times = int(rest[1].split("#")[1]) if len(rest) > 1 else 1
            before = self.of(target) if mnemonic.startswith("inc") else {}
            self.known[target] = plus(before, {"VL": fractions.Fraction(times, element)})
        elif mnemonic in ("ldr", "ldp"):
            for name in words[: 2 if mnemonic == "ldp" else 1]:
                self.forget(name)

    def address(self, operands):
        """Of [x1], [x1, #16], [x1, #2, mul vl] and [x1, x2, lsl #3]."""
        inner = re.search(r"\[(.*)\]$", operands)[1].split(", ")
        at = self.of(inner[0])
        if inner[-1] == "mul vl":
            return plus(at, {"VL": fractions.Fraction(int(inner[1][1:], 0))})
        shift = int(inner[2].split("#")[1]) if len(inner) > 2 else 0
        return plus(at, self.of(inner[1]), 2**shift) if len(inner) > 1 else at


def accesses(code, loop, vector):
    """[(mnemonic, address)] of each vector that the loop loads or stores, in the first turn and in the
    second."""
    values, found = Values(), []
    for _, mnemonic, operands in code[: code.index(loop[0])]:
        values.step(mnemonic, operands)
    begin = None
    for turn in range(2):
        for _, mnemonic, operands in loop:
            if re.match(r"ld|st", mnemonic):
                at = values.address(operands)
                width = {"VL": fractions.Fraction(1)} if vector == "z" else {"1": fractions.Fraction(16)}
                pieces = {**LOADS, **STORES, **NON_TEMPORAL}.get(mnemonic, 0)
                found += [(turn, mnemonic, plus(at, width, i)) for i in range(pieces)]
            values.step(mnemonic, operands)
        begin = begin or len(found)
    return found[:begin], found[begin:]


def check_stream(name, code, row):
    pattern, bits = row
    loop, vector = innermost(code, r"b\..+|cbn?z"), "z" if bits == "0" else "q"
    reads, writes, step = PATTERNS[pattern.removesuffix("_NT")]
    stores = NON_TEMPORAL if pattern.endswith("_NT") else STORES
    memory = [line for line in loop if re.match(r"ld|st|prf", line[1])]
    check(memory, f"{name}: has a loop with loads or stores", code[:3])
    check_all(memory, lambda line: line[1] in (*LOADS, *stores), f"{name}: only its loads and stores")
    check_all(memory, lambda line: re.match(rf"\{{?{vector}\d", line[2]), f"{name}: whole vectors")
    check(
        not any("sp" in line[2] for line in memory),
        f"{name}: nothing spilled",
        [line for line in memory if "sp" in line[2]],
    )
    others = [line[1] for line in loop if line not in memory]
    sums = [mnemonic for mnemonic in others if re.fullmatch(FLOAT["FMA"][0], mnemonic)] or [
        mnemonic for mnemonic in others if mnemonic == "fmul"
    ]
    check(len(sums) == (step if pattern.startswith("TRIAD") else 0), f"{name}: multiplications", others)
    rest = [
        mnemonic
        for mnemonic in others
        if mnemonic not in ("fadd", *sums) and mnemonic not in ADDRESSES and not mnemonic.startswith("b.")
    ]
    check(not rest, f"{name}: nothing else in the loop", rest)
    if not memory or any(line[1] not in (*LOADS, *STORES, *NON_TEMPORAL) for line in memory):
        return
    check_arrays(name, accesses(code, loop, vector), (reads * step, writes * step, step), vector)
    # What comes in outside the loop is the factor, not the rest of an array.
    outside = [
        line
        for line in code
        if line not in loop
        and re.match(r"ld|st", line[1])
        and re.search(r"^\{?[vzqds]\d", line[2])
        and "[x0, #40]" not in line[2]
    ]
    check(not outside, f"{name}: no rest outside the loop", outside)


def check_arrays(name, turns, numbers, vector):
    """Each array's vectors stand one behind the other, and the next iteration's behind those."""
    loads, stores, step = numbers
    first, second = turns
    loaded = [at for _, mnemonic, at in first if mnemonic in LOADS]
    stored = [at for _, mnemonic, at in first if mnemonic not in LOADS]
    check(len(loaded) == loads, f"{name}: {loads} loads", len(loaded))
    check(len(stored) == stores, f"{name}: {stores} stores", len(stored))
    unit, width = ("VL", 1) if vector == "z" else ("1", 16)
    arrays = {}
    for turn, mnemonic, at in first + second:
        base = tuple(sorted((term, factor) for term, factor in at.items() if term != unit)), mnemonic in LOADS
        arrays.setdefault(base, []).append(at.get(unit, fractions.Fraction(0)) / width)
    for base, places in arrays.items():
        begin = min(places)
        check(
            sorted(places) == [begin + i for i in range(2 * step)],
            f"{name}: all vectors of an array, once each",
            (base, sorted(map(float, places))),
        )
    check(len(arrays) == (loads + stores) // step, f"{name}: as many arrays as it goes through", list(arrays))


# ---- objects ----


def options(name):
    """As CMakeLists.txt has them for the kernels' files."""
    text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    every = re.search(
        r'set_source_files_properties\(\$\{KERNEL_SOURCES\} PROPERTIES COMPILE_OPTIONS "([^"]+)"', text
    )
    scalable = re.search(r'kernels_sve\.c APPEND PROPERTY COMPILE_OPTIONS "([^"]+)"', text)
    return every[1].split(";") + ([*scalable[1].split(";"), "-DTOPDOWN_SVE"] if name == "kernels_sve" else [])


def objects(folder):
    """{name: functions}; None: nothing makes them here."""
    own = {name: OWN / f"{name}.c.o" for name in FILES}
    if (
        os.uname().machine == "aarch64"
        and all(path.exists() for path in own.values())
        and shutil.which("objdump")
    ):
        return {name: functions(path, "objdump") for name, path in own.items()}
    if not shutil.which(CROSS + "gcc") or not shutil.which(CROSS + "objdump"):
        return None
    for name in FILES:
        # Without that architecture's C library: the compiler's own headers will do.
        subprocess.run(
            [
                CROSS + "gcc",
                "-std=c17",
                "-ffreestanding",
                *options(name),
                "-I",
                SOURCE / "analyzer",
                "-idirafter",
                "/usr/include",
                "-c",
                SOURCE / f"analyzer/analyse/ceilings/{name}.c",
                "-o",
                folder / f"{name}.o",
            ],
            check=True,
        )
    return {name: functions(folder / f"{name}.o", CROSS + "objdump") for name in FILES}


def main():
    with tempfile.TemporaryDirectory() as folder:
        found = objects(pathlib.Path(folder))
    if found is None:
        skip(f"this is no arm64 build, and there is no {CROSS}gcc with its objdump")
    for name in FILES:
        compute, streams = rows(name)
        for *row, function in compute:
            check_compute(f"{name}: {function}", found[name].get(function, []), row)
        for *row, function in streams:
            check_stream(f"{name}: {function}", found[name].get(function, []), row)
        print(f"{name}: {len(compute)} compute kernels and {len(streams)} streams")
    finish()


main()
