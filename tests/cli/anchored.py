#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""anchored.py - topdown --pmu sim samples the native run by time, so functions have modelled cycles and
measured time side by side. The program's two functions share its work 3:1, also where a symbolic link
starts it. Exit status 77 without Valgrind, a compiler, or the right to sample.
"""
import json
import math
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, check_success, finish, need_simulator, read_json, skip, temporary, topdown

SIM = ("--pmu", "sim", "-l1", "--format", "json")

ENOUGH, RUNS = 30, 10  # samples, and runs until there are so many

SOURCE = """
#include <stdlib.h>
static volatile unsigned long sink;
__attribute__((always_inline)) static inline unsigned long step(unsigned long x) { return x * 3 + 1; }
__attribute__((noinline)) static void NAME(heavy)(unsigned long n)
{ unsigned long x = 1; for (unsigned long i = 0; i < n; i++) x = step(x); sink = x; }
__attribute__((noinline)) static void NAME(light)(unsigned long n)
{ unsigned long x = 1; for (unsigned long i = 0; i < n; i++) x = step(x); sink = x; }
int main(int argc, char **argv)
{ for (int i = 0; i < 10; i++) { NAME(heavy)(1500000); NAME(light)(500000); } return argc > 9 && argv; }
"""


def compiled(folder, name, compiler, define):
    path = folder / name
    (folder / f"{name}.source").write_text(SOURCE, encoding="utf-8")
    language = "c++" if "++" in compiler else "c"
    subprocess.run(
        [
            compiler,
            "-O1",
            "-g",
            "-falign-functions=64",
            f"-DNAME(x)={define}",
            "-x",
            language,
            folder / f"{name}.source",
            "-o",
            path,
        ],
        check=True,
    )
    return path


def can_sample():
    return topdown("sample", "-e", "cpu-clock", "--format", "json", "true").returncode == 0


def measure(folder, program, file):
    return topdown(
        *SIM,
        "--functions",
        "-F",
        "9973",
        "--anchor",
        "always",
        "--save",
        file,
        "-o",
        folder / "report",
        program,
    )


def check_shares(folder, program, names):
    """Both functions, in the report and the session; the inlined step belongs to them, as in the
    simulation."""
    file = folder / f"{program.name}.json"
    # The quickest way to more samples is another run: of one many may be lost where the host is busy.
    for _ in range(RUNS):
        result = measure(folder, program, file)
        events = read_json(file)["profile"]["events"]
        if events and events[0]["samples"] >= ENOUGH:
            break
    check(result.returncode == 0, f"{program.name}: exit status", (result.returncode, result.stderr))
    report = read_json(folder / "report")
    session = read_json(file)
    events = session["profile"]["events"]
    check(
        [event["event"] for event in events] == ["cpu-clock"] and events[0]["samples"] >= ENOUGH,
        f"{program.name}: samples",
        events,
    )
    check(
        session["anchor"]["reason"] is None,
        f"{program.name}: the native run ended as the simulated one",
        session["anchor"],
    )
    pairs = {pair["name"]: pair for pair in report["anchored_functions"]}
    # Beside both there is the start of the program, and on a busy host the kernel.
    both = max(sum(pairs[name]["samples"] for name in names if name in pairs), 1)
    for name, share in zip(names, (0.75, 0.25)):
        check(name in pairs, f"{program.name}: {name} is there", list(pairs))
        pair = pairs.get(name, {"modelled": 0, "measured": 0, "samples": 0})
        error = math.sqrt(share * (1 - share) / both)
        check(
            abs(pair["samples"] / both - share) < 6 * error + 0.03,
            f"{program.name}: {name} takes {share} of the time",
            (pair, both),
        )
        measured = 100 * pair["samples"] / events[0]["samples"]
        check(abs(pair["measured"] - measured) < 0.01, f"{program.name}: {name}: its share", (pair, events))
        check(
            abs(pair["modelled"] - 100 * share) < 3,
            f"{program.name}: {name} has {share} of the modelled cycles",
            pair,
        )
    objects = {pair["module"] for pair in report["anchored_functions"] if pair["name"] in names}
    check(len(objects) == 1, f"{program.name}: both name the same file", objects)
    again = json.loads(topdown("report", "--functions", "--format", "json", file).stdout)
    check(
        again["anchored_functions"] == report["anchored_functions"], f"{program.name}: the session has them"
    )


def check_never(folder, program):
    """Where the native run is not made, nothing is sampled."""
    result = topdown(
        *SIM,
        "--anchor",
        "never",
        "--sim-sample",
        "0.1",
        "--lines",
        "--save",
        folder / "never",
        "-o",
        folder / "report",
        program,
    )
    check_success(result, "no native run")
    check(not read_json(folder / "never")["profile"].get("events"), "no samples without it")


need_simulator()
if not shutil.which("cc") or not can_sample():
    skip("no compiler, or nothing can be sampled here")
with temporary() as place:
    check_shares(place, compiled(place, "plain_c", "cc", "x"), ("heavy", "light"))
    (place / "link").symlink_to("plain_c")
    check_shares(place, place / "link", ("heavy", "light"))
    check_never(place, place / "plain_c")
    if shutil.which("c++"):
        check_shares(
            place, compiled(place, "mangled", "c++", "x"), ("heavy(unsigned long)", "light(unsigned long)")
        )
finish()
