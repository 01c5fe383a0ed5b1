#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ceilings.py [ROUNDS] - the ceilings of `topdown roofline` beside those of other programs: likwid-bench,
where it is installed, and loops of bench_roofs_beside. All take turns, and the best of all rounds is
compared: on a busy machine each is undisturbed for moments only. Also how far two measurements by topdown
differ. The goal is 5 % for both. It says the load, for a busy machine can't be judged by it.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TOPDOWN = os.environ.get("TOPDOWN", str(SOURCE / "build/topdown"))
BENCH = pathlib.Path(os.environ.get("BENCH", str(SOURCE / "build/tests/bench")))
GOAL, CALM = 5, 0.05  # percent; share of time that topdown's threads waited for a CPU
TIMES = 3  # likwid-bench, in a round

# {name: (test, size, iterations)}: some ms each, as likwid-bench else takes a second, in which a busy machine
# disturbs it
LIKWID = {
    "fma f64 512": ("peakflops_avx512_fma", "24kB", 1500),
    "fma f32 512": ("peakflops_sp_avx512_fma", "24kB", 1500),
    "fma f64 256": ("peakflops_avx_fma", "24kB", 1000),
    "fma f32 256": ("peakflops_sp_avx_fma", "24kB", 1000),
    "L1 read": ("load_avx512", "24kB", 20000),
    "L1 copy": ("copy_avx512", "24kB", 20000),
    "L2 read": ("load_avx512", "512kB", 800),
    "L2 copy": ("copy_avx512", "512kB", 600),
    "DRAM read": ("load_avx512", "128MB", 5),
    "DRAM copy": ("copy_avx512", "256MB", 3),
    "DRAM triad": ("stream_avx512_fma", "384MB", 2),
    "DRAM copy-nt": ("copy_mem_avx512", "256MB", 3),
}

# topdown asks for pages of 2 MiB. glibc 2.35 and later does so for likwid-bench too: with those of 4 KiB it
# is a tenth slower beyond L1.
LARGE_PAGES = os.environ | {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


def likwid(best):
    for name, (test, size, iterations) in LIKWID.items() if shutil.which("likwid-bench") else ():
        for _ in range(TIMES):
            words = ["likwid-bench", "-t", test, "-w", f"S0:{size}:1", "-i", str(iterations)]
            text = subprocess.run(
                words,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                check=False,
                env=LARGE_PAGES,
            ).stdout
            found = re.search(
                rf"^{'MFlops' if test.startswith('peak') else 'MByte'}/s:\s+([\d.]+)", text, re.M
            )
            if found:
                best[name] = max(best.get(name, 0), float(found[1]) * 1e6)


def beside(best):
    text = subprocess.run(
        [BENCH / "bench_roofs_beside", "3"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    for name, value in re.findall(r"^(.*) ([\d.e+]+)$", text, re.M):
        best[name] = max(best.get(name, 0), float(value))


def name_of(row):
    return " ".join(
        [row["operation"], row["type"], str(row["bits"])]
        if row["kind"] == "compute"
        else [row["level"], row["pattern"]]
    )


def topdown():
    """{name: value} of one thread and of all cores, and how much of the time the threads waited."""
    text = subprocess.run(
        [TOPDOWN, "roofline", "--fresh", "--format", "json"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    document = json.loads(text)
    values = {
        scope: {name_of(row): row["value"] for row in document["ceilings"] if row["scope"] == scope}
        for scope in ("thread", "all")
    }
    return values, document["conditions"]


def compare(title, theirs, ours):
    print(f"\n{title:32} {'theirs':>10} {'topdown':>10}  ratio")
    beyond = 0
    for name, value in sorted(theirs.items()):
        if ours.get(name):
            ratio = ours[name] / value
            beyond += abs(ratio - 1) > GOAL / 100
            print(f"  {name:30} {value / 1e9:10.1f} {ours[name] / 1e9:10.1f}  {ratio:5.3f}")
    print(f"  beyond {GOAL} %: {beyond} of {len(theirs)}")


def show_repeats(runs, waited):
    """Each later measurement beside the first, by scope."""
    print("\nmeasured again by topdown, ratio to the first: median, least, most")
    for scope in ("thread", "all"):
        for number, run in enumerate(runs[1:], 2):
            ratios = sorted(run[scope][name] / runs[0][scope][name] for name in run[scope])
            near = sum(abs(ratio - 1) <= GOAL / 100 for ratio in ratios)
            print(
                f"  {scope:7} run {number}: {ratios[len(ratios) // 2]:.3f} {ratios[0]:.3f} {ratios[-1]:.3f},"
                f" {near} of {len(ratios)} within {GOAL} %"
            )
    if max(waited) > CALM:
        print(
            f"  this machine is not calm: threads waited {100 * min(waited):.0f} to {100 * max(waited):.0f} %"
            " of the time"
        )


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    by_likwid, by_loops, runs, waited, took = {}, {}, [], [], []
    for _ in range(rounds):
        likwid(by_likwid)
        beside(by_loops)
        values, conditions = topdown()
        runs.append(values)
        waited.append(conditions["waited"])
        took.append(conditions["took_s"])
    best = {name: max(run["thread"][name] for run in runs) for name in runs[0]["thread"]}
    print(
        f"{rounds} rounds; load average {os.getloadavg()[0]:.1f}; topdown took {min(took):.1f} to"
        f" {max(took):.1f} s; G of FLOP/s or bytes/s, one thread"
    )
    compare("likwid-bench", by_likwid, best)
    compare("loops in assembly and STREAM's", by_loops, best)
    show_repeats(runs, waited)


main()
