#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""published.py [--core NAME] [NAME]... - kernels that others published (tests/kernels/published/): is the
worst node the one that their descriptions name, and are modelled cycles those of this machine?

What is expected was written down before any of them had been simulated. The rule of LOOPS and two
expectations came after the first results of zen5 (docs/SIMULATED.md). Cycles are of the fastest of many runs,
by a chain of additions that runs beside each: every other guest of the host only makes them longer. TOPDOWN
and TOPDOWN_BUILD name the program and its build folder.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TOPDOWN_BUILD", SOURCE / "build"))
TOPDOWN = os.environ.get("TOPDOWN", str(BUILD / "topdown"))
PROGRAM = str(BUILD / "kernels/published")
REPEATS = "30"
PROCESSES = 3  # as pages lie differently in each
CYCLES = (0.8, 1.25)

TABLES = "instruction tables (A. Fog; uops.info)"
GUIDE = "vendors' optimization guides"
LMBENCH = "lmbench, lat_mem_rd"
STREAM = "STREAM"
MIBENCH = "MiBench"
GAME = "Computer Language Benchmarks Game"
POLYBENCH = "Polybench"
TEXTBOOK = "textbook"
MISPREDICTED = (  # a misprediction's two parts, which vendors divide differently
    "Branch_Mispredicts Branch_Resteers"
)

# Published widths: slots, units and decoders of a cycle, and whether a load whose address has an index is
# renamed to the store before it. Other cores are taken for the first one, for which the expectations were
# written.
WIDTHS = {
    "redwood-cove": {
        "slots": 6,
        "adders": 5,
        "multipliers": 1,
        "shuffles": 2,
        "vectors": 3,
        "loads": 3,
        "stores": 2,
        "decoders": 6,
        "renames": False,
    },
    "zen5": {
        "slots": 8,
        "adders": 6,
        "multipliers": 3,
        "shuffles": 2,
        "vectors": 4,
        "loads": 4,
        "stores": 2,
        "decoders": 4,
        "renames": True,
    },
}
# Of the loops that nothing but a width or a chain limits: slots of a round, what each width has to do, and
# the cycles of the chain.
LOOPS = {
    "add_throughput": (25, {"adders": 25}, 3),
    "imul_throughput": (17, {"multipliers": 16}, 6),
    "shuffle_throughput": (25, {"shuffles": 24}, 0),
    "vector_add_throughput": (25, {"vectors": 24}, 0),
    "load_throughput": (25, {"loads": 24}, 0),
    "store_throughput": (17, {"stores": 16}, 0),
    "nop_throughput": (25, {}, 0),
    "zeroing_throughput": (25, {}, 0),
    "push_and_pop": (17, {"stores": 8, "loads": 8}, 0),
    "code_of_l1": (10001, {"decoders": 10001}, 0),
    "alias_none": (6, {"loads": 2, "stores": 2}, 0),
}
# The same without the cause, and how much more a round of it is. What natively takes no longer than its twin
# does not suffer from the cause there, and is expected to have the twin's node.
TWINS = {
    "code_of_l2": ("code_of_l1", 32768 * 8 / (10000 * 3)),  # bytes of code
    "alias_4k": ("alias_none", 1),
}
NO_LONGER = 1.1
LIMITS = {
    "chain": "Dependency_Chains",
    "decoders": "MITE",
    "slots": "Retiring",
}  # of all units: Ports_Utilization
LOST = 0.2  # of the slots, from which on the tree names what lost them

