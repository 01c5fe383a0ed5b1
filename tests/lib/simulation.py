# SPDX-License-Identifier: GPL-2.0-or-later
"""simulation.py - programs on simulated cores."""
import pathlib
import shutil
import tempfile

from lib.checks import check, skip
from lib.data import read_json
from lib.program import BUILD, topdown


def need_simulator():
    """Skips the test where none was built, or there is no Valgrind to run it. One that is there and does not
    work is a failure."""
    if not any((BUILD / "libexec/topdown").glob("topdown-*-linux")) or not shutil.which("valgrind"):
        skip(f"there is no simulator in {BUILD}, or no Valgrind")


def simulate(*words, core="skylake", status=0, stdout=None, **options):
    """The report of a program, as JSON; words are options and the program, stdout is what it must print."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report"
        forms = ("--no-last", "--format", "json", "-o", path)
        result = topdown("--pmu", "sim", "--sim-core", core, *forms, *words, **options)
        check(result.returncode == status, f"{words}: exit status", (result.returncode, result.stderr[-500:]))
        check(stdout is None or result.stdout == stdout, f"{words}: standard output", result.stdout)
        return read_json(path)
