#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""glossary.py - every node and metric of every shipped model has words, and those of a simulated core are
about that core only."""
import fnmatch
import json
import os
import pathlib
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_all, check_success, finish, read_json, read_linux, topdown

LONG = 25  # words of a sentence
REFERENCE = pathlib.Path(os.environ.get("REFERENCE", "/nonexistent"))
# What a machine has and the simulator does not model, and what needs counters.
NOT_SIMULATED = (
    "NUMA",
    "numactl",
    "PMU",
    "counter",
    "perf ",
    "PEBS",
    "IBS",
    "SPE ",
    "E-core",
    "Intel",
    "AMD",
    "Arm ",
    "SMT",
    "hyper",
    "remote",
    "4K_Aliasing",
    "HBM",
    "PMM",
    "CXL",
    "LSD",
    "socket",
    "uncore",
    "erratum",
    "turbo",
)


def once(pairs):
    """The program takes the first member of a name, others the last."""
    names = [name for name, _ in pairs]
    check(
        len(names) == len(set(names)),
        "each name once",
        sorted({name for name in names if names.count(name) > 1}),
    )
    return dict(pairs)


def read(name):
    return json.loads((SOURCE / "models" / name).read_text(encoding="utf-8"), object_pairs_hook=once)


def models():
    files = sorted(file.name for file in (SOURCE / "models").glob("*.json"))
    return [file for file in files if not file.startswith(("glossary", "common", "assessment", "roofline"))]


def find(glossary, name):
    families = (
        family
        for family in glossary.get("Families", [])
        if any(fnmatch.fnmatch(name, glob) for glob in family["names"].split(";"))
    )
    return glossary.get(name) or next(families, None)


def is_node(metric):
    return re.search(r"(?:^|;)TopdownL\d(?:;|$)", metric.get("MetricGroup", ""))


def check_entry(what, entry, needs):
    check(entry and all(entry.get(part) for part in needs), f"{what} has {', '.join(needs)}", entry)
    for part in ("means", "hurts", "try"):
        for sentence in re.split(r"(?<=[.:;]) ", (entry or {}).get(part, "")):
            check(
                len(sentence.split()) <= LONG, f"{what}: {part}: a sentence of at most {LONG} words", sentence
            )


def check_everything():
    glossary, seen = read("glossary.json"), set()
    for file in models():
        if file == "sim.json":
            continue
        for metric in read(file)["Metrics"]:
            name = metric["MetricName"]
            seen.add(name)
            check_entry(
                f"{file}: {name}",
                find(glossary, name),
                ("means", "hurts", "try") if is_node(metric) else ("means", "try"),
            )
    for row in read("common.json")["Metrics"]:
        check_entry(f"common.json: {row['MetricName']}", find(glossary, row["MetricName"]), ("means", "try"))
    check(len(seen) > 600, "names of all models", len(seen))
    for family in glossary["Families"]:
        check(
            any(fnmatch.fnmatch(name, glob) for glob in family["names"].split(";") for name in seen),
            "a family of some names",
            family["names"],
        )


def events_of_vendors():
    """Names with a dot or an underscore: others are English words."""
    found = set()
    for file in (SOURCE / "events").glob("*.json"):
        if file.name not in ("cpus.json", "sim.json"):
            found |= {event["EventName"].lower() for event in read_json(file)["Events"]}
    return {name for name in found if re.search(r"[._]", name)}


def check_simulated():
    """Own words for all that a simulated core has, about what the simulator models, and about nodes of that
    tree."""
    glossary, metrics = read("glossary-sim.json"), read("sim.json")["Metrics"]
    titles = {metric["Title"].lower() for metric in metrics}
    names = {metric["MetricName"] for metric in metrics} | {
        row["MetricName"] for row in read("common.json")["Metrics"]
    }
    check(
        not set(glossary) - names - {"Header"},
        "no words about what it does not have",
        sorted(set(glossary) - names),
    )
    vendors, others = events_of_vendors(), read("glossary.json")
    for metric in metrics:
        entry = glossary.get(metric["MetricName"])
        needs = ("means", "hurts", "try") if is_node(metric) else ("means", "try")
        check_entry(f"sim: {metric['MetricName']}", entry, needs)
        check(entry != others.get(metric["MetricName"]), f"sim: {metric['MetricName']}: words of its own")
        text = " ".join(entry.values())
        for word in NOT_SIMULATED:
            check(
                word.lower() not in text.lower(),
                f"sim: {metric['MetricName']} says {word.strip()!r}, which is not simulated",
                text,
            )
        for word in re.findall(r"[\w.]*\w[._]\w[\w.]*", text):
            check(
                word.lower() not in vendors, f"sim: {metric['MetricName']} names an event of a vendor", word
            )
            check(
                word.lower() in titles or "_" not in word,
                f"sim: {metric['MetricName']} names a node that is not in its tree",
                word,
            )
        for option in re.findall(r"(?<!\S)--[a-z-]+", text):
            check(option in topdown("--help").stdout, f"sim: {metric['MetricName']} names an option", option)
    result = topdown("explain", "--pmu", "sim", "*", "IPC", "CPI", "Clock", "CPUs_Utilized")
    check_success(result, "explain --pmu sim")
    check("no words" not in result.stdout, "all of a simulated core is explained", result.stdout)


def check_listed():
    """As the program finds them."""
    for cpu in ("nehalemep", "elkhartlake", "lunarlake:core", "amdzen5", "neoverse-n3", "sim"):
        for word in ("nodes", "metrics"):
            rows = json.loads(topdown("list", word, "--cpu", cpu, "--format", "json").stdout or "{}").get(
                word, []
            )
            check_all(rows, lambda row: row["means"], f"{cpu}: list {word}", least=word == "metrics")


def check_experts():
    """What experts doubted: denormals clear the pipeline of E-cores only (elsewhere they are assists), and
    data that is shared may be modified."""
    words = {
        name: topdown("explain", "--cpu", "spr", name).stdout
        for name in ("Machine_Clears", "Other_Nukes", "Data_Sharing", "Backend_Bound", "Store_Bound")
    }
    flat = {name: " ".join(text.split()) for name, text in words.items()}
    check(
        "On E-cores also avoid denormals" in flat["Machine_Clears"], "Machine_Clears", flat["Machine_Clears"]
    )
    check("denormal" not in flat["Other_Nukes"], "Other_Nukes", flat["Other_Nukes"])
    check(
        "hold clean" not in flat["Data_Sharing"] and "modified" in flat["Data_Sharing"],
        "Data_Sharing",
        flat["Data_Sharing"],
    )
    check("execution side" in flat["Backend_Bound"], "Backend_Bound", flat["Backend_Bound"])
    check("often too high" in flat["Store_Bound"], "Store_Bound", flat["Store_Bound"])


def check_reference():
    """The names that Linux publishes too, of CPUs that are not imported yet; where that data is there."""
    glossary = read("glossary.json")
    for file in sorted((REFERENCE / "linux-7.3").glob("**/*.json")):
        rows = read_linux(file)
        for name in (
            {row["MetricName"] for row in rows if isinstance(row, dict) and row.get("MetricName")}
            if isinstance(rows, list)
            else ()
        ):
            check_all(
                name.split(";")[-1:],
                lambda part: find(glossary, part),
                f"{file.parent.name}: {name} has words",
            )


check_everything()
check_simulated()
check_listed()
check_experts()
check_reference()
finish()
