#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""skipped.py - programs most of which is skipped, and followed in bursts only: they print what they print
natively, their instructions are counted exactly, and calls have the share that they were given.
Exit status 77 without Valgrind."""
import json
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from profiles import Profile
from lib import SOURCE, check, finish, need_simulator, read_json, temporary, topdown

# Stretches of 1 M instructions behind the first 10 M.
SKIPPED = ("--sim-seconds", "0.2")
# What each is asked to do, and how far its instructions may be from those of the whole: those around a fork
# are both processes' only where they are followed, and threads wait for each other.
PROGRAMS = (
    ("work", 70000, 0),
    ("strings", 700000, 0),
    ("code", 200000, 0),
    ("jumps", 20000, 0),
    ("forks", 40000, 1e-6),
    ("execs", 40000, 0),
    ("threads", 20000, 0.01),
    ("regions", 50000, 0),
    ("signals", 30000, None),
)


def build(folder):
    program = folder / "skipped"
    subprocess.run(
        ["gcc", "-O2", "-g", "-o", program, SOURCE / "tests/simulated/skipped.c", "-lpthread"], check=True
    )
    return program


def simulate(folder, *words):
    saved = folder / "saved.json"
    result = topdown("--pmu", "sim", "--sim-core", "zen4", "--anchor", "never", "--save", saved, *words)
    check(result.returncode == 0, f"{words}: status", (result.returncode, result.stderr))
    return result, read_json(saved)


def counted(session):
    """Of the whole program, which is the first part where it has marked some."""
    part = session["parts"][0] if "parts" in session else session
    return {count["event"]: count["value"] for count in part["counts"]}


def natively(program, name, rounds):
    """What it prints: sorted, since a child and its parent may print in either order."""
    result = subprocess.run([program, name, str(rounds)], capture_output=True, text=True, check=True)
    return sorted(result.stdout.splitlines())


def check_exact(folder, program):
    for name, rounds, distance in PROGRAMS:
        expected = natively(program, name, rounds)
        result, session = simulate(folder, *SKIPPED, program, name, str(rounds))
        counts = counted(session)
        said = [line for line in expected if line not in result.stdout.splitlines()]
        check(not said, f"{name}: prints the same", (said, result.stdout[:500]))
        check(
            counts["inst.modelled"] < 0.5 * counts["inst.retired"],
            f"{name}: most was not modelled",
            (counts["inst.modelled"], counts["inst.retired"]),
        )
        if distance is None:
            continue
        whole = counted(simulate(folder, "--sim-sample", "1", program, name, str(rounds))[1])
        difference = abs(counts["inst.retired"] - whole["inst.retired"])
        check(
            difference <= distance * whole["inst.retired"],
            f"{name}: instructions",
            (counts["inst.retired"], whole["inst.retired"]),
        )
        check(
            abs(counts["core.cycles"] / whole["core.cycles"] - 1) < 0.1,
            f"{name}: cycles",
            (counts["core.cycles"], whole["core.cycles"]),
        )


def check_same(folder, program):
    words = (*SKIPPED, program, "work", "60000")
    first, second = (counted(simulate(folder, *words)[1]) for _ in range(2))
    check(first == second, "the same counts each time", (first, second))


def check_calls(folder, program):
    """divide has three quarters of its work from one caller, and the rest from the other."""
    profile = Profile(simulate(folder, "--lines", *SKIPPED, program, "work", "100000")[1])
    lost = profile.slots("divide", "lost.divider")
    known = sum(lost[way] for way in ("main work often", "main work seldom"))
    check(known > 0.97 * sum(lost.values()), "divisions are below their callers", lost)
    share = lost["main work often"] / known
    check(0.68 < share < 0.82, "as often as they were called", (share, lost))


def check_child(folder, program):
    """A process that is forked while its parent is skipped knows who has called it."""
    profile = Profile(simulate(folder, "--lines", *SKIPPED, program, "forks", "40000")[1])
    lost = profile.slots("divide", "lost.divider")
    known = sum(slots for way, slots in lost.items() if way.endswith(("work often", "work seldom")))
    rooted = sum(slots for way, slots in lost.items() if way.startswith("main"))
    check(min(known, rooted) > 0.97 * sum(lost.values()), "a child's divisions are below main", lost)


def check_interval(folder, program):
    """Stretches of several lengths, together: the interval has what all takes, and is below a tenth of it. So
    has that of each speed-up what it is in all."""
    reports = []
    for how in (SKIPPED, ("--sim-sample", "1")):
        simulate(folder, *how, "--what-if", "branches,l1", program, "jumps", "30000")
        said = topdown("report", "--format", "json", folder / "saved.json").stdout
        reports.append(json.loads(said))
    summary, whole = (report["summary"] for report in reports)
    distance, interval = abs(summary["cycles"] - whole["cycles"]), summary["sampling"]["cycles_ci95"]
    check(distance < interval < 0.1 * summary["cycles"], "the interval", (summary, whole["cycles"]))
    for row, expected in zip(*(report["what_if"] for report in reports)):
        distance = abs(row["speedup"] - expected["speedup"])
        check(
            row["name"] == expected["name"] and distance < row["ci95"] < 0.15 * row["speedup"],
            "what-if: the interval",
            (row, expected),
        )


def main():
    need_simulator()
    with temporary() as folder:
        program = build(folder)
        check_exact(folder, program)
        check_same(folder, program)
        check_calls(folder, program)
        check_child(folder, program)
        check_interval(folder, program)
    finish()


if __name__ == "__main__":
    main()
