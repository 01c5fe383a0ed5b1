#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""outputs.py - every file that topdown writes is there whole or not at all: a row for each command and
form, on a full disk, over files, links and pipes; signals while they are written; outputs that are inputs."""
import contextlib
import functools
import gzip
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import threading

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    FAILED,
    NO_PMU,
    SOURCE,
    TOPDOWN,
    can_trace,
    check,
    check_failure,
    check_success,
    environment,
    finish,
    need_simulator,
    run,
    soft_pmu,
    some,
    temporary,
    topdown,
    wait_until,
)

SESSION, PROFILE = SOURCE / "docs/sample-session.json", SOURCE / "docs/sample-profile.json"
SIM = ("--pmu", "sim", "--no-anchor")
OLD = "the old file\n"
BUSY = ("sh", "-c", "while :; do :; done")

# What is written without a measurement: the words, and the name of the file
SHOWN = [
    *(
        (("report", "-l3", SESSION), f"report{suffix}")
        for suffix in (".txt", ".json", ".csv", ".md", ".html")
    ),
    *((("report", "-l3", SESSION), f"report{suffix}.gz") for suffix in (".txt", ".csv", ".html")),
    (("report", PROFILE), "profile.html"),
    *(
        (("plan", "-l3", "--cpu", "spr", "--format", form), "plan")
        for form in ("text", "json", "csv", "perf")
    ),
    (("list", "cpus"), "list.json"),
    (("metrics", "--cpu", "spr"), "metrics.csv"),
    (("explain", "--cpu", "spr", "DRAM_Bound"), "explain.md"),
    (("compare", SESSION, SESSION), "compare.json"),
    (("compare", PROFILE, PROFILE), "compare.html"),
    (("doctor", "--sysroot", NO_PMU), "doctor.csv"),
    *(
        (("export", "--to", form, PROFILE), "export")
        for form in ("svg", "folded", "speedscope", "firefox", "pprof", "callgrind")
    ),
    (("export", "--to", "folded", PROFILE), "folded.gz"),
    (("export", "--to", "svg", PROFILE, PROFILE), "difference.svg"),
]
# What has no -o
PRINTED = [
    ("--help",),
    ("--version",),
    ("help", "compare"),
    ("help", "options"),
    ("completion", "bash"),
    ("completion", "words", "topdown", ""),
    ("report", SESSION, "-o", "-"),
    ("report", SESSION, "-o", "/dev/stdout"),
    ("sample", "--no-last", "--save", "-", "true"),
]
# What measures: the words before the option of the file, which is last, and the program
MEASURED = [
    (("sample", "-o"), "sample.txt"),
    (("sample", "-o"), "sample.json.gz"),
    (("sample", "--save"), "session.json"),
    (("sample", "--save"), "session.json.gz"),
]
SIMULATED = [
    ((*SIM, "-o"), "report.csv"),
    ((*SIM, "--lines", "--save"), "session.json"),
    (("gate", "--pmu", "sim", "--layouts", "1", "-o"), "gate.xml"),
    (("gate", "--pmu", "sim", "--layouts", "1", "--save"), "gate.json"),
]


@contextlib.contextmanager
def full_disk():
    """A folder on a file system that holds a file of OLD, and nothing more; or a limit that does the same."""
    with temporary() as folder:
        words = ("mount", "-t", "tmpfs", "-o", "size=8k", "none", folder)
        is_mounted = os.geteuid() == 0 and shutil.which("mount") and run(*words).returncode == 0
        try:
            if is_mounted:
                (folder / "filler").write_bytes(bytes(4096))
            yield folder, None if is_mounted else limit_files
        finally:
            if is_mounted:
                run("umount", folder)


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "filler")


def check_not_written(result, folder, path, what, was=None):
    """Status 125, a sentence with the file's name, what was there before, and nothing more."""
    check(result.returncode == FAILED, f"{what}: exit status", (result.returncode, result.stderr))
    said = [line for line in result.stderr.splitlines() if line.startswith("topdown: ")]
    check(len(said) == 1 and path.name in said[0], f"{what}: a sentence with its name", result.stderr)
    check(re.search("No space left|File too large", result.stderr), f"{what}: says why", result.stderr[-300:])
    check(names(folder) == [path.name] * (was is not None), f"{what}: files that are left", names(folder))
    if was is not None and path.exists():
        check(path.read_text(encoding="utf-8", errors="replace") == was, f"{what}: the old file is as it was")


