#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""instructions.py - instructions of ranges as objdump writes them, jumps' targets, ranges that begin within
an instruction, another architecture's file, a long function, what is said without objdump; and source files'
lines."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(f"{sys.path[0]}/..")
import reader
from lib import check, finish, output_of
from reader import INSTRUCTIONS, functions

PROGRAM = """\
int g(int x);
int f(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		if (i % 3)
			sum += g(i) * 77777777;
	return sum;
}
int g(int x) { return x ? f(x - 1) : 5; }
int main(int argc, char **argv) { (void)argv; return f(argc); }
"""
JUMPS = r"(?:bnd )?(j\w+|callq?|b|bl|b\.\w+|cbn?z|tbn?z)\b[^#<]*?([0-9a-f]+) <"


def read(path, *ranges, environment=None, fails=False):
    """[(address, target, "call" or "-", text)], and what is said at the end."""
    words = [f"{number:x}" for numbers in ranges for number in numbers]
    done = subprocess.run(
        [str(INSTRUCTIONS), str(path), *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(environment or {})},
    )
    check(
        done.returncode == (1 if fails else 0),
        f"{path}: exit status {done.returncode}",
        done.stdout + done.stderr,
    )
    lines = done.stdout.splitlines()
    if fails:
        return [], lines[-1]
    rows = [line.split("\t") for line in lines[:-1]]
    return [(int(at, 16), int(target, 16), call, text) for at, target, call, text in rows], lines[
        -1
    ].removeprefix("#\t")


def expected(path, begin, end, program="objdump"):
    """The same by a regular expression over objdump's lines."""
    text = output_of(
        program, "-d", "-C", "--no-show-raw-insn", f"--start-address={begin}", f"--stop-address={end}", path
    )
    found = []
    for at, words in re.findall(r"^ *([0-9a-f]+):\t(.+)$", text, re.M):
        words = words.replace("\t", " ").rstrip()
        jump = re.match(JUMPS, words)
        call = "call" if jump and (jump[1].startswith("call") or jump[1] == "bl") else "-"
        found.append((int(at, 16), int(jump[2], 16) if jump else 0, call, words))
    return found


def compile_as(folder, name, compiler, words=()):
    (folder / "program.c").write_text(PROGRAM, encoding="ascii")
    output_of(compiler, "-O1", "-g", *words, "program.c", "-o", name, where=folder)
    return folder / name


def check_ranges(path):
    spans = {name: (begin, end) for begin, end, many in functions(path) for name in many}
    begin, end = spans["f"]
    whole = expected(path, begin, end)
    check(read(path, (begin, end, 0)) == (whole, "-"), "f", (read(path, (begin, end, 0)), whole))
    check(
        any(target for _, target, call, _ in whole if call == "call")
        and any(begin < target < end for _, target, _, _ in whole),
        "f jumps, and calls",
    )
    first, last = spans["main"]
    both = sorted(whole + expected(path, first, last))
    ranges = sorted([(begin, end, 0), (first, last, 0)])
    check(read(path, *ranges)[0] == both, "two functions")
    check(
        read(path, (begin, whole[2][0], 0), (whole[3][0], end, 0))[0] == whole[:2] + whole[3:],
        "a function with a gap",
    )


