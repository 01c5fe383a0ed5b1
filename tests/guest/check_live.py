#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_live.py MACHINE OUT_DIR: compares what live.sh left with the rates of the PMU and the shares of the
program: each interval has its tree and its functions, and what is sampled has a counter that no group waits
for."""
import json
import math
import sys

import machine as machines
from check_guest import Guest
from check_sampling import ERRORS, SHARE, check_shares

POINTS = 0.5
LEAST_SAMPLES = 40
EXACT = 0.999  # of the time on a counter
ALL_TIME = 0.05  # the groups of a run are on counters in turns: their shares add up to 1


def lines(guest, step):
    """The intervals, and all of the time."""
    reports = [json.loads(line) for line in guest.text(f"{step}.json").splitlines() if line]
    return [row for row in reports if row.get("interval")], [
        row for row in reports if not row.get("interval")
    ]


def check_series(guest, step, expected):
    guest.status(step, 0)
    intervals, whole = lines(guest, step)
    guest.check(
        len(intervals) >= 3 and len(whole) == 1,
        f"{step}: {len(intervals)} intervals and {len(whole)} reports of all of the time",
    )
    samples, named = {"three_quarters": 0, "one_quarter": 0}, 0
    for number, interval in enumerate(intervals[:-1]):
        nodes = {node["name"]: node["value"] for node in interval.get("nodes", [])}
        for name, percent in expected.items():
            guest.near(nodes.get(name), percent, POINTS, f"{step}: interval {number}: {name}")
        functions = (interval.get("profile") or {}).get("functions", [])
        guest.check(
            functions and functions[0]["samples"] > 0,
            f"{step}: interval {number}: the first function: {functions[:1]}",
        )
        named += functions[:1] and functions[0]["name"] == "three_quarters"
        for row in functions:
            if row["name"] in samples:
                samples[row["name"]] += row["samples"]
    # Names are looked up meanwhile: a slow machine has them in a later interval only.
    guest.check(named >= 1, f"{step}: {named} intervals whose first function is three_quarters")
    both = sum(samples.values())
    guest.check(both >= LEAST_SAMPLES, f"{step}: {both} samples in the two functions")
    if both:
        guest.near(
            samples["three_quarters"] / both,
            SHARE,
            ERRORS * math.sqrt(SHARE * (1 - SHARE) / both),
            f"{step}: the share of three_quarters",
        )


def shares(guest, step):
    """{group: the share of the time that it was on counters}."""
    return {
        row["group"]: row["running_ns"] / row["enabled_ns"]
        for row in guest.json(f"{step}.session.json").get("counts", [])
        if row.get("enabled_ns")
    }


def check_counters(guest):
    """Eight events fill eight counters: beside a sample there is room for seven, and neither side waits for
    the other."""
    alone, beside = shares(guest, "alone"), shares(guest, "beside")
    guest.check(
        len(alone) == 1 and min(alone.values()) > EXACT, f"alone: one group, all of the time: {alone}"
    )
    guest.check(len(beside) == 2, f"beside: a group more, as one counter samples: {beside}")
    guest.near(
        sum(beside.values()), 1, ALL_TIME, "beside: the groups share the time, and lose none to the samples"
    )
    events = guest.json("beside.session.json").get("profile", {}).get("events", [])
    guest.check(
        len(events) == 1 and events[0].get("running_s", events[0].get("running_ns", 0)) > 0,
        f"beside: cycles were sampled: {events}",
    )
    for step in ("deep", "few"):
        found = shares(guest, step)
        guest.near(sum(found.values()), 1, ALL_TIME, f"{step}: the groups share the time: {found}")


def check_again(guest):
    """What a session keeps of each interval: its tree, its functions, and what the kernel counted."""
    said, _ = lines(guest, "deep")
    again = [json.loads(line) for line in guest.text("again.stdout").splitlines() if line]
    guest.status("again", 0)
    guest.check(len(again) == len(said) + 1, f"again: {len(again)} reports of {len(said)} intervals")
    for number, (one, other) in enumerate(zip(said, again)):
        for name in guest.machine.level1:
            values = [
                next((node["value"] for node in both["nodes"] if node["name"] == name), None)
                for both in (one, other)
            ]
            guest.near(
                values[1],
                values[0] if values[0] is not None else math.nan,
                POINTS,
                f"again: interval {number}: {name}",
            )
        guest.check(
            other.get("software") == one.get("software"), f"again: interval {number}: what the kernel counted"
        )
        guest.check(
            bool((other.get("profile") or {}).get("functions"))
            == bool((one.get("profile") or {}).get("functions")),
            f"again: interval {number}: functions",
        )
    guest.status("page-again", 0)
    guest.check(
        "Over time" in guest.text("page-again.html")
        and "Context switches over time" in guest.text("page-again.html"),
        "again: a page of a page has the timeline",
    )


def main(name, out):
    guest = Guest(machines.load(name), out)
    for step in ("alone",):
        guest.status(step, 0)
    check_series(guest, "beside", guest.machine.level1)
    check_series(guest, "deep", guest.machine.level1)
    check_series(guest, "few", guest.machine.level1)
    check_series(guest, "nodes", {})
    check_counters(guest)
    check_again(guest)
    check_shares(guest, "nodes", "MEM_LOAD_RETIRED.L3_MISS", 40)
    guest.status("text", 0)
    text = guest.text("text.report")
    guest.check(
        text.count("three_quarters") >= 2 and text.count("Backend_Bound") >= 4,
        f"text: each interval has tree and functions: {text[:3000]}",
    )
    guest.status("csv", 0)
    rows = guest.text("csv.report")
    guest.check(rows.count("three_quarters") >= 2, f"csv: each interval has functions: {rows[:2000]}")
    guest.status("page", 0)
    page = guest.text("page.html")
    guest.check("Over time" in page and "three_quarters" in page, "page: timeline and functions")
    guest.status("per-function", 125)
    guest.check(
        "--functions works" in guest.text("per-function.stderr"),
        f"per-function: {guest.text('per-function.stderr')}",
    )
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
