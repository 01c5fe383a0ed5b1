#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""units.py - the loops of units.c on three cores, a few on others: the cycles that a round takes, and where
they go.

usage: units.py [LOOP]...      TOPDOWN and TOPDOWN_BUILD name the program and its build directory

What is expected follows from the loop's source and from what others say of the cores, never from what the
model makes of it: latencies and units by uops.info, Agner Fog's tables and LLVM's models of the cores
(X86SchedSkylakeServer.td, X86SchedSapphireRapids.td, X86ScheduleZnver4.td). Exit status 77 where the
simulator is not there, or the machine has no x86-64.
"""
import json
import platform
import subprocess
import sys
import tempfile

sys.path.append(f"{sys.path[0]}/..")
from lib import BUILD, PATIENCE, TOPDOWN, need_simulator, skip

ROUNDS = 3000
CORES = ("skylake", "golden-cove", "zen4")
NEAR = 0.1

# loop: cycles a round on each of the cores, and where most of the others than those that retire go (None: no
# matter). One stands for all three.
LOOPS = {
    # One multiply-add after the other: 4 cycles, whatever the number of lanes.
    "fma_chain": (4, "Dependency_Chains"),
    "fma_floats": (4, "Dependency_Chains"),
    "fma_scalar": (4, "Dependency_Chains"),
    "fma_moved": (4, "Dependency_Chains"),
    # Twelve of them, or twelve additions, in two units.
    "fma_peak": (6, "Ports_Utilization"),
    "add_peak": (6, "Ports_Utilization"),
    # Six products, six sums: two units do both on Skylake, and two each on the others.
    "multiply_add_peak": ((6, 3, 3), ("Ports_Utilization", None, None)),
    # fadd: 3 cycles of latency, on Zen 4 between 6 and 7; fmul 4.
    "x87_add": ((3, 3, 6.5), "Dependency_Chains"),
    "x87_multiply": ((4, 4, 6.5), "Dependency_Chains"),
    # popcnt, lzcnt and tzcnt, each of the last one's result: 3 cycles each on Intel's cores, 1 on AMD's.
    "bits": ((9, 9, 3), "Dependency_Chains"),
    # A product of 3 cycles, and DEC of it.
    "counted_product": (4, "Dependency_Chains"),
    # An addition to memory: 5 cycles of forwarding and one of the sum on Skylake; the others rename memory.
    # They do not where two are in turns, so that each has two rounds for its 5 + 1, on Golden Cove 6 + 1, on
    # Zen 4 7 + 1 cycles.
    "forward_same": ((6, 1, 1), ("L1_Bound", None, None)),
    "forward_turns": ((3, 3.5, 4), None),
    # The load wants bytes of two stores: 13 cycles by Intel's Store_Fwd_Blk, and the next store; timed on an
    # Emerald Rapids it is 19. AMD publishes nothing of it.
    "forward_fails": ((14, 19, None), "L1_Bound"),
    # 4 KiB behind a store: 7 cycles by Intel's 4K_Aliasing beside 5 of the load. The same of AMD.
    "alias": ((12, 12, None), "L1_Bound"),
    # Six loads in two, three and three units, and twice as many where each has two lines.
    "within_line": ((3, 2, 2), None),
    "line_ends": ((6, 4, 4), "Ports_Utilization"),
    "page_ends": ((6, 4, 4), "Ports_Utilization"),
    # A gather of eight: 5 cycles on Skylake, 8 on Zen 3, whose 39 micro-ops Zen 4 has too (uops.info).
    "gather": ((5.25, None, 8), None),
    # MFENCE: 33 cycles each on Skylake (uops.info), whatever is in the queue; LFENCE 4 by itself, 3 more for
    # a product. Of Zen 4 nothing is published that an unloaded loop could be compared with.
    "full_fence": ((35, None, None), "Serializing_Operation"),
    "load_fence": ((9, None, None), "Serializing_Operation"),
    # LEA of three parts: 3 cycles on Skylake (Intel's manual), 1 from Ice Lake on, 2 on Zen
    # (X86ScheduleZnver3.td). By that a scaled index takes 2 as well, but it took 1 on an EPYC 9004.
    "long_sums": ((12, 4, 8), "Dependency_Chains"),
    "scaled_sums": ((4, None, 4), "Dependency_Chains"),
    # 5 cycles of L1 on Skylake and Golden Cove, with an index too.
    "scaled_loads": ((5, 5, None), "L1_Bound"),
    # Renamed away from Ivy Bridge on (Intel's manual), so that nothing but the loop's branch is left.
    # AMD's cores have two cycles of work (uops.info), and so has each of words.
    "extends": ((1, None, 2), None),
    "word_extends": (2, None),
    # There and back took 6.9 cycles on an EPYC 9004 (X86ScheduleZnver3.td has one each).
    "vector_move": ((None, None, 6), "Dependency_Chains"),
    # Over the halves of a vector: 3 cycles (X86SchedSkylakeServer.td, X86SchedIceLake.td).
    "cross_lane": ((3, 3, None), "Dependency_Chains"),
    # Eight stores to one line: one a cycle leaves its queue, from Ice Lake on two (Intel's manual), and on an
    # EPYC 9004.
    "stores_of_line": ((8, 4, 4), None),
    # Two units of each core shift, rotate, test bits and select by flags (uops.info), whatever they have for
    # additions; two ports of Intel's do all of it.
    "shifts": (4, None),
    "rotations": (4, "Ports_Utilization"),
    "bit_tests": (4, None),
    "selects": (4, None),
    # A cycle for the comparison, and one for the choice.
    "compared": (8, "Dependency_Chains"),
    # The upper half of a product comes after 4 cycles, the lower one after 3.
    "upper_products": (16, "Dependency_Chains"),
    # One a cycle crosses from vector registers to others, where two units convert.
    "crossings": (8, None),
    # Timed on an EPYC 9004: 1.7 for one that comes and three LEA, so it keeps all four units busy that add;
    # 7.0 for eight shifts and sixteen additions, of which four units could do 24 in 6;
    # one store of a vector a cycle, and one of an integer beside it; 8 to a load that is an operand.
    "crossings_beside": ((None, None, 7), None),
    "shifts_beside": ((None, None, 7), None),
    "vector_stores": ((None, None, 8), None),
    "turned_stores": ((None, None, 4.1), None),
    "operand_forward": ((None, None, 8), None),
    # Four units for the constants and the loop's own subtraction.
    "constants": ((2.25, None, 2.25), None),
    # By one place: a cycle each on AMD's cores.
    "carried": ((None, None, 4), "Dependency_Chains"),
    # 140 cycles from Skylake on (Intel's manual).
    "pause_only": ((140, None, None), "Serializing_Operation"),
}
# Of one core: loops that the others are not asked for, or in which it is like none of the three.
OTHERS = {
    # Timed on an Emerald Rapids beside a chain of additions: 28 to 32 cycles for eight calls that return, 17
    # to 18 for eight indirect jumps.
    "golden-cove": {"calls": (30, "DSB"), "indirect_jumps": (17.5, "DSB")},
    # As Skylake two load ports and two units for products and sums alike; as Golden Cove it renames memory
    # (Agner Fog; X86SchedIceLake.td).
    "icelake": {
        "multiply_add_peak": (6, None),
        "x87_add": (3, None),
        "forward_same": (1, None),
        "within_line": (3, None),
        "line_ends": (6, None),
    },
    # Four loads a cycle (AMD, Hot Chips 36). A load takes 4 cycles, and one more with a scaled index
    # (measured by jiegec/blog-source; 4 to 5 in AMD's guide). What renames moves away does not take MOVZX
    # (the guide's list), which is a cycle of work (uops.info).
    "zen5": {
        "scaled_loads": (5, None),
        "extends": (2, None),
        "fma_chain": (4, None),
        "multiply_add_peak": (3, None),
        "within_line": (1.5, None),
        "line_ends": (3, None),
        # Two of the four loads may be of vectors, and stores take the same units for their addresses (the
        # same).
        "vector_loads": (3, None),
        "loads_and_stores": (2, None),
        # Timed on an EPYC 9005 with an idle neighbour: 132 (the chain begins with a constant, which VEX would
        # fold), 5.1, 33 and 57 cycles, and one for each indirect jump of 16.
        "new_chains": (132, "Dependency_Chains"),
        "long_run": (5.1, "DSB"),
        "calls": (33, "DSB"),
        "far_calls": (57, "DSB"),
        "indirect_jumps": (8, "DSB"),
    },
}


def topdown(*words):
    result = subprocess.run(
        [TOPDOWN, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if result.returncode:
        sys.exit(f"{words}: exit status {result.returncode}: {result.stderr}")
    return result


def shares(saved, node):
    """Of the node's slots that each function has; and of all cycles."""
    report = json.loads(topdown("report", "--functions", "--nodes", node, "--format", "json", saved).stdout)
    profile = report["profile"]
    slots = next(row["value"] for row in report["nodes"] if row["title"] == node)
    return {row["name"]: (row["self"] * slots / 100, row["base"]) for row in profile["functions"]}, report[
        "summary"
    ]["cycles"]


