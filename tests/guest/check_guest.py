#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_guest.py MACHINE OUT_DIR: compares what guest.sh left with the answers of machines/MACHINE.py."""
import json
import pathlib
import re
import sys

import drill
import faults
import groups
import machine as machines
import part
import roofline_counts
import sampled
import spots
import trust
import verified

MOST_OF = 0.75  # of a program's own CPU time: what passes while the kernel switches tasks is not counted
POINTS = 0.5  # how far a node may be from the chosen value


class Guest:
    """The guest's files, and the checks done on them: each prints a line, and the run goes on after a failed
    one."""

    def __init__(self, machine, out):
        self.machine = machine
        self.out = pathlib.Path(out)
        self.failures = 0
        self.parsed = {}

    def check(self, holds, text):
        print("ok  " if holds else "FAIL", text)
        self.failures += not holds

    def near(self, value, expected, tolerance, text):
        holds = isinstance(value, (int, float)) and abs(value - expected) <= tolerance
        self.check(holds, f"{text}: {value}, expected {expected:.4g} +- {tolerance:.2g}")

    def text(self, name):
        path = self.out / name
        return path.read_text() if path.exists() else ""

    def json(self, name):
        if name not in self.parsed:
            self.parsed[name] = {}
            try:
                self.parsed[name] = json.loads(self.text(name))
            except json.JSONDecodeError as error:
                self.check(False, f"{name} is JSON: {error}")
        return self.parsed[name]

    def status(self, step, expected):
        status = self.text(f"{step}.status").strip()
        self.check(status == str(expected), f"{step}: exit status {status}, expected {expected}")
        if status != str(expected):
            print(self.text(f"{step}.stderr"))


def cpu_ns(guest, step):
    """What prog said of its CPU time; nothing else may be on its standard output, and that of the first run
    only."""
    match = re.fullmatch(r"cpu_ns=(\d+)\n", guest.text(f"{step}.stdout"))
    guest.check(match, f"{step}: standard output is the program's own")
    return int(match[1]) if match else 0


def took(guest):
    """{step: seconds that it took}, by the clock after each: what a step counted is no longer."""
    rows = [line.split() for line in guest.text("times").splitlines()]
    return {name: float(now) - float(before) for (name, now), (_, before) in zip(rows[1:], rows)}


def values(items):
    return {item["name"]: item["value"] for item in items}


def check_nodes(guest, step, expected):
    nodes = values(guest.json(f"{step}.json").get("nodes", []))
    for name, percent in expected.items():
        guest.near(nodes.get(name), percent, POINTS, f"{step}: {name}")


def check_level1(guest):
    nodes = guest.json("level1.json").get("nodes", [])
    guest.check(
        {node["name"] for node in nodes} == set(guest.machine.level1),
        f"level1: the nodes are {sorted(values(nodes))}",
    )
    check_nodes(guest, "level1", guest.machine.level1)
    marks = {node["quality"] for node in nodes}
    if guest.machine.level1_runs == 1:
        guest.check(marks == {"exact"}, f"level1: all of it was counted at the same time: {sorted(marks)}")
    saved = guest.json("level1.session.json").get("runs", [])
    guest.check(len(saved) == guest.machine.level1_runs, f"level1: {len(saved)} runs")


def check_whole_tree(guest, step):
    check_nodes(guest, step, guest.machine.level1 | guest.machine.deeper)
    metrics = values(guest.json(f"{step}.json").get("metrics", []))
    for name, expected in guest.machine.metrics.items():
        guest.near(metrics.get(name), expected, 0.01 * expected, f"{step}: {name}")
    counts = guest.json(f"{step}.session.json").get("counts", [])
    lost = sorted({count["event"] for count in counts if count["state"] != "ok"})
    guest.check(
        counts and not lost, f"{step}: {len(counts)} counts, of which refused or never counted: {lost}"
    )


def check_summary(guest, step):
    summary = guest.json(f"{step}.json").get("summary", {})
    if step in guest.machine.no_ipc:
        guest.check(
            summary.get("ipc", 0) is None, f"{step}: IPC, which was not measured: {summary.get('ipc')}"
        )
    else:
        guest.near(summary.get("ipc"), guest.machine.ipc, 0.02 * guest.machine.ipc, f"{step}: IPC")


def check_clock(guest, step):
    summary = guest.json(f"{step}.json").get("summary", {})
    if summary.get("cycles") or step not in guest.machine.no_ipc:
        ghz = guest.machine.khz / 1e6
        guest.near(summary.get("ghz"), ghz, 0.1 * ghz, f"{step}: GHz")


def runs(guest, step, plan):
    """The number of runs, which the plan, the report and the session have to agree on."""
    planned = len(guest.json(f"{plan}.stdout").get("runs", []))
    reported = guest.json(f"{step}.json").get("summary", {}).get("runs")
    saved = len(guest.json(f"{step}.session.json").get("runs", []))
    guest.check(
        planned == reported == saved > 0,
        f"{step}: {reported} runs reported, {saved} saved, {planned} planned",
    )
    return saved


def counted(guest, step, event):
    """The event's count in the first run."""
    counts = [
        count for count in guest.json(f"{step}.session.json").get("counts", []) if count["event"] == event
    ]
    first = min((count["run"] for count in counts), default=None)
    return next((count["value"] for count in counts if count["run"] == first), 0)


