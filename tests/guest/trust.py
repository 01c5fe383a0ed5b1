# SPDX-License-Identifier: GPL-2.0-or-later
"""trust.py - the checks of what trust.sh left: topdown doctor knows what the guest's PMU was told to be."""


def checks(guest, step):
    return {item["check"]: item for item in guest.json(f"{step}.stdout").get("checks", [])}


def check_finding(guest, step, key, state, found):
    item = checks(guest, step).get(key, {})
    holds = item.get("state") == state and found in (item.get("found") or "")
    guest.check(holds, f"{step}: {key} is {item.get('state')}, {item.get('found')}; expected {state}, {found}")


def check_counters(guest):
    pmu = guest.machine.pmu
    if not pmu:
        return
    check_finding(guest, "doctor", "general_counters", "ok", pmu["counters"])
    fixed = len(pmu["fixed"].split(",")) if "fixed" in pmu else 0
    check_finding(guest, "doctor", "fixed_counters", "ok", f"{fixed} of {fixed}" if fixed else "not needed")
    check_finding(guest, "doctor", "slots", "ok", "PERF_METRICS" if "metrics" in pmu else "not needed")


def check_users(guest):
    """A user at 2 can count level 1 unless that takes rights; at 3, on the kernels that know it, nothing."""
    needs_rights = bool(guest.machine.not_for_users)
    guest.status("doctor-user2", 1 if needs_rights else 0)
    check_finding(guest, "doctor-user2", "paranoid", "limits", "2")
    check_finding(guest, "doctor-user2", "capabilities", "limits", "none")
    guest.status("doctor-user3", 1)
    check_finding(guest, "doctor-user3", "paranoid", "missing", "3")
    check_finding(guest, "doctor-user3", "general_counters", "missing", "none")


def check_notes(guest):
    notes = guest.json("level1.json").get("notes", [])
    if guest.machine.note:
        guest.check(any(guest.machine.note in note for note in notes), f"level1: {guest.machine.note}: {notes}")
    else:
        guest.check(not notes, f"level1: there is nothing to remark: {notes}")


def check_watchdog(guest):
    """Off while the program runs, on before and afterwards, and only when that is asked for."""
    check_finding(guest, "doctor-watchdog", "nmi_watchdog", "limits", "on")
    for step, during in (("watchdog", "0"), ("watchdog-kept", "1")):
        guest.status(step, 0)
        text = guest.text(f"{step}.stdout").strip()
        guest.check(text == during, f"{step}: the program saw {text}, expected {during}")
    guest.status("watchdog-user", 125)
    told = guest.text("watchdog-user.stderr")
    guest.check("--nmi-watchdog off" in told and "as root" in told, f"watchdog-user: {told.strip()}")
    for signal in ("TERM", "KILL"):
        before = guest.text(f"watchdog-{signal}.before").strip()
        guest.check(before == "0", f"SIG{signal}: the watchdog was {before} until then")
    for step in ("watchdog", "watchdog-user", "watchdog-TERM", "watchdog-KILL"):
        after = guest.text(f"{step}.after").strip()
        guest.check(after == "1", f"{step}: the watchdog is {after} afterwards")


def check(guest):
    check_notes(guest)
    guest.status("doctor", 0)
    check_finding(guest, "doctor", "level", "ok", "groups counted")
    check_finding(guest, "doctor", "capabilities", "ok", "CAP_PERFMON")
    check_counters(guest)
    check_users(guest)
    check_watchdog(guest)
    if guest.machine.fewer:
        check_finding(guest, "doctor-fewer", "general_counters", "limits", f"{guest.machine.fewer} of")
