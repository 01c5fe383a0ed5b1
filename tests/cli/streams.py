#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""streams.py - what goes to which stream or file, and what happens when nobody takes it."""
import gzip
import os
import resource
import signal
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    COUNTS,
    FAILED,
    NO_PMU,
    PATIENCE,
    SOURCE,
    TOPDOWN,
    check,
    check_failure,
    check_success,
    environment,
    finish,
    temporary,
    topdown,
)

REPORT = ("report", "-l3", COUNTS)


def check_standard_output():
    for words in (["--help"], ["-h"], ["plan", "--help"], ["report", "-h"], ["--help", "no-such-program"]):
        result = topdown(*words)
        check_success(result, f"{words}")
        check("usage:" in result.stdout, f"{words}: the usage", result.stdout)
    for words in (["--version"], ["-V"], ["plan", "--version"]):
        result = topdown(*words)
        check_success(result, f"{words}")
        check(
            result.stdout.startswith("topdown ") and result.stdout.count("\n") == 1,
            f"{words}: one line",
            result.stdout,
        )


def check_output_option(expected):
    with temporary() as folder:
        for words in (["-o", "file"], ["--output=file"]):
            result = topdown(*REPORT, *words, cwd=folder)
            check_success(result, f"{words}")
            check(result.stdout == "", f"{words}: standard output", result.stdout)
            check(
                (folder / "file").read_text(encoding="utf-8") == expected, f"{words}: the file has the report"
            )
            (folder / "file").unlink()
        check(topdown(*REPORT, "-o", "-").stdout == expected, "-o -: standard output")
        check_failure(
            topdown(*REPORT, "-o", "no/such/folder", cwd=folder),
            "-o without folder",
            "no/such/folder",
            "No such file",
        )
        check_failure(topdown(*REPORT, "-o", folder), "-o a folder", folder, "Is a directory")
        check_failure(topdown(*REPORT, "-o", "/dev/full"), "-o to a full disk", "No space left")


SESSION = SOURCE / "docs/sample-session.json"
SUFFIXES = {
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".MARKDOWN": "markdown",
    ".html": "html",
    ".HTM": "html",
    ".log": "text",
    "": "text",
}


def check_suffixes():
    """The name behind -o chooses the form, unless --format does; behind .gz it is compressed."""
    forms = {
        form: topdown(*REPORT, "--format", form).stdout
        for form in ("text", "json", "csv", "markdown", "html")
    }
    with temporary() as folder:
        for suffix, form in SUFFIXES.items():
            for packed in ("", ".gz"):
                file = folder / f"report{suffix}{packed}"
                check_success(topdown(*REPORT, "-o", file), file.name)
                found = gzip.decompress(file.read_bytes()) if packed else file.read_bytes()
                check(found.decode() == forms[form], f"{file.name}: it is {form}", found[:60])
        check_success(
            topdown(*REPORT, "-o", "a.csv", "--format", "json", cwd=folder), "-o a.csv --format json"
        )
        check(
            (folder / "a.csv").read_text(encoding="utf-8") == forms["json"], "--format goes before the name"
        )
        for suffix in (
            ".svg",
            ".xlsx",
            ".xls",
            ".yaml",
            ".yml",
            ".xml",
            ".pdf",
            ".db",
            ".png",
            ".SVG",
            ".yaml.gz",
        ):
            check_failure(
                topdown(*REPORT, "-o", f"a{suffix}", cwd=folder),
                f"-o a{suffix}",
                f"a{suffix}",
                "text, JSON, CSV, Markdown and HTML",
            )
            check(not (folder / f"a{suffix}").exists(), f"{suffix}: a form that there is not leaves no file")
        check_success(topdown(*REPORT, "-o", "a.svg", "--format", "csv", cwd=folder), "-o a.svg --format csv")
        check(
            (folder / "a.svg").read_text(encoding="utf-8") == forms["csv"],
            "--format goes before another form's name",
        )
        check(topdown(*REPORT, "--format", "md").stdout == forms["markdown"], "--format md is Markdown")
        (folder / "full.gz").symlink_to("/dev/full")
        check_failure(
            topdown(*REPORT, "-o", "full.gz", cwd=folder), "a full disk", "full.gz", "No space left"
        )


