# SPDX-License-Identifier: GPL-2.0-or-later
"""The checks of a selection: it was measured and nothing else, in fewer runs; its session shows the same."""


def rows(report):
    return {row["name"]: row for key in ("nodes", "metrics") for row in report.get(key, [])}


def check(guest, level3_runs):
    machine = guest.machine
    guest.status("part", 0)
    known = (
        machine.level1
        | machine.deeper
        | machine.metrics
        | machine.part_metrics
        | {"tma_info_thread_ipc": machine.ipc}
    )
    found = rows(guest.json("part.json"))
    guest.check(set(found) == set(machine.part_rows), f"part: what was selected is {sorted(found)}")
    for name in machine.part_rows:
        tolerance = 0.5 if name in machine.level1 | machine.deeper else 0.01 * known[name]
        guest.near(found.get(name, {}).get("value"), known[name], tolerance, f"part: {name}")
    made = guest.json("part.json").get("summary", {}).get("runs", 0)
    guest.check(0 < made < level3_runs, f"part: {made} runs, {level3_runs} for level 3")
    again = rows(guest.json("part-again.json"))
    guest.check(again and again == found, "part: its session shows the same, without being asked again")
    guest.check(
        rows(guest.json("part-last.json")) == found, "part: so does the last measurement, which was kept"
    )
