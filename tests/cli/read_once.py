#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""read_once.py - a command identifies the machine once and opens each database once, however many programs
it runs and counts it evaluates. inotify(7) sees it, below --sysroot and --db. Exit status 77 without the
simulator."""
import ctypes
import os
import struct
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, finish, need_simulator, temporary, topdown
from lib.soft_pmu import soft_pmu

# linux/inotify.h. Equal events that follow each other become one: each file is closed between two openings.
IN_CLOSE_NOWRITE, IN_OPEN = 0x10, 0x20
EVENT = struct.Struct("iIII")  # struct inotify_event of a file: wd, mask, cookie, len (of the name: 0)

libc = ctypes.CDLL(None, use_errno=True)


class Watch:
    """How often files were opened since it began."""

    def __init__(self, paths):
        self.descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self.numbers = [
            libc.inotify_add_watch(self.descriptor, os.fsencode(path), IN_OPEN | IN_CLOSE_NOWRITE)
            for path in paths
        ]
        check(-1 not in self.numbers, "inotify", os.strerror(ctypes.get_errno()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.descriptor)

    def opened(self):
        events = []
        try:
            while data := os.read(self.descriptor, 65536):
                events += EVENT.iter_unpack(data)
        except BlockingIOError:
            pass
        return [
            sum(watch == number and mask & IN_OPEN > 0 for watch, mask, *_ in events)
            for number in self.numbers
        ]


def check_once(folder, *words, identified=1):
    """identified: of a named CPU, and of counts that name theirs, no machine is needed."""
    with Watch([folder / "root/proc/cpuinfo", folder / "db/events/mapfile.csv"]) as watch:
        result = topdown(*words)
        opened = watch.opened()
    check(result.returncode == 0, f"{words}: exit status", result.stderr)
    check(opened == [identified, 1], f"{words}: the machine and the database", opened)


def check_all_commands(folder):
    machine, saved = soft_pmu(folder), folder / "saved.json"
    database = machine[2:]
    check_once(folder, "plan", *machine)
    check_once(folder, "plan", "--cpu", "alderlake", "--format", "perf", *database, identified=0)
    check_once(folder, "--save", saved, "-r", "2", *machine, "--", "true")
    check_once(folder, "--pmu", "sim", "--lines", *machine, "--", "true")
    check_once(folder, "compare", "--run", "-r", "2", *machine, "true", "true")
    check_once(folder, "compare", "--run", "-r", "2", "--duet", *machine, "true", "true")
    check_once(folder, "compare", "--run", "--pmu", "sim", *machine, "true", "true")
    check_once(folder, "report", *database, saved, identified=0)
    check_once(folder, "compare", *database, saved, saved, identified=0)


def main():
    need_simulator()
    with temporary() as folder:
        check_all_commands(folder)
    finish()


main()
