#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Plan for each machine snapshot, and read the plan independently.

usage: plans.py [MACHINE...]     TOPDOWN names the program

plans/MACHINE.txt is what `topdown plan -l1 --sysroot tests/machines/MACHINE` (of a hybrid with --cpu) prints,
on standard output and behind it on standard error. What it says is checked here against the snapshot's files
and events/*.json: SMT, watchdog, PERF_METRICS, the counter and the encoding of every event, that each group
alone gives the nodes that it completes, and that all groups together give those that are brought together. At
every level the text, in two widths, says the same as JSON.
"""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

from golden import HERE, ROOT, Events, number, read_json
from plan_sheet import Sheet

MACHINES = ROOT / "tests" / "machines"
CPUS = {
    "cloud-vm": "sapphirerapids",
    "epyc-zen4": "amdzen4",
    "epyc-zen5": "amdzen5",
    "graviton2": "neoverse-n1",
    "graviton3": "neoverse-v1",
    "amd-unknown": "generic-amd",
    "arm-unknown": "generic-arm",
    "arm-unknown-no-slots": "generic-arm-stalls",
    "hybrid-unknown": "generic-intel:core",
    "intel-unknown": "generic-intel",
    "laptop-hybrid": "alderlake:core",
    "xeon-clx": "cascadelakex",
    "xeon-clx-nosmt": "cascadelakex",
    "xeon-skx": "skylakex",
    "xeon-spr": "sapphirerapids",
}
LEVELS = 6
EVERY = int(
    os.environ.get("TOPDOWN_EVERY", "1")
)  # which of the levels are planned: more than 1 with sanitizers
# Nodes of level 1 whose events no group holds together: with SMT, five events of two of them need general
# counters, of which the watchdog leaves four with the cycles'; and where two groups are enough, no third is
# made for the sake of the third node.
LARGE = {machine: {"Backend_Bound", "Bad_Speculation"} for machine in ("xeon-clx", "xeon-skx")}
APART = {machine: {"Retiring"} | large for machine, large in LARGE.items()}
UNKNOWN = 125


def words_of(name):
    """A type of cores is named; cli.hybrid_plan compares the plans of all types with these."""
    return ["--sysroot", f"tests/machines/{name}", *(["--cpu", CPUS[name]] if ":" in CPUS[name] else [])]


def topdown(*arguments):
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "TOPDOWN_DB"))
    }
    return subprocess.run(
        [os.environ.get("TOPDOWN", "topdown"), *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**environment, "LC_ALL": "C.UTF-8"},
        check=False,
    )


def on_terminal(columns, *arguments):
    """What is printed on a terminal of that width."""
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with tempfile.TemporaryFile() as kept, subprocess.Popen(
        ["cat"], stdin=master, stdout=kept, stderr=subprocess.DEVNULL
    ) as reader:
        subprocess.run(
            [os.environ.get("TOPDOWN", "topdown"), *arguments, "--color", "never"],
            stdout=terminal,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
            check=False,
        )
        os.close(terminal)
        reader.wait()
        kept.seek(0)
        text = kept.read().decode("utf-8")
    os.close(master)
    return text.replace("\r\n", "\n")


class Machine:
    """What the snapshot's files say."""

    def __init__(self, name):
        self.name, self.folder = name, MACHINES / name
        self.events = Events(CPUS[name])
        header = self.events.header
        siblings = [
            path
            for file in ("thread_siblings_list", "core_cpus_list")
            for path in self.folder.glob(f"sys/devices/system/cpu/cpu*/topology/{file}")
        ]
        self.smt = any(re.search("[,-]", path.read_text()) for path in siblings)
        pmus = self.folder / "sys/bus/event_source/devices"
        self.pmu = header["Pmu"]
        self.has_pmu = (pmus / self.pmu / "format").is_dir()
        self.watchdog = (
            self.has_pmu and (self.folder / "proc/sys/kernel/nmi_watchdog").read_text().strip() == "1"
        )
        width = pmus / self.pmu / "caps/slots"
        self.slots = int(width.read_text(), 0) if width.exists() else 0
        slots = [(pmus / self.pmu / "events" / name).exists() for name in ("slots", "topdown-retiring")]
        self.metrics = "SlotsEvent" in header and (all(slots) or not self.has_pmu)
        smt_off = "" if self.smt else header.get("GeneralCountersSMTOff", "")
        self.general = int(smt_off or header["GeneralCounters"])
        self.fixed = int(header.get("FixedCounters", 0))
        self.generic = read_json(ROOT / "models" / f"{CPUS[name].replace(':', '-')}.json")["Header"].get(
            "Generic"
        )

    def counters(self, name):
        """Where an event may be counted: names such as gp3, fixed1, metric."""
        base, *modifiers = name.split(":")
        row = self.events.rows[base]
        text = row.get("CounterHTOff", row["Counter"]) if not self.smt else row["Counter"]
        general = {f"gp{counter}" for counter in range(self.general)}
        if text.startswith("Metric"):
            return {"metric"} if self.metrics else set()
        if not text.startswith("Fixed"):
            return general & {f"gp{counter}" for counter in text.split(",")}
        fixed = {"fixed" + text.split()[-1]}
        if modifiers and set(modifiers) - {"u", "k"}:
            return general
        return fixed | general if number(row, "EventCode") else fixed


