#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check.py - kernels whose bottleneck is known, simulated on one core: the worst node, and how much it must
be.

usage: check.py [KERNEL]...      TOPDOWN and TOPDOWN_BUILD name the program and its build directory

The core is always skylake (4 slots a cycle, 32 KiB of L1, 1 MiB of L2, 27.5 MiB of L3), so the machine that
runs the test does not matter. What must be known of a kernel follows from that and from its source. Exit
status 77 where the simulator is not there.
"""
import json
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, need_simulator, topdown

# kernel: arguments, the worst node (None: no matter), and the least (or with "<" the largest) percentage of
# nodes, or both
KERNELS = {
    # 256 MiB of lines in a random order: every load misses all caches and the TLB's second level.
    "chase": (["262144", "2000000"], "DRAM_Bound", {"DRAM_Bound": 80, "Bad_Speculation": "<1"}),
    "chase L2": (["512", "2000000"], "L2_Bound", {"L2_Bound": 70, "DRAM_Bound": "<5"}),
    "chase L3": (["8192", "1000000"], "L3_Bound", {"L3_Bound": 60, "DRAM_Bound": "<15"}),
    # Of the penalty of 16 cycles 6 are the core's recovery, to which the wrong path is added, and 10 fetch's.
    "quicksort": (
        ["200000"],
        "Branch_Mispredicts",
        {"Bad_Speculation": 40, "Branch_Resteers": 20, "Backend_Bound": "<20"},
    ),
    # 4 cycles of latency for a loop of 4 instructions, of which two are one micro-op: 3 of 16 slots retire.
    "multiply": (["4000000"], "Dependency_Chains", {"Core_Bound": 50, "Dependency_Chains": 50}),
    "multiply AVX": (["4000000", "1"], "Dependency_Chains", {"Core_Bound": 50, "Dependency_Chains": 50}),
    # Ten micro-ops for four ports and four slots: nothing is lost but by the startup. One of the ten is
    # compare and branch in one.
    "adds": (["6000000"], "Retiring", {"Retiring": 85, "Branch_Instructions": 8.5, "Other_Light_Ops": "<90"}),
    "divide": (["1500000"], "Divider", {"Divider": 70}),
    # Eight lines a function, from L3 (2 MiB are more than L2 holds); which function comes next nobody can
    # predict.
    "code": (["300000"], "ICache_Misses", {"Fetch_Latency": 30}),
    "stream": (["524288", "1"], "DRAM_Bound", {"Memory_Bound": 40, "Bad_Speculation": "<5"}),
    "stores": (["262144", "500000"], "Store_Bound", {"Store_Bound": 50}),
    # Nodes of a list in L3, worked on for some 32 cycles: asked for four nodes ahead they are there, whatever
    # the operand's form; else not.
    "prefetch": (["2048", "4"], None, {"L3_Bound": "<5", "Retiring": 50}),
    "prefetch none": (["2048", "4", "0"], "L3_Bound", {"L3_Bound": 35}),
    # The values of the loads are overwritten by the next ones, so VEX would leave them out.
    "touch": (["512", "150"], "L2_Bound", {"L2_Bound": 40, "L1_Bound": "<5"}),
    # Four counters in one line, of which each thread writes its own; in lines of their own nobody waits for
    # another.
    "falseshare": (
        ["1000000", "8"],
        "Store_Bound",
        {"False_Sharing": 50, "Contested_Accesses": "<1", "Data_Sharing": "<1"},
    ),
    "falseshare padded": (
        ["300000", "128"],
        None,
        {"False_Sharing": "<0.1", "Contested_Accesses": "<0.1", "Data_Sharing": "<0.1"},
    ),
    # glibc's memcpy of 8 KiB to 1 MiB: 32 bytes a cycle, and hardly a fetch (512 cycles of 16 KiB beside 35
    # of the start).
    "strings": (
        ["16384", "8000"],
        "Store_Bound",
        {"Store_Bound": 30, "Frontend_Bound": "<15", "Bad_Speculation": "<3"},
    ),
    "strings L2": (
        ["262144", "400"],
        "Store_Bound",
        {"Store_Bound": 40, "Frontend_Bound": "<15", "Bad_Speculation": "<3"},
    ),
    # Within ten points of what is published of Intel's cores of 4 slots: FE 47.2, BAD 37.1, BE 7.4, RET 8.3
    # %; and FE 13.7, BAD 31.9, BE 6.9, RET 47.5 %.
    "goto": (
        ["500000"],
        None,
        {
            "Frontend_Bound": (37.2, 57.2),
            "Bad_Speculation": (27.1, 47.1),
            "Backend_Bound": "<17.4",
            "Retiring": "<18.3",
        },
    ),
    "bc": (
        ["500000"],
        None,
        {
            "Frontend_Bound": (3.7, 23.7),
            "Bad_Speculation": (21.9, 41.9),
            "Backend_Bound": "<16.9",
            "Retiring": (37.5, 57.5),
        },
    ),
    # Indirect jumps that nobody can predict, as goto's.
    "interpreter": (
        ["1500000"],
        None,
        {"Bad_Speculation": 27.1, "Branch_Resteers": 25, "Backend_Bound": "<10"},
    ),
}


SIM = ("--pmu", "sim", "--sim-core", "skylake")


def simulate(name, words, *options):
    result = topdown(*SIM, "-l4", "--format", "json", *options, BUILD / "kernels" / name.split()[0], *words)
    if result.returncode:
        sys.exit(f"{name}: exit status {result.returncode}: {result.stderr}")
    return json.loads(result.stderr)


def worst(nodes):
    """The leaf of the worst path, as the report names it: the largest bottleneck of each level below the one
    above."""
    path = None
    for level in (1, 2, 3):
        under = [
            node
            for node in nodes.values()
            if node["level"] == level
            and node["bottleneck"]
            and (level == 1 or node["parent"] == path["name"])
        ]
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
    failures = [
        f"{node['title']} is {node['quality']}" for node in nodes.values() if node["quality"] != "simulated"
    ]
    total = sum(node["value"] for node in nodes.values() if node["level"] == 1)
    if abs(total - 100) > 0.01:
        failures.append(f"level 1 is {total} %")
    if leaf and worst(nodes) != leaf:
        failures.append(f"the worst node is {worst(nodes)}, not {leaf}")
    for title, bound in shares.items():
        value = nodes[title]["value"]
        if isinstance(bound, tuple):
            if not bound[0] <= value <= bound[1]:
                failures.append(f"{title} is {value:.1f} %, must be from {bound[0]} to {bound[1]} %")
        elif isinstance(bound, str) and value >= float(bound[1:]):
            failures.append(f"{title} is {value:.1f} %, must be below {bound[1:]} %")
        elif not isinstance(bound, str) and value < bound:
            failures.append(f"{title} is {value:.1f} %, must be at least {bound} %")
    text = ", ".join(
        f"{title} {nodes[title]['value']:.1f} %" for title in ({leaf: 0} if leaf else {}) | shares
    )
    print(f"{name:12} {report['summary']['instructions'] / 1e6:8.1f} M instructions  {text}")
    for failure in failures:
        print(f"FAIL {name}: {failure}")
    return not failures


def main():
    need_simulator()
    results = [check(name) for name in sys.argv[1:] or KERNELS]
    sys.exit(0 if all(results) else 1)


main()
