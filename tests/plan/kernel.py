#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""All plans of all CPUs under Linux' own constraint tables and scheduler: no group may be refused, or open
and never run.

usage: kernel.py [CPU...]     TOPDOWN names the program, REFERENCE the vendors' data

The tables are those of the drivers' source (linux_source.py), the scheduler is linux_schedule.py; nothing of
the project's own data is used but the encoding of the events that a plan lists. Beside the plans of levels
and of all metrics there is one of all events of each CPU (-e), and the counters that the data allow each
event are compared with Linux'. Exit status 77 where the source is absent.
"""
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from wanted import Cpu  # first: it sets the path to the golden tests' readers
from golden import number
from linux_schedule import AmdCounters, ArmCounters, Event, IntelCounters, event_of
from linux_source import MODELS, Source
from pmu import Pmu

ROOT = Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
LEVELS = [[f"-l{level}"] for level in range(1, 7)]
VARIANTS = [
    *LEVELS,
    *([*level, "-a"] for level in LEVELS),
    ["--metrics", "*"],
    ["-l6", "--metrics", "*", "-a"],
    ["-l3", "--per-node"],
    ["-l6", "--per-node"],
    ["-l6", "--max-runs", "3"],
    ["-l4", "--counters", "3"],
    ["-l3", "--counters", "2"],
    ["-l6", "--watchdog", "on"],
    ["-l3", "--watchdog", "on", "-a"],
    ["-l3", "--form", "general"],
    ["-l3", "--fixed", "none"],
    ["-l6", "--fixed", "0,2"],
    ["-l3", "--form", "general", "--fixed", "0-2", "--counters", "4"],
]
# A plan is not possible, and topdown says so.
NOTHING = (
    "nothing that was asked for",
    "no event of level",
    "general counter",
    "one form only",
    "has no fixed",
)
CYCLES = {
    "Intel": 0x3C,
    "AMD": 0x76,
}  # the config that counts them, as the NMI watchdog does; else Arm's, 0x11
# Events that Linux refuses by themselves, whatever their group: it does not know bits of their register's
# value.
REFUSED = {"knightslanding": 12}
# CPUs that can sample any event precisely (PMU_FL_PEBS_ALL): PEBS' baseline, a bit that the CPU shows.
EXTENDED_PEBS = {
    "icelake",
    "icelakex",
    "tigerlake",
    "rocketlake",
    "sapphirerapids",
    "sapphirerapidshbm",
    "emeraldrapids",
    "graniterapids",
    "diamondrapids",
    "goldmontplus",
    "elkhartlake",
    "snowridgex",
    "alderlaken",
    "sierraforest",
    "grandridge",
    "clearwaterforest",
    "generic-intel",
    "generic-atom",
} | {cpu for cpu in MODELS if cpu.endswith(("-core", "-atom", "-lowpower"))}


def cpus():
    return sorted(path.stem for path in (ROOT / "events").glob("*.json") if path.stem not in ("cpus", "sim"))


def header(cpu):
    with open(ROOT / "events" / f"{cpu}.json", encoding="utf-8") as file:
        return json.loads(file.readline().rstrip().rstrip(",") + "}")["Header"]


def read_rows(cpu):
    return json.loads((ROOT / "events" / f"{cpu}.json").read_text(encoding="utf-8"))["Events"]


MOST_WITH_MSR = (
    40  # of the asked: hundreds of values for one register make the planner slow, and show nothing new
)


def asked(cpu):
    """Options that ask for every event of the CPU's file. OFFCORE_RESPONSE without a value counts nothing."""
    rows = [row for row in read_rows(cpu) if "Unit" not in row and row["EventName"] != "OFFCORE_RESPONSE"]
    plain = [row["EventName"] for row in rows if "MSRIndex" not in row]
    registers = [row["EventName"] for row in rows if "MSRIndex" in row]
    return ["-l1", "-e", ",".join(plain + registers[:MOST_WITH_MSR])]


def plan(name, arguments):
    command = [
        os.environ.get("TOPDOWN", "topdown"),
        "plan",
        "--format",
        "json",
        "--cpu",
        name,
        "--watchdog",
        "off",
        *arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return json.loads(done.stdout)
    if any(text in done.stderr for text in NOTHING):
        return None
    raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr}")


def counters_of(source, cpu, vendor, found):
    general, fixed, smt = found["counters"]["general"], found["counters"]["fixed"], found["smt"]
    if vendor == "Intel":
        return IntelCounters(source, cpu, general, fixed, smt)
    if vendor == "AMD":
        return AmdCounters(source, cpu, general, fixed, smt)
    return ArmCounters(source, cpu, general, fixed)


