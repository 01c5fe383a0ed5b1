# SPDX-License-Identifier: GPL-2.0-or-later
"""naming.py - how long names of addresses take beside addr2line's, and instructions of a function beside
objdump alone."""
import os
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import time

PLACES, ROUNDS, NAMING_S, LISTING_S = 10000, 5, 0.5, 0.1
PROGRAM = """
#include <iostream>
#include <map>
#include <regex>
#include <string>
int main(int argc, char **argv)
{
	std::map<std::string, int> found;
	std::regex expression(argc > 1 ? argv[1] : "a(b|c)*d");
	std::string text = "abcbcd";
	std::smatch match;
	if (std::regex_match(text, match, expression))
		found[match.str()]++;
	for (auto &item : found)
		std::cout << item.first << item.second << "\\n";
}
"""
INSTRUCTIONS = 100000


def seconds(words, text="", env=None):
    begin = time.monotonic()
    subprocess.run(
        [str(word) for word in words],
        input=text,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
        env={**os.environ, **(env or {})},
    )
    return time.monotonic() - begin


def medians(*measured):
    """Of each, in turns, so that other work on the machine concerns all."""
    rows = [[measure() for measure in measured] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*rows)]


def naming(bench, folder):
    (folder / "program.cc").write_text(PROGRAM, encoding="ascii")
    subprocess.run(["g++", "-O2", "-g", "program.cc", "-o", "program"], cwd=folder, check=True)
    code = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", folder / "program"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    places = random.Random(1).sample(re.findall(r"^ *([0-9a-f]+):\t", code, re.M), PLACES)
    text = "\n".join(places)
    names = pathlib.Path(bench.BUILD) / "tests/symbols_names"
    ours, theirs = medians(
        lambda: seconds([names, "0", folder / "program", "-", "0"], text),
        lambda: seconds(["addr2line", "-afiC", "-e", folder / "program"], text),
    )
    print(
        f"\n| names of {PLACES} addresses of a C++ program, median of {ROUNDS} | s | of addr2line's | goal"
        " |\n|---|---:|---:|---|"
    )
    print(
        f"| functions, inlined calls, lines | {ours:.3f} | {ours / theirs:.2f} |"
        f" {bench.goal('names', ours, NAMING_S, 's')} |"
    )
    print(f"| addr2line -afiC | {theirs:.3f} | 1 | |")


def listing(bench, folder):
    body = "".join(f"\taddl ${i}, %eax\n" if i % 5 else "\tjz 1b\n" for i in range(INSTRUCTIONS))
    (folder / "long.s").write_text(
        f".text\n.globl f\n.type f,@function\nf:\n1:{body}\tret\n.size f,.-f\n", encoding="ascii"
    )
    subprocess.run(["gcc", "-c", "long.s"], cwd=folder, check=True)
    subprocess.run(["gcc", "-shared", "-o", "long.so", "long.o"], cwd=folder, check=True)
    symbol = next(
        line.split()
        for line in subprocess.run(
            ["nm", "-S", folder / "long.so"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout.splitlines()
        if line.endswith(" T f")
    )
    begin, end = int(symbol[0], 16), int(symbol[0], 16) + int(symbol[1], 16)
    reader = pathlib.Path(bench.BUILD) / "tests/symbols_instructions"
    words = [
        "objdump",
        "-d",
        "-C",
        "--no-show-raw-insn",
        f"--start-address={begin}",
        f"--stop-address={end}",
        folder / "long.so",
    ]
    ours, theirs = medians(
        lambda: seconds([reader, folder / "long.so", f"{begin:x}", f"{end:x}", "0"]), lambda: seconds(words)
    )
    print(f"\n| a function of {INSTRUCTIONS} instructions, median of {ROUNDS} | s | goal |\n|---|---:|---|")
    print(
        f"| topdown reads what objdump writes | {ours:.3f} |"
        f" {bench.goal('instructions beside objdump', ours - theirs, LISTING_S, 's beside objdump')} |"
    )
    print(f"| objdump alone | {theirs:.3f} | |")


def tables(bench):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        naming(bench, folder)
        if os.uname().machine == "x86_64":
            listing(bench, folder)
