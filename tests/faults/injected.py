#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""injected.py - each system call of topdown's own fails in turn (strace -e inject), command by command:
no crash, no hang, nothing left, no file damaged, and either the usual end or one sentence with status 125.

injected.py [--all] [--seed N] [COMMAND[:CALL[:NUMBER]]]...; without --all some of them, as the seed draws.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import uuid

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    COUNTS,
    FAILED,
    SOURCE,
    TOPDOWN,
    can_trace,
    check,
    environment,
    finish,
    skip,
    soft_pmu,
    temporary,
)

HANG_S = 120  # an end that comes at once takes this long on no host; only what waits for ever does
FEW = 60  # drawn where not all are asked for
MOST = 12  # of one call of one command, the first and the last among them
PROGRAM = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done"
OUT = ("-o", "out")

# What is in the way of most: of a call that is not here EINVAL, which the kernel may answer to each.
ERRORS = {
    "brk": "ENOMEM",
    "mmap": "ENOMEM",
    "mremap": "ENOMEM",
    "open": "EACCES",
    "openat": "EACCES",
    "read": "EIO",
    "pread64": "EIO",
    "write": "ENOSPC",
    "pwrite64": "ENOSPC",
    "sendfile": "ENOSPC",
    "fallocate": "ENOSPC",
    "ftruncate": "EIO",
    "fsync": "EIO",
    "fdatasync": "EIO",
    "close": "EIO",
    "getdents64": "EACCES",
    "unlink": "EACCES",
    "unlinkat": "EACCES",
    "rmdir": "EACCES",
    "mkdir": "EACCES",
    "linkat": "EACCES",
    "rename": "EACCES",
    "renameat": "EACCES",
    "fcntl": "ENOLCK",
    "clone": "EAGAIN",
    "clone3": "EAGAIN",
    "fork": "EAGAIN",
    "vfork": "EAGAIN",
    "pipe2": "EMFILE",
    "dup": "EMFILE",
    "dup2": "EBUSY",
    "dup3": "EBUSY",
    "signalfd4": "EMFILE",
    "eventfd2": "EMFILE",
    "socket": "EACCES",
    "perf_event_open": "EACCES",
}
# These fail where there is no child, or never; or what follows is no longer topdown's.
NEVER = {"wait4", "waitid", "exit", "exit_group", "rt_sigreturn", "restart_syscall", "execve", "munmap"}
# Of a gate whose runs differ by chance.
VERDICTS = {0, 3, 4}


def saved(folder):
    return [shutil.copy(COUNTS, folder / "counts.json")]


def count(folder, *more):
    return [*soft_pmu.soft_pmu(folder), "-l1", *more, "--", "sh", "-c", PROGRAM]


def report(form):
    return lambda folder: ["report", "--format", form, *OUT, *saved(folder)]


def gate(folder):
    return ["gate", *soft_pmu.soft_pmu(folder), "-r", "2", "--baseline", "/bin/true", *OUT, "/bin/true"]


COMMANDS = {
    "count": lambda folder: count(folder, *OUT, "--save", "session.json"),
    "interval": lambda folder: count(folder, "-I", "20", *OUT),
    "sample": lambda _: ["sample", *OUT, "--save", "session.json", "--", "sh", "-c", PROGRAM],
    "simulate": lambda _: ["--pmu", "sim", "-l1", *OUT, "--save", "session.json", "--", "sh", "-c", "exit 0"],
    **{form: report(form) for form in ("text", "json", "csv", "markdown", "html")},
    "packed": lambda folder: ["report", "-o", "out.gz", *saved(folder)],
    "history": lambda folder: ["history", "runs.db", "import", *saved(folder)],
    "export": lambda folder: ["export", "--to", "folded", *OUT, SOURCE / "docs/sample-profile.json"],
    "compare": lambda folder: ["compare", *OUT, *saved(folder), *saved(folder)],
    "gate": gate,
}


def start(words, folder, mark, strace):
    """Status, or None where it hangs; and what it said."""
    variables = environment(
        TMPDIR=str(folder / "tmp"), XDG_STATE_HOME=str(folder / "state"), HOME=str(folder), MARK=mark
    )
    with open(folder / "stderr", "wb") as stderr:
        with subprocess.Popen(
            ["strace", "-qq", "-o", str(folder / "trace"), *strace, TOPDOWN, *map(str, words)],
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        ) as process:
            try:
                status = process.wait(HANG_S)
            except subprocess.TimeoutExpired:
                status = None
                process.kill()
                end_marked(mark)
    return status, (folder / "stderr").read_text("utf-8", "replace")


def marked(mark):
    for process in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and mark.encode() in (process / "environ").read_bytes():
                yield int(process.name)


def end_marked(mark):
    for pid in marked(mark):
        with contextlib.suppress(OSError):
            os.kill(pid, 9)


