#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""calls.py - exact counts by call stack of a simulated program, beside the calls that it was asked to make.
Exit status 77 without Valgrind."""
import collections
import json
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from profiles import Profile
from lib import SOURCE, check, finish, need_simulator, read_json, temporary, topdown

HERE = SOURCE / "tests/simulated"


def simulate(folder, *words, program="calls"):
    result = topdown(
        "--pmu",
        "sim",
        "--sim-core",
        "skylake",
        "--no-anchor",
        "--lines",
        "--save",
        folder / "run.json",
        folder / program,
        *words,
    )
    check(
        result.returncode == 0 and result.stdout.endswith("1\n"),
        f"{words[0]}: exit status",
        (result.returncode, result.stderr[-300:]),
    )
    profile = Profile(read_json(folder / "run.json"))
    check_sums(profile, words[0])
    return profile


def check_sums(profile, what):
    """Nothing is lost and nothing is there twice: rows sum to the whole, slot by slot."""
    sums = collections.Counter()
    for row in profile.rows:
        sums.update(row["counts"])
    wrong = {
        event: (sums[event], value)
        for event, value in profile.whole.items()
        if (
            event.startswith("lost.")
            or event in ("slots.retired", "slots.heavy", "slots.memory", "slots.branch", "slots.fp")
        )
        and sums[event] != (value or 0)
    }
    check(not wrong, f"{what}: rows sum to the whole", wrong)


def expect(what, profile, ways):
    """How often slow() was called by each way, in calls from main itself, each of which retires as many
    slots."""
    slots = profile.slots("slow")
    unit = slots["main"]
    check(unit > 300, f"{what}: slow() by main", slots)
    found = {way: count / unit for way, count in slots.items()} if unit else {}
    check(found == {"main": 1, **ways}, f"{what}: calls of slow()", found)


def check_callers(folder):
    profile = simulate(folder, "callers")
    expect("two callers", profile, {"main callers thrice": 30, "main callers once": 10})
    # Each step of a chase misses all caches: 3000 and 1000 of them, with what the first ones of each wait
    # for.
    dram = profile.slots("chase", "lost.dram")
    ratio = dram["main callers thrice"] / dram["main callers once"]
    check(abs(ratio / 3 - 1) < 0.01 and len(dram) == 2, "lost to DRAM by two callers", dram)


def check_recursion(folder):
    expect("recursion", simulate(folder, "deep", "20"), {"main" + " deep" * 21: 1})
    profile = simulate(folder, "deep", "1000")
    expect("1,000 frames", profile, {"main" + " deep" * 1001: 1})
    check(not any(row["cut"] for row in profile.rows), "nothing of 1,000 frames is missing")
    profile = simulate(folder, "deep", "5000")
    cut = [row for row in profile.rows if row["cut"]]
    check(
        any(row["chain"][-1][0] == "slow" for row in cut)
        and max(len(row["chain"]) for row in profile.rows) < 2010,
        "5,000 are cut, which is said",
        max(len(row["chain"]) for row in profile.rows),
    )
    # 2^level calls in each level, below as many frames; main's own call stands apart.
    expect(
        "a tree of calls",
        simulate(folder, "tree", "8"),
        {"main" + " tree" * (level + 1): 2**level for level in range(9)},
    )


def check_exits(folder):
    expect("a tail call", simulate(folder, "tail", program="jumps"), {"main behind": 1})
    expect("the same as a call", simulate(folder, "tail"), {"main tail behind": 1})
    expect("longjmp", simulate(folder, "longjmp"), {"main catcher thrower": 1, "main catcher": 1})
    for word, function in (("signal", "handler"), ("siglongjmp", "leaver")):
        slots = simulate(folder, word).slots("slow")
        ways = {way: count / slots["main"] for way, count in slots.items() if function not in way.split()}
        handled = [
            way for way in slots if way.startswith("main interrupted ") and way.endswith(f" {function}")
        ]
        check(
            ways == {"main": 1, "main interrupted": 1}
            and len(handled) == 1
            and slots[handled[0]] == slots["main"],
            f"{word}: a handler's call stands above what it interrupts",
            slots,
        )
    slots = simulate(folder, "coroutines").slots("slow")
    ends = collections.Counter()
    for way, count in slots.items():
        ends[way.split()[-1]] += count / slots["main"]
    check(ends["other"] == 5 and slots["main coroutines"] == slots["main"], "coroutines", slots)


def check_threads(folder):
    profile = simulate(folder, "threads")
    each = collections.Counter()
    for row in profile.rows:
        if row["chain"][-1][0] == "slow":
            each[row["task"]["tid"]] += row["counts"]["slots.retired"]
    check(
        len(each) == 301 and len(set(each.values())) == 1,
        "300 threads and the first call slow() once each",
        (len(each), set(each.values())),
    )
    below = {way for way in profile.slots("slow") if way != "main"}
    check(len(below) == 1 and below.pop().endswith("thread"), "all by the same way", profile.slots("slow"))
    profile = simulate(folder, "fork")
    expect("fork", profile, {"main forks child": 1, "main forks": 1})
    pids = {row["task"]["pid"] for row in profile.rows if "child" in [name for name, _ in row["chain"]]}
    check(
        len(pids) == 1 and pids != {profile.rows[0]["task"]["pid"]}, "a child is a process of its own", pids
    )


def check_code(folder):
    profile = simulate(folder, "inline")
    line = next(
        i
        for i, text in enumerate((HERE / "calls.c").read_text(encoding="utf-8").split("\n"), 1)
        if "the line of the inlined call" in text
    )
    sites = {
        (row["chain"][-3][0], *row["chain"][-2])
        for row in profile.rows
        if row["chain"][-1][0] == "slow" and row["chain"][-2][0] != "main"
    }
    check(
        sites == {("around", "inlined", line)},
        "a call in an inlined function: its line, below the function around it",
        sites,
    )
    report = json.loads(
        topdown("report", "--lines", "--nodes", "Retiring", "--format", "json", folder / "run.json").stdout
    )
    found = {
        (row["inlined_into"], row["inlined_at_file"], row["inlined_at_line"])
        for row in report["profile"]["lines"]
        if row["function"] == "inlined"
    }
    check(found == {("around", str(HERE / "calls.c"), line + 6)}, "where it is inlined", found)
    expect(
        "a library that is unloaded",
        simulate(folder, "library", folder / "library.so"),
        {"main library from_library": 1, "main library": 1},
    )
    lazy = [
        row["chain"] for row in profile.rows if any(name.startswith("printf") for name, _ in row["chain"])
    ]
    check(
        lazy and not any("_dl_runtime" in name for chain in lazy for name, _ in chain),
        "the dynamic loader leaves no frames behind",
        lazy[:1],
    )


def check_sample(folder):
    """Without stacks, and from windows."""
    result = topdown(
        "--pmu",
        "sim",
        "--sim-core",
        "skylake",
        "--no-anchor",
        "--lines",
        "--sim-sample",
        "0.5",
        "--save",
        folder / "part.json",
        folder / "calls",
        "tree",
        "12",
    )
    check(result.returncode == 0, "a sample: exit status", result.stderr[-300:])
    profile = Profile(read_json(folder / "part.json"))
    below = {way for way in profile.slots("slow") if way != "main"}
    check(
        below <= {"main" + " tree" * (level + 1) for level in range(13)},
        "stacks are followed between windows too",
        sorted(below)[:3],
    )


need_simulator()
with temporary() as place:
    for program, option in (("calls", "-fno-optimize-sibling-calls"), ("jumps", "-foptimize-sibling-calls")):
        subprocess.run(
            ["cc", "-O2", "-g", option, HERE / "calls.c", "-o", place / program, "-lpthread", "-ldl"],
            check=True,
        )
    subprocess.run(
        ["cc", "-O1", "-g", "-shared", "-fPIC", HERE / "library.c", "-o", place / "library.so"], check=True
    )
    check_callers(place)
    check_recursion(place)
    check_exits(place)
    check_threads(place)
    check_code(place)
    check_sample(place)
finish()
