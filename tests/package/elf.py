# SPDX-License-Identifier: GPL-2.0-or-later
"""elf.py - what distributions expect of an installed program, read from its ELF headers and symbols by
readelf."""
import re
import subprocess

from lib import check


def readelf(*words):
    return subprocess.run(
        ["readelf", "-W", *map(str, words)], capture_output=True, text=True, check=True
    ).stdout


def check_headers(program):
    found = readelf("-hld", program)
    check(
        re.search(r"Type: +DYN", found) and re.search(r"FLAGS_1.*\bPIE\b", found),
        f"{program}: position independent",
        found,
    )
    check(
        "GNU_RELRO" in found and re.search(r"\(FLAGS\).*BIND_NOW|FLAGS_1.*\bNOW\b", found),
        f"{program}: full RELRO",
        found,
    )
    check(re.search(r"GNU_STACK .* RW +0x", found), f"{program}: the stack is no code", found)
    check("TEXTREL" not in found, f"{program}: no relocations in its code")
    check(not re.search(r"\((RPATH|RUNPATH)\)", found), f"{program}: no search path for libraries")


def check_imports(program):
    """The canary's failure and checked functions, which the compiler calls where it can't prove a size."""
    symbols = set(re.findall(r"\b(__\w+_(?:chk|fail))\b", readelf("--dyn-syms", program)))
    check("__stack_chk_fail" in symbols, f"{program}: stack protector", symbols)
    check(
        {"__memcpy_chk", "__snprintf_chk", "__vsnprintf_chk"} <= symbols,
        f"{program}: FORTIFY_SOURCE",
        symbols,
    )


def check_no_paths(program, *paths):
    content = program.read_bytes()
    for path in paths:
        check(str(path).encode() not in content, f"{program} does not have the path {path}")
