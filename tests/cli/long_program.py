#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""long_program.py - a long program is sampled unasked, behind instructions that are all modelled. Exit status
77 without Valgrind."""
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, check, finish, need_simulator, simulate, temporary, topdown

HEAD = 200e6  # instructions that are modelled in full (docs/SIMULATOR.md)
ROUNDS = 20000000
ROUND = 11  # instructions of a round: eight additions, and the loop's own


def check_long(folder):
    """Sampled, with all of its instructions counted, and its cycles known; once more with lines, whose parts
    are those of the whole."""
    words = (BUILD / "kernels/adds", str(ROUNDS))
    report = simulate("--functions", "--nodes", "Retiring", *words)
    summary, again = report["summary"], simulate("-l3", *words)["summary"]
    sampling = summary["sampling"]
    check(
        ROUND * ROUNDS < summary["instructions"] < ROUND * ROUNDS + 1e6,
        "all instructions are counted",
        summary,
    )
    check(abs(sampling["whole_instructions"] - HEAD) < 1e3, "the first ones are all modelled", sampling)
    share = (sampling["modelled"] * summary["instructions"] - sampling["whole_instructions"]) / (
        summary["instructions"] - sampling["whole_instructions"]
    )
    check(0.01 < share < 0.03, "and a 50th of the rest, less what windows warm up", share)
    low, high = summary["cycles"] - sampling["cycles_ci95"], summary["cycles"] + sampling["cycles_ci95"]
    check(
        low <= again["cycles"] <= high
        and summary["cycles"] == again["cycles"]
        and sampling == again["sampling"],
        "the same each time",
        again,
    )
    # Four ALUs take eight additions in two cycles, and the loop's own three instructions fit beside them.
    check(2 * ROUNDS < summary["cycles"] < 3 * ROUNDS, "two to three cycles a round", summary["cycles"])
    check(0 < sampling["cycles_ci95"] < 0.02 * summary["cycles"], "with a narrow interval", sampling)
    profile = report["profile"]
    rows, first = profile["functions"], profile["functions"][0]
    check(first["name"] == "main" and first["self"] > 99 and first["base"] > 99, "in the loop", first)
    check(
        abs(sum(row["self"] for row in rows) - 100) < 0.01 and profile["nowhere_percent"] < 0.01,
        "functions of both parts are all of it",
        profile["nowhere_percent"],
    )
    text = re.sub(
        r"\s+",
        " ",
        topdown("--pmu", "sim", "--no-last", "--no-anchor", BUILD / "kernels/adds", "1000").stderr,
    )
    check("sampled:" not in text, "a short one is not", text)


def main():
    need_simulator()
    with temporary() as folder:
        check_long(folder)
    finish()


main()
