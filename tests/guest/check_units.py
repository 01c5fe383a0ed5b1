#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_units.py MACHINE OUT_DIR: what units.sh left has the values of the formulas, and names each cause of
a missing one."""
import sys

import chosen
import machine as machines
from check_causes import findings
from check_guest import Guest

NEAR = 0.002  # of a value: the units' clock stands still while events are switched
CLOCK = "UNC_M_CAS_COUNT.RD", "umc_cas_cmd.all", "hnf_cache_miss"  # the event that shows that clock


def rows(guest, step):
    return {row["name"]: row for row in guest.json(f"{step}.json").get("metrics", [])}


def notes(guest, step):
    return " ".join(guest.json(f"{step}.json").get("notes", []))


def timed(guest, step):
    """Formulas with the times of the first run, which counts all that is compared: the report's, and that of
    the units' clock."""
    of, session = chosen.of(guest.name), guest.json(f"{step}.session.json")
    counts = {count["event"]: count["value"] for count in session.get("counts", []) if count["state"] == "ok"}
    clock = next((event for event in CLOCK if event in counts), None)
    if clock is None:
        return None
    of.seconds = counts[clock] / of.count(clock)
    of.duration = session["runs"][0]["wall_s"]
    of.cores = counts
    guest.check(
        0 < of.seconds < 1.05 * of.duration,  # it stands still while events are switched
        f"{step}: counted for {of.seconds:.3f} s of {of.duration:.3f}",
    )
    return of


def check_values(guest, step, names):
    of, found = timed(guest, step), rows(guest, step)
    guest.check(of is not None, f"{step}: {CLOCK} is counted")
    for name in names if of else ():
        expected = of.shown(name)
        guest.near(found.get(name, {}).get("raw"), expected, NEAR * abs(expected), f"{step}: {name}")
    counts = guest.json(f"{step}.session.json").get("counts", [])
    lost = [
        count
        for count in counts
        if count["event"] not in guest.machine.rates and count["running_ns"] < 0.99 * count["enabled_ns"]
    ]
    guest.check(not lost, f"{step}: all was counted all of the time: {lost[:3]}")


def terms(spelling):
    pmu, _, text = spelling.partition("/")
    parts = (term.partition("=")[::2] for term in text.strip("/").split(","))
    return pmu, frozenset((name, int(value, 0) if value else None) for name, value in parts)


def check_asked(guest):
    """Each event by itself: of all units of a kind, or of one; with terms of any of the three words of an
    event's code."""
    guest.status("asked", 0)
    of = timed(guest, "asked")
    counts = {
        terms(count["event"]): count
        for count in guest.json("asked.session.json").get("counts", [])
        if count["state"] == "ok"
    }
    for spelling in guest.machine.units_asked if of else ():
        pmu, _, alias = spelling.strip("/").partition("/")
        known = [
            name
            for row in of.rows.values()
            if (row["Unit"], row.get("KernelEvent")) == (pmu, alias)
            for name in [row["EventName"]]
        ]
        found = counts.get(terms(known[0] if known else spelling), {}).get("value")
        if spelling == "msr/tsc/":  # it goes on
            found = next(
                (row["value"] for row in guest.json("asked.json")["events"] if row["name"] == "TSC"), 0
            )
            guest.check(found > 0, f"asked: {spelling}: {found}")
            continue
        if spelling == "msr/smi/":  # the kernel's own PMU, and nobody interrupts this machine
            guest.check(found == 0, f"asked: {spelling}: {found}")
            continue
        expected = of.count(known[0]) if known else of.spelled(spelling)
        guest.near(found, expected, NEAR * expected, f"asked: {spelling}")


def unit_counts(guest, step):
    """By runs; all events of one kind of units."""
    of, runs = chosen.of(guest.name), {}
    for count in guest.json(f"{step}.session.json").get("counts", []):
        if of.is_beside(count["event"]):
            runs.setdefault(count["run"], []).append(count)
    return of, runs


def check_turns(guest, step, said):
    """A formula with more events than a unit has counters: in each run as many as fit, and these all of the
    time. The cores need one run only."""
    guest.status(step, 0)
    of, runs = unit_counts(guest, step)
    counts = [count for members in runs.values() for count in members]
    most = (
        next(
            unit.counters for unit in guest.machine.units if unit.name == of.rows[counts[0]["event"]]["Unit"]
        )
        if counts
        else 0
    )
    guest.check(
        len(counts) > most and max(map(len, runs.values())) <= most,
        f"{step}: {len(counts)} events, {most} counters, {len(runs)} runs",
    )
    lost = [count for count in counts if count["running_ns"] < count["enabled_ns"]]
    guest.check(counts and not lost, f"{step}: all was counted all of the time: {lost[:3]}")
    text = guest.text(f"{step}.stderr")
    guest.check(
        f"{len(runs)} {said}" in text or f"{said} {len(runs)} times" in text,
        f"{step}: it says {len(runs)} runs before: {text[:200]}",
    )
    guest.check("shared their counters" not in text, f"{step}: nothing is shared")
    for number, members in runs.items():
        seconds = [count["value"] / of.count(count["event"]) for count in members]
        guest.near(
            min(seconds), max(seconds), NEAR * max(seconds), f"{step}: run {number}: counts of the same time"
        )


