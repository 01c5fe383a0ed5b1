#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""coverage.py [--core NAME] [NAME]... - does the interval that --sim-sample states have the whole run's
value? Of cycles and of the shares of level 1, of all kernels of tests/kernels/published/ and of real programs
(programs.py).

TOPDOWN and TOPDOWN_BUILD name the program and its build folder.
"""
import pathlib
import sys
import tempfile

import programs
import published

SAMPLE = "0.1"
GOAL = 0.95


def away(sampled, whole):
    """How far cycles and shares of level 1 are from those of the whole, in stated half intervals."""
    shares = {node["title"]: node["value"] for node in whole["nodes"] if node["level"] == 1}
    found = {
        "cycles": (
            abs(sampled["summary"]["cycles"] - whole["summary"]["cycles"])
            / sampled["summary"]["sampling"]["cycles_ci95"]
        )
    }
    return found | {
        node["title"]: abs(node["value"] - shares[node["title"]]) / node["ci95"]
        for node in sampled["nodes"]
        if node["level"] == 1 and node["ci95"]
    }


def row(name, words, core):
    """The number of values, and of those inside; none where the sample is too small to say."""
    whole, sampled = (programs.simulate(words, core, "--sim-sample", part) for part in ("1", SAMPLE))
    if not sampled["summary"].get("sampling") or not sampled["summary"]["sampling"]["cycles_ci95"]:
        print(f"| {name} | | | too few windows | |", flush=True)
        return 0, 0
    found, cycles = away(sampled, whole), whole["summary"]["cycles"]
    farthest = max(found, key=found.get)
    print(
        (
            f"| {name} | {100 * (sampled['summary']['cycles'] / cycles - 1):+.1f} % |"
            f" {100 * sampled['summary']['sampling']['cycles_ci95'] / cycles:.1f} % |"
            f" {farthest} {found[farthest]:.2f} | {'' if found[farthest] <= 1 else 'outside'} |"
        ),
        flush=True,
    )
    return len(found), sum(value <= 1 for value in found.values())


def main():
    words = sys.argv[1:]
    core = words[words.index("--core") + 1] if "--core" in words else None
    print("| program | cycles of the sample | stated | farthest, in intervals | |\n|---|---:|---:|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        commands = {name: [published.PROGRAM, name] for name in published.KERNELS} | programs.find_programs(
            pathlib.Path(folder)
        )
        results = [
            row(name, commands[name], core)
            for name in [name for name in commands if name in words] or commands
        ]
    total, inside = (sum(result[i] for result in results) for i in (0, 1))
    if total:
        rows = [result for result in results if result[0]]
        print(
            f"\n{inside} of {total} values are inside ({100 * inside / total:.1f} %; goal {100 * GOAL:.0f}),"
            f" all of {sum(r[0] == r[1] for r in rows)} of {len(rows)} programs"
        )


main()