# kernel: where it is from, and the worst nodes that its description allows. Those of LOOPS follow from the
# core's widths; what stands here is of 6 slots with 5 adders, 3 loads and 2 stores a cycle
KERNELS = {
    "add_chain": (TABLES, "Dependency_Chains"),
    "imul_chain": (TABLES, "Dependency_Chains"),
    "cmov_chain": (TABLES, "Dependency_Chains"),
    "adc_chain": (TABLES, "Dependency_Chains"),
    "lea_three_chain": (TABLES, "Dependency_Chains"),
    "lea_scaled_chain": (TABLES, "Dependency_Chains"),
    "shift_by_cl_chain": (TABLES, "Dependency_Chains"),
    "pdep_chain": (TABLES, "Dependency_Chains"),
    "crc32_chain": (TABLES, "Dependency_Chains"),
    "aesenc_chain": (TABLES, "Dependency_Chains"),
    "addsd_chain": (TABLES, "Dependency_Chains"),
    "mulsd_chain": (TABLES, "Dependency_Chains"),
    "vpaddd_chain": (TABLES, "Dependency_Chains"),
    "pmulld_chain": (TABLES, "Dependency_Chains"),
    "vperm_chain": (TABLES, "Dependency_Chains"),
    "movd_there_and_back": (TABLES, "Dependency_Chains"),
    "convert_there_and_back": (TABLES, "Dependency_Chains"),
    "idiv_chain": (TABLES, "Divider"),
    "divsd_chain": (TABLES, "Divider"),
    "sqrtpd_throughput": (TABLES, "Divider"),
    "add_throughput": (TABLES, "Retiring"),  # 25 of the 30 slots of 5 cycles
    "imul_throughput": (TABLES, "Ports_Utilization"),
    "shuffle_throughput": (TABLES, "Ports_Utilization"),
    "vector_add_throughput": (TABLES, "Ports_Utilization"),
    "load_throughput": (TABLES, "Ports_Utilization"),
    "store_throughput": (TABLES, "Ports_Utilization"),
    "nop_throughput": (TABLES, "Retiring"),
    "zeroing_throughput": (TABLES, "Retiring"),
    "not_taken": (TABLES, "Ports_Utilization"),  # two branches a cycle
    "taken": (TABLES, "DSB"),  # one taken branch a cycle
    "lock_add": (TABLES, "Serializing_Operation L1_Bound"),  # Intel's tree has locks below L1_Bound
    "load_fences": (TABLES, "Serializing_Operation"),
    "pauses": (TABLES, "Serializing_Operation"),
    "vector_forward_chain": (TABLES, "L1_Bound"),
    "push_and_pop": (GUIDE, "Retiring"),  # the stack's memory is renamed
    "code_of_l1": (TABLES, "Retiring"),  # six of three bytes a cycle from the decoders
    "code_of_l2": (TABLES, "ICache_Misses"),
    "chase_l1": (LMBENCH, "L1_Bound"),
    "chase_l2": (LMBENCH, "L2_Bound"),
    "chase_l3": (LMBENCH, "L3_Bound"),
    "chase_memory": (LMBENCH, "DRAM_Bound"),
    "chase_pages": (LMBENCH, "L1_Bound"),  # the TLB's second level, below L1_Bound
    "list_64_l2": (LMBENCH, "L1_Bound L2_Bound"),
    "list_128_l2": (LMBENCH, "L1_Bound L2_Bound"),
    "list_1024_l2": (LMBENCH, "L1_Bound L2_Bound"),
    "triad_l1": (STREAM, "Retiring"),
    "triad_memory": (STREAM, "DRAM_Bound"),
    "sum_lines_l2": (LMBENCH, "L2_Bound"),
    "sum_512_memory": (LMBENCH, "DRAM_Bound"),
    "random_access": ("HPCC RandomAccess", "DRAM_Bound"),
    "halving_search": (TEXTBOOK, "L3_Bound"),
    "transpose": (TEXTBOOK, "Store_Bound"),
    "stores_past_caches": (GUIDE, "Store_Bound"),
    "alias_4k": (GUIDE, "L1_Bound"),
    "failed_forward": (GUIDE, "L1_Bound"),
    "unsorted_sum": ("Stack Overflow, 11227809", MISPREDICTED),
    "collatz": (TEXTBOOK, MISPREDICTED),
    "count_bits": (MIBENCH, MISPREDICTED),
    "insertion_sort": (TEXTBOOK, MISPREDICTED),
    "sort_by_library": (MIBENCH, MISPREDICTED),
    "queens": (TEXTBOOK, MISPREDICTED),
    "random_calls": (TEXTBOOK, MISPREDICTED),
    "fnv_hash": (TEXTBOOK, "Dependency_Chains"),
    "crc_by_table": (MIBENCH, "L1_Bound"),
    "xorshift_chain": (TEXTBOOK, "Dependency_Chains"),
    "dot_product": (TEXTBOOK, "Dependency_Chains"),
    "horner": (TEXTBOOK, "Dependency_Chains"),
    "mandelbrot": (GAME, "Dependency_Chains"),
    "seidel": (POLYBENCH, "Dependency_Chains"),
    "naive_product": (TEXTBOOK, "Dependency_Chains"),
    "spectral_norm": (GAME, "Divider"),
    "greatest_divisors": (TEXTBOOK, "Divider"),
    "is_prime_by_trial": (TEXTBOOK, "Divider"),
    "histogram_of_one": (TEXTBOOK, "L1_Bound"),
    "gemm": (POLYBENCH, "Retiring"),
}
# Their time is that of L3 and memory, which belong to the whole host.
SHARED = {
    "chase_l3",
    "chase_memory",
    "triad_memory",
    "sum_512_memory",
    "random_access",
    "halving_search",
    "transpose",
    "stores_past_caches",
}


