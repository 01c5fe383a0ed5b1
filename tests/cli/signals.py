#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""signals.py - every signal to every command that measures: those that end a process end topdown with 128 +
its number, and leave no process, no temporary file and no half of a report; the others change nothing. With
--all each signal goes to each command, else each to one of them."""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import uuid

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    NO_PMU,
    PATIENCE,
    TOPDOWN,
    check,
    environment,
    finish,
    lines_in,
    soft_pmu,
    state_of,
    temporary,
    topdown,
    wait_until,
)

# POSIX, signal.h: what these do by default is to stop a process, to let it go on, or nothing.
STOPPING = {signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
NOTHING = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
# A write that fails says it too, and then there is something to say of it.
OF_WRITES = {signal.SIGPIPE, signal.SIGXFSZ}
# These nobody can keep from what they do.
OMNIPOTENT = {signal.SIGKILL, signal.SIGSTOP}

# It has started something, and waits for longer than a test does.
PROGRAM = "ulimit -c 0; sleep 9999 & echo $$ >>started; read -r x <fifo"
FILES = ("-o", "out.json", "--format", "json")


def count(folder):
    return [*soft_pmu.soft_pmu(folder), "-l1", *FILES, "--save", "session.json", "sh", "prog"]


# name: the words behind topdown, in a folder; and how often the program, or topdown itself, has started then
COMMANDS = {
    "count": (count, 1),
    "sample": (lambda _: ["sample", *FILES, "--save", "session.json", "sh", "prog"], 1),
    "simulate": (lambda _: ["--pmu", "sim", "-l1", *FILES, "--save", "session.json", "sh", "prog"], 1),
    "compare": (lambda _: ["compare", "--sysroot", NO_PMU, *FILES, "--run", "sh prog", "sh ./prog"], 1),
    "verify": (lambda _: ["verify", "--pmu", "sim", "--only", "chase", "--times", "1000", *FILES], 0),
    "roofline": (lambda _: ["roofline", "--fresh", "--seconds", "9999", *FILES], 0),
}


def marked(mark):
    """The processes that have this in their environment, topdown among them."""
    found = []
    for process in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and mark.encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
    return found


def catches(pid, number):
    """Is there a handler, or is it blocked to be waited for?"""
    with contextlib.suppress(OSError, ValueError):
        text = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        rows = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
        return any(int(rows[name], 16) >> (number - 1) & 1 for name in ("SigBlk", "SigCgt"))
    return False


def is_under_way(folder, process, starts):
    """The program waits; where there is none, topdown waits for what it measures."""
    if process.poll() is not None:
        return True
    if starts:
        pids = lines_in(folder / "started")
        return len(pids) >= starts and state_of(pids[-1]) == "S"
    return catches(process.pid, signal.SIGINT)


def is_whole(path):
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return True


def deliver(process, number):
    """What only stops or changes nothing is followed by what ends it; returns the number that it ends by."""
    os.kill(process.pid, number)
    if number in STOPPING:
        wait_until(lambda: state_of(process.pid) == "T" or process.poll() is not None)
        os.kill(process.pid, signal.SIGCONT)
    if number not in STOPPING | NOTHING | OF_WRITES:
        return number
    with contextlib.suppress(OSError):
        os.kill(process.pid, signal.SIGTERM)
    return signal.SIGTERM


def check_one(name, number):
    what = f"{name}, signal {int(number)}"
    words, starts = COMMANDS[name]
    mark = f"MARK={uuid.uuid4()}"
    with temporary() as folder:
        (folder / "tmp").mkdir()
        os.mkfifo(folder / "fifo")
        (folder / "prog").write_text(PROGRAM, encoding="utf-8")
        variables = environment(TMPDIR=str(folder / "tmp"), MARK=mark.split("=")[1], HOME=str(folder))
        with subprocess.Popen(
            [TOPDOWN, *map(str, words(folder))],
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=open(folder / "stderr", "wb"),
            process_group=0,  # SIGTSTP stops nothing in a group whose parents have all left the session
        ) as process:
            wait_until(lambda: is_under_way(folder, process, starts))
            check(process.poll() is None, f"{what}: it waits", (folder / "stderr").read_text("utf-8"))
            number = deliver(process, number)
            process.wait(timeout=PATIENCE)
        status = process.returncode if process.returncode >= 0 else 128 - process.returncode
        may_be_unread = name == "roofline" and status == 128 + signal.SIGPIPE
        check(
            status == 128 + number or may_be_unread,
            f"{what}: status",
            (status, (folder / "stderr").read_text("utf-8")),
        )
        check(wait_until(lambda: not marked(mark)), f"{what}: processes that are left", marked(mark))
        left = [path.name for path in [*(folder / "tmp").iterdir(), *folder.glob("**/*.tmp")]]
        check(not left, f"{what}: temporary files", left)
        for path in folder.glob("*.json"):
            check(is_whole(path), f"{what}: {path.name} is whole")


def can_do(name):
    """Not every machine counts or simulates."""
    with temporary() as folder:
        probes = {
            "count": [*soft_pmu.soft_pmu(folder), "-l1", "true"],
            "simulate": ["--pmu", "sim", "-l1", "true"],
            "sample": ["sample", "true"],
            "verify": ["verify", "--pmu", "sim", "--only", "chase", "--times", "1"],
        }
        words = probes.get(name)
        return not words or topdown(*words).returncode == 0


def main():
    names = [name for name in COMMANDS if can_do(name)]
    numbers = sorted(signal.valid_signals() - OMNIPOTENT)
    check(len(numbers) == 60, "the signals of Linux", len(numbers))
    if "--all" in sys.argv[1:]:
        rows = [(name, number) for name in names for number in numbers]
    else:
        rows = [(names[i % len(names)], number) for i, number in enumerate(numbers)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for result in [pool.submit(check_one, *row) for row in rows]:
            result.result()
    finish()


for inherited in (signal.SIGINT, signal.SIGQUIT):
    signal.signal(
        inherited, signal.SIG_DFL
    )  # who runs the test in the background ignores them, and so topdown
main()
