#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""sizes.py - no C file of analyzer/ and tests/unit/ has more than 800 lines: a file is one subject."""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("analyzer", "tests/unit")
LINES = 800


def main():
    lines = {
        path: len(path.read_text(encoding="utf-8").splitlines())
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.[ch]"))
    }
    wrong = [
        f"{path.relative_to(ROOT)}: {count} lines, {LINES} are enough"
        for path, count in lines.items()
        if count > LINES
    ]
    print("\n".join([*wrong, f"{len(lines)} files, {len(wrong)} of them too long"]))
    return 1 if wrong or not lines else 0


sys.exit(main())
