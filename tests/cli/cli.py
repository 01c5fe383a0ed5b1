# SPDX-License-Identifier: GPL-2.0-or-later
"""cli.py - what the tests of the command line share: topdown in a known environment, and checks that each
name their subject."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TOPDOWN_BUILD", SOURCE / "build"))
TOPDOWN = str(pathlib.Path(os.environ.get("TOPDOWN", SOURCE / "build/topdown")).resolve())
COUNTS = SOURCE / "tests/golden/clx-dram/counts.json"
NO_PMU = (
    SOURCE / "tests/machines/cloud-vm"
)  # so that no test depends on what the machine that runs it can count
SKIPPED = 77
FAILED = 125  # exit status when topdown itself failed
EVERY = int(
    os.environ.get("TOPDOWN_EVERY", "1")
)  # more in a build with sanitizers, where a start takes several times as long

failures = 0


def check(holds, what, found=None):
    """Prints a failed check and goes on; finish() makes the test fail then."""
    global failures
    if not holds:
        failures += 1
        print(f"FAIL {what}" + (f": {found!r}" if found is not None else ""))


def some(rows, first=0):
    """All rows; with sanitizers one of EVERY, from the given one on: where they differ in data, and run the
    same code."""
    return list(rows)[first % EVERY :: EVERY]


def system_rows(kind, cpu):
    """What models/system/ and events/system/ add to a CPU that may be in such a system: kind is Metrics or
    Events."""
    header = json.loads((SOURCE / f"events/{cpu}.json").read_text(encoding="utf-8"))["Header"]
    folder = {"Metrics": "models", "Events": "events"}[kind]
    return [
        row
        for name in header.get("System", "").split(",")
        if name
        for row in json.loads((SOURCE / folder / f"system/{name}.json").read_text(encoding="utf-8"))[kind]
    ]


def common_metrics(names):
    """What models/common.json adds to a model whose metrics have these names: {its name: the vendor's, or
    None where it is ours}."""
    rows = json.loads((SOURCE / "models/common.json").read_text(encoding="utf-8"))["Metrics"]
    found = {}
    for row in rows:
        if "Title" in row:
            same = [row["MetricName"], *row.get("SameAs", "").split(";")]
            found[row["MetricName"]] = next((name for name in same if name in names), None)
    return found


def need_simulator():
    """Skips the test where none was built, or there is no Valgrind to run it. One that is there and does not
    work is a failure."""
    if not any((BUILD / "libexec/topdown").glob("topdown-*-linux")) or not shutil.which("valgrind"):
        print(f"skipped: there is no simulator in {BUILD}, or no Valgrind")
        sys.exit(SKIPPED)


def finish():
    sys.exit(1 if failures else 0)


def environment(**changes):
    """Nothing of the caller's that changes what topdown does; None removes a variable."""
    env = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "HOME": "/nonexistent",
        "TERM": "xterm",
        "TOPDOWN_LAST": "0",
        "PAGER": "cat",
    }
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TOPDOWN_DB"):
        if name in os.environ:
            env[name] = os.environ[name]
    env.update(changes)
    return {name: value for name, value in env.items() if value is not None}


def topdown(*words, env=None, **options):
    """The finished process, with stdout and stderr as text unless they are given."""
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    program = options.pop("program", TOPDOWN)
    return subprocess.run(
        [program, *map(str, words)],
        env=env or environment(),
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        **options,
    )


def check_failure(result, what, *parts):
    """One line on stderr, nothing on stdout, status 125; the line has all parts in it."""
    lines = (result.stderr or "").splitlines()
    check(result.returncode == FAILED, f"{what}: exit status", result.returncode)
    check(not result.stdout, f"{what}: standard output", result.stdout)
    check(len(lines) == 1 and lines[0].startswith("topdown: "), f"{what}: one line on stderr", result.stderr)
    for part in parts:
        check(str(part) in (result.stderr or ""), f"{what}: stderr has {part!r}", result.stderr)


def check_success(result, what):
    check(result.returncode == 0, f"{what}: exit status", result.returncode)
    check(not result.stderr, f"{what}: stderr", result.stderr)


@contextlib.contextmanager
def temporary():
    with tempfile.TemporaryDirectory() as path:
        yield pathlib.Path(path)