def check_cuts(path):
    """A range that begins anywhere: from the known instruction on all are right, and none before is a wrong
    one."""
    begin, end = next((begin, end) for begin, end, many in functions(path) if "f" in many)
    whole = expected(path, begin, end)
    known = whole[len(whole) // 2][0]
    for cut in range(begin + 1, known):
        rows, _ = read(path, (cut, end, known))
        check(
            [row for row in rows if row[0] >= known] == [row for row in whole if row[0] >= known],
            f"cut at {cut:x}",
        )
        check(set(rows) <= set(whole), f"cut at {cut:x}: what stands before", rows)


def check_long(folder):
    """Parts of a function of 100,000 instructions."""
    body = "".join(
        f"\taddl ${i}, %eax\n\tjz 1b\n" if i % 5 == 0 else f"\tleal {i}(%rax,%rbx,4), %ecx\n"
        for i in range(85000)
    )
    (folder / "long.s").write_text(
        f".text\n.globl long\n.type long,@function\nlong:\n1:{body}\tret\n.size long,.-long\n",
        encoding="ascii",
    )
    output_of("gcc", "-c", "long.s", where=folder)
    output_of("gcc", "-shared", "-o", "long.so", "long.o", where=folder)
    begin, end = next((begin, end) for begin, end, many in functions(folder / "long.so") if "long" in many)
    whole = expected(folder / "long.so", begin, end)
    check(len(whole) > 100000, "a long function", len(whole))
    picked = [whole[at] for at in (40, 30000, 30100, 99000)]
    ranges = [(row[0] - 37, row[0] + 60, row[0]) for row in picked]
    rows, said = read(folder / "long.so", *ranges)
    check(
        set(rows) <= set(whole) and set(picked) <= set(rows) and said == "-", "parts of it", (len(rows), said)
    )
    wanted = {row for row in whole if any(known <= row[0] < end for _, end, known in ranges)}
    check(
        wanted <= set(rows), "parts of it: all that is behind the known ones", sorted(wanted - set(rows))[:3]
    )


def check_refusals(folder, path):
    begin, end, _ = next(row for row in functions(path) if "f" in row[2])
    for what, file, environment, clause in (
        ("no objdump", path, {"PATH": str(folder)}, "install binutils"),
        ("a file that is gone", folder / "gone", None, "gone"),
        ("no file", "[vdso]", None, "no file"),
    ):
        _, said = read(file, (begin, end, 0), environment=environment, fails=True)
        check(clause in said, what, said)
    check("no instructions" in read(path, (end + 0x100000, end + 0x100010, 0), fails=True)[1], "no code")
    (folder / "slow").mkdir()
    (folder / "slow/objdump").write_text(
        "#!/bin/sh\necho; printf ' 1000:\\tnop\\n'; exit 3\n", encoding="ascii"
    )
    (folder / "slow/objdump").chmod(0o755)
    rows, said = read(
        path, (0x1000, 0x1010, 0), environment={"PATH": f"{folder / 'slow'}:{os.environ['PATH']}"}
    )
    check(
        rows == [(0x1000, 0, "-", "nop")] and "objdump failed" in said, "an objdump that fails", (rows, said)
    )


def check_arm(folder):
    if not shutil.which("aarch64-linux-gnu-gcc") or not shutil.which("aarch64-linux-gnu-objdump"):
        print("without AArch64: its compiler is not here")
        return
    path = compile_as(folder, "arm", "aarch64-linux-gnu-gcc", ["-nostdlib", "-Wl,-e,main"])
    begin, end, _ = next(row for row in functions(path) if "f" in row[2])
    whole = expected(path, begin, end, "aarch64-linux-gnu-objdump")
    check(read(path, (begin, end, 0)) == (whole, "-"), "AArch64", (read(path, (begin, end, 0)), whole))
    check(any(target for _, target, _, _ in whole), "AArch64 jumps")


def source(path, file):
    done = subprocess.run(
        [str(INSTRUCTIONS), str(path)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SOURCE": str(file)},
    )
    return done.stdout.rstrip("\n").split("\t")


def check_sources(folder, path):
    text = folder / "program.c"
    old = path.stat().st_mtime - 100
    os.utime(text, (old, old))
    check(source(path, text) == ["11", PROGRAM.splitlines()[-1], "-"], "lines", source(path, text))
    os.utime(text, (old + 200, old + 200))
    check("was changed after" in source(path, text)[2], "a newer file", source(path, text))
    for content, count in ((b"", "0"), (b"one", "1"), (b"one\r\ntwo", "2"), (b"\n\n", "2")):
        (folder / "other.c").write_bytes(content)
        os.utime(folder / "other.c", (old, old))
        found = source(path, folder / "other.c")
        check(found[0] == count and ("empty" in found[2]) == (count == "0"), f"lines of {content}", found)
    for file in (folder / "gone.c", folder, "/dev/zero"):
        count, _, said = source(path, file)
        check(count == "0" and "can't be read" in said, f"{file}", said)


def main():
    reader.need("gcc", "objdump", "nm")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        path = compile_as(folder, "program", "gcc")
        check_ranges(path)
        check_cuts(path)
        if os.uname().machine == "x86_64":
            check_long(folder)
        check_refusals(folder, path)
        check_arm(folder)
        check_sources(folder, compile_as(folder, "again", "gcc"))
    finish()


main()