def expected(name, core, cycles):
    """The worst nodes that the description, the core's published widths and the cycles of a twin allow."""
    widths = WIDTHS.get(core, WIDTHS["redwood-cove"])
    if name == "histogram_of_one" and widths["renames"]:
        return "Dependency_Chains"  # the count does not go through memory
    if name == "seidel":
        return "Dependency_Chains Divider"  # six additions of 2 cycles and a division of 13
    twin, times = TWINS.get(name, (None, None))
    if twin and cycles < NO_LONGER * times * measure(twin)[0]:
        return expected(twin, core, None)
    if name not in LOOPS:
        return KERNELS[name][1]
    slots, work, chain = LOOPS[name]
    cycles = {"slots": slots / widths["slots"], "chain": chain} | {
        unit: count / widths[unit] for unit, count in work.items()
    }
    longest = max(cycles, key=cycles.get)
    return (
        LIMITS.get(longest, "Ports_Utilization")
        if slots <= (1 - LOST) * widths["slots"] * cycles[longest]
        else "Retiring"
    )


def simulate(name, core, program=PROGRAM, level=3):
    """Cycles of the measured run, the worst node down to a level, level 1, and the core's name."""
    options = ["--sim-core", core] if core else []
    result = subprocess.run(
        [
            TOPDOWN,
            "--pmu",
            "sim",
            f"-l{level}",
            "--sim-sample",
            "1",
            "--toggle",
            "measured",
            "--no-anchor",
            "--no-last",
            "--format",
            "json",
            *options,
            program,
            name,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if result.returncode:
        sys.exit(f"{name}: exit status {result.returncode}: {result.stderr}")
    report = json.loads(result.stderr)
    titles = [node["title"] for node in report["nodes"] if node["worst_path"]]
    level_1 = " ".join(f"{node['value']:.0f}" for node in report["nodes"] if node["level"] == 1)
    used = re.search(r"\(([^)]*)\)", report["summary"]["machine"]).group(1)
    return (
        report["summary"]["cycles"],
        titles[-1] if titles and titles[0] != "Retiring" else "Retiring",
        level_1,
        used,
    )


def measure(name, program=PROGRAM):
    """Cycles of a round, and the clock in GHz, of the fastest."""
    said = [
        subprocess.run(
            [program, name, REPEATS], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(PROCESSES)
    ]
    return min(
        [float(number) for number in re.search(r" (\S+) cycles a round, (\S+) GHz", line).groups()]
        for line in said
    )


def row(name, rounds, core):
    (cycles, clock), (modelled, leaf, level_1, used) = measure(name), simulate(name, core)
    source, leaves = KERNELS[name][0], expected(name, used, cycles)
    ratio = modelled / rounds / cycles
    is_right, is_near = leaf in leaves.split(), CYCLES[0] <= ratio <= CYCLES[1]
    print(
        (
            f"| {name} | {source} | {leaves.replace(' ', ' or ')} | {leaf} | {'' if is_right else 'no'} |"
            f" {modelled / rounds:.2f} | {cycles:.2f} | {ratio:.2f} | {'' if is_near else 'no'} |"
            f" {clock:.2f} | {level_1} |"
        ),
        flush=True,
    )
    return is_right, is_near


def rounds_of(program=PROGRAM):
    """The rounds of each of a set's kernels, in its order."""
    listed = subprocess.run([program], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return {line.split()[0]: int(line.split()[1]) for line in listed.stdout.splitlines()}


def tell(what, results, names):
    right, near = ([results[name][i] for name in names] for i in (0, 1))
    print(
        f"{what}: worst node {sum(right)} of {len(right)} ({100 * sum(right) / len(right):.0f} %), cycles"
        f" {sum(near)} of {len(near)} ({100 * sum(near) / len(near):.0f} %)"
    )


def main():
    words = sys.argv[1:]
    core = words[words.index("--core") + 1] if "--core" in words else None
    wanted = [word for word in words if word in KERNELS]
    rounds = rounds_of()
    print(
        "| kernel | from | expected | modelled | right | cycles a round, modelled | natively | ratio | near |"
        " GHz | level 1 |\n|---|---|---|---|---|---:|---:|---:|---|---:|---|"
    )
    results = {name: row(name, rounds[name], core) for name in wanted or KERNELS if name in rounds}
    tell("\nAll", results, list(results))
    own = [name for name in results if name not in SHARED]
    if own and len(own) < len(results):
        tell("Without those of L3 and memory", results, own)


if __name__ == "__main__":
    main()
