# SPDX-License-Identifier: GPL-2.0-or-later
"""trust.py - the checks of what trust.sh left: topdown doctor reports the guest's PMU as it was
configured."""
import re
import statistics


def checks(guest, step):
    return {item["check"]: item for item in guest.json(f"{step}.stdout").get("checks", [])}


def check_finding(guest, step, key, state, found):
    item = checks(guest, step).get(key, {})
    holds = item.get("state") == state and found in (item.get("found") or "")
    guest.check(
        holds, f"{step}: {key} is {item.get('state')}, {item.get('found')}; expected {state}, {found}"
    )


def check_counters(guest):
    pmu = guest.machine.pmu
    if not pmu:
        return
    fixed = len(pmu["fixed"].split(",")) if "fixed" in pmu else 0
    usual = {
        "general_counters": ("ok", pmu["counters"]),
        "fixed_counters": ("ok", f"{fixed} of {fixed}" if fixed else "not needed"),
        "slots": ("ok", "PERF_METRICS" if "metrics" in pmu else "not needed"),
    }
    for key, (state, found) in (usual | guest.machine.findings).items():
        check_finding(guest, "doctor", key, state, found)


def check_users(guest):
    """A user at 2 can count level 1 unless that takes rights; at 3, on the kernels that know it, nothing."""
    needs_rights = bool(guest.machine.not_for_users)
    guest.status("doctor-user2", 1 if needs_rights else 0)
    check_finding(guest, "doctor-user2", "paranoid", "limits", "2")
    check_finding(guest, "doctor-user2", "capabilities", "limits", "no CAP_PERFMON")
    guest.status("doctor-user3", 1)
    check_finding(guest, "doctor-user3", "paranoid", "missing", "3")
    check_finding(guest, "doctor-user3", "general_counters", "missing", "none")


def check_notes(guest):
    # Beside busy neighbours the guest's CPUs wait, and the program with them.
    notes = [note for note in guest.json("level1.json").get("notes", []) if "off CPU" not in note]
    if guest.machine.note:
        guest.check(
            any(guest.machine.note in note for note in notes), f"level1: {guest.machine.note}: {notes}"
        )
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
    refusal = guest.text("watchdog-user.stderr")
    guest.check("--nmi-watchdog off" in refusal and "as root" in refusal, f"watchdog-user: {refusal.strip()}")
    for signal in ("TERM", "KILL"):
        before = guest.text(f"watchdog-{signal}.before").strip()
        guest.check(before == "0", f"SIG{signal}: the watchdog was {before} until then")
    for step in ("watchdog", "watchdog-user", "watchdog-TERM", "watchdog-KILL"):
        after = guest.text(f"{step}.after").strip()
        guest.check(after == "1", f"{step}: the watchdog is {after} afterwards")


def check_told(guest, step, *parts):
    """It failed, with one line that has all of the parts; before it may stand how often the program would
    run."""
    guest.status(step, 125)
    refusal = re.sub(r"^topdown: \S+ runs \d+ times, .*\n", "", guest.text(f"{step}.stderr"))
    guest.check(
        refusal.count("\n") == 1 and all(part in refusal for part in parts), f"{step}: {refusal.strip()}"
    )


def level1(guest, step):
    return {node["name"]: node for node in guest.json(f"{step}.json").get("nodes", [])}


def check_near(guest, step, names):
    nodes = level1(guest, step)
    for name in names:
        guest.near(nodes.get(name, {}).get("value"), guest.machine.level1[name], 0.5, f"{step}: {name}")


def check_refusals(guest):
    for step in ("filter-1", "filter-38"):
        check_told(guest, step, "a seccomp filter", "--cap-add PERFMON")
    guest.status("filter-doctor", 1)
    check_finding(guest, "filter-doctor", "seccomp", "limits", "yes")
    check_finding(guest, "filter-doctor", "general_counters", "missing", "none")
    guest.status("user1", 0)
    check_near(guest, "user1", set(guest.machine.level1) - set(guest.machine.not_for_users))
    scope = guest.json("user1.json").get("summary", {}).get("scope")
    guest.check(scope == "user+kernel", f"user1: the scope is {scope}")
    check_told(guest, "user1-cpus", "whole CPUs", "perf_event_paranoid=0")
    check_told(guest, "attached", "belongs to another user", "as its user or as root")


def check_files(guest):
    """Root goes beyond its limit, and the program gets the old one; a user's refusal names the limit, with
    its number."""
    guest.status("files16", 0)
    marks = {node["quality"] for node in level1(guest, "files16").values() if node["level"] == 1}
    guest.check(marks and "none" not in marks, f"files16: level 1 is {sorted(marks)}")
    notes = guest.json("files16.json").get("notes", [])
    if guest.machine.pmu:  # the other one counts two events only
        guest.check(
            any("raised its own limit of open files from 16 to " in note for note in notes),
            f"files16: {notes}",
        )
    guest.status("files", 0)
    guest.check(
        guest.text("files.stdout").strip() == "1024", "files: the program has the limit that topdown had"
    )
    refusal = " ".join(guest.text("files16-user.stderr").split())
    if not guest.machine.hidden:  # else the events are so few that 16 are enough
        guest.check("the hard limit is 16;" in refusal, f"files16-user: its limit is named: {refusal[-600:]}")


