#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""cases.py - single records that people published, each with the command that reads it and what has to be in
its output: those of this folder, and the shared ones where they are there. Names select some of them."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TOPDOWN = os.environ.get("TOPDOWN", str(SOURCE / "build/topdown"))
FOLDERS = (
    SOURCE / "tests/field/cases",
    pathlib.Path(os.environ.get("FIELD_CASES", SOURCE.parent / "shared/found/field3")),
)
# (case, text): why it is no longer there.
LEFT_OUT = {("sim-go", "runtime.mallocgc"): "it has less than 0.1 %, and rows below 0.5 % are summed up"}


def run(command, more=()):
    done = subprocess.run(
        [TOPDOWN, *command, *more],
        capture_output=True,
        check=False,
        timeout=600,
        env=os.environ | {"LC_ALL": "C.UTF-8"},
    )
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def rows_of(report):
    for part in report.get("parts", [report]):
        yield from part.get("nodes", [])
        yield from part.get("metrics", [])


def value_of(command, node):
    """The first value that the report has under that title or name, and how good it is."""
    _, stdout, _ = run(command, ("--format", "json"))
    try:
        report = json.JSONDecoder().raw_decode(stdout)[0]
    except ValueError:
        return None, None
    rows = [row for row in rows_of(report) if node in (row["name"], row.get("title"))]
    return next(((row["value"], row["quality"]) for row in rows if row["value"] is not None), (None, None))


def is_met(rule, command, result):
    """Whether the output is as the rule has it, and what is there instead."""
    status, stdout, stderr = result
    text = stdout + stderr
    if "rc" in rule:
        return status == rule["rc"], f"status {status}"
    if "text" in rule:
        verbose = ["-v", *command] if command[0].startswith("-") else [command[0], "-v", *command[1:]]
        text += "".join(run(verbose)[1:])  # what people asked for: -v has all of it
        return " ".join(rule["text"].split()) in " ".join(text.split()), "it is not there"
    if "absent" in rule:
        return rule["absent"] not in text, "it is there"
    value, quality = value_of(command, rule["node"])
    is_near = value is not None and abs(value - rule["value"]) <= rule["tol"]
    return is_near and rule.get("quality", quality) == quality, f"{value} ({quality})"


def check(folder, case):
    """The failures of a case."""
    with tempfile.TemporaryDirectory() as work:
        build = case.get("build", "").replace("{dir}", work)
        if build:
            done = subprocess.run(
                build,
                shell=True,
                cwd=folder,
                capture_output=True,
                check=False,
                env=os.environ | {"TOPDOWN": TOPDOWN},
            )
            if done.returncode:
                return None
        file = str(folder / case["file"]) if case["file"] else ""
        command = [word.replace("{file}", file).replace("{dir}", work) for word in case["command"]]
        result = run(command)
        rules = [rule for rule in case["expected"] if (case["id"], rule.get("text")) not in LEFT_OUT]
        verdicts = [(rule, *is_met(rule, command, result)) for rule in rules]
    return [f"{rule}: {seen}" for rule, is_right, seen in verdicts if not is_right]


def main():
    names, checked, skipped, failed = sys.argv[1:], 0, [], 0
    for folder in FOLDERS:
        index = folder / "index.json"
        cases = json.loads(index.read_text(encoding="utf-8"))["cases"] if index.exists() else []
        for case in cases:
            if names and case["id"] not in names and case.get("fault") not in names:
                continue
            failures = check(folder, case)
            if failures is None:
                skipped.append(case["id"])
                continue
            checked += 1
            failed += bool(failures)
            for failure in failures:
                print(f"FAIL {folder.name}: {case['id']}: {failure}")
    if skipped:
        print(f"not built here: {', '.join(skipped)}")
    print(f"{checked} cases, {failed} failed")
    return 1 if failed or not checked else 0


sys.exit(main())
