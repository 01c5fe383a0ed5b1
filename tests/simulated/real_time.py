#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""real_time.py - functions that run by real time have a mark in a simulation's tables, and a sentence; others
have neither. Exit status 77 without Valgrind."""
import re
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, SOURCE, check, finish, need_simulator, temporary, topdown

WORDS = ("--pmu", "sim", "--sim-core", "skylake", "--anchor", "never")
TABLES = ("--functions", "--lines", "--nodes", "Retiring")
MARKED = {"runtime.sysmon", "runtime.asyncPreempt.abi0"}
UNMARKED = {"main.spin", "runtime.sysmonitor"}


def check_forms(saved):
    """All forms have the mark: text, Markdown, page."""
    for words in (("--format", "text"), ("--format", "markdown"), ("--format", "html")):
        text = topdown("report", *TABLES, *words, saved).stdout
        for name in MARKED:
            check(re.search(rf"\* {re.escape(name)}\b", text), f"{words}: {name} has a mark", text[-3000:])
        for name in UNMARKED:
            check(name in text and f"* {name}" not in text, f"{words}: {name} has none", text[-3000:])
        said = re.search(r"by real time: ([0-9.]+) % of it", " ".join(text.split()))
        # 300 of 1000 thousand rounds, and what it takes to start.
        check(said and 27 < float(said[1]) < 31, f"{words}: the share", said)


def main():
    need_simulator()
    with temporary() as folder:
        program, saved = folder / "real_time", folder / "saved.json"
        subprocess.run(
            ["gcc", "-O1", "-g", "-o", program, SOURCE / "tests/simulated/real_time.c"], check=True
        )
        result = topdown(*WORDS, *TABLES, "--save", saved, program)
        check(result.returncode == 0 and "by real time" in result.stderr, "a simulation", result.stderr)
        check_forms(saved)
        result = topdown(*WORDS, *TABLES, BUILD / "kernels/chase", "64", "1000")
        check(result.returncode == 0 and "by real time" not in result.stderr, "a program in C", result.stderr)
    finish()


if __name__ == "__main__":
    main()
