#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""folded.py - `topdown export --to folded`: read by the rule of flamegraph.pl, each function has what the
test gave it."""
import collections
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, check_all, finish
from lib.made_up import chosen, deep, hostile, write

LINE = re.compile(r"(.*) (\d+)")


def read(text):
    """[(functions from the outermost to the innermost, weight)]"""
    stacks = []
    for line in text.decode("utf-8").split("\n")[:-1]:
        match = LINE.fullmatch(line)
        check(match, "a line is a stack and a number", line)
        if match:
            stacks.append((match[1].split(";"), int(match[2])))
    return stacks


def shown(function):
    return function[0].replace(";", ":")


def check_sums(made, weighing, text):
    own, total = collections.Counter(), collections.Counter()
    stacks = read(text)
    for names, weight in stacks:
        own[names[-1]] += weight
        for name in set(names):
            total[name] += weight
    check(own == made.own(weighing, shown), f"weighing {weighing}: own", own - made.own(weighing, shown))
    check(
        total == made.totals(weighing, shown),
        f"weighing {weighing}: totals",
        total - made.totals(weighing, shown),
    )
    check(len({(*names,) for names, _ in stacks}) >= 0.9 * len(stacks), "equal stacks are one line")


def check_roots():
    made = chosen(3)
    for by, name in (
        ("thread", lambda task: f"{task[2]} (tid {task[1]})"),
        ("process", lambda task: f"{task[3].split('/')[-1]} (pid {task[0]})"),
    ):
        sums, wanted = collections.Counter(), collections.Counter()
        for names, weight in read(write(made, "folded", 0, by)):
            sums[names[0]] += weight
        for row in made.rows:
            wanted[name(made.tasks[row.task])] += row.weights[0]
        check(sums == wanted, f"--by {by}", (sums, wanted))


def check_fractions():
    made = chosen(4)
    for row in made.rows:
        row.weights[0] += 0.3
    lines = read(write(made, "folded", 0))
    check(
        sum(weight for _, weight in lines) == round(made.total(0)),
        "parts of units are not lost",
        sum(weight for _, weight in lines),
    )


def main():
    for seed in range(5):
        made = chosen(seed)
        for weighing in range(3):
            check_sums(made, weighing, write(made, "folded", weighing))
    check_roots()
    check_fractions()
    odd = hostile()
    stacks = read(write(odd, "folded"))
    check(sum(weight for _, weight in stacks) == odd.total(0), "hostile names: sum")
    check_all(stacks, lambda names, _: len(names) == 2, "hostile names: no name is two")
    check([len(names) for names, _ in read(write(deep(1000), "folded"))] == [1000], "1,000 frames")
    check(write(made, "folded") == write(made, "folded"), "the same again")
    finish()


main()
