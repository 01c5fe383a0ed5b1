#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""saved_series.py - a session of -I keeps its intervals: report says of each what the measurement said, a
page has the timeline, and so has a page that is made of it. A session whose intervals were made by hand from
docs/FORMATS.md is read as it is meant."""
import json
import sys

import hand_series

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_success, finish, read_json, skip, soft_pmu, temporary, topdown

# Page faults and waits in one process, which is sampled whatever the machine; until the file has six reports.
PROGRAM = """
import mmap, sys, time
while open(sys.argv[1]).read().count("\\n") < 6:
    for _ in range(20):
        memory = mmap.mmap(-1, 4096 * 40)
        for page in range(40):
            memory[4096 * page] = 1
        memory.close()
    time.sleep(0.001)
"""


def program(out):
    out.touch()
    return [sys.executable, "-c", PROGRAM, out]


NODES = [
    soft_pmu.node("minor", "MINOR / FAULTS", "minor > 0.01", "MINOR"),
    soft_pmu.node("rate", "FAULTS / (FAULTS + SWITCHES + 20)", "rate > 2"),
]
SESSION = SOURCE / "docs/sample-session.json"


def documents(text):
    return [json.loads(line) for line in text.splitlines() if line[:1] == "{"]


def brief(document):
    """What an interval's report says."""
    nodes = {node["name"]: (node["value"], node["quality"]) for node in document["nodes"]}
    software = {row["name"]: row["value"] for row in document.get("software", [])}
    summary = {
        key: document["summary"][key]
        for key in ("wall_s", "cpus_used", "cycles", "instructions", "groups", "scope")
    }
    return document["interval"], nodes, software, summary


def near(a, b):
    if isinstance(a, dict) or isinstance(a, (list, tuple)):
        keys = a.keys() if isinstance(a, dict) else range(len(a))
        return len(a) == len(b) and all(near(a[key], b[key]) for key in keys)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1e-3)
    return a == b


def check_same(name, said, again):
    check(len(said) == len(again) >= 3, f"{name}: intervals", (len(said), len(again)))
    for one, other in zip(said, again):
        check(near(brief(one), brief(other)), f"{name}: {one['interval']}", (brief(one), brief(other)))


def check_measured(folder, machine, name, options):
    saved, out, page, second = (
        folder / f"{name}.{ending}" for ending in ("json", "out", "html", "second.html")
    )
    result = topdown(
        *machine,
        "-l1",
        "-I",
        "100",
        *options,
        "--format",
        "json",
        "-o",
        out,
        "--save",
        saved,
        "--",
        *program(out),
    )
    if result.returncode and name == "cpus":
        print(f"skipped: whole CPUs: {result.stderr.strip()}")
        return
    check_success(result, name)
    said = documents(out.read_text(encoding="utf-8"))
    session = read_json(saved)["series"]
    check(
        session["each"] == 1 and session["kept"] == session["intervals"] == len(said) - 1,
        f"{name}: all are kept",
        session["intervals"],
    )
    again = documents(topdown("report", *machine, "--format", "json", saved).stdout)
    if name != "cpus":
        check_same(name, said[:-1], again[:-1])
    check(
        len(again) == len(said) and again[-1]["interval"] is None,
        f"{name}: all of the time at the end",
        len(again),
    )
    check_success(topdown("report", *machine, "--embed", "-o", page, saved), f"{name}: page")
    check_success(
        topdown("report", *machine, "--format", "html", "-o", second, page), f"{name}: page of the page"
    )
    for file in (page, second):
        text = file.read_text(encoding="utf-8")
        check(
            "Over time" in text
            and "Context switches over time" in text
            and "Minor page faults over time" in text,
            f"{name}: {file.name}: the timeline, with what the kernel counts",
            len(text),
        )
    ticket = topdown("report", *machine, "--format", "markdown", saved)
    check_success(ticket, f"{name}: a ticket")
    check(
        "[all of the time]" not in ticket.stdout and ticket.stdout.count("## ") >= 5,
        f"{name}: a ticket is about all of the time",
        ticket.stdout[:300],
    )


