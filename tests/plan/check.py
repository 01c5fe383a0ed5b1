#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Plans of a CPU, proven by other means: the fewest groups by integer programming, each group by the kernel's
rules.

usage: check.py [CPU]...     TOPDOWN names the program

For each level, with SMT on and off, with and without the NMI watchdog: wanted.py says from the shipped files
which events the level needs, fewest.mod (GLPK) the least possible number of groups, pmu.py whether the kernel
would schedule each group. Exit status 77 without glpsol.
"""
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from wanted import ROOT, Cpu  # first: it sets the path to the golden tests' readers
from pmu import WATCHDOG, Pmu
from lib.rows import SKIPPED, run_rows

LEVELS = 6
ORDER = ("Cycles", "SlotsEvent", "Reference", "Instructions")  # in which groups are related by them
SETTINGS = [(smt, watchdog, None) for smt in (True, False) for watchdog in (False, True)] + [
    (True, False, 3),
    (True, True, 2),
]

# Plans that one could wish a group shorter, with SMT on and without a watchdog, and why none is: so many
# events have no fixed counter and are not in each group, and a group has so many general counters for them.
# docs/BENCHMARKS.md lists the same.
TIGHT = {
    ("cascadelakex", 1): (6, 4),
    ("cascadelakex", 6): (113, 4),
    ("broadwellx", 2): (17, 4),
    ("broadwellx", 6): (85, 4),
    ("sapphirerapids", 6): (129, 8),
    ("amdzen4", 2): (11, 5),
    ("amdzen5", 2): (11, 5),
}


def plan(name, level, smt, watchdog, counters):
    command = [
        os.environ.get("TOPDOWN", "topdown"),
        "plan",
        f"-l{level}",
        "--format",
        "json",
        "--cpu",
        name,
        "--smt",
        "on" if smt else "off",
        "--watchdog",
        "on" if watchdog else "off",
    ]
    command += ["--counters", str(counters)] if counters else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


class Problem:
    """What a level needs of the counters, whoever plans it."""

    def __init__(self, cpu, pmu, level):
        self.cpu, self.pmu = cpu, pmu
        metrics = cpu.wanted(level)
        self.wanted = set(metrics)
        self.possible = {name: events for name, events in metrics.items() if all(map(pmu.can_count, events))}
        self.needed = frozenset().union(*self.possible.values())
        self.roles = {cpu.role(role) for role in ORDER if cpu.role(role)}
        self.counted = {event for event in self.needed if not pmu.is_field(event)}
        if self.counted != self.needed:
            self.counted |= {(cpu.header["SlotsEvent"].lower(),)}

    def is_beside(self, event, always):
        """Can a group count the event beside these?"""
        lists = [
            self.pmu.places(each)
            for each in always | {event}
            if not (each != WATCHDOG and self.pmu.is_field(each))
        ]
        return any(len(set(chosen)) == len(chosen) for chosen in itertools.product(*lists))

    def relation(self):
        """What each group has to count, and whether its counts can be related to those of other groups by
        that. The watchdog's cycles, if there is one, are in all. A fixed-role event whose counter nothing
        else uses costs no group anything. Where there is none, but all formulas read one of the roles
        (cycles, mostly), each group needs that.
        """
        pmu = self.pmu
        always = {WATCHDOG} if pmu.watchdog else set()
        for role in self.roles:
            others = {name for event in (self.counted - {role}) | always for name in pmu.places(event)}
            if pmu.can_count(role) and set(pmu.places(role)) - others - set(pmu.general):
                return always, True
        for role in map(self.cpu.role, ORDER):
            if (
                role in self.roles
                and pmu.can_count(role)
                and all(role in events for events in self.possible.values())
                and all(self.is_beside(event, always | {role}) for event in self.counted)
            ):
                return always | {role}, True
        return always, False

    def data(self):
        always, _ = self.relation()
        events = sorted(self.counted | always, key=str)
        numbers = {event: f"e{i}" for i, event in enumerate(events)}
        registers = self.pmu.registers(self.counted)
        yield f"set COUNTERS := {' '.join(self.pmu.counters)};"
        yield f"set EVENTS := {' '.join(numbers.values())};"
        yield f"set EVERYWHERE := {' '.join(numbers[event] for event in events if event in always)};"
        yield f"set GENERAL := {' '.join(self.pmu.general)};"
        yield (
            "set EXCLUSIVE :="
            f" {' '.join(numbers[event] for event in events if self.pmu.is_exclusive(event))};"
        )
        yield f"set PAIRED := {' '.join(numbers[event] for event in events if self.pmu.is_paired(event))};"
        yield (
            f"set BEHIND := {' '.join(f'({a},{b})' for a, b in zip(self.pmu.general, self.pmu.general[1:]))};"
        )
        yield f"param half := {self.pmu.half};"
        yield f"set PLACES := {' '.join(f'({numbers[e]},{c})' for e in events for c in self.pmu.places(e))};"
        yield f"set REGISTERS := {' '.join(map(str, registers))};"
        for i, key in enumerate(("values", "alone", "room")):
            yield f"param {key} := {' '.join(f'{msr} {found[i]}' for msr, found in registers.items())};"

    def fewest(self, known):
        """By GLPK; known has what was solved before, because the deepest levels of small trees are alike."""
        data = "\n".join(self.data()) + "\nend;\n"
        if data not in known:
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, "data").write_text(data, encoding="utf-8")
                done = subprocess.run(
                    ["glpsol", "-m", str(ROOT / "tests/plan/fewest.mod"), "-d", "data", "-y", "length"],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                length = Path(folder, "length")
                if done.returncode or not length.exists():
                    raise SystemExit(f"glpsol: {done.stdout}{done.stderr}")
                known[data] = int(length.read_text())
        return known[data]


class Checker:
    def __init__(self):
        self.failures = self.plans = self.groups = self.longer = 0

    def expect(self, where, holds, what):
        if not holds:
            self.failures += 1
            print(f"{where}: {what}")

    def group(self, where, problem, group):
        pmu, cpu = problem.pmu, problem.cpu
        events = [cpu.event(event["name"]) for event in group["events"]]
        counters = [f"{event['counter']}{event.get('counter_index', '')}" for event in group["events"]]
        on_counters = [counter for counter in counters if counter != "metric"]
        for event, counter in zip(events, counters):
            places = pmu.places(event) or (["metric"] if pmu.metrics else [])
            self.expect(where, counter in places, f"{event} on {counter}, not on one of {places}")
        self.expect(where, len(set(on_counters)) == len(on_counters), f"a counter twice: {counters}")
        self.expect(
            where,
            "metric" not in counters or events[0][0] == cpu.header["SlotsEvent"].lower(),
            "slots do not lead",
        )
        for msr, (values, alone, room) in pmu.registers(events).items():
            self.expect(
                where,
                values + room * alone <= room,
                f"MSR {msr:#x} is asked for {values} values, {alone} of them alone",
            )
        self.expect(where, set(events) <= problem.needed | problem.roles, "an event that nothing needs")
        self.expect(where, pmu.accepts(events), f"the kernel would not schedule {events}")
        complete = {name.lower() for name in group["metrics"]}
        for name, needs in problem.possible.items():
            self.expect(where, name not in complete or needs <= set(events), f"{name} is not complete")
        return set(events), complete

    def combined(self, where, problem, found, groups):
        """What no group has whole comes from as few groups as possible: each time the one with most of what
        remains."""
        self.expect(where, list(found["split_over"]) == found["split"], "split and split_over differ")
        for name, parts in found["split_over"].items():
            rest, expected = set(problem.possible.get(name.lower(), [])), set()
            while any(rest & group for group in groups):
                best = max(range(len(groups)), key=lambda i: (len(rest & groups[i]), -i))
                expected.add(best + 1)
                rest -= groups[best]
            expected = sorted(expected)
            self.expect(where, parts == expected, f"{name} comes from the groups {expected}, not {parts}")

    def large(self, where, problem, found):
        """Of what is split, too large is what no group could hold."""
        slots = {(problem.cpu.header.get("SlotsEvent", "").lower(),)}
        for name in found["split"]:
            needs = problem.possible.get(name.lower(), frozenset())
            needs |= slots if any(map(problem.pmu.is_field, needs)) else set()
            self.expect(
                where,
                (name in found["too_large"]) != problem.pmu.holds(needs),
                f"{name} is too large, or is not",
            )

    def fewer(self, where, found, complete):
        """One run fewer, where each run has one group: the last two share a run."""
        fewer, count = found["one_run_fewer"], len(complete)
        if count == 1:
            self.expect(where, fewer is None, "fewer than one run")
            return
        split = {name for name, parts in found["split_over"].items() if parts and parts[-1] >= count - 1}
        expected = {"max_runs": count - 1, "first_shared_group": count - 1, "share": 0.5}
        self.expect(where, {key: fewer[key] for key in expected} == expected, f"one run fewer is {fewer}")
        self.expect(
            where,
            {name.lower() for name in fewer["scaled"]}
            == complete[-1] | complete[-2] | {name.lower() for name in split},
            f"of one run fewer, scaled are {fewer['scaled']}",
        )

    def check(self, where, problem, found, known):
        groups = [group for run in found["runs"] for group in run["groups"]]
        checked = [self.group(f"{where}, group {i}", problem, group) for i, group in enumerate(groups, 1)]
        counted = set().union(*(events for events, _ in checked))
        complete = set().union(*(names for _, names in checked))
        fewest = problem.fewest(known)
        self.expect(where, problem.needed <= counted, f"not counted: {problem.needed - counted}")
        self.expect(
            where,
            complete | {name.lower() for name in found["split"]} == set(problem.possible),
            "a metric is neither complete nor split",
        )
        self.expect(
            where,
            {name.lower() for name in found["not_countable"]} == problem.wanted - set(problem.possible),
            f"not countable: {found['not_countable']}",
        )
        self.expect(
            where, found["lower_bound"] == fewest, f"lower bound {found['lower_bound']}, by GLPK {fewest}"
        )
        self.expect(
            where, found["optimal"] == (len(groups) == fewest), "says something else of its length than GLPK"
        )
        self.expect(
            where,
            len(groups) == fewest or not problem.relation()[1],
            f"{len(groups)} groups, though {fewest} are enough",
        )
        self.longer += len(groups) > fewest
        self.combined(where, problem, found, [events for events, _ in checked])
        self.large(where, problem, found)
        self.fewer(where, found, [complete for _, complete in checked])
        self.plans += 1
        self.groups += len(groups)

    def tight(self, where, problem, fewest, reason):
        """The reason, counted again, and what GLPK makes of it."""
        always, _ = problem.relation()
        events = [
            event
            for event in problem.counted - always
            if not set(problem.pmu.places(event)) & set(problem.pmu.fixed)
        ]
        room = len(problem.pmu.general) - len(always)
        groups = -(-len(events) // room)
        print(f"{where}: {len(events)} events, {room} counters a group: {groups} groups; by GLPK {fewest}")
        self.expect(where, (len(events), room) == reason, f"{reason} is what the documentation says")
        self.expect(where, groups == fewest, "the reason is another one")


def check_cpu(checker, name, known):
    """name may be that of the files, which has no colon before the core type."""
    name = Cpu(name, True).header["Cpu"]
    for smt, watchdog, counters in SETTINGS:
        cpu = Cpu(name, smt)
        counters = counters and min(counters, len(Pmu(cpu).general))
        pmu = Pmu(cpu, counters, watchdog)
        for level in range(1, LEVELS + 1):
            where = (
                f"{name} -l{level}, SMT {'on' if smt else 'off'},"
                f" {len(pmu.general)} counters{', watchdog' * watchdog}"
            )
            problem = Problem(cpu, pmu, level)
            checker.check(where, problem, plan(name, level, smt, watchdog, counters), known)
            if (smt, watchdog, counters) == SETTINGS[0] and (name, level) in TIGHT:
                checker.tight(where, problem, problem.fewest(known), TIGHT[name, level])


def check(name, known):
    checker = Checker()
    check_cpu(checker, name, known)
    print(
        f"check.py: {name}: {checker.plans} plans of {checker.groups} groups, {len(known)} lengths by GLPK,"
        f" {checker.longer} plans longer, {checker.failures} differences"
    )
    return 1 if checker.failures or not checker.plans else 0


def main(names):
    if not shutil.which("glpsol"):
        print("check.py: skipped, glpsol is not installed (glpk-utils)")
        return SKIPPED
    files = (ROOT / "events").glob("*.json")
    known = {}
    run_rows(
        sorted({path.stem for path in files} - {"cpus"}), lambda name: check(name, known), names, data=True
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
