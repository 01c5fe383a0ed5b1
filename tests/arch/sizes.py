#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""sizes.py - what keeps the rooms of analyzer/ small, and their names findable:

- a C file has at most 800 lines, because a file is one subject;
- a room has at most 30 files, or as ROOMS says;
- a header has at least two users beside its own C file: else it stands where it is used;
- a static function's name stands in at most three files."""
import collections
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("analyzer", "tests/unit")
LINES, FILES, NAMES = 800, 30, 3
# The two halves of the simulator, which are programs of their own.
ROOMS = {"simulator/guest": 45, "simulator/model": 45}
STATIC = re.compile(r"^static (?:inline )?(?:const )?(?:struct |enum |unsigned )?\w+ \**(\w+)\(", re.M)


def long_files(texts):
    for path, text in texts.items():
        count = len(text.splitlines())
        if count > LINES:
            yield f"{path}: {count} lines, {LINES} are enough"


def full_rooms(texts):
    rooms = collections.Counter(str(path.parent.relative_to("analyzer")) for path in texts)
    for room, count in sorted(rooms.items()):
        if count > ROOMS.get(room, FILES):
            yield f"analyzer/{room}: {count} files, {ROOMS.get(room, FILES)} are enough"


def lone_headers(texts):
    users = collections.defaultdict(set)
    for path, text in texts.items():
        for header in re.findall(r'^#include "([^"]+)"', text, re.M):
            users[Path("analyzer") / header].add(path)
    for path in texts:
        if path.suffix == ".h" and len(users[path] - {path.with_suffix(".c")}) < 2:
            yield f"{path}: one file uses it, which can have it"


def worn_names(texts):
    homes = collections.defaultdict(set)
    for path, text in texts.items():
        for name in STATIC.findall(text):
            homes[name].add(str(path))
    for name, paths in sorted(homes.items()):
        if len(paths) > NAMES:
            yield f"{name} is a static function of {len(paths)} files: {', '.join(sorted(paths))}"


def main():
    texts = {
        path.relative_to(ROOT): path.read_text(encoding="utf-8")
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.[ch]"))
    }
    own = {path: text for path, text in texts.items() if path.parts[0] == "analyzer"}
    wrong = [*long_files(texts), *full_rooms(own), *lone_headers(own), *worn_names(own)]
    print("\n".join([*wrong, f"{len(texts)} files, {len(wrong)} faults"]))
    return 1 if wrong or not texts else 0


sys.exit(main())
