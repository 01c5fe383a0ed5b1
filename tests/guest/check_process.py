#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_process.py MACHINE OUT_DIR: compares what process.sh left with what it asked for."""
import re
import sys

import machine as machines
from check_guest import Guest, check_nodes

RUNS = 7  # of level 3
SIGINT, SIGQUIT, SIGTERM = 2, 3, 15


def notes(guest, step):
    return " ".join(guest.json(f"{step}.json").get("notes", []))


def runs(guest, step):
    return guest.json(f"{step}.session.json").get("runs", [])


def check_pipes(guest):
    for step, text in (("pipe", "256+0 records in"), ("endless", "y\n"), ("large", " records in")):
        guest.status(step, 0)
        printed = guest.text(f"{step}.stdout") + guest.text(f"{step}.stderr")
        guest.check(printed.count(text) == 1, f"{step}: what the first run printed, and only that: {printed}")
    for step in ("pipe", "endless"):
        guest.check(len(runs(guest, step)) == RUNS, f"{step}: {len(runs(guest, step))} runs")
    check_nodes(guest, "pipe", guest.machine.level1 | guest.machine.deeper)
    guest.check(len(runs(guest, "large")) == 1, f"large: {len(runs(guest, 'large'))} runs")
    guest.check(
        "MiB of stdin could be kept (No space left on device): use a file instead of a pipe"
        in notes(guest, "large"),
        f"large: why there is one run: {notes(guest, 'large')}",
    )


def check_announced(guest):
    """What is run more than once is said before the first run, on standard error."""
    expected = f"topdown: dd runs {RUNS} times, once for each group of events; --max-runs 1: once\n"
    guest.check(
        guest.text("pipe.stderr").startswith(expected),
        f"pipe: what is announced: {guest.text('pipe.stderr')}",
    )
    expected = "topdown: sh runs 6 times (-r 6)\n"
    guest.check(
        guest.text("repeats.stderr").startswith(expected),
        f"repeats: what is announced: {guest.text('repeats.stderr')}",
    )
    guest.check(
        " runs " not in guest.text("daemon.stderr"),
        f"daemon: nothing, for one run: {guest.text('daemon.stderr')}",
    )


def check_ends(guest):
    for step in ("timeout", "session", "stopped", "stopped-term", "term", "quit", "unread"):
        guest.check(
            guest.text(f"{step}.left") == "", f"{step}: processes that are left: {guest.text(f'{step}.left')}"
        )
    for step in ("timeout", "session", "stopped", "stopped-term", "term"):
        guest.status(step, 128 + SIGTERM)
        check_nodes(guest, step, guest.machine.level1)
    guest.check(len(runs(guest, "timeout")) == RUNS, f"timeout: {len(runs(guest, 'timeout'))} runs")
    before = guest.text("timeout.before").split()
    guest.check(before == RUNS * ["0"], f"timeout: processes of an earlier run, when each began: {before}")
    guest.check(
        "left out" not in notes(guest, "stopped-term"),
        f"stopped-term: the only run is kept: {notes(guest, 'stopped-term')}",
    )
    for step in ("session", "stopped", "stopped-term"):
        guest.check(
            "SIGKILL" not in notes(guest, step),
            f"{step}: SIGTERM was enough, also for what is stopped: {notes(guest, step)}",
        )
    guest.check(len(runs(guest, "term")) == 1, f"term: {len(runs(guest, 'term'))} runs")
    guest.check(f"got SIGTERM in run 1 of {RUNS}" in notes(guest, "term"), f"term: {notes(guest, 'term')}")
    guest.status("quit", 128 + SIGQUIT)
    check_nodes(guest, "quit", guest.machine.level1)
    guest.status("ignored", 4)
    check_nodes(guest, "ignored", guest.machine.level1)


def check_cuts(guest):
    guest.status("cut", 128 + SIGTERM)
    guest.check(
        [run["status"] for run in runs(guest, "cut")] == [0, 0, 0], f"cut: the runs {runs(guest, 'cut')}"
    )
    guest.check(f"got SIGTERM in run 3 of {RUNS}" in notes(guest, "cut"), f"cut: {notes(guest, 'cut')}")
    guest.status("repeats", 128 + SIGINT)
    repeats = guest.json("repeats.json").get("summary", {}).get("repeats")
    guest.check(repeats == 3, f"repeats: {repeats}, without the fourth, which was interrupted")
    guest.check("got SIGINT in run 4 of 6" in notes(guest, "repeats"), f"repeats: {notes(guest, 'repeats')}")


def check_left(guest):
    guest.status("daemon", 0)
    guest.check(
        len(guest.text("daemon.left").split()) == 1, f"daemon: it goes on: {guest.text('daemon.left')}"
    )
    guest.check(
        "1 process outlived the program: prog." in notes(guest, "daemon"), f"daemon: {notes(guest, 'daemon')}"
    )


def check_unwritten(guest):
    guest.check(
        guest.text("fsize.topdown") == "125\n", f"fsize: topdown's status {guest.text('fsize.topdown')}"
    )
    report = guest.text("fsize.stdout")
    guest.check(
        re.search(r"topdown: short/session.json: .*File too large", report),
        f"fsize: what failed: {report[-200:]}",
    )
    guest.check("Backend_Bound" in report, "fsize: the report is there")
    guest.check(guest.text("fsize.files") == "", f"fsize: files that are left: {guest.text('fsize.files')}")
    guest.check(
        guest.text("unread.stdout").count("\n") == 3, f"unread: three lines: {guest.text('unread.stdout')}"
    )
    guest.check(
        guest.text("unread.topdown") == "141\n", f"unread: topdown's status {guest.text('unread.topdown')}"
    )


def main(name, out):
    guest = Guest(machines.load(name), out)
    for check in (check_pipes, check_announced, check_ends, check_cuts, check_left, check_unwritten):
        check(guest)
    print("guest seconds after each step:", ", ".join(guest.text("times").split("\n")).rstrip(", "))
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
