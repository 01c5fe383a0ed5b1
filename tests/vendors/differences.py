#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Intel's metrics in perfmon's and in Linux' form, value by value: each difference must have its cause in
causes.py.

usage: differences.py [--write]     REFERENCE names the vendors' data

Both texts are evaluated in Python as they are published, with the same random counts, for every CPU that both
describe. The result is docs/VENDOR-DIFFERENCES.md, which --write writes. Without it the script fails when a
difference has no cause, when a cause has no difference, or when that file says something else. Exit status 77
without the data.
"""
import fnmatch
import json
import math
import os
import sys
from collections import Counter
from pathlib import Path

import causes
from forms import CPUS, Draw, Elsewhere, LINUX, Linux, Perfmon, ROOT

DOCUMENT = ROOT / "docs/VENDOR-DIFFERENCES.md"
SEEDS, SKIPPED = 4, 77
KINDS = {
    "values": causes.VALUES,
    "thresholds": causes.THRESHOLDS,
    "only Linux": causes.ONLY_LINUX,
    "only perfmon": causes.ONLY_PERFMON,
}


def is_close(a, b):
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def renamed(ours, theirs):
    """From a name of ours to that of theirs, where a later version of the method has another."""
    lists = json.loads((ROOT / "models/glossary.json").read_text(encoding="utf-8"))["Header"]["SameNode"]
    return {
        name: other
        for names in lists
        for name in names
        for other in names
        if name in ours and name not in theirs and other in theirs and other not in ours
    }


class Comparison:
    """One CPU: what differs by itself, and what only because of a metric that it refers to."""

    def __init__(self, cpu, reference):
        self.cpu, self.perfmon, self.linux = cpu, Perfmon(reference, cpu), Linux(reference, cpu)
        self.other = renamed(self.perfmon.metrics, self.linux.metrics)
        self.compared, self.draws = set(), {"values": Counter(), "follow": Counter(), "thresholds": Counter()}
        for smt in (0, 1):
            for seed in range(SEEDS):
                self.draw(Draw(cpu, self.perfmon.events, smt, seed))
        # One draw alone may differ by rounding, where large values cancel out.
        often = {
            what: {name for name, count in draws.items() if count > 1} for what, draws in self.draws.items()
        }
        self.follow = often["follow"] - often["values"]
        self.found = {
            "values": often["values"],
            "thresholds": often["thresholds"],
            "only Linux": set(self.linux.metrics) - set(self.perfmon.metrics) - set(self.other.values()),
            "only perfmon": set(self.perfmon.metrics) - set(self.linux.metrics) - set(self.other),
        }

    def draw(self, draw):
        values = {}
        for name in self.perfmon.metrics:
            try:
                values[name] = self.perfmon.value(name, draw)
            except Elsewhere:
                continue
        names = {name: self.other.get(name, name) for name in values}
        names = {name: other for name, other in names.items() if other in self.linux.metrics}
        known = {other: values[name] / self.linux.scale(other) for name, other in names.items()}
        for name, other in names.items():
            try:
                self.compare(name, other, draw, values, known)
            except Elsewhere:
                continue

    def compare(self, name, other, draw, values, known):
        own = {each: value for each, value in known.items() if each != other}
        direct = self.linux.fraction(other, draw, own) * self.linux.scale(other)
        whole = self.linux.whole(other, draw) * self.linux.scale(other)
        self.compared.add(name)
        if not is_close(values[name], whole):
            self.draws["follow" if is_close(values[name], direct) else "values"][name] += 1
        if self.perfmon.over(name, values) != self.linux.over(other, draw, known):
            self.draws["thresholds"][name] += 1


# Causes


def matches(patterns, name):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns.split())


def explain(comparisons):
    """What each cause explains, {(kind, number): {cpu: names}}, and the sentences that are wrong."""
    explained, wrong = {}, []
    for comparison in comparisons:
        for kind, table in KINDS.items():
            for name in sorted(comparison.found[kind]):
                rows = [
                    number
                    for number, row in enumerate(table)
                    if matches(row[0], comparison.cpu) and matches(row[1], name)
                ]
                if not rows:
                    wrong.append(f"{comparison.cpu}: {kind}: {name} has no cause in causes.py")
                    continue
                explained.setdefault((kind, rows[0]), {}).setdefault(comparison.cpu, []).append(name)
    wrong += [
        f"{kind}: no difference has this cause: {row[3]}"
        for kind, table in KINDS.items()
        for number, row in enumerate(table)
        if (kind, number) not in explained
    ]
    return explained, wrong


# The document

HEAD = """# Where Intel's two publications differ

