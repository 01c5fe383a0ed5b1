#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""live.py - a real PMU, where this machine has one: what is true of any program on any CPU, and of the sample
program whose loop waits for DRAM.

Skipped with topdown doctor's reason where level 1 can't be counted.
"""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import PATIENCE, check, check_all, environment, finish, skip, temporary, topdown

SKIPPED = 77
SAMPLE = pathlib.Path(os.environ["TOPDOWN_BUILD"]) / "sample"
BUSY = ("sh", "-c", "i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done")
SUM = 3  # points by which level 1 may miss 100 %


def what_is_missing():
    """Why not all of level 1 can be counted here, or None."""
    result = topdown("doctor", "-l1", "--format", "json")
    if result.returncode == 0:
        return None
    missing = [
        f"{item['check']}: {item['found']}"
        for item in json.loads(result.stdout or "{}").get("checks", [])
        if item["state"] == "missing"
    ]
    return missing[0] if missing else f"topdown doctor: {result.stderr.strip()}"


def measure(folder, *words):
    result = topdown(
        *words[:-1],
        "--format",
        "json",
        "-o",
        folder / "report",
        "--save",
        folder / "session",
        "--",
        *words[-1],
    )
    check(result.returncode == 0, f"{words}: exit status", (result.returncode, result.stderr))
    text = (folder / "report").read_text(encoding="utf-8") if (folder / "report").exists() else "{}"
    reports = [json.loads(line) for line in text.splitlines()] if "-I" in words else [json.loads(text)]
    return reports if "-I" in words else reports[0].get("parts", reports)[0]


def level1(report):
    return {node["name"]: node["value"] for node in report.get("nodes", []) if node["level"] == 1}


def check_level1(what, report):
    """Shares of the slots: each possible, and all of them the whole."""
    nodes = level1(report)
    values = [value for value in nodes.values() if value is not None]
    if report.get("no_tree"):
        return
    check(values and len(values) == len(nodes), f"{what}: level 1 was measured", nodes)
    check_all(values, lambda value: 0 <= value <= 100, f"{what}: level 1 is in its range")
    check(abs(sum(values) - 100) <= SUM, f"{what}: level 1 adds up to {sum(values)}", nodes)


def check_summary(what, report):
    summary = report["summary"]
    check(summary["ghz"] is None or 0.2 < summary["ghz"] < 8, f"{what}: GHz", summary)
    check(summary["ipc"] is None or 0.01 < summary["ipc"] < 12, f"{what}: IPC", summary)


def check_programs(folder):
    for words in (("-l1",), ("-l1", "-u"), ("-l1", "-D", "50"), ("-l2", "--multiplex")):
        report = measure(folder, *words, BUSY)
        check_level1(" ".join(words), report)
        check_summary(" ".join(words), report)
    again = topdown("report", "--format", "json", folder / "session")
    check(
        level1(json.loads(again.stdout)) == level1(report),
        "the saved session gives the same values",
        again.stderr,
    )


def check_intervals(folder):
    """Groups are multiplexed where counters are few: an interval in which the program hardly ran may lack one
    of them."""
    reports = measure(folder, "-l1", "-I", "100", "-e", "instructions", BUSY)
    counts = [report["events"][0]["value"] for report in reports]
    check(counts[-1] is not None, "-I: instructions of all of the time", counts)
    if None in counts:
        print(f"not tried: the sum of the intervals, of which some were too short for all groups: {counts}")
        return
    check(math.isclose(sum(counts[:-1]), counts[-1], rel_tol=0.02), "-I: the intervals are the whole", counts)


def check_repeats(folder):
    """The same work twice: instructions in user mode are nearly the same."""
    report = measure(folder, "-l1", "-u", "-r", "3", BUSY)
    counts = [run["instructions"] for run in report.get("runs", []) if run["instructions"]]
    check(not counts or max(counts) < 1.05 * min(counts), "-r: instructions of equal work", counts)


def check_sample(folder):
    """A chain of loads that no cache holds: the backend is what is waited for, and nothing that cannot be is
    reported."""
    report = measure(folder, "-l3", [str(SAMPLE)])
    check_level1("sample", report)
    nodes = {node["name"]: node for node in report.get("nodes", [])}
    backend = next(
        (node for name, node in nodes.items() if "backend_bound" in name and node["level"] == 1), None
    )
    check(
        report.get("no_tree") or (backend and backend["bottleneck"]),
        "sample: the backend is its bottleneck",
        backend,
    )
    check(
        not any("impossible" in note for note in report.get("notes", [])),
        "sample: notes",
        report.get("notes"),
    )
    return report


def check_sampling(folder, report):
    """The command that the report recommends works as it is, where there is a perf."""
    commands = [
        item["command"] for item in report.get("next", []) if item["command"].startswith("perf record")
    ]
    if not commands or not shutil.which("perf"):
        print("not tried: the perf record command of the report (no perf, or no command)")
        return
    done = subprocess.run(
        ["sh", "-c", commands[0]],
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        timeout=PATIENCE,
        check=False,
    )
    check(done.returncode == 0, f"{commands[0]}", done.stderr[-500:])


missing = what_is_missing()
if missing:
    skip(f"level 1 can't be counted here: {missing}")
with temporary() as place:
    check_programs(place)
    check_intervals(place)
    check_repeats(place)
    check_sampling(place, check_sample(place))
finish()
