#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""help.py - topdown help, COMMAND --help and version: short, within 80 columns, with examples that work;
pages, and the pager."""
import os
import re
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    COUNTS,
    NO_PMU,
    PATIENCE,
    SOURCE,
    TOPDOWN,
    check,
    check_all,
    check_failure,
    check_success,
    environment,
    finish,
    temporary,
    topdown,
)
from lib.terminal import SEQUENCE, run_on

NAMES = {"plan", "doctor", "report", "metrics", "explain", "list", "import", "help", "version"}


def printed(*words):
    result = topdown(*words)
    check_success(result, f"{words}")
    wide = [line for line in result.stdout.splitlines() if len(line) > 80]
    check(not wide, f"{words}: 80 columns", wide)
    return result.stdout


def listed():
    block = re.search(r"^commands:\n(.*?)\n\n", printed("help"), re.M | re.S)[1]
    return [line.split()[0] for line in block.splitlines()]


def check_overview():
    overview = printed("help")
    check(NAMES <= set(listed()), "the overview lists the commands", listed())
    check(len(overview.splitlines()) <= 60, "the overview is short", len(overview.splitlines()))
    check(overview == printed("--help") == printed("-h"), "--help is the same")
    rows = r"^  (?:-\w, |    )--([a-z][a-z-]+)"
    every = re.findall(rows, printed("help", "options", "--every"), re.M)
    used = re.findall(rows, printed("help", "options"), re.M)
    short = re.findall(rows, overview, re.M)
    check(len(every) > 60 and len(used) == 25 and len(short) < 16, "three lists", (every, used, short))
    check(set(short) < set(used) < set(every), "each is a part of the next", (short, used))
    laboratory = {"counters", "form", "interval-plan", "mux-interval", "nmi-watchdog"}
    check(laboratory < set(every) - set(used), "what few need is in the last alone", used)
    check(printed("version") == printed("--version"), "version")


def check_commands():
    for name in listed():
        own = printed(name, "--help")
        check(own == printed(name, "-h"), f"{name} -h is the same")
        check(
            own.startswith(f"usage:\n  topdown {name}") and own.count("\n  topdown ") >= 2,
            f"{name}: usage and an example",
            own,
        )
        others = [
            other for other in NAMES - {name, "help"} if f"\n  topdown {other} " in own.split("examples:")[0]
        ]
        check(not others, f"{name}: nothing of other commands", others)
    check("--lines" not in printed("plan", "--help"), "plan: nothing of a measurement")


def check_wrong():
    check(printed("help", "measure") == printed("help", "options"), "measure is what options are about")
    measure = topdown("measure", "--help")
    check(
        measure.returncode == 127 and "`topdown help options`" in measure.stderr,
        "measure --help",
        measure.stderr,
    )
    for words, part in (
        (["help", "plam"], "Did you mean plan"),
        (["help", "DRAM_Bound"], "topdown explain"),
        (["help", "plan", "list"], "one page"),
        (["help", "sesion"], "Did you mean session"),
        (["help", "--format", "markdown"], "which page"),
        (["help", "--format", "html", "plan"], "one of text or markdown"),
        (["version", "2"], "takes no arguments"),
        (["help", "--level", "2"], "has no use for it"),
    ):
        check_failure(topdown(*words), " ".join(words), part)


def check_pages():
    """Each page of docs/man by each of its names; the overview has those that are no command's."""
    overview, commands = printed("help"), set(listed())
    for path in (SOURCE / "docs/man").glob("topdown*.md"):
        name, section = path.stem.rsplit(".", 1)
        topic = name.removeprefix("topdown-")
        own = topdown("help", path.stem)
        check_success(own, f"help {path.stem}")
        check(
            own.stdout.startswith(f"{name}({section})\n\nNAME\n    {name} - "),
            f"help {path.stem} begins with its name",
            own.stdout[:80],
        )
        check(
            own.stdout == topdown("help", name).stdout == topdown("help", topic).stdout,
            f"help {name}, help {topic}: the same page",
        )
        check(
            topic in commands or re.search(rf"Other pages.*\b{topic}\b", overview, re.S),
            f"the overview names {topic}",
        )
        usage = re.search(r"^SYNOPSIS\n(.*?)\n\n", own.stdout, re.M | re.S)
        written = re.search(r"^## SYNOPSIS\n\n(.*?)\n\n", path.read_text(encoding="utf-8"), re.M | re.S)
        check(
            not written or usage[1].split() == written[1].split(),
            f"help {path.stem}: lines of an example stand together",
            usage and usage[1],
        )
        ascii_only = topdown("help", name, env=environment(LC_ALL="C")).stdout
        check(ascii_only.isascii(), f"help {name} without UTF-8")
        check(
            re.findall(r"\\[xu]\w+", ascii_only) == re.findall(r"\\[xu]\w+", own.stdout),
            f"help {name} without UTF-8: a sign that has no other",
            re.findall(r".*\\[xu].*", ascii_only)[:3],
        )