def check_functions(folder, machine):
    saved, out = folder / "functions.json", folder / "functions.out"
    result = topdown(
        *machine,
        "-l1",
        "-I",
        "200",
        "--functions",
        "--format",
        "json",
        "-o",
        out,
        "--save",
        saved,
        "--",
        *program(out),
    )
    check(
        result.returncode == 0 and "leave it no counter" in result.stderr,
        "functions: by the clock, as there are two counters",
        result.stderr,
    )
    said = documents(out.read_text(encoding="utf-8"))
    again = documents(topdown("report", *machine, "--functions", "--format", "json", saved).stdout)
    samples = [
        [
            sum(row["samples"] for row in document.get("profile", {}).get("functions", []))
            for document in both[:-1]
        ]
        for both in (said, again)
    ]
    check(
        len(said) == len(again) and all(a <= b for a, b in zip(*samples)) and sum(samples[1]) > 0,
        "functions: of each interval",
        samples,
    )
    check(
        "profile" not in documents(topdown("report", *machine, "--format", "json", saved).stdout)[0],
        "functions: only where they are asked for",
    )


def check_by_hand(folder):
    """Two intervals: a quarter of all counts, and three quarters."""
    session = read_json(SESSION)
    spans = [(0, 0.25, 0.25), (0.25, 1.5, 0.75)]
    file = folder / "hand.json"
    file.write_text(json.dumps({**session, "series": hand_series.made([session], spans)}), encoding="utf-8")
    first, second, whole = documents(topdown("report", "--format", "json", file).stdout)
    for document, (begin, end, share) in zip((first, second), spans):
        check(
            near(document["interval"], {"from_s": begin, "to_s": end}),
            "by hand: its time",
            document["interval"],
        )
        check(
            near(document["summary"]["cycles"], whole["summary"]["cycles"] * share),
            "by hand: its cycles",
            document["summary"],
        )
        values, all_values = (
            {node["name"]: node["value"] for node in one["nodes"]} for one in (document, whole)
        )
        exact = [name for name in values if values[name] is not None]
        check(
            len(exact) >= 4
            and all(
                abs(values[name] - all_values[name]) < 1
                for name in exact
                if name in ("tma_retiring", "tma_backend_bound")
            ),
            "by hand: shares are those of all of the time",
            (values, all_values),
        )
        switches = {row["name"]: row["value"] for row in document["software"]}.get("context_switches")
        check(switches == round(1000 * share), "by hand: context switches", switches)
    for key, value in (
        ("data", "AAAA"),
        ("data", "no base64!"),
        ("kept", 3),
        ("parts", []),
        ("reasons", 5),
        ("intervals", 0),
        ("software", [1]),
    ):
        broken = {**session, "series": {**hand_series.made([session], spans), key: value}}
        file.write_text(json.dumps(broken), encoding="utf-8")
        result = topdown("report", file)
        check(
            result.returncode == 125 and "series" in result.stderr,
            f"by hand: {key} {value!r} is refused",
            result.stderr,
        )


def check_rows(folder):
    """Intervals that follow each other with the same values are one row of a screen; -v has each."""
    session = read_json(SESSION)
    spans = [(0, 0.25, 0.25), (0.25, 0.75, 0.25), (0.75, 1.5, 0.5)]
    file = folder / "rows.json"
    file.write_text(json.dumps({**session, "series": hand_series.made([session], spans)}), encoding="utf-8")
    lines = topdown("report", file).stdout.splitlines()
    heads = [line for line in lines if line.lstrip().startswith("Seconds")]
    rows = [line for line in lines if line.endswith("x)")]
    check(len(heads) == 1 and len(rows) == 1, "one row", lines[:8])
    check(rows and rows[0].split()[0] == "0.00-1.50" and rows[0].endswith(" (3x)"), "of all", rows)
    check(lines.index(rows[0]) == lines.index(heads[0]) + 1, "below its head", lines[:8])
    text = topdown("report", "-v", file).stdout
    check("x)" not in text and text.count("Retiring ") >= 4, "-v: each has its tree", text[:500])


def main():
    with temporary() as folder:
        check_by_hand(folder)
        check_rows(folder)
        soft_pmu.FILES["db/models/soft.json"] = json.dumps(
            {"Header": {"Cpu": "soft", "Version": "1"}, "Metrics": NODES}
        )
        machine = soft_pmu.soft_pmu(folder)
        probe = topdown(*machine, "-l1", "--", "true")
        if probe.returncode:
            skip(f"this user can't count the kernel's software events: {probe.stderr.strip()}")
        check_measured(folder, machine, "program", ["--interval-plan", "rotate"])
        check_measured(folder, machine, "cpus", ["-a", "--per-cpu"])
        check_functions(folder, machine)
    finish()


main()
