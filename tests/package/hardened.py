#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hardened.py - the programs of the build folder are as distributions expect, and have no path of the
building machine."""
import pathlib
import re
import shutil
import subprocess
import sys


sys.path.append(f"{sys.path[0]}/..")
from elf import check_headers, check_imports, check_no_paths, readelf
from lib import BUILD, SOURCE, TOPDOWN, check, finish, skip, temporary

LAUNCHER = BUILD / "libexec/topdown/launcher"
STATIC = BUILD / "static/topdown"  # where cli.static has built it


def need_hardening():
    cache = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
    if re.search(
        r"^TOPDOWN_(SANITIZE|FUZZ):BOOL=ON|^TOPDOWN_HARDENING:BOOL=OFF|^CMAKE_BUILD_TYPE:\w+=(Debug)?$",
        cache,
        re.M,
    ):
        skip(f"{BUILD} is built without hardening")


def check_objects():
    """CET or BTI and PAC in each object: the whole program has the mark only where the C library's start
    files have it."""
    machine = re.search(r"Machine: +(.*)", readelf("-h", TOPDOWN))[1]
    marks = ("IBT", "SHSTK") if "X86-64" in machine else ("BTI", "PAC") if "AArch64" in machine else ()
    with temporary() as folder:
        subprocess.run(["ar", "x", BUILD.resolve() / "libtopdown_core.a"], cwd=folder, check=True)
        objects = [path for path in folder.iterdir() if path.suffix == ".o"]
        notes = {path.name: readelf("-n", path) for path in objects}
    without = [
        name
        for name, text in notes.items()
        if not all(re.search(rf"Properties:.*\b{mark}\b", text) for mark in marks)
    ]
    check(len(objects) > 100, "the program's objects", len(objects))
    check(not without, f"{marks} in each object", without)


def check_by_tool(program):
    """Debian's own check (devscripts), where it is. CET is for check_objects."""
    if not shutil.which("hardening-check"):
        print("hardening-check is not here (devscripts): readelf alone is asked")
        return
    found = subprocess.run(
        ["hardening-check", "--nocfprotection", program], capture_output=True, text=True, check=False
    )
    check(found.returncode == 0, f"hardening-check {program}", found.stdout)


need_hardening()
check_by_tool(TOPDOWN)
check_imports(TOPDOWN)
check_objects()
for program in (pathlib.Path(TOPDOWN), LAUNCHER, STATIC):
    if program.exists():
        check_headers(program)
for program in (pathlib.Path(TOPDOWN), STATIC, *BUILD.glob("libexec/topdown/*")):
    if program.exists():
        check_no_paths(program, SOURCE, BUILD.resolve())
finish()
