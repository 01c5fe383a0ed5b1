#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The rules by which an arm64 core of Linux gets its tree, against the trees that Arm publishes for the same
cores.

usage: arm_form.py     TOPDOWN names the program, REFERENCE the vendors' data

Linux has Neoverse N1, N3, V1 and V3 too, with the same metrics but without the decision tree. Imported from
there, each node must have the level, the parent, the next groups, the unit and the threshold that it has from
Arm's file. Exit status 77 without the data.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TOPDOWN = os.environ.get("TOPDOWN", "topdown")
SKIPPED = 77
NODES = {"neoverse-n1": 2, "neoverse-v1": 4, "neoverse-n3": 21, "neoverse-v3": 21}  # of Arm's trees
KEYS = ("MetricThreshold", "ScaleUnit", "CountDomain")


def nodes(path):
    found = {}
    for row in json.loads(path.read_text(encoding="utf-8"))["Metrics"]:
        groups = row.get("MetricGroup", "").split(";")
        if groups[0].startswith("TopdownL"):
            parent = [group for group in groups if group.endswith("_group")]
            found[row["MetricName"]] = [groups[0], parent, row.get("NextGroups"), *(row[key] for key in KEYS)]
    return found


def main():
    folder = Path(os.environ.get("REFERENCE", ROOT / "tests/reference")) / "linux-7.3/arm64/arm"
    if not folder.is_dir():
        print(
            f"arm_form.py: skipped, the vendors' data are not at {folder}; tests/fetch-reference.sh fetches"
            " them"
        )
        return SKIPPED
    wrong = []
    with tempfile.TemporaryDirectory() as out:
        for cpu, count in NODES.items():
            subprocess.run(
                [TOPDOWN, "import", "--db", ROOT, "--from", "perf", "-o", out, folder / cpu],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            ours, theirs = nodes(Path(out) / "models" / f"{cpu}.json"), nodes(ROOT / "models" / f"{cpu}.json")
            wrong += [f"{cpu}: {len(theirs)} nodes from Arm, not {count}"] * (len(theirs) != count)
            wrong += [
                f"{cpu}: {name}: {ours.get(name)} instead of {theirs.get(name)}"
                for name in {**ours, **theirs}
                if ours.get(name) != theirs.get(name)
            ]
    print(
        "\n".join(wrong)
        or f"arm_form.py: {sum(NODES.values())} nodes are placed as in the trees that Arm publishes"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
