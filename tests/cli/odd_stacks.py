# SPDX-License-Identifier: GPL-2.0-or-later
"""odd_stacks.py - sampled by time, with names, through the whole program: recursion, tail calls, inlined
calls, handlers of signals, processes, threads, and samples that are lost. Expectations are what
tests/stacks/odd.c does."""
import json
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, finish, read_json, skip, temporary, topdown, until_enough

SECONDS = 0.5
ENOUGH = 300  # samples
PERIOD = 250000  # ns
MOST = 0.85  # of the samples: the rest is the start, and reading the clock
DEPTH, THREADS = 1000, 300
ODD = SOURCE / "tests/stacks/odd.c"


def line_with(text):
    """The number of the line of odd.c that has the text."""
    return next(i for i, line in enumerate(ODD.read_text(encoding="utf-8").splitlines(), 1) if text in line)


class Sampled:
    def __init__(self, program, what, *options, period=PERIOD, seconds=SECONDS):
        self.what, self.session = what, program.parent / "session.json"
        self.run = topdown(
            "sample",
            "-u",  # what the kernel takes for processes and threads is the host's
            "-c",
            period,
            "--no-last",
            "--format",
            "json",
            "--save",
            self.session,
            *options,
            program,
            what,
            seconds,
        )
        check(self.run.returncode == 0, f"{what}: exit status", self.run.stderr[:500])
        self.profile = read_json(self.session)["profile"]
        folded = topdown("export", "--to", "folded", self.session).stdout.splitlines()
        self.chains = [(line.rpartition(" ")[0].split(";"), int(line.rpartition(" ")[2])) for line in folded]

    def share(self, pattern):
        """Of the chains, root first as "main/fall/work", that have a part like it."""
        all_of_them = sum(weight for _, weight in self.chains)
        return sum(
            weight for chain, weight in self.chains if re.search(f"(^|/){pattern}(/|$)", "/".join(chain))
        ) / max(1, all_of_them)

    def expect(self, pattern, least=MOST, most=1.0):
        share = self.share(pattern)
        check(
            least <= share <= most,
            f"{self.what}: share of {pattern}",
            (share, sorted(self.chains, key=lambda row: -row[1])[:2]),
        )


def sampled(program, what):
    """As long as it takes until there are enough samples."""
    return until_enough(
        lambda seconds: Sampled(program, what, seconds=seconds),
        lambda found: found.profile["events"][0]["samples"] >= ENOUGH,
        SECONDS,
    )


def check_recursion(program):
    """All of a thousand frames; a sample counts once for the function, however often it is in the stack."""
    found = sampled(program, "recursion")
    found.expect(f"main/recursion(/fall){{{DEPTH}}}/work")
    fall = next(row for row in json.loads(found.run.stderr)["profile"]["functions"] if row["name"] == "fall")
    check(100 * MOST < fall["total"] <= 100, "recursion: the total of fall()", fall)


def check_calls(program):
    found = sampled(program, "tails")
    found.expect("main(/tails)?/tail_last/work")  # whoever called by a jump is gone
    found.expect("tail_(first|middle)", 0, 0.02)
    found = sampled(program, "handler")
    found.expect("main/(handler/)?handle/interrupted/raise/.*on_signal/work")
    found = sampled(program, "apart")
    cut = sum(
        samples
        for samples, is_cut in zip(
            found.profile["rows"]["samples"], found.profile["rows"].get("truncated", []), strict=False
        )
        if is_cut
    )
    found.expect(".*on_signal/work")
    check(
        cut > MOST * found.profile["events"][0]["samples"]
        or found.share("main/.*interrupted/.*on_signal/work") > MOST,
        "a handler with a stack of its own: whole, or called truncated",
        (cut, found.chains[:2]),
    )


def check_inlined(program):
    """The line of each inlined call under its caller."""
    found = sampled(program, "inlined")
    found.expect("inlined/around/in_between/innermost")
    frames, texts, first, lines = found.profile["frames"], found.profile["texts"], 0, {}
    hot = (line_with("/* hot */"), line_with("/* hot */") - 1)
    for count in found.profile["places"]["frames"]:
        chain = [
            (texts[frames["function"][i]], frames["line"][i])
            for i in range(first, first + count)
            if frames["function"][i] >= 0
        ]
        if len(chain) == 3:
            lines[chain[0][1] in hot, tuple(chain[1:])] = chain
        first += count
    callers = ("in_between", line_with("/* called */")), ("around", line_with("/* called from outside */"))
    check((True, callers) in lines, "inlined: lines", lines)


def check_tasks(program):
    found = sampled(program, "fork")
    for function in ("in_child", "in_parent"):
        found.expect(f"main/forks/.*{function}/work", 0.3, 0.7)
    check(
        len({task["pid"] for task in found.profile["tasks"]}) == 2,
        "fork: two processes",
        found.profile["tasks"],
    )
    found = sampled(program, "exec")
    found.expect("main/execs/.*in_parent/work", 0.3, 0.7)
    found.expect("main(/tails)?/tail_last/work", 0.3, 0.7)  # its start is slower than a fork's
    # Without stacks all samples fit into the buffer; ten of each thread, and more where the clock is late.
    found = until_enough(
        lambda seconds: Sampled(
            program, "threads", "--by", "thread", "-g", "none", period=100000, seconds=seconds
        ),
        lambda found: len(threads_of(found)) > 0.9 * THREADS,
    )
    found.expect("work", 0.5)
    threads = threads_of(found)
    check(
        0.9 * THREADS < len(threads) <= THREADS
        and len({task["pid"] for task in found.profile["tasks"]}) == 1,
        "threads",
        len(threads),
    )


def threads_of(found):
    return [task for task in found.profile["tasks"] if task["tid"] != task["pid"]]


def check_lost(program):
    """Nobody reads while the buffer fills: what came, and what is lost by its account, is all there was."""
    period, seconds = 50000, [0]

    def measure(for_seconds):
        seconds[0] = for_seconds
        return Sampled(program, "deaf", "-g", "dwarf", period=period, seconds=for_seconds)

    found = until_enough(measure, lambda found: found.profile["events"][0]["lost"])
    event = found.profile["events"][0]
    check(event["lost"] > 0, "deaf: lost samples", event)
    check(0 < event["samples"] + event["lost"] < 2 * seconds[0] * 1e9 / period, "deaf: all samples", event)
    check("were lost" in topdown("report", found.session).stdout, "deaf: lost samples are a remark")


with temporary() as where:
    PROGRAM = where / "odd"
    if not shutil.which("gcc") or topdown("sample", "-g", "none", "true").returncode:
        skip("there is no gcc, or nothing can be sampled here")
    subprocess.run(["gcc", "-O2", "-g", "-fomit-frame-pointer", "-pthread", "-o", PROGRAM, ODD], check=True)
    check_recursion(PROGRAM)
    check_calls(PROGRAM)
    check_inlined(PROGRAM)
    check_tasks(PROGRAM)
    check_lost(PROGRAM)
finish()
