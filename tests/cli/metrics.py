#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""metrics.py - topdown metrics lists what the models have beside their trees and what it takes to measure it
(read here without it)."""
import csv
import io
import json
import math
import re
import shlex
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    NO_PMU,
    SOURCE,
    check,
    check_failure,
    check_success,
    common_metrics,
    environment,
    finish,
    read_json,
    system_rows,
    temporary,
    topdown,
)

CPUS = ("cascadelakex", "sapphirerapids", "amdzen2", "amdzen4", "neoverse-n1", "neoverse-v1")
TOPICS = [
    "Nodes of the tree",
    "Bottlenecks",
    "Speed",
    "Instruction mix",
    "Floating point and vectors",
    "Branches",
    "Frontend",
    "Caches",
    "Address translation",
    "Memory",
    "System",
    "Others",
]
FORMATS = ("text", "json", "csv", "markdown")


def read(kind, cpu):
    return read_json(SOURCE / kind / f"{cpu}.json")


def offered(*words):
    result = topdown("metrics", *words, "--format", "json")
    check_success(result, f"metrics {words}")
    return json.loads(result.stdout or '{"metrics": []}')


def level(metric):
    return bool(re.search(r"(?:^|;)TopdownL\d(?:;|$)", metric.get("MetricGroup", "")))


class Cpu:
    """The model's formulas, and the events that they name."""

    def __init__(self, name):
        self.name, self.header = name, read("events", name)["Header"]
        self.events = {
            event["EventName"].lower(): event
            for event in read("events", name)["Events"] + system_rows("Events", name)
        }
        self.metrics = {
            metric["MetricName"]: metric
            for metric in read("models", name)["Metrics"] + system_rows("Metrics", name)
        }

    def needs_more(self, name):
        """Does the metric, or one that it refers to, need the counts of all threads of a core together?"""
        metric = self.metrics[name]
        words = set(re.findall(r"[A-Za-z_][\w.]*", metric["MetricExpr"])) & set(self.metrics) - {name}
        return ":percore" in metric["MetricExpr"] or any(self.needs_more(word) for word in words)

    def events_of(self, name):
        """Names of events in the formula without modifiers; None where it has more in it than names of
        events."""
        text = self.metrics[name]["MetricExpr"]
        words = re.findall(r"(?<![\w.#@:])([A-Za-z_][\w.\-]*)", re.sub(r":\w+(=\w+)?", "", text))
        known = {word.lower() for word in words} - {"if", "else", "min", "max", "d_ratio", "duration_time"}
        plain = not re.search(r"[@#\\]|has_event|duration_time|TSC", text)
        return known if plain and known <= set(self.events) else None

    def least_runs(self, events):
        """Events that only general counters can count, over the general counters that there are with SMT."""
        rows = [self.events[event] for event in events]
        general = [
            row for row in rows if "Unit" not in row and not row["Counter"].startswith(("Fixed", "Metric"))
        ]
        return max(1, math.ceil(len(general) / int(self.header["GeneralCounters"])))


def check_cpu(cpu):
    offer = offered("--cpu", cpu.name)
    rows = {row["name"]: row for row in offer["metrics"]}
    others = {name for name, metric in cpu.metrics.items() if not level(metric)}
    ours = {name for name, vendors in common_metrics(cpu.metrics).items() if not vendors}
    check(
        set(rows) == others | ours, f"{cpu.name}: all metrics that are no nodes", sorted(set(rows) ^ others)
    )
    compared = 0
    for name in others & set(rows):
        row = rows[name]
        what, metric = f"{cpu.name}: {name}", cpu.metrics[name]
        check(bool(row["failure"]) == cpu.needs_more(name), f"{what}: can be measured", row["failure"])
        check(row["failure"] or "runs" not in row or row["runs"] >= 1, f"{what}: runs", row["runs"])
        check(
            row["formula"] == metric["MetricExpr"] and row["threshold"] == metric.get("MetricThreshold"),
            f"{what}: formula",
            row["formula"],
        )
        check(
            row["groups"] == [group for group in metric.get("MetricGroup", "").split(";") if group],
            f"{what}: groups",
            row["groups"],
        )
        check(row["topic"] in TOPICS[1:-1], f"{what}: topic", row["topic"])
        events = cpu.events_of(name)
        if events is None or row["failure"]:
            continue
        compared += 1
        found = {re.sub(r":.*", "", event).lower() for event in row["events"]}
        check(found == events, f"{what}: events", sorted(found ^ events))
        check(
            row["event_count"] == len(row["events"]) >= len(events),
            f"{what}: number of events",
            row["event_count"],
        )
        check(cpu.least_runs(events) <= row["runs"] <= len(row["events"]), f"{what}: runs", row["runs"])
    check(compared >= min(5, len(rows) / 4), f"{cpu.name}: formulas that were compared", compared)
    measurable = [row for row in rows.values() if not row["failure"]]
    check(
        offer["runs"] >= max(row["runs"] for row in measurable),
        f"{cpu.name}: runs for all of them",
        offer["runs"],
    )
    count = (
        f"{len(measurable)} of these {len(rows)} can"
        if len(measurable) < len(rows)
        else f"All {len(rows)} can"
    )
    check(
        offer["note"].startswith(count) and f" {offer['runs']} runs" in offer["note"],
        f"{cpu.name}: the note",
        offer["note"],
    )
    plan = json.loads(topdown("plan", "--cpu", cpu.name, "--metrics", "*", "--format", "json").stdout)
    check(len(plan["runs"]) == offer["runs"], f"{cpu.name}: as many runs as the plan has", len(plan["runs"]))


