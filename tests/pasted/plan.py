#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""plan.py - the way of somebody who has no topdown where the program is: topdown plan --format perf prints
lines, a shell runs them with the perf of this folder, which counts by rates chosen here, and topdown report
reads the file. Each value is that of flat counts with the same rates, which have one number for each event
and no groups."""
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, finish, read_json, topdown

LAYOUTS = (",|.|text", ".|,|text", "\u202f|,|text", "|.|text", "|.|csv", "|.|json")
CASES = (
    ("sapphirerapids", "-l6"),
    ("cascadelakex", "-l6"),
    ("icelakex", "-l3"),
    ("amdzen4", "-l2"),
    ("amdzen5", "-l2"),
    ("neoverse-v1", "-l1"),
    ("neoverse-n2", "-l1"),
    ("alderlake", "-l4"),
    ("alderlake:atom", "-l3"),
    ("meteorlake", "-l2"),
    ("skylakex", "-l3", "--max-runs", "2"),
    ("sapphirerapids", "-l2", "--metrics", "IPC,*MPKI*"),
    ("cascadelakex", "-l3", "--max-runs", "3"),
    ("amdzen4", "-l2", "--max-runs", "1"),
    ("neoverse-n2", "-l3", "--max-runs", "2"),
    ("haswell", "-l2", "--counters", "3"),
    ("cascadelakex", "-l3", "--smt", "off"),
    ("amdzen4", "-l2", "-a"),
    ("skylakex", "-l3", "-a"),
    ("haswell", "-l2", "-a"),
    ("sapphirerapids", "-l2", "-a"),
)
LONGEST = 5  # times as much as in a second is counted by no group of that perf
ALL_LAYOUTS = ("sapphirerapids", "alderlake", "amdzen4")


def printed(*words):
    result = topdown(*words)
    check(result.returncode == 0, " ".join(map(str, words)), result.stderr)
    return result.stdout


def cpus_of(cpu):
    return [f"{cpu}:core", f"{cpu}:atom"] if cpu in ("alderlake", "meteorlake") else [cpu]


def events_of(cpu, words):
    """Name and perf's spelling of each event of the plan; times are the run's."""
    plan = json.loads(printed("plan", "--format", "json", "--cpu", cpu, *words))
    groups = [group for run in plan["runs"] for group in run["groups"]] + (
        plan["units"] if "-a" in words else []
    )
    return {
        event["name"]: event["perf"]
        for group in groups
        for event in group["events"]
        if event.get("counter") != "tool"
    }


def row_of(cpu, name):
    """The event's row: the name alone, or a unit's with terms of its own."""
    rows = read_json(SOURCE / f"events/{cpu.replace(':', '-')}.json")["Events"]
    return next((row for row in rows if row["EventName"] == name.split(":")[0] and "Unit" in row), None)


def adds_sockets(cpu, name):
    """perf adds up one unit of each socket. Where the vendor has a name for one unit's clock the CPU has one
    socket."""
    row = row_of(cpu, name)
    if row:
        return ":one_unit" in name and "OneUnit" not in row
    return re.match(r"\w+_\d+/", name) is not None


def metrics_of_one_unit(cpu, names):
    """Metrics that read such an event, directly or through others, by the model's formulas."""
    model = read_json(SOURCE / f"models/{cpu.replace(':', '-')}.json")["Metrics"]
    wanted = [name for name in names if adds_sockets(cpu, name)]
    spelled = [re.escape(name) for name in wanted if ":" in name]
    spelled += [re.escape(name.split("/")[0].removeprefix("uncore_")) + "@" for name in wanted if "/" in name]
    found, before = set(), None
    while spelled and found != before:
        before = set(found)
        pattern = "|".join(spelled + [rf"\b{name}\b" for name in found])
        found |= {row["MetricName"] for row in model if re.search(pattern, row["MetricExpr"])}
    return found, wanted


def rates_for(names, draw):
    return {name: draw.randint(10**8, 10**9) for name in names}


