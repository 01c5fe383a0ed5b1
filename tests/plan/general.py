#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Plans for virtual machines: without PERF_METRICS, with 2 to 8 general counters, with fixed counters and
without.

usage: general.py     TOPDOWN names the program

Every Intel core from Ice Lake on has all four nodes of level 1 then; the other levels have what their events
allow. Lengths and groups are held against GLPK and the kernel's rules as in check.py. Exit status 77 without
glpsol.
"""
import json
import os
import shutil
import subprocess
import sys

from check import SKIPPED, Checker, Problem
from pmu import Pmu
from wanted import ROOT, Cpu

# Efficient cores never had PERF_METRICS: these are events of general counters.
EFFICIENT = {"TOPDOWN_RETIRING.ALL", "TOPDOWN_RETIRING.ALL_P"}
LEVEL_1 = {"tma_frontend_bound", "tma_bad_speculation", "tma_backend_bound", "tma_retiring"}
FIXED = {"all": None, "none": (), "no slots": (0, 1, 2), "no cycles": (0, 2)}
# (level, general counters): GLPK takes minutes for the deepest levels on few counters.
SIZES = [(1, n) for n in range(2, 9)] + [(2, n) for n in range(2, 9)] + [(3, 4), (3, 8), (6, 8)]
# All sizes on a CPU of each kind of events, on the others every third: their events differ by a few.
ALL_SIZES = (
    "icelakex",
    "sapphirerapids",
    "meteorlake:core",
    "novalake:core",
    "alderlake:atom",
    "generic-intel:atom",
)


def described(row):
    """The events of a row of cpus.json, by the vendor's names."""
    file = ROOT / "events" / f"{row['Name'].replace(':', '-')}.json"
    return {event.get("EventName") for event in json.loads(file.read_text(encoding="utf-8"))["Events"]}


def names():
    """Of Intel's CPUs, from Ice Lake on: those whose events give two forms, and those whose one form serves
    all machines."""
    rows = [
        row
        for row in json.loads((ROOT / "events/cpus.json").read_text(encoding="utf-8"))
        if row["Vendor"] == "Intel"
    ]
    events = {row["Name"]: described(row) for row in rows}
    return (
        [name for name, has in events.items() if "TOPDOWN.SLOTS_P" in has],
        [name for name, has in events.items() if has & EFFICIENT],
    )


def plan(name, form, level, smt, counters, fixed):
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
        "--counters",
        str(counters),
    ]
    command += ["--form", form] if form else []
    command += ["--fixed", ",".join(map(str, fixed)) or "none"] if fixed is not None else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def check_cpu(checker, name, form, known):
    for smt in (True, False):
        cpu = Cpu(name, smt, "MetricExprGeneral")
        most = len(Pmu(cpu).general)
        sizes = SIZES if name in ALL_SIZES else SIZES[1::3]
        for (level, counters), (which, fixed) in (
            (size, each) for size in sizes if size[1] <= most for each in FIXED.items()
        ):
            if fixed and max(fixed) >= int(cpu.header["FixedCounters"]):
                continue
            pmu = Pmu(cpu, counters, metrics=False, fixed=fixed)
            found = plan(name, form, level, smt, counters, fixed)
            where = f"{name} -l{level}, SMT {'on' if smt else 'off'}, {counters} counters, fixed: {which}"
            checker.check(where, Problem(cpu, pmu, level), found, known)
            metrics = {
                metric.lower()
                for run in found["runs"]
                for group in run["groups"]
                for metric in group["metrics"]
            }
            there = metrics | {metric.lower() for metric in found["split"]}
            checker.expect(where, LEVEL_1 <= there, f"no {LEVEL_1 - there}")
            checker.expect(where, not found["counters"]["perf_metrics"], "counts PERF_METRICS")
            checker.expect(where, found["form"] == form, f"the form is {found['form']}")


def main():
    if not shutil.which("glpsol"):
        print("general.py: skipped, glpsol is not installed (glpk-utils)")
        return SKIPPED
    checker, known = Checker(), {}
    two_forms, one_form = names()
    checker.expect("events", len(two_forms) >= 14 and len(one_form) >= 13, f"only {two_forms} and {one_form}")
    for name in two_forms:
        check_cpu(checker, name, "general", known)
    for name in one_form:
        check_cpu(checker, name, None, known)
    print(
        f"general.py: {checker.plans} plans of {checker.groups} groups, {len(known)} lengths by GLPK,"
        f" {checker.longer} plans longer, {checker.failures} differences"
    )
    return 1 if checker.failures or not checker.plans else 0


if __name__ == "__main__":
    sys.exit(main())
