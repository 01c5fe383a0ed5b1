#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""statistics.py - the statistics of comparisons beside scipy's, 1000 random cases each: exact p and quantiles to 1e-9, the bootstrap's
intervals within the error of its random numbers. scipy is Debian's, so the system's own python3 computes with it."""
import json
import os
import pathlib
import random
import subprocess
import sys

FIGURES = pathlib.Path(os.environ.get("TOPDOWN_BUILD", "build")) / "tests/compare_figures"
CASES = 1000
ORACLE = r"""
import itertools, json, sys
import numpy, scipy.stats as stats

def doubled(distribution, seen):
    # twice the smaller tail
    below, above = numpy.mean(distribution <= seen + 1e-9), numpy.mean(distribution >= seen - 1e-9)
    return min(1, 2 * min(below, above))

def mann_whitney(before, after):
    ranks = stats.rankdata(before + after)
    if len(set(before + after)) == len(ranks):
        return stats.mannwhitneyu(before, after, method='exact').pvalue
    sums = numpy.array([sum(ranks[list(c)]) for c in itertools.combinations(range(len(ranks)), len(before))])
    return doubled(sums, sum(ranks[:len(before)]))

def signed_rank(before, after):
    differences = numpy.array([b - a for a, b in zip(before, after) if a != b])
    if not len(differences):
        return 1.0
    ranks = stats.rankdata(abs(differences))
    if len(set(ranks)) == len(ranks) and len(differences) == len(before):
        return stats.wilcoxon(differences, mode='exact').pvalue
    sums = numpy.array([numpy.dot(signs, ranks) for signs in itertools.product((0, 1), repeat=len(ranks))])
    return doubled(sums, numpy.dot(differences > 0, ranks))

def holm(p):
    order, adjusted, most = numpy.argsort(p), [0] * len(p), 0
    for place, number in enumerate(order):
        most = max(most, min(1, p[number] * (len(p) - place)))
        adjusted[number] = most
    return adjusted

def interval(before, after, is_paired):
    a, b = numpy.array(before), numpy.array(after)
    result = stats.bootstrap((a, b), lambda x, y, axis: numpy.median(y, axis=axis) / numpy.median(x, axis=axis), paired=is_paired,
                             n_resamples=1999, method='percentile', vectorized=True, random_state=1)
    ci = result.confidence_interval
    # what other random numbers make of the ends: the standard deviation of these quantiles, over eight draws
    ends = [stats.bootstrap((a, b), lambda x, y, axis: numpy.median(y, axis=axis) / numpy.median(x, axis=axis), paired=is_paired,
                            n_resamples=1999, method='percentile', vectorized=True, random_state=k).confidence_interval for k in range(2, 8)]
    return [numpy.median(b) / numpy.median(a), min(e.low for e in ends), max(e.low for e in ends), min(e.high for e in ends),
            max(e.high for e in ends)]

answers = []
for what, before, after in json.load(sys.stdin):
    if what == 'mann_whitney':
        answers.append([mann_whitney(before, after)])
    elif what == 'signed_rank':
        answers.append([signed_rank(before, after)])
    elif what == 'quantile':
        answers.append([float(numpy.quantile(after, before[0])), float(numpy.median(after))])
    elif what == 'holm':
        answers.append(holm(after))
    else:
        answers.append([float(x) for x in interval(before, after, what == 'paired')])
json.dump([[float(x) for x in row] for row in answers], sys.stdout)
"""


def python_with_scipy():
    for python in ("/usr/bin/python3", sys.executable):
        try:
            subprocess.run([python, "-c", "import scipy.stats"], check=True, capture_output=True)
            return python
        except (OSError, subprocess.CalledProcessError):
            continue
    print("skipped: no python3 has scipy (Debian: python3-scipy)")
    sys.exit(77)


def series(chance, count, has_ties):
    return [float(chance.randrange(1, 7)) if has_ties else round(chance.lognormvariate(0, 0.1) * 1e6) + chance.random() for _ in range(count)]


def make_cases(chance):
    cases = []
    for number in range(CASES):
        ties = number % 2 == 1
        most = 6 if ties else 25  # ties are enumerated by the oracle
        cases.append(("mann_whitney", series(chance, chance.randint(1, most), ties), series(chance, chance.randint(1, most), ties)))
        count = chance.randint(1, 10 if ties else 25)
        cases.append(("signed_rank", series(chance, count, ties), series(chance, count, ties)))
        cases.append(("quantile", [chance.random()], series(chance, chance.randint(1, 60), ties)))
        cases.append(("holm", [], [chance.random() ** 4 for _ in range(chance.randint(1, 12))]))
    for number in range(60):  # each of which is a bootstrap several times over
        count = chance.randint(5, 20)
        cases.append(("paired" if number % 2 else "apart", series(chance, count, False), series(chance, count, False)))
    return cases


def is_right(what, found, expected):
    if what in ("paired", "apart"):
        value, low, low_most, high, high_most = expected
        room = 0.15 * (high - low_most) + 1e-6  # beyond what six other seeds gave
        return abs(found[0] - value) <= 1e-9 and low - room <= found[1] <= low_most + room and high - room <= found[2] <= high_most + room
    return len(found) == len(expected) and all(abs(a - b) <= 1e-9 * max(1, abs(b)) for a, b in zip(found, expected))


def main():
    python = python_with_scipy()
    cases = make_cases(random.Random(17))
    lines = [f"{what} {len(a)} {len(b)} " + " ".join(repr(x) for x in a + b) for what, a, b in cases]
    ours = subprocess.run([str(FIGURES)], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout.splitlines()
    theirs = json.loads(subprocess.run([python, "-c", ORACLE], input=json.dumps(cases), capture_output=True, text=True, check=True).stdout)
    wrong = 0
    if not len(ours) == len(theirs) == len(cases):
        sys.exit(f"{len(cases)} cases, {len(ours)} answers, {len(theirs)} of scipy's")
    for (what, before, after), line, expected in zip(cases, ours, theirs):
        if not is_right(what, [float(x) for x in line.split()], expected):
            wrong += 1
            if wrong < 10:
                print(f"{what} {before} {after}: {line}, scipy has {expected}")
    print(f"{len(cases)} cases, {wrong} wrong")
    sys.exit(wrong > 0)


main()
