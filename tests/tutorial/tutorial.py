#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tutorial.py - docs/TUTORIAL.md, done: each step has the worst node, the line, the cycles and the factor
that its table says, all steps have the same answer, the last one is five times as fast at least, and code
that is shown stands in the sources.

Skipped where the steps would be other instructions: without gcc, or on another architecture than x86-64.
"""
import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, TOPDOWN, check, environment, finish, need_simulator, skip, temporary, topdown

README = (SOURCE / "README.md").read_text(encoding="utf-8")
PAGE = (SOURCE / "docs/TUTORIAL.md").read_text(encoding="utf-8")
FOLDER = SOURCE / "docs/tutorial"
SIM = ("--pmu", "sim", "--sim-core", "skylake", "--pinned", "-l3", "--lines", "--format", "json")
TOLERANCE = 0.12  # another version of gcc schedules instructions otherwise
LEAST = 5
ROW = re.compile(r"^\| `(step\d)` \| ([\d.]+) M \| ?([\d.]*) \| (\w+) \| ?([\w.:]*) \|", re.M)


def build(step, folder):
    source, options = ("step4", ["-O3"]) if step == "step5" else (step, ["-O2", "-fno-tree-vectorize"])
    subprocess.run(
        ["gcc", *options, "-g", "-Wall", "-Wextra", "-Werror", "-o", folder / step, FOLDER / f"{source}.c"],
        check=True,
    )
    return subprocess.run([folder / step], check=True, capture_output=True, text=True).stdout


def simulate(step, folder):
    result = topdown(*SIM, "--save", folder / f"{step}.json", f"./{step}", cwd=folder)
    check(result.returncode == 0, f"{step}: exit status", result.stderr)
    return json.loads(result.stderr)


def check_step(step, report, row):
    _, cycles, _, node, line = row
    path = [entry["title"] for entry in report["nodes"] if entry.get("worst_path")]
    check(
        (node in path and (node == "Retiring" or path[-1] == node)) or (node == "Retiring" and not path),
        f"{step}: the worst node is {path}, must be {node}",
    )
    found = report["summary"]["cycles"]
    check(
        abs(found / 1e6 / float(cycles) - 1) < TOLERANCE,
        f"{step}: {found / 1e6:.1f} M cycles, the page says {cycles}",
    )
    if line:
        first = report["lines"][0]["lines"][0]
        check(
            f"{pathlib.Path(first['file']).name}:{first['line']}" == line and first["percent"] > 90,
            f"{step}: the line",
            first,
        )
    return found


def check_code():
    """Each line of C that the page shows, but for its indentation."""
    sources = {
        line.strip() for file in FOLDER.iterdir() for line in file.read_text(encoding="utf-8").splitlines()
    }
    shown = [
        line.strip()
        for line in re.findall(r"^    +(.*[;{)])$", PAGE, re.M)
        if not line.strip().startswith(("Lines", "└"))
    ]
    shown = [line for line in shown if "(" in line or "struct" in line or "[" in line]
    check(len(shown) >= 5, "the page shows code", shown)
    for line in shown:
        check(line in sources, "a line of the page stands in the sources", line)


def rows_of(text):
    """Lines as words without numbers, signs and bars: what stays the same with another compiler."""
    return {
        " ".join(re.sub(r"[-+]?[\d.]+", "N", re.sub(r"step\d\.c:\d+|[█─━]+", "LINE", line)).split())
        for line in text.splitlines()
    }


def check_readme(folder):
    """What README.md shows of these programs, in structure."""
    env = environment(COLUMNS="100")
    printed = {}
    for words in (("report", "-l3", "--lines", "step0.json"), ("compare", "step0.json", "step1.json")):
        printed[words[0]] = subprocess.run(
            [TOPDOWN, *words], env=env, cwd=folder, capture_output=True, text=True, check=False
        ).stdout
    for command, begin in (("report", "**Where?**"), ("compare", "**What changed?**")):
        block = re.search(r"^    .*?(?=^\S)", README.split(begin, 1)[1], re.M | re.S)[0]
        lines, found = rows_of(block) - {""}, rows_of(printed[command])
        check(len(lines) >= 3 and lines <= found, f"README.md: {command} prints that", sorted(lines - found))


def main():
    check_code()
    if platform.machine() != "x86_64" or not shutil.which("gcc"):
        skip("the steps are for gcc on x86-64")
    need_simulator()
    rows = ROW.findall(PAGE)
    check([row[0] for row in rows] == [f"step{i}" for i in range(6)], "a row for each step", rows)
    with temporary() as folder:
        answers = [build(row[0], folder) for row in rows]
        check(len(set(answers)) == 1 and int(answers[0]) > 0, "all steps have the same answer", answers)
        cycles = [check_step(row[0], simulate(row[0], folder), row) for row in rows]
        check_readme(folder)
    for row, before, after in zip(rows[1:], cycles, cycles[1:]):
        check(before > after, f"{row[0]} is faster", (before, after))
        check(
            abs(before / after / float(row[2]) - 1) < TOLERANCE,
            f"{row[0]}: {before / after:.2f} times as fast, the page says {row[2]}",
        )
    check(cycles[0] / cycles[-1] >= LEAST, "all steps together", cycles[0] / cycles[-1])
    print(
        f"{cycles[0] / cycles[-1]:.0f} times as fast: "
        + ", ".join(f"{count / 1e6:.1f} M" for count in cycles)
    )
    finish()


main()
