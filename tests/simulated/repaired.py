#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""repaired.py - a program whose handler repairs a fault and returns to the access computes the same when it
is simulated. Exit status 77 without Valgrind or a compiler."""
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, finish, need_simulator, skip, temporary, topdown


def main():
    need_simulator()
    if not shutil.which("gcc"):
        skip("no compiler")
    with temporary() as folder:
        for flags in ("-O0", "-O2", "-O3"):
            program = folder / f"repaired{flags}"
            subprocess.run(["gcc", flags, SOURCE / "tests/simulated/repaired.c", "-o", program], check=True)
            native = subprocess.run([program], check=True, capture_output=True, text=True).stdout
            check(native.startswith("64 pages, sum "), f"{flags}: natively each page is repaired", native)
            for more in ((), ("--sim-sample", "0.1")) if flags == "-O2" else ((),):
                result = topdown(
                    "--pmu", "sim", "--no-last", "--anchor", "never", "-o", "/dev/null", *more, program
                )
                check(
                    (result.returncode, result.stdout) == (0, native),
                    f"{flags} {more}: the same, simulated",
                    (native, result.stdout, result.stderr[-300:]),
                )
    finish()


main()