class Checker:
    def __init__(self, machine):
        self.machine, self.failures = machine, 0

    def expect(self, what, found, expected):
        if found != expected:
            self.failures += 1
            print(f"{self.machine.name}: {what}: expected {expected!r}, found {found!r}")

    def group(self, where, events, has_order=False):
        """events: (counter, name, perf)"""
        machine, header = self.machine, self.machine.events.header
        for counter, name, perf in events:
            base, *modifiers = name.split(":")
            scope = [modifier for modifier in modifiers if modifier in "uk"]
            terms = machine.events.perf(
                base, machine.pmu, modifiers=[each for each in modifiers if each not in "uk"]
            )
            self.expect(f"{where}: {name} on {counter}", counter in machine.counters(name), True)
            self.expect(f"{where}: {name}", perf.rstrip("uk") + "".join(scope), terms + "/" + "".join(scope))
        used = [counter for counter, _, _ in events if counter != "metric"]
        self.expect(f"{where}: counters used twice", len(used) - len(set(used)), 0)
        self.expect(f"{where}: events counted twice", len({name for _, name, _ in events}), len(events))
        if has_order and any(counter == "metric" for counter, _, _ in events):
            self.expect(f"{where}: leader", events[0][1], header.get("SlotsEvent"))
        free = (machine.counters(header["Cycles"]) | {f"gp{n}" for n in range(machine.general)}) - set(used)
        self.expect(f"{where}: a counter is left for the watchdog", bool(free) or not machine.watchdog, True)

    def completes(self, where, events, names):
        """The group's counts alone give the nodes that it completes, and no other of level 1."""
        flat = dict(
            format="topdown-counts",
            cpu=CPUS[self.machine.name],
            smt=int(self.machine.smt),
            constants={"#slots": self.machine.slots} if self.machine.slots else {},
            counts={name: 1000 + 7 * i for i, (_, name, _) in enumerate(events)},
        )
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(flat, file)
            file.flush()
            report = json.loads(topdown("report", "--format", "json", "-l1", file.name).stdout)
        found = {row["title"] for row in report["nodes"] or report["metrics"] if row["value"] is not None}
        self.expect(f"{where}: nodes that its counts give", found >= set(names), True)
        return found


# Text of level 1


def plural(count, what):
    return f"{count} {what}{'' if count == 1 else 's'}"


def span(count, letter):
    return f" ({letter}0)" if count == 1 else f" ({letter}0 to {letter}{count - 1})" if count else ""


def head_lines(machine, groups):
    metrics = ", PERF_METRICS" if machine.metrics else ""
    watchdog = "; the NMI watchdog holds a counter" if machine.watchdog else ""
    family, *kind = CPUS[machine.name].split(":")
    others = (
        f"The other core types have plans of their own, for the same runs: topdown list cpus {family} "
        if kind
        else ""
    )
    generic = machine.generic + " " if machine.generic else ""
    return (
        f"{CPUS[machine.name]}, level 1: {plural(len(groups), 'group')} in"
        f" {plural(len(groups), 'run')} (lower bound {len(groups)}: proven minimal)"
        f" {plural(machine.general, 'general counter')}{span(machine.general, 'g')},"
        f" {machine.fixed} fixed{span(machine.fixed, 'f')}{metrics}; SMT"
        f" {'on' if machine.smt else 'off'}{watchdog} {generic}{others}A line is a group, counted at once;"
        " its numbers are events, listed at the end."
    )


def fewer_sentence(sheet):
    """When each run has one group."""
    count = len(sheet.groups)
    if count == 1:
        return ""
    whole = [len(group["titles"]) for group in sheet.groups]
    combined = sum(1 for groups in sheet.combined.values() if groups[-1] >= count - 1)
    return (
        f"One run fewer (--max-runs {count - 1}): groups {count - 1} and {count} share a run, and"
        f" {sum(whole[-2:]) + combined} of {sum(whole) + len(sheet.combined)} metrics are scaled, counted for"
        " 1/2 of the time."
    )


def check_text(checker, text):
    machine = checker.machine
    sheet = Sheet(text)
    groups = [sheet.group_events(group) for group in sheet.groups]
    checker.expect("head", " ".join(line.strip() for line in sheet.head), head_lines(machine, groups))
    checker.expect("runs", [group["run"] for group in sheet.groups], list(range(1, len(groups) + 1)))
    checker.expect(
        "events",
        sorted(sheet.events),
        list(range(1, len({name for group in groups for _, name, _ in group}) + 1)),
    )
    done = []
    for i, (events, titles) in enumerate(zip(groups, (group["titles"] for group in sheet.groups)), 1):
        where = f"group {i}"
        checker.group(where, events)
        known = checker.completes(where, events, titles)
        checker.expect(f"{where}: completes", set(titles), known - set(done))
        done += titles
    checker.completes("all groups", [event for group in groups for event in group], sheet.combined)
    metrics = read_json(ROOT / "models" / f"{CPUS[machine.name].replace(':', '-')}.json")["Metrics"]
    tops = [row["Title"] for row in metrics if "TopdownL1" in row.get("MetricGroup", "").split(";")]
    tops = tops or [row["Title"] for row in metrics]
    checker.expect("nodes completed", sorted(done + list(sheet.combined)), sorted(tops))
    checker.expect("brought together", set(sheet.combined), APART.get(machine.name, set()))
    checker.expect("too large", set(sheet.large), LARGE.get(machine.name, set()))
    checker.expect("one run fewer", sheet.fewer, fewer_sentence(sheet))


