#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""shadow.py [NAME]... - what call stacks cost a simulation: CPU time of --lines -g none and of --lines,
interleaved, the least of five each; and the size of the sessions. TOPDOWN and TOPDOWN_BUILD name the program
and its build folder."""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TOPDOWN_BUILD", SOURCE / "build"))
TOPDOWN = os.environ.get("TOPDOWN", str(BUILD / "topdown"))
RUNS = 5
PROGRAMS = {
    "quicksort": [BUILD / "kernels/quicksort", "100000"],
    "interpreter": [BUILD / "kernels/interpreter", "300000"],
    "python": ["/usr/bin/python3", "-S", "-c", "d = {}\nfor i in range(60000): d[i % 997] = str(i)"],
    "gcc": ["gcc", "-O1", "-c", "-x", "c", SOURCE / "tests/simulated/library.c", "-o", os.devnull],
    "shell": ["bash", "-c", "for i in 1 2 3 4 5 6 7 8; do x=$(echo $i); done"],
}


def measure(words, options, path):
    command = [
        TOPDOWN,
        "--pmu",
        "sim",
        "--sim-core",
        "skylake",
        "--no-anchor",
        "--lines",
        *options,
        "--save",
        path,
        *words,
    ]
    with subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime if process.returncode == 0 else float("nan")


print(f"{'program':12s} {'lines':>8s} {'stacks':>8s} {'ratio':>6s} {'sessions':>18s}")
with tempfile.TemporaryDirectory() as folder:
    for name in sys.argv[1:] or PROGRAMS:
        paths = [pathlib.Path(folder) / part for part in ("lines.json", "stacks.json")]
        least = [float("inf")] * 2
        for _ in range(RUNS):
            for i, options in enumerate((("-g", "none"), ())):
                least[i] = min(least[i], measure(PROGRAMS[name], options, paths[i]))
        sizes = [path.stat().st_size / 1024 for path in paths]
        print(
            (
                f"{name:12s} {least[0]:6.2f} s {least[1]:6.2f} s"
                f" {least[1] / least[0]:6.2f} {sizes[0]:6.0f} to {sizes[1]:5.0f} KiB"
            ),
            flush=True,
        )
