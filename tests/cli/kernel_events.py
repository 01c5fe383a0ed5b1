#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""kernel_events.py - a metric of events that only the kernel names: computed where the machine has them,
reported where not."""
import json
import shutil
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_success, finish, temporary, topdown

FORMULA = r"(cycles\-t / cycles if has_event(cycles\-t) else 0)"
FOLDER = [
    {"EventName": "CPU_CLK_UNHALTED.THREAD", "Counter": "Fixed counter 1"},
    {"EventName": "INST_RETIRED.ANY", "Counter": "Fixed counter 0"},
    {
        "EventName": "ARITH.DIVIDER_ACTIVE",
        "EventCode": "0x14",
        "UMask": "0x1",
        "CounterMask": "1",
        "Counter": "0,1,2,3",
    },
    {
        "MetricName": "tsx_transactional_cycles",
        "MetricExpr": FORMULA,
        "MetricGroup": "transaction",
        "ScaleUnit": "100%",
    },
]
MACHINE = SOURCE / "tests/machines/xeon-clx"
EVENT = "sys/bus/event_source/devices/cpu/events/cycles-t"
REASON = "needs the kernel's event 'cycles-t', which PMU cpu does not have"


def own_database(folder):
    """As an upstream folder of Linux is imported."""
    (folder / "cascadelakex").mkdir()
    (folder / "cascadelakex/a.json").write_text(json.dumps(FOLDER), encoding="utf-8")
    result = topdown("import", "--from", "perf", "-o", folder / "own", folder / "cascadelakex")
    check_success(result, "import")
    check(
        "1 metrics; 0 more events are of other PMUs, and 0 of the metrics read them" in result.stdout,
        f"import: {result.stdout}",
    )
    return folder / "own"


def events_of(plan):
    return [event["name"] for run in plan["runs"] for group in run["groups"] for event in group["events"]]


def check_machine(database, machine, has_event):
    words = ("--db", database, "--sysroot", machine)
    result = topdown("list", "metrics", *words, "--format", "json")
    check_success(result, "list")
    reason = json.loads(result.stdout)["metrics"][0].get("failure")
    check(REASON in (reason or "") if not has_event else not reason, f"list metrics: {reason}")
    result = topdown("plan", "-l1", *words, "--format", "json")
    found = events_of(json.loads(result.stdout)) if result.returncode == 0 else []
    check(("cycles-t" in found) == has_event, f"plan: {found} {result.stderr}")


def check_value(database, folder):
    counts = {"CPU_CLK_UNHALTED.THREAD": 1000, "cycles-t": 250}
    flat = folder / "flat.json"
    flat.write_text(
        json.dumps(dict(format="topdown-counts", cpu="cascadelakex", counts=counts)), encoding="utf-8"
    )
    result = topdown("report", "--db", database, "--format", "json", flat)
    check_success(result, "report")
    values = {row["name"]: row["value"] for row in json.loads(result.stdout)["metrics"]}
    check(values == {"tsx_transactional_cycles": 25}, f"report: {values}")


with temporary() as place:
    own = own_database(place)
    check_machine(own, MACHINE, True)
    shutil.copytree(MACHINE, place / "machine")
    (place / "machine" / EVENT).unlink()
    check_machine(own, place / "machine", False)
    check_value(own, place)
finish()