def check_pager():
    """A page goes through PAGER on a terminal only. What the pager wrote is marked."""
    page = printed("help", "version")
    status, seen = run_on(80, "help", "version", PAGER="sed s/^/P:/")
    check(
        status == 0 and len(seen.splitlines()) == len(page.splitlines()), "through the pager", (status, seen)
    )
    check_all(seen.splitlines(), lambda line: line.startswith("P:"), "each line is the pager's")
    check(
        "\x1b[1m" in seen and SEQUENCE.sub("", seen).replace("P:", "") == page,
        "bold words, and nothing else that differs",
        seen,
    )
    for changes, what in (
        ({"PAGER": "cat"}, "cat"),
        ({"PAGER": ""}, "an empty PAGER"),
        ({"PAGER": "sed s/^/P:/", "TERM": "dumb"}, "a dumb terminal"),
    ):
        status, seen = run_on(80, "help", "version", **changes)
        check(status == 0 and SEQUENCE.sub("", seen) == page, f"{what}: no pager", (status, seen))
    piped = topdown("help", "version", env=environment(PAGER="sed s/^/P:/")).stdout
    check(piped == page, "a pipe: no pager", piped)
    status, seen = run_on(80, "help", "topdown", PAGER="head -n 3")
    check(
        status == 0 and len(seen.splitlines()) == 3, "a reader who leaves early is no failure", (status, seen)
    )
    status, seen = run_on(80, "help", "version", PAGER="printenv LESS; true")
    check(status == 0 and seen.strip() == "FRX", "less gets its usual options", seen)
    status, seen = run_on(80, "help", "version", PAGER="printenv LESS; true", LESS="S")
    check(seen.strip() == "S", "its own options stay", seen)
    plain = run_on(80, "help", "version", NO_COLOR="1")[1]
    check(plain == page, "NO_COLOR: no sequences", plain)
    check(
        printed("help") == SEQUENCE.sub("", run_on(80, "help", PAGER="sed s/^/P:/")[1]),
        "the overview is no page",
    )


def check_older_spellings():
    """They are taken as what stands for them, and help lists none of them."""
    words = ("plan", "-l3", "--cpu", "clx", "--format", "json")

    def planned(*more):
        return topdown(*words, *more).stdout

    check(planned("--multiplex") == planned("--max-runs", "1"), "--multiplex is --max-runs 1")
    check(planned("--multiplex", "--max-runs", "3") == planned("--max-runs", "3"), "the last one counts")
    everywhere = printed("help", "options", "--every") + printed("roofline", "--help")
    listed_there = set(re.findall(r"^  (?:-\w, |    )(--[a-z-]+)", everywhere, re.M))
    check(
        {"--max-runs", "--anchor", "--per-function"} <= listed_there
        and not listed_there & {"--multiplex", "--no-anchor"}
        and "--functions" not in printed("roofline", "--help"),
        "help lists one of two",
        listed_there,
    )
    for line, part in (
        (["roofline", "--functions"], "roofline --per-function: that applies to a program"),
        (["plan", "--no-anchor"], "--anchor is for a measurement"),
        (["--multplex", "true"], "did you mean --multiplex"),
        (["plan", "--functions"], "--functions is for a measurement"),
    ):
        check_failure(topdown(*line), " ".join(line), part)


def check_programs():
    """A program that is called like a command can be measured behind --."""
    with temporary() as folder:
        for name in ("help", "version", "diff", "compare"):
            (folder / name).write_text("#!/bin/sh\n", encoding="utf-8")
            (folder / name).chmod(0o755)
        env = environment(PATH=f"{folder}:{os.environ['PATH']}")
        for name in ("help", "version", "diff", "compare"):
            result = topdown("--sysroot", NO_PMU, "--", name, COUNTS, env=env)
            check_failure(result, f"-- {name}", "PMU")


def check_examples():
    """They run; a measurement gets as far as a machine without a PMU lets it."""
    with temporary() as folder:
        (folder / "prog").write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / "prog").chmod(0o755)
        (folder / "run.json").write_bytes(COUNTS.read_bytes())
        (folder / "bin").mkdir()
        (folder / "bin/topdown").symlink_to(TOPDOWN)
        env = environment(PATH=f"{folder}/bin:{os.environ['PATH']}")
        for name in ("options", *listed()):
            help_words = ("help", name, "--every") if name == "options" else (name, "--help")
            for line in re.findall(r"^  (topdown .*)", printed(*help_words).split("examples:\n")[-1], re.M):
                line = line.replace("-p 1234", f"-p {os.getpid()}")
                if (
                    "pmu-events" in line
                    or "OUT" in line
                    or "doctor" in line
                    or name in ("gate", "roofline", "verify")
                ):
                    continue  # files of others; what this machine can do; tests of their own measure
                if "./prog" in line and name not in ("sample", "compare", "latency"):  # which need no PMU
                    line = (
                        line.replace("topdown", f"topdown --sysroot {NO_PMU}", 1)
                        if "metrics" not in line
                        else f"{line} --sysroot"
                    )
                result = subprocess.run(
                    ["sh", "-c", line],
                    cwd=folder,
                    env=env,
                    capture_output=True,
                    text=True,
                    encoding="utf-8",
                    check=False,
                    timeout=PATIENCE,
                )
                wrong = re.search(r"option|no command|which program|no use|needs a value", result.stderr)
                check(
                    not wrong and result.returncode in (0, 125),
                    f"{name}: {line}",
                    (result.returncode, result.stderr),
                )


check_overview()
check_commands()
check_wrong()
check_pages()
check_pager()
check_older_spellings()
check_programs()
check_examples()
finish()