def check(source, cpu, vendor, arguments, smt):
    """(groups, complaints)"""
    found = plan(header(cpu)["Cpu"], [*arguments, "--smt", smt])
    if not found:
        return 0, []
    counters = counters_of(source, cpu, vendor, found)
    watchdog = (
        Event("the NMI watchdog", CYCLES.get(vendor, 0x11), 0) if found["counters"]["nmi_watchdog"] else None
    )
    groups = [group for run in found["runs"] for group in run["groups"]]
    complaints = []
    for group in groups:
        events = [event_of(event["name"], event["perf"]) for event in group["events"]]
        reason = counters.opens(events) or counters.runs(events, watchdog)
        if reason:
            complaints.append(
                f"{cpu} {' '.join(arguments)[:40]}, SMT {smt}, group {group['group']}: {reason}"
            )
    return len(groups), complaints


def config_of(row):
    return sum(
        (number(row, key) & mask) << shift
        for key, mask, shift in (
            ("EventCode", 0xFF, 0),
            ("UMask", 0xFF, 8),
            ("EdgeDetect", 1, 18),
            ("AnyThread", 1, 21),
            ("Invert", 1, 23),
            ("CounterMask", 0xFF, 24),
        )
    )


def check_counters(source, cpu, smt):
    """The counters that the data allow each event, against the table's constraint for it."""
    data = Pmu(Cpu(header(cpu)["Cpu"], smt))
    linux = IntelCounters(source, cpu, len(data.general), range(len(data.fixed)), smt)
    for name, row in data.cpu.rows.items():
        if "Unit" in row or data.is_field((name,)):
            continue
        constraint = linux.constraint(Event(name, config_of(row), 0), {})
        allowed = 0 if isinstance(constraint, str) else constraint.counters
        planned = sum(
            1 << (int(place[2:]) if place.startswith("gp") else 32 + int(place[5:]))
            for place in data.places((name,))
        )
        if planned & ~allowed:
            yield (
                f"{cpu}, SMT {'on' if smt else 'off'}: {name} may be planned on {planned:#x}, Linux allows"
                f" {allowed:#x}"
            )


def check_samples(source, cpu):
    """The events that reports name to sample: Linux has to take them as precise as they are asked for."""
    driver = source.driver(cpu)
    table = (
        source.constraints(driver.tables["pebs_constraints"]) if "pebs_constraints" in driver.tables else []
    )
    most = int(header(cpu).get("MaxPrecise", "3"))
    path = ROOT / "models" / f"{cpu}.json"
    metrics = json.loads(path.read_text(encoding="utf-8"))["Metrics"] if path.exists() else []
    rows = {row["EventName"]: row for row in read_rows(cpu)}
    for name in sorted(
        {name for metric in metrics for name in metric.get("LocateWith", "").split(";") if name in rows}
    ):
        precise = min(number(rows[name], "PEBS") + 1, most) if number(rows[name], "PEBS") else 0
        config = config_of(rows[name])
        if precise > 2 and "pebs_prec_dist" not in driver.flags:
            yield f"{cpu}: {name} with {precise} p, Linux has 2"
        if (
            precise
            and cpu not in EXTENDED_PEBS
            and not any(each.matches(config) and each.counters for each in table)
        ):
            yield f"{cpu}: {name} with {precise} p, Linux has no precise form"
        if config & 0xFFFF == 0x1CD:
            yield f"{cpu}: {name} may need mem-loads-aux as its leader"


def check_cpu(source, cpu):
    vendor = header(cpu)["Vendor"]
    if vendor == "Intel" and cpu not in MODELS:
        return 0, 0, [f"{cpu}: which case label of intel_pmu_init() is it? (linux_source.py, MODELS)"]
    results = [
        check(source, cpu, vendor, arguments, smt)
        for arguments in [*VARIANTS, asked(cpu)]
        for smt in ("on", "off")
    ]
    complaints = [line for _, lines in results for line in lines]
    refused = [line for line in complaints if "has bits that" in line]
    if len(refused) == 2 * REFUSED.get(cpu, 0):
        complaints = [line for line in complaints if line not in refused]
    if vendor == "Intel":
        complaints += [line for smt in (True, False) for line in check_counters(source, cpu, smt)]
        complaints += check_samples(source, cpu)
    return sum(count > 0 for count, _ in results), sum(count for count, _ in results), complaints


def main(names):
    reference = Path(os.environ.get("REFERENCE", ROOT / "tests/reference")) / "kernel-7.3"
    if not (reference / "arch/x86/events/intel/core.c").exists():
        print(f"kernel.py: skipped, the kernel's source is not in {reference}")
        return SKIPPED
    source = Source(reference)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda cpu: check_cpu(source, cpu), names or cpus()))
    complaints = [line for _, _, lines in results for line in lines]
    print("\n".join(complaints))
    plans, groups = sum(each[0] for each in results), sum(each[1] for each in results)
    print(
        f"kernel.py: {len(results)} CPUs, {plans} plans, {groups} groups, {len(complaints)} refused or"
        " never run"
    )
    return 1 if complaints or not groups else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
