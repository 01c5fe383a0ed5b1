#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""sample.py - --sim-sample on kernels: what the windows say of the whole, with their stated error, against
the whole itself.

usage: sample.py [KERNEL]...      TOPDOWN and TOPDOWN_BUILD name the program and its build directory

Exit status 77 where the simulator is not there.
"""
import json
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, need_simulator, read_json, temporary, topdown

# Kernels with their arguments, long enough for dozens of windows. They have two phases at least: the start of
# any program, and their loop.
KERNELS = {
    "quicksort": ["200000"],
    "interpreter": ["1000000"],
    "multiply": ["2000000"],
    "divide": ["2000000"],
    "adds": ["2000000"],
    "code": ["200000"],
    "stream": ["32768", "2"],
    "chase": ["8192", "1000000"],
    "stores": ["16384", "500000"],
}
BIAS = 0.0  # the stated interval has what a window cannot see


START = 2e6  # instructions that are modelled in full (docs/SIMULATOR.md)
# Processes of a few windows each, which all do the same.
SCRIPT = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do {adds} 100000; done"
CHILDREN = "12 short programs"


def words_of(name):
    if name == CHILDREN:
        return ["--no-anchor", "sh", "-c", SCRIPT.format(adds=BUILD / "kernels/adds")]
    return [BUILD / "kernels" / name, *KERNELS[name]]


def simulate(name, *options):
    """Pinned, so that it is the same sample on every host: one in twenty may be farther off than is said."""
    with temporary() as folder:
        session = folder / "session"
        words = ("--pmu", "sim", "--sim-core", "skylake", "--pinned", "--format", "json", "--save", session)
        result = topdown(*words, *options, *words_of(name))
        if result.returncode:
            sys.exit(f"{name}: exit status {result.returncode}: {result.stderr}")
        return json.loads(result.stderr), read_json(session)


def counts(session):
    return {row["event"]: row["value"] for row in session["counts"]}


def level_1(report):
    return {node["title"]: node for node in report["nodes"] if node["level"] == 1}


def check_error(name, sampled, whole):
    """Cycles and shares of level 1 are as far off as is said, and not farther."""
    failures = []
    summary, cycles = sampled["summary"], whole["summary"]["cycles"]
    off = abs(summary["cycles"] - cycles)
    most = summary["sampling"]["cycles_ci95"] + BIAS / 100 * cycles
    print(
        (
            f"{name:12} {summary['sampling']['windows']:4} windows  cycles"
            f" {100 * (summary['cycles'] / cycles - 1):+5.1f} % (±"
            f" {100 * summary['sampling']['cycles_ci95'] / cycles:.1f})"
        ),
        end="",
    )
    if not off <= most:
        failures.append(f"cycles are off by {off}, more than {most}")
    for title, node in level_1(whole).items():
        one = level_1(sampled)[title]
        print(f"  {title} {one['value'] - node['value']:+.1f} (± {one['ci95']:.1f})", end="")
        if not abs(one["value"] - node["value"]) <= one["ci95"] + BIAS:
            failures.append(f"{title} is {one['value']} ± {one['ci95']}, not {node['value']}")
    print()
    # The moment at which a shell notices the ends of its children differs from run to run.
    if abs(summary["instructions"] - whole["summary"]["instructions"]) > (
        whole["summary"]["instructions"] / 1000 if name == CHILDREN else 0
    ):
        failures.append("the number of instructions is not that of the whole")
    first = summary["sampling"]["whole_instructions"]
    share = (summary["sampling"]["modelled"] * summary["instructions"] - first) / (
        summary["instructions"] - first
    )
    if not 0.05 < share < 0.15 or (name != CHILDREN and not START <= first < START + 1e3):
        failures.append(
            f"{share} of the instructions behind the first {first} were modelled, not a tenth behind {START}"
        )
    return failures


def check(name):
    whole, session = simulate(name)
    sampled, first = simulate(name, "--sim-sample", "0.1")
    failures = check_error(name, sampled, whole)
    if name == "quicksort":
        if counts(simulate(name, "--sim-sample", "0.1")[1]) != counts(first):
            failures.append("two sampled runs differ")
        if counts(simulate(name, "--sim-sample", "1")[1]) != counts(session):
            failures.append("--sim-sample 1 is not the whole")
    if "sampling" in whole["summary"] or "ci95" in whole["nodes"][0]:
        failures.append("a whole simulation has a sampling error")
    for failure in failures:
        print(f"FAIL {name}: {failure}")
    return not failures


def main():
    need_simulator()
    results = [check(name) for name in sys.argv[1:] or [*KERNELS, CHILDREN]]
    sys.exit(0 if all(results) else 1)


main()
