#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""requests.py - what include/topdown.h makes of a request is, byte for byte, what Valgrind's own header makes
of it, with the same registers; on this architecture, and on arm64 where there is a compiler for it. There the
simulator's files are compiled too. Exit status 77 without Valgrind's headers."""
import pathlib
import platform
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, finish, skip, temporary

HEADERS = pathlib.Path("/usr/include/valgrind")
TEXT = """
#include <valgrind/valgrind.h>
#include "topdown.h"
uint64_t by_valgrind(uint64_t code, const void *argument)
{
	return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, code, argument, 0, 0, 0, 0);
}
uint64_t by_topdown(uint64_t code, const void *argument)
{
	return topdown_request(code, argument);
}
"""
# First and last instruction of the sequence, their number; the registers of the answer and of the address,
# which are written before it.
SEQUENCES = {
    "x86_64": ("rol", "xchg", 5, (r"%[re]dx$", r"%rax$")),
    "aarch64": ("ror", "orr", 5, (r"^x3,", r"^x4,")),
}


def compilers():
    """(architecture, compiler, objdump)"""
    found = [
        (platform.machine(), "gcc", "objdump"),
        ("aarch64", "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump"),
    ]
    return [
        row
        for row in found[: 1 if platform.machine() == "aarch64" else 2]
        if row[0] in SEQUENCES and shutil.which(row[1]) and shutil.which(row[2])
    ]


def instructions(text, function):
    """[(bytes, mnemonic, operands)] of the function."""
    body = text.partition(f"<{function}>:\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^\s*[0-9a-f]+:\t([0-9a-f ]+?)\s*\t(\S+)\s*(.*)$", body, re.M)
    return [(code.replace(" ", ""), name, operands.split("//")[0].strip()) for code, name, operands in rows]


def sequence(rows, arch, function):
    first, last, count, registers = SEQUENCES[arch]
    names = [name for _, name, _ in rows]
    begin = names.index(first) if first in names else len(names)
    found = rows[begin : begin + count]
    check(len(found) == count and found[-1][1] == last, f"{arch}: {function} has the sequence", rows)
    for register in registers:
        check(
            any(re.search(register, operands) for _, _, operands in rows[:begin]),
            f"{arch}: {function} sets {register}",
            rows[:begin],
        )
    return [code for code, _, _ in found]


def check_encoding(folder, arch, compiler, objdump):
    (folder / "requests.c").write_text(TEXT, encoding="utf-8")
    for level in ("-O0", "-O2"):
        # Without the other architecture's C library: the compiler's own stdint.h will do.
        subprocess.run(
            [
                compiler,
                "-ffreestanding",
                level,
                "-c",
                "-I",
                SOURCE / "include",
                "-idirafter",
                "/usr/include",
                "requests.c",
                "-o",
                "requests.o",
            ],
            cwd=folder,
            check=True,
        )
        text = subprocess.run(
            [objdump, "-d", "requests.o"], cwd=folder, check=True, capture_output=True, text=True
        ).stdout
        own = "topdown_request" if "<topdown_request>:" in text else "by_topdown"  # where nothing is inlined
        ours, theirs = (
            sequence(instructions(text, function), arch, function) for function in (own, "by_valgrind")
        )
        check(ours == theirs, f"{arch}, {level}: the same bytes", (ours, theirs))
        print(f"{arch} {level}: {' '.join(ours)}")


def check_simulator(folder, compiler):
    """The tool's files for arm64, with warnings as errors. The distribution's headers of its C library are
    not needed, but for elf.h."""
    files = sorted(
        file for file in (SOURCE / "analyzer/simulator").glob("*/*.c") if file.name != "launcher.c"
    )
    (folder / "gnu").mkdir()
    (folder / "gnu/stubs-32.h").write_text("", encoding="utf-8")
    headers = [
        "-isystem",
        HEADERS,
        "-I",
        folder,
        "-idirafter",
        "/usr/include",
        "-idirafter",
        f"/usr/include/{platform.machine()}-linux-gnu",
    ]
    result = subprocess.run(
        [
            compiler,
            "-std=gnu17",
            "-ffreestanding",
            "-fsyntax-only",
            "-DVGA_arm64=1",
            "-DVGO_linux=1",
            "-DVGP_arm64_linux=1",
            "-DVGPV_arm64_linux_vanilla=1",
            "-Wall",
            "-Wextra",
            "-Wshadow",
            "-Werror",
            "-I",
            SOURCE / "analyzer",
            *headers,
            *files,
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    check(result.returncode == 0, "the simulator's files compile for arm64", result.stderr[:1500])


def main():
    if not (HEADERS / "valgrind.h").exists() or not compilers():
        skip("no Valgrind headers, or no compiler")
    with temporary() as folder:
        for arch, compiler, objdump in compilers():
            check_encoding(folder, arch, compiler, objdump)
            if (
                arch == "aarch64"
                and platform.machine() != "aarch64"
                and (HEADERS / "pub_tool_basics.h").exists()
            ):
                check_simulator(folder, compiler)
    finish()


main()
