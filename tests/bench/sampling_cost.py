# SPDX-License-Identifier: GPL-2.0-or-later
"""sampling_cost.py - what sampling at 997 Hz costs: the sampling process's own CPU time, bytes a sample and
the start, beside perf record of the same program in the same run, where perf is there and may sample."""
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

SECONDS, STARTS = 3, 5
CPU_PERCENT, BYTES, START_MS = 2, 200, 100
METHODS = {"none": [], "fp": ["-g"], "auto": ["--call-graph", "dwarf,32768"]}


def perf_record(options, *command):
    """CPU seconds of perf and what it ran, wall seconds, bytes of its file; None without perf"""
    with tempfile.NamedTemporaryFile() as file:
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        words = ["perf", "record", "-q", "-F", "997", "-e", "cpu-clock", *options, "-o", file.name, *command]
        if subprocess.run(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        ).returncode:
            return None
        wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        return (
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            wall,
            os.path.getsize(file.name),
        )


def perf_row(bench, options):
    """CPU percent, bytes a sample, ms of a start"""
    if not shutil.which("perf"):
        return None
    starts = [perf_record(options, "true") for _ in range(STARTS)]
    run = perf_record(options, str(bench), "burn", str(SECONDS))
    if not run or None in starts:
        return None
    start = statistics.median(wall for _, wall, _ in starts)
    cpu = (
        run[0] - SECONDS - statistics.median(cpu for cpu, _, _ in starts)
    )  # what it does once, at its start, is beside it
    return 100 * max(cpu, 0) / SECONDS, run[2] / (997 * SECONDS), 1000 * start


def tables(run):
    print(
        "\n| sampling at 997 Hz, 30 calls deep | CPU % | perf | of perf | bytes a sample | perf | start ms |"
        " perf | lost | goal |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---|"
    )
    for method, options in METHODS.items():
        try:
            samples, lost, cpu, size, start = run.c_bench("sampling", method, str(SECONDS))[0]
        except subprocess.CalledProcessError:
            print(f"| `-g {method}`: this user may not sample here |")
            continue
        peer = perf_row(run.BENCH / "bench_sampling", options)
        cpu = 100 * cpu / SECONDS
        goals = [
            run.goal(f"sampling -g {method}", cpu, CPU_PERCENT, "% of a CPU"),
            run.goal(f"bytes -g {method}", size, BYTES, "B"),
            run.goal(f"start -g {method}", 1000 * start, START_MS, "ms"),
        ]
        theirs = (
            [f"{peer[0]:.2f}", f"{cpu / peer[0]:.2f}" if peer[0] else "–", f"{peer[1]:.0f}", f"{peer[2]:.0f}"]
            if peer
            else ["–"] * 4
        )
        print(
            f"| `-g {method}`, {samples:.0f} samples | {cpu:.2f} | {theirs[0]} | {theirs[1]} | {size:.0f} |"
            f" {theirs[2]} | {1000 * start:.1f} | {theirs[3]} | {lost:.0f} | {', '.join(goals)} |"
        )
