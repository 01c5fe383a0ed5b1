#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""system_calls.py - a simulated program's system calls by name: as many as it was asked to make, in all of
its processes and threads, in a session and by name alone. Beside strace, where that is and may trace. Exit
status 77 without Valgrind or a compiler."""
import json
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    SOURCE,
    check,
    check_all,
    check_success,
    finish,
    need_simulator,
    read_json,
    simulate,
    skip,
    temporary,
    topdown,
)

HERE = SOURCE / "tests/simulated"
CALLS = {"getppid": 41, "write": 307, "dup3": 6}
# Valgrind's own library is loaded beside the program's, and the vDSO is not there.
LOADING = {
    "openat",
    "read",
    "newfstatat",
    "fstat",
    "close",
    "mmap",
    "mprotect",
    "munmap",
    "pread64",
    "execve",
    "exit_group",
    "brk",
    "access",
    "faccessat",
}


def ask(folder, *words, more=()):
    """The report of asks_kernel, whose session is in run.json."""
    save = ("--anchor", "never", "--save", folder / "run.json")
    return simulate(*save, *more, folder / "asks_kernel", *words)


def calls_of(report):
    return {
        metric["name"][9:]: metric["value"]
        for metric in report["metrics"]
        if metric["name"].startswith("syscalls.")
    }


def all_of(report):
    return next(metric["value"] for metric in report["metrics"] if metric["name"] == "syscalls")


def check_numbers(folder):
    """As many as were asked for, in each place where they are made."""
    numbers = [str(number) for number in CALLS.values()]
    for how, times in ((), 1), (("thread",), 2), (("fork",), 2), (("exec",), 3):
        report = ask(folder, *numbers, *how)
        calls = calls_of(report)
        check_all(CALLS.items(), lambda name, number: calls.get(name) == times * number, f"calls: {how}")
        check(
            sum(calls.values()) == all_of(report),
            f"all of them: {how}",
            (sum(calls.values()), all_of(report)),
        )
        check(calls.get("execve", 0) == (how == ("exec",)), f"execs: {how}", calls)
    check(calls_of(ask(folder, *numbers, "unknown")).get("call_999") == 1, "a number without a name")


def check_session(folder):
    """A session has them; one that has none says that it has not; damaged ones are refused."""
    report = ask(folder, *[str(number) for number in CALLS.values()])
    session = read_json(folder / "run.json")
    check(session["syscalls"] == calls_of(report), "the same in the session", session["syscalls"])
    one = topdown("report", "--metrics", "syscalls.write", folder / "run.json")
    check_success(one, "one by name")
    check(
        re.search(r"^ *syscalls.write +307", one.stdout, re.M) and "dup3" not in one.stdout,
        "only that one",
        one.stdout,
    )
    none = topdown("report", "--metrics", "syscalls.wirte", folder / "run.json")
    check(
        "syscalls.wirte: the program made no system call of that name" in " ".join(none.stdout.split()),
        "a wrong name",
        none.stdout,
    )
    for wrong in ([], {"write": -1}, {"write": "many"}):
        (folder / "wrong.json").write_text(json.dumps({**session, "syscalls": wrong}), encoding="utf-8")
        result = topdown("report", folder / "wrong.json")
        check(result.returncode == 125 and "syscalls" in result.stderr, f"refused: {wrong}", result.stderr)
    for member in ("syscalls", "profile", "lines"):
        session.pop(member, None)
    session["counts"] = [
        count for count in session["counts"] if count["event"] not in ("syscalls.all", "lost.resteer")
    ]
    (folder / "older.json").write_text(json.dumps(session), encoding="utf-8")
    older = topdown("report", "--metrics", "syscalls", folder / "older.json")
    check(re.search(r"^ *syscalls +-", older.stdout, re.M), "an older session has none", older.stdout)
    tree = " ".join(topdown("report", folder / "older.json").stdout.split())
    check(
        tree.count(
            "nodes have no value: an earlier version of the simulator made these counts, and it did not count"
            " what they need (lost.resteer"
        )
        == 1,
        "and of nodes that it lacks one sentence",
        tree,
    )
    check(
        "earlier version" not in topdown("report", folder / "run.json").stdout,
        "no word of it in a session of today",
    )


def check_repeats(folder):
    """Each layout has made the same ones, and so has a pinned run."""
    report = ask(folder, "5", "6", "7", more=("--pinned", "--layouts", "2"))
    write = next(metric for metric in report["metrics"] if metric["name"] == "syscalls.write")
    check(write["values"] == [6, 6], "of each layout", write)
    check(
        calls_of(report) == calls_of(ask(folder, "5", "6", "7", more=("--pinned",))),
        "the same again",
        calls_of(report),
    )


def check_parts(folder):
    """Of each thread all are counted together. Of a function those inside its calls."""
    parts = ask(folder, "9", "0", "0", "thread", more=("--per-thread",))["parts"]
    check(
        len(parts) == 2 and all_of(parts[1]) >= 9 > all_of(parts[1]) - 9 and not calls_of(parts[1]),
        "a thread's",
        [all_of(part) for part in parts],
    )
    inside = ask(folder, "4", "10", "3", more=("--toggle", "ask"))
    check(
        calls_of(inside) == {"getppid": 4, "write": 10, "dup3": 3}, "inside of a function", calls_of(inside)
    )


def check_strace(folder):
    """The same numbers as strace's, but for those that load libraries."""
    traced = shutil.which("strace") and subprocess.run(
        [
            "strace",
            "-f",
            "-c",
            "-o",
            folder / "trace",
            folder / "asks_kernel",
            *map(str, CALLS.values()),
            "fork",
        ],
        check=False,
        capture_output=True,
    )
    if not traced or traced.returncode:
        print("no strace here, or it may not trace: its counts are not compared")
        return
    rows = [row.split() for row in (folder / "trace").read_text(encoding="utf-8").splitlines()[2:]]
    theirs = {
        row[-1]: int(row[3]) for row in rows if len(row) >= 5 and row[3].isdigit() and row[-1] != "total"
    }
    ours = calls_of(ask(folder, *map(str, CALLS.values()), "fork"))
    for name in (ours.keys() | theirs.keys()) - LOADING:
        check(
            ours.get(name, 0) == theirs.get(name, 0),
            f"as strace counts: {name}",
            (ours.get(name), theirs.get(name)),
        )


def main():
    need_simulator()
    if not shutil.which("gcc"):
        skip("no compiler")
    with temporary() as folder:
        subprocess.run(
            ["gcc", "-O1", "-fno-inline", HERE / "asks_kernel.c", "-o", folder / "asks_kernel", "-pthread"],
            check=True,
        )
        check_numbers(folder)
        check_session(folder)
        check_repeats(folder)
        check_parts(folder)
        check_strace(folder)
    finish()


main()
