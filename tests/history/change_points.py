#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The changes that topdown finds are those of divisive.py, which was written from the papers alone: within
one index, in 200 made series (steps, ramps, outliers, noise), with segments of any length, as Otava has them,
and of 3 at least. For the series that Otava publishes as its example (tests/tigerbeetle_test.py @1ceb153)
Otava's own results are compared too. In noise there is at most one change in 1,000 points. Environment:
TOPDOWN_BUILD."""
import os
import pathlib
import random
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib.divisive import beta_by_steps, best_split, changes, in_window, q_hat, test

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = pathlib.Path(os.environ["TOPDOWN_BUILD"]) / "tests" / "history_changes"

# What Otava finds in its example with windows of 30 points (its test's expectations).
PUBLISHED = {
    0.01: [15, 26, 61, 71, 95, 117, 131, 142, 148, 165, 169, 192, 212, 260],
    0.001: [15, 61, 71, 95, 117, 131, 142, 148, 192, 212, 260],
    0.0001: [71, 95, 117, 131, 142, 148, 192, 212],
    0.00001: [71, 95, 131, 192, 212],
}


def found(lists, window=50, most_p=0.001, segment=1):
    """For each series the program's [(index, p)]."""
    text = "".join(" ".join(f"{value:.17g}" for value in values) + "\n" for values in lists)
    result = subprocess.run(
        [PROGRAM, str(window), str(most_p), str(segment)],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [[float(word) for word in line.split()] for line in result.stdout.splitlines()]
    return [[(int(row[i]), row[i + 1]) for i in range(0, len(row), 2)] for row in rows]


def series(draw, kind):
    """40 to 160 points around 100, with 1 % of noise."""
    count, noise = draw.randrange(40, 161), draw.choice([0.2, 1.0, 3.0])
    values, level = [], 100.0
    steps = {draw.randrange(5, count - 5): draw.uniform(-12, 12) for _ in range(draw.randrange(1, 5))}
    slope = draw.uniform(-0.3, 0.3) if kind == "ramp" else 0
    for i in range(count):
        level += steps.get(i, 0) if kind in ("steps", "both") else 0
        level += slope if count // 3 < i < 2 * count // 3 else 0
        value = level + draw.gauss(0, noise)
        if kind in ("outliers", "both") and draw.random() < 0.04:
            value += draw.choice([-1, 1]) * draw.uniform(5, 40)
        values.append(value)
    return values


def is_near(ours, theirs):
    """Each has one of the other within one index."""
    return len(ours) == len(theirs) and all(abs(a - b) <= 1 for a, b in zip(ours, theirs))


def check(name, ours, theirs, complaints):
    if not is_near(ours, theirs):
        complaints.append(f"{name}: {ours}, expected {theirs}")


def check_oracle(complaints):
    """divisive.py itself: its growing sums against the definition, its integral against known points of
    Student's t."""
    values = [1, 4, 2, 8, 7, 9, 1]
    best = max(
        ((q_hat(values[:tau], values[tau:kappa]), -tau) for tau in range(1, 7) for kappa in range(tau + 1, 8))
    )
    split = best_split(values)
    if abs(split[0] - best[0]) > 1e-12 or split[1] != -best[1]:
        complaints.append(f"divisive.py: split {split}, by definition {best}")
    # Two-sided points of Student's t, as tables print them (NIST handbook, 1.3.6.7.2).
    for degrees, t, p in ((1, 12.706, 0.05), (5, 2.571, 0.05), (10, 4.587, 0.001), (30, 2.750, 0.01)):
        if abs(beta_by_steps(t, degrees) - p) > p * 2e-3:
            complaints.append(f"divisive.py: P(|t{degrees}| > {t}) is {beta_by_steps(t, degrees)}, not {p}")


def check_published(complaints):
    values = [float(word) for word in (HERE / "tigerbeetle.txt").read_text().split()]
    for most_p, expected in PUBLISHED.items():
        ours = [index for index, _ in found([values], 30, most_p)[0]]
        if ours != expected:
            complaints.append(f"Otava's example at p {most_p}: {ours}, Otava has {expected}")


def check_made(complaints):
    draw = random.Random(17)
    made = [series(draw, kind) for kind in ("steps", "ramp", "outliers", "noise", "both") for _ in range(40)]
    for segment in (1, 3):
        ours = found(made, segment=segment)
        for n, (values, points) in enumerate(zip(made, ours)):
            check(
                f"series {n}, segments of {segment}",
                [index for index, _ in points],
                changes(values, segment=segment),
                complaints,
            )
    check_chances(made, complaints)


def check_chances(made, complaints):
    """The p of a change that no weak one stood beside: the t-test's of both sides."""
    short = [values[:4] + [value + 30 for value in values[4:10]] for values in made]
    short = [values for values in short if in_window(values, 0.01) == [4]]
    for values, points in zip(short, found(short)):
        want = test(values[:4], values[4:])
        if want < 0.001 and not (points and points[0][0] == 4 and abs(points[0][1] - want) <= 1e-9 * want):
            complaints.append(f"{values}: {points}, expected p {want}")
    if len(short) < 50:
        complaints.append(f"only {len(short)} series have one change")


def check_noise(complaints):
    draw = random.Random(4)
    count = sum(
        len(points)
        for points in found([[draw.gauss(100, 1) for _ in range(1000)] for _ in range(400)], segment=3)
    )
    if count > 400:
        complaints.append(f"{count} changes in 400,000 points of noise")


def check_edges(complaints):
    expected = {
        "": [],
        "5": [],
        "1 2": [],
        "3 3 3 3 3 3 3 3": [],
        "1 1 1 1 2 2 2 2": [4],
        "0 0 0 0 5 5 5 5": [4],
        "1 1 1 1 9 1 1 1 1": [],
        "1 1 1 1 1 1 2 2": [],
    }
    ours = found([[float(word) for word in text.split()] for text in expected], segment=3)
    for (text, points), have in zip(expected.items(), ours):
        if [index for index, _ in have] != points:
            complaints.append(f"'{text}': {have}, expected {points}")


def main():
    complaints = []
    check_oracle(complaints)
    check_published(complaints)
    check_made(complaints)
    check_noise(complaints)
    check_edges(complaints)
    print("\n".join(complaints[:20]) or "the program's changes are those of the definition")
    return int(bool(complaints))


if __name__ == "__main__":
    sys.exit(main())
