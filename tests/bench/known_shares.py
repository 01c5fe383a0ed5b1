# SPDX-License-Identifier: GPL-2.0-or-later
"""known_shares.py - random programs that measure their functions themselves (CLOCK_THREAD_CPUTIME_ID): the
part of these whose samples are within 3 standard errors of what they should be, of topdown and of perf record
in turns."""
import collections
import json
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

PROGRAMS, PEERS, RATE = 200, 40, 1999
MOST_ERRORS, GOAL_PERCENT = 3, 99
# What a function does n times; each kind has instructions of its own.
WORK = [
    "x = x * 6364136223846793005u + 1442695040888963407u;",
    "y = y / 1.0000001 + 0.5;",
    "table[(x = x * 1664525u + 1013904223u) % TABLE] += (unsigned)i;",
    "x ^= x << 13, x ^= x >> 7, x ^= x << 17;",
    "x += table[i % TABLE] ? 3 : 5;",
]
HEAD = """
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#define KEPT __attribute__((noinline, noclone))
#define TABLE 4096
static volatile unsigned table[TABLE];
static volatile uint64_t sink;
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
"""


def function(number, draws):
    """One that spends so many seconds, by itself, in an inlined function, or in one that it calls."""
    step = f"for (long i = 0; i < {draws.randrange(2000, 30000)}; i++) {{ {draws.choice(WORK)} }}"
    kind = draws.choice(["static inline __attribute__((always_inline))", "static KEPT"])
    return f"""
{kind} uint64_t step{number}(uint64_t x) {{ volatile double y = 1; {step} sink += x; return x + (uint64_t)y; }}
KEPT double work{number}(double seconds)
{{
	double begin = now();
	uint64_t x = {number + 1};
	while (now() - begin < seconds)
		x = step{number}(x);
	sink += x;
	return now() - begin;
}}
"""  # noqa: E501


def program(draws):
    """Its source: functions in a random order, in turns, each with a random part of 0.1 to 0.4 s."""
    count, turns, seconds = draws.randrange(2, 13), draws.randrange(1, 15), draws.uniform(0.1, 0.4)
    parts = [draws.random() ** 2 for _ in range(count)]
    calls = [
        f"		spent[{i}] += work{i}({seconds * part / sum(parts) / turns:.9f});" for i, part in enumerate(parts)
    ]
    draws.shuffle(calls)
    return (
        HEAD
        + "".join(function(i, draws) for i in range(count))
        + f"""
int main(void)
{{
	double spent[{count}] = {{ 0 }};
	for (int turn = 0; turn < {turns}; turn++) {{
"""
        + "\n".join(calls)
        + f"""
	}}
	for (int i = 0; i < {count}; i++)
		printf("%.9f\\n", spent[i]);
	return 0;
}}
"""
    )


def by_topdown(bench, path, folder):
    """The seconds that the program says, and samples below each of its functions."""
    session = folder / "session.json"
    done = subprocess.run(
        [
            bench.TOPDOWN,
            "sample",
            "--no-last",
            "-e",
            "cpu-clock",
            "-F",
            str(RATE),
            "--save",
            session,
            "-o",
            "/dev/null",
            path,
        ],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    profile = json.loads(session.read_text(encoding="utf-8"))["profile"]
    firsts, number = [], 0
    for frames in profile["places"]["frames"]:
        firsts.append(range(number, number + frames))
        number += frames
    texts, functions, found = profile["texts"], profile["frames"]["function"], collections.Counter()
    for stack, samples in zip(profile["rows"]["stack"], profile["rows"]["samples"]):
        name = None
        while stack >= 0 and not name:
            names = (
                texts[functions[i]] for i in firsts[profile["stacks"]["place"][stack]] if functions[i] >= 0
            )
            name = next((name for name in names if re.fullmatch(r"work\d+", name)), None)
            stack = profile["stacks"]["caller"][stack]
        found[name] += samples
    return [float(line) for line in done.stdout.split()], found


def by_perf(path, folder):
    data = folder / "perf.data"
    done = subprocess.run(
        [
            "perf",
            "record",
            "-q",
            "-e",
            "cpu-clock",
            "-F",
            str(RATE),
            "--call-graph",
            "dwarf,4096",
            "-o",
            data,
            path,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    text = subprocess.run(
        ["perf", "script", "-i", data, "-F", "ip,sym"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    ).stdout
    found = collections.Counter()
    for stack in text.strip().split("\n\n"):
        name = re.search(r"\bwork\d+\b", stack)
        found[name[0] if name else None] += 1
    return [float(line) for line in done.stdout.split()], found


def errors(spent, found):
    """Of each function, the standard errors of its share by which its samples are off; and the share of
    samples in none of them."""
    samples = sum(count for name, count in found.items() if name)
    off = []
    for i, seconds in enumerate(spent):
        share = seconds / sum(spent)
        error = max(share * (1 - share), 1 / samples) / samples  # a sample is the least that there is
        off.append(abs(found[f"work{i}"] / samples - share) / error**0.5)
    return off, found[None] / max(1, samples + found[None])


def row(bench, name, results, is_ours):
    off = [error for errors_of_one, _ in results for error in errors_of_one]
    within = [100 * sum(error <= most for error in off) / len(off) for most in (1, 2, MOST_ERRORS)]
    outside = sum(share for _, share in results) / len(results)
    missed = 100 - within[-1] > 100 - GOAL_PERCENT
    if is_ours and missed:
        bench.missed.append("known shares")
    goal = f"{'missed' if missed else 'met'}: {GOAL_PERCENT} % within 3" if is_ours else ""
    print(
        f"| {name} | {len(results)} | {len(off)} | {within[0]:.1f} | {within[1]:.1f} | {within[2]:.2f} |"
        f" {max(off):.1f} | {100 * outside:.2f} | {goal} |"
    )


def tables(bench, programs=PROGRAMS, peers=PEERS):
    draws, ours, theirs = random.Random(15), [], []
    has_perf = shutil.which("perf") is not None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for i in range(programs):
            path = folder / "program"
            path.with_suffix(".c").write_text(program(draws), encoding="ascii")
            options = [
                draws.choice(["-O1", "-O2"]),
                draws.choice(["-fomit-frame-pointer", "-fno-omit-frame-pointer"]),
            ]
            subprocess.run(["gcc", "-g", *options, "-o", path, path.with_suffix(".c")], check=True)
            ours.append(errors(*by_topdown(bench, path, folder)))
            if i < peers and has_perf:
                theirs.append(errors(*by_perf(path, folder)))
    print(
        f"\n| random programs that measure themselves, {RATE} Hz | programs | functions | % within 1 standard"
        " error | 2 | 3 | most | % of samples elsewhere | goal"
        " |\n|---|---:|---:|---:|---:|---:|---:|---:|---|"
    )
    row(bench, "`topdown sample`", ours, True)
    if theirs:
        row(bench, "of them the first, `topdown sample`", ours[:peers], False)
        row(bench, "the same, `perf record --call-graph dwarf`", theirs, False)
