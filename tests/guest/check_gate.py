#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_gate.py MACHINE OUT_DIR: compares what gate.sh left with the rates of both halves of the program."""
import sys

import machine as machines
from check_guest import Guest

REPEATS = 6
PAIRS = 5  # of commands in turns
RUNS = 7  # of level 3
PERCENT = 5  # of cycles: a run's begin and end are as they were
POINTS = 1.5  # of a node


class Expected:
    """Sums of the rates: both halves take the same time; then the second half takes twice as long, with the
    second rates."""

    def __init__(self, machine):
        first = {name: 2 * rate for name, (_, rate) in machine.rates.items()}
        second = {
            name: rate + 2 * machine.rates2.get(name, (0, rate))[1]
            for name, (_, rate) in machine.rates.items()
        }
        self.before, self.after = self.shares(first), self.shares(second)
        self.cycles = self.after["cycles"] / self.before["cycles"]
        self.instructions = self.after["instructions"] / self.before["instructions"]

    @staticmethod
    def shares(counts):
        """The fractions of the cycles, and what level 3's stalls make of Memory_Bound."""
        loads, l1, l2, l3 = (
            counts[name]
            for name in (
                "EXE_ACTIVITY.BOUND_ON_LOADS",
                "MEMORY_ACTIVITY.STALLS_L1D_MISS",
                "MEMORY_ACTIVITY.STALLS_L2_MISS",
                "MEMORY_ACTIVITY.STALLS_L3_MISS",
            )
        )
        stalls = {
            "l1": loads - l1,
            "l2": l1 - l2,
            "l3": l2 - l3,
            "dram": l3,
            "stores": counts["EXE_ACTIVITY.BOUND_ON_STORES"],
        }
        memory = counts["topdown-mem-bound"] / counts["TOPDOWN.SLOTS"]
        return {
            "memory": memory,
            "cycles": counts["CPU_CLK_UNHALTED.THREAD"],
            "instructions": counts["INST_RETIRED.ANY"],
            "dram": memory * stalls["dram"] / sum(stalls.values()),
        }


def limits(guest, step):
    return {row["metric"]: row for row in guest.json(f"{step}.json").get("limits", [])}


def check_verdicts(guest, step, status, verdicts):
    guest.status(step, status)
    found = {name: row["verdict"] for name, row in limits(guest, step).items()}
    guest.check(found == verdicts, f"{step}: {found}, expected {verdicts}")


def check_within(guest):
    guest.status("made", 0)
    guest.check(
        "out/same.baseline.json is the new baseline" in guest.text("made.stderr"),
        "made: it is said which file is the baseline",
    )
    saved = guest.json("same.baseline.json")
    guest.check(
        saved.get("planned_repeats") == REPEATS and len(saved.get("repeats", [])) == REPEATS - 1,
        (
            f"made: {REPEATS} repeats: {saved.get('planned_repeats')}, and"
            f" {len(saved.get('repeats', []))} behind the first"
        ),
    )
    check_verdicts(guest, "within", 0, dict.fromkeys(limits(guest, "within"), "within"))
    guest.check(len(limits(guest, "within")) == 5, "within: each of the five limits is judged")


def check_beyond(guest, expected):
    for step in ("beyond", "turns"):
        check_verdicts(
            guest,
            step,
            3,
            {
                "instructions": "within",
                "cycles": "beyond",
                "IPC": "beyond",
                "Memory_Bound": "beyond",
                "Bad_Speculation": "within",
            },
        )
        rows = limits(guest, step)
        if not rows:
            continue
        guest.near(
            rows["cycles"]["amount"],
            100 * (expected.cycles - 1),
            2 * PERCENT,
            f"{step}: more cycles, percent",
        )
        guest.near(
            rows["IPC"]["amount"],
            100 * (1 - expected.instructions / expected.cycles),
            PERCENT,
            f"{step}: less IPC, percent",
        )
        guest.near(
            rows["Memory_Bound"]["amount"],
            100 * (expected.after["memory"] - expected.before["memory"]),
            POINTS,
            f"{step}: more Memory_Bound, points",
        )
        causes = rows["cycles"]["causes"]
        nodes = [cause["node"] for cause in causes if cause["node"]]
        functions = [cause["function"] for cause in causes if cause["function"]]
        guest.check(nodes[:1] == ["Memory_Bound"], f"{step}: the node that the cycles are lost to: {nodes}")
        guest.check(functions[:1] == ["changed"], f"{step}: the function that has them: {functions}")
    guest.status("beyond-text", 3)
    text = guest.text("beyond-text.stderr")
    guest.check(
        "* changed: " in text and "Memory_Bound rose" in text,
        f"beyond-text: node and function are named: {text}",
    )