def check_text(cpu):
    """Topics as headings, in their order, each metric below its own; what can't be measured stands last,
    below its reason."""
    rows = {row["title"]: row for row in offered("--cpu", cpu.name)["metrics"]}
    for words in ([], ["-v"]):
        result = topdown("metrics", "--cpu", cpu.name, *words)
        check_success(result, f"{cpu.name}: text")
        heading, seen, headings = None, set(), []
        for before, line in zip([""] + result.stdout.splitlines(), result.stdout.splitlines()):
            title = re.split(r" {2,}", line)[0]
            if before == "" and (line in TOPICS or line.startswith("Not here: ")):
                heading = line
                headings.append(line)
            elif title in rows and heading:
                expected = (
                    f"Not here: {rows[title]['failure']}" if rows[title]["failure"] else rows[title]["topic"]
                )
                check(heading == expected, f"{cpu.name}: {title} stands below {expected}", heading)
                seen.add(title)
        check(seen == set(rows), f"{cpu.name}: all of them in the text", sorted(set(rows) - seen))
        topics = [heading for heading in headings if heading in TOPICS]
        check(
            topics == sorted(topics, key=TOPICS.index) and headings[: len(topics)] == topics,
            f"{cpu.name}: headings",
            headings,
        )
        check(len(headings) == len(set(headings)), f"{cpu.name}: each heading once", headings)
        formulas = result.stdout.count("    Formula   ")
        check(formulas == (len(rows) if words else 0), f"{cpu.name}: formulas with -v", formulas)


def check_words():
    def names(*words):
        return [row["name"] for row in offered("--cpu", "clx", *words)["metrics"]]

    check(names("ipc") == ["tma_info_thread_ipc"], "a name", names("ipc"))
    check(
        names("IPC", "DRAM_Bound") == ["tma_dram_bound", "tma_info_thread_ipc"],
        "a node, when it is named",
        names("IPC", "DRAM_Bound"),
    )
    check(
        names("LockCont")
        == ["tma_bottleneck_memory_synchronization", "tma_info_memory_latency_load_l2_miss_latency"],
        "a group",
        names("LockCont"),
    )
    globbed = names("*l2mpki*")
    check(globbed and all("l2mpki" in name for name in globbed), "a glob", globbed)
    check(set(names("*l2mpki*", "IPC")) == set(globbed) | {"tma_info_thread_ipc"}, "both")
    check(
        names("--metrics", "ipc", "l3mpki") == ["tma_info_thread_ipc", "tma_info_memory_l3mpki"],
        "words and --metrics",
    )
    check("tma_memory_bound" in names("--groups", "TmaL2"), "--groups has nodes")
    for first, *others in [
        (
            ["--cpu", "clx", "ipc", "l3mpki"],
            ["ipc", "--cpu", "clx", "l3mpki"],
            ["ipc", "l3mpki", "--cpu=CLX"],
            ["ipc", "l3mpki", "--cpu", "clx", "--"],
        )
    ]:
        expected = topdown("metrics", *first)
        check_success(expected, f"metrics {first}")
        for words in others:
            check(
                topdown("metrics", *words).stdout == expected.stdout,
                f"metrics {words} is the same as {first}",
            )
    check_failure(
        topdown("metrics", "--cpu", "clx", "ipcc"), "no such metric", "cascadelakex has no metric 'ipcc'"
    )
    check_failure(
        topdown("metrics", "--cpu", "clx", "ipc", "./prog"), "a program without --", "./prog", "after --"
    )
    check_failure(topdown("metrics", "--cpu", "clx", ""), "an empty word", "--metrics: which?")
    nothing = topdown("metrics", "--cpu", "icx", "slots_utilization")
    check(
        nothing.returncode == 0
        and "all threads of a core" in nothing.stdout
        and "None of them" in nothing.stdout,
        "what can't be measured",
        nothing.stdout,
    )


