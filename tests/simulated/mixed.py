#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mixed.py - SSE among 256-bit AVX: counted for each time that it keeps halves which AVX has written, and
noted with the line where there is much of it. Exit status 77 without Valgrind, and on other machines than
x86-64."""
import platform
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, finish, need_simulator, read_json, simulate, skip, temporary

ROUNDS = 50000
# Times in each round.
LOOPS = {
    "mixes": 1,
    "mixes_once": 1,
    "mixes_back": 1,
    "mixes_integers": 1,
    "mixes_twice": 2,
    "clears": 0,
    "clears_all": 0,
    "only_avx": 0,
    "only_sse": 0,
    "narrow": 0,
    "stores": 0,
    "shifts": 0,
}
# A loop's first round begins with what was before it; libraries' code may have some.
SLACK = 20


def check_loop(program, name, times):
    saved = program.parent / "saved.json"
    report = simulate("--lines", "--anchor", "never", "--save", saved, program, name, ROUNDS)
    counts = {count["event"]: count["value"] for count in read_json(saved)["counts"]}
    counted, retired = counts["inst.mixed"], counts["inst.retired"]
    check(abs(counted - times * ROUNDS) <= SLACK, f"{name}: times", (counted, times * ROUNDS))
    notes = [note for note in report["notes"] if "SSE follows" in note]
    check(len(notes) == (times > 0), f"{name}: notes", report["notes"])
    if times and notes:
        said = float(notes[0].split("AVX ")[1].split()[0])
        check(
            abs(said - 1000 * counted / retired) <= 0.01 * said,
            f"{name}: what is said",
            (notes, counted, retired),
        )
        check(f"mostly in {name} (mixed.c:" in notes[0], f"{name}: where", notes)


def main():
    need_simulator()
    if platform.machine() != "x86_64":
        skip("vectors of x86")
    with temporary() as folder:
        program = folder / "mixed"
        source = SOURCE / "tests/simulated/mixed.c"
        subprocess.run(["gcc", "-O2", "-g", "-o", program, source], check=True)
        for name, times in LOOPS.items():
            check_loop(program, name, times)
        report = simulate("--anchor", "never", program, "mixes", ROUNDS)
        notes = [note for note in report["notes"] if "SSE follows" in note]
        check(len(notes) == 1 and "mostly" not in notes[0], "without lines", report["notes"])
    finish()


if __name__ == "__main__":
    main()
