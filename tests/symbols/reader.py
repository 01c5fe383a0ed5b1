# SPDX-License-Identifier: GPL-2.0-or-later
"""reader.py - what the tests of symbols share: programs that are compiled here, what topdown says of their
addresses, and what binutils' readers say (addr2line, nm, objdump), which share no code with libdw."""
import os
import re
import shutil
import subprocess
import sys

from lib import BUILD, output_of, skip

NAMES = BUILD / "tests/symbols_names"
INSTRUCTIONS = BUILD / "tests/symbols_instructions"
FILE, KERNEL, DRIVER, VDSO, JIT, UNKNOWN = range(6)  # enum module_kind


def need(*programs):
    """Skips the test where a program is not here, or topdown was built without libdw."""
    for program in programs:
        if not shutil.which(program):
            skip(f"{program} is not here")
    if "built without libdw" in names(sys.executable, [0])[1]:
        skip("topdown was built without libdw")


def names(path, addresses, kind=FILE, build_id="-", pid=0, search=None, sysroot=None):
    """{address: [(function, file, line, begin, size), innermost first]}, and the module's remark ("-":
    none)."""
    words = [str(NAMES), str(kind), str(path), build_id, str(pid), *([str(search)] if search else [])]
    done = subprocess.run(
        words,
        input="\n".join(map(hex, addresses)),
        capture_output=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, **({"SYSROOT": str(sysroot)} if sysroot else {})},
    )
    found, remark = {}, None
    for line in done.stdout.splitlines():
        words = line.split("\t")
        if words[0] == "#":
            remark = words[1]
        else:
            found.setdefault(int(words[0], 16), []).append(
                (words[1], words[2], int(words[3]), int(words[4], 16), int(words[5], 16))
            )
    return found, remark


def instruction_addresses(path, bytes_of_text=None, program="objdump"):
    """Of all code, or of the first bytes of .text."""
    words = []
    if bytes_of_text:
        begin = int(re.search(r" \.text +\w+ +([0-9a-f]+)", output_of("readelf", "-SW", path))[1], 16)
        words = ["-j", ".text", f"--stop-address={begin + bytes_of_text}"]
    text = output_of(program, "-d", "--no-show-raw-insn", *words, path)
    return sorted({int(at, 16) for at in re.findall(r"^ *([0-9a-f]+):\t", text, re.M)})


def without_type(name):
    """ "f<int>(int)" of "void f<int>(int)": binutils print the type that a template returns."""
    depth = begin = 0
    for i, letter in enumerate(name):
        if letter == "(" and not depth and i > begin and not name.startswith("(anonymous namespace)", i):
            break
        if letter in "<([{":
            depth += 1
        elif letter in ">)]}":
            depth -= 1
        elif letter == " " and not depth and not name[begin:i].endswith("operator"):
            begin = i + 1
    return name[begin:]


def addr2line(path, addresses, program="addr2line"):
    """{address: [(function, file or "-", line or 0), innermost first]}"""
    found, frames = {}, None
    lines = iter(output_of(program, "-afiC", "-e", path, text="\n".join(map(hex, addresses))).splitlines())
    for line in lines:
        if re.fullmatch("0x[0-9a-f]{16}", line):
            frames = found.setdefault(int(line, 16), [])
            continue
        file, number = re.sub(r" \(discriminator \d+\)", "", next(lines)).rsplit(":", 1)
        # A file without a folder and a line is the symbol table's, of the file that was compiled: no debug
        # information.
        is_known = file != "??" and (number not in "?0" or "/" in file)
        frames.append(
            (
                without_type(line),
                os.path.normpath(file) if is_known else "-",
                int(number) if number.isdigit() else 0,
            )
        )
    return found


def functions(path):
    """[(begin, end, {names})] of nm's symbols of code that have a size."""
    found = {}
    for line in output_of("nm", "-C", "-S", "--defined-only", path).splitlines():
        words = line.split(" ", 3)
        if len(words) == 4 and words[2] in "tTwWiu":
            begin, size = int(words[0], 16), int(words[1], 16)
            found.setdefault(begin, [0, set()])
            found[begin][0] = max(found[begin][0], size)
            found[begin][1] |= {words[3], without_type(words[3])}
    return [(begin, begin + size, names_) for begin, (size, names_) in sorted(found.items())]


def build_id(path):
    found = re.search(r"Build ID: ([0-9a-f]+)", output_of("readelf", "-n", path))
    return found[1] if found else "-"
