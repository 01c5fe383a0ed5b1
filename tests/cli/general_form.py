#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""general_form.py - Intel's formulas from general events are taken where a machine, or counts, have no slots
and topdown events."""
import copy
import json
import re
import shutil
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_failure, check_success, finish, read_json, temporary, topdown

SPR = SOURCE / "tests/machines/xeon-spr"
SESSION = SOURCE / "docs/sample-session.json"
EVENTS = "sys/bus/event_source/devices/cpu/events"
LEVEL_1 = {"tma_frontend_bound": 20, "tma_bad_speculation": 10, "tma_backend_bound": 30, "tma_retiring": 40}
# Of 6e9 slots; one percent of them, counted as frontend bound, were dropped otherwise.
COUNTS = {
    "TOPDOWN.SLOTS_P": 6e9,
    "IDQ_BUBBLES.CORE": 1.26e9,
    "INT_MISC.UOP_DROPPING": 0.06e9,
    "TOPDOWN.BACKEND_BOUND_SLOTS": 1.8e9,
    "UOPS_RETIRED.SLOTS": 2.4e9,
}
FIELDS = {
    "TOPDOWN.SLOTS": 6e9,
    "PERF_METRICS.FRONTEND_BOUND": 1.26e9,
    "PERF_METRICS.BAD_SPECULATION": 0.54e9,
    "PERF_METRICS.BACKEND_BOUND": 1.8e9,
    "PERF_METRICS.RETIRING": 2.4e9,
}
# The same events as a kernel without names for them is asked for them (perf list --details of Sapphire
# Rapids).
CODES = {
    "TOPDOWN.SLOTS_P": "cpu/event=0xa4,umask=0x1/",
    "IDQ_BUBBLES.CORE": "cpu/event=0x9c,umask=0x1/",
    "INT_MISC.UOP_DROPPING": "cpu/event=0xad,umask=0x10/",
    "TOPDOWN.BACKEND_BOUND_SLOTS": "cpu/event=0xa4,umask=0x2/",
    "UOPS_RETIRED.SLOTS": "cpu/event=0xc2,umask=0x2/",
}


def machine(folder, without):
    """A Sapphire Rapids whose kernel shows none of these events."""
    root = folder / "-".join(("without", *without))
    if root.exists():
        return root
    shutil.copytree(SPR, root)
    for name in (root / EVENTS).iterdir():
        if any(name.name.startswith(prefix) for prefix in without):
            name.unlink()
    return root


def plan(*words):
    result = topdown("plan", "--format", "json", *words)
    check(result.returncode == 0, f"plan {words}: {result.stderr}")
    return json.loads(result.stdout)


def check_machine(root, form):
    """The form, and that level 1 can be counted without a warning."""
    result = topdown("plan", "--format", "json", "--sysroot", root)
    check_success(result, f"plan of {root.name}")
    found = json.loads(result.stdout)
    events = {event["name"] for run in found["runs"] for group in run["groups"] for event in group["events"]}
    check(found["form"] == form, f"{root.name}: form", found["form"])
    check(found["counters"]["perf_metrics"] == (form == "perf-metrics"), f"{root.name}: perf_metrics")
    check(not found["not_countable"], f"{root.name}: not countable", found["not_countable"])
    check(("TOPDOWN.SLOTS_P" in events) == (form == "general"), f"{root.name}: events", sorted(events))
    check(
        any(name.startswith("PERF_METRICS") for name in events) == (form != "general"),
        f"{root.name}: fields",
        sorted(events),
    )


def check_plans(folder):
    check_machine(SPR, "perf-metrics")
    check_machine(machine(folder, ("slots", "topdown-")), "general")
    check_machine(machine(folder, ("topdown-",)), "general")
    check(plan("--cpu", "spr")["form"] == "perf-metrics", "a named CPU has all that its kind has")
    check(plan("--cpu", "spr", "--form", "general")["form"] == "general", "--form general")
    check(
        plan("--cpu", "spr", "--form", "perf-metrics", "--sysroot", machine(folder, ("slots", "topdown-")))[
            "form"
        ]
        == "perf-metrics",
        "--form perf-metrics where the machine has none",
    )
    check(plan("--cpu", "zen4")["form"] is None, "a CPU with one form")


def check_fixed():
    """Without the fixed counter of slots there is no PERF_METRICS; without that of reference cycles their
    other code is counted."""
    check(plan("--cpu", "spr", "--fixed", "none")["form"] == "general", "no fixed counter, so no slots")
    check(plan("--cpu", "spr", "--fixed", "3")["form"] == "perf-metrics", "the fixed counter of slots")
    found = plan("--cpu", "spr", "--fixed", "none", "--form", "perf-metrics")
    check(
        not found["counters"]["perf_metrics"] and len(found["not_countable"]) == 4,
        "PERF_METRICS without slots",
        found["counters"],
    )
    for fixed, code in (("0-1", "cpu/event=0x3c,umask=0x1/"), ("2", "cpu/event=0x0,umask=0x3/")):
        groups = [group for run in plan("--cpu", "spr", "--fixed", fixed)["runs"] for group in run["groups"]]
        codes = {
            event["perf"]
            for group in groups
            for event in group["events"]
            if event["name"] == "CPU_CLK_UNHALTED.REF_TSC"
        }
        check(codes == {code}, f"reference cycles with the fixed counters {fixed}", codes)
    for fixed, words in (("0,2", "2 fixed (f0, f2)"), ("0-2", "3 fixed (f0 to f2)"), ("none", "0 fixed,")):
        screen = topdown("plan", "--cpu", "spr", "--fixed", fixed).stdout
        check(words in screen, f"--fixed {fixed} on the screen", screen)


def check_unpublished(folder):
    """Hybrids of whose P-core no form of perfmon is known, in a virtual machine without PERF_METRICS; 204 is
    Panther Lake's model."""
    for family, model, name in ((6, 204, "pantherlake:core"), (18, 1, "novalake:core")):
        root = folder / name
        shutil.copytree(SOURCE / "tests/machines/hybrid-unknown", root)
        for file in [*(root / EVENTS.replace("/cpu/", "/cpu_core/")).glob("topdown-*")]:
            file.unlink()
        (root / EVENTS.replace("/cpu/", "/cpu_core/") / "slots").unlink()
        cpuinfo = (root / "proc/cpuinfo").read_text(encoding="utf-8")
        cpuinfo = re.sub(
            r"(cpu family\t: )\d+", rf"\g<1>{family}", re.sub(r"(model\t\t: )\d+", rf"\g<1>{model}", cpuinfo)
        )
        (root / "proc/cpuinfo").write_text(cpuinfo, encoding="utf-8")
        result = topdown("plan", "-l2", "--format", "json", "--sysroot", root)
        check(result.returncode == 0, f"{name}: plan", result.stderr)
        found = json.loads(result.stdout)["parts"][0]
        there = {metric for run in found["runs"] for group in run["groups"] for metric in group["metrics"]}
        check(
            (found["cpu"], found["form"]) == (name, "general"), f"{name}: form", (found["cpu"], found["form"])
        )
        check(
            there >= LEVEL_1.keys() and not found["not_countable"], f"{name}: level 1", found["not_countable"]
        )