def check_full(rows, tail=(), env=None):
    with full_disk() as (folder, limit):
        for words, name in rows:
            options = {"preexec_fn": limit, "env": env}
            what = f"{' '.join(map(str, words))} {name}"
            path = folder / name
            path.write_text(OLD, encoding="utf-8")
            result = topdown(*words, path, *tail, **options)
            check_not_written(result, folder, path, f"{what} over a file on a full disk", OLD)
            path.unlink(missing_ok=True)
            (folder / "more").write_bytes(bytes(0 if limit else 4096))
            result = topdown(*words, path, *tail, **options)
            (folder / "more").unlink()
            check_not_written(result, folder, path, f"{what} on a full disk")
            path.unlink(missing_ok=True)


def check_devices():
    """Standard output and devices."""
    with open("/dev/full", "w", encoding="utf-8") as full:
        for words in [*(words for words, _ in some(SHOWN)), *PRINTED]:
            result = topdown(*words, stdout=full)
            what = f"{' '.join(map(str, words))} > /dev/full"
            check(result.returncode == FAILED, f"{what}: exit status", (result.returncode, result.stderr))
            check(result.stderr.count("No space left") == 1, f"{what}: says why", result.stderr)
    for words, _ in some(SHOWN):
        form = () if "--format" in words or "--to" in words else ("--format", "json")
        result = topdown(*words, *form, "-o", "/dev/full")
        check_failure(result, f"{words} -o /dev/full", "-o /dev/full: ", "No space left")


def content(path):
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def check_same(path, expected, what):
    """But for what is different each time: the doctor's figures, gzip's times."""
    found = content(path)
    is_same = found == expected or ("doctor" in what and found[:40] == expected[:40])
    check(is_same and expected, f"{what}: whole", (len(found), len(expected)))


def through_pipe(words, pipe):
    """What a reader of a FIFO gets of it."""
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    result = topdown(*words, "-o", pipe)
    reader.join(1 if result.returncode else None)
    if reader.is_alive():
        pipe.write_bytes(b"")  # nothing has come, and now it ends
    reader.join()
    return result, got[0]


def check_written(result, what):
    """The doctor's status says what it found of that machine."""
    check(result.returncode == (1 if "doctor" in what else 0), f"{what}: exit status", result.returncode)
    check(not result.stderr, f"{what}: stderr", result.stderr)


def check_places(words, name, folder):
    """A new file, an old one, a link to one, a link to none, one of two names, a pipe: the same content."""
    what = f"{' '.join(map(str, words))} {name}"
    target = folder / name
    check_written(topdown(*words, "-o", target), what)
    expected = content(target)
    check(stat.S_IMODE(target.stat().st_mode) == 0o644, f"{what}: mode", oct(target.stat().st_mode))
    target.write_text(OLD * 999, encoding="utf-8")
    target.chmod(0o640)
    check_written(topdown(*words, "-o", target), f"{what} over a file")
    check_same(target, expected, f"{what} over a file")
    check(
        stat.S_IMODE(target.stat().st_mode) == 0o640, f"{what} over a file: mode", oct(target.stat().st_mode)
    )
    (folder / "to").mkdir()
    target.rename(folder / "to" / name)
    target.symlink_to(f"to/{name}")
    for state in ("a link", "a link to nothing"):
        check_written(topdown(*words, "-o", target), f"{what} to {state}")
        check(target.is_symlink(), f"{what} to {state}: it is one")
        check_same(folder / "to" / name, expected, f"{what} to {state}")
        if state == "a link":
            (folder / "to" / name).unlink()
    other = folder / f"other-{name}"
    os.link(folder / "to" / name, other)
    check_written(topdown(*words, "-o", other), f"{what} to one of two names")
    check((other).samefile(target), f"{what}: both names are one file")
    check_same(other, expected, f"{what} to one of two names")
    target.unlink()
    os.mkfifo(target)
    result, got = through_pipe(words, target)
    check_written(result, f"{what} to a pipe")
    (folder / "got").write_bytes(got)
    check_same(folder / "got", expected, f"{what} to a pipe")
    check(
        names(folder) == sorted([name, "got", other.name, "to"]),
        f"{what}: files that are left",
        names(folder),
    )


