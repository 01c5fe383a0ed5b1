#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""explain.py - topdown explain for every node of some CPUs, in all formats, against models/ and the glossary
as they lie there."""
import csv
import fnmatch
import io
import json
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_all, check_failure, check_success, finish, read_json, topdown

ZEN4 = SOURCE / "tests/machines/epyc-zen4"
CPUS = ("cascadelakex", "alderlake-core", "alderlake-atom", "amdzen4", "neoverse-v1", "sim")
LISTS = ("events", "children", "next_groups", "sample")


def explain(cpu, *names, form="json"):
    result = topdown(
        "explain", "--cpu", cpu.replace("-core", ":core").replace("-atom", ":atom"), "--format", form, *names
    )
    check_success(result, f"{cpu} {names} {form}")
    return result.stdout


def rows_of(cpu, *names):
    document = json.loads(explain(cpu, *names))
    check(
        (document["format"], document["version"]) == ("topdown-explanation", 1),
        "the document says what it is",
        document["format"],
    )
    return document["explained"]


def published(cpu):
    """{node: its parent} of a model file."""
    metrics = read_json(SOURCE / f"models/{cpu}.json")["Metrics"]
    groups = {row["MetricName"]: row.get("MetricGroup", "").split(";") for row in metrics}
    nodes = {name for name, of in groups.items() if any(re.fullmatch(r"TopdownL\d", group) for group in of)}
    levels = {
        name: next(int(group[-1]) for group in groups[name] if re.fullmatch(r"TopdownL\d", group))
        for name in nodes
    }
    parents = {}
    for name in nodes:
        above = [group.removesuffix("_group") for group in groups[name] if group.endswith("_group")]
        parents[name] = next((parent for parent in above if parent in nodes and levels[name] > 1), None)
    return parents, {row["MetricName"]: row for row in metrics}


def check_model(cpu, words):
    parents, metrics = published(cpu)
    rows = {row["name"]: row for row in rows_of(cpu, "*") if row["name"] in parents}
    check(
        rows.keys() == parents.keys(), f"{cpu}: all nodes are explained", sorted(rows.keys() ^ parents.keys())
    )
    for name, row in rows.items():
        entry = words[name]
        check(
            [row[key] for key in ("means", "hurts", "try")]
            == [entry[key] for key in ("means", "hurts", "try")],
            f"{cpu} {name}: the glossary's words",
            row,
        )
        above = parents[name]
        check(
            row["parent"] == (rows[above]["path"].split(".")[-1] if above else None),
            f"{cpu} {name}: its parent",
            row["parent"],
        )
        below = sorted(
            rows[child]["path"].split(".")[-1] for child, parent in parents.items() if parent == name
        )
        check(sorted(row["children"]) == below, f"{cpu} {name}: its children", row["children"])
        check(
            bool(row["threshold"]) == bool(metrics[name].get("MetricThreshold")),
            f"{cpu} {name}: a threshold if there is one",
            row,
        )
        check_all(LISTS, lambda key: isinstance(row[key], list), f"{cpu} {name}: lists are arrays")


def check_formats(cpu):
    rows = rows_of(cpu, "*")
    sheet = list(csv.DictReader(io.StringIO(explain(cpu, "*", form="csv"))))
    wanted = [
        {key: ";".join(value) if isinstance(value, list) else value or "" for key, value in row.items()}
        for row in rows
    ]
    # No text is a formula of a spreadsheet (docs/FORMATS.md).
    read = [{key: re.sub("^'(?=[-=+@])", "", text) for key, text in row.items()} for row in sheet]
    check(read == wanted, f"{cpu}: CSV has what JSON has")
    markdown = explain(cpu, "*", form="markdown")
    heads = re.findall(r"^\| Node \| (.*) \|$", markdown, re.M)
    check(
        [head.replace("\\", "") for head in heads] == [row["path"] for row in rows],
        f"{cpu}: a Markdown table for each",
        heads[:3],
    )
    text = re.sub(r"\n +", "", explain(cpu, "*", form="text"))  # a name may be longer than a line
    check(
        re.findall(r"^Name +(\S+)$", text, re.M) == [row["name"] for row in rows],
        f"{cpu}: text has each once",
    )


def check_names():
    everything = [row["name"] for row in rows_of("cascadelakex", "*")]
    for glob in ("tma_l?_bound", "*fetch*", "tma_info_memory_*"):
        found = {row["name"] for row in rows_of("cascadelakex", glob)}
        wanted = {name for name in everything if fnmatch.fnmatch(name, glob)}
        check(wanted and wanted <= found, f"{glob}: all names that it matches", wanted - found)
    both = [row["name"] for row in rows_of("cascadelakex", "IPC", "dram_bound", "DRAM_Bound")]
    check(
        both == ["tma_dram_bound", "tma_info_thread_ipc"],
        "several words, each metric once, in the model's order",
        both,
    )
    check_failure(
        topdown("explain", "--cpu", "clx", "retiring", "dram_bond"),
        "a misspelt second word",
        "dram_bond",
        "DRAM_Bound",
    )
    check_failure(topdown("explain", "--cpu", "clx", "zz*"), "a glob that matches nothing", "zz*")


def check_simulated():
    """--pmu sim explains the nodes of simulated counters, which a machine without a PMU reports; so does the
    command without it where the machine's model lacks them."""
    own = topdown("explain", "--sysroot", ZEN4, "--pmu", "sim", "DRAM_Bound")
    check(
        "miss_bound" not in own.stdout and "Also" not in own.stdout, "no name of another vendor's", own.stdout
    )
    check(own.returncode == 0 and own.stdout == explain("sim", "DRAM_Bound", form="text"), "--pmu sim", own)
    lists = [
        topdown("list", "nodes", *words).stdout
        for words in (("--pmu", "sim", "--sysroot", ZEN4), ("--cpu", "sim"))
    ]
    check(lists[0] == lists[1] and "DRAM_Bound" in lists[0], "list nodes --pmu sim", lists)
    other = topdown("explain", "--sysroot", ZEN4, "dram_bound")
    check(other.stdout == own.stdout, "a node that only a simulation has is the simulation's", other)
    zen4 = topdown("explain", "--sysroot", ZEN4, "Backend_Memory")
    check(zen4.returncode == 0 and "Backend_Memory" in zen4.stdout, "a node of the machine's", zen4)
    check_failure(topdown("explain", "--sysroot", ZEN4, "dram_bond"), "misspelt", "amdzen4 has no node")
    if "SIMULATED" in topdown("true").stderr:  # nothing can be counted here
        followed = [topdown(*words).stdout for words in (("explain", "DRAM_Bound"), ("list", "nodes"))]
        check(followed == [own.stdout, lists[0]], "without counters the model of `topdown PROGRAM`", followed)
    missing = topdown("explain", "--sysroot", ZEN4, "nonsense")
    check_failure(missing, "a node of nothing", "amdzen4 has no node")
    check("--pmu sim" not in missing.stderr, "which a simulation lacks too", missing.stderr)


def main():
    for cpu in CPUS:
        check_model(cpu, read_json(SOURCE / f"models/glossary{'-sim' if cpu == 'sim' else ''}.json"))
        check_formats(cpu)
    check_names()
    check_simulated()
    finish()


main()
