#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bootstrap.py - bootstrap.sh sees what is there: who has built topdown lacks none of the packages that building takes."""
import subprocess

from cli import BUILD, SOURCE, check, environment, finish

SCRIPT = (SOURCE / "bootstrap.sh").read_text(encoding="utf-8")
FUNCTIONS = SCRIPT[:SCRIPT.index("\ncase $#")].replace('cd "$(dirname "$0")"', ":")


def missing(distribution, functions=FUNCTIONS):
    run = subprocess.run(["sh", "-c", f'{functions}\nmissing "$build_needs" {distribution}'], env=environment(), capture_output=True,
                         text=True, timeout=60, check=False)
    check(run.returncode == 0 and not run.stderr, f"{distribution}: it runs", run)
    return run.stdout.split()


for name in ("debian", "fedora"):
    lacking = missing(name)
    if not any((BUILD / "libexec/topdown").glob("topdown-*-linux")):  # built without the simulator
        lacking = [package for package in lacking if "valgrind" not in package]
    check(not lacking, f"{name}: nothing is missing where it was built", lacking)
for there, elsewhere, package in (("command:gcc ", "command:no-gcc", "gcc"), ("header:stdio.h", "header:no/stdio.h", "libc6-dev"), ("archive:coregrind", "archive:none", "valgrind")):
    check(package in missing("debian", FUNCTIONS.replace(there, elsewhere)), f"{package} is missing without {there}")
finish()
