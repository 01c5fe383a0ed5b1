#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_latencies.py MACHINE OUT_DIR: what latencies.sh left has the chosen latency where it was sampled."""
import json
import sys

import machine as machines
from check_guest import Guest

POINTS = 0.2


def check_node(guest, step, cycles, is_estimated, note):
    """Of the cycles: locked loads times the cycles of each."""
    report = guest.json(f"{step}.json")
    node = {row["name"]: row for row in report.get("nodes", [])}.get("tma_lock_latency", {})
    guest.near(node.get("value"), 100 * guest.facts["LOCKED"] * cycles, POINTS, f"{step}: Lock_Latency")
    guest.check((node.get("quality") == "estimated") == is_estimated, f"{step}: it is {node.get('quality')}")
    said = " ".join(report.get("notes", []))
    guest.check(note in said, f"{step}: the notes say {note!r}: {said}")


def reports(guest, name):
    """A report a line: intervals, then all of the time."""
    return [json.loads(line) for line in guest.text(name).splitlines() if line.strip()]


def check_intervals(guest, cycles):
    """Sampled beside the counts: the chosen latency in the intervals behind the first samples, and in the
    whole."""
    for step in ("interval", "interval-again"):
        guest.status(step, 0)
    rows = reports(guest, "interval.json")
    guest.check(len(rows) >= 3 and rows[-1].get("interval") is None, f"interval: {len(rows)} reports")
    found = []
    for row in rows[:-1]:
        node = next((node for node in row["nodes"] if node["name"] == "tma_lock_latency"), {})
        if node.get("value") is not None and node["quality"] != "estimated":
            found.append(node["value"])
    guest.check(
        len(found) >= 2, f"interval: {len(found)} of {len(rows) - 1} intervals have a sampled latency"
    )
    expected = 100 * guest.facts["LOCKED"] * cycles
    guest.check(
        found and max(abs(value - expected) for value in found) <= POINTS,
        f"interval: {found}, expected {expected}",
    )
    whole = (reports(guest, "interval-again.json") or [{}])[-1]
    again = {node["name"]: node for node in whole.get("nodes", [])}.get("tma_lock_latency", {})
    guest.near(again.get("value"), expected, POINTS, "interval-again: Lock_Latency of all of the time")
    note = " ".join(whole.get("notes", []))
    guest.check("Retire latencies of 1 of 1 events" in note, f"interval-again: {note}")


def check_drilled(guest, cycles):
    """The run behind the last step samples what the steps want: those of ICache_Misses, which all come by
    FRONTEND_RETIRED."""
    guest.status("drill", 0)
    session, report = guest.json("drill.session.json"), guest.json("drill.json")
    found = {
        count["event"]: count["value"]
        for count in session.get("counts", [])
        if count["event"].endswith(":retire_latency")
    }
    guest.check(
        "FRONTEND_RETIRED.L2_MISS:retire_latency" in found and set(found.values()) == {cycles},
        f"drill: latencies: {found}",
    )
    guest.check("Retire latencies of" in " ".join(report.get("notes", [])), f"drill: {report.get('notes')}")
    ends = guest.text("drill.stderr").count("drill-down ends")
    guest.check(ends == 1, f"drill: its end is said {ends} times: {guest.text('drill.stderr')}")


def main(name, out):
    guest = Guest(machines.load(name), out)
    guest.facts = machines.definitions(name)
    chosen, published = guest.facts["CYCLES"], guest.facts["PUBLISHED"]
    check_node(guest, "published", published, True, "")
    for step in ("sampled", "machine", "again"):
        check_node(guest, step, chosen, False, "Retire latencies of 1 of 1 events are means of samples")
    check_node(guest, "none", published, True, "this CPU or kernel does not measure them")
    check_intervals(guest, chosen)
    check_drilled(guest, chosen)
    guest.status("refused", 125)
    guest.check(
        "--retire-latency" in guest.text("refused.stderr"), f"refused: {guest.text('refused.stderr')}"
    )
    print("guest seconds after each step:", ", ".join(guest.text("times").split("\n")).rstrip(", "))
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
