#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""trees.py - trees that others have published of a machine's counters, beside those of the simulated core:
which shares of level 1 are within ten points?

The programs are written from their descriptions (tests/kernels/published/trees.c, and
tests/kernels/goto.c and bc.c). A share that is None is not published.
TOPDOWN and TOPDOWN_BUILD name the program and its build folder.
"""
import json
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TOPDOWN_BUILD", SOURCE / "build"))
TOPDOWN = os.environ.get("TOPDOWN", str(BUILD / "topdown"))
POINTS = 10
SHARES = ("Frontend_Bound", "Bad_Speculation", "Backend_Bound", "Retiring")
KERNEL = [str(BUILD / "kernels/published")]

# program, its source: the core, the words, the published shares in the order of SHARES, and IPC
TREES = {
    "division chain (Arm, topdown-compare; x86)": (
        "skylake",
        [*KERNEL, "tree_division_chain"],
        (0.0, None, 90.8, 9.2),
        None,
    ),
    "division chain (the same; Neoverse V3)": (
        "neoverse-v2",
        [*KERNEL, "tree_division_chain"],
        (None, None, 91.9, None),
        0.474,
    ),
    "normal numbers (easyperf 2018-11; Skylake)": (
        "skylake",
        [*KERNEL, "tree_normal"],
        (None, None, None, 41.5),
        None,
    ),
    "SerialPi (Zen 4)": ("zen4", [*KERNEL, "tree_pi"], (4.0, None, 55.6, 40.4), 2.41),
    "fp-mul-lat (pmu-tools 421; Ice Lake)": (
        "icelake",
        [*KERNEL, "tree_multiply_chain"],
        (None, None, 94.5, None),
        None,
    ),
    "goto_test (branches-study; Xeon of 4 slots)": (
        "skylake",
        [str(BUILD / "kernels/goto"), "500000"],
        (47.2, 37.1, 7.4, 8.3),
        0.288,
    ),
    "BC1s (pmu-tools; Skylake)": (
        "skylake-client",
        [str(BUILD / "kernels/bc"), "500000"],
        (13.7, 31.9, 6.9, 47.5),
        None,
    ),
    "ideal loop (easyperf 2018-12; Skylake)": (
        "skylake-client",
        [*KERNEL, "tree_ideal"],
        (0.03, None, None, None),
        4.96,
    ),
    "dec, jnz (the same, without its loop buffer)": (
        "skylake",
        [*KERNEL, "tree_dec_jnz"],
        (75, None, None, None),
        2.0,
    ),
    "random loads (easyperf 2019-02; Xeon 8180)": (
        "skylake",
        [*KERNEL, "tree_random_loads"],
        (13.9, None, 53.4, 32.4),
        None,
    ),
    "stride (Arm, top-down-n1; Cortex-A76)": (
        "neoverse-n1",
        [*KERNEL, "tree_stride"],
        (0.0, None, 84.4, None),
        0.22,
    ),
}


def simulate(core, words):
    toggle = ["--toggle", "measured"] if words[0] == KERNEL[0] else []
    result = subprocess.run(
        [
            TOPDOWN,
            "--pmu",
            "sim",
            "-l3",
            "--sim-core",
            core,
            "--sim-sample",
            "1",
            *toggle,
            "--no-anchor",
            "--no-last",
            "--format",
            "json",
            *words,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if result.returncode:
        sys.exit(f"{words}: exit status {result.returncode}: {result.stderr}")
    return json.loads(result.stderr)


def main():
    within = 0
    print(
        "| program, machine | core | Frontend | Bad_Speculation | Backend | Retiring | IPC | worst node |"
        " |\n|---|---|---|---|---|---|---|---|---|"
    )
    for name, (core, words, published, ipc) in TREES.items():
        report = simulate(core, words)
        found = {node["title"]: node["value"] for node in report["nodes"]}
        far = [
            title
            for title, value in zip(SHARES, published)
            if value is not None and abs(found[title] - value) > POINTS
        ]
        cells = [
            f"{found[title]:.1f}" + ("" if value is None else f" for {value}")
            for title, value in zip(SHARES, published)
        ]
        worst = [node["title"] for node in report["nodes"] if node["worst_path"]]
        own = f"{report['summary']['instructions'] / report['summary']['cycles']:.2f}" + (
            f" for {ipc}" if ipc else ""
        )
        within += not far
        print(
            (
                f"| {name} | {core} | {' | '.join(cells)} | {own} | {worst[-1] if worst else '-'} |"
                f" {'' if not far else 'not met: ' + ', '.join(far)} |"
            ),
            flush=True,
        )
    print(f"\n{within} of {len(TREES)} within {POINTS} points")


main()
