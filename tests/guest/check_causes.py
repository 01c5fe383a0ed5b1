#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_causes.py MACHINE OUT_DIR: what causes.sh left names the cause that it made, and counts what can be
counted."""
import json
import sys

import machine as machines
from check_guest import Guest, check_nodes, took

CPUS = 1
CROWDED = 1.5  # of the CPUs: the first ones of a crowd count while the last ones are being attached
ASKED_S = 600


def said(guest, step):
    return " ".join(guest.text(f"{step}.stderr").split())


def check_refused(guest, step, *parts, not_said=()):
    guest.status(step, 125)
    text = said(guest, step)
    guest.check(all(part in text for part in parts), f"{step}: it names {parts}: {text}")
    guest.check(not any(part in text for part in not_said), f"{step}: it does not name {not_said}")


def notes(guest, step):
    """Of all of the time."""
    lines = guest.text(f"{step}.json").splitlines()
    whole = json.loads(lines[-1]) if len(lines) > 1 and lines[-1] != "}" else guest.json(f"{step}.json")
    return " ".join(whole.get("notes", []))


def check_noted(guest, step, *parts):
    text = notes(guest, step)
    guest.check(all(part in text for part in parts), f"{step}: the notes name {parts}: {text}")


def findings(guest, step):
    return {item["check"]: item for item in guest.json(f"{step}.stdout").get("checks", [])}


def check_mounts(guest):
    """Without /sys the PMU counts all the same; without /proc a program is counted, and a process can't
    be."""
    guest.status("no-sys", 0)
    check_nodes(guest, "no-sys", guest.machine.level1)
    check_noted(guest, "no-sys", "/sys is not mounted", "mount -t sysfs")
    pmu = findings(guest, "no-sys-doctor").get("pmu", {})
    guest.check(
        pmu.get("state") == "limits" and "/sys is not mounted" in pmu.get("means", ""),
        f"no-sys-doctor: {pmu}",
    )
    check_refused(guest, "no-proc", "/proc is not mounted", "mount -t proc", not_said=("no longer exists",))
    guest.status("no-proc-program", 0)
    check_nodes(guest, "no-proc-program", guest.machine.level1)


def check_limits(guest):
    check_refused(guest, "filter-22", "for every event", "seccomp filter", not_said=("encoding",))
    for step in ("few-files", "few-files-user"):
        check_refused(guest, step, " 6", "ulimit", not_said=("virtual PMU", "hypervisor"))
    check_refused(guest, "few-processes", "this user may have 1 ", "`ulimit -u 4096`")
    remedy = findings(guest, "path-doctor").get("paranoid", {}).get("change") or ""
    guest.check(
        "setcap cap_perfmon+ep /payload/topdown" in remedy, f"path-doctor: the program's own path: {remedy}"
    )


def check_held(guest):
    check_refused(guest, "held", "others hold all of them", "lsof", not_said=("No node",))
    lines = guest.text("held.stderr").splitlines()
    guest.check(
        len(lines) == 2 and " runs " in lines[0], f"held: what it sets out to do, and one paragraph: {lines}"
    )
    guest.check(guest.text("held.starts") == "x\n", "held: the program was started once")
    guest.check(not guest.text("held.session.json"), "held: no session without counts")
    check_refused(guest, "held-cpus", "others hold all of them")
    check_noted(guest, "one-group", "--mux-interval changed nothing")


def check_guarded(guest):
    """What the kernel does not let an ordinary user count is said, and root counts it."""
    root = guest.json("own-user.stderr")
    own = root["summary"]["cycles"]
    for step, why in (("unreadable", "execute it, but not read it"), ("other-user", "set-user-ID")):
        guest.status(step, 0)
        report = guest.json(f"{step}.stderr")
        told = [note for note in report.get("notes", []) if "does not let this user count ./" in note]
        guest.check(
            len(told) == 1 and why in told[0] and "sudo topdown" in told[0],
            f"{step}: the notes {report.get('notes')}",
        )
        cycles = report.get("summary", {}).get("cycles")
        # Until it is executed, what becomes the program is counted: a millisecond or two of the hundred that
        # it takes.
        guest.check(
            not cycles or cycles < own / 10,
            f"{step}: nothing of the program is counted: {cycles} cycles of {own}",
        )
    least = guest.machine.khz * 1000 * 0.001  # cycles of a millisecond
    guest.check(
        own > least and "does not let this user" not in " ".join(root["notes"]),
        f"own-user: root counts it: {root['summary']}, {root['notes']}",
    )


def check_refusal_once(guest):
    """An ordinary user who may count nothing reads why, once."""
    for step in ("path-refused", "sample-refused", "lines-refused", "pid-refused"):
        guest.status(step, 125)
        text = said(guest, step)
        guest.check(text.count("kernel.perf_event_paranoid is 3") == 1, f"{step}: the reason, once: {text}")


def check_meanwhile(guest):
    """It ends with the cgroup, long before the time that was asked for."""
    guest.status("removed", 0)
    check_noted(guest, "removed", "The cgroup was removed meanwhile")
    wall = guest.json("removed.json").get("summary", {}).get("wall_s", ASKED_S)
    guest.check(wall < ASKED_S / 2, f"removed: it ends with the cgroup, after {wall} s of {ASKED_S}")
    check_nodes(guest, "removed", guest.machine.level1)


def check_intervals(guest, step, wanted_s):
    """A remark where more than a few were off, judged by the intervals' own times; the last one is cut."""
    reports = [json.loads(line) for line in guest.text(f"{step}.json").splitlines()][:-2]
    lengths = [report["interval"]["to_s"] - report["interval"]["from_s"] for report in reports]
    late = sum(abs(length - wanted_s) > 0.2 * wanted_s for length in lengths)
    told = "could not be kept" in notes(guest, step)
    if late > 0.1 * len(lengths) or late == 0:
        guest.check(
            told == (late > 0), f"{step}: {late} of {len(lengths)} intervals were off: {notes(guest, step)}"
        )


def check_crowds(guest):
    """No more CPUs than there are, and about the time that was asked for."""
    for step, asked_s in (("many", 1), ("by-user", 0.5)):
        guest.status(step, 0)
        summary = guest.json(f"{step}.json").get("summary", {})
        guest.check(
            summary.get("cpus_used", 99) < CROWDED * CPUS,
            f"{step}: {summary.get('cpus_used')} of {CPUS} CPUs",
        )
        guest.check(
            0.5 * asked_s < summary.get("wall_s", 0) <= took(guest).get(step, 0),
            f"{step}: {summary.get('wall_s')} s, {asked_s} were asked for",
        )
        check_nodes(guest, step, guest.machine.level1)
        print(
            step,
            guest.text(f"{step}.stdout").strip(),
            "in all,",
            summary.get("wall_s"),
            "s counted,",
            notes(guest, step),
        )


def main(name, out):
    guest = Guest(machines.load(name), out)
    check_mounts(guest)
    check_limits(guest)
    check_held(guest)
    check_guarded(guest)
    check_refusal_once(guest)
    check_meanwhile(guest)
    check_intervals(guest, "fast-intervals", 0.01)
    check_intervals(guest, "slow-intervals", 0.25)
    check_crowds(guest)
    print("guest seconds after each step:", ", ".join(guest.text("times").split("\n")).rstrip(", "))
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