def check_two_counters(guest):
    """Whatever two counters leave of level 1 is right."""
    guest.status("two", 0)
    nodes = level1(guest, "two")
    known = [name for name, node in nodes.items() if node["value"] is not None]
    guest.check(known, f"two: of level 1 two counters leave {sorted(known)}")
    check_near(guest, "two", known)
    notes = guest.json("two.json").get("notes", [])
    guest.check(
        any(note.startswith("Only 2 of this CPU's ") for note in notes),
        f"two: that there are no more is said: {notes}",
    )
    silent = [name for name, node in nodes.items() if node["value"] is None and not node["reason"]]
    guest.check(not silent, f"two: what is left out has a reason: {silent}")


def check_never(guest):
    """Nothing was counted: one run, one paragraph with the cause, and the program's own status in it."""
    check_told(guest, "never", "others hold all of them", "lsof", "ended with status 3")
    guest.check(guest.text("never.starts") == "x\n", "never: the program was started once")
    guest.check(not guest.text("never.json"), "never: there is no report")
    guest.status("never-doctor", 1)
    state, _ = guest.machine.findings.get("general_counters", ("ok", ""))
    check_finding(guest, "never-doctor", "general_counters", state, "of")
    check_finding(guest, "never-doctor", "level", "missing", "0 of")


def check_repeats(guest):
    """1, 4 and 16 times the work: the counts differ as they do, and the shares stay what they are."""
    guest.status("repeat", 0)
    report = guest.json("repeat.json")
    summary = report.get("summary", {})
    guest.check(summary.get("repeats") == 3, f"repeat: {summary.get('repeats')} repeats")
    check_near(guest, "repeat", guest.machine.level1)
    for name, node in level1(guest, "repeat").items():
        guest.check(node["n"] == 3 and node["ci95"] < 0.5, f"repeat: {name} varies by {node['ci95']}")
    if guest.machine.level1_runs == 1 and "level1" not in guest.machine.no_ipc:
        counted = [run["instructions"] for run in report.get("runs", [])]
        guest.check(len(counted) == 3 and counted == sorted(set(counted)), f"repeat: instructions {counted}")
        spread, deviation = summary["spread"]["instructions"], statistics.stdev(counted)
        guest.near(summary["instructions"], statistics.mean(counted), 1, "repeat: mean")
        guest.near(spread["stddev"], deviation, 1e-6 * deviation, "repeat: deviation")
        guest.near(
            spread["ci95"], 4.303 * deviation / 3**0.5, 1e-3 * deviation, "repeat: interval, by Student's t"
        )
        unlike = [run["repeat"] for run in report["runs"] if run["unlike"]]
        guest.check(unlike == [1, 3], f"repeat: the repeats that differ from the typical one are {unlike}")
    guest.status("repeat-again", 0)
    guest.check(
        guest.text("repeat-again.stdout") == guest.text("repeat.json"),
        "repeat: topdown report says the same of the saved session",
    )
    guest.check("+-" in guest.text("repeat-text.stdout"), "repeat: the text has intervals")


def check_runs(guest):
    guest.status("fails", 4)
    starts = guest.text("fails.starts").count("x")
    guest.check(starts == 1, f"fails: a program that fails is started {starts} time")
    notes = guest.json("fails.json").get("notes", [])
    planned = len(guest.json("plan.stdout").get("runs", []))
    not_again = any("ended with status 4, so it was not run again" in note for note in notes)
    guest.check(not_again == (planned > 1), f"fails: of {planned} runs: {notes}")
    printed = guest.text("all-output.stdout").count("printed\n")
    guest.check(printed == planned, f"all-output: printed {printed} times in {planned} runs")


def check(guest):
    check_notes(guest)
    guest.status("doctor", 1 if guest.machine.hidden else 0)
    check_finding(guest, "doctor", "level", "missing" if guest.machine.hidden else "ok", "groups counted")
    check_finding(
        guest,
        "doctor",
        "events",
        "limits" if guest.machine.hidden else "ok",
        guest.machine.hidden or "all can be counted",
    )
    if guest.machine.hidden:
        notes = " ".join(guest.json("level3.json").get("notes", []))
        guest.check(
            guest.machine.hidden in notes and "does not have the event" in notes,
            f"level3: what is hidden: {notes}",
        )
    check_finding(guest, "doctor", "capabilities", "ok", "CAP_PERFMON")
    check_counters(guest)
    check_users(guest)
    if guest.machine.refused:
        check_repeats(guest)
        check_runs(guest)
        check_watchdog(guest)
        check_refusals(guest)
        check_files(guest)
    if guest.machine.pmu:
        check_two_counters(guest)
        check_never(guest)
    if guest.machine.fewer:
        check_finding(guest, "doctor-fewer", "general_counters", "limits", f"{guest.machine.fewer} of")
