#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_phases.py MACHINE OUT_DIR: compares what phases.sh left with the averages of the two phases of
machines/MACHINE.py, in the shares of the time that the PMU itself has written down.
"""
import re
import sys

import machine as machines
from check_guest import Guest

COVERED = 0.9  # of the values: their interval has the true average
COVERED_IN_STEP = 0.8  # likewise, of those of one run
WIDEST = (
    3  # points: the mean half of the intervals, where the program ran for half a second; more says nothing
)
IN_STEP = 2  # points: a level-1 value where phases are as long as a round of turns
# of a run: what the program does before it has changed the phase, in an emulated CPU that others share
START = 0.3
ROUNDING = 0.1  # points: what the program did before and after its marks


def second_share(guest, name):
    """Of the program's time the part in the second phase."""
    marks = [tuple(map(int, found)) for found in re.findall(r"mark=(\d+) (\d+)", guest.text(name))]
    guest.check(len(marks) == 2, f"{name}: the program printed two marks")
    return (marks[1][1] - marks[0][1]) / (marks[1][0] - marks[0][0]) if len(marks) == 2 else 0.5


def expected(guest, share):
    machine = guest.machine
    first, second = machine.level1 | machine.deeper, machine.second_level1 | machine.second_deeper
    return {name: (1 - share) * first[name] + share * second[name] for name in first}


def judge(guest, step):
    """Errors and half intervals of a step's nodes."""
    guest.status(step, 0)
    share = second_share(guest, f"{step}.stdout")
    nodes = {node["name"]: node for node in guest.json(f"{step}.json").get("nodes", [])}
    found = []
    for name, percent in expected(guest, share).items():
        node = nodes.get(name, {})
        guest.check(
            node.get("value") is not None and node.get("ci95") is not None,
            f"{step}: {name} has a value and an interval",
        )
        if node.get("ci95") is not None:
            found.append((abs(node["value"] - percent), node["ci95"], name))
    covered = sum(error <= half + ROUNDING for error, half, _ in found)
    worst = max(found, default=(0, 0, ""))
    print(
        f"     {step}: share {share:.3f}, {covered} of {len(found)} covered, largest error"
        f" {worst[0]:.2f} ({worst[2]}, +-{worst[1]:.2f}), mean width"
        f" {sum(half for _, half, _ in found) / max(len(found), 1):.2f}"
    )
    return found


def check_repeats(guest):
    """The interval of a mean of repeats is there, and is no smaller than what the repeats differ by."""
    guest.status("repeats", 0)
    for node in guest.json("repeats.json").get("nodes", []):
        if node["name"] in guest.machine.level1:
            guest.check(
                node.get("ci95") is not None and len(node.get("values", [])) == 2,
                f"repeats: {node['name']} +- {node.get('ci95')}",
            )


def check_split(guest):
    """Runs A, B, A ... with as many instructions: those that are unlike are named, with their nodes, and
    values have an interval."""
    machine = guest.machine
    guest.status("split", 0)
    report = guest.json("split.json")
    runs = report.get("runs", [])
    others = [2 * number for number in range(1, len(runs) // 2 + 1)]
    unlike = [run["run"] for run in runs if run["unlike"]]  # one that the host disturbed may be among them
    guest.check(
        len(runs) > 3 and set(others) <= set(unlike), f"split: of {len(runs)} runs these are unlike: {unlike}"
    )
    away = machine.second_level1["tma_backend_bound"] - machine.level1["tma_backend_bound"]
    for run in runs:
        guest.near(
            run["level_1_away"],
            away if run["run"] in others else 0,
            START * away,
            f"split: level 1 of run {run['run']}",
        )
    notes = " ".join(report.get("notes", []))
    guest.check(
        re.search(r"Run 2 .*different mix.*: Backend_Bound was [567]\d\.\d % and not [34]\d\.\d %", notes),
        f"split: {notes}",
    )
    nodes = {node["name"]: node for node in report.get("nodes", [])}
    half = (machine.level1["tma_backend_bound"] + machine.second_level1["tma_backend_bound"]) / 2
    node = nodes.get("tma_backend_bound", {})
    guest.check(
        abs(node.get("value", 0) - half) <= (node.get("ci95") or 0),
        f"split: {node.get('value')} +- {node.get('ci95')} has {half}",
    )
    guest.check("different mix" in guest.text("split-text.stdout"), "split: its session shows the same")


def check_steps(guest, found):
    """Of all values, and of each step; wide intervals would cover everything."""
    rows = [row for of_step in found.values() for row in of_step]
    long = [half for step, of_step in found.items() if not step.startswith("short") for _, half, _ in of_step]
    for step, of_step in found.items():
        covered = sum(error <= half + ROUNDING for error, half, _ in of_step) / max(len(of_step), 1)
        guest.check(covered >= COVERED_IN_STEP, f"{step}: {100 * covered:.1f} % lie within their intervals")
    covered = sum(error <= half + ROUNDING for error, half, _ in rows) / max(len(rows), 1)
    guest.check(covered >= COVERED, f"of {len(rows)} values {100 * covered:.1f} % lie within their intervals")
    width = sum(long) / max(len(long), 1)
    guest.check(0 < width < WIDEST, f"the intervals are +-{width:.2f} points wide on average")
    error = max((error for error, _, name in found["mux-14000"] if name in guest.machine.level1), default=100)
    guest.check(error < IN_STEP, f"mux-14000: level 1 is {error:.2f} points away at most")


def main(name, out):
    guest = Guest(machines.load(name), out)
    steps = [
        path.stem
        for path in sorted(guest.out.glob("*.status"))
        if re.match("mux-|all-|quarter|short-", path.stem)
    ]
    found = {step: judge(guest, step) for step in steps}
    check_steps(guest, found)
    whole, again = (
        {node["name"]: node.get("ci95") for node in guest.json(name)["nodes"]}
        for name in ("mux-14000.json", "again.json")
    )
    guest.check(whole == again, "mux-14000: its session gives the same intervals")
    note = " ".join(guest.json("mux-14000.json")["notes"])
    guest.check("Judging by how much their counts varied, nodes are within" in note, f"mux-14000: {note}")
    note = " ".join(guest.json("short-14000.json")["notes"])
    guest.check("too short to be sure" in note, f"short-14000: {note}")
    check_repeats(guest)
    check_split(guest)
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