@contextlib.contextmanager
def world():
    with temporary() as folder:
        (folder / "tmp").mkdir()
        (folder / "out").write_text("old\n", "utf-8")
        yield folder


def calls_of(name):
    """{call: (numbers of the first and the last that topdown itself makes, not the loader)}, status."""
    with world() as folder:
        words = COMMANDS[name](folder)
        status, said = start(words, folder, str(uuid.uuid4()), [])
        lines = (folder / "trace").read_text("utf-8", "replace").splitlines()
    begun, before, all_of = False, collections.Counter(), collections.Counter()
    for line in lines:
        found = re.match(r"(\w+)\(", line)
        if not found:
            continue
        begun = begun or "SIGXFSZ" in line  # main() begins with it
        all_of[found.group(1)] += 1
        if not begun:
            before[found.group(1)] += 1
    calls = {
        call: (before[call] + 1, last)
        for call, last in all_of.items()
        if call not in NEVER and last > before[call]
    }
    return calls, status, said


def is_whole(path):
    text = path.read_bytes()
    return not path.suffix == ".json" or bool(json.loads(text))


def left_in(folder):
    known = {"tmp", "out", "out.gz", "session.json", "stderr", "trace", "state", "root", "db", "counts.json"}
    known |= {
        "runs.db",
        "runs.db-wal",
        "runs.db-shm",
        "runs.db-journal",
        ".cache",
    }  # SQLite's own, for the next reader
    left = [path.name for path in folder.iterdir() if path.name not in known]
    return left + [str(path.relative_to(folder)) for path in (folder / "tmp").iterdir()]


def check_one(name, call, number, usual):
    error = ERRORS.get(call, "EINVAL")
    failure = "retval=0" if call == "brk" else f"error={error}"  # the kernel's brk returns an address
    what = f"{name}:{call}:{number} {error}"
    mark = str(uuid.uuid4())
    with world() as folder:
        words = COMMANDS[name](folder)
        inject = ["-e", f"trace={call}", "-e", f"inject={call}:{failure}:when={number}"]
        status, said = start(words, folder, mark, inject)
        if status is None and call == "close":
            return False  # the kernel's has closed when it fails; strace's leaves the end of a pipe open
        check(status is not None, f"{what}: it ends", said)
        if status is None:
            return False
        if "INJECTED" not in (folder / "trace").read_text("utf-8", "replace"):
            return False  # it made fewer of these calls this time
        ended = status == usual or name == "gate" and status in VERDICTS
        check(ended or status in (FAILED, 126, 127), f"{what}: status", (status, said))
        check(ended or "topdown: " in said, f"{what}: it is said", (status, said))
        check(
            status != FAILED or said.rstrip().splitlines()[-1].startswith("topdown: "),
            f"{what}: a sentence",
            said,
        )
        check(not list(marked(mark)), f"{what}: processes that are left")
        end_marked(mark)
        left = left_in(folder)
        report = said + (folder / "out").read_text("utf-8")
        check(not left or "is left" in report, f"{what}: files that are left", (left, report))
        for path in [folder / "session.json", folder / "out.gz"]:
            check(not path.exists() or is_whole(path), f"{what}: {path.name} is whole")
        check((folder / "out").stat().st_size > 0, f"{what}: what was there before is there, or the report")
    return True


def numbers_of(first, last, chance, takes_all):
    numbers = list(range(first, last + 1))
    if len(numbers) <= MOST or takes_all and len(numbers) <= 4 * MOST:
        return numbers
    return sorted({first, last, *chance.sample(numbers, MOST - 2)})


def rows_of(names, chance, takes_all):
    rows = []
    for name in names:
        calls, usual, said = calls_of(name)
        check(usual is not None and usual < FAILED, f"{name}: without a failure", (usual, said))
        for call, (first, last) in sorted(calls.items()):
            rows += [(name, call, number, usual) for number in numbers_of(first, last, chance, takes_all)]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("rows", nargs="*")
    arguments = parser.parse_args()
    if not can_trace():
        skip("strace can't be used here")
    chance = random.Random(arguments.seed)
    names = sorted({row.split(":")[0] for row in arguments.rows}) or list(COMMANDS)
    rows = rows_of(names, chance, arguments.all or arguments.rows)
    if arguments.rows:
        rows = [
            row
            for row in rows
            if any(f"{row[0]}:{row[1]}:{row[2]}:".startswith(f"{r}:") for r in arguments.rows)
        ]
    elif not arguments.all:
        rows = chance.sample(rows, FEW)
    print(f"{len(rows)} failures, seed {arguments.seed}")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        made = [result.result() for result in [pool.submit(check_one, *row) for row in rows]]
    check(sum(made) * 2 > len(rows), "failures that were made", (sum(made), len(rows)))
    finish()


main()
