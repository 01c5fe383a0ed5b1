# SPDX-License-Identifier: GPL-2.0-or-later
"""waiting.py - until something is so: no test guesses how long another process takes."""
import os
import pathlib
import time

from lib.program import PATIENCE


def wait_until(holds, pause=0.02):
    """What holds() returns once it is true; otherwise, after a time in which anything comes, what it returned
    last."""
    end = time.monotonic() + PATIENCE
    while not (found := holds()) and time.monotonic() < end:
        time.sleep(pause)
    return found


def state_of(pid):
    """The letter of /proc/PID/stat; "" where there is no such process."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return text.rsplit(")", 1)[1].split()[0]


def is_there(pid):
    """A zombie is gone."""
    return state_of(pid) not in ("", "Z", "X")


def children_of(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    except OSError:
        return []
    return list(map(int, text.split()))


def lines_in(path):
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def cpu_s(pid):
    """The CPU time of a process, in ticks of 10 ms; of one that is gone 0."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return sum(map(int, text.rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def until_enough(measure, is_enough, first=0.3, most=100):
    """measure(seconds), with twice the seconds until there is enough of it: what a test needs is a number of
    samples, and their rate is the host's affair."""
    seconds = first
    while not is_enough(found := measure(seconds)) and seconds < most:
        seconds *= 2
    return found