def check_streams():
    """Where standard output is the file that -o names, or a descriptor, nothing is written over."""
    with temporary() as folder:
        for name in ("/dev/stdout", "/proc/self/fd/1", "/dev/fd/1", folder / "out"):
            with open(folder / "out", "w", encoding="utf-8") as out:
                out.write("before\n")
                out.flush()
                result = topdown("report", SESSION, "-o", name, stdout=out)
            lines = (folder / "out").read_text(encoding="utf-8").splitlines()
            check(result.returncode == 0, f"-o {name}: exit status", result.stderr)
            check(lines[0] == "before" and len(lines) > 9, f"-o {name}: behind what is there", lines[:2])


def check_others_files():
    """A file that can't be replaced as its owner's is written over; one that can't be written stays."""
    if os.geteuid() != 0:
        return
    with temporary() as folder:
        folder.chmod(0o755)
        path = folder / "file.txt"
        path.write_text(OLD, encoding="utf-8")
        os.chown(path, 65534, 65534)
        path.chmod(0o666)
        check_success(topdown("report", SESSION, "-o", path), "another's file")
        check(path.stat().st_uid == 65534, "another's file stays another's", path.stat().st_uid)
        folder.chmod(0o555)
        words = ("setpriv", "--reuid", "65533", "--clear-groups")
        if not shutil.which("setpriv"):
            return
        result = run(*words, TOPDOWN, "plan", "--cpu", "spr", "-o", path, env=environment())
        if "Permission denied" in result.stderr and "plan" not in result.stderr:
            return  # this user can't start the program where it is built
        check_success(result, "another's file in another's folder")
        check("Run 1" in path.read_text(encoding="utf-8") or path.read_text() != OLD, "it is written")
        check(path.stat().st_uid == 65534, "and stays another's")
        path.chmod(0o444)
        result = run(*words, TOPDOWN, "plan", "--cpu", "spr", "-o", path, env=environment())
        check_failure(result, "a file that is only read", path, "Permission denied")


def check_inputs():
    """No output takes the place of what the same command reads."""
    with temporary() as folder:
        for name, source in (("a.json", PROFILE), ("b.json", PROFILE), ("s.json", SESSION)):
            shutil.copy(source, folder / name)
        (folder / "link.json").symlink_to("a.json")
        rows = (
            ("report", "-o", "s.json", "s.json"),
            ("report", "-o", "./s.json", "s.json"),
            ("report", "-o", "link.json", "a.json"),
            ("compare", "-o", "a.json", "a.json", "b.json"),
            ("compare", "-o", "b.json", "a.json", "b.json"),
            ("export", "--to", "folded", "-o", "a.json", "a.json"),
            ("export", "--to", "svg", "-o", "b.json", "a.json", "b.json"),
            ("gate", "--pmu", "sim", "--baseline", "a.json", "-o", "a.json", "--", "true"),
            ("gate", "--pmu", "sim", "--baseline", "a.json", "--save", "a.json", "--", "true"),
            ("sample", "--save", "./a.json", "./a.json"),
        )
        for words in rows:
            result = topdown(*words, cwd=folder)
            check_failure(result, f"{words}", "would replace", "choose another name")
        for name, source in (("a.json", PROFILE), ("b.json", PROFILE), ("s.json", SESSION)):
            check((folder / name).read_bytes() == source.read_bytes(), f"{name} is as it was")


