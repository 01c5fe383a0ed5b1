#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""firefox.py - `topdown export --to firefox`: the tables of the processed profile format 58
(firefox-devtools/profiler:
src/types/profile.ts) fit together, and each function has what the test gave it, thread by thread."""
import collections
import json
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, check_all, finish
from lib.made_up import chosen, deep, hostile, write

COLUMNS = {
    "stackTable": {"frame", "prefix"},
    "frameTable": {
        "address",
        "inlineDepth",
        "category",
        "subcategory",
        "func",
        "nativeSymbol",
        "innerWindowID",
        "line",
        "column",
    },
    "funcTable": {"name", "isJS", "relevantForJS", "resource", "source", "lineNumber", "columnNumber"},
    "resourceTable": {"lib", "name", "host", "type"},
    "nativeSymbols": {"libIndex", "address", "name", "functionSize"},
    "markers": {"data", "name", "startTime", "endTime", "phase", "category"},
}
META = {
    "interval": (int, float),
    "startTime": (int, float),
    "processType": int,
    "product": str,
    "stackwalk": int,
    "version": int,
    "preprocessedProfileVersion": int,
    "markerSchema": list,
    "categories": list,
}
COLORS = {
    "transparent",
    "purple",
    "green",
    "orange",
    "yellow",
    "lightblue",
    "blue",
    "brown",
    "magenta",
    "red",
    "lightred",
    "darkgrey",
    "grey",
}


def is_index(value, length):
    return isinstance(value, int) and 0 <= value < length


def check_table(thread, name):
    table = thread[name]
    check(set(table) == COLUMNS[name] | {"length"}, f"{name}: columns", set(table))
    check_all(
        COLUMNS[name],
        lambda column: len(table[column]) == table["length"],
        f"{name}: as many values as its length",
    )


def check_thread(file, thread):
    texts, stacks, frames, functions = (
        file["shared"]["stringArray"],
        thread["stackTable"],
        thread["frameTable"],
        thread["funcTable"],
    )
    for name in COLUMNS:
        check_table(thread, name)
    check(
        isinstance(thread["pid"], str)
        and isinstance(thread["tid"], (int, str))
        and isinstance(thread["isMainThread"], bool),
        "pid and tid",
    )
    check(isinstance(thread["name"], str) and thread["pausedRanges"] == [], "name and paused ranges")
    check_all(stacks["frame"], lambda i: is_index(i, frames["length"]), "stacks have frames")
    check_all(
        enumerate(stacks["prefix"]),
        lambda number, prefix: prefix is None or is_index(prefix, number),
        "a caller's stack comes first",
    )
    check_all(frames["func"], lambda i: is_index(i, functions["length"]), "frames have functions")
    check_all(
        frames["category"], lambda i: is_index(i, len(file["meta"]["categories"])), "frames have categories"
    )
    check_all(frames["line"], lambda line: line is None or line > 0, "lines from 1")
    check_all(functions["name"], lambda i: is_index(i, len(texts)), "functions have names")
    check_all(
        functions["resource"],
        lambda i: is_index(i, thread["resourceTable"]["length"]),
        "functions have resources",
    )
    check_all(
        functions["source"],
        lambda i: i is None or is_index(i, file["shared"]["sources"]["length"]),
        "sources are there",
    )
    check_all(
        thread["resourceTable"]["lib"], lambda i: is_index(i, len(file["libs"])), "resources have libraries"
    )
    check_all(thread["resourceTable"]["name"], lambda i: is_index(i, len(texts)), "resources have names")
    samples = thread["samples"]
    check(
        len(samples["stack"]) == len(samples["time"]) == len(samples["weight"]) == samples["length"] > 0,
        "samples",
    )
    check(samples["weightType"] in ("samples", "tracing-ms"), "weightType", samples["weightType"])
    check(samples["time"] == sorted(samples["time"]), "times ascend")
    check_all(samples["stack"], lambda i: is_index(i, stacks["length"]), "samples have stacks")


def check_rules(file):
    for key, kind in META.items():
        check(isinstance(file["meta"].get(key), kind), f"meta.{key}", file["meta"].get(key))
    check(file["meta"]["preprocessedProfileVersion"] == 58, "version")
    check_all(
        file["meta"]["categories"],
        lambda category: category["color"] in COLORS and category["subcategories"][0] == "Other",
        "categories",
    )
    check("grey" in [category["color"] for category in file["meta"]["categories"]], "a default category")
    sources = file["shared"]["sources"]
    check(len(sources["uuid"]) == len(sources["filename"]) == sources["length"], "sources")
    check_all(
        sources["filename"], lambda i: is_index(i, len(file["shared"]["stringArray"])), "names of sources"
    )
    check_all(file["shared"]["stringArray"], lambda text: isinstance(text, str), "texts")
    for lib in file["libs"]:
        check(
            set(lib) == {"arch", "name", "path", "debugName", "debugPath", "breakpadId", "codeId"},
            "a library's fields",
            set(lib),
        )
    for thread in file["threads"]:
        check_thread(file, thread)


def sums_of(file, thread):
    """Own and total weights by name and module, in the file's unit."""
    texts, stacks, functions = file["shared"]["stringArray"], thread["stackTable"], thread["funcTable"]
    own, total = collections.Counter(), collections.Counter()

    def function(stack):
        number = thread["frameTable"]["func"][stacks["frame"][stack]]
        return (
            texts[functions["name"][number]],
            file["libs"][thread["resourceTable"]["lib"][functions["resource"][number]]]["name"],
        )

    for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
        own[function(stack)] += weight
        seen = set()
        while stack is not None:
            seen.add(function(stack))
            stack = stacks["prefix"][stack]
        for name in seen:
            total[name] += weight
    return own, total


def is_near(found, wanted):
    return found.keys() == wanted.keys() and all(
        abs(found[key] - wanted[key]) <= 1e-9 * wanted[key] for key in wanted
    )


def check_sums(made, file, weighing):
    unit = 1e6 if made.weighings[weighing].unit == "ns" else 1
    rows = made.rows
    for thread in file["threads"]:
        made.rows = [row for row in rows if made.tasks[row.task][1] == thread["tid"]]
        own, total = sums_of(file, thread)
        check(
            is_near(
                own, collections.Counter({key: value / unit for key, value in made.own(weighing).items()})
            ),
            f"own of {thread['tid']}",
        )
        check(
            is_near(
                total,
                collections.Counter({key: value / unit for key, value in made.totals(weighing).items()}),
            ),
            f"totals of {thread['tid']}",
        )
    made.rows = rows


def main():
    for seed in range(5):
        made = chosen(seed)
        file = json.loads(write(made, "firefox", seed % 3))
        check_rules(file)
        check(len(file["threads"]) == 3, "a thread for each task", len(file["threads"]))
        check(
            [(thread["pid"], thread["isMainThread"]) for thread in file["threads"]]
            == [("10", True), ("10", False), ("12", True)],
            "processes",
        )
        check_sums(made, file, seed % 3)
    for made in (hostile(), deep(1000)):
        file = json.loads(write(made, "firefox"))
        check_rules(file)
        check(sum(file["threads"][0]["samples"]["weight"]) == made.total(0), "sum")
    check(file["threads"][0]["stackTable"]["length"] == 1000, "1,000 frames")
    finish()


main()