def check_packed():
    """A session may be compressed, and what is no whole gzip file says so."""
    expected = topdown("report", SESSION).stdout
    packed = gzip.compress(SESSION.read_bytes())
    with temporary() as folder:
        for name, content in (
            ("s.json.gz", packed),
            (
                "twice.gz",
                gzip.compress(SESSION.read_bytes()[:999]) + gzip.compress(SESSION.read_bytes()[999:]),
            ),
        ):
            (folder / name).write_bytes(content)
            check(topdown("report", folder / name).stdout == expected, f"{name} is read")
        with open(folder / "s.json.gz", "rb") as file:
            check(topdown("report", "-", stdin=file).stdout == expected, "and from standard input")
        (folder / "cut.gz").write_bytes(packed[: len(packed) // 2])
        check_failure(topdown("report", "cut.gz", cwd=folder), "half of a file", "cut.gz", "too early")
        (folder / "bad.gz").write_bytes(packed[:500] + bytes(20) + packed[520:])
        check_failure(topdown("report", "bad.gz", cwd=folder), "a damaged file", "bad.gz", "damaged")


def check_input(expected):
    once = expected.replace(
        f"  topdown report -l5 {COUNTS}\n", "  topdown -l4 PROGRAM\n"
    )  # a pipe can't be read again
    check(
        topdown("report", "-l3", "-", input=COUNTS.read_text(encoding="utf-8")).stdout == once,
        "report - reads stdin",
    )
    check_failure(topdown("report", "-", input=""), "report - of nothing")
    check_failure(topdown("report", "-", input="no JSON"), "report - of something else")
    check_failure(topdown("report", "no-such-file"), "report of no file", "no-such-file", "No such file")
    check_failure(topdown("report", NO_PMU), "report of a folder", NO_PMU, "folder")


def closed_pipe(words, **options):
    """Runs topdown with a stdout whose reader has gone."""
    reading, writing = os.pipe()
    os.close(reading)
    result = topdown(*words, stdout=writing, **options)
    os.close(writing)
    return result


def check_lost_output():
    for words in (
        REPORT,
        ["report", "--format", "json", COUNTS],
        ["plan", "--cpu", "spr"],
        ["--help"],
        ["--version"],
    ):
        result = closed_pipe(words)
        check(
            result.returncode == -signal.SIGPIPE and not result.stderr,
            f"{words}: ends silently with its reader",
            (result.returncode, result.stderr),
        )
        result = closed_pipe(
            words, restore_signals=False
        )  # Python ignores SIGPIPE, and so does its child then
        check_failure(result, f"{words} with SIGPIPE ignored", "Broken pipe")
        with open("/dev/full", "w", encoding="utf-8") as full:
            check_failure(topdown(*words, stdout=full), f"{words} to a full disk", "No space left")
    with open("/dev/full", "w", encoding="utf-8") as full:
        words = ("export", "--to", "folded", SOURCE / "docs/sample-profile.json")
        check_failure(topdown(*words, stdout=full), "an export to a full disk", "No space left", "`df` shows")


def check_closed_streams(expected):
    """A file that is opened later must not become standard output or standard error."""
    with temporary() as folder:

        def run(text):
            return subprocess.run(
                ["sh", "-c", text, TOPDOWN, COUNTS],
                env=environment(),
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE,
            )

        for words in ('report "$1"', "--help"):
            result = run(f'"$0" {words} >&-')
            check(
                result.returncode == FAILED and result.stderr.count("\n") == 1,
                f"{words}: stdout closed",
                (result.returncode, result.stderr),
            )
        result = run('"$0" report -l3 "$1" -o file >&- 2>&- <&-')
        check(result.returncode == 0, "all closed, -o", result.returncode)
        check(
            (folder / "file").read_text(encoding="utf-8") == expected,
            "all closed, -o: the file has the report",
        )
        result = run('"$0" --no-such-option 2>&-')
        check(result.returncode == FAILED, "stderr closed, a message", result.returncode)


def check_file_limit():
    """A file may get no larger (ulimit -f): an error, and neither SIGXFSZ nor half a report."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    with temporary() as folder:
        result = topdown(*REPORT, "-o", "file", cwd=folder, preexec_fn=limit)
        check_failure(
            result, "-o beyond the file limit", "-o file", "File too large", "`ulimit -f unlimited`"
        )
        check(
            not list(folder.iterdir()), "beyond the file limit: no half of a report", list(folder.iterdir())
        )
        with open(folder / "out", "w", encoding="utf-8") as out:
            result = topdown(*REPORT, stdout=out, preexec_fn=limit)
        check_failure(result, "a report beyond the file limit", "File too large")


report = topdown(*REPORT)
check_success(report, "report")
check_standard_output()
check_output_option(report.stdout)
check_suffixes()
check_packed()
check_input(report.stdout)
check_lost_output()
check_closed_streams(report.stdout)
check_file_limit()
finish()
