# SPDX-License-Identifier: GPL-2.0-or-later
"""faults.py - the checks of what faults.sh left: nothing that was not counted is 0, and the rest is right."""
import trust


def nodes(guest, step):
    return {node["name"]: node for node in guest.json(f"{step}.json").get("nodes", [])}


def notes(guest, step):
    return guest.json(f"{step}.json").get("notes", [])


def check_level1(guest, step):
    guest.status(step, 0)
    found = nodes(guest, step)
    for name, percent in guest.machine.level1.items():
        guest.near(found.get(name, {}).get("value"), percent, 0.5, f"{step}: {name}")


def check_left_out(guest, step, *words):
    """Branch mispredictions have no value, with the reason; what they are not needed for has one."""
    check_level1(guest, step)
    found = nodes(guest, step)
    for name in ("tma_branch_mispredicts", "tma_machine_clears"):
        node = found.get(name, {"value": 0})
        guest.check(
            node["value"] is None and node["reason"],
            f"{step}: {name}: {node.get('value')}, {node.get('reason')}",
        )
    for name in ("tma_memory_bound", "tma_fetch_latency", "tma_heavy_operations"):
        guest.near(found.get(name, {}).get("value"), guest.machine.deeper[name], 0.5, f"{step}: {name}")
    told = [note for note in notes(guest, step) if all(word in note for word in words)]
    guest.check(told, f"{step}: it is said: {notes(guest, step)}")


def check_vm(guest):
    check_left_out(guest, "busy", "TOPDOWN.BR_MISPREDICT_SLOTS", "held exclusively by another user")
    check_left_out(guest, "register", "TOPDOWN.BR_MISPREDICT_SLOTS", "a register of the CPU")
    check_left_out(guest, "unscheduled", "TOPDOWN.BR_MISPREDICT_SLOTS", "never put it on a counter")
    check_level1(guest, "register-cpus")
    guest.status("unscheduled-doctor", 1)
    trust.check_finding(guest, "unscheduled-doctor", "level", "missing", "groups counted")
    # Level 1 needs no cycles in this form; what needs them has none, and says so.
    check_level1(guest, "silent")
    summary = guest.json("silent.json").get("summary", {})
    guest.check(summary.get("cycles", 0) is None, f"silent: cycles are {summary.get('cycles')}")
    guest.check(summary.get("ipc", 0) is None, f"silent: IPC is {summary.get('ipc')}")
    check_level1(guest, "held")
    guest.check(
        any("6 general counters that open, 4 count" in note for note in notes(guest, "held")),
        f"held: {notes(guest, 'held')}",
    )
    trust.check_finding(guest, "held-doctor", "general_counters", "limits", "4 of 8, although 6 open")
    trust.check_finding(guest, "held-doctor", "level", "ok", "groups counted")


def check_dead_metrics(guest):
    check_level1(guest, "dead-metrics")
    check_level1(guest, "field")
    found = nodes(guest, "field")
    for name in ("tma_heavy_operations", "tma_light_operations"):
        node = found.get(name, {"value": 0})
        guest.check(node["value"] is None and "HEAVY" in (node["reason"] or ""), f"field: {name}: {node}")
    for name in ("tma_memory_bound", "tma_fetch_latency", "tma_branch_mispredicts"):
        guest.near(found.get(name, {}).get("value"), guest.machine.deeper[name], 0.5, f"field: {name}")
    check_level1(guest, "idle-cycles")
    summary = guest.json("idle-cycles.json").get("summary", {})
    guest.near(summary.get("ipc"), guest.machine.ipc, 0.02 * guest.machine.ipc, "idle-cycles: IPC")
    told = any("for cycles opens, but counts nothing" in note for note in notes(guest, "idle-cycles"))
    guest.check(told, f"idle-cycles: it is said: {notes(guest, 'idle-cycles')}")
    trust.check_finding(
        guest,
        "idle-cycles-doctor",
        "fixed_counters",
        "limits",
        "3 of 4; that of cycles opens but counts nothing",
    )
    trust.check_finding(guest, "dead-metrics-doctor", "slots", "limits", "count nothing")


def check(guest):
    {"vm": check_vm, "dead-metrics": check_dead_metrics}[guest.machine.faults](guest)
