#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.py - kernels whose bottleneck is known, simulated on one core: the worst node, and how much it must be.

usage: check.py [KERNEL]...      TOPDOWN and TOPDOWN_BUILD name the program and its build directory

The core is always skylake (4 slots a cycle, 32 KiB of L1, 1 MiB of L2, 27.5 MiB of L3), so the machine that runs the test does not matter. What
must be known of a kernel follows from that and from its source. Exit status 77 where the simulator is not there.
"""
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from cli import BUILD, TOPDOWN, need_simulator  # noqa: E402  pylint: disable=wrong-import-position

# kernel: arguments, the worst node, and the least (or with "<" the largest) percentage of nodes
KERNELS = {
    # 256 MiB of lines in a random order: every load misses all caches and the TLB's second level.
    "chase": (["262144", "2000000"], "DRAM_Bound", {"DRAM_Bound": 80, "Bad_Speculation": "<1"}),
    "chase L2": (["512", "2000000"], "L2_Bound", {"L2_Bound": 70, "DRAM_Bound": "<5"}),
    "chase L3": (["8192", "1000000"], "L3_Bound", {"L3_Bound": 60, "DRAM_Bound": "<15"}),
    "quicksort": (["200000"], "Branch_Mispredicts", {"Bad_Speculation": 60, "Backend_Bound": "<20"}),
    # 4 cycles of latency for a loop of 4 instructions, of which two are one micro-op: 3 of 16 slots retire.
    "multiply": (["4000000"], "Dependency_Chains", {"Core_Bound": 50, "Dependency_Chains": 50}),
    "multiply AVX": (["4000000", "1"], "Dependency_Chains", {"Core_Bound": 50, "Dependency_Chains": 50}),
    # Ten micro-ops for four ports and four slots: nothing is lost but by the startup.
    "adds": (["6000000"], "Retiring", {"Retiring": 85}),
    "divide": (["1500000"], "Divider", {"Divider": 70}),
    # Eight lines a function, from L3 (2 MiB are more than L2 holds); which function comes next nobody can predict.
    "code": (["300000"], "ICache_Misses", {"Fetch_Latency": 30}),
    "stream": (["524288", "1"], "DRAM_Bound", {"Memory_Bound": 40, "Bad_Speculation": "<5"}),
    "stores": (["262144", "500000"], "Store_Bound", {"Store_Bound": 50}),
    "interpreter": (["1500000"], "Branch_Mispredicts", {"Bad_Speculation": 50}),
}


def simulate(name, words, *options):
    program = BUILD / "kernels" / name.split()[0]
    result = subprocess.run([TOPDOWN, "--pmu", "sim", "--sim-core", "skylake", "-l3", "--format", "json", *options, program, *words],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    if result.returncode:
        sys.exit(f"{name}: exit status {result.returncode}: {result.stderr}")
    return json.loads(result.stderr)


def worst(nodes):
    """The leaf of the worst path, as it is told: the largest bottleneck of each level below the one above."""
    path = None
    for level in (1, 2, 3):
        under = [node for node in nodes.values() if node["level"] == level and node["bottleneck"] and
                 (level == 1 or node["parent"] == path["name"])]
        lost = [node for node in under if node["title"] != "Retiring"] if level == 1 else under
        if not lost and not under:
            break
        path = max(lost or under, key=lambda node: node["value"])
        if path["title"] == "Retiring":
            break
    return path["title"] if path else None


def check(name):
    words, leaf, shares = KERNELS[name]
    report = simulate(name, words)
    nodes = {node["title"]: node for node in report["nodes"]}
    failures = [f"{node['title']} is {node['quality']}" for node in nodes.values() if node["quality"] != "simulated"]
    total = sum(node["value"] for node in nodes.values() if node["level"] == 1)
    if abs(total - 100) > 0.01:
        failures.append(f"level 1 is {total} %")
    if worst(nodes) != leaf:
        failures.append(f"the worst node is {worst(nodes)}, not {leaf}")
    for title, bound in shares.items():
        value = nodes[title]["value"]
        if isinstance(bound, str) and value >= float(bound[1:]):
            failures.append(f"{title} is {value:.1f} %, must be below {bound[1:]} %")
        elif not isinstance(bound, str) and value < bound:
            failures.append(f"{title} is {value:.1f} %, must be at least {bound} %")
    text = ", ".join(f"{title} {nodes[title]['value']:.1f} %" for title in {leaf: 0} | shares)
    print(f"{name:12} {report['summary']['instructions'] / 1e6:8.1f} M instructions  {text}")
    for failure in failures:
        print(f"FAIL {name}: {failure}")
    return not failures


def main():
    need_simulator()
    results = [check(name) for name in sys.argv[1:] or KERNELS]
    sys.exit(0 if all(results) else 1)


main()
