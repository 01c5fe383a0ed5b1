#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""brief.py - what programs with little room read: --format brief of every kind of session and command, at
most 4096 bytes, and the same twice; --budget in four forms. What is left is what the whole has, and what is
left out is counted."""
import json
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_all, check_failure, check_success, finish, temporary, topdown

BRIEF = 4096
SESSION = SOURCE / "docs/sample-session.json"
PROFILE = SOURCE / "docs/sample-profile.json"
GOLDEN = sorted((SOURCE / "tests/golden").glob("*/counts.json"))


def sessions():
    """All files of the repository that are sessions, counts or profiles."""
    for folder in ("tests", "docs"):
        for path in sorted((SOURCE / folder).rglob("*.json*")):
            if topdown("report", "--format", "json", path).returncode == 0:
                yield path


def first_object(text):
    return json.JSONDecoder().raw_decode(text)[0]


def check_size(text, what):
    """One object on one line, small enough."""
    check(len(text.encode()) <= BRIEF, f"{what}: at most {BRIEF} bytes", len(text.encode()))
    check(text.count("\n") == 1, f"{what}: one line", text)
    return json.loads(text)


def brief_of(words, what):
    """The object, which is the same again."""
    result = topdown(*words, "--format", "brief")
    check_success(result, what)
    check(topdown(*words, "--format", "brief").stdout == result.stdout, f"{what}: the same bytes twice")
    return check_size(result.stdout, what)


def near(one, other):
    """The same number with six digits."""
    return one == other or (None not in (one, other) and abs(one - other) <= 1e-5 * abs(other))


def check_tree(brief, report, what):
    """The rows are those of the whole report; the others are counted."""
    whole = {node["title"]: node for node in report["nodes"]}
    for row in brief["tree"]:
        node = whole[row["node"]]
        check(near(row["value"], node["value"]), f"{what}: {row['node']}", (row, node["value"]))
        check(row["bottleneck"] == bool(node["bottleneck"]), f"{what}: {row['node']}: bottleneck", row)
    wanted = {
        title
        for title, node in whole.items()
        if node["value"] is not None and (node["level"] == 1 or node["bottleneck"])
    }
    shown = {row["node"] for row in brief["tree"]}
    check(wanted <= shown, f"{what}: level 1 and all bottlenecks", shown)
    check(
        brief["omitted"]["nodes"] == len(whole) - len(brief["tree"])
        and brief["omitted"]["metrics"] == len(report["metrics"]),
        f"{what}: what is left out is counted",
        brief["omitted"],
    )


def check_sessions():
    seen = trees = 0
    for path in sessions():
        what = str(path.relative_to(SOURCE))
        brief = brief_of(("report", path), what)
        report = first_object(topdown("report", "--format", "json", path).stdout)
        check(brief["format"] == "topdown-brief" and brief["verdict"]["answer"], f"{what}: a verdict", brief)
        seen += 1
        if report["format"] == "topdown-report" and "interval" not in report and "tree" in brief:
            check_tree(brief, report, what)
            trees += 1
    check(seen >= 30 and trees >= 15, "sessions of all kinds", (seen, trees))


def check_commands(folder):
    """Every command has the form."""
    limits = folder / "limits.json"
    limits.write_text(
        '{"format":"topdown-limits","version":1,"limits":[{"metric":"cycles","max":1e12}]}', encoding="utf-8"
    )
    for words in (
        ("compare", GOLDEN[0], GOLDEN[0]),
        ("compare", SESSION, SESSION),
        ("plan", "--cpu", "sapphirerapids"),
        ("list", "cpus"),
        ("list", "events", "--cpu", "skylakex"),
        ("explain", "--cpu", "zen4", "Retiring"),
        ("metrics", "--cpu", "neoverse-n1"),
        ("report", "--roofline", SOURCE / "docs/sample-roofline.json"),
        ("report", "--lines", PROFILE),
    ):
        brief_of(words, " ".join(map(str, words)))
    for words in (
        ("doctor",),
        ("sample", "--no-last", "true"),
        ("--pmu=sim", "--no-last", "true"),
        ("gate", "--pmu=sim", "--limits", limits, "--", "true"),
    ):
        result = topdown(words[0], "--format", "brief", *words[1:])
        check_size(result.stdout or result.stderr, words[0])
    listed = brief_of(("list", "metrics", "--cpu", "zen4"), "a long list")
    whole = json.loads(topdown("list", "metrics", "--cpu", "zen4", "--format", "json").stdout)
    check(
        len(listed["metrics"]) + listed["omitted"]["metrics"] == len(whole["metrics"])
        and listed["metrics"] == whole["metrics"][: len(listed["metrics"])],
        "a list's first rows, and how many there are besides",
        listed["omitted"],
    )


def check_lines(form):
    """Of text, Markdown and CSV the first whole lines are left."""
    whole = topdown("report", "-v", "--format", form, SESSION).stdout
    result = topdown("report", "-v", "--format", form, "--budget", "2000", SESSION)
    check_success(result, form)
    size = len(result.stdout.encode())
    check(size <= 2000 < len(whole.encode()), f"{form}: 2000 bytes", size)
    kept, _, last = result.stdout.rstrip("\n").rpartition("\n")
    check("omitted: " in last, f"{form}: the last line says so", last)
    kept = kept.removesuffix("\n") + "\n" if form == "markdown" else kept + "\n"
    check(len(kept) > 1000 and whole.startswith(kept), f"{form}: its beginning", kept)
    left = int(last.split("omitted: ")[1].split()[0])
    check(left == whole[len(kept) :].count("\n"), f"{form}: the number of lines", (left, last))


def check_json_budget():
    """The verdict stays, and of the nodes the bottlenecks longest."""
    whole = json.loads(topdown("report", "--format", "json", SESSION).stdout)
    marked = [node["name"] for node in whole["nodes"] if node["bottleneck"]]
    for budget in (1024, 2000, 5000, 10000, 20000):
        text = topdown("report", "--format", "json", "--budget", str(budget), SESSION).stdout
        report = json.loads(text)
        check(len(text.encode()) <= budget, f"JSON: {budget} bytes", len(text.encode()))
        check(report["verdict"]["answer"] == whole["verdict"]["answer"], f"JSON: {budget}: the verdict", text)
        kept = [node["name"] for node in report.get("nodes", [])]
        if len(kept) >= len(marked):
            check_all(marked, lambda name: name in kept, f"JSON: {budget}: bottlenecks stay longest")
        if "nodes" in report:
            check(
                len(kept) + report["omitted"].get("nodes", 0) == len(whole["nodes"]),
                f"JSON: {budget}: the nodes that are left out",
                report["omitted"],
            )
    check(0 < len(kept) < len(whole["nodes"]), "JSON: some nodes", kept)


def check_budget():
    for form in ("text", "markdown", "csv"):
        check_lines(form)
    check_json_budget()
    text = topdown("report", SESSION).stdout
    check(topdown("report", "--budget", "9000", SESSION).stdout == text, "what fits is as it was")
    check_failure(topdown("report", "--budget", "100", SESSION), "too small", "1024 bytes or more")
    check_failure(topdown("report", "--budget", "9000", "--format", "html", SESSION), "a page", "html")


def check_limit():
    """--percent-limit leaves the same rows in all forms."""
    words = ("report", "--functions", "--format")
    whole = json.loads(topdown(*words, "json", PROFILE).stdout)["profile"]["functions"]
    part = json.loads(topdown(*words, "json", "--percent-limit", "5", PROFILE).stdout)["profile"]["functions"]
    wanted = [row for row in whole if row["self"] >= 5]
    check(wanted and len(wanted) < len(whole), "there are smaller ones", len(wanted))
    check(part == wanted, "JSON: rows of 5 % and more", part)
    sheet = topdown(*words, "csv", "--percent-limit", "5", PROFILE).stdout
    rows = [line for line in sheet.splitlines() if line.startswith("function,")]
    check(len(rows) == len(wanted), "CSV: as many", rows)


check_sessions()
with temporary() as scratch:
    check_commands(scratch)
check_budget()
check_limit()
finish()
