#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""exclusions.py - what excludes or needs each other: --help lists the table, all of its rows are refused with
the reason that stands there, before the program has run, and completion offers nothing of it."""
import itertools
import os
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, finish, some, temporary, topdown
from lib.program import environment

HEADING = "options that exclude or need each other:\n"
# Values of options that have no choices.
VALUES = {
    "--annotate": "main",
    "--by": "thread",
    "--callers": "main",
    "--cgroup": "/",
    "--control": "fifo",
    "--counters": "3",
    "--cpu": "clx",
    "--cpus": "0",
    "--duration": "1",
    "--event": "cycles",
    "--frequency": "99",
    "--groups": "Mem",
    "--interval": "100",
    "--layouts": "2",
    "--metrics": "IPC",
    "--mux-interval": "8",
    "--nodes": "Retiring",
    "--only": "chase",
    "--period": "1000",
    "--pid": str(os.getpid()),
    "--pin": "0",
    "--repeat": "3",
    "--sim-core": "zen4",
    "--sim-sample": "0.5",
    "--sim-seconds": "20",
    "--tid": str(os.getpid()),
    "--timeout": "5",
    "--toggle": "main",
    "--what-if": "branches",
    "--work": "divide",
}
# What is more than an option.
PHRASES = {
    "PROGRAM": [],
    "--delay -1": ["--delay", "-1"],
    "--delay in instructions": ["--delay", "50M"],
    "--delay in milliseconds": ["--delay", "100"],
    "--frequency without a native run": ["--frequency", "99"],
    "--lines of a simulation": ["--lines", "--pmu", "sim"],
    "--lines of what runs already": ["--lines", "--pid", str(os.getpid())],
    "--lines without --interval": ["--lines"],
    "--per-thread of PROGRAM": ["--per-thread"],
    "--period without a native run": ["--period", "1000"],
    "--sim-core with several cores": ["--sim-core", "zen4,golden-cove"],
}
COUNTED = ["--pmu", "cpu"]  # where it depends on that


def words_of(name):
    option = name.split()[0]
    if name in PHRASES:
        return PHRASES[name]
    return name.split() + ([VALUES[option]] if option in VALUES and option == name else [])


def rows(*command):
    """[(each, other, relation, reason)] of a command's help, each with the names that it has of a row."""
    words = command + ("--help",) if command else ("help", "options", "--every")
    text = topdown(*words).stdout
    if HEADING not in text:
        return []
    block = text.split(HEADING)[1].split("\n\n")[0]
    lines = re.sub(r"\n {6,}", "  ", block).splitlines()
    found = []
    for line in lines:
        other, relation, rest = re.match(r"  (\S.*?)  +(not with|needed by) (.*)$", line).groups()
        names, reason = re.sub(r" +", " ", rest).split(": ", 1)
        found.append((names.split(", "), other, relation == "needed by", reason))
    return found


def line_of(command, each, other, is_need):
    """A command line that breaks the row."""
    if command == ("compare",):
        ending = ["true", "true"]
    elif command in (("verify",), ("export",)):
        ending = []
    elif other == "PROGRAM" and is_need:
        ending = ["--all-cpus"]
    else:
        ending = [] if "already" in each else ["--", "touch", "ran"]
    both = words_of(each) + ([] if is_need else words_of(other))
    if other == "--pmu sim" and is_need or other == "--lines without --interval" or "already" in each:
        both += COUNTED
    if command == ("compare",) and not is_need:
        both += ["--run"]
    return [*command, *both, *ending]


def check_refused(command, table):
    for each, other, is_need, reason in table:
        for name in each:
            words = line_of(command, name, other, is_need)
            with temporary() as folder:
                result = topdown(*words, cwd=folder)
                said = (
                    f"{name} needs {other}: {reason}"
                    if is_need
                    else f"{name} and {other} exclude each other: "
                )
                said = said if is_need else said + reason
                check(
                    result.returncode == 125 and result.stderr.rstrip("\n").endswith(said),
                    f"refused: {words}",
                    (result.returncode, result.stderr, said),
                )
                check(not list(folder.iterdir()), f"{words}: nothing has run", sorted(folder.iterdir()))


def is_option(name):
    return name.startswith("--") and len(name.split()) <= 2 and name not in PHRASES


def offered(*words):
    result = topdown("completion", "words", "--", *words, env=environment())
    return [line.split("\t")[0] for line in result.stdout.splitlines()[1:]]


def is_offered(name, *before):
    option, *value = name.split()
    return value[0] in offered(*before, option, "") if value else option in offered(*before, "--")


def check_completion(command, table):
    pairs = [
        pair
        for each, other, is_need, _ in table
        for name in each
        for pair in itertools.permutations((name, other))
        if not is_need and all(map(is_option, pair))
    ]
    for first, second in some(pairs):
        before = [*command, *words_of(first)]
        check(not is_offered(second, *before), f"completion behind {before}: no {second}")
        check(is_offered(second, *command), f"completion: {second} without {first}")


def main():
    measuring = rows()
    check(len(measuring) > 30, "the table of a measurement", len(measuring))
    for command in ((), ("compare",), ("verify",), ("export",)):
        reasons = {row[3] for row in measuring} if command else {}
        table = [row for row in rows(*command) if row[3] not in reasons]
        check(table, f"{command}: a table of its own")
        check_refused(command, table)
        check_completion(command, table)
    check("simulat" not in str(rows("sample")), "sample: nothing of simulations", rows("sample"))
    check(not rows("version"), "a command without such options has no table")
    result = topdown("--pmu", "sim", "--lines", "--frequency", "99", "--help")
    check(result.returncode == 0, "what goes together is not refused", result.stderr)


main()
finish()
