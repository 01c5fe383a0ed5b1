#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""what_if.py - reports of sessions with chosen --what-if results: intervals of speed-ups, which of two close
causes is the worst, and what came out slower. tests/simulated/what_if.py simulates."""
import copy
import json
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_success, finish, read_json, temporary, topdown

SIMULATED = (
    SOURCE / "tests/cli/formats/simulated.json"
)  # of a sample; nearly all slots are lost to the divider
TITLES = {"divider": "Divider", "dependencies": "Dependency_Chains"}
NODES = {"divider": "tma_divider", "dependencies": "dependency_chains"}
SURE, UNSURE = 0.001, 0.1  # half intervals of a trial's cycles, as parts of them

# Percent of the slots that divisions and chains lost, speed-ups without them (None: not tried), how sure they
# are; the worst node; how the sentence about it ends (None: there is none).
DECISIONS = (
    ("the smaller share gains more", (48, 45), (1.05, 1.6), SURE, "dependencies", "is the worst."),
    ("the larger share gains more", (48, 45), (1.6, 1.05), SURE, "divider", "is still the worst."),
    ("nobody is sure", (48, 45), (1.05, 1.15), UNSURE, "divider", "is still the worst."),
    ("chains are worst, and gain less", (45, 48), (1.6, 1.05), SURE, "divider", "is the worst."),
    ("the much smaller share gains more", (51, 42), (1.05, 1.6), SURE, "dependencies", "is the worst."),
    ("the much larger share gains more", (51, 42), (1.6, 1.05), SURE, "divider", None),
    ("one was not tried", (48, 45), (None, 1.6), SURE, "divider", None),
    ("neither was tried", (48, 45), (None, None), SURE, "divider", None),
)


def count_of(session, event):
    return next(count for count in session["counts"] if count["event"] == event)


def changed(shares, speedups, unsure):
    """The session with other shares of its slots, and these trials."""
    session = copy.deepcopy(read_json(SIMULATED))
    slots, cycles = (count_of(session, event)["value"] for event in ("slots.all", "core.cycles"))
    for event, share in zip(("lost.divider", "lost.dependency"), shares):
        count = count_of(session, event)
        count["value"] = count["raw"] = round(slots * share / 100)
    session["what_if"] = [
        {
            "name": name,
            "what": "the cause is gone",
            "cycles": cycles / speedup,
            "cycles_ci95": unsure * cycles / speedup,
            "nodes": [NODES[name]],
        }
        for name, speedup in zip(("divider", "dependencies"), speedups)
        if speedup
    ]
    return session


def reported(path, session, *options):
    path.write_text(json.dumps(session), encoding="utf-8")
    result = topdown("report", "--format", "json", *options, path)
    check_success(result, "report")
    return json.loads(result.stdout)


def check_decisions(path):
    for what, shares, speedups, unsure, worst, end in DECISIONS:
        session = changed(shares, speedups, unsure)
        report = reported(path, session)
        way = [node["title"] for node in report["nodes"] if node["worst_path"]]
        said = [note for note in report["notes"] if "--what-if decides" in note]
        check(way == ["Backend_Bound", "Core_Bound", TITLES[worst]], f"{what}: the worst", way)
        check(report["advice"]["node"] == NODES[worst], f"{what}: advice", report["advice"])
        check([note.endswith(f"{TITLES[worst]} {end}") for note in said] == [True] * bool(end), what, said)
        close = [note for note in report["notes"] if "it is close" in note]
        check(len(close) == (not end and abs(shares[0] - shares[1]) < 5), f"{what}: said once", close)
        text = " ".join(topdown("report", path).stdout.split())
        check(all(note in text for note in said), f"{what}: text", text)
        for trial in session["what_if"][:1]:
            trial["cycles"] = None
        notes = reported(path, session)["notes"]
        check(not any("decides" in note for note in notes), f"{what}: a speed-up is unknown", notes)


def check_intervals(path):
    """Both runs' parts together; none where the trial was not sampled."""
    session = changed((48, 45), (2.0, 1.5), 0.01)
    del session["what_if"][1]["cycles_ci95"]
    report = reported(path, session)
    summary, (first, second) = report["summary"], report["what_if"]
    expected = 2 * (summary["sampling"]["cycles_ci95"] / summary["cycles"] + 0.01)
    check(abs(first["ci95"] / expected - 1) < 1e-9, "the interval", (first, expected))
    check(second["ci95"] is None, "no interval", second)
    text = topdown("report", path).stdout
    check(f"2.00x ±{expected:.2f}" in text and "1.50x  " in text, "text", text)
    check("Behind ± is the 95 % interval" in text, "what it is", text)
    for trial in session["what_if"]:
        trial.pop("cycles_ci95", None)
    reported(path, session)
    check("Behind ±" not in topdown("report", path).stdout, "a whole simulation has none")


def check_slower(path):
    """Beyond its interval, and unless a part was made smaller."""
    session = changed((48, 45), (0.5, 0.98), UNSURE)
    session["what_if"].append({**session["what_if"][0], "name": "l1=half", "nodes": []})
    notes = reported(path, session)["notes"]
    slower = [note for note in notes if "came out slower" in note]
    check(
        len(slower) == 1 and slower[0].startswith("--what-if divider came out slower, 0.50"), "slower", notes
    )


def check_proposed(path):
    """Where another cause is within five points of the worst, the next command tries both; where it was
    tried, or the causes are far apart, it doesn't."""
    for shares, speedups, is_proposed in (
        ((48, 45), (None, None), True),
        ((51, 42), (None, None), False),
        ((48, 45), (1.6, 1.05), False),
    ):
        report = reported(path, changed(shares, speedups, SURE), "-l9")
        check(
            ("--what-if worst" in (report["look_closer"] or "")) == is_proposed,
            f"{shares} {speedups}: look closer",
            report["look_closer"],
        )


LOST = {"mispredict": 20, "resteer": 19, "l3": 25}  # percent of the slots


def check_joined(path):
    """Two halves of one cause, of which each is smaller than another node, and both together larger."""
    for lost, worst, value in (
        (LOST, "tma_branch_mispredicts", 39),
        ({**LOST, "resteer": 21}, "tma_mispredicts_resteers", 41),
        ({**LOST, "mispredict": 12, "resteer": 11}, "tma_l3_bound", 25),
    ):
        session = copy.deepcopy(read_json(SIMULATED))
        for count in session["counts"]:
            if count["event"].startswith("lost."):
                count["value"] = count["raw"] = lost.get(count["event"].removeprefix("lost."), 0) * 10**7
            elif count["event"] in ("slots.all", "slots.retired"):
                retired = 100 - sum(lost.values())
                count["value"] = count["raw"] = 10**7 * (100 if count["event"] == "slots.all" else retired)
        report = reported(path, session, "-l4")
        ends = [node["name"] for node in report["nodes"] if node["worst_path"]]
        check(ends[-1] == worst, f"{lost}: the worst", ends)
        verdict = report["verdict"]
        check(
            verdict["nodes"][0] == worst and abs(verdict["value"] - value) < 0.01,
            f"{lost}: the verdict",
            verdict,
        )


def main():
    with temporary() as folder:
        path = folder / "session.json"
        check_decisions(path)
        check_intervals(path)
        check_slower(path)
        check_joined(path)
        check_proposed(path)
    finish()


main()
