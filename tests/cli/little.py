#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""little.py - reports of a program that hardly ran, or mostly waited, from counts of a PMU: what is remarked,
and when there is no advice."""
import copy
import json
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_all, check_success, finish, read_json, temporary, topdown

SESSION = SOURCE / "docs/sample-session.json"  # a program that computes all of its time
SIMULATED = SOURCE / "tests/cli/formats/simulated.json"
START, WAITS, SHORT = (
    "starting a program takes about as many",
    "mostly waited",
    "executed while it was counted",
)
OFF = "was off CPU"


def changed(session, times=None, instructions=None, **members):
    """With other times of each run, and so much work."""
    other = copy.deepcopy(session)
    other.update(members)
    for run in other["runs"]:
        run.update(times or {})
    executed = max(count["value"] or 0 for count in session["counts"] if count["event"] == "INST_RETIRED.ANY")
    for count in other["counts"] if instructions else []:
        if count["value"] is not None:
            count["value"] *= instructions / executed
    return other


def check_case(path, what, session, remarks):
    path.write_text(json.dumps(session), encoding="utf-8")
    result = topdown("report", "--format", "json", path)
    check_success(result, what)
    report = json.loads(result.stdout)
    notes = " ".join(report["notes"])
    for remark in (START, WAITS, SHORT):
        check((remark in notes) == (remark in remarks), f"{what}: '{remark}'", report["notes"])
    check((report["advice"]["try"] is None) == bool(remarks), f"{what}: advice", report["advice"])
    for form in ("text", "markdown"):
        printed = " ".join(topdown("report", "--format", form, path).stdout.split())
        check_all(remarks, lambda remark: remark in printed, f"{what}: {form}", least=0)
        has_advice = "Try " in printed if form == "text" else "None: " not in printed
        check(has_advice == (not remarks), f"{what}: {form} has advice", printed)
    return notes


def check_simulated(folder):
    """A simulator's time is not the program's: only its native run says that it waited, and one that others
    delayed does not."""
    recorded = read_json(SIMULATED)
    slow = {"wall_s": 6.0, "cpu_s": 1.2, "preemptions": 150}
    natively = {"wall_s": 2.0, "cpu_s": 0.3, "user_s": 0.3, "hz": 3e9, "preemptions": 2, "reason": None}
    cases = (
        ("no native run", None, ()),
        ("a native run that waits", natively, (WAITS,)),
        ("one that computes", {**natively, "cpu_s": 1.9}, ()),
        ("one that others delayed", {**natively, "preemptions": 60}, ()),
    )
    off_cpu = {"wall_s": 2.0, "cpu_s": 1.2, "user_s": 1.2, "hz": 3e9, "preemptions": 2, "reason": None}
    off_cpu["software"] = [{"name": "task_clock_s", "value": 1.2, "source": "perf"}]
    cases += (
        ("one that sleeps now and then", off_cpu, (OFF,)),
        ("one whose CPU others had", {**off_cpu, "waited_s": 0.7}, ()),
        ("one that often had to leave it", {**off_cpu, "preemptions": 60}, ()),
        ("one of which both is known", {**off_cpu, "preemptions": 60, "waited_s": 0.3}, (OFF,)),
    )
    for name, anchor, wanted in cases:
        session = copy.deepcopy(recorded)
        session["runs"][0].update(slow)
        session.pop("anchor", None)
        if anchor:
            session["anchor"] = anchor
        (folder / "simulated.json").write_text(json.dumps(session), encoding="utf-8")
        notes = " ".join(
            json.loads(topdown("report", "--format", "json", folder / "simulated.json").stdout)["notes"]
        )
        for remark in (WAITS, OFF):
            check((remark in notes) == (remark in wanted), f"simulated, {name}: '{remark}'", notes)


def check_asleep(folder):
    """What hardly executes anything sleeps as long as in the simulation, without any native run."""
    recorded = read_json(SIMULATED)
    for name, run, waits in (
        ("sleeps", {"wall_s": 0.6, "cpu_s": 0.24, "preemptions": 40}, True),
        ("is only started", {"wall_s": 0.3, "cpu_s": 0.24, "preemptions": 2}, False),
        ("others had the CPU", {"wall_s": 0.6, "cpu_s": 0.24, "preemptions": 100}, False),
    ):
        session = copy.deepcopy(recorded)
        session.pop("anchor", None)
        session["runs"][0].update(run)
        for count in session["counts"]:
            count["value"] = count["raw"] = count["value"] and count["value"] // 200
        (folder / "asleep.json").write_text(json.dumps(session), encoding="utf-8")
        report = json.loads(topdown("report", "--format", "json", folder / "asleep.json").stdout)
        check(report["verdict"]["kind"] == "start", f"{name}: a start", report["verdict"])
        check(report["verdict"]["waited"] == waits, f"{name}: it waited", report["verdict"])
        check(("It waited for about 0.2 s" in " ".join(report["notes"])) == waits, name, report["notes"])


def check_windows(folder):
    """How sure few windows are is a question where they stand for something that was not modelled."""
    recorded = read_json(SIMULATED)
    for windows, modelled, wanted in (
        (8, 0.05, True),
        (8, 0.89, True),
        (8, 0.977, False),
        (488, 0.05, False),
    ):
        session = copy.deepcopy(recorded)
        counts = {count["event"]: count for count in session["counts"]}
        counts["sample.windows"]["value"] = windows
        counts["inst.modelled"]["value"] = round(modelled * counts["inst.retired"]["value"])
        (folder / "windows.json").write_text(json.dumps(session), encoding="utf-8")
        result = topdown("report", "--format", "json", folder / "windows.json")
        notes = " ".join(json.loads(result.stdout)["notes"])
        check((f"Only {windows} windows" in notes) == wanted, f"{windows} windows, {modelled}", notes)


def check_done(folder):
    """Advice does not send to what the report has already."""
    lost = {"lost.divider": "lost.dependency", "lost.dependency": "lost.divider"}
    session, path = read_json(SIMULATED), folder / "chains.json"
    for count in session["counts"]:
        count["event"] = lost.get(count["event"], count["event"])
    path.write_text(json.dumps(session), encoding="utf-8")
    for words, named in (((), True), (("--functions",), True), (("--lines",), False)):
        said = json.loads(topdown("report", "--format", "json", *words, path).stdout)["advice"]
        check(
            said["try"].startswith("Break chains") and ("--lines names" in said["try"]) == named,
            f"advice beside {words}",
            said,
        )


with temporary() as folder:
    recorded = read_json(SESSION)
    waiting = {"wall_s": 2.0, "cpu_s": 0.3}
    cases = (
        ("as recorded", changed(recorded), ()),
        ("half of the time", changed(recorded, {"wall_s": 2.0, "cpu_s": 1.01}), ()),
        ("less than half", changed(recorded, {"wall_s": 2.0, "cpu_s": 0.99}), (WAITS,)),
        ("a short wait", changed(recorded, {"wall_s": 0.3, "cpu_s": 0.1}), ()),
        ("several threads", changed(recorded, {"wall_s": 2.0, "cpu_s": 6.0}), ()),
        ("others had the CPU", changed(recorded, {**waiting, "preemptions": 300}), ()),
        (
            "a machine with others",
            changed(recorded, {"wall_s": 1.5, "cpu_s": 0.01, "preemptions": 120}),
            (WAITS,),
        ),
        ("others had it all along", changed(recorded, {**waiting, "waited_s": 1.0}), ()),
        ("a few preemptions", changed(recorded, {**waiting, "preemptions": 5}), (WAITS,)),
        ("an unknown time", changed(recorded, {"wall_s": 2.0, "cpu_s": None}), ()),
        ("few instructions", changed(recorded, instructions=1_200_000), (START,)),
        ("enough", changed(recorded, instructions=3_100_000), ()),
        ("both", changed(recorded, waiting, 1_200_000), (START, WAITS)),
        (
            "a process that was there",
            changed(recorded, waiting, 1_200_000, selector="-p 17", target="process 17"),
            (SHORT, WAITS),
        ),
        ("that works", changed(recorded, {}, 3_100_000, selector="-p 17", target="process 17"), ()),
        ("that waits", changed(recorded, waiting, selector="-p 17", target="process 17"), (WAITS,)),
        (
            "that ended",
            changed(recorded, {**waiting, "target_ended": True}, selector="-p 17", target="process 17"),
            (),
        ),
        ("a core type's part", changed(recorded, {}, 1_200_000, part="cpu_atom"), ()),
    )
    for name, content, wanted in cases:
        words = check_case(folder / "session.json", name, content, wanted)
        check(
            name != "both" or "Only 1.20 M instructions" in words and "it used 0.15 CPUs" in words,
            f"{name}: the figures",
            words,
        )
    check_simulated(folder)
    check_asleep(folder)
    check_windows(folder)
    check_done(folder)
finish()
