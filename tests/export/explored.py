#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""explored.py - what a page explores, beside sums that are made here from the same rows: functions, calls and
lines with their parts of the base and of every node; what is too narrow is merged and loses nothing; names
stay text."""
import collections
import random
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, finish
from lib.explored import View, block
from lib.made_up import chosen, deep, hostile, write

NARROW = 0.05  # percent of the base
NODES = (("Backend_Bound", 2**32 - 1), ("DRAM_Bound", 0))  # title, and the node above it
SLOTS = 37.5  # percent of the slots
NEAR = 0.002


def with_nodes(seed):
    """The second weighing is DRAM_Bound's; the node above it is not located."""
    made = chosen(seed)
    made.nodes = [(NODES[0][0], 2**32 - 1, NODES[0][1], 60), (NODES[1][0], 1, NODES[1][1], SLOTS)]
    return made


def parts(made, row):
    """(percent of the base, percent points of DRAM_Bound)"""
    return (100 * row.weights[0] / made.total(0), SLOTS * row.weights[1] / made.total(1))


def near(name, found, wanted):
    """Of dictionaries of pairs."""
    wrong = [
        (key, found.get(key), wanted.get(key))
        for key in found.keys() | wanted.keys()
        if any(abs(a - b) > NEAR for a, b in zip(found.get(key, (0, 0)), wanted.get(key, (0, 0))))
    ]
    check(not wrong and wanted, name, wrong[:3])


def summed(pairs):
    sums = collections.defaultdict(lambda: [0, 0])
    for key, values in pairs:
        for i, value in enumerate(values):
            sums[key][i] += value
    return dict(sums)


def values_of(values):
    """The base, and DRAM_Bound, which stands behind what is above it."""
    return values[0], values[2]


def check_functions(seed, made, view):
    wanted = summed((made.stack(row)[-1], parts(made, row)) for row in made.rows)
    found = {(one.name, one.module): values_of(one.values) for one in view.functions if one.values}
    near(f"seed {seed}: functions", found, {key: pair for key, pair in wanted.items() if max(pair) > 0})
    for one in view.functions:
        check(
            not one.values or abs(one.values[1] - one.values[2]) < NEAR,
            f"seed {seed}: what is above is what is in it",
            one,
        )


def check_lines(seed, made, view):
    def line(row):
        frames = made.places[row.places[0]][2]
        return frames and frames[0].line and (made.stack(row)[-1][0], frames[0].file, frames[0].line)

    wanted = summed((line(row), parts(made, row)) for row in made.rows if line(row))
    found = summed(((one.function.name, one.file, one.line), values_of(one.values)) for one in view.lines)
    near(f"seed {seed}: lines", found, {key: pair for key, pair in wanted.items() if max(pair) > 0})


def check_calls(seed, made, view):
    """Each that is wide enough has its callers and its total; together they have all of it."""
    totals = collections.Counter()
    for row in made.rows:
        stack = made.stack(row)
        for depth in range(len(stack)):
            totals[tuple(stack[: depth + 1])] += 100 * row.weights[0] / made.total(0)
    wide = {path: (total, 0) for path, total in totals.items() if total >= NARROW}
    found = summed((path, (call.total[0], 0)) for path, call in view.paths() if None not in path)
    near(f"seed {seed}: calls", found, wide)
    whole = values_of(view.calls[0].total)
    check(abs(whole[0] - 100) < 0.01 and abs(whole[1] - SLOTS) < 0.01, f"seed {seed}: all of it", whole)


def check_moments(seed):
    """Each row is divided among some of 40 moments, as the test draws."""
    made, draw = with_nodes(seed), random.Random(seed)
    made.rows = [row._replace(weights=[w and w + 100 for w in row.weights]) for row in made.rows]
    shares = {}
    for i in range(len(made.rows)):
        numbers = draw.sample(range(30, 40) if i % 5 == 0 else range(30), 5)
        weights = [draw.randrange(1, 9) for _ in numbers]
        made.moments += [(i, number, weight) for number, weight in zip(numbers, weights)]
        shares[i] = {number: weight / sum(weights) for number, weight in zip(numbers, weights)}
    view = View(block(write(made, "explored"), "topdown-view"))
    time = view.data["time"]
    check(
        time["from"] == [i / 2 for i in range(40)] and time["to"][-1] == 20,
        "40 moments of 0.5 s",
        time["from"],
    )
    wanted = summed(
        ((number, made.stack(row)[-1]), [share * part for part in parts(made, row)])
        for i, row in enumerate(made.rows)
        for number, share in shares[i].items()
    )
    found = summed(
        ((number, (one.name, one.module)), (own[0], 0))
        for (number, one), own in view.moments()
        if one and own[0]
    )
    near(
        f"seed {seed}: functions of each moment",
        {key: own for key, own in found.items() if own[0]},
        {key: (own[0], 0) for key, own in wanted.items() if own[0]},
    )
    near(
        f"seed {seed}: all of each moment",
        summed((number, values_of(own)) for (number, _), own in view.moments()),
        summed((number, own) for (number, _), own in wanted.items()),
    )


def check_phases():
    """A function alone for 12 moments, then another one."""
    made = with_nodes(0)
    made.rows = [made.rows[0]._replace(places=[place], weights=[60, 60, 60]) for place in (3, 17)]
    made.moments = [(i // 12, i, 5) for i in range(24)]
    time = View(block(write(made, "explored"), "topdown-view")).data["time"]
    check(time["phases"] == [0, 12], "two phases", time["phases"])


def check_hostile():
    data = write(hostile(), "explored")
    text = block(data, "topdown-view")
    check(b"<" not in data.split(b">", 1)[1].rsplit(b"</script>", 1)[0], "nothing in the block is markup")
    view = View(text)
    names = "".join(one.name + one.module for one in view.functions)
    check("</title><script>alert(1)</script>" in names, "a name that is markup is text")
    check(not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08]", names), "no character turns the direction")


def main():
    for seed in range(3):
        made = with_nodes(seed)
        view = View(block(write(made, "explored"), "topdown-view"))
        check([node["title"] for node in view.nodes] == [title for title, _ in NODES], "the nodes")
        check([node["is_located"] for node in view.nodes] == [False, True], "one of them is located")
        check_functions(seed, made, view)
        check_lines(seed, made, view)
        check_calls(seed, made, view)
        check_moments(seed)
    check_phases()
    check_hostile()
    view = View(block(write(deep(200), "explored"), "topdown-view"))
    check(len(view.calls) == 201, "200 calls", len(view.calls))
    finish()


main()
