#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""syscalls.py - --syscalls: what the kernel's tracepoint counts beside the counters of a made-up PMU, as many
as a program was asked to make; and what stands there where it can't be counted. Exit status 77 without a
compiler, or where nothing can be measured. Counting needs root and tracefs."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, SOURCE, check, check_failure, finish, read_json, skip, temporary, topdown
from lib.soft_pmu import soft_pmu

CALLS = {"getppid": 41, "write": 307, "dup3": 6}
ID = "sys/kernel/tracing/events/raw_syscalls/sys_enter/id"


def tracepoint(folder):
    """Its number, from a tracefs that is mounted for this process alone; None: this user may not."""
    (folder / "tracefs").mkdir()
    script = 'mount -t tracefs none "$1" && cat "$1"/events/raw_syscalls/sys_enter/id'
    result = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", folder / "tracefs"],
        check=False,
        capture_output=True,
        text=True,
    )
    return result.stdout.strip() if result.returncode == 0 else None


def measure(folder, options, names, *more, how=()):
    result = topdown(
        *options,
        "--syscalls",
        names,
        "--no-last",
        "--save",
        folder / "run.json",
        "--format",
        "json",
        "-o",
        folder / "report",
        *more,
        "--",
        folder / "asks_kernel",
        *map(str, CALLS.values()),
        *how,
    )
    check(result.returncode == 0, f"{names}: exit status", result.stderr)
    report = read_json(folder / "report")
    return {metric["name"]: metric for metric in report["metrics"] if metric["name"].startswith("syscalls")}


def check_absent(folder, options):
    """Without tracefs below the root: a dash and the reason, in the session too; a wrong name is one before
    anything runs."""
    calls = measure(folder, options, "write")
    check(
        list(calls) == ["syscalls"]
        and calls["syscalls"]["value"] is None
        and "mount -t tracefs" in calls["syscalls"]["reason"],
        "a reason",
        calls,
    )
    text = topdown("report", *options[2:], folder / "run.json").stdout
    check(re.search(r"^ *syscalls +-$", text, re.M) and "tracing/events" in text, "and a dash", text)
    check_failure(
        topdown(*options, "--syscalls", "write,wirte", "--", "true"),
        "no such call",
        "'wirte'",
        "not a system call",
    )


def check_counts(folder, options):
    """Of all processes and threads, in the first run of each repeat; the sum, and those that are named."""
    for how, times in ((), 1), (("thread",), 2), (("fork",), 2), (("exec",), 3):
        calls = measure(folder, options, ",".join(CALLS), how=how)
        found = {name[9:]: metric["value"] for name, metric in calls.items() if "." in name}
        check(
            found == {name: times * number for name, number in CALLS.items()},
            f"each that was named: {how}",
            found,
        )
        check(
            sum(found.values()) < calls["syscalls"]["value"] < sum(found.values()) + 150 * times,
            f"and all: {how}",
            calls["syscalls"],
        )
    session = read_json(folder / "run.json")
    check(
        session["syscalls"]["write"] == 3 * CALLS["write"] and "no_syscalls" not in session,
        "in the session",
        session["syscalls"],
    )
    twice = measure(folder, options, "write", "-r", "2")
    check(
        twice["syscalls.write"]["values"] == [CALLS["write"]] * 2, "of each repeat", twice["syscalls.write"]
    )
    check(list(measure(folder, options, "all")) == ["syscalls"], "the sum alone")
    located = measure(folder, options, "write", "--lines", "--nodes", "minor")
    check(located["syscalls.write"]["value"] == CALLS["write"], "beside samples", located)


def check_simulated(folder):
    """A simulation has all calls; the option says which text shows: the sum, what is named, and with all the
    five most frequent ones."""
    if not any((BUILD / "libexec/topdown").glob("topdown-*-linux")) or not shutil.which("valgrind"):
        print("a simulation is left out: there is no simulator, or no Valgrind")
        return
    for names, shown in (("write,sched_yield", {"write": 307, "sched_yield": 0}), ("all", None), (None, {})):
        asked = ["--syscalls", names] if names else []
        result = topdown(
            "--pmu",
            "sim",
            "-l1",
            "--anchor",
            "never",
            "--no-last",
            *asked,
            "--save",
            folder / "run.json",
            "-o",
            folder / "text",
            "--",
            folder / "asks_kernel",
            *map(str, CALLS.values()),
        )
        check(result.returncode == 0, f"simulated, {names}: exit status", result.stderr)
        again = topdown("report", "-l1", folder / "run.json").stdout
        for what, text in (("text", (folder / "text").read_text(encoding="utf-8")), ("report", again)):
            rows = {
                name[9:]: float(count)
                for name, count in re.findall(r"^ *(syscalls[.]\w+) +([0-9.]+)", text, re.M)
            }
            is_right = (
                rows == shown
                if shown is not None
                else len(rows) == 5 and all(rows.get(name) == CALLS[name] for name in ("getppid", "write"))
            )
            check(is_right, f"simulated, {names}: {what}", rows)
            check(
                bool(re.search(r"^ *syscalls +[0-9]", text, re.M)) == bool(names),
                f"simulated, {names}: the sum in the {what}",
                text,
            )

    check_page(folder)


def check_page(folder):
    """No model has these metrics, and a page has a row of each."""
    report = json.loads(topdown("report", "--format", "json", folder / "run.json").stdout)
    result = topdown("report", "--format", "html", folder / "run.json")
    check(result.returncode == 0, "a page with system calls", result.stderr)
    rows = dict(re.findall(r'<tr[^>]* data-name="(syscalls[.]\w+)".*?<data value="([0-9.]+)"', result.stdout))
    wanted = {
        metric["name"]: metric["value"]
        for metric in report["metrics"]
        if metric["name"].startswith("syscalls.")
    }
    check(wanted and wanted.get("syscalls.write") == CALLS["write"], "system calls of the report", wanted)
    check({name: float(count) for name, count in rows.items()} == wanted, "system calls of the page", rows)


def main():
    if not shutil.which("gcc"):
        skip("no compiler")
    with temporary() as folder:
        subprocess.run(
            [
                "gcc",
                "-O1",
                SOURCE / "tests/simulated/asks_kernel.c",
                "-o",
                folder / "asks_kernel",
                "-pthread",
            ],
            check=True,
        )
        check_simulated(folder)
        options = soft_pmu(folder)
        if topdown(*options, "--no-last", "--", "true").returncode:
            skip("the kernel counts nothing here, not even its own events")
        number = tracepoint(folder) if os.geteuid() == 0 and shutil.which("unshare") else None
        check_absent(folder, options)
        if number:
            (folder / "root" / ID).parent.mkdir(parents=True)
            (folder / "root" / ID).write_text(number + "\n", encoding="utf-8")
            check_counts(folder, options)
        else:
            print("no root, or no tracefs: counts are left out")
    finish()


main()