def values(report):
    parts = report.get("parts", [report])
    return {
        (part["cpu"], row["name"]): row["value"] for part in parts for row in part["nodes"] + part["metrics"]
    }


def is_close(name, a, b):
    """A metric that is a count, not a ratio, is that of one of the groups, which are of different lengths."""
    if a is None or b is None:
        return a is b
    if name.endswith(("_clks", "_slots", "_instructions", ".PCIE_READ", ".PCIE_WRITE")):
        return b * (1 - 1e-6) <= a <= b * LONGEST
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-6)


def expected_values(folder, rates, words):
    level = [word for word in words if word.startswith("-l")]
    found = {}
    for cpu, counts in rates.items():
        file = folder / "flat.json"
        file.write_text(
            json.dumps(
                {
                    "format": "topdown-counts",
                    "cpu": cpu,
                    "counts": counts,
                    "smt": int("off" not in words),
                    "constants": {"DURATIONTIMEINSECONDS": 1, "#core_wide": int("-a" in words)},
                }
            ),
            encoding="utf-8",
        )
        found |= values(json.loads(printed("report", "--format", "json", *level, *selection(words), file)))
    return found


def selection(words):
    return words[words.index("--metrics") :][:2] if "--metrics" in words else ()


def run_lines(folder, script, layout):
    """As they would be pasted: the words for the program first, then the lines."""
    env = os.environ | {
        "PATH": f"{SOURCE}/tests/pasted:{os.environ['PATH']}",
        "RATES": str(folder / "rates.json"),
        "LAYOUT": layout,
    }
    result = subprocess.run(
        ["sh", "-e"],
        input=f"set -- ./prog 1\n{script}",
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    check(result.returncode == 0, f"{layout}: the lines run", result.stderr)


def check_case(cpu, *words):
    draw = random.Random(f"{cpu} {words}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        script = printed("plan", "--format", "perf", "--cpu", cpu, *words)
        events = {one: events_of(one, words) for one in cpus_of(cpu)}
        rates = {one: rates_for(events[one], draw) for one in events}
        (folder / "rates.json").write_text(
            json.dumps({events[one][event]: rate for one in events for event, rate in rates[one].items()}),
            encoding="utf-8",
        )
        expected = expected_values(folder, rates, words)
        for one, counted in events.items():
            refused, wanted = metrics_of_one_unit(one, counted) if "-a" in words else (set(), [])
            expected.update({(one, name): None for name in refused if (one, name) in expected})
        measured = [name for name, value in expected.items() if value is not None]
        check(len(measured) >= 3, f"{cpu}: values to compare", expected)
        report = script.splitlines()[2].partition("topdown report ")[2].split()
        check(
            report[-1] == "topdown.txt" and f"--cpu {cpu}" in " ".join(report),
            "the third line names the next step",
            script[:300],
        )
        for layout in LAYOUTS if cpu in ALL_LAYOUTS else LAYOUTS[:1]:
            run_lines(folder, script, layout)
            read = json.loads(
                printed("report", "--format", "json", *selection(words), *report[:-1], folder / "topdown.txt")
            )
            found = values(read)
            said = [note for note in read.get("notes", []) if "one socket's clock" in note]
            check(
                bool(said) == bool(wanted) and all(events[cpu][name] in said[0] for name in wanted),
                f"{cpu}: why one unit has no value",
                (wanted, said),
            )
            advice = [
                note for note in read.get("notes", []) if "whole cores" in note.lower() and "-a" in words
            ]
            check(not advice, f"{cpu} {' '.join(words)}: whole cores are counted already", advice)
            wrong = {
                name: (found.get(name), value)
                for name, value in expected.items()
                if not is_close(name[1], found.get(name), value)
            }
            check(
                not wrong,
                f"{cpu} {' '.join(words)}, {layout!r}: {len(wrong)} of {len(expected)} differ",
                wrong,
            )
        return len(measured)


def main():
    compared = sum(check_case(*case) for case in CASES)
    print(f"{len(CASES)} plans, {len(LAYOUTS)} layouts, {compared} values each")
    finish()


main()