def check_report(what, file, form, *words):
    """Level 1 of the counts; with the head of the screen."""
    result = topdown("report", "--format", "json", "-l1", *words, file)
    check_success(result, what)
    found = json.loads(result.stdout)
    check(found["form"] == form, f"{what}: form", found["form"])
    values = {row["name"]: row["value"] for row in found["nodes"]}
    for name, wanted in LEVEL_1.items():
        check(
            values.get(name) is not None and abs(values[name] - wanted) < 1e-6,
            f"{what}: {name}",
            values.get(name),
        )
    screen = topdown("report", "-l1", "-v", *words, file).stdout
    check(("\nForm     general events" in screen) == (form == "general"), f"{what}: head", screen)


def flat(folder, name, counts):
    file = folder / name
    file.write_text(
        json.dumps({"format": "topdown-counts", "cpu": "sapphirerapids", "counts": counts}), encoding="utf-8"
    )
    return file


def perf(folder, name, counts):
    """As perf stat -x, prints them."""
    file = folder / name
    file.write_text(
        "".join(f"{value:.0f},,{event.lower()},1000000,100.00,,\n" for event, value in counts.items()),
        encoding="utf-8",
    )
    return file


def session(folder, name, **changes):
    saved = read_json(SESSION)
    row = saved["counts"][0]
    saved["counts"] = [
        {**copy.deepcopy(row), "event": event, "value": value, "raw": int(value)}
        for event, value in COUNTS.items()
    ]
    saved.update(changes, groups=1)
    file = folder / name
    file.write_text(json.dumps(saved), encoding="utf-8")
    return file


