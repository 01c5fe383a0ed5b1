#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the cases of bad input, or those that are named: run.py [CASE]...

A case is a folder below tests/bad with
  cmd      shell commands, run in a copy of the folder with $TOPDOWN; stdout is thrown away
  status   the exit status it has to have
  stderr   what it has to say, to the letter; a line that is only "..." stands for any lines, "..." at the end
  of a line for any words
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CASES = pathlib.Path(__file__).resolve().parent
sys.path.append(str(CASES.parent))
from lib.rows import run_rows

TIME_LIMIT = 600


def is_line_match(said, expected):
    return said.startswith(expected[:-3]) if expected.endswith("...") else said == expected


def is_match(said, expected):
    """Lines, with "..." for any number of them."""
    if not expected:
        return not said
    if expected[0] == "...":
        return is_match(said, expected[1:]) or (bool(said) and is_match(said[1:], expected))
    return bool(said) and is_line_match(said[0], expected[0]) and is_match(said[1:], expected[1:])


def environment(scratch):
    """The program's own data only, and words in English."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("TOPDOWN_") and key != "NO_COLOR"
    }
    return kept | {
        "LC_ALL": "C",
        "HOME": scratch,
        "XDG_DATA_HOME": scratch + "/none",
        "XDG_STATE_HOME": scratch + "/state",
    }


def run(case):
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch) / "case"
        shutil.copytree(CASES / case, place)
        return subprocess.run(
            ["sh", "cmd"],
            cwd=place,
            env=environment(scratch),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=TIME_LIMIT,
            check=False,
        )


def check(case):
    status = int((CASES / case / "status").read_text())
    expected = (CASES / case / "stderr").read_text()
    result = run(case)
    said = result.stderr.decode(errors="replace")
    if result.returncode != status:
        print(f"exit status {result.returncode}, expected {status}")
    if not is_match(said.splitlines(), expected.splitlines()):
        print(f"--- expected\n{expected}--- said\n{said}")
        return 1
    return int(result.returncode != status)


if __name__ == "__main__":
    run_rows(sorted(path.parent.name for path in CASES.glob("*/cmd")), check, sys.argv[1:])
