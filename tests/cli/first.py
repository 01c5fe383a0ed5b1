#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""first.py - topdown first: a made-up machine in two states, whose values are computed by hand; garbage in
each of its files; signals and wrong words; and this machine beside the test's own reading of /proc/stat."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from first_made import STATES, change, made_machine

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    PATIENCE,
    TOPDOWN,
    check,
    check_failure,
    check_success,
    environment,
    finish,
    temporary,
    topdown,
)
from lib import state_of, wait_until

# (resource, name, measure): value and verdict, of the ten seconds between the states
BY_HAND = {
    ("cpu", None, "used"): (75, "look"),  # 1500 of 2000 ticks
    ("cpu", None, "busiest"): (100, "fine"),  # all are busy
    ("cpu", None, "user"): (50, "fine"),
    ("cpu", None, "system"): (15, "fine"),
    ("cpu", None, "interrupts"): (2.5, "fine"),
    ("cpu", None, "runnable"): (3, "bad"),  # 6 threads, 2 CPUs
    ("cpu", None, "run_queue"): (2, "fine"),  # 10 s on each CPU
    ("cpu", None, "load"): (1.5, "fine"),
    ("cpu", None, "iowait"): (5, "fine"),
    ("cpu", None, "stolen"): (7.5, "look"),
    ("cpu", None, "throttled"): (2, "look"),
    ("memory", None, "used"): (92, "look"),
    ("memory", None, "swapped_out"): (5, "look"),
    ("memory", None, "swapped_in"): (2, "look"),
    ("memory", None, "reclaims"): (0.5, "look"),
    ("memory", None, "major_faults"): (10, "fine"),
    ("memory", None, "oom_kills"): (2, "bad"),
    ("memory", None, "oom_kills_since_boot"): (5, "fine"),
    ("memory", None, "corrected_errors"): (1, "look"),
    ("memory", None, "uncorrected_errors"): (0, "fine"),
    ("disk", "sda", "used"): (80, "look"),
    ("disk", "sda", "reads"): (10, "fine"),
    ("disk", "sda", "read_bytes"): (0.1024, "fine"),  # 2000 sectors of 512 bytes
    ("disk", "sda", "writes"): (0, "fine"),
    ("disk", "sda", "queue"): (2, "look"),
    ("disk", "sda", "read_wait"): (20, "look"),
    ("disk", "sda", "failed"): (2, "bad"),
    ("disk", "sdb", "failed"): (None, "fine"),
    ("network", "eth0", "used"): (10, "fine"),  # 100 of 1000 Mbit/s
    ("network", "eth0", "received"): (12.5, "fine"),
    ("network", "eth0", "sent"): (5, "fine"),
    ("network", "eth0", "drops"): (2, "look"),
    ("network", "eth0", "errors"): (0.2, "look"),
    ("network", "lo", "used"): (None, "fine"),
    ("tcp", None, "sent"): (100, "fine"),
    ("tcp", None, "listen_overflows"): (0.5, "look"),
    ("tcp", None, "backlog_drops"): (1, "look"),
    ("tcp", None, "squeezes"): (0.2, "fine"),
    ("tcp", None, "resent"): (2, "look"),
    ("pressure", None, "cpu"): (40, "look"),
    ("pressure", None, "memory"): (20, "look"),
    ("pressure", None, "io"): (5, "fine"),
    ("pressure", None, "memory_full"): (1, "fine"),
    ("pressure", None, "io_full"): (1, "fine"),
}
GARBAGE = (
    "",
    "\n",
    "cpu\n",
    "-5 x -1e999 nan\n",
    "\x01\xff[31m(((\n" * 3,
    "9" * 400 + "\n",
    ") (\n",
    "cpu" + " 9" * 70000,
)


def values_of(document):
    return {(row["resource"], row["name"], row["measure"]): row for row in document["values"]}