def check_reports(folder):
    coded = {CODES[name]: value for name, value in COUNTS.items()}
    check_report("flat counts", flat(folder, "flat", COUNTS), "general")
    check_report("flat counts by their codes", flat(folder, "coded", coded), "general")
    check_report("flat counts with both", flat(folder, "both", {**COUNTS, **FIELDS}), "perf-metrics")
    check_report(
        "flat counts with both, on request",
        flat(folder, "both", {**COUNTS, **FIELDS}),
        "general",
        "--form",
        "general",
    )
    check_report("perf stat", perf(folder, "perf", COUNTS), "general", "--cpu", "spr")
    check_report("a session that says so", session(folder, "said", form="general"), "general")
    check_report("a session of before", session(folder, "unsaid"), "general")
    check_failure(
        topdown("report", session(folder, "odd", form="both")),
        "a session of no known form",
        'form: it is "perf-metrics" or "general", not "both"',
    )
    machine_words = ("--sysroot", machine(folder, ("slots", "topdown-")))
    check_report(
        "perf stat of another machine on one without slots",
        perf(folder, "fields", {**FIELDS, "INT_MISC.UOP_DROPPING": 0.06e9}),
        "perf-metrics",
        *machine_words,
    )
    found = json.loads(topdown("report", "--format", "json", SESSION).stdout)
    check(found["form"] == "perf-metrics", "a session with slots", found["form"])


def check_sum(folder):
    """Of Ice Lake's general form each clear takes five slots away from level 1; that is said, as the
    reason."""
    file = folder / "clears"
    counts = {
        "TOPDOWN.SLOTS_P": 5e9,
        "IDQ_UOPS_NOT_DELIVERED.CORE": 1e9,
        "INT_MISC.UOP_DROPPING": 0,
        "TOPDOWN.BACKEND_BOUND_SLOTS": 1e9,
        "UOPS_RETIRED.SLOTS": 2e9,
        "INT_MISC.CLEARS_COUNT": 0.04e9,
    }
    file.write_text(
        json.dumps({"format": "topdown-counts", "cpu": "icelakex", "counts": counts}), encoding="utf-8"
    )
    notes = json.loads(topdown("report", "--format", "json", "-l1", file).stdout)["notes"]
    check(
        any("adds up to 96.0 %" in note and "clears" in note for note in notes),
        "why level 1 lacks four points",
        notes,
    )


def check_words(folder):
    lion = {"cpu": "lunarlake:core", "TOPDOWN.SLOTS_P": 8e9}
    file = folder / "lion"
    file.write_text(
        json.dumps(
            {
                "format": "topdown-counts",
                "cpu": lion.pop("cpu"),
                "counts": {**lion, "UOPS_RETIRED.SLOTS": 2e9},
            }
        ),
        encoding="utf-8",
    )
    screen = topdown("report", "-v", file).stdout
    check(
        "Form     general events that count what PERF_METRICS" in screen,
        "a core without a text of Intel's",
        screen,
    )
    formula = topdown("explain", "--cpu", "icx", "--form", "general", "Retiring").stdout
    check("UOPS_RETIRED.SLOTS / TOPDOWN.SLOTS_P" in formula, "explain --form general", formula)


def main():
    with temporary() as folder:
        check_plans(folder)
        check_fixed()
        check_unpublished(folder)
        check_reports(folder)
        check_sum(folder)
        check_words(folder)
    finish()


main()
