#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""interrupt.py - signals to topdown while it simulates: all that the program has started ends, topdown's
status says how, and SIGXFSZ costs neither a report nor a file."""
import os
import resource
import signal
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    FAILED,
    NO_PMU,
    PATIENCE,
    TOPDOWN,
    check,
    environment,
    finish,
    is_there,
    lines_in,
    need_simulator,
    state_of,
    temporary,
    topdown,
    wait_until,
)

# They wait longer than a test does. Who says that it has begun gets the signal when it waits, and not before.
SLEEPERS = "sleep 9999 & echo $! >>pids; sh -c 'echo $$ >>started; read -r x <fifo'; true"
CAUGHT = 'trap "exit 0" TERM; echo $$ >>pids; echo >>started; while :; do sleep 0.1; done'
STOPPED = "sleep 9999 & echo $! >>pids; echo $$ >>started; kill -STOP $$; sleep 9999"


def begin(folder, script):
    """Until the script waits, or stands still; returns what must stay open meanwhile."""
    wait_until(lambda: lines_in(folder / "started"))
    pid = lines_in(folder / "started")[0]
    fifo = open(folder / "fifo", "w", encoding="utf-8") if script == SLEEPERS else None
    if script != CAUGHT:
        wait_until(lambda: state_of(pid) == ("T" if script == STOPPED else "S"))
    return fifo


def check_end(script, number):
    what = f"{signal.Signals(number).name}, {script}"
    with temporary() as folder:
        os.mkfifo(folder / "fifo")
        with subprocess.Popen(
            [TOPDOWN, "--pmu", "sim", "-l1", "sh", "-c", script],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            fifo = begin(folder, script)
            os.kill(process.pid, number)
            _, report = process.communicate(timeout=PATIENCE)
        if fifo:
            fifo.close()
        check(process.returncode == 128 + number, f"{what}: status", (process.returncode, report))
        pids = lines_in(folder / "pids")
        check(len(pids) == 1, f"{what}: runs", pids)
        check(wait_until(lambda: not any(map(is_there, pids))), f"{what}: what it has started is gone", pids)


def check_file_limit(words, size, said):
    """SIGXFSZ ends neither the simulation nor what is written after it, and leaves no file."""
    with temporary() as folder:
        result = topdown(
            "--pmu",
            "sim",
            "-l1",
            *words,
            "true",
            cwd=folder,
            env=environment(TMPDIR=str(folder)),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
        )
        what = f"{size} bytes a file, {words}"
        check(result.returncode == FAILED, f"{what}: status", (result.returncode, result.stderr))
        check(said in result.stderr, f"{what}: {said!r}", result.stderr)
        check(not list(folder.iterdir()), f"{what}: files that are left", list(folder.iterdir()))
        return result.stderr


def check_pairs(number):
    """A comparison that is interrupted in its third pair is about the first two, and says so."""
    script = "echo $$ >>started; test $(wc -l <started) -lt 5 || read -r x <fifo"
    what = f"{signal.Signals(number).name} to a comparison"
    with temporary() as folder:
        os.mkfifo(folder / "fifo")
        (folder / "prog").write_text(script)
        words = ("compare", "--sysroot", NO_PMU, "--run", "-r", "10", "sh prog", "sh ./prog")
        with subprocess.Popen(
            [TOPDOWN, *words],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            wait_until(lambda: len(lines_in(folder / "started")) == 5)
            os.kill(process.pid, number)
            _, report = process.communicate(timeout=PATIENCE)
        check(process.returncode == 128 + number, f"{what}: status", (process.returncode, report))
        check("Interrupted: 2 of 10 pairs were measured." in report, f"{what}: it is said", report)
        pids = lines_in(folder / "started")
        check(wait_until(lambda: not any(map(is_there, pids))), f"{what}: what it has started is gone", pids)


need_simulator()
signal.signal(
    signal.SIGINT, signal.SIG_DFL
)  # whoever runs the test in the background ignores it, and topdown would too
check_end(SLEEPERS, signal.SIGTERM)
check_end(SLEEPERS, signal.SIGINT)
check_end(STOPPED, signal.SIGTERM)
check_end(CAUGHT, signal.SIGTERM)
for ends in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    check_pairs(ends)
check_file_limit(
    [], 512, "core: File too large: the shell limits the size of files, and `ulimit -f unlimited` lifts that"
)
check_file_limit(["--lines"], 16384, "no room for the simulated counts")
report = check_file_limit(
    ["--save", "session.json"], 16384, "session.json: can't write the output: File too large"
)
check("Backend_Bound" in report, "a session that can't be written: the report is there", report)
finish()
