#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""manual.py - docs/topdown.1.md has the commands and options of --help, no others, and its examples work."""
import json
import os
import re
import subprocess
import sys

from cli import COUNTS, NO_PMU, SOURCE, TOPDOWN, check, check_success, environment, finish, temporary, topdown

sys.path.insert(0, str(SOURCE / "tests/export"))
import made_up

MANUAL = (SOURCE / "docs/topdown.1.md").read_text(encoding="utf-8")
SESSION = SOURCE / "docs/sample-session.json"


def section(name):
    return re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", MANUAL, re.M | re.S)[1]


def headings(name):
    """The lines in bold that begin an item, as plain text."""
    return [line.replace("*", "") for line in section(name).splitlines() if line.startswith("**")]


def left(lines):
    """What stands left of the explanations."""
    return [re.split(r"  +", line.strip())[0] for line in lines]


COMMANDS = left(re.search(r"^commands:\n(.*?)\n\n", topdown("--help").stdout, re.M | re.S)[1].splitlines())


def usage_lines():
    """How a measurement and each command are called."""
    return [left([re.search(r"^usage:\n(.*)", topdown("help", word).stdout, re.M)[1]])[0] for word in ("options", *COMMANDS)]


def option_lines(command="options"):
    return left(line for line in topdown("help", command).stdout.splitlines() if re.match(r"  (-\w, |    )--", line))


def check_lists():
    options = set(option_lines()).union(*(option_lines(command) for command in COMMANDS))
    for manual, helped, here in (("COMMANDS", "usage", usage_lines()), ("OPTIONS", "options", options)):
        there = headings(manual)
        check(len(here) > 2, f"--help has a list of {helped}", here)
        check(not set(here) - set(there), f"{manual} lacks", sorted(set(here) - set(there)))
        check(not set(there) - set(here), f"{manual} has what --help lacks", sorted(set(there) - set(here)))


def check_own_options():
    """A command's help has the options that the command takes, and no others."""
    every = set(option_lines()).union(*(option_lines(command) for command in COMMANDS))
    for command in sorted(COMMANDS):
        own = set(option_lines(command))
        check(len(own) > (1 if command in ("help", "version") else 5) and own < every, f"{command} --help lists its options", own)
        for line in every:
            name, *argument = re.search(r"--.*", line)[0].replace("[=N]", "").replace("[=LIST]", "").split()
            word = f"{name}=1" if argument else name
            error = topdown(command, word, "--help").stderr
            check(("has no use for it" in error) == (line not in own), f"{command} {word}", error)


def prepare(folder):
    """The files that the examples are about."""
    (folder / "prog").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "prog").chmod(0o755)
    (folder / "run.json").write_bytes((SESSION if SESSION.exists() else COUNTS).read_bytes())
    session = json.loads((folder / "run.json").read_bytes())
    (folder / "where.json").write_text(json.dumps({**session, "profile": made_up.profile_of(made_up.chosen(1))}), encoding="utf-8")
    (folder / "state/topdown").mkdir(parents=True)
    (folder / "state/topdown/last.json").symlink_to(folder / "where.json")
    (folder / "counts.json").write_text(re.search(r"```json\n(.*?)```", section("FILES"), re.S)[1], encoding="utf-8")
    (folder / "bin").mkdir()
    (folder / "bin/topdown").symlink_to(TOPDOWN)


def check_example(line, folder, commands):
    """A measurement is for a machine without a PMU: it gets as far as that, so its options and words are right."""
    words = line.split()
    command = words[1] if words[1] in commands else ""
    measures = words[0] == "topdown" and (not command or command == "metrics" and "--" in words)
    script = line.replace(f"topdown {command}", f"topdown {command} --sysroot {NO_PMU} ", 1) if measures else line
    env = environment(PATH=f"{folder}/bin:{os.environ['PATH']}", XDG_STATE_HOME=f"{folder}/state", TOPDOWN_LAST="0")
    result = subprocess.run(["sh", "-c", script], cwd=folder, env=env, capture_output=True, text=True, encoding="utf-8",
                            check=False, timeout=60)
    if command == "sample":
        check(result.returncode in (0, 125) and ("Sampled" in result.stderr or "sampled" in result.stderr), line, (result.returncode, result.stderr))
    elif " compare --run" in line:  # measures, by time where there is no PMU
        check(result.returncode == 0 and "\nMeasured 5 pairs" in result.stderr, line, (result.returncode, result.stderr))
    elif command == "verify":  # counted or simulated, as the machine can
        check(result.returncode in (0, 3, 4) and not result.stderr, line, (result.returncode, result.stderr))
        check("| chase-l2 |" in (folder / "verify.md").read_text(encoding="utf-8"), f"{line}: a row of the table")
    elif command == "gate":
        check(result.returncode == 0 and "baseline" in result.stderr.lower() or "Valgrind" in result.stderr, line, (result.returncode, result.stderr))
    elif "--pmu sim" in line:
        check(result.returncode == 0 and "SIMULATED" in result.stderr or "simulator" in result.stderr or "Valgrind" in result.stderr,
              line, (result.returncode, result.stderr))
    elif measures:
        check(result.returncode == 125 and ("counters" in result.stderr or "counted" in result.stderr), line, (result.returncode, result.stderr))
    else:
        result.stderr = re.sub(r"^topdown: the last measurement: .*\n", "", result.stderr)
        check_success(result, line)
        check(result.stdout or " -o " in line, f"{line}: prints something")


def check_examples():
    commands = set(COMMANDS)
    lines = [line.strip() for line in section("EXAMPLES").splitlines() if line.startswith("    ")]
    missing = commands - {"help", "version"}
    with temporary() as folder:
        prepare(folder)
        for line in lines:
            check_example(line, folder, commands)
            missing -= set(line.split())
    check(not missing, "commands without an example", sorted(missing))


def check_flat_counts():
    """The example of flat counts has all that a level 1 needs."""
    with temporary() as folder:
        prepare(folder)
        result = topdown("report", folder / "counts.json")
        values = re.findall(r"^[A-Z]\w+_?\w* +([\d.]+|-) % slots", result.stdout, re.M)
        check(len(values) == 4 and abs(sum(map(float, values)) - 100) < 0.3, "the flat counts of FILES have a level 1", values)


check_lists()
check_own_options()
check_examples()
check_flat_counts()
finish()
