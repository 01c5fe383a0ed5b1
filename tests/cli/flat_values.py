#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Flat counts that have all that a CPU's formulas name give each of its metrics a value, those of PMUs beside
the cores too.

A metric may lack a value in one draw of counts, because its formula then divides by zero; one that lacks it
in each draw is refused. That the values are right is shown by tests/equality.
"""
import json
import random
import re
import sys
from pathlib import Path

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, finish, read_json, temporary, topdown

DRAWS = 4
WORD = re.compile(r"[A-Za-z_][\w.]*@[^@]*@\w*|#?[A-Za-z_][\w.]*(?:[:\\][\w.=\\-]+)*")
NO_EVENTS = {
    "if",
    "else",
    "min",
    "max",
    "d_ratio",
    "source_count",
    "has_event",
    "strcmp_cpuid_str",
    "duration_time",
    "TSC",
    "msr@tsc@",
}
TYPES = {"core", "atom", "lowpower"}
CONSTANTS = {
    "SYSTEM_TSC_FREQ": 2e9,
    "DURATIONTIMEINMILLISECONDS": 1000,
    "#num_packages": 2,
    "#num_dies": 2,
    "#num_cores": 8,
    "#num_cpus_online": 16,
    "#has_pmem": 1,
    "#slots": 6,
    "#core_wide": 1,
    "CHAS_PER_SOCKET": 4,
}


def read_rows(path, key):
    return read_json(path).get(key, [])


def name_of(path):
    stem, _, last = path.stem.rpartition("-")
    return f"{stem}:{last}" if last in TYPES and not stem.startswith("generic") else path.stem


def words_of(metrics):
    words = {word for row in metrics for word in WORD.findall(row["MetricExpr"])}
    return {word for word in words - {row["MetricName"] for row in metrics} - NO_EVENTS if word[0] != "#"}


def valued(cpu, words, draw, folder):
    numbers = random.Random(f"{cpu} {draw}")
    file = folder / "counts.json"
    file.write_text(
        json.dumps(
            {
                "format": "topdown-counts",
                "cpu": cpu,
                "smt": draw % 2,
                "constants": CONSTANTS,
                "counts": {word: numbers.randrange(10**7, 10**9) for word in sorted(words)},
            }
        ),
        encoding="utf-8",
    )
    result = topdown("report", "--format", "json", file)
    check(result.returncode == 0, f"{cpu}: {result.returncode}", result.stderr)
    report = json.loads(result.stdout)
    return {row["name"]: row for row in report["nodes"] + report["metrics"]}


def check_cpu(path, folder):
    """Values of the vendor's metrics, checked in some draws."""
    metrics, cpu = read_rows(path, "Metrics"), name_of(path)
    words, without, refused = words_of(metrics), None, {}
    for draw in range(DRAWS):
        rows = valued(cpu, words, draw, folder)
        missing = {
            row["MetricName"]: rows.get(row["MetricName"], {}).get("reason")
            for row in metrics
            if rows.get(row["MetricName"], {}).get("value") is None
        }
        refused |= missing
        without = set(missing) if without is None else without & set(missing)
        if not without:
            break
    check(not without, f"{cpu}: without a value: {[(name, refused[name]) for name in sorted(without)]}")
    return len(metrics)


def main():
    values = cpus = 0
    with temporary() as folder:
        for path in sorted((SOURCE / "models").glob("*.json")):
            events = SOURCE / "events" / path.name
            if not events.exists() or not any("Unit" in row for row in read_rows(events, "Events")):
                continue
            values += check_cpu(path, Path(folder))
            cpus += 1
    print(f"{values} values of {cpus} CPUs")
    check(cpus >= 35, "CPUs with PMUs beside the cores", cpus)
    finish()


main()
