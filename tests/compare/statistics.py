#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""statistics.py - the statistics of comparisons beside scipy's, 1000 random cases each: exact p and quantiles
to 1e-9, the bootstrap's intervals within the error of its random numbers. scipy is Debian's, so the system's
own python3 computes with it."""
import json
import os
import pathlib
import random
import subprocess
import sys

FIGURES = pathlib.Path(os.environ.get("TOPDOWN_BUILD", "build")) / "tests/compare_figures"
CASES = 1000  # of each kind
BIAS = 0.002  # of the ends of all intervals; of one its error is 0.004
ORACLE = r"""
import itertools, json, sys
import numpy, scipy.stats as stats

OURS, RESAMPLES, ERRORS = 1999, 4999, 4.5

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

def ratio(x, y, axis):
    return numpy.median(y, axis=axis) / numpy.median(x, axis=axis)

def interval(before, after, is_paired, ends):
    # the ratio, and of each end: its two neighbours within the error of as many random numbers; where it is in the distribution
    a, b = numpy.array(before), numpy.array(after)
    made = stats.bootstrap((a, b), ratio, paired=is_paired, n_resamples=RESAMPLES, method='percentile', vectorized=True,
                           random_state=1).bootstrap_distribution
    answer = [ratio(a, b, 0)]
    for share, end in zip((0.025, 0.975), ends):
        error = ERRORS * (share * (1 - share) * (1 / OURS + 1 / RESAMPLES)) ** 0.5
        room = 1e-12 * abs(end)
        answer += numpy.quantile(made, [share - error, share + error]).tolist()
        answer.append((numpy.mean(made < end - room) + numpy.mean(made <= end + room)) / 2)
    return answer

answers = []
for what, before, after, found in json.load(sys.stdin):
    if what == 'mann_whitney':
        answers.append([mann_whitney(before, after)])
    elif what == 'signed_rank':
        answers.append([signed_rank(before, after)])
    elif what == 'quantile':
        answers.append([float(numpy.quantile(after, before[0])), float(numpy.median(after))])
    elif what == 'holm':
        answers.append(holm(after))
    else:
        answers.append([float(x) for x in interval(before, after, what == 'paired', found[1:])])
json.dump([[float(x) for x in row] for row in answers], sys.stdout)
"""  # noqa: E501


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
    return [
        (
            float(chance.randrange(1, 7))
            if has_ties
            else round(chance.lognormvariate(0, 0.1) * 1e6) + chance.random()
        )
        for _ in range(count)
    ]


def make_cases(chance):
    cases = []
    for number in range(CASES):
        ties = number % 2 == 1
        most = 6 if ties else 25  # ties are enumerated by the oracle
        cases.append(
            (
                "mann_whitney",
                series(chance, chance.randint(1, most), ties),
                series(chance, chance.randint(1, most), ties),
            )
        )
        count = chance.randint(1, 10 if ties else 25)
        cases.append(("signed_rank", series(chance, count, ties), series(chance, count, ties)))
        cases.append(("quantile", [chance.random()], series(chance, chance.randint(1, 60), ties)))
        cases.append(("holm", [], [chance.random() ** 4 for _ in range(chance.randint(1, 12))]))
    for number in range(CASES):
        count, is_paired, ties = chance.randint(2, 25), number % 2 == 0, number % 10 == 9
        other = count if is_paired else chance.randint(2, 25)
        cases.append(
            ("paired" if is_paired else "apart", series(chance, count, ties), series(chance, other, ties))
        )
    return cases


def is_within(end, low, high):
    return low - 1e-9 * abs(low) <= end <= high + 1e-9 * abs(high)


def is_right(what, found, expected):
    if what in ("paired", "apart"):
        value, low, low_most, _, high, high_most, _ = expected
        return (
            abs(found[0] - value) <= 1e-9
            and is_within(found[1], low, low_most)
            and is_within(found[2], high, high_most)
        )
    return len(found) == len(expected) and all(
        abs(a - b) <= 1e-9 * max(1, abs(b)) for a, b in zip(found, expected)
    )


def are_unbiased(cases, theirs):
    """A single interval has a wide error; on average its ends are where they belong. Few values make few
    different medians."""
    rows = [
        answer
        for (what, before, after), answer in zip(cases, theirs)
        if what in ("paired", "apart") and len({*before}) > 9 and len({*after}) > 9
    ]
    means = [sum(row[place] for row in rows) / len(rows) for place in (3, 6)]
    print(
        f"ends of {len(rows)} intervals are at {means[0]:.4f} and {means[1]:.4f} of scipy's distribution,"
        " expected 0.025 and 0.975"
    )
    return all(abs(mean - share) < BIAS for mean, share in zip(means, (0.025, 0.975)))


def main():
    python = python_with_scipy()
    cases = make_cases(random.Random(17))
    lines = [f"{what} {len(a)} {len(b)} " + " ".join(repr(x) for x in a + b) for what, a, b in cases]
    ours = [
        [float(x) for x in line.split()]
        for line in subprocess.run(
            [str(FIGURES)], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True
        ).stdout.splitlines()
    ]
    asked = json.dumps([(*case, found) for case, found in zip(cases, ours)])
    theirs = json.loads(
        subprocess.run([python, "-c", ORACLE], input=asked, capture_output=True, text=True, check=True).stdout
    )
    wrong = 0
    if not len(ours) == len(theirs) == len(cases):
        sys.exit(f"{len(cases)} cases, {len(ours)} answers, {len(theirs)} of scipy's")
    for (what, before, after), found, expected in zip(cases, ours, theirs):
        if not is_right(what, found, expected):
            wrong += 1
            if wrong < 10:
                print(f"{what} {before} {after}: {found}, scipy has {expected}")
    print(f"{len(cases)} cases, {wrong} wrong")
    sys.exit(wrong > 0 or not are_unbiased(cases, theirs))


main()
