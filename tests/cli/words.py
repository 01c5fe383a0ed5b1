#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""words.py - options and words, in every order in which people type them."""
import json
import os
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    COUNTS,
    NO_PMU,
    SOURCE,
    TOPDOWN,
    check,
    check_failure,
    check_success,
    environment,
    finish,
    read_json,
    temporary,
    topdown,
)

# words, and what the one line on stderr has to name
WRONG = [
    ([], "which program"),
    (["-l3"], "which program"),
    (["--duration", "1"], "-a counts all CPUs"),
    (["--no-such-option"], "--no-such-option"),
    (["--levle", "3"], "--level"),
    (["report", "--fromat", "json", COUNTS], "--format"),
    (["-x"], "-x"),
    (["-l"], "-l"),
    (["report", COUNTS, "--format"], "--format"),
    (["plan", "-l", "0"], "1 to 9"),
    (["plan", "-l10"], "1 to 9"),
    (["plan", "-l", "two"], "two"),
    (["plan", "-l", ""], "level"),
    (["plan", "--format", "yaml", "--cpu", "clx"], "yaml"),
    (["plan", "--color", "sometimes", "--cpu", "clx"], "sometimes"),
    (["plan", "--cpu", "cascadelake"], "cascadelakex"),
    (["plan", "--cpu", "clx", "./prog"], "./prog"),
    (["plan", "--cpu", "clx", "--db", "/nonexistent"], "/nonexistent"),
    (["plan", "--cpu", "clx", "-e", "NO_SUCH.EVENT"], "NO_SUCH.EVENT"),
    (
        ["plan", "--cpu", "clx", "-e", "cpu/event=0xc2,umask=1,umask=3/"],
        "-e cpu/event=0xc2,umask=1,umask=3/: 'umask' is given twice",
    ),
    (
        ["plan", "--cpu", "clx", "-e", "cpu/event=0xc2,umask=1,config=5/"],
        "-e cpu/event=0xc2,umask=1,config=5/: config=0x5 has bits",
    ),
    (["plan", "--cpu", "clx", "-e", "cpu/event=0xc2,name=a,name=b/"], "'name' is given twice"),
    (["plan", "--sysroot", "/nonexistent"], "/nonexistent"),
    (["report"], "which file"),
    (["view", COUNTS, COUNTS], "one at a time"),
    (["report", "--cpu", "spr", COUNTS], "cascadelakex"),
    (["explain", "--cpu", "clx"], "which node"),
    (["list"], "cpus|cores|events|metrics|nodes|groups"),
    (["list", "nodes", "dram", "bound", "--cpu", "clx"], "[PATTERN]"),
    (["list", "evnets", "--cpu", "clx"], "Did you mean events"),
    (["list", "xyz"], "one of cpus, cores, events, metrics, nodes, groups"),
    (["list", "nodes", "--cpu", "clx", "l3_bnd"], "L3_Bound"),
    (["list", "events", "--cpu", "clx", "NO_SUCH*"], "none of the"),
    (["list", "nodes", "--cpu", "cxl"], "CLX"),
    (["explain", "--cpu", "clx", "dram_bond"], "DRAM_Bound"),
]

# words that mean the same
SAME = [
    (
        ["report", "-l2", "-v", COUNTS],
        ["report", COUNTS, "-v", "-l2"],
        ["report", "-vl2", COUNTS],
        ["report", "--level=2", "--verbose", "--", COUNTS],
        ["report", "--lev", "2", "--verb", COUNTS],
    ),
    (
        ["plan", "--cpu", "clx"],
        ["plan", "--cpu=cascadelakex", "-l1"],
        ["plan", "-l", "1", "--cpu", "CLX"],
        ["plan", "--cpu", "CascadeLakeX", "--"],
    ),
    (["report", COUNTS, "--cpu", "clx"], ["report", COUNTS]),
    (
        ["explain", "--cpu", "clx", "tma_dram_bound"],
        ["explain", "--cpu", "clx", "dram_bound"],
        ["explain", "Backend_Bound.Memory_Bound.DRAM_Bound", "--cpu", "clx"],
        ["explain", "L3_Miss_Bound", "--cpu", "clx"],
    ),
    (
        ["explain", "--cpu", "spr", "tma_l3_miss_bound"],
        ["explain", "--cpu", "spr", "DRAM_Bound"],
        ["explain", "--cpu", "spr", "Backend_Bound.Memory_Bound.DRAM_Bound"],
    ),
    (
        ["list", "nodes", "--cpu", "clx"],
        ["list", "--cpu", "CLX", "Nodes"],
        ["list", "-v", "nodes", "--cpu=cascadelakex", "--"],
    ),
]


