#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""records.py - every line of the shared field records is read, however the text was pasted: as published,
quoted, wrapped by a mailer, in the locales of other countries. The expected counts come from the regular
expressions here."""
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FIELD = SOURCE.parent / "shared/found/field"
READER = pathlib.Path(os.environ["TOPDOWN_BUILD"]) / "tests/pasted_counts"
CLOCKS = ("task-clock", "cpu-clock", "duration_time", "user_time", "system_time")
COUNT = re.compile(
    r"^ *((?:\d[\d., ]*\d|\d)|<not (?:counted|supported)>) +(?:msec +|ns +)?([A-Za-z_]\S*)(?= *(?:[#(]|$))"
)
PERCENT = re.compile(r"\((\d+[.,]\d+)%\)")
BLANKS = ("\u00a0", "\u202f")
failed = 0


def expected_text(text):
    """[event, value, percent] of each count; a percentage belongs to the count above it."""
    found = []
    for line in text.splitlines():
        match = COUNT.match(line)
        if match and "seconds" not in line.split()[1:2]:
            digits = re.sub(r"[., ]", "", match[1])
            found.append([match[2], None if "<" in match[1] else int(digits), 100.0])
        percent = PERCENT.search(line)
        if percent and found:
            found[-1][2] = float(percent[1].replace(",", "."))
    return [count for count in found if not count[0].split(":")[0] in CLOCKS]


def expected_csv(text):
    found = []
    for line in text.splitlines():
        line = re.sub(r"(/[^/]*),([^/]*/)", r"\1;\2", line)
        columns = next(csv.reader([line]))
        if columns[3]:
            found.append([columns[3].replace(";", ","), int(columns[1]), float(columns[5])])
    return found


def read(text):
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
        file.write(text)
        file.flush()
        result = subprocess.run([READER, file.name], capture_output=True, text=True, check=False)
    if result.returncode:
        return result.stderr
    return [line.split("\t") for line in result.stdout.splitlines()]


def is_restricted(event):
    return re.search(r"(/|:)u$", event) is not None


def compare(name, expected, rows):
    """In both the copies of an event are in order; with two types of cores the parts follow each other."""
    global failed
    if isinstance(rows, str):
        failed += 1
        print(f"{name}: {rows}", end="")
        return
    names = {count[0] for count in expected}
    rows = [row for row in rows if row[1] in names]
    if len({row[0] for row in rows}) > 1:
        expected = sorted(expected, key=lambda count: not count[0].startswith(rows[0][1].split("/")[0]))
    wrong = [] if len(expected) == len(rows) else [f"{len(rows)} counts, expected {len(expected)}"]
    for (event, value, percent), row in zip(expected, rows):
        is_same = row[2] == "nan" if value is None else abs(float(row[2]) - value) <= max(1e-9 * value, 0.01)
        if row[1] != event or not is_same or abs(float(row[3]) - percent) > 0.0051:
            wrong.append(f"{row[1]} {row[2]} {row[3]}, expected {event} {value} {percent}")
    if wrong:
        failed += 1
        print(f"{name}: {wrong[0]}" + (f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""))


def quote(text):
    return "Ann wrote:\n" + "".join(f"> {line}\n" for line in text.splitlines())


def wrap(text):
    """Breaks at blanks what is wider than a mailer's line, and loses the blanks there."""
    lines = []
    for line in text.splitlines():
        while len(line.rstrip()) > 72:
            at = line.rfind(" ", 0, 73)
            if not line[: max(at, 0)].strip():
                at = line.find(" ", 73)
            if at < 0:
                break
            lines.append(line[:at].rstrip())
            line = line[at:].strip()
        lines.append(line)
    return "\n".join(lines) + "\n"


def translate(text, thousands, decimal):
    """The numbers of a text of perf's default locale as those of another one; times stay as they are."""

    def number(match):
        return match[0].replace(",", "T").replace(".", decimal).replace("T", thousands)

    lines = []
    for line in text.splitlines():
        if "seconds" not in line:
            line = re.sub(r"(?<![\w./])\d[\d,]*(\.\d+)?(?=[ %)]|$)", number, line)
        lines.append(line)
    return "\n".join(lines) + "\n"


def check_text(path):
    text = path.read_text(encoding="utf-8")
    expected = expected_text(text)
    compare(path.name, expected, read(text))
    compare(f"{path.name}, quoted", expected, read(quote(text)))
    compare(f"{path.name}, wrapped", expected, read(wrap(text)))
    compare(f"{path.name}, quoted and wrapped", expected, read(quote(wrap(text))))
    compare(
        f"{path.name}, with a prompt", expected, read(f"$ perf stat ./prog\n17 results\n\n{text}\n$ ls\n")
    )
    if "spaces" in path.name:
        for blank in BLANKS:
            compare(f"{path.name}, {blank!r}", expected, read(re.sub(r"(?<=\d) (?=\d\d\d\b)", blank, text)))
        return len(expected)
    compare(f"{path.name}, points", expected, read(translate(text, ".", ",")))
    for blank in (" ", *BLANKS):
        compare(f"{path.name}, {blank!r}", expected, read(translate(text, blank, ",")))
    return len(expected)


def main():
    if not FIELD.is_dir():
        print(f"skipped: the field records are not there ({FIELD})")
        return 77
    counts = {path.stem: check_text(path) for path in sorted(FIELD.glob("*.txt"))}
    for path in sorted(FIELD.glob("*.csv")):
        text = path.read_text(encoding="utf-8")
        counts[path.stem] = len(expected_csv(text))
        compare(path.name, expected_csv(text), read(text))
    print(
        f"{len(counts)} records, {sum(counts.values())} counts, the fewest {min(counts, key=counts.get)}:"
        f" {min(counts.values())}"
    )
    return 1 if failed or min(counts.values(), default=0) < 4 else 0


sys.exit(main())