# All levels: JSON, and the same as text


def compare(checker, where, sheet, plan):
    """Does the text say what JSON says?"""
    metrics = read_json(ROOT / "models" / f"{CPUS[checker.machine.name].replace(':', '-')}.json")["Metrics"]
    titles = {row["MetricName"]: row["Title"] for row in metrics}
    groups = [(run["run"], group) for run in plan["runs"] for group in run["groups"]]
    checker.expect(f"{where}: groups", len(sheet.groups), len(groups))
    for found, (run, group) in zip(sheet.groups, groups):
        events = {
            (f"{event['counter']}{event.get('counter_index', '')}", event["name"])
            for event in group["events"]
        }
        at = f"{where}, group {group['group']}"
        checker.expect(f"{at}: run", found["run"], run)
        checker.expect(
            f"{at}: events", {(counter, name) for counter, name, _ in sheet.group_events(found)}, events
        )
        checker.expect(f"{at}: complete", found["titles"], [titles[name] for name in group["metrics"]])
    checker.expect(
        f"{where}: combined",
        sheet.combined,
        {titles[name]: parts for name, parts in plan["split_over"].items()},
    )
    checker.expect(f"{where}: too large", sheet.large, [titles[name] for name in plan["too_large"]])
    checker.expect(f"{where}: missing", sheet.missing, [titles[name] for name in plan["not_countable"]])
    perf = {event["name"]: event["perf"] for _, group in groups for event in group["events"]}
    checker.expect(f"{where}: encodings", dict(sheet.events.values()), perf)
    fewer = plan["one_run_fewer"]
    words = (
        [
            f"--max-runs {fewer['max_runs']})",
            f"groups {fewer['first_shared_group']} ",
            f"{len(fewer['scaled'])} of ",
            f"1/{round(1 / fewer['share'])} ",
        ]
        if fewer
        else [""]
    )
    checker.expect(f"{where}: one run fewer", [word for word in words if word not in sheet.fewer], [])


def check_levels(checker):
    machine = words_of(checker.machine.name)
    for level in range(1, LEVELS + 1, EVERY):
        words = ["plan", f"-l{level}", *machine, *(["--max-runs", str(level)] if level > 3 else [])]
        plan = json.loads(topdown(*words, "--format", "json").stdout)
        groups = [group for run in plan["runs"] for group in run["groups"]]
        checker.expect(f"level {level}: lower bound", 0 < plan["lower_bound"] <= len(groups), True)
        for i, group in enumerate(groups, 1):
            events = [
                (f"{event['counter']}{event.get('counter_index', '')}", event["name"], event["perf"])
                for event in group["events"]
            ]
            checker.group(f"level {level}, group {i}", events, has_order=True)
        compare(checker, f"level {level}", Sheet(topdown(*words).stdout), plan)
        if level in (1, 6):
            text = on_terminal(120, *words)
            checker.expect(
                f"level {level}: columns", max(len(line) for line in text.splitlines()) <= 120, True
            )
            compare(checker, f"level {level}, 120 columns", Sheet(text), plan)


def check(name):
    done = topdown("plan", "-l1", *words_of(name))
    expected = (HERE / "plans" / f"{name}.txt").read_text(encoding="utf-8")
    failures = 0
    if done.stdout + done.stderr != expected:
        failures += 1
        print(f"{name}: plans/{name}.txt has\n{expected}\ntopdown plan prints\n{done.stdout}{done.stderr}")
    if CPUS[name] is None:
        return failures + check_unknown(name, done)
    checker = Checker(Machine(name))
    checker.expect("exit status", done.returncode, 0)
    checker.expect("says that there is no PMU", "no CPU PMU" in done.stderr, not checker.machine.has_pmu)
    check_text(checker, expected.split("topdown:")[0])
    check_levels(checker)
    return failures + checker.failures


def check_unknown(name, done):
    """A CPU without data is named as the kernel names it, and the message says what to do."""
    info = (MACHINES / name / "proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", info).group(1)
    wanted = [model, "GenuineIntel-6-9A-3", "--cpu", "--db"]
    lacking = [word for word in wanted if word not in done.stderr]
    if done.returncode != UNKNOWN or done.stdout or lacking:
        print(f"{name}: exit status {done.returncode}, the message lacks {lacking}: {done.stderr}")
        return 1
    return 0


def main(names):
    names = names or sorted(CPUS)  # cli.rented has the rented machines
    failed = sum(check(name) for name in names)
    print(f"plans.py: {len(names)} machines, {failed} differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
