#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""field.py - records of real hardware that people published (../shared/found/field): topdown report prints
what their perf printed."""
import collections
import json
import os
import pathlib
import subprocess
import sys

import records
from explained import EXPLAINED, NAMES

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FIELD = pathlib.Path(os.environ.get("FIELD", SOURCE.parent / "shared/found/field"))
TOPDOWN = os.environ.get("TOPDOWN", str(SOURCE / "build/topdown"))
SKIPPED = 77
JSON_DIGITS = 1e-11  # numbers of the report have 12 digits

# What perf prints beside its default events, and is neither a share nor a ratio of the tree.
IGNORED = {"GHz", "CPUs utilized", "of all branches", "M", "G", "K", "sec", "per cycle"}


def report(text, cpu):
    """The report of this output, as JSON, of an interval the first; None and the message where topdown
    refuses it."""
    done = subprocess.run(
        [TOPDOWN, "report", "--format", "json", "--cpu", cpu, "-"],
        input=text,
        text=True,
        capture_output=True,
        check=False,
        timeout=600,
    )
    if done.returncode != 0:
        return None, done.stderr.strip()
    return json.JSONDecoder().raw_decode(done.stdout)[0], ""


def values_of(whole):
    """All values of a report by their names."""
    found = {row["name"]: row for row in whole["nodes"] + whole["metrics"]}
    found["ipc"] = {"value": whole["summary"]["ipc"], "reason": "not counted"}
    return found


def judge(printed, found):
    """agree, differ, missing (not evaluated) or unknown (no such node), and what is there instead."""
    row = found.get(printed.name) or found.get(NAMES.get(printed.name))
    if row is None:
        return "unknown", None
    if row["value"] is None or row.get("quality") == "printed":  # perf's own value proves nothing
        return "missing", row["reason"]
    value = row["value"]
    if printed.is_percent != (row.get("unit") == "%"):
        value *= 100 if printed.is_percent else 0.01 if row.get("unit") == "%" else 1
    half = max(0.5 * 10**-printed.digits, abs(value) * JSON_DIGITS)
    return "agree" if abs(value - printed.value) <= half * (1 + 1e-9) else "differ", value


def read(path):
    about = json.loads(path.read_text(encoding="utf-8"))
    text = (path.parent / about["file"]).read_text(encoding="utf-8")
    return about, text, *(records.read_csv if about["file"].endswith(".csv") else records.read_text)(text)


def parts(about, counts, printed):
    """Each core type by itself."""
    cpu, _, types = about["cpu"].partition(":")
    for kind in types.split("+"):
        yield (
            f"{cpu}:{kind}" if kind else cpu,
            [count for count in counts if records.core_type(count.event) in ("", kind)],
            [value for value in printed if records.core_type(value.event) in ("", kind)],
        )


def check_part(name, cpu, text, printed):
    """Yields a verdict for each printed value, with a sentence where it is a failure."""
    whole, message = report(text, cpu)
    if whole is None:
        yield "refused", message
        return
    found = values_of(whole)
    for value in printed:
        if value.name in IGNORED:
            continue
        verdict, seen = judge(value, found)
        reason = EXPLAINED.get((name, value.name))
        if verdict == "agree":
            yield verdict, f"{value.name}: it agrees, so its row is of no use" if reason else None
        else:
            yield verdict, (
                None if reason else f"{value.name} was printed as {value.value:g}: {verdict}, {seen}"
            )


def check_whole_cores(text, whole):
    """Where all CPUs were counted already, no note asks for that."""
    notes = (
        [note for note in whole["notes"] if "with -a" in note]
        if whole and "for 'system wide'" in text
        else []
    )
    return [f"all CPUs were counted, and a note says: {note}" for note in notes]


def main():
    if not FIELD.is_dir():
        print(f"skipped: {FIELD} is not there")
        return SKIPPED
    totals, failures = {"published": collections.Counter(), "as -x": collections.Counter()}, 0
    for path in sorted(FIELD.glob("*.json")):
        about, text, counts, printed = read(path)
        for cpu, own, values in parts(about, counts, printed):
            for form, given in (("published", text), ("as -x", records.as_csv(own))):
                for verdict, failure in check_part(about["name"], cpu, given, values):
                    totals[form][verdict] += 1
                    failures += failure is not None
                    if failure:
                        print(f"FAIL {about['name']} {form} ({cpu}): {failure}")
            for failure in check_whole_cores(text, report(text, cpu)[0]):
                failures += 1
                print(f"FAIL {about['name']} ({cpu}): {failure}")
    for form, verdicts in totals.items():
        print(f"{form}: " + ", ".join(f"{verdict} {count}" for verdict, count in verdicts.items()))
    return 1 if failures or not all(verdicts["agree"] for verdicts in totals.values()) else 0


sys.exit(main())