def check_signals():
    """Signals at each call that writes a file: the old one or the new one is there, and nothing else."""
    if not can_trace():
        print("strace can't be used here: no call fails, and no signal comes at one")
        return
    signals = ("INT", "TERM", "HUP", "QUIT", "XCPU", "USR1", "KILL")
    rows = [(call, number) for call in ("write", "linkat", "renameat", "fchmod") for number in signals]
    with temporary() as folder:
        topdown("report", PROFILE, "-o", folder / "whole.html")
        whole = (folder / "whole.html").read_bytes()
        (folder / "at").mkdir()
        for call, number in some(rows):
            if (call, number) == ("renameat", "KILL"):
                continue  # between two names of a new file nothing can be done
            path = folder / "at/report.html"
            for was in (None, OLD.encode()):
                path.unlink(missing_ok=True)
                if was:
                    path.write_bytes(was)
                run(
                    *("strace", "-f", "-qq", "-o", folder / "trace", "-e", f"trace={call}"),
                    *(
                        "-e",
                        f"inject={call}:signal=SIG{number}:when=1",
                        TOPDOWN,
                        "report",
                        PROFILE,
                        "-o",
                        path,
                    ),
                )
                found = path.read_bytes() if path.exists() else None
                what = f"SIG{number} at {call}"
                check(found in (was, whole), f"{what}: half a file", found and len(found))
                check(names(folder / "at") in ([], [path.name]), f"{what}: left", names(folder / "at"))


FAILING = (
    "fcntl:ENOLCK",
    "linkat:EPERM",
    "renameat:EIO",
    "fsync:EIO",
    "sendfile:EIO",
    "write:ENOSPC",
    "close:EIO",
)


def check_failing_calls():
    """Each call that writes a file fails in turn: 125 and the old file, or 0 and the new one."""
    if not can_trace():
        print("strace can't be used here: no call fails, and no signal comes at one")
        return
    rows = (
        ("report", SESSION, "-o"),
        ("export", "--to", "pprof", PROFILE, "-o"),
        ("sample", "--no-last", "--save"),
    )
    with temporary() as folder:
        for words, failing in some([(words, failing) for words in rows for failing in FAILING]):
            for when in range(1, 13):
                path = folder / "at/file.gz"
                shutil.rmtree(path.parent, ignore_errors=True)
                path.parent.mkdir()
                path.write_text(OLD, encoding="utf-8")
                call = failing.partition(":")[0]
                result = run(
                    *("strace", "-f", "-qq", "-o", folder / "trace", "-e", f"trace={call}"),
                    *("-e", f"inject={call}:error={failing.partition(':')[2]}:when={when}"),
                    *(TOPDOWN, *words, path, *(["true"] if words[0] == "sample" else [])),
                )
                if "INJECTED" not in (folder / "trace").read_text(encoding="utf-8", errors="replace"):
                    break
                what = f"{words}, {failing} number {when}"
                old = path.read_bytes() == OLD.encode() if path.exists() else None
                check(names(path.parent) == [path.name], f"{what}: files", names(path.parent))
                check(
                    result.returncode >= 0 and result.returncode < 128, f"{what}: status", result.returncode
                )
                if old is False:
                    gzip.decompress(path.read_bytes())  # whole; the report may be what failed
                check(result.returncode or old is False, f"{what}: {result.returncode}", result.stderr)


def check_last():
    """The last measurement is the one before where it can't be kept."""
    with full_disk() as (folder, limit):
        if limit:
            return
        state = folder / "topdown"
        state.mkdir()
        state.chmod(0o700)
        (state / "last.json").write_text("{}", encoding="utf-8")
        env = environment(XDG_STATE_HOME=str(folder), TOPDOWN_LAST=None)
        result = topdown("sample", "true", env=env)
        check(result.returncode == 0, "a full state directory: exit status", result.stderr)
        check(names(state) == ["last.json"], "a full state directory: files", names(state))
        check((state / "last.json").read_text(encoding="utf-8") == "{}", "the last one before is as it was")