def of_core(value, index):
    return value[index] if isinstance(value, tuple) else value


def check_core(core, loops):
    """loops: cycles and leaf of each."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        saved = f"{folder}/units.json"
        topdown(
            "--pmu",
            "sim",
            "--sim-core",
            core,
            "--anchor",
            "never",
            "-l3",
            "--functions",
            "--no-last",
            "--save",
            saved,
            str(BUILD / "kernels/units"),
            "all",
            str(ROUNDS),
        )
        by_leaf = {
            leaf: shares(saved, leaf) for leaf in {"Retiring"} | {leaf for _, leaf in loops.values()} - {None}
        }
    for name, (expected, leaf) in loops.items():
        (retired, own), cycles = by_leaf["Retiring"][0][name], by_leaf["Retiring"][1]
        lost, lost_to_all = by_leaf[leaf][0].get(name, (0, 0))[0] if leaf else 0, own - retired
        measured = own / 100 * cycles / ROUNDS
        print(
            f"{core:12} {name:18} {measured:6.2f} cycles a round, expected {expected}; {leaf} has"
            f" {lost:.2f} of {lost_to_all:.2f} % lost"
        )
        if expected and abs(measured - expected) > NEAR * expected:
            failures.append(f"{core}: {name} takes {measured:.2f} cycles a round, not {expected}")
        if leaf and (lost < lost_to_all / 2 or not lost):
            failures.append(f"{core}: {name} loses less to {leaf} than to other causes")
    return failures


def main():
    need_simulator()
    if platform.machine() != "x86_64":
        skip("the loops are x86-64's")
    cores = {
        core: {name: (of_core(cycles, index), of_core(leaf, index)) for name, (cycles, leaf) in LOOPS.items()}
        for index, core in enumerate(CORES)
    }
    cores |= {core: cores.get(core, {}) | loops for core, loops in OTHERS.items()}
    if sys.argv[1:]:
        cores = {
            core: {name: loops[name] for name in sys.argv[1:] if name in loops}
            for core, loops in cores.items()
        }
    failures = [failure for core, loops in cores.items() for failure in check_core(core, loops)]
    for failure in failures:
        print("FAIL", failure)
    sys.exit(1 if failures else 0)


main()
