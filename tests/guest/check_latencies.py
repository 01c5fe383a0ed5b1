#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_latencies.py MACHINE OUT_DIR: what latencies.sh left has the chosen latency where it was sampled."""
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


def main(name, out):
    guest = Guest(machines.load(name), out)
    guest.facts = machines.definitions(name)
    chosen, published = guest.facts["CYCLES"], guest.facts["PUBLISHED"]
    check_node(guest, "published", published, True, "")
    for step in ("sampled", "machine", "again"):
        check_node(guest, step, chosen, False, "Retire latencies of 1 of 1 events are means of samples")
    check_node(guest, "none", published, True, "this CPU or kernel does not measure them")
    guest.status("interval", 125)
    guest.check("--retire-latency" in guest.text("interval.stderr"), f"interval: {guest.text('interval.stderr')}")
    print("guest seconds after each step:", ", ".join(guest.text("times").split("\n")).rstrip(", "))
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