def check_rows():
    for words, part in WRONG:
        check_failure(topdown(*words), " ".join(map(str, words)) or "no words", part)
    for first, *others in SAME:
        expected = topdown(*first)
        check_success(expected, f"{first}")
        for words in others:
            check(topdown(*words).stdout == expected.stdout, f"{words} is the same as {first}")


def check_program_words():
    """From the program on, nothing is an option of topdown's, and no word is a command."""
    elsewhere = ["--sysroot", NO_PMU]
    for words in (
        ["true", "--no-such-option"],
        ["-l1", "true", "-l", "99"],
        ["--", "true", "-l"],
        ["true", "--", "--help"],
        ["true", "--help"],
    ):
        check_failure(topdown(*elsewhere, *words), f"{words}", "PMU")
    for words in (["--", "plan"], ["-l2", "report"], ["--", "-v"]):
        result = topdown(*elsewhere, *words)
        check(
            result.returncode == 127 and words[-1] in result.stderr,
            f"{words} is a program",
            (result.returncode, result.stderr),
        )
    for words, named in (
        (["paln", "-l3"], "the command plan"),
        (["-l2", "report"], "the command report"),
        (["xyzzy"], "./xyzzy"),
        (["./paln"], "No such file"),
    ):
        result = topdown(*elsewhere, *words)
        check(
            result.returncode == 127 and named in result.stderr,
            f"{words}: {named}",
            (result.returncode, result.stderr),
        )


def check_program_hints():
    """Quotes around a program with its arguments, and directories, are named."""
    with temporary() as folder:
        (folder / "v1").write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / "v1").chmod(0o755)
        (folder / "sub").mkdir()
        (folder / "lists").mkdir()
        for words, status, named in (
            (["./v1 6"], 127, "quotes make this one word"),
            (["true --x"], 127, "quotes make this one word"),
            (["v1 6"], 127, "without them it is ./v1 and its arguments"),
            (["./v2 6"], 127, "No such file"),
            (["xyzzy 6"], 127, "no such program"),
            (["."], 127, "is a directory"),
            (["sub"], 127, "is a directory"),
            (["lists"], 127, "is a directory"),
            (["./sub"], 126, "is a directory"),
        ):
            result = topdown("--sysroot", NO_PMU, *words, cwd=folder)
            check(
                result.returncode == status
                and named in result.stderr
                and len(result.stderr.splitlines()) == 1,
                f"{words}: {named}",
                (result.returncode, result.stderr),
            )
        (folder / "v1 6").write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / "v1 6").chmod(0o755)
        check_failure(
            topdown("--sysroot", NO_PMU, "./v1 6", cwd=folder), "a program with a blank in its name", "PMU"
        )


def check_places():
    with temporary() as folder:
        expected = topdown("report", COUNTS).stdout
        check(topdown("report", COUNTS, cwd="/").stdout == expected, "an absolute file, from /")
        (folder / "-odd name").write_text(COUNTS.read_text(encoding="utf-8"), encoding="utf-8")
        check(
            topdown("report", "--", "-odd name", cwd=folder).stdout == expected,
            "a file that looks like an option",
        )
        check(topdown("report", "./-odd name", cwd=folder).stdout == expected, "a relative file")
        check(
            topdown("report", COUNTS, program=os.path.relpath(TOPDOWN, folder), cwd=folder).stdout
            == expected,
            "a relative topdown",
        )
        (folder / "link").symlink_to(TOPDOWN)
        check(topdown("report", COUNTS, program=folder / "link").stdout == expected, "topdown through a link")


def check_databases():
    """--db, then $TOPDOWN_DB, then the user's; each may have one CPU only, and the others still come from
    what follows."""

    def plan(*words, **env):
        return topdown("plan", "--format", "json", "--cpu", "clx", *words, env=environment(**env))

    with temporary() as folder:
        (folder / "topdown/events").mkdir(parents=True)
        events = read_json(SOURCE / "events/cascadelakex.json")
        events["Header"]["GeneralCounters"] = events["Header"]["GeneralCountersSMTOff"] = "1"
        (folder / "topdown/events/cascadelakex.json").write_text(json.dumps(events), encoding="utf-8")
        ours, usual = plan("--db", folder / "topdown"), plan()
        check_success(ours, "--db")
        check(ours.stdout != usual.stdout, "--db: its data is used")
        check(plan(TOPDOWN_DB=str(folder / "topdown")).stdout == ours.stdout, "$TOPDOWN_DB")
        check(plan(XDG_DATA_HOME=str(folder)).stdout == ours.stdout, "$XDG_DATA_HOME/topdown")
        check(
            plan("--db", SOURCE, TOPDOWN_DB=str(folder / "topdown")).stdout == usual.stdout,
            "--db comes before $TOPDOWN_DB",
        )


check_rows()
check_program_words()
check_program_hints()
check_places()
check_databases()
finish()
