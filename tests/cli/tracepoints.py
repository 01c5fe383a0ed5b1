#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tracepoints.py - -e KIND:NAME and its globs: what is counted of a program whose system calls are known,
beside the kernel's own counter of the same; what a session keeps; and what is said where tracefs can't be
read."""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import TOPDOWN, check, environment, finish, need_simulator, skip, temporary, topdown

CALLS = 1000
CALLER = f"import os\nfor i in range({CALLS}): os.getppid()"
PYTHON = ("/usr/bin/python3", "-S", "-E", "-c", CALLER)
MOUNT = 'mount -t tracefs nodev /sys/kernel/tracing && exec "$@"'


def traced(*words):
    """Where tracefs is mounted for this command alone."""
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", MOUNT, "sh", *map(str, words)],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )


def events_of(report):
    return {event["name"]: event["value"] for event in report["events"]}


def check_counted(folder):
    """A switch by tracepoint is a switch by the kernel's software counter, and each call is one."""
    events = "sched:sched_switch,context-switches,syscalls:sys_enter_getppid,raw_syscalls:sys_enter"
    saved = folder / "saved.json"
    words = [
        "--format",
        "json",
        "--no-last",
        "--save",
        saved,
        "-o",
        folder / "report",
        "-e",
        events,
        "--",
        *PYTHON,
    ]
    done = traced(TOPDOWN, *words)
    check(done.returncode == 0, "it is counted", done.stderr[-800:])
    report = json.loads((folder / "report").read_text(encoding="utf-8"))
    found = events_of(report)
    check(found["sched:sched_switch"] == found["context-switches"], "each switch once", found)
    check(found["syscalls:sys_enter_getppid"] == CALLS, "each call once", found)
    check(CALLS < found["raw_syscalls:sys_enter"] < 3 * CALLS, "all calls", found)
    again = json.loads(topdown("report", saved, "--format", "json").stdout)
    check(events_of(again) == found, "a session keeps them", events_of(again))


def check_globs():
    """sched:sched_w* are all that tracefs has of them, each once."""
    listed = traced("sh", "-c", "ls -d /sys/kernel/tracing/events/sched/sched_w*").stdout.split()
    names = sorted(f"sched:{pathlib.Path(path).name}" for path in listed)
    done = traced(TOPDOWN, "--format", "json", "--no-last", "-e", "sched:sched_w*", "--", "true")
    found = events_of(json.loads(done.stderr))
    check(len(names) > 1 and list(found) == names, "a glob", (names, list(found)))
    check(None not in found.values(), "all are counted", found)
    done = traced(TOPDOWN, "-e", "sched:no_such*", "--", "true")
    check(done.returncode == 125 and "no tracepoint of this kernel fits" in done.stderr, "none fits", done)
    done = traced(TOPDOWN, "-e", "no_such:*", "--", "true")
    check(done.returncode == 125 and "or has no such kind" in done.stderr, "no such kind", done)


def check_spelled():
    """An event of the CPU with a wrong modifier is no tracepoint; one that can't be read has its reason."""
    for event in ("cycles:sched", "page-faults:major", "instructions:taken"):
        done = topdown("-e", event, "--", "true")
        check(done.returncode == 125 and "unknown modifier" in done.stderr, event, done)
    if os.path.exists("/sys/kernel/tracing/events"):
        return
    report = json.loads(topdown("--format", "json", "-e", "sched:sched_switch", "--", "true").stderr)
    check(events_of(report) == {"sched:sched_switch": None}, "not counted", report["events"])
    text = re.sub(r"\s+", " ", topdown("-e", "sched:sched_switch", "--", "true").stderr)
    check("mount -t tracefs none /sys/kernel/tracing" in text, "and why", text)


def main():
    need_simulator()
    if traced("true").returncode:
        skip("tracefs can't be mounted here")
    with temporary() as folder:
        check_counted(pathlib.Path(folder))
        check_globs()
        check_spelled()
    finish()


main()