Intel's metrics are published twice: in intel/perfmon, and in Linux' `tools/perf/pmu-events`, which
is made from the same sheets by another script. `tests/vendors/differences.py` evaluates both texts
with the same random counts, SMT off and on, for each CPU that both describe. It writes this file;
the causes stand in `tests/vendors/causes.py`. The test `vendors.differences` fails when a
difference has no cause.

A metric is in a table where its own formula differs. What differs only because a metric in its
formula does is counted as *follows*. `events/README.md` says which text topdown takes.

## CPUs

"""


def version_rows(comparisons):
    taken = {}
    for comparison in comparisons:
        path = ROOT / "models" / f"{comparison.cpu.replace(':', '-')}.json"
        source = json.loads(path.read_text(encoding="utf-8"))["Header"]["Source"]
        taken[comparison.cpu] = "Linux" if source.startswith("Linux") else "perfmon"
    yield "| CPU | perfmon | Linux 7.3, at least | compared | differ | follow | thresholds differ | taken |"
    yield "|---|---|---|---|---|---|---|---|"
    for c in comparisons:
        yield (
            f"| {c.cpu} | {c.perfmon.version or '-'} | {c.linux.version() or '-'} | {len(c.compared)} | "
            f"{len(c.found['values'])} | {len(c.follow)} | {len(c.found['thresholds'])} | {taken[c.cpu]} |"
        )


def cause_rows(explained, kind, table):
    yield (
        "| cause | right | CPUs: metrics |"
        if kind in ("values", "thresholds")
        else "| what | CPUs: metrics |"
    )
    yield "|---|---|---|" if kind in ("values", "thresholds") else "|---|---|"
    for number, row in enumerate(table):
        if (kind, number) not in explained:
            continue
        same = {}
        for cpu, names in explained[kind, number].items():
            same.setdefault(" ".join(names), []).append(cpu)
        where = "; ".join(f"{', '.join(cpus)}: {names.replace(' ', ', ')}" for names, cpus in same.items())
        yield f"| {row[3]} | {row[2]} | {where} |" if row[2] else f"| {row[3]} | {where} |"


def document(comparisons, explained):
    titles = {
        "values": "Values",
        "thresholds": "Thresholds",
        "only Linux": "Only in Linux",
        "only perfmon": "Only in perfmon",
    }
    text = HEAD + "\n".join(version_rows(comparisons)) + "\n"
    for kind, table in KINDS.items():
        text += (
            f"\n## {titles[kind]}\n\n"
            + ("\n".join(cause_rows(explained, kind, table)) if table else "None differ.")
            + "\n"
        )
    return text


def main(arguments):
    reference = Path(os.environ.get("REFERENCE", ROOT / "tests/reference"))
    if not (reference / LINUX).is_dir() or not (reference / "intel").is_dir():
        print(
            f"differences.py: skipped, the vendors' data are not at {reference}; tests/fetch-reference.sh"
            " fetches them"
        )
        return SKIPPED
    comparisons = [Comparison(cpu, reference) for cpu in CPUS]
    explained, wrong = explain(comparisons)
    text = document(comparisons, explained)
    if arguments == ["--write"]:
        DOCUMENT.write_text(text, encoding="utf-8")
    elif not DOCUMENT.is_file() or DOCUMENT.read_text(encoding="utf-8") != text:
        wrong.append(f"{DOCUMENT.name} says something else: differences.py --write")
    print("\n".join(wrong))
    print(
        f"differences.py: {len(comparisons)} CPUs, {sum(len(c.compared) for c in comparisons)} metrics"
        f" compared, {sum(len(c.found['values']) for c in comparisons)} differ,"
        f" {sum(len(c.follow) for c in comparisons)} follow"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