def check_shared(guest):
    """Without --max-runs what runs already is counted once: groups share the counters, and a note names the
    PMU."""
    guest.status("turns-shared", 0)
    of, runs = unit_counts(guest, "turns-shared")
    counts = [count for members in runs.values() for count in members]
    guest.check(
        len(runs) == 1 and any(count["running_ns"] < 0.9 * count["enabled_ns"] for count in counts),
        f"turns-shared: {len(runs)} run, shared",
    )
    unit = of.rows[counts[0]["event"]]["Unit"] if counts else "?"
    text = " ".join(guest.text("turns-shared.stderr").split())
    guest.check(
        f"shared their counters: {unit}. With --duration, `--max-runs N`" in text,
        f"turns-shared: the note: {text[-400:]}",
    )


def check_labels(guest):
    """With a program they are of the whole machine, and say so; with -a everything is."""
    titles = [rows(guest, "program").get(name, {}).get("title", "?") for name in guest.machine.some_metrics]
    guest.check(
        "For the whole machine" in notes(guest, "program")
        and all(title in notes(guest, "program") for title in titles),
        f"program: the label: {notes(guest, 'program')}",
    )
    for step in ("all",) if guest.machine.is_brief else ("all", "program-all"):
        guest.check(
            "For the whole machine" not in notes(guest, step),
            f"{step}: no label where all is of the machine: {notes(guest, step)}",
        )
    if not guest.machine.is_brief:
        guest.status("program-text", 0)
        guest.check("whole machine" in guest.text("program-text.stderr"), "program-text: the label in text")
    item = findings(guest, "doctor").get("units", {})
    guest.check(
        all(chosen.KINDS.sub("", unit.name) in item.get("found", "") for unit in guest.machine.units),
        f"doctor: all kinds: {item}",
    )


def reading(guest, kind):
    """Of some metrics those that read a kind of units."""
    of = chosen.of(guest.name)
    rest = [unit for unit in guest.machine.units if unit.name != kind]
    of.kinds = {unit.name: unit for unit in rest}
    gone = []
    for name in guest.machine.some_metrics:
        try:
            of.value(name)
        except (KeyError, AttributeError):
            gone.append(name)
    return gone


def check_refused(guest, step, gone, *parts):
    """No value, none of them 0, and the reason; the others are there."""
    guest.status(step, 0)
    found = rows(guest, step)
    for name in guest.machine.some_metrics:
        value = found.get(name, {}).get("value")
        guest.check((value is None) == (name in gone), f"{step}: {name} is {value}")
    said = (
        notes(guest, step)
        + " ".join(str(found.get(name, {}).get("reason")) for name in gone)
        + guest.text(f"{step}.stderr")
    )
    guest.check(all(part in said for part in parts), f"{step}: it names {parts}: {said}")


def check_rights(guest):
    check_refused(guest, "user", guest.machine.some_metrics, "kernel.perf_event_paranoid")
    if guest.machine.is_brief:
        return
    said = " ".join(guest.text("user-all.stderr").split())
    guest.status("user-all", 125)
    guest.check(
        "perf_event_paranoid" in said and "sudo" in said, f"user-all: the reason and a command: {said}"
    )
    item = findings(guest, "user-doctor").get("units", {})
    guest.check(
        item.get("state") == "limits" and "perf_event_paranoid=0" in (item.get("change") or ""),
        f"user-doctor: {item}",
    )


def main(name, out):
    guest = Guest(machines.load(name), out)
    guest.name = name
    check_values(guest, "all", chosen.of(name).names())
    for step in ("program",) if guest.machine.is_brief else ("program", "program-all"):
        check_values(guest, step, guest.machine.some_metrics)
    check_labels(guest)
    if guest.machine.units_asked:
        check_asked(guest)
    if guest.machine.units_turns:
        check_turns(guest, "turns", "sleep runs")
        check_turns(guest, "turns-all", "runs of 0.3 s are counted")
        check_shared(guest)
    check_rights(guest)
    check_refused(guest, "offline", guest.machine.some_metrics, "CPU 2, on which PMU", "is offline")
    if not guest.machine.is_brief:
        item = findings(guest, "offline-doctor").get("units", {})
        guest.check("CPU 2" in (item.get("means") or ""), f"offline-doctor: {item}")
    first = guest.machine.units[0].name
    check_refused(guest, "missing", reading(guest, first), f"{first}")
    if guest.machine.other_model:
        check_refused(
            guest,
            "other-model",
            reading(guest, first),
            "another model",
            guest.machine.other_model[1].partition(":")[2],
        )
    print("guest seconds after each step:", ", ".join(guest.text("times").split("\n")).rstrip(", "))
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
