#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""refusal.py - a machine without a PMU: one sentence with the reason, and the program is not run."""
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import NO_PMU, check, check_failure, finish, temporary, topdown


def check_refused(*options):
    what = "refused " + " ".join(options)
    with temporary() as folder:
        result = topdown(
            "--sysroot", NO_PMU, *options, "--", "sh", "-c", "echo it ran; touch ran", cwd=folder
        )
        check_failure(result, what, "PMU")
        check(not list(folder.iterdir()), f"{what}: nothing is left", sorted(folder.iterdir()))


def check_program(word, status):
    """About the program, whatever the machine can count."""
    result = topdown("--sysroot", NO_PMU, "-l1", word)
    check(result.returncode == status, f"program {word}: exit status", result.returncode)
    check(
        len(result.stderr.splitlines()) == 1 and word in result.stderr,
        f"program {word}: one line names it",
        result.stderr,
    )


check_refused("-l1")
check_refused("-l3", "--multiplex")
check_refused("-l3", "--save", "session.json")
check_refused("-l1", "-o", "report.txt")
check_refused("-l1", "--format", "json")
check_refused("-l1", "--cpu", "sapphirerapids")

check_program("no-such-program", 127)
check_program("./no-such-program", 127)
check_program("/etc/passwd", 126)
check_program("/etc", 126)

running = topdown("-p", "1", "--sysroot", NO_PMU)
check_failure(
    running, "-p without a PMU", "what already runs can't be simulated", "`topdown doctor` says more"
)
check(len(running.stderr.split()) <= 45, "-p without a PMU: it is short", running.stderr)

plan = topdown("plan", "-l1", "--sysroot", NO_PMU)
check(plan.returncode == 0, "plan for a machine without a PMU: exit status", plan.returncode)
check("\nrun " in plan.stdout, "plan for a machine without a PMU: there is one", plan.stdout)
finish()
