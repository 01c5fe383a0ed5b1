#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""whole_cores.py - a plan for all CPUs counts whole cores where slots belong to cores; a plan for a program
counts how busy the sibling is."""
import json
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, check_success, finish, topdown

ANY = "CPU_CLK_UNHALTED.THREAD_ANY"
SHARED = {"CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE", "CPU_CLK_UNHALTED.REF_XCLK"}
HEAD = {"CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.REF_TSC", "INST_RETIRED.ANY"}  # of every report


def events_of(*words):
    result = topdown("plan", "-l1", "--format", "json", *words)
    check_success(result, f"plan -l1 {words}")
    document = json.loads(result.stdout)
    groups = [
        {event["name"] for event in group["events"]} for run in document["runs"] for group in run["groups"]
    ]
    more = [
        group for group in groups[1:] if not group <= groups[0] | HEAD
    ]  # runs for other PMUs repeat what is there
    return set().union(*groups), 1 + len(more)


def main():
    program, groups = events_of("--cpu", "clx", "--smt", "on")
    check(SHARED <= program and ANY not in program, "a program that shares its core", sorted(program))
    cores, whole = events_of("--cpu", "clx", "--smt", "on", "-a")
    check(ANY in cores and not SHARED & cores, "all CPUs", sorted(cores))
    # Both threads' cycles are on a fixed counter; the other two events take a general one each, of four that
    # level 1 needs.
    check((groups, whole) == (2, 1), "groups of a program and of whole cores", (groups, whole))
    for smt_off in (["--smt", "off"], ["--smt", "off", "-a"]):
        events, _ = events_of("--cpu", "clx", *smt_off)
        check(not (SHARED | {ANY}) & events, f"one thread a core {smt_off}", sorted(events))
    check(events_of("--cpu", "icl", "-a") == events_of("--cpu", "icl"), "slots that belong to threads")
    finish()


main()
