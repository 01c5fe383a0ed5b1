#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""streams.py - what goes to which stream or file, and what happens when nobody takes it."""
import os
import signal
import subprocess

from cli import COUNTS, FAILED, NO_PMU, TOPDOWN, check, check_failure, check_success, environment, finish, temporary, topdown

REPORT = ("report", "-l3", COUNTS)


def check_standard_output():
    for words in (["--help"], ["-h"], ["plan", "--help"], ["report", "-h"], ["--help", "no-such-program"]):
        result = topdown(*words)
        check_success(result, f"{words}")
        check("usage:" in result.stdout, f"{words}: the usage", result.stdout)
    for words in (["--version"], ["-V"], ["plan", "--version"]):
        result = topdown(*words)
        check_success(result, f"{words}")
        check(result.stdout.startswith("topdown ") and result.stdout.count("\n") == 1, f"{words}: one line", result.stdout)


def check_output_option(expected):
    with temporary() as folder:
        for words in (["-o", "file"], ["--output=file"]):
            result = topdown(*REPORT, *words, cwd=folder)
            check_success(result, f"{words}")
            check(result.stdout == "", f"{words}: standard output", result.stdout)
            check((folder / "file").read_text(encoding="utf-8") == expected, f"{words}: the file has the report")
            (folder / "file").unlink()
        check(topdown(*REPORT, "-o", "-").stdout == expected, "-o -: standard output")
        check_failure(topdown(*REPORT, "-o", "no/such/folder", cwd=folder), "-o without folder", "no/such/folder", "No such file")
        check_failure(topdown(*REPORT, "-o", folder), "-o a folder", folder, "Is a directory")
        check_failure(topdown(*REPORT, "-o", "/dev/full"), "-o to a full disk", "No space left")


def check_input(expected):
    check(topdown("report", "-l3", "-", input=COUNTS.read_text(encoding="utf-8")).stdout == expected, "report - reads stdin")
    check_failure(topdown("report", "-", input=""), "report - of nothing")
    check_failure(topdown("report", "-", input="no JSON"), "report - of something else")
    check_failure(topdown("report", "no-such-file"), "report of no file", "no-such-file", "No such file")
    check_failure(topdown("report", NO_PMU), "report of a folder", NO_PMU, "directory")


def closed_pipe(words, **options):
    """Runs topdown with a stdout whose reader has gone."""
    reading, writing = os.pipe()
    os.close(reading)
    result = topdown(*words, stdout=writing, **options)
    os.close(writing)
    return result


def check_lost_output():
    for words in (REPORT, ["report", "--format", "json", COUNTS], ["plan", "--cpu", "spr"], ["--help"], ["--version"]):
        result = closed_pipe(words)
        check(result.returncode == -signal.SIGPIPE and not result.stderr, f"{words}: ends silently with its reader",
              (result.returncode, result.stderr))
        result = closed_pipe(words, restore_signals=False)  # Python ignores SIGPIPE, and so does its child then
        check_failure(result, f"{words} with SIGPIPE ignored", "Broken pipe")
        with open("/dev/full", "w", encoding="utf-8") as full:
            check_failure(topdown(*words, stdout=full), f"{words} to a full disk", "No space left")


def check_closed_streams(expected):
    """A file that is opened later must not become standard output or standard error."""
    with temporary() as folder:
        def run(text):
            return subprocess.run(["sh", "-c", text, TOPDOWN, COUNTS], env=environment(), cwd=folder, capture_output=True,
                                  text=True, check=False, timeout=60)

        for words in ('report "$1"', "--help"):
            result = run(f'"$0" {words} >&-')
            check(result.returncode == FAILED and result.stderr.count("\n") == 1, f"{words}: stdout closed",
                  (result.returncode, result.stderr))
        result = run('"$0" report -l3 "$1" -o file >&- 2>&- <&-')
        check(result.returncode == 0, "all closed, -o", result.returncode)
        check((folder / "file").read_text(encoding="utf-8") == expected, "all closed, -o: the file has the report")
        result = run('"$0" --no-such-option 2>&-')
        check(result.returncode == FAILED, "stderr closed, a message", result.returncode)


report = topdown(*REPORT)
check_success(report, "report")
check_standard_output()
check_output_option(report.stdout)
check_input(report.stdout)
check_lost_output()
check_closed_streams(report.stdout)
finish()