def check_cycles(guest, step):
    """Cycles advance while the program or one of its children runs: they are its CPU time, and what passes
    between exec and main()."""
    _, rate = guest.machine.rates.get(guest.machine.cycles, (0, 1))
    cycles = counted(guest, step, guest.machine.cycles) / rate
    nanoseconds = cpu_ns(guest, step)
    counted_ns = cycles / guest.machine.khz * 1e6
    tolerance = (0.4 if guest.machine.pmu else 0.02) * nanoseconds
    guest.near(counted_ns, nanoseconds, tolerance, f"{step}: CPU time in ns by the cycles counted")
    return cycles


def check_fork(guest):
    """Four processes do the work that one does at level1."""
    ratio = check_cycles(guest, "fork") / max(check_cycles(guest, "level1"), 1)
    if not guest.machine.pmu:  # only where time follows the instructions does equal work take equal time
        guest.near(ratio, 1, 0.05, "fork: cycles of four processes over those of one with the same work")


def check_again(guest):
    """The saved session, evaluated on the host, gives the guest's numbers."""
    there = values(guest.json("level3.json").get("nodes", []))
    here = values(guest.json("again.json").get("nodes", []))
    guest.check(
        there and there == here, "level3: topdown report gives the same values from the saved session"
    )


def check_same_plans(guest):
    """A CPU that is named has the same plan here and there, on x86 and on Arm."""
    cpus = sorted(path.stem for path in guest.out.glob("plan-*.stdout"))
    same = [cpu for cpu in cpus if guest.text(f"{cpu}.stdout") == guest.text(f"{cpu}.here") != ""]
    guest.check(len(cpus) == 3 and same == cpus, f"plans: of {cpus}, the same as on the host: {same}")


def check_user(guest):
    guest.status("user3", 125)
    guest.check(
        "perf_event_paranoid" in guest.text("user3.stderr"),
        f"user3: the refusal's cause: {guest.text('user3.stderr').strip()}",
    )
    guest.status("user2", 0)
    kept = {
        name: value for name, value in guest.machine.level1.items() if name not in guest.machine.not_for_users
    }
    check_nodes(guest, "user2", kept)
    nodes = values(guest.json("user2.json").get("nodes", []))
    for name in guest.machine.not_for_users:
        guest.check(nodes.get(name, 0) is None, f"user2: {name}, which takes rights, is {nodes.get(name)}")
    scope = guest.json("user2.json").get("summary", {}).get("scope")
    guest.check(scope == "user", f"user2: the scope is {scope}")


def check_turns(guest, usual):
    """All groups in one run: the same fractions, from a part of the time where there is more than one
    group."""
    guest.status("turns", 0)
    check_nodes(guest, "turns", guest.machine.level1)
    report = guest.json("turns.json")
    guest.check(report.get("summary", {}).get("runs") == 1, "turns: one run")
    marks = {node["quality"] for node in report.get("nodes", []) if node["value"] is not None}
    guest.check(
        "runs" not in marks and ("scaled" in marks) == (usual > 1),
        f"turns: values are marked {sorted(marks)}",
    )
    asked = report.get("events", [])
    cycles = asked[0]["value"] if asked else None
    guest.check(
        [event["name"] for event in asked] == [guest.machine.cycles.removesuffix("_ANY")] and cycles,
        f"turns: cycles were asked for: {asked}",
    )


def check_fewer(guest, usual):
    guest.status("fewer-plan", 0)
    guest.status("fewer", 0)
    check_whole_tree(guest, "fewer")
    more = runs(guest, "fewer", "fewer-plan")
    guest.check(more > usual, f"fewer: {more} runs with {guest.machine.fewer} counters, {usual} with all")


def check_asked(guest):
    """Events whose counters follow rules of their own: each is counted, and at its rate."""
    guest.status("asked", 0)
    counts = guest.json("asked.session.json").get("counts", [])
    guest.check(
        counts and all(count["state"] == "ok" for count in counts),
        f"asked: not counted: {sorted({count['event'] for count in counts if count['state'] != 'ok'})}",
    )
    for name in guest.machine.asked:
        _, expected = guest.machine.rates[name]
        count = next(
            (count for count in counts if count["event"] == name and count["running_ns"]),
            {"value": 0, "running_ns": 1},
        )
        rate = (count["value"] or 0) / count["running_ns"] / guest.machine.khz * 1e6
        guest.near(rate, expected, 0.02 * expected, f"asked: {name} a cycle")


def main(name, out):
    guest = Guest(machines.load(name), out)
    for step in ("plan", "level1", "level3", "fork", "text"):
        guest.status(step, 0)
    guest.status("exit", 7)
    guest.status("signal", 128 + 15)
    check_level1(guest)
    check_whole_tree(guest, "level3")
    check_summary(guest, "level1")
    check_summary(guest, "level3")
    check_clock(guest, "level1")
    check_fork(guest)
    usual = runs(guest, "level3", "plan")
    check_same_plans(guest)
    if guest.machine.pmu:
        groups.check(guest)
    else:
        sampled.check(guest)
    if guest.machine.second:
        spots.check(guest)
    check_again(guest)
    if guest.machine.asked:
        check_asked(guest)
    if guest.machine.part:
        part.check(guest, usual)
    if guest.machine.placed:
        roofline_counts.check(guest)
        roofline_counts.check_parts(guest)
    if guest.machine.verified:
        verified.check(guest)
    cpu_ns(guest, "text")
    guest.check(guest.text("text.stderr").strip(), "text: there is a report on standard error")
    check_user(guest)
    check_turns(guest, usual)
    trust.check(guest)
    if guest.machine.drill_level:
        drill.check(guest)
    if guest.machine.faults:
        faults.check(guest)
    if guest.machine.fewer:
        check_fewer(guest, usual)
    print("guest seconds after each step:", ", ".join(guest.text("times").split("\n")).rstrip(", "))
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
