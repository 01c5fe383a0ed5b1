#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""doctor.py - what topdown doctor says of machines whose files are known, in each format, and its exit
status."""
import csv
import io
import json
import shutil
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    NO_PMU,
    SOURCE,
    check,
    check_all,
    check_failure,
    environment,
    finish,
    temporary,
    topdown,
)

MACHINES = SOURCE / "tests/machines"
STATES = {"ok", "limits", "missing", "unknown"}

# machine: {check: (state, a part of what was found)}, as its files have it
EXPECTED = {
    "xeon-spr": {
        "cpu": ("ok", "sapphirerapids"),
        "model": ("ok", "TMA 5.2"),
        "kernel": ("ok", "6.8.0-45-generic"),
        "hypervisor": ("ok", "no"),
        "pmu": ("ok", "cpu (type 4)"),
        "general_counters": ("unknown", "8 published; not probed: not this machine"),
        "fixed_counters": ("unknown", "4 published; not probed: not this machine"),
        "nmi_watchdog": ("limits", "on"),
        "paranoid": ("missing", "4"),
        "capabilities": ("unknown", "not probed: not this machine"),
        "governor": ("ok", "performance"),
        "turbo": ("ok", "off"),
        "smt": ("limits", "on"),
        "aslr": ("ok", "off"),
        "level": ("unknown", "not probed: not this machine"),
    },
    "xeon-clx-nosmt": {
        "smt": ("ok", "off"),
        "slots": ("ok", "not needed"),
        "general_counters": ("unknown", "8 published"),
    },
    "xeon-clx": {"smt": ("limits", "on"), "general_counters": ("unknown", "4 published")},
    "xeon-skx": {"kernel": ("limits", "4.18")},
    "laptop-hybrid": {
        "pmu": ("ok", "cpu_atom"),
        "governor": ("limits", "powersave, performance"),
        "turbo": ("limits", "on"),
        "aslr": ("limits", "on"),
    },
    "epyc-zen4": {
        "fixed_counters": ("ok", "not needed"),
        "precise_sampling": ("ok", "ibs_op"),
        "governor": ("limits", "schedutil"),
        "turbo": ("limits", "on"),
        "paranoid": ("missing", "3"),
    },
    "graviton2": {"model": ("limits", "neoverse-n1"), "hypervisor": ("limits", "Amazon EC2")},
    "cloud-vm": {"hypervisor": ("limits", "QEMU"), "pmu": ("missing", "none")},
}


def checks_of(*words):
    result = topdown("doctor", "--format", "json", *words)
    check(
        result.returncode == 1 and not result.stderr,
        f"doctor {words}: exit status and stderr",
        (result.returncode, result.stderr),
    )
    diagnosis = json.loads(result.stdout)
    check(
        diagnosis["format"] == "topdown-doctor" and not diagnosis["can_measure"],
        f"doctor {words}: head",
        diagnosis,
    )
    return {item["check"]: item for item in diagnosis["checks"]}


def check_machine(name, expected):
    found = checks_of("--sysroot", MACHINES / name)
    check({item["state"] for item in found.values()} <= STATES, f"{name}: states are known ones")
    for key, (state, part) in expected.items():
        item = found[key]
        check(item["state"] == state and part in item["found"], f"{name}: {key} is {state}, {part}", item)
    silent = [
        key for key, item in found.items() if item["state"] in ("limits", "missing") and not item["means"]
    ]
    check(not silent, f"{name}: what limits is explained", silent)


def check_formats():
    words = ("doctor", "--sysroot", MACHINES / "xeon-spr")
    there = checks_of("--sysroot", MACHINES / "xeon-spr")
    rows = list(csv.DictReader(io.StringIO(topdown(*words, "--format", "csv").stdout)))
    check([row["check"] for row in rows] == list(there), "CSV has the same checks", rows)
    check(
        all(
            (row[key] or None) == there[row["check"]][key]
            for row in rows
            for key in ("state", "found", "means", "change")
        ),
        "CSV has the same content",
    )
    lines = topdown(*words, "--format", "markdown").stdout.splitlines()
    check(
        sum(line.startswith("| ") for line in lines) == len(there) + 2,
        "Markdown has a row for each check",
        lines,
    )
    text = topdown(*words).stdout
    check(
        "limits   NMI watchdog      on\n" in text and "kernel.nmi_watchdog=0" in text,
        "text: a limit and what changes it",
        text,
    )
    check("It holds no counter" not in text, "text: what is in order is not explained")
    check("The clock stays up." in topdown(*words, "-v").stdout, "text: with -v it is")
    check_all(text.splitlines(), lambda line: len(line) <= 80, "text: 80 columns")


def check_unknown_cpu():
    with temporary() as folder:
        shutil.copytree(NO_PMU, folder / "machine")
        path = folder / "machine/proc/cpuinfo"
        path.write_text(
            "vendor_id : GenuineMystery\ncpu family : 99\nmodel : 1\nstepping : 1\n", encoding="utf-8"
        )
        found = checks_of("--sysroot", folder / "machine")
        check(
            found["cpu"]["state"] == "missing" and "GenuineMystery-99-1-1" in found["cpu"]["found"],
            "unknown CPU",
            found["cpu"],
        )
        check("topdown import" in found["cpu"]["change"], "unknown CPU: what helps", found["cpu"])


def check_this_machine():
    """Whatever it is: a status that the words confirm, and each fact of this process known."""
    result = topdown("doctor", "--format", "json")
    diagnosis = json.loads(result.stdout)
    check(
        result.returncode == (0 if diagnosis["can_measure"] else 1),
        "this machine: exit status",
        result.returncode,
    )
    found = {item["check"]: item for item in diagnosis["checks"]}
    check("not this machine" not in json.dumps(diagnosis), "this machine: it is probed", diagnosis)
    has_simulator = any((BUILD / "libexec/topdown").glob("topdown-*-linux")) and shutil.which("valgrind")
    check(
        (found["simulator"]["state"] == "ok") == bool(has_simulator),
        "this machine: the simulator",
        found["simulator"],
    )
    without = json.loads(topdown("doctor", "--format", "json", env=environment(PATH="/nonexistent")).stdout)[
        "checks"
    ]
    simulator = next(item for item in without if item["check"] == "simulator")
    check(
        simulator["state"] in ("limits", "missing")
        and simulator["found"] == "none"
        and "valgrind" in simulator["means"],
        "without Valgrind",
        simulator,
    )
    rights = found["capabilities"]
    check(rights["title"] == "Rights" and "CAP_" in rights["found"], "this machine: rights, by name", rights)
    check("at most" in found["open_files"]["found"], "this machine: open files", found["open_files"])


for machine, expectations in EXPECTED.items():
    check_machine(machine, expectations)
check_formats()
check_unknown_cpu()
check_this_machine()
check(checks_of("--sysroot", NO_PMU, "-l2")["level"]["title"] == "Level 2", "the level that is asked about")
check_failure(topdown("doctor", "me"), "doctor with a word", "'me'")
check_failure(topdown("doctor", "--cpu", "nonsense"), "doctor with a CPU that does not exist", "nonsense")
finish()