def check_counters():
    """Runs are those of the counters that there are to be."""
    runs = [
        offered("--cpu", "clx", *words)["runs"] for words in ([], ["--counters", "4"], ["--counters", "2"])
    ]
    check(runs[0] == runs[1] < runs[2], "fewer counters, more runs", runs)
    check_failure(
        topdown("metrics", "--cpu", "clx", "--counters", "20"),
        "more counters than there are",
        "4 general counters",
    )


def check_formats():
    sizes = set()
    machine = SOURCE / "tests/machines/graviton3"
    for form in FORMATS:
        result = topdown("metrics", "*mpki", "--sysroot", machine, "--format", form)
        check_success(result, f"metrics --format {form}")
        text = result.stdout
        sizes.add(
            {
                "text": lambda text: len(re.findall(r"^\w.* MPKI .* \d+ +\d+ ", text, re.M)),
                "json": lambda text: len(json.loads(text)["metrics"]),
                "csv": lambda text: len(list(csv.DictReader(io.StringIO(text)))),
                "markdown": lambda text: text.count("\n| ") - 1,
            }[form](text)
        )
    check(len(sizes) == 1 and sizes != {0}, "as many rows in all formats", sizes)
    check(
        topdown("metrics", "--cpu", "v1", env=environment(LC_ALL="C")).stdout.isascii(),
        "ASCII in the C locale",
    )
    with temporary() as folder:
        check_success(topdown("metrics", "--cpu", "clx", "-o", folder / "out"), "metrics -o")
        check(
            (folder / "out").read_text(encoding="utf-8") == topdown("metrics", "--cpu", "clx").stdout,
            "-o FILE",
        )


def check_program():
    """Behind -- stands a program, with options of its own; what is measured goes the way of any
    measurement."""
    here = ["--sysroot", NO_PMU]
    check_failure(
        topdown("metrics", *here, "IPC", "--", "true", "--no-such-option"),
        "a machine without counters",
        "PMU",
    )
    check_failure(topdown("metrics", *here, "--", "true"), "all metrics of one", "PMU")
    check_failure(
        topdown("metrics", *here, "-C", "0", "--duration", "1", "IPC"),
        "CPUs instead of a program",
        "without CPU counters",
    )
    missing = topdown("metrics", *here, "IPC", "--", "/nonexistent/prog")
    check(
        missing.returncode == 127 and "/nonexistent/prog" in missing.stderr,
        "a program that is not there",
        missing.stderr,
    )


def examples():
    """What docs/FEATURES.md and the manual say to type, without the program."""
    texts = [
        (SOURCE / "docs/FEATURES.md").read_text(encoding="utf-8"),
        (SOURCE / "docs/man/topdown-metrics.1.md").read_text(encoding="utf-8").split("## EXAMPLES")[1],
    ]
    found = [
        line for text in texts for line in re.findall(r"(?:^    |`)topdown metrics ([^`\n]+)", text, re.M)
    ]
    return [shlex.split(line.split(" -- ")[0]) for line in found]


def check_examples():
    """They are for every vendor's CPUs, unless they name one."""
    check(len(examples()) >= 4, "examples", examples())
    for words in examples():
        named = "--cpu" in words
        for cpu in (
            ((),)
            if named
            else [
                ("--cpu", cpu)
                for cpu in ("zen1", "zen4", "n1", "v2", "skl", "GNR", "alderlake:atom", "bonnell", "sim")
            ]
        ):
            rows = offered(*words, *cpu).get("metrics", [])
            check(
                any(not row["failure"] for row in rows),
                f"metrics {words} {cpu}: something can be measured",
                rows,
            )


for name in CPUS:
    check_cpu(Cpu(name))
check_examples()
for name in ("sapphirerapids", "amdzen4", "neoverse-v1"):
    check_text(Cpu(name))
check_words()
check_counters()
check_formats()
check_program()
finish()
