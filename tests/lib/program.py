# SPDX-License-Identifier: GPL-2.0-or-later
"""program.py - topdown and other programs in a known environment."""
import contextlib
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TOPDOWN_BUILD", SOURCE / "build")).resolve()
TOPDOWN = str(pathlib.Path(os.environ.get("TOPDOWN", BUILD / "topdown")).resolve())
COUNTS = SOURCE / "tests/golden/clx-dram/counts.json"
# So that no test depends on what the machine that runs it can count.
NO_PMU = SOURCE / "tests/machines/cloud-vm"
# More in a build with sanitizers, where a start takes several times as long.
EVERY = int(os.environ.get("TOPDOWN_EVERY", "1"))
# Seconds after which something hangs: no verdict on its speed, also where a test has a sixteenth of a core.
PATIENCE = 1800


def some(rows, first=0):
    """All rows; with sanitizers one of EVERY, from the given one on: where they differ in data, and run the
    same code."""
    return list(rows)[first % EVERY :: EVERY]


def environment(**changes):
    """Nothing of the caller's that changes what topdown does; None removes a variable."""
    env = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "HOME": "/nonexistent",
        "TERM": "xterm",
        "TOPDOWN_LAST": "0",
        "TOPDOWN_SIM_SECONDS": str(PATIENCE),  # no test depends on how fast its host simulates
        "PAGER": "cat",
    }
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TOPDOWN_DB"):
        if name in os.environ:
            env[name] = os.environ[name]
    env.update(changes)
    return {name: value for name, value in env.items() if value is not None}


def run(*words, env=None, **options):
    """The finished process, with stdout and stderr as text unless they are given."""
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    options.setdefault("encoding", "utf-8")
    options.setdefault("check", False)
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(list(map(str, words)), env=env or environment(), timeout=PATIENCE, **options)


@functools.cache
def can_trace():
    """Can strace be used on topdown? Not where ptrace is forbidden, nor beside LeakSanitizer."""
    words = ("strace", "-f", "-qq", "-o", "/dev/null", TOPDOWN, "--version")
    return bool(shutil.which("strace")) and run(*words).returncode == 0


def output_of(*words, text=None, where=None):
    """What a tool prints that must succeed: compilers, readers of files."""
    done = run(*words, input=text, cwd=where, env=os.environ, errors="surrogateescape")
    if done.returncode:
        raise RuntimeError(f"{words}: {done.stdout}{done.stderr}")
    return done.stdout


def topdown(*words, program=TOPDOWN, **options):
    return run(program, *words, **options)


@contextlib.contextmanager
def temporary():
    with tempfile.TemporaryDirectory() as path:
        yield pathlib.Path(path)
