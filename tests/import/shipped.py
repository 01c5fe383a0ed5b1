#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Import all of the vendors' data into an empty folder: the files must be the shipped ones, byte for byte,
and no larger than planned.

usage: shipped.py     TOPDOWN names the program, REFERENCE the vendors' data

Limits: 600 KB for the files of a CPU, 12 MB for all. Exit status 77 without the data.
"""
import filecmp
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
REFERENCE = Path(os.environ.get("REFERENCE", ROOT / "tests/reference"))
TOPDOWN = Path(os.environ.get("TOPDOWN", "topdown")).absolute()
SKIPPED = 77
CPU_SIZE, ALL_SIZE = 600_000, 12_000_000
OURS = {
    "events/cpus.json",
    "events/README.md",
    "events/import.sh",
    "models/README.md",
    "models/glossary.json",
    "models/glossary-sim.json",
    "models/common.json",
    "models/assessment.json",
    "models/roofline.json",
    "events/sim.json",
    "models/sim.json",
}


def files(folder):
    return {
        str(path.relative_to(folder)): path
        for kind in ("events", "models")
        for path in (folder / kind).rglob("*")
        if path.is_file()
    }


def of_sheets():
    """The files of CPUs whose formulas stand in a sheet that is not there."""
    if (REFERENCE / "tma").is_dir():
        return set()
    print(f"shipped.py: {REFERENCE}/tma is not there, so CPUs of Intel's sheets are left out")
    rows = json.loads((ROOT / "events/cpus.json").read_text(encoding="utf-8"))
    names = [row["Name"].replace(":", "-") for row in rows if "Sheet" in row]
    return {name for name in files(ROOT) if Path(name).stem in names}


def differences(out):
    shipped, made = files(ROOT), files(out)
    for name in sorted((shipped.keys() | made.keys()) - OURS - of_sheets()):
        if name.startswith(("events/sim/", "events/generic/")):
            continue
        if name not in made:
            yield f"{name}: is shipped, but no import makes it"
        elif name not in shipped:
            yield f"{name}: is made, but not shipped"
        elif not filecmp.cmp(shipped[name], made[name], shallow=False):
            yield f"{name}: differs"
    sizes = {name: path.stat().st_size for name, path in made.items()}
    for name, size in sizes.items():
        both = size + sizes.get(name.replace("events/", "models/"), 0) if name.startswith("events/") else 0
        if both > CPU_SIZE:
            yield f"{name}: {both} bytes with its model"
    if sum(sizes.values()) > ALL_SIZE:
        yield f"all: {sum(sizes.values())} bytes"


def main():
    if not all((REFERENCE / name).is_dir() for name in ("intel", "perfspect")):
        print(
            f"shipped.py: skipped, the vendors' data are not at {REFERENCE}; tests/fetch-reference.sh fetches"
            " them"
        )
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        subprocess.run(
            [ROOT / "events/import.sh", REFERENCE, out, TOPDOWN], check=True, stdout=subprocess.DEVNULL
        )
        wrong = list(differences(out))
    print("\n".join(wrong) or "shipped.py: the shipped files are the imported ones")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
