#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""manual.py - docs/topdown.1.md has the commands and options of --help, no others, and its examples work."""
import os
import re
import subprocess

from cli import COUNTS, NO_PMU, SOURCE, TOPDOWN, check, check_success, environment, finish, temporary, topdown

MANUAL = (SOURCE / "docs/topdown.1.md").read_text(encoding="utf-8")
SESSION = SOURCE / "docs/sample-session.json"


def section(name):
    return re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", MANUAL, re.M | re.S)[1]


def headings(name):
    """The lines in bold that begin an item, as plain text."""
    return [line.replace("*", "") for line in section(name).splitlines() if line.startswith("**")]


def help_lines(name):
    """What stands left of the explanations, in the paragraph of that name."""
    text = topdown("--help").stdout
    lines = re.search(rf"^{name}:\n(.*?)(?=\n\n|\Z)", text, re.M | re.S)[1].splitlines()
    return [re.split(r"  +", line.strip())[0] for line in lines]


def check_lists():
    for manual, helped in (("COMMANDS", "usage"), ("OPTIONS", "options")):
        there, here = headings(manual), help_lines(helped)
        check(len(here) > 2, f"--help has a list of {helped}", here)
        check(not set(here) - set(there), f"{manual} lacks", sorted(set(here) - set(there)))
        check(not set(there) - set(here), f"{manual} has what --help lacks", sorted(set(there) - set(here)))


def prepare(folder):
    """The files that the examples are about."""
    (folder / "prog").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "prog").chmod(0o755)
    (folder / "run.json").write_bytes((SESSION if SESSION.exists() else COUNTS).read_bytes())
    (folder / "counts.json").write_text(re.search(r"```json\n(.*?)```", section("FILES"), re.S)[1], encoding="utf-8")
    (folder / "bin").mkdir()
    (folder / "bin/topdown").symlink_to(TOPDOWN)


def check_example(line, folder, commands):
    """A measurement is for a machine without a PMU: it gets as far as that, so its options and words are right."""
    words = line.split()
    command = words[1] if words[1] in commands else ""
    measures = words[0] == "topdown" and (not command or command == "metrics" and "--" in words)
    script = line.replace(f"topdown {command}", f"topdown {command} --sysroot {NO_PMU} ", 1) if measures else line
    env = environment(PATH=f"{folder}/bin:{os.environ['PATH']}")
    result = subprocess.run(["sh", "-c", script], cwd=folder, env=env, capture_output=True, text=True, encoding="utf-8",
                            check=False, timeout=60)
    if "--pmu sim" in line:
        check(result.returncode == 0 and "SIMULATED" in result.stderr or "simulator" in result.stderr or "Valgrind" in result.stderr,
              line, (result.returncode, result.stderr))
    elif measures:
        check(result.returncode == 125 and "PMU" in result.stderr, line, (result.returncode, result.stderr))
    else:
        check_success(result, line)
        check(result.stdout or " -o " in line, f"{line}: prints something")


def check_examples():
    commands = {words.split()[1] for words in help_lines("usage")}
    lines = [line.strip() for line in section("EXAMPLES").splitlines() if line.startswith("    ")]
    missing = {command for command in commands if command.isalpha() and command.islower()}
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
check_examples()
check_flat_counts()
finish()
