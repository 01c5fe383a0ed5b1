#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""callgrind.py - `topdown export --to callgrind`: each line is one of the grammar in Valgrind's manual, and
callgrind_annotate of Valgrind prints the costs that the test gave each function, its own and with what it
calls."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(f"{sys.path[0]}/..")
from lib import check, finish
from lib.made_up import chosen, deep, hostile, write

NUMBER = r"(?:0x[0-9a-fA-F]+|\d+)"
HEAD = re.compile(
    r"version: 1|creator: .*|cmd: .*|positions: line|event: [A-Za-z]\w* : .*|events:(?: [A-Za-z]\w*)+|#"
    r" callgrind format"
)
BODY = re.compile(
    rf"(?:ob|fl|fn|cob|cfi|cfn)=\(\d+\)(?: .+)?|{NUMBER}(?: {NUMBER})*|calls={NUMBER} {NUMBER}|totals:(?:"
    rf" {NUMBER})+|"
)
PRINTED = re.compile(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+(?:([\d,.]+) \(\s*[\d.]+%\)\s+)?(.*)")


def check_grammar(text):
    lines = text.decode("utf-8").split("\n")
    check(lines[0] == "# callgrind format", "the first line", lines[0])
    body = next((number for number, line in enumerate(lines) if line.startswith("events:")), 0) + 1
    wrong = [line for line in lines[:body] if not HEAD.fullmatch(line)] + [
        line for line in lines[body:] if not BODY.fullmatch(line)
    ]
    check(not wrong, "each line is one of the grammar", wrong[:3])
    for number, line in enumerate(lines):
        if line.startswith("calls="):
            check(
                re.fullmatch(rf"\d+(?: {NUMBER})*", lines[number + 1]),
                "a call is followed by its cost",
                lines[number + 1],
            )
    return lines[:body], lines[body:]


def read(text):
    """Own costs by function (name, object), and what the calls to it cost, both lists by event. Names by
    their numbers."""
    _, body = check_grammar(text)
    names, current = collections.defaultdict(dict), {}
    own, called = {}, {}
    is_call = False
    for line in body:
        position = re.fullmatch(r"(c?)(ob|fl|fi|fn)=\((\d+)\)(?: (.*))?", line)
        if position:
            space = "fl" if position[2] == "fi" else position[2]
            if position[4] is not None:
                check(position[3] not in names[space], "a number is defined once", line)
                names[space][position[3]] = position[4]
            current[position[1] + space] = names[space][position[3]]
        elif line.startswith("calls="):
            is_call = True
        elif re.match(r"\d", line):
            costs = [int(word) for word in line.split()[1:]]
            sums, prefix = (called, "c") if is_call else (own, "")
            key = current[prefix + "fn"], (
                current[prefix + "ob"] if prefix + "ob" in current else current["ob"]
            )
            sums[key] = [a + b for a, b in zip(sums.get(key, [0] * len(costs)), costs)]
            if is_call:  # what stands before a call is for that call
                current = {space: name for space, name in current.items() if space in ("ob", "fl", "fn")}
            is_call = False
    return own, called


def check_sums(made, text):
    own, called = read(text)
    for weighing in range(len(made.weighings)):
        found = collections.Counter({key: costs[weighing] for key, costs in own.items()})
        check(+found == made.own(weighing), f"weighing {weighing}: own", +found - made.own(weighing))
        found = collections.Counter({key: costs[weighing] for key, costs in called.items()})
        check(+found == made.totals(weighing), f"weighing {weighing}: totals")
    totals = text.decode().rsplit("totals:", 1)[1].split()
    check(
        [int(word) for word in totals] == [made.total(i) for i in range(len(made.weighings))],
        "totals",
        totals,
    )


def annotated(path, *options):
    """{function as it is printed: cost}, by callgrind_annotate"""
    done = subprocess.run(
        ["callgrind_annotate", "--threshold=100", "--show-percs=yes", "--auto=no", *options, path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        cwd="/",
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    check(done.returncode == 0 and not done.stderr, "callgrind_annotate", done.stderr)
    costs = collections.Counter()
    for line in done.stdout.split("file:function", 1)[-1].splitlines():
        match = PRINTED.fullmatch(line)
        if match:
            costs[re.sub(r" \[[^\[]*\]$", "", match[3])] += int(match[1].replace(",", ""))
    return costs


def check_viewer(made, text):
    """Functions by file and name, as callgrind_annotate knows them."""
    files = {
        made.function(place, i)[0]: made.places[place][2][i].file
        for place in range(len(made.places))
        for i in range(len(made.places[place][2]))
    }

    def shown(function):
        return f"{files.get(function[0], '???')}:{function[0]}"

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "callgrind.out.1")
        path.write_bytes(text)
        for number, event in enumerate(("cycles", "DRAM_Bound", "time")):
            costs = annotated(path, f"--show={event}", f"--sort={event}:100")
            check(
                costs == made.own(number, shown),
                f"callgrind_annotate: {event}",
                (costs - made.own(number, shown), made.own(number, shown) - costs),
            )
            costs = annotated(path, f"--show={event}", f"--sort={event}:100", "--inclusive=yes")
            costs.pop("???:[all]", None)
            wanted = inclusive(made, number, shown)
            check(
                costs == wanted,
                f"callgrind_annotate --inclusive=yes: {event}",
                (costs - wanted, wanted - costs),
            )


def inclusive(made, weighing, shown):
    """Functions of one name in several modules are one to callgrind_annotate, which adds them up."""
    sums = collections.Counter()
    for function, weight in made.totals(weighing).items():
        sums[shown(function)] += weight
    return sums


def main():
    for seed in range(5):
        made = chosen(seed)
        text = write(made, "callgrind")
        check_sums(made, text)
    if shutil.which("callgrind_annotate"):
        check_viewer(made, text)
    odd = hostile()
    own, _ = read(write(odd, "callgrind"))
    check(sum(costs[0] for costs in own.values()) == odd.total(0), "hostile names: sum")
    _, called = read(write(deep(1000), "callgrind"))
    check(len(called) == 1000 and {costs[0] for costs in called.values()} == {5}, "1,000 frames")
    finish()


main()
