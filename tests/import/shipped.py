#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Import all of the vendors' data into an empty folder: the files must be the shipped ones, byte for byte,
and no larger than planned.

usage: shipped.py     TOPDOWN names the program, REFERENCE the vendors' data

Limits: 600 KB for the files of a CPU, 12 MB for all. Exit status 77 without the data.
"""
import filecmp
import functools
import json
import os
import re
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


def source_of(row):
    """The folder or file that a CPU is made from, as far as an older reference may lack it."""
    if "Sheet" in row:
        return REFERENCE / "tma"
    path = ROOT / "events" / f"{row['Name'].replace(':', '-')}.json"
    source = json.loads(path.read_text(encoding="utf-8"))["Header"]["Source"]
    for pattern, folder in (
        (r"Linux (\S+) pmu-events arch/(arm64/.*)", r"linux-\1/\2"),
        (r"Arm telemetry-solution (.*)", r"arm/\1"),
    ):
        if re.fullmatch(pattern, source):
            return REFERENCE / re.sub(pattern, folder, source)
    return REFERENCE


@functools.lru_cache
def without_source():
    """Names of CPUs whose source is not there."""
    rows = json.loads((ROOT / "events/cpus.json").read_text(encoding="utf-8"))
    lacking = {row["Name"]: source_of(row) for row in rows}
    lacking = {name: path for name, path in lacking.items() if not path.exists()}
    for path in sorted(set(lacking.values())):
        names = ", ".join(name for name in lacking if lacking[name] == path)
        print(f"shipped.py: {path} is not there, so {names} is left out")
    return set(lacking)


def files_without_source():
    names = {name.replace(":", "-") for name in without_source()}
    return {name for name in files(ROOT) if Path(name).stem in names}


def is_same(name, shipped, made):
    """The map may lack the rows of CPUs that are left out."""
    if name != "events/mapfile.csv":
        return filecmp.cmp(shipped, made, shallow=False)
    made = made.read_text(encoding="utf-8").splitlines(keepends=True)
    rows = shipped.read_text(encoding="utf-8").splitlines(keepends=True)
    return made == [row for row in rows if row in made or row.split(",")[2] not in without_source()]


def differences(out):
    shipped, made = files(ROOT), files(out)
    for name in sorted((shipped.keys() | made.keys()) - OURS - files_without_source()):
        if name.startswith(("events/sim/", "events/generic/")):
            continue
        if name not in made:
            yield f"{name}: is shipped, but no import makes it"
        elif name not in shipped:
            yield f"{name}: is made, but not shipped"
        elif not is_same(name, shipped[name], made[name]):
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
