#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""help.py - topdown help, help COMMAND and version: short, within 80 columns, with examples that work."""
import os
import re
import subprocess

from cli import COUNTS, NO_PMU, TOPDOWN, check, check_failure, check_success, environment, finish, temporary, topdown

NAMES = {"plan", "doctor", "report", "metrics", "explain", "list", "import", "help", "version"}


def printed(*words):
    result = topdown(*words)
    check_success(result, f"{words}")
    wide = [line for line in result.stdout.splitlines() if len(line) > 80]
    check(not wide, f"{words}: 80 columns", wide)
    return result.stdout


def listed():
    block = re.search(r"^commands:\n(.*?)\n\n", printed("help"), re.M | re.S)[1]
    return [line.split()[0] for line in block.splitlines()]


def check_overview():
    overview = printed("help")
    check(NAMES <= set(listed()), "the overview lists the commands", listed())
    check(len(overview.splitlines()) <= 76, "the overview is short", len(overview.splitlines()))
    check(overview == printed("--help") == printed("-h"), "--help is the same")
    every = set(re.findall(r"--[a-z][a-z-]+", printed("help", "options")))
    missing = {name for name in every if name not in overview}
    check(len(every) > 40 and not missing, "the overview names all options of a measurement", missing)
    check(printed("version") == printed("--version"), "version")


def check_commands():
    for name in listed():
        own = printed("help", name)
        check(own == printed(name, "--help"), f"{name} --help is the same")
        check(own.startswith(f"usage:\n  topdown {name}") and own.count("\n  topdown ") >= 2, f"{name}: usage and an example", own)
        others = [other for other in NAMES - {name, "help"} if f"\n  topdown {other} " in own.split("examples:")[0]]
        check(not others, f"{name}: nothing of other commands", others)
    check("--lines" not in printed("help", "plan"), "plan: nothing of a measurement")


def check_wrong():
    check(printed("help", "measure") == printed("help", "options"), "measure is what options are about")
    measure = topdown("measure", "--help")
    check(measure.returncode == 127 and "`topdown help options`" in measure.stderr, "measure --help", measure.stderr)
    for words, part in ((["help", "plam"], "Did you mean plan"), (["help", "DRAM_Bound"], "topdown explain"),
                        (["help", "plan", "list"], "one command"), (["version", "2"], "takes no words"),
                        (["help", "--level", "2"], "has no use for it")):
        check_failure(topdown(*words), " ".join(words), part)


def check_programs():
    """A program that is called like a command can be measured behind --."""
    with temporary() as folder:
        for name in ("help", "version", "diff", "compare"):
            (folder / name).write_text("#!/bin/sh\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        env = environment(PATH=f"{folder}:{os.environ['PATH']}")
        for name in ("help", "version", "diff", "compare"):
            result = topdown("--sysroot", NO_PMU, "--", name, COUNTS, env=env)
            check_failure(result, f"-- {name}", "PMU")


def check_examples():
    """They run; a measurement gets as far as a machine without a PMU lets it."""
    with temporary() as folder:
        (folder / "prog").write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / "prog").chmod(0o755)
        (folder / "run.json").write_bytes(COUNTS.read_bytes())
        (folder / "bin").mkdir()
        (folder / "bin/topdown").symlink_to(TOPDOWN)
        env = environment(PATH=f"{folder}/bin:{os.environ['PATH']}")
        for name in ("options", *listed()):
            for line in re.findall(r"^  (topdown .*)", printed("help", name).split("examples:\n")[-1], re.M):
                line = line.replace("-p 1234", f"-p {os.getpid()}")
                if "pmu-events" in line or "OUT" in line or "doctor" in line or name in ("gate", "roofline"):
                    continue  # files of others; what this machine can do; gate.py and roofline.py measure
                if "./prog" in line and name not in ("sample", "compare"):  # which need no PMU
                    line = line.replace("topdown", f"topdown --sysroot {NO_PMU}", 1) if "metrics" not in line else f"{line} --sysroot"
                result = subprocess.run(["sh", "-c", line], cwd=folder, env=env, capture_output=True, text=True, encoding="utf-8",
                                        check=False, timeout=60)
                wrong = re.search(r"option|no command|which program|no use|needs a value", result.stderr)
                check(not wrong and result.returncode in (0, 125), f"{name}: {line}", (result.returncode, result.stderr))


check_overview()
check_commands()
check_wrong()
check_programs()
check_examples()
finish()
