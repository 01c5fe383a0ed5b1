#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""repeats.py - a session of five repeats: what each of them says for itself, against mean, deviation and
interval in each format."""
import copy
import csv
import io
import json
import math
import random
import statistics
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_all, check_success, finish, read_json, temporary, topdown

SESSION = SOURCE / "docs/sample-session.json"
REPEATS = 5
STUDENT = 2.776  # two-sided 95 % point for four degrees of freedom, of the printed tables
FIGURES = ("wall_s", "cpus_used", "instructions", "cycles", "ipc", "ghz")


def vary(session, draw):
    """The same session with other counts and times, as another measurement might have had them."""
    other = copy.deepcopy(session)
    for count in other["counts"]:
        if count["value"] is not None:
            count["value"] *= 1 + draw.uniform(-0.02, 0.02)
    for run in other["runs"]:
        run["wall_s"] *= 1 + draw.uniform(-0.1, 0.1)
    return other


def joined(sessions):
    whole = copy.deepcopy(sessions[0])
    keys = ("planned_runs", "groups", "runs", "counts")
    whole["repeats"] = [{key: session[key] for key in keys} for session in sessions[1:]]
    whole["planned_repeats"] = len(sessions)
    return whole


def report(folder, session, *words):
    path = folder / "session.json"
    path.write_text(json.dumps(session), encoding="utf-8")
    result = topdown("report", *words, path)
    check_success(result, f"report {words}")
    return result.stdout


def is_near(found, expected, tolerance=1e-9):
    return found is not None and math.isclose(found, expected, rel_tol=tolerance, abs_tol=1e-9)


def check_spread(what, found, values):
    deviation = statistics.stdev(values)
    check(found["n"] == len(values), f"{what}: n", found)
    check(is_near(found["stddev"], deviation), f"{what}: deviation {deviation}", found)
    check(len(found["values"]) == len(values), f"{what}: values", found)
    check(all(map(is_near, found["values"], values)), f"{what}: each value {values}", found)
    check(
        is_near(found["ci95"], STUDENT * deviation / math.sqrt(len(values)), 2e-4), f"{what}: interval", found
    )


def check_json(whole, parts):
    for kind in ("nodes", "metrics"):
        for item in whole[kind]:
            name = item["name"]
            values = [other["value"] for part in parts for other in part[kind] if other["name"] == name]
            values = [value for value in values if value is not None]
            if len(values) < REPEATS:
                continue
            check(is_near(item["value"], statistics.mean(values)), f"{name}: mean of {values}", item["value"])
            check_spread(name, item, values)
    for figure in FIGURES:
        values = [part["summary"][figure] for part in parts]
        check(
            is_near(whole["summary"][figure], statistics.mean(values)),
            f"{figure}: mean of {values}",
            whole["summary"][figure],
        )
        check_spread(figure, whole["summary"]["spread"][figure], values)
    check(whole["summary"]["repeats"] == REPEATS, "repeats", whole["summary"])
    check(len(whole["runs"]) == REPEATS * len(parts[0]["runs"]), "runs of all repeats", len(whole["runs"]))
    check(
        "n" not in parts[0]["nodes"][0] and "spread" not in parts[0]["summary"],
        "one measurement has no spread",
    )


def check_other_formats(folder, session, whole):
    sheet = csv.DictReader(io.StringIO(report(folder, session, "--format", "csv")))
    rows = {row["name"]: row for row in sheet if row["kind"] == "node"}
    for node in whole["nodes"]:
        row = rows[node["name"]]
        if node["value"] is not None:
            check_all(
                ("n", "stddev", "ci95"),
                lambda key: is_near(float(row[key]), node[key]),
                f"csv: {node['name']}",
            )
    text = report(folder, session)
    worst = next(node for node in whole["nodes"] if node["bottleneck"])
    check(f"{worst['value']:.1f} ±{worst['ci95']:.1f} %" in text, f"text: {worst['title']}", text)
    check(
        "; 5 repeats, " in text and "± 95 % interval of the mean of 5 repeats" in text,
        "text: what it is",
        text,
    )
    percent = 100 * whole["summary"]["spread"]["wall_s"]["ci95"] / whole["summary"]["wall_s"]
    text = report(folder, session, "-v")
    check(f"±{percent:.1f} % wall" in text, f"text: wall time, {percent}", text)
    check(
        f"{worst['value']:.1f} ±{worst['ci95']:.1f} |" in report(folder, session, "--format", "markdown"),
        "markdown",
    )


def check_bad(folder, session):
    """A repeat is checked like the rest of the file, and the message says which one is wrong."""
    session["repeats"][2]["counts"][0]["run"] = 99
    path = folder / "bad.json"
    path.write_text(json.dumps(session), encoding="utf-8")
    result = topdown("report", path)
    check(
        result.returncode == 125 and "repeats[2]: counts[0].run" in result.stderr,
        "a wrong repeat",
        result.stderr,
    )


def main():
    draw = random.Random(1)
    first = read_json(SESSION)
    sessions = [vary(first, draw) for _ in range(REPEATS)]
    with temporary() as folder:
        parts = [json.loads(report(folder, session, "--format", "json")) for session in sessions]
        whole = json.loads(report(folder, joined(sessions), "--format", "json"))
        check_json(whole, parts)
        check_other_formats(folder, joined(sessions), whole)
        unmade = joined(sessions)
        unmade["planned_repeats"] = 9
        check(
            "Only 5 of 9 repeats were made" in report(folder, unmade), "a series that ended early is reported"
        )
        check_bad(folder, joined(sessions))
    result = topdown("-r", "3", "-I", "100", "-l1", "true")
    check(result.returncode == 125 and "--repeat" in result.stderr, "-r with -I", result.stderr)
    for words in (("-D", "-1"), ("--control", "fifo")):
        result = topdown("-r", "3", *words, "-l1", "true")
        check(result.returncode == 125 and "--repeat" in result.stderr, f"-r with {words[0]}", result.stderr)


main()
finish()