def watch_change(root, number, *words):
    """What is printed of the first state, the change and the second one, ended by a signal."""
    with subprocess.Popen(
        [TOPDOWN, "first", "--sysroot", root, "--duration", "9999", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        wait_until(lambda: state_of(process.pid) == "S")  # it has read, and waits
        change(root)
        process.send_signal(number)
        printed, said = process.communicate(timeout=PATIENCE)
    check(process.returncode == 128 + number and not said, f"{words}: its status", (process.returncode, said))
    return printed


def check_by_hand():
    with temporary() as folder:
        document = json.loads(watch_change(made_machine(folder), signal.SIGINT, "--format", "json"))
    found = values_of(document)
    for key, (value, verdict) in BY_HAND.items():
        row = found.get(key, {"value": "nothing", "verdict": None})
        is_near = row["value"] == value or value and row["value"] and abs(row["value"] - value) < 1e-6 * value
        check(is_near and row["verdict"] == verdict, f"{key} is {value}, {verdict}", row)
        check(bool(row.get("unknown")) == (value is None), f"{key}: a reason only of what is unknown", row)
    check(("disk", "sda1", "used") not in found, "a partition is no disk")
    check(("disk", "sda", "write_wait") not in found, "nothing was written")
    order = [["bad", "look", "fine"].index(row["verdict"]) for row in document["values"]]
    worst = {}
    for row, rank in zip(document["values"], order):
        worst[row["resource"], row["name"]] = min(rank, worst.get((row["resource"], row["name"]), 2))
    check(list(worst.values()) == sorted(worst.values()), "the worst first", worst)
    check(document["verdict"] == "bad" and document["seconds"] == 10 and document["cpus"] == 2, "its head")
    shown = {
        row["pid"]: (row["name"], row["cpu_percent"], row["blocked_percent"]) for row in document["processes"]
    }
    check(
        shown == {11: ("python3", 95, 0), 12: ("a) (b", 0, 100), 13: ("late", 5, 0)}, "the processes", shown
    )
    check(abs(document["unseen_percent"] - 15) < 1e-9 and document["unseen_parent"] == 14, "who is not seen")

    largest = {"pid": 14, "name": "make", "bytes": 1000 * os.sysconf("SC_PAGESIZE")}
    check(document["largest"] == largest, "who has the most memory", document["largest"])


def check_text():
    with temporary() as folder:
        lines = watch_change(made_machine(folder), signal.SIGTERM).splitlines()
    text = " ".join(lines)
    check(
        lines[0].startswith(
            "The CPUs are saturated: 6.0 threads want 2 CPUs, and python3 (11) takes 95 % of"
        ),
        "the answer",
        lines[0],
    )
    check(len(lines) <= 24 and max(map(len, lines)) <= 80, "it fits a screen", lines)
    titles = [re.split(r"  +", line)[0] for line in lines if re.search(r"  (bad|look|fine)$", line)]
    expected = ["cpu", "memory", "disk sda", "network eth0", "tcp", "pressure"]
    check(titles == expected, "a line for each that works", titles)
    check("Idle: disks sdb; interfaces lo." in text, "idle ones share a line", text)
    check("topdown sample -p 11 --duration 10" in text, "what to type next", text)
    check("topdown --pressure -p 14 --duration 10" in text, "and for the one with the memory", text)
    check("children of make (14)" in text, "whose children have ended", text)


def check_next(folder):
    """What is proposed is taken: only the process is not there."""
    root = made_machine(folder)
    for row in json.loads(watch_change(root, signal.SIGINT, "--format", "json"))["next"]:
        words = row["command"].replace("-p 11", "-p 99999999").replace("-p 14", "-p 99999999").split()
        result = topdown(*words[1:])
        check(result.returncode == 125 and "99999999" in result.stderr, row["command"], result.stderr)


def check_unknown(folder):
    root = made_machine(folder)
    words = ("first", "--duration", "0.01", "--sysroot", root)
    shutil.rmtree(root / "proc/pressure")
    (root / "proc/uptime").unlink()
    result = topdown(*words)
    check_success(result, "without /proc/pressure")
    check("psi=1" in result.stdout, "it says why there is no pressure", result.stdout)
    for name, garbage in ((name, garbage) for name in STATES[0] for garbage in GARBAGE):
        file = root / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(garbage.encode("latin-1"))
        result = topdown(*words, "--format", "json")
        check_success(result, f"{name}: {garbage[:20]!r}")
        numbers = [row["value"] for row in json.loads(result.stdout or '{"values":[]}')["values"]]
        check(
            numbers and all(value is None or value >= 0 for value in numbers),
            f"{name}: {garbage[:20]!r}: values",
            numbers,
        )
        if garbage != GARBAGE[-1]:
            file.write_text(STATES[0][name], encoding="utf-8")
    shutil.rmtree(root / "proc")
    (root / "proc").mkdir()
    result = topdown(*words)
    check_success(result, "an empty /proc")
    check("Nothing can be said" in result.stdout and " 0 " not in result.stdout, "no silent 0", result.stdout)


def ticks():
    """All CPUs, by proc_stat(5): idle and iowait, and the sum."""
    numbers = [int(word) for word in pathlib.Path("/proc/stat").read_text(encoding="utf-8").split()[1:9]]
    return numbers[3] + numbers[4], sum(numbers)


def check_this_machine():
    """Twice as many spinners as CPUs: both see the same, whatever else runs."""
    spinners = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * os.cpu_count())
    ]
    try:
        before = ticks()
        document = json.loads(topdown("first", "--duration", "1.5", "--format", "json").stdout)
        after = ticks()
    finally:
        for process in spinners:
            process.kill()
            process.wait()
    used = 100 * (1 - (after[0] - before[0]) / (after[1] - before[1]))
    found = values_of(document)["cpu", None, "used"]["value"]
    check(abs(found - used) < 15, "CPU utilisation beside /proc/stat", (found, used))
    check(1.4 < document["seconds"] < 60, "seconds", document["seconds"])
    check(found < 90 or document["verdict"] != "fine", "a busy machine is not fine", document["conclusion"])


def check_refusals():
    for value in ("0", "-1", "x", "1e9"):
        check_failure(
            topdown("first", "--duration", value), f"--duration {value}", "number of seconds above 0"
        )
    check_failure(topdown("first", "me"), "first with a word", "'me'")
    check_failure(topdown("first", "--sysroot", "/nonexistent"), "no /proc", "/nonexistent/proc")
    check_failure(topdown("first", "-o", "/nonexistent/x"), "no such folder", "/nonexistent")


signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever started this may ignore it
check_by_hand()
check_text()
for do in (check_next, check_unknown):
    with temporary() as made:
        do(made)
check_this_machine()
check_refusals()
finish()
