#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bottlenecks.py - -B and --only-bottleneck: the rows against models/*.json, the values against those of
tests/golden's own formulas."""
import csv
import io
import json
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_all, check_failure, check_success, finish, read_json, temporary, topdown

GOLDEN = SOURCE / "tests/golden"
CASES = {
    "spr-vector": "sapphirerapids",
    "clx-dram": "cascadelakex",
    "zen4-frontend": "amdzen4",
    "v1-retiring": "neoverse-v1",
}
# no slots, or no tree
WITHOUT = ("amdzen2", "neoverse-n1", "nehalemep")


def rows_of(cpu):
    return read_json(SOURCE / f"models/{cpu}.json")["Metrics"]


def division(cpu):
    """The vendor's bottleneck metrics, else the nodes that all slots are divided among."""
    metrics = rows_of(cpu)
    published = {
        metric["MetricName"] for metric in metrics if metric["MetricName"].startswith("tma_bottleneck_")
    }
    if published:
        return published
    groups = {metric["MetricName"]: metric.get("MetricGroup", "").split(";") for metric in metrics}
    slots = {metric["MetricName"] for metric in metrics if metric.get("CountDomain") == "Slots"}

    def level(name):
        return next((int(group[-1]) for group in groups[name] if re.fullmatch(r"TopdownL\d", group)), 0)

    def divide(name):
        children = [
            other
            for other in groups
            if level(other) == level(name) + 1
            and {f"{name}_group", f"{name.removeprefix('tma_')}_group"} & set(groups[other])
        ]
        return (
            {name} if not children or not slots.issuperset(children) else set().union(*map(divide, children))
        )

    return set().union(*(divide(name) for name in groups if level(name) == 1))


def report(case, *words):
    result = topdown("report", *words, GOLDEN / case / "counts.json")
    check_success(result, f"{case} {words}")
    return result.stdout


def check_case(case, cpu):
    expected = read_json(GOLDEN / case / "expected.json")
    values = {**expected["nodes"], **expected["metrics"]}
    titles = {metric["MetricName"]: metric["Title"] for metric in rows_of(cpu)}
    rows = json.loads(report(case, "-B", "--format", "json"))["bottlenecks"]
    check({row["name"] for row in rows} == division(cpu) and len(rows) > 3, f"{case}: the rows", rows)
    check([row["rank"] for row in rows] == list(range(1, len(rows) + 1)), f"{case}: ranks")
    check(
        [row["value"] for row in rows] == sorted((row["value"] for row in rows), reverse=True),
        f"{case}: the largest first",
    )
    check(
        abs(sum(row["value"] for row in rows) - 100) < 0.5,
        f"{case}: all slots",
        sum(row["value"] for row in rows),
    )
    for row in rows:
        wanted = values[row["name"]]
        check(
            abs(row["value"] - wanted["value"]) < 1e-6 and row["over_threshold"] == wanted["over_threshold"],
            f"{case}: {row['name']}",
            row,
        )
        check(row["means"], f"{case}: {row['name']}: words")
    check_forms(case, rows, titles)


def results(sheet):
    """The lines that are values, without the sentences."""
    return [
        line
        for line in csv.DictReader(io.StringIO(sheet))
        if line["kind"] in ("cause", "node", "metric", "event")
    ]


def check_forms(case, rows, titles):
    sheet = results(report(case, "-B", "--format", "csv"))
    check([line["name"] for line in sheet] == [row["name"] for row in rows], f"{case}: CSV")
    sheet = results(report(case, "-Bl2", "--format", "csv"))
    check(
        [line["name"] for line in sheet][: len(rows)] == [row["name"] for row in rows]
        and len(sheet) == len({line["name"] for line in sheet}),
        f"{case}: CSV with a tree: each name once",
    )
    check_own_words(case, rows, titles)
    for form in ("text", "markdown"):
        text = report(case, "-B", "-v", "--format", form)
        places = [text.find(titles[row["name"]], text.find("Bottlenecks")) for row in rows]
        check(-1 not in places and places == sorted(places), f"{case}: {form}: the same order", places)
        check("├" not in text, f"{case}: {form}: no tree")
        marked = set(re.findall(r"^  (\w+) +[\d.]+ % slots !", text, re.M))
        over = {titles[row["name"]] for row in rows if row["over_threshold"] and row.get("bottleneck", True)}
        check(form != "text" or marked == over, f"{case}: {form}: marks", marked ^ over)
        check(form != "text" or "\n! over " in text, f"{case}: the mark is explained", text)
    small = sum(row["value"] < 0.05 and not row["over_threshold"] for row in rows)
    text = report(case, "-B")
    check((f"{small} below 0.05 %" in text) == bool(small), f"{case}: what is left out", text)


def check_own_words(case, rows, titles):
    """Causes of the vendor's have a title of two or three words, each another; -v, JSON and CSV have the
    vendor's name."""
    glossary = read_json(SOURCE / "models/glossary.json")
    own = {
        row["name"]: glossary[row["name"]]["cause"]
        for row in rows
        if row["name"].startswith("tma_bottleneck_")
    }
    check(len(set(own.values())) == len(own), f"{case}: each another title", own)
    text, whole, plain = (
        report(case, "-B"),
        report(case, "-B", "-v"),
        report(case, "-B", "--format", "markdown"),
    )
    for name, title in own.items():
        is_small = next(row["value"] < 0.05 for row in rows if row["name"] == name)
        check(len(title.split()) <= 3 and "_" not in title, f"{name}: few words", title)
        check(
            is_small or (f"\n  {title}  " in text and titles[name] not in text),
            f"{case}: {name}: the title",
            text,
        )
        check(is_small or title in plain, f"{case}: {name}: Markdown", plain)
        check(titles[name] in whole, f"{case}: {name}: -v has the vendor's", whole)
    check_all(rows, lambda row: row["title"] == titles[row["name"]], f"{case}: JSON has the model's title")


