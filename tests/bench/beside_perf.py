# SPDX-License-Identifier: GPL-2.0-or-later
"""beside_perf.py - the same program under topdown sample and perf record, in turns: have both the same twenty
functions first? And what each takes: its start, its CPU time, its file, and the time of its report."""
import collections
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

FUNCTIONS, TOP, SECONDS, ROUNDS, RATE = 60, 20, 4, 3, 997
MOST_ERRORS = (
    4.5  # of the difference of two samples of the same share; one of 60 is beyond 3 in every sixth run
)
START_MS = 100
METHODS = {"none": [], "auto": ["--call-graph", "dwarf,32768"]}
SOURCE = (
    """
#include <stdio.h>
#include <time.h>
static volatile unsigned long sink;
"""
    + "".join(
        f"""
__attribute__((noinline)) void work{i}(void)
{{
	for (long i = 0; i < 1000 * (long){FUNCTIONS} / {i + 3}; i++)
		sink += i ^ {i};
}}
"""
        for i in range(FUNCTIONS)
    )
    + f"""
int main(void)
{{
	while (clock() < {SECONDS} * CLOCKS_PER_SEC) {{
"""
    + "\n".join(f"		work{i * 37 % FUNCTIONS}();" for i in range(FUNCTIONS))
    + """
	}
	printf("%.6f\\n", (double)clock() / CLOCKS_PER_SEC);
	return 0;
}
"""
)


def spend(words):
    """Wall seconds, CPU seconds with those of what it ran, and what was printed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [str(word) for word in words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


class Peer:
    """One way to record and to report, and what each round took."""

    def __init__(self, record, report, file):
        self.record, self.report_words, self.file = record, report, file
        self.starts, self.own, self.bytes, self.reports, self.samples = [], [], [], [], collections.Counter()

    def take(self, program):
        wall, _, _ = spend([*self.record, "true"])
        self.starts.append(1000 * wall)
        _, both, printed = spend([*self.record, program])
        self.own.append(1000 * (both - float(printed)))
        self.bytes.append(os.path.getsize(self.file))
        wall, _, text = spend(self.report_words)
        self.reports.append(1000 * wall)
        self.samples.update(self.functions(text))

    @staticmethod
    def functions(text):
        """Samples of each function in what perf report printed."""
        return {name: int(count) for count, name in re.findall(r"% +(\d+) .*\b(work\d+)\b", text)}


class Ours(Peer):
    @staticmethod
    def functions(text):
        profile = json.loads(text)["profile"]
        return {
            row["name"]: row["samples"]
            for row in profile["functions"]
            if row["name"] and row["name"].startswith("work")
        }


def ranks(samples):
    return [name for name, _ in sorted(samples.items(), key=lambda item: (-item[1], item[0]))]


def differences(ours, theirs):
    """Of each of perf's first functions, the two shares' difference in standard errors."""
    n, m, found = sum(ours.values()), sum(theirs.values()), []
    for name in ranks(theirs)[:TOP]:
        a, b, both = ours[name] / n, theirs[name] / m, (ours[name] + theirs[name]) / (n + m)
        found.append(abs(a - b) / (both * (1 - both) * (1 / n + 1 / m)) ** 0.5)
    return found


def common(ours, theirs):
    """The number of functions that are among the first of both, and by how much the worst is off in
    places."""
    first, other = ranks(theirs)[:TOP], ranks(ours)
    return len(set(first) & set(other[:TOP])), max(
        abs(other.index(name) - place) for place, name in enumerate(first)
    )


def compare(bench, folder, program, method):
    session, data = folder / "session.json", folder / "perf.data"
    ours = Ours(
        [
            bench.TOPDOWN,
            "sample",
            "--no-last",
            "-e",
            "cpu-clock",
            "-F",
            RATE,
            "-g",
            method,
            "--save",
            session,
            "-o",
            "/dev/null",
        ],
        [bench.TOPDOWN, "report", "--functions", "--percent-limit", "0", "--format", "json", session],
        session,
    )
    theirs = Peer(
        ["perf", "record", "-q", "-e", "cpu-clock", "-F", RATE, *METHODS[method], "-o", data],
        ["perf", "report", "-i", data, "--no-children", "-g", "none", "--stdio", "-n", "--sort", "symbol"],
        data,
    )
    for _ in range(ROUNDS):
        ours.take(program)
        theirs.take(program)
    off, (both, places) = differences(ours.samples, theirs.samples), common(ours.samples, theirs.samples)
    if max(off) > MOST_ERRORS:
        bench.missed.append(f"beside perf -g {method}")
    middle = statistics.median
    start, cpu, size, report = (
        middle(values) for values in (ours.starts, ours.own, ours.bytes, ours.reports)
    )
    print(
        f"| `-g {method}`, {sum(ours.samples.values())} and {sum(theirs.samples.values())} samples |"
        f" {both} of {TOP} | {places} | {max(off):.1f} | {start:.0f} | {middle(theirs.starts):.0f} |"
        f" {cpu:.0f} | {middle(theirs.own):.0f} | {size / 1024:.0f} | {middle(theirs.bytes) / 1024:.0f} |"
        f" {report:.0f} | {middle(theirs.reports):.0f} |"
        f" {bench.goal(f'start -g {method}', start, START_MS, 'ms')} |"
    )


def tables(bench):
    if not shutil.which("perf"):
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "program.c").write_text(SOURCE, encoding="ascii")
        subprocess.run(["gcc", "-O1", "-g", "-o", folder / "program", folder / "program.c"], check=True)
        print(
            f"\n| topdown beside perf, {FUNCTIONS} functions, {RATE} Hz, median of {ROUNDS} | in both first"
            f" {TOP} | places off | standard errors off | start ms | perf | CPU ms beside the program's |"
            " perf | KiB | perf | report ms | perf | goal"
            " |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"
        )
        for method in METHODS:
            try:
                compare(bench, folder, folder / "program", method)
            except subprocess.CalledProcessError as error:
                print(f"| `-g {method}`: {pathlib.Path(error.cmd[0]).name} may not sample here |")
