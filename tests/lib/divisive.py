#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Change points by E-divisive means, worked out from the definitions and with nothing of the program's:
Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis" (arXiv 1306.4933), with the
windows, the t-test and the weak points of Fleming et al., "Hunter" (arXiv 2301.03034), as docs/MATH.md of
Apache Otava describes them (commit 07bc7c0). Sums are taken as the definitions have them, one by one, so this
is slow. No package is needed."""
import itertools
import math


def beta_by_steps(t, degrees, steps=600):
    """P(|T| >= |t|) by Simpson's rule on Student's density, with t = sqrt(df) tan(angle): the integrand is
    cos(angle)^(df - 1)."""
    low, high = math.atan(abs(t) / math.sqrt(degrees)), math.pi / 2
    width = (high - low) / steps

    def density(angle):
        cosine = max(math.cos(angle), 0.0)
        return cosine ** (degrees - 1) if cosine > 0 or degrees > 1 else 1.0

    total = density(low) + density(high)
    total += sum((4 if i % 2 else 2) * density(low + i * width) for i in range(1, steps))
    constant = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    return min(1.0, 2 * constant * total * width / 3)


def mean(values):
    return math.fsum(values) / len(values)


def variance(values):
    middle = mean(values)
    return math.fsum((value - middle) ** 2 for value in values) / len(values)


def test(left, right):
    """Student's t-test with pooled variances, each by n; 1 where nothing differs."""
    degrees = len(left) + len(right) - 2
    if degrees <= 0:
        return 1.0
    pooled = ((len(left) - 1) * variance(left) + (len(right) - 1) * variance(right)) / degrees
    difference = mean(left) - mean(right)
    if pooled == 0:
        return 0.0 if difference else 1.0
    return beta_by_steps(difference / math.sqrt(pooled * (1 / len(left) + 1 / len(right))), degrees)


def q_hat(left, right):
    """tau (kappa - tau) / kappa times: twice the mean distance between, less the mean distances within."""
    between = sum(abs(a - b) for a in left for b in right)
    within = [
        sum(abs(side[i] - side[k]) for i in range(len(side)) for k in range(i)) for side in (left, right)
    ]
    m, n = len(left), len(right)
    value = 2 * between / (m * n)
    value -= within[0] / (m * (m - 1) / 2) if m > 1 else 0
    value -= within[1] / (n * (n - 1) / 2) if n > 1 else 0
    return value * m * n / (m + n)


def best_split(values):
    """(Q-hat, tau) of the best tau and kappa; of equals the first. The sums of q_hat, from sums over the
    values before each."""
    count = len(values)
    before = [
        list(itertools.accumulate((abs(new - old) for old in values[:k]), initial=0.0))
        for k, new in enumerate(values)
    ]
    best, within = (-math.inf, 0), 0.0
    for tau in range(1, count):
        within += before[tau - 1][tau - 1]
        inside = within / (tau * (tau - 1) / 2) if tau > 1 else 0
        between = behind = 0.0
        for k in range(tau, count):
            between += before[k][tau]
            behind += before[k][k] - before[k][tau]
            right = k + 1 - tau
            q = (
                2 * between / (tau * right)
                - inside
                - (behind / (right * (right - 1) / 2) if right > 1 else 0)
            )
            q *= tau * right / (tau + right)
            if q > best[0]:
                best = (q, tau)
    return best


def in_window(values, most_p):
    """Changes of a window: the best split of all its parts, as long as it is significant."""
    bounds, known = [0, len(values)], {}
    while True:
        parts = [part for part in zip(bounds, bounds[1:]) if part[1] - part[0] > 1]
        for part in parts:
            if part not in known:
                known[part] = best_split(values[part[0] : part[1]])
        if not parts:
            break
        low, high = max(parts, key=lambda part: known[part][0])
        at = low + known[low, high][1]
        if test(values[low:at], values[at:high]) > most_p:
            break
        bounds = sorted(bounds + [at])
    return bounds[1:-1]


def parts_beside(values, points, n):
    bounds = [0] + points + [len(values)]
    return values[bounds[n] : bounds[n + 1]], values[bounds[n + 1] : bounds[n + 2]]


def size(values, points, n):
    """The larger of the two relative changes, there and back."""
    before, after = map(mean, parts_beside(values, points, n))
    return max(abs(after / before - 1) if before else 0, abs(before / after - 1) if after else 0)


def next_to_drop(values, points, chances, most_p, segment):
    """The least significant; else that of those beside a short part; else one without any size; or None."""
    worst = max(range(len(points)), key=lambda n: chances[n])
    if chances[worst] >= most_p:
        return worst
    short = [n for n in range(len(points)) if min(map(len, parts_beside(values, points, n))) < segment]
    if short:
        return max(short, key=lambda n: chances[n])
    worst = min(range(len(points)), key=lambda n: size(values, points, n))
    return None if size(values, points, worst) > 0 else worst


def changes(values, window=50, most_p=0.001, segment=1):
    """The indexes of the first values behind each change."""
    weak = most_p * (10 if most_p < 0.05 else 2 if most_p < 0.5 else 1)
    points, start = set(), 0
    while start < len(values):
        found = [start + at for at in in_window(values[start : start + window], weak)]
        points.update(found)
        start = max([start + window // 2] + found[-1:])
    points = sorted(points)
    chances = [test(*parts_beside(values, points, n)) for n in range(len(points))]
    while points:
        worst = next_to_drop(values, points, chances, most_p, segment)
        if worst is None:
            break
        del points[worst], chances[worst]
        # The next one is tested again; the one before it is not, in Otava's results neither.
        if worst < len(points):
            chances[worst] = test(*parts_beside(values, points, worst))
    return points