def check_unknown(guest):
    guest.status("varied-made", 0)
    check_verdicts(guest, "varied", 4, {"cycles": "unknown", "Backend_Bound": "within"})
    row = limits(guest, "varied").get("cycles", {})
    guest.check(
        (row.get("amount_low") or 0) < 1 < (row.get("amount_high") or 0),
        f"varied: the limit is within the interval: {row.get('amount_low')} to {row.get('amount_high')}",
    )
    guest.status("scope", 4)
    said = " ".join(row.get("sentence", "") for row in limits(guest, "scope").values()) + str(
        guest.json("scope.json").get("notes")
    )
    guest.check("scope" in said, f"scope: why nothing is judged: {said}")


def check_turns(guest):
    """ABBA or BAAB; a sampled run of each behind it."""
    letters = guest.text("letters")
    runs = [letters[i : i + RUNS] for i in range(0, 2 * PAIRS * RUNS, RUNS)]
    sides = [run[:1] for run in runs]
    guest.check(
        len(runs) == 2 * PAIRS and all(run == RUNS * run[:1] for run in runs),
        f"compared: the runs of a measurement: {letters}",
    )
    guest.check(
        all(set(sides[i : i + 2]) == {"a", "b"} for i in range(0, 2 * PAIRS, 2)),
        f"compared: both in each pair: {sides}",
    )
    guest.check(
        all(sides[i] != sides[i + 2] for i in range(0, 2 * PAIRS - 2, 4)),
        f"compared: the next pair the other way round: {sides}",
    )


def check_compared(guest, expected):
    guest.status("compared", 0)
    data = guest.json("compared.json")
    guest.check(
        (data.get("verdict"), data.get("metric"), data.get("pairs"), data.get("paired"))
        == ("slower", "cycles", PAIRS, True),
        f"compared: {data.get('sentence')} {data.get('metric')} {data.get('pairs')} {data.get('paired')}",
    )
    metrics = {row["name"]: row for row in data.get("metrics", [])}
    guest.near(
        metrics.get("cycles", {}).get("ratio"), expected.cycles, 0.02 * PERCENT, "compared: cycles, ratio"
    )
    guest.near(
        metrics.get("instructions", {}).get("ratio"),
        expected.instructions,
        0.01 * PERCENT,
        "compared: instructions, ratio",
    )
    before, after = data.get("cycles_before") or 0, data.get("cycles_after") or 0
    terms = data.get("terms", [])
    guest.near(
        sum(term["cycles"] for term in terms),
        after - before,
        0.01 * abs(after - before),
        "compared: the reasons add up",
    )
    first = terms[0] if terms else {}
    guest.check(
        (first.get("kind"), first.get("title")) == ("node", "L3_Miss_Bound"),
        f"compared: the first reason: {first.get('title')}",
    )
    unit = before / expected.before["cycles"]  # of the rates
    # more cycles for an instruction, by the mean of both numbers of instructions
    each = [
        side["cycles"] * side["dram"] / side["instructions"] for side in (expected.before, expected.after)
    ]
    dram = unit * (each[1] - each[0]) * (expected.before["instructions"] + expected.after["instructions"]) / 2
    guest.near(first.get("cycles"), dram, 0.1 * dram, "compared: its cycles")
    named = [row["name"] for row in data.get("functions", [])]
    guest.check(named[:1] == ["changed"], f"compared: the function: {named[:3]}")


def check_other_comparisons(guest):
    guest.status("compared-same", 0)
    data = guest.json("compared-same.json")
    guest.check(data.get("verdict") in ("same", "unknown"), f"compared-same: {data.get('sentence')}")
    guest.status("compared-more", 0)
    data = guest.json("compared-more.json")
    guest.check(data.get("verdict") == "slower", f"compared-more: {data.get('sentence')}")
    ratio = next((row["ratio"] for row in data.get("metrics", []) if row["name"] == "instructions"), None)
    guest.near(ratio, 2, 0.2, "compared-more: instructions, ratio")
    terms = data.get("terms", [])
    guest.check(terms and terms[0]["kind"] == "instructions", f"compared-more: the first reason: {terms[:1]}")


def main(name, out):
    guest = Guest(machines.load(name), out)
    expected = Expected(guest.machine)
    check_within(guest)
    check_beyond(guest, expected)
    check_unknown(guest)
    check_turns(guest)
    check_compared(guest, expected)
    check_other_comparisons(guest)
    print("guest seconds after each step:", ", ".join(guest.text("times").split("\n")).rstrip(", "))
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