def check_intervals():
    """A file of intervals has each of them while the next one is measured, and ends with a whole one."""
    with temporary() as made, temporary() as folder:
        path = folder / "intervals.csv"
        path.write_text(OLD, encoding="utf-8")
        words = [*soft_pmu.soft_pmu(made), "-l1", "-I", "50", "--no-last", "-o", path, *BUSY]
        with subprocess.Popen(
            [TOPDOWN, *map(str, words)], env=environment(), stderr=subprocess.DEVNULL
        ) as process:
            wait_until(lambda: process.poll() is not None or path.read_bytes().count(b"\nnode,") > 2)
            check(process.poll() is None, "intervals: they are there meanwhile", process.returncode)
            check(names(folder) == [path.name], "intervals: files meanwhile", names(folder))
            process.send_signal(signal.SIGTERM)
            process.wait()
        text = path.read_text(encoding="utf-8")
        check("the old file" not in text, "intervals take the old file's place")
        # Two intervals have room, and three do not, of the many that there is time for. Then the program is
        # waited for, until --timeout.
        begins = [
            text.index(f"\n{line}") + 1 for line in text.splitlines()[1:] if line.startswith("summary,")
        ]
        room = begins[0] + 5 * (begins[1] - begins[0]) // 2
        path.write_text(OLD, encoding="utf-8")
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, room))
        result = topdown("--timeout", "10", *words, preexec_fn=limit)
        check(result.returncode == FAILED and "File too large" in result.stderr, "many", result.stderr)
        text = path.read_text(encoding="utf-8")
        check(text.endswith("\n") and "the old file" not in text, "intervals beyond the limit", text[-99:])


def check_gate():
    """--update writes what a link leads to; a baseline of absurd numbers is refused."""
    words = ("gate", "--pmu", "sim", "--layouts", "1", "--baseline", "base.json")
    with temporary() as folder:
        (folder / "to").mkdir()
        (folder / "base.json").symlink_to("to/real.json")
        for state in ("is not there", "is there"):
            result = topdown(*words, "--update", "--", "true", cwd=folder)
            check(result.returncode == 0, f"--update where the target {state}", result.stderr)
            check((folder / "base.json").is_symlink(), f"the target {state}: the link stays")
            check((folder / "to/real.json").stat().st_size > 1000, f"the target {state}: it is written")
        text = (folder / "to/real.json").read_text(encoding="utf-8")
        for number in ("1e400", "1e308", "1e25", f"1{'0' * 400}"):
            (folder / "base.json").unlink()
            (folder / "base.json").write_text(re.sub(r'"value": ?[0-9.e+]+', f'"value":{number}', text))
            result = topdown(*words, "--", "true", cwd=folder)
            check_failure(result, f"a baseline of {number[:9]}", "base.json")


def check_temporary_folder():
    for length in (5000, 4090):
        env = environment(TMPDIR="/tmp/" + "d/" * (length // 2))
        result = topdown(*SIM, "true", env=env)
        check_failure(result, f"TMPDIR of {length}", "TMPDIR", "characters")
        check(len(result.stderr) < 200, f"TMPDIR of {length}: short", len(result.stderr))


def check_all_full():
    check_full([((*words, "-o"), name) for words, name in some(SHOWN)])
    check_full(MEASURED, ["true"])


def check_all_places():
    for words, name in some(SHOWN):
        with temporary() as folder:
            check_places(words, name, folder)


def check_simulated():
    check_full(some(SIMULATED), ["--", "true"])
    check_gate()
    check_temporary_folder()


def check_long_commands():
    """A command of a megabyte is in no report as a whole, and each says so."""
    words = ["a" * 100000] * 12
    with temporary() as folder:
        for form in ("text", "json", "csv", "markdown", "html"):
            out = folder / form
            forms = ("--format", form, "-o", out, "--save", folder / "session.json")
            result = topdown("sample", *forms, "--", "true", *words)
            check(result.returncode == 0, f"long command, {form}: status", result.stderr)
            text = out.read_text("utf-8")
            check("aaaaaaaa" not in text, f"long command, {form}: cut", len(text))
            check(
                "12 words with 1200000 characters left out" in text,
                f"long command, {form}: it is said",
                text[:500],
            )
        check((folder / "session.json").stat().st_size < 100000, "long command: the session")


PARTS = {
    "commands": check_long_commands,
    "full": check_all_full,
    "last": check_last,
    "devices": check_devices,
    "places": check_all_places,
    "streams": check_streams,
    "others": check_others_files,
    "inputs": check_inputs,
    "signals": check_signals,
    "failing": check_failing_calls,
    "intervals": check_intervals,
    "simulated": check_simulated,
}
for part in sys.argv[1:] or PARTS:
    if part == "simulated":
        need_simulator()
    PARTS[part]()
finish()