def check_unmeasured():
    """A session whose tree alone was counted: the number of causes that have a value, and what measures the
    rest."""
    result = topdown("report", "-B", SOURCE / "docs/sample-session.json")
    check_success(result, "-B of a tree's session")
    words = " ".join(result.stdout.split())
    rows = json.loads(topdown("report", "-B", "--format", "json", SOURCE / "docs/sample-session.json").stdout)
    measured, every = sum(row["value"] is not None for row in rows["bottlenecks"]), len(rows["bottlenecks"])
    check(0 < measured < every, "some have no value", rows["bottlenecks"])
    check(
        f"None of those that were measured ({measured} of {every}) is over its threshold." in words,
        "the verdict",
        words,
    )
    check("None of them" not in words, "no verdict on all", words)
    check(
        f"so {measured} of the {every} bottlenecks have a value: `topdown -B PROGRAM` measures the rest."
        in words,
        "what measures the rest",
        words,
    )
    check(
        any("`topdown -B PROGRAM`" in note for note in rows["notes"]),
        "JSON: what measures the rest",
        rows["notes"],
    )
    session = read_json(SOURCE / "docs/sample-session.json") | {"bottlenecks_asked": True}
    with temporary() as folder:
        (folder / "s.json").write_text(json.dumps(session), encoding="utf-8")
        check(
            "measures the rest" not in topdown("report", folder / "s.json").stdout,
            "a measurement with -B is not sent back",
        )


def check_plans():
    for cpu in ("sapphirerapids", "amdzen4", "haswellx", "sierraforest", "sim"):
        plan = json.loads(topdown("plan", "-B", "--cpu", cpu, "--format", "json").stdout)
        planned = {
            name for run in plan["runs"] for group in run["groups"] for name in group["metrics"]
        } | set(plan["split"])
        check(division(cpu) <= planned, f"plan -B of {cpu}", division(cpu) - planned)
    check(
        len(json.loads(topdown("plan", "-B", "--cpu", "spr", "--format", "json").stdout)["runs"]) == 11,
        "11 runs on spr",
    )
    for cpu in WITHOUT:
        check_failure(topdown("plan", "-B", "--cpu", cpu), f"-B of {cpu}", "no bottleneck view")
    check_failure(topdown("plan", "-B", "--level", "0", "--cpu", "clx"), "-B with a wrong level", "level")
    check_failure(
        topdown("report", "-B", "--only-bottleneck", GOLDEN / "clx-dram/counts.json"),
        "both",
        "exclude each other",
    )
    check_failure(topdown("-B", "--drilldown", "true"), "a drill-down", "--bottlenecks")


def check_session():
    """A session that was asked for the view shows it, until something else is asked."""
    session = read_json(SOURCE / "docs/sample-session.json") | {"level": 0, "bottlenecks_asked": True}
    with temporary() as folder:
        (folder / "s.json").write_text(json.dumps(session), encoding="utf-8")
        text = topdown("report", "-v", folder / "s.json").stdout
        check(
            "by their share" in text and "Only     the bottleneck view (-B)" in text and "└─" not in text,
            "a session's view",
            text,
        )
        text = topdown("report", "-l1", folder / "s.json").stdout
        check("by their share" not in text and "Only" not in text, "the tree of that session", text)
        text = topdown("report", "-Bl2", folder / "s.json").stdout
        check("by their share" in text and "└─" in text, "both", text)


def check_worst_path():
    for case in CASES:
        whole = json.loads(report(case, "-l6", "--format", "json"))
        path = [node["name"] for node in whole["nodes"] if node["worst_path"]]
        only = json.loads(report(case, "-l6", "--only-bottleneck", "--format", "json"))
        check(
            [node["name"] for node in only["nodes"]] == path and path,
            f"{case}: the worst path",
            only["nodes"],
        )
        check(not only["metrics"] and only["advice"] == whole["advice"], f"{case}: nothing else")
        sheet = results(report(case, "-l6", "--only-bottleneck", "--format", "csv"))
        check([line["name"] for line in sheet] == path, f"{case}: CSV of the worst path")
        text = report(case, "-l6", "-v", "--only-bottleneck")
        check(
            len(re.findall(r"^\W*\w+ +[\d.]+(?: % \w+)? +!", text, re.M)) == len(path) and "<==" in text,
            f"{case}: text of the worst path",
            text,
        )
    counts = {
        "CPU_CLK_UNHALTED.THREAD": 1e9,
        "INST_RETIRED.ANY": 2.6e9,
        "IDQ_UOPS_NOT_DELIVERED.CORE": 0.4e9,
        "INT_MISC.RECOVERY_CYCLES": 1e7,
        "UOPS_ISSUED.ANY": 2.8e9,
        "UOPS_RETIRED.RETIRE_SLOTS": 2.76e9,
    }  # 10, 2, 19 and 69 %: nothing is over its threshold
    with temporary() as folder:
        (folder / "c.json").write_text(
            json.dumps({"format": "topdown-counts", "cpu": "clx", "smt": 0, "counts": counts}),
            encoding="utf-8",
        )
        for form in ("text", "json", "markdown"):
            text = topdown("report", "-l1", "--only-bottleneck", "--format", form, folder / "c.json").stdout
            check(
                "No node is over its threshold, so there is no worst path." in text,
                f"{form}: no bottleneck",
                text,
            )


for name, model in CASES.items():
    check_case(name, model)
check_plans()
check_session()
check_unmeasured()
check_worst_path()
finish()
