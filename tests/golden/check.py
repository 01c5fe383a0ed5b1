#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare what topdown reports about the golden cases with the vendors' formulas and with the screens kept
here.

usage: check.py [CASE...]     TOPDOWN names the program

For each case: every node and metric of the JSON report against expected.json (relative error 1e-9),
thresholds, the marks of bottlenecks and of the worst path, the names of missing counts, what to sample next;
screen.txt against the expected values, word by word, and against the program's output, byte by byte. Where a
case has screen-ascii.txt, report.csv or report.md, these too.
"""
import csv
import difflib
import io
import json
import math
import os
import re
import subprocess
import sys

import assessed
import screen
from expect import spelling
from golden import HERE, Golden

LEVEL = 3
ASCII = str.maketrans({"├": "+", "└": "`", "│": "|", "─": "-"})


class Failures:
    def __init__(self, case):
        self.case, self.count = case, 0

    def expect(self, what, found, expected):
        if found == expected:
            return
        self.count += 1
        print(f"{self.case}: {what}:\n  expected {expected!r}\n  found    {found!r}")

    def expect_number(self, what, found, expected):
        if None in (found, expected):
            self.expect(what, found, expected)
        elif not math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12):
            self.expect(what, found, expected)


def run(golden, *options, locale="C.UTF-8"):
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "TOPDOWN_DB"))
    }
    program = os.environ.get("TOPDOWN", "topdown")
    command = [os.path.abspath(program) if "/" in program else program, "report", *options, "counts.json"]
    done = subprocess.run(
        command, env={**environment, "LC_ALL": locale}, cwd=golden.folder, capture_output=True, check=False
    )
    if done.returncode or done.stderr:
        print(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr.decode()}")
        sys.exit(1)
    return done.stdout.decode()


# JSON


def check_missing(failures, golden, row, found):
    """What is named as missing is missing, and a reason is given wherever there is no value."""
    names = found["missing"]
    failures.expect(f"{row.name}: reason", bool(found["reason"]), row.raw is None)
    failures.expect(
        f"{row.name}: named as missing, but counted",
        [name for name in names if spelling(name) in golden.counts],
        [],
    )
    if row.raw is not None:
        failures.expect(f"{row.name}: missing", names, [])
    elif not names:
        failures.expect(
            f"{row.name}: reason",
            "divides by zero" in found["reason"] or found["reason"].startswith("needs "),
            True,
        )
    if row.needs:
        failures.expect(
            f"{row.name}: the PMUs that count it", found["reason"].startswith(f"needs {row.needs}, "), True
        )
    for name in names[:4] if not row.needs else []:
        failures.expect(f"{row.name}: reason names {name}", name in found["reason"], True)


def check_measurement(failures, golden, row, found):
    failures.expect_number(f"{row.name}: raw", found["raw"], row.raw)
    failures.expect_number(f"{row.name}: value", found["value"], row.value)
    failures.expect(f"{row.name}: quality", found["quality"], row.quality)
    failures.expect(f"{row.name}: title", found["title"], row.title)
    failures.expect(f"{row.name}: unit", found["unit"], row.scale_unit)
    failures.expect(f"{row.name}: domain", found["domain"], row.domain)
    failures.expect(f"{row.name}: has_threshold", found["has_threshold"], row.has_threshold)
    failures.expect(f"{row.name}: over_threshold", found["over_threshold"], row.over)
    check_missing(failures, golden, row, found)


def check_node(failures, golden, row, found):
    check_measurement(failures, golden, row, found)
    expected = dict(
        level=row.level,
        parent=row.parent.name if row.parent else None,
        bottleneck=row.bottleneck,
        worst_path=row.worst_path,
        sample=row.samples,
    )
    for key, value in expected.items():
        failures.expect(f"{row.name}: {key}", found[key], value)


def check_rows(failures, golden, rows, found, check):
    for row in found:
        if row["name"] in golden.system:
            failures.expect(f'{row["name"]}: nobody counted it', row["value"], None)
    found = [row for row in found if row["name"] not in golden.common]
    failures.expect("names", [row["name"] for row in found], [row.name for row in rows])
    by_name = {row["name"]: row for row in found}
    for row in rows:
        if row.name in by_name:
            check(failures, golden, row, by_name[row.name])


def check_summary(failures, golden, found):
    cycles, instructions = golden.count("Cycles"), golden.count("Instructions")
    failures.expect_number("cycles", found["cycles"], cycles)
    failures.expect_number("instructions", found["instructions"], instructions)
    both = cycles and instructions
    failures.expect_number("ipc", found["ipc"], instructions / cycles if both else None)


def check_figures(failures, golden, found):
    """The judged figures, in their order."""
    rows = assessed.figures(golden)
    failures.expect("assessment", [row["title"] for row in found], [row.title for row in rows])
    for row, figure in zip(found, rows):
        failures.expect_number(f"assessment of {figure.title}", row["value"], figure.value)
        failures.expect(f"verdict of {figure.title}", row["verdict"], figure.verdict)


def check_json(failures, golden):
    report = json.loads(run(golden, "--format", "json"))
    deepest = max(node.level for node in golden.nodes)
    golden.find_worst(deepest)
    failures.expect("cpu", report["cpu"], golden.cpu)
    failures.expect("tma_version", report["tma_version"], golden.header.get("TmaVersion"))
    check_rows(failures, golden, golden.nodes, report["nodes"], check_node)
    check_rows(failures, golden, golden.metrics, report["metrics"], check_measurement)
    check_summary(failures, golden, report["summary"])
    check_figures(failures, golden, report["assessment"])
    advice = report.get("advice", {})
    words = [f"{golden.title(advice['node'])}: {advice['means']}", f"Try: {advice['try']}"] if advice else []
    failures.expect("advice", words, golden.words(deepest))
    failures.expect("look_closer", report["look_closer"], golden.closer(deepest))
    failures.expect("sample_next", report["sample_next"], golden.sampler(deepest))
    failures.expect("next", [hint["command"] for hint in report["next"]], golden.commands(deepest))


# Screens and sheets


def check_text(failures, golden, name, found):
    expected = (golden.folder / name).read_text(encoding="utf-8")
    if found != expected:
        failures.count += 1
        sys.stdout.writelines(
            difflib.unified_diff(
                expected.splitlines(True), found.splitlines(True), f"{golden.name}/{name}", "topdown"
            )
        )


def check_screen(failures, golden):
    text = (golden.folder / "screen.txt").read_text(encoding="utf-8")
    for line in screen.differences(golden, text, LEVEL):
        failures.expect(f"screen.txt against expected.json: {line}", "wrong", "right")
    check_text(failures, golden, "screen.txt", run(golden, f"-l{LEVEL}"))


def check_ascii(failures, golden):
    """The same screen in ASCII characters."""
    utf8 = (golden.folder / "screen.txt").read_text(encoding="utf-8")
    text = (golden.folder / "screen-ascii.txt").read_text(encoding="ascii")
    failures.expect("screen-ascii.txt against screen.txt", text, utf8.translate(ASCII))
    check_text(failures, golden, "screen-ascii.txt", run(golden, f"-l{LEVEL}", locale="C"))


def csv_row(row):
    """The columns of a line but for its numbers, and for what else has rules of its own."""

    def node_only(text):
        return text if row.level else ""

    return dict(
        kind="node" if row.level else "metric",
        level=str(row.level or ""),
        name=row.name,
        title=row.title,
        path=row.path,
        unit=row.scale_unit,
        domain=row.domain,
        quality=row.quality,
        over_threshold=str(row.over).lower(),
        bottleneck=str(row.bottleneck).lower(),
        running="" if row.raw is None else "1",
        parent=row.parent.name if row.parent else "",
        has_threshold=str(row.has_threshold).lower(),
        worst_path=node_only(str(row.worst_path).lower()),
        sample=node_only(";".join(row.samples)),
        groups=";".join(filter(None, row.groups)),
    )


def csv_ending(golden):
    """What is the same in all lines: the head of a report of flat counts, of which no more is known."""
    version = f"{golden.cpu} {golden.header['Version']}"
    return dict(
        cpu=golden.cpu,
        model=version,
        tma_version=golden.header.get("TmaVersion", ""),
        simulated="false",
        own_thresholds=str(golden.header["Thresholds"] == "topdown").lower(),
        deepest_level=str(LEVEL),
        runs="1",
        repeats="1",
        csv_version="2",
        cpu_title=golden.events.header["Title"],
    )


def check_csv_line(failures, golden, line, row):
    what = f"report.csv: {row.name}"
    cycles, instructions = golden.count("Cycles"), golden.count("Instructions")
    numbers = dict(
        value=row.value,
        raw=row.raw,
        cycles=cycles,
        instructions=instructions,
        ipc=instructions / cycles if cycles and instructions else None,
    )
    line.pop("form")  # of Intel's formulas: what golden cases are of, the sheet's JSON says
    for key, value in numbers.items():
        found = line.pop(key)
        failures.expect_number(f"{what}: {key}", float(found) if found else None, value)
    missing = [name for name in line.pop("missing").split(";") if name]
    failures.expect(
        f"{what}: named as missing, but counted",
        [name for name in missing if spelling(name) in golden.counts],
        [],
    )
    failures.expect(f"{what}: missing", bool(missing) and row.raw is not None, False)
    failures.expect(f"{what}: reason", bool(line.pop("reason")), row.value is None)
    failures.expect(f"{what}: topic", bool(line.pop("topic")), not row.level)
    known = {**csv_row(row), **csv_ending(golden)}
    failures.expect(
        what,
        {key: text for key, text in line.items() if text or known.get(key)},
        {key: text for key, text in known.items() if text},
    )


def check_csv(failures, golden):
    text = (golden.folder / "report.csv").read_text(encoding="utf-8")
    golden.find_worst(LEVEL)
    rows = [node for node in golden.nodes if node.level <= LEVEL] + golden.metrics
    lines = list(csv.DictReader(io.StringIO(text)))
    found = [
        line for line in lines if line["kind"] in ("node", "metric") and line["name"] not in golden.common
    ]
    said = [
        line["text"]
        for line in lines
        if line["kind"] in ("means", "try", "look_closer", "sample_next", "next")
    ]
    words = [re.sub("^[^:]*: ", "", words) for words in golden.words(LEVEL)]
    failures.expect(
        "report.csv: words",
        said,
        [*words, *filter(None, [golden.closer(LEVEL), golden.sampler(LEVEL)]), *golden.commands(LEVEL)],
    )
    failures.expect("report.csv: its first line", lines[0]["kind"], "summary")
    failures.expect("report.csv: lines", len(found), len(rows))
    for line, row in zip(found, rows):
        check_csv_line(failures, golden, line, row)
    check_text(failures, golden, "report.csv", run(golden, f"-l{LEVEL}", "--format", "csv"))


def check_markdown(failures, golden):
    text = (golden.folder / "report.md").read_text(encoding="utf-8")
    for line in screen.markdown_differences(golden, text, LEVEL):
        failures.expect(f"report.md against expected.json: {line}", "wrong", "right")
    check_text(failures, golden, "report.md", run(golden, f"-l{LEVEL}", "-v", "--format", "markdown"))


OPTIONAL = {"screen-ascii.txt": check_ascii, "report.csv": check_csv, "report.md": check_markdown}


def check(name):
    golden = Golden(name)
    failures = Failures(name)
    check_json(failures, golden)
    check_screen(failures, golden)
    for file, function in OPTIONAL.items():
        if (golden.folder / file).exists():
            function(failures, golden)
    return failures.count


def main(names):
    names = names or sorted(path.parent.name for path in HERE.glob("*/counts.json"))
    failed = sum(check(name) for name in names)
    print(f"check.py: {len(names)} cases, {failed} differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
