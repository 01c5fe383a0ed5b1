#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""foreign.py - options and commands of toplev, perf, topdown-tool and AMDuProfPcm: topdown's word for
each."""
import os
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import COUNTS, NO_PMU, SOURCE, check, check_failure, environment, finish, temporary, topdown

# what people type, and the word of ours that has to be in the answer; what is behind them must not be run
OPTIONS = [
    (["--no-multiplex"], "default"),
    (["--all"], "-l9 --metrics"),
    (["--import", "x.csv"], "topdown report"),
    (["--import=x.csv"], "topdown report"),
    (["--force-cpu", "clx"], "--cpu"),
    (["--force-cpu=clx"], "--cpu"),
    (["--force-cpuinfo", "x"], "--sysroot"),
    (["--core", "S0-C1"], "-C"),
    (["--run-sample"], "topdown sample"),
    (["--show-sample"], "topdown sample"),
    (["--single-thread"], "SMT"),
    (["-S"], "SMT"),
    (["--no-desc"], "topdown explain"),
    (["--desc"], "topdown explain"),
    (["--print"], "topdown plan"),
    (["--graph"], "--format csv"),
    (["--xlsx", "x.xlsx"], "--format csv"),
    (["--gen-script"], "--format perf"),
    (["--script-record"], "--format perf"),
    (["--perf-output", "x"], "--save"),
    (["--raw"], "--save"),
    (["--no-util"], "above the tree"),
    (["--metric-group", "+Summary"], "--groups"),
    (["--list-metrics"], "topdown list metrics"),
    (["--list-nodes"], "topdown list nodes"),
    (["--list-metric-groups"], "topdown list groups"),
    (["--list-all"], "topdown list nodes"),
    (["--describe"], "topdown explain"),
    (["--split-output"], "part"),
    (["--columns"], "part"),
    (["--reserved-counters", "1"], "--counters"),
    (["--cputype", "core"], "--cpu adl:core"),
    (["--power"], "--metrics"),
    (["--sw"], "-e"),
    (["--no-uncore"], "--nodes"),
    (["--iostat"], "--metrics"),
    (["--smi-cost"], "--metrics"),
    (["--interval-clear"], "--live"),
    (["--table"], "--format json"),
    (["--summary"], "-I"),
    (["--subset", "10:20"], "topdown report"),
    (["-N"], "--groups"),
    (["-m"], "--metrics"),
    (["-M", "TopdownL1"], "--groups"),
    (["-d"], "--metrics Common"),
    (["--no-big-num"], "--format"),
    (["-x,"], "--format csv"),
    (["-x", ","], "--format csv"),
    (["-j"], "--format json"),
    (["--json-output"], "--format json"),
    (["--field-separator", ";"], "--format csv"),
    (["--topdown"], "level 1"),
    (["--td-level", "2"], "-l"),
    (["-G", "x"], "--cgroup"),
    (["-t", "1"], "--tid"),
    (["-i"], "processes"),
    (["--append"], "-o"),
    (["--call-graph", "fp"], "-g HOW"),
    (["-n", "x"], "--nodes"),
    (["--stages", "1"], "-l1"),
    (["--csv", "x"], "--format csv"),
    (["--host"], "virtual"),
    (["--guest"], "virtual"),
    (["--quiet"], "-o FILE"),
    (["-q"], "-o FILE"),
    (["--no-group"], "--max-runs"),
    (["--perf"], "--format perf"),
    (["--no-aggr"], "-A"),
    (["--tune", "x"], "--db"),
    (["--no-csv-header"], "columns"),
    (["--no-mux"], "default"),
    (["--node-metrics"], "--groups"),
    (["--tsx"], "-e"),
    (["--all-user"], "-u"),
    (["--all-kernel"], "-k"),
    (["--null"], "perf stat --null"),
    (["--metric-no-group"], "--per-node"),
    (["--no-scale"], "--save"),
    (["--for-each-cgroup", "x"], "--cgroup"),
    (["--print-group"], "topdown plan"),
    (["--sample-repeat", "3"], "topdown sample"),
    (["--collect-by", "metric"], "--per-node"),
    (["--list-cpus"], "topdown list cpus"),
    (["--max-events", "4"], "--counters"),
]
COMMANDS = ("diff", "record", "stat", "annotate", "top", "script")


def check_options():
    for words, ours in OPTIONS:
        result = topdown(*words, "./prog")
        check_failure(result, f"{words}", ours)
        check(
            result.stderr.startswith("topdown: " + words[0].split("=")[0].removesuffix(",")),
            f"{words}: is named",
            result.stderr,
        )
        check("did you mean" not in result.stderr, f"{words}: no guess", result.stderr)
    check_failure(topdown("plan", "--cpu", "clx", "--no-multiplex"), "of a command too", "default")
    check_failure(topdown("--xyzzy"), "an option of nobody", "unknown option '--xyzzy'")


def read_table():
    """The rows of the table: name, letter, what is recommended, what topdown lacks."""
    text = (SOURCE / "analyzer/command/foreign.c").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\t\{ (?:\"([a-z0-9-]+)\"|NULL), (?:'(.)'|0), [^\n]*?, "
        r"(?:\"([a-z-]+)\"|NOTHING), (?:\"(--[a-z-]+)\"|NOTHING),$",
        text,
        re.M,
    )
    written = text.split("} options[] = {")[1].split("\n};")[0].count("\n\t{ ")
    check(len(rows) == written > 130, "each row has both fields", (len(rows), written))
    return rows


def read_options(commands):
    """The options of all commands, by the table that the program has; each with its letter."""
    pages = [
        topdown("help", "options", "--every").stdout,
        *(topdown(word, "--help").stdout for word in commands),
    ]
    rows = re.findall(r"^  (?:(-\w), |    )(--[a-z-]+)", "\n".join(pages), re.M)
    return {option: letter for letter, option in rows}


def named(answer, options, commands):
    """The options and commands of ours that an answer names, and what it names beyond them."""
    answer = re.sub(r"`perf stat [^`]*`|`tail [^`]*`", "", answer)
    words = re.findall(r"(?<![\w-])--[a-z][a-z-]+", answer)
    letters = re.findall(r"(?<![\w-])-[A-Za-z](?![A-Za-z-])", answer)
    found = {option for option, letter in options.items() if option in words or letter in letters}
    found |= set(re.findall(r"`topdown ([a-z]+)", answer))
    strangers = {word for word in words if word not in options}
    strangers |= {letter for letter in letters if letter not in options.values()}
    return found, strangers | {word for word in found if word[0] != "-" and word not in commands}


def check_answers():
    """Each row is reached and names only what there is: what its field recommends, or nothing where
    that says so. What topdown lacks is no option. Who denies something says what is lacking."""
    commands = re.findall(
        r"^  (\w+)  ", topdown("help").stdout.split("commands:")[1].split("options of")[0], re.M
    )
    options = read_options(commands)
    check(len(options) > 90 and len(commands) > 15, "the options are read", (len(options), commands))
    for name, letter, recommended, lacked in read_table():
        for word in ([f"--{name}"] if name else []) + ([f"-{letter}"] if letter else []):
            answer = topdown(word, "./prog").stderr
            check(answer.startswith(f"topdown: {word} is "), f"{word}: a row of its own", answer)
            check(word not in options, f"{word}: no option of ours")
            answer = answer.split(":", 2)[2]
            found, strangers = named(answer, options, commands)
            check(not strangers, f"{word}: what the answer names is there", (strangers, answer))
            check(
                recommended in found if recommended else not found,
                f"{word}: recommends {recommended or 'nothing'}",
                answer,
            )
            check(lacked not in options, f"{word}: topdown has {lacked}")
            denied = re.search(r"\b(is|are) not (counted|measured|distinguished|used)\b", answer)
            check(lacked or not denied, f"{word}: denies something, and has to say what is lacking", answer)


# Options of others whose subject topdown counts: what the answer recommends works.
PROOFS = {
    "--power": (["list", "metrics", "*power*", "--cpu", "spr"], "Info_System_Power"),
    "--sw": (["plan", "--cpu", "spr", "-e", "context-switches,page-faults"], "level 1"),
    "--no-uncore": (["plan", "--cpu", "spr", "-a", "-l1"], "Uncore, for the whole machine"),
    "--iostat": (["list", "metrics", "*io_bandwidth*", "--cpu", "spr"], "IO_Bandwidth_Read"),
    "--smi-cost": (["plan", "--cpu", "spr", "-a", "--metrics", "smi_*"], "msr/smi/"),
    "--tsx": (["plan", "--cpu", "spr", "--metrics", "tsx_*"], "TSX_Aborted_Cycles"),
    "--no-merge": (["plan", "--cpu", "spr", "-a", "-e", "uncore_cha_0/event=1/"], "uncore_cha_0/event=0x1/"),
}


def check_proofs():
    for option, (words, expected) in PROOFS.items():
        result = topdown(*words)
        check(result.returncode == 0 and expected in result.stdout, f"{option}: {words}", result.stdout[:400])
    result = topdown("plan", "--cpu", "spr", "-a", "-l2", "--nodes", "Retiring,Frontend_Bound")
    check("Uncore, for the whole" not in result.stdout, "--nodes takes no uncore PMU", result.stdout)


def check_commands():
    """A session or counts behind such a word were meant for topdown; anything else is a program's."""
    with temporary() as folder:
        text = COUNTS.read_text(encoding="utf-8")
        for name in ("a.json", "b.json"):
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "plain.json").write_text("{}", encoding="utf-8")
        (folder / "bin").mkdir()
        for name in COMMANDS:
            (folder / "bin" / name).write_text("#!/bin/sh\ntouch ran\n", encoding="utf-8")
            (folder / "bin" / name).chmod(0o755)
        env = environment(PATH=f"{folder}/bin:{os.environ['PATH']}")
        for name in COMMANDS:
            for words in (
                [name, "a.json", "b.json"],
                [name, "-u", "plain.json", "b.json"],
                ["-l2", name, "a.json"],
            ):
                result = topdown("--sysroot", NO_PMU, *words, cwd=folder, env=env)
                check_failure(result, f"{words}", f"topdown has no command {name}", "`topdown ", "after --")
            for words in (
                ["--", name, "a.json", "b.json"],
                [name],
                [name, "plain.json"],
                [name, "no-such-file"],
                [f"bin/{name}", "a.json"],
                ["-o", "--", "--", name, "a.json"],
            ):
                check_failure(
                    topdown("--sysroot", NO_PMU, *words, cwd=folder, env=env), f"{words}: a program", "PMU"
                )
        check_failure(
            topdown("-o", "--", "diff", "a.json", cwd=folder, env=env), "-- as a value", "no command"
        )
        check(not (folder / "ran").exists(), "nothing was run")
        check_failure(
            topdown("./a.json", cwd=folder), "a file of counts as the program", "topdown report ./a.json"
        )
        for name in ("record", "annotate"):
            result = topdown(
                "--sysroot", NO_PMU, name, "./prog", env=environment(PATH="/nonexistent"), cwd=folder
            )
            check(
                result.returncode == 127
                and "topdown has no command of that name" in result.stderr
                and "`topdown " in result.stderr,
                f"{name}, which is no program",
                (result.returncode, result.stderr),
            )


check_options()
check_answers()
check_proofs()
check_commands()
finish()
