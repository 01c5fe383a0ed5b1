#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""held_out.py [--core NAME] [NAME]... - 150 kernels that no core was tuned to (tests/kernels/held_out/): is
the worst node the one that follows from the kernel, and are modelled cycles those of this machine?

Without --core: the default core, beside the fastest of 90 runs in three processes, by the clock of
published.py. With it the machine may be another one, so only nodes are judged. expected.csv was written
before any kernel was simulated. Its cycles follow from published tables for Zen 4, where they do; nothing is
judged by them. Threads, L3 and memory are judged by node only. TOPDOWN and TOPDOWN_BUILD name the program and
its build folder.
"""
import csv
import sys

import published

PROGRAM = str(published.BUILD / "kernels/held_out")
EXPECTED = published.SOURCE / "tests/kernels/held_out/expected.csv"
LEVEL = 6
CHANGED = {  # whose expectation, or code, changed after a simulation; README.md says why
    "code_200k",
    "shared_counter",
    "own_counters",
    "counters_in_a_line",
    "counters_apart",
    "read_beside_counter",
    "read_what_is_written",
    "both_read",
    "spin_lock",
}


def row(name, expected, rounds, core):
    """Whether the node is right; whether cycles are near, None where that is not judged."""
    modelled, leaf, level_1, _ = published.simulate(name, core, PROGRAM, LEVEL)
    modelled /= rounds
    is_right, is_near, ratio, native = leaf in expected["nodes"].split(), None, "", ""
    if not core:
        cycles = published.measure(name, PROGRAM)[0]
        native, ratio = f"{cycles:.2f}", "" if expected["area"] == "threads" else f"{modelled / cycles:.2f}"
        if expected["judged"] == "both":
            is_near = published.CYCLES[0] <= modelled / cycles <= published.CYCLES[1]
    cells = (
        name + " (changed)" * (name in CHANGED),
        expected["nodes"].replace(" ", " or "),
        leaf,
        "" if is_right else "no",
        expected["cycles"],
        native,
        f"{modelled:.2f}",
        ratio,
        "no" if is_near is False else "",
        level_1,
    )
    print(f"| {' | '.join(cells)} |", flush=True)
    return is_right, is_near


def tell(what, results):
    right = [is_right for is_right, _ in results]
    near = [is_near for _, is_near in results if is_near is not None]
    print(f"| {what} | {sum(right)} of {len(right)} | {f'{sum(near)} of {len(near)}' if near else ''} |")


def main():
    words = sys.argv[1:]
    core = words[words.index("--core") + 1] if "--core" in words else None
    rounds = published.rounds_of(PROGRAM)
    with open(EXPECTED, encoding="utf-8", newline="") as file:
        kernels = {line["kernel"]: line for line in csv.DictReader(file) if line["kernel"] in rounds}
    wanted = [word for word in words if word in kernels] or kernels
    print(
        "| kernel | expected | worst node | right | cycles a round, expected | natively | modelled | ratio |"
        " near | level 1 |\n|---|---|---|---|---:|---:|---:|---:|---|---|"
    )
    results = {name: row(name, kernels[name], rounds[name], core) for name in wanted}
    print("\n| area | node | cycles |\n|---|---:|---:|")
    for area in dict.fromkeys(line["area"] for line in kernels.values()):
        if found := [results[name] for name in results if kernels[name]["area"] == area]:
            tell(area, found)
    tell("all", list(results.values()))
    if held_out := [result for name, result in results.items() if name not in CHANGED]:
        tell("all but the changed", held_out)


if __name__ == "__main__":
    main()
