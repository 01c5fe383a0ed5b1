# SPDX-License-Identifier: GPL-2.0-or-later
"""data.py - what is in models/ and events/, and other files of JSON."""
import json
import pathlib
import re

from lib.program import SOURCE


def read_json(path, **options):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"), **options)


def read_linux(path):
    """A file of Linux' pmu-events, which may have a comma behind its last item."""
    return json.loads(re.sub(r",\s*]\s*$", "]", pathlib.Path(path).read_text(encoding="utf-8")))


def system_rows(kind, cpu):
    """What models/system/ and events/system/ add to a CPU that may be in such a system: kind is Metrics or
    Events."""
    header = read_json(SOURCE / f"events/{cpu}.json")["Header"]
    folder = {"Metrics": "models", "Events": "events"}[kind]
    return [
        row
        for name in header.get("System", "").split(",")
        if name
        for row in read_json(SOURCE / folder / f"system/{name}.json")[kind]
    ]


def common_metrics(names):
    """What models/common.json adds to a model whose metrics have these names: {its name: the vendor's, or
    None where it is ours}."""
    rows = read_json(SOURCE / "models/common.json")["Metrics"]
    found = {}
    for row in rows:
        if "Title" in row:
            same = [row["MetricName"], *row.get("SameAs", "").split(";")]
            found[row["MetricName"]] = next((name for name in same if name in names), None)
    return found
