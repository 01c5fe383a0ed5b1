#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hybrid_plan.py - topdown plan of a machine with two types of cores is the plans of both, which share their
runs."""
import csv
import io
import json
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_all, check_success, finish, topdown

MACHINE = ("--sysroot", SOURCE / "tests/machines/laptop-hybrid")
TYPES = {"cpu_core": "alderlake:core", "cpu_atom": "alderlake:atom"}


def plan(*words, form="json"):
    result = topdown("plan", *MACHINE, "--format", form, *words)
    check(result.returncode == 0, f"{words}: exit status", result.returncode)
    return result


def check_parts(level):
    document = json.loads(plan(level).stdout)
    check(document["format"] == "topdown-plans", "the document says what it is", document["format"])
    check(
        [part["part"] for part in document["parts"]] == list(TYPES),
        "both types of cores",
        [part["part"] for part in document["parts"]],
    )
    for part in document["parts"]:
        alone = json.loads(plan(level, "--cpu", TYPES[part["part"]]).stdout)
        name = part.pop("part")
        version = alone.pop("schema_version")
        check(version == document["schema_version"], f"{level} {name}: the document has its version", version)
        check(part == alone, f"{level} {name}: the plan that --cpu gives", (part, alone))
        events = [
            event["perf"] for run in part["runs"] for group in run["groups"] for event in group["events"]
        ]
        check_all(
            events,
            lambda event: event.startswith((f"{name}/", "duration_time", "msr/")),
            f"{level} {name}: the type's PMU",
        )
    return document["parts"]


def check_formats(level, parts):
    lengths = [len(part["runs"]) for part in parts]
    rows = list(csv.DictReader(io.StringIO(plan(level, form="csv").stdout)))
    for name, part in zip(TYPES, parts):
        events = [
            event["name"] for run in part["runs"] for group in run["groups"] for event in group["events"]
        ]
        check(
            [row["event"] for row in rows if row["part"] == name] == events,
            f"{level} {name}: CSV has the same events",
        )
    for form in ("text", "markdown"):
        text = plan(level, form=form).stdout
        for name in TYPES:
            check(name in text, f"{level} {form}: {name}", text[:80])
        sentence = f"{max(lengths)} run{'s' * (max(lengths) > 1)} for all of it"
        check(sentence in text.replace("\n", " "), f"{level} {form}: {sentence}", text[-200:])


def main():
    for level in ("-l1", "-l6"):
        check_formats(level, check_parts(level))
    one = plan("--nodes", "L3_Bound")
    check(
        json.loads(one.stdout)["part"] == "cpu_core" and "alderlake:atom is left out" in one.stderr,
        "a node of one type",
        one.stderr,
    )
    check_success(topdown("plan", "--cpu", "adl"), "a CPU that is not here")
    finish()


main()
