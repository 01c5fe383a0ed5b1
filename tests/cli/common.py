#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""common.py - IPC, CPI, clock, utilization and MPKI under one set of names on every CPU that `list cpus` has.

The table below says by microarchitecture which events a value comes from; models/common.json and the vendors'
formulas are not read for it. Each event gets a count of its own, so a wrong event or factor shows.
"""
import fnmatch
import json
import math
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, check_success, finish, some, temporary, topdown

TIME_MS, TSC_HZ, CPU_S = 4000, 2_500_000_000, 3.2
E_CORES = (
    "alderlake:atom",
    "alderlaken",
    "meteorlake:atom",
    "arrowlake:atom",
    "arrowlake:lowpower",
    "lunarlake:atom",
    "pantherlake:atom",
    "novalake:atom",
    "sierraforest",
    "grandridge",
    "clearwaterforest",
    "elkhartlake",
    "snowridgex",
    "goldmont",
    "goldmontplus",
    "silvermont",
    "bonnell",
    "generic-atom",
    "generic-intel:atom",
)
NEHALEM = ("nehalem*", "westmere*")
OLD_LOADS = ("haswell*", "broadwell*", "ivybridge", "ivytown", "jaketown")
AMD = ("amdzen*", "generic-amd")
ARM = (
    "neoverse-*",
    "cortex-*",
    "ampere*",
    "emag",
    "thunderx2",
    "a64fx",
    "c1-*",
    "kunpeng920",
    "olympus",
    "generic-arm*",
)
GENERIC = ("generic-intel*", "generic-atom")  # only the architecture's events
OLD_ARM = ("emag", "thunderx2", "a64fx")  # Armv8.0 and 8.1 of others
WAITING = ("c1-ultra", "c1-premium", "c1-pro")  # their IPC is of the cycles without those of waiting (WFX)
CORTEX = tuple(f"cortex-a{number}" for number in (34, 35, 53, 57, 72, 73))  # Armv8.0

CYCLES = [
    (AMD, "ls_not_halted_cyc"),
    (ARM, "CPU_CYCLES"),
    (E_CORES, "CPU_CLK_UNHALTED.CORE"),
    (("*",), "CPU_CLK_UNHALTED.THREAD"),
]
INSTRUCTIONS = [(AMD, "ex_ret_instr"), (ARM, "INST_RETIRED"), (("*",), "INST_RETIRED.ANY")]
BY_CLOCK = (
    AMD + ARM + NEHALEM + ("bonnell",)
)  # those without an event that counts at the rate of the time stamp counter

# {name: [(CPUs, what is divided by a thousand instructions; None: there is no event)]}
MISSES = {
    "L1D_MPKI": [
        (GENERIC + ("novalake:atom", "generic-amd"), None),
        (NEHALEM, "L1D.REPL"),
        (("sandybridge", "jaketown"), "L1D.REPLACEMENT"),
        (("bonnell",), "L1D_CACHE.REPL"),
        (("silvermont", "knightslanding"), "MEM_UOPS_RETIRED.L1_MISS_LOADS"),
        (E_CORES + OLD_LOADS, "MEM_LOAD_UOPS_RETIRED.L1_MISS"),
        (("amdzen1",), "ls_mab_alloc.loads + ls_mab_alloc.stores"),
        (
            ("amdzen2",),
            (
                "ls_refills_from_sys.ls_mabresp_lcl_l2 + ls_refills_from_sys.ls_mabresp_lcl_cache"
                " + ls_refills_from_sys.ls_mabresp_lcl_dram + ls_refills_from_sys.ls_mabresp_rmt_cache"
                " + ls_refills_from_sys.ls_mabresp_rmt_dram"
            ),
        ),
        (("amdzen3",), "l1_data_cache_fills_all"),
        (AMD, "ls_any_fills_from_sys.all"),
        (("c1-nano",), "L1D_CACHE_REFILL_RD + L1D_CACHE_REFILL_WR"),
        (ARM, "L1D_CACHE_REFILL"),
        (("*",), "MEM_LOAD_RETIRED.L1_MISS"),
    ],
    "L2_MPKI": [
        (GENERIC + ("cortex-a53", "thunderx2"), None),
        (("novalake:atom",), "LONGEST_LAT_CACHE.REFERENCE"),
        (("generic-amd",), "l2_cache_req_stat.ic_dc_miss_in_l2"),
        (("c1-nano", "kunpeng920"), "L2D_CACHE_REFILL_RD + L2D_CACHE_REFILL_WR"),
        (("olympus",), "L2D_CACHE_REFILL_RD + L2D_CACHE_REFILL_WR + L2D_CACHE_REFILL_L1PRF"),
        (NEHALEM, "L2_RQSTS.LD_MISS"),
        (("sandybridge", "jaketown"), "L2_RQSTS.ALL_DEMAND_DATA_RD - L2_RQSTS.DEMAND_DATA_RD_HIT"),
        (("bonnell",), "MEM_LOAD_RETIRED.L2_MISS"),
        (("silvermont", "knightslanding"), "MEM_UOPS_RETIRED.L2_MISS_LOADS"),
        (E_CORES + OLD_LOADS, "MEM_LOAD_UOPS_RETIRED.L2_MISS"),
        (("amdzen[123]",), "l2_cache_req_stat.ic_dc_miss_in_l2 + l2_pf_miss_l2_hit_l3 + l2_pf_miss_l2_l3"),
        (
            ("amdzen4",),
            "l2_cache_req_stat.ic_dc_miss_in_l2 + l2_pf_miss_l2_hit_l3.all + l2_pf_miss_l2_l3.all",
        ),
        (AMD, "l2_cache_req_stat.ic_dc_miss_in_l2 + l2_pf_miss_l2_hit_l3.l2_hwpf + l2_pf_miss_l2_l3.l2_hwpf"),
        (ARM, "L2D_CACHE_REFILL"),
        (("*",), "MEM_LOAD_RETIRED.L2_MISS"),
    ],
    "LLC_MPKI": [
        (CORTEX + ("amdzen1", "generic-amd", "ampereone*", "kunpeng920") + OLD_ARM, None),
        (GENERIC + ("pantherlake:atom", "novalake:*"), "LONGEST_LAT_CACHE.MISS"),
        (NEHALEM, "MEM_LOAD_RETIRED.LLC_MISS"),
        (("bonnell",), "MEM_LOAD_RETIRED.L2_MISS"),
        (("knightslanding",), "MEM_UOPS_RETIRED.L2_MISS_LOADS"),
        (("sandybridge",), "MEM_LOAD_UOPS_MISC_RETIRED.LLC_MISS"),
        (("jaketown", "ivybridge", "ivytown"), "MEM_LOAD_UOPS_RETIRED.LLC_MISS"),
        (OLD_LOADS, "MEM_LOAD_UOPS_RETIRED.L3_MISS"),
        (("alderlake:atom", "alderlaken"), "MEM_LOAD_UOPS_RETIRED_MISC.L3_MISS"),
        (("sierraforest", "grandridge", "clearwaterforest"), "MEM_LOAD_UOPS_L3_MISS_RETIRED.ALL"),
        (E_CORES, "LONGEST_LAT_CACHE.MISS"),
        (("amdzen2",), "ls_refills_from_sys.ls_mabresp_lcl_dram + ls_refills_from_sys.ls_mabresp_rmt_dram"),
        (("amdzen3",), "ls_any_fills_from_sys.mem_io_local + ls_any_fills_from_sys.mem_io_remote"),
        (AMD, "ls_any_fills_from_sys.dram_io_all"),
        (ARM, "LL_CACHE_MISS_RD"),
        (("*",), "MEM_LOAD_RETIRED.L3_MISS"),
    ],
    "Branch_MPKI": [
        (("nehalem*",), "BR_MISP_EXEC.ANY"),
        (("bonnell",), "BR_INST_RETIRED.MISPRED"),
        (AMD, "ex_ret_brn_misp"),
        (CORTEX + ("cortex-a75", "kunpeng920", "thunderx2", "a64fx"), "BR_MIS_PRED"),
        (ARM, "BR_MIS_PRED_RETIRED"),
        (("*",), "BR_MISP_RETIRED.ALL_BRANCHES"),
    ],
    "ITLB_MPKI": [
        (GENERIC + ("cortex-a53", "generic-amd", "kunpeng920", "thunderx2"), None),
        (CORTEX + OLD_ARM, "L1I_TLB_REFILL"),
        (("goldmont",), "ITLB.MISS"),
        (("bonnell", "silvermont", "knightslanding"), "PAGE_WALKS.I_SIDE_WALKS"),
        (
            ("goldmontplus",),
            (
                "ITLB_MISSES.WALK_COMPLETED_4K + ITLB_MISSES.WALK_COMPLETED_2M_4M +"
                " ITLB_MISSES.WALK_COMPLETED_1GB"
            ),
        ),
        (("novalake:atom",), "ITLB_MISSES.MISS_CAUSED_WALK"),
        (("amdzen[123]",), "l2_itlb_misses"),
        (AMD, "bp_l1_tlb_miss_l2_tlb_miss.all"),
        (ARM, "ITLB_WALK"),
        (("*",), "ITLB_MISSES.WALK_COMPLETED"),
    ],
    "DTLB_MPKI": [
        (GENERIC + ("cortex-a53", "generic-amd"), None),
        (CORTEX + ("emag", "a64fx"), "L1D_TLB_REFILL"),
        (("kunpeng920", "thunderx2"), "L1D_TLB_REFILL_RD + L1D_TLB_REFILL_WR"),
        (NEHALEM, "DTLB_MISSES.WALK_COMPLETED"),
        (("goldmont",), "MEM_UOPS_RETIRED.DTLB_MISS"),
        (("bonnell", "silvermont", "knightslanding"), "PAGE_WALKS.D_SIDE_WALKS"),
        (
            ("goldmontplus",),
            " + ".join(
                f"DTLB_{kind}_MISSES.WALK_COMPLETED_{size}"
                for kind in ("LOAD", "STORE")
                for size in ("4K", "2M_4M", "1GB")
            ),
        ),
        (("novalake:atom",), "DTLB_LOAD_MISSES.MISS_CAUSED_WALK + DTLB_STORE_MISSES.MISS_CAUSED_WALK"),
        (("amdzen[123]",), "l2_dtlb_misses"),
        (("amdzen6",), "ls_l1_d_tlb_miss.l2_miss_all"),
        (AMD, "ls_l1_d_tlb_miss.all_l2_miss"),
        (ARM, "DTLB_WALK"),
        (("*",), "DTLB_LOAD_MISSES.WALK_COMPLETED + DTLB_STORE_MISSES.WALK_COMPLETED"),
    ],
}
NAMES = ("IPC", "CPI", "Clock", "CPUs_Utilized", *MISSES)


def pick(rows, cpu):
    return next(value for globs, value in rows if any(fnmatch.fnmatch(cpu, glob) for glob in globs))


def split(expression):
    return re.split(r" [+-] ", expression) if expression else []


def expected(cpu):
    """The counts that are chosen, and what follows from them."""
    cycles, instructions = pick(CYCLES, cpu), pick(INSTRUCTIONS, cpu)
    counts = {cycles: 8_000_000_000, instructions: 10_000_000_000, "cpu_time": CPU_S}
    if cycles == "CPU_CLK_UNHALTED.CORE":
        counts["CPU_CLK_UNHALTED.THREAD"] = counts[cycles]  # the same counter: these cores have one thread
    reference = None if any(fnmatch.fnmatch(cpu, glob) for glob in BY_CLOCK) else "CPU_CLK_UNHALTED.REF_TSC"
    if reference:
        counts[reference] = 6_000_000_000
    values = {"IPC": 1.25, "CPI": 0.8}
    if cpu in WAITING:
        counts["IMP_WFX_CLOCK_CYCLES"] = 1_600_000_000
        values = {"IPC": 10 / 6.4, "CPI": 0.64}
    if reference:
        values |= {"Clock": 8 / 6 * TSC_HZ / 1e9, "CPUs_Utilized": 6e9 / (TSC_HZ * TIME_MS / 1e3)}
    else:
        values |= {"Clock": 8 / CPU_S, "CPUs_Utilized": CPU_S / (TIME_MS / 1e3)}
    for number, (name, rows) in enumerate(MISSES.items()):
        terms = split(pick(rows, cpu))
        for place, event in enumerate(terms):
            counts.setdefault(event, (len(terms) - place) * (700_001 + 13_003 * number))
        signs = [-1 if f"- {event}" in pick(rows, cpu) else 1 for event in terms]
        values[name] = sum(sign * counts[event] for sign, event in zip(signs, terms)) / 1e7 if terms else None
    return counts, values


def listed(cpu):
    result = topdown("metrics", "--cpu", cpu, *NAMES, "--format", "json")
    check_success(result, f"{cpu}: all names are known")
    rows = json.loads(result.stdout or '{"metrics": []}')["metrics"]
    return {name: next((row for row in rows if is_called(row, name)), None) for name in NAMES}


def is_called(row, name):
    return name.lower() in [each.lower() for each in (row["name"], row["title"], *row["also_called"])]


def check_cpu(cpu, folder):
    counts, values = expected(cpu)
    rows = listed(cpu)
    file = folder / "counts.json"
    constants = {"SYSTEM_TSC_FREQ": TSC_HZ, "DURATIONTIMEINMILLISECONDS": TIME_MS}
    file.write_text(
        json.dumps(
            {"format": "topdown-counts", "cpu": cpu, "smt": 0, "constants": constants, "counts": counts}
        )
    )
    result = topdown("report", file, "--metrics", ",".join(NAMES), "--format", "json")
    check_success(result, f"{cpu}: report")
    found = {row["name"]: row for row in json.loads(result.stdout or '{"metrics": []}')["metrics"]}
    for name, value in values.items():
        row = rows[name] and found.get(rows[name]["name"])
        check(row, f"{cpu}: {name} is there", rows[name])
        if not row:
            continue
        if value is None:
            check(
                row["value"] is None and row["reason"] and rows[name]["failure"] == row["reason"],
                f"{cpu}: {name}: - with the reason",
                row,
            )
        else:
            check(
                row["value"] is not None and math.isclose(row["value"], value, rel_tol=1e-6),
                f"{cpu}: {name}: {value}",
                (row["value"], row["reason"]),
            )
        check(
            rows[name]["source"] in ("vendor", "topdown"),
            f"{cpu}: {name}: whose formula it is",
            rows[name]["source"],
        )
    explained = topdown("explain", "--cpu", cpu, *NAMES)
    check(
        explained.returncode == 0 and "no words" not in explained.stdout,
        f"{cpu}: all are explained",
        explained.stdout[-300:] + explained.stderr,
    )


def check_group():
    for cpu in ("clx", "zen2", "n1", "bonnell"):
        rows = json.loads(topdown("metrics", "--cpu", cpu, "Common", "--format", "json").stdout)["metrics"]
        check(len(rows) == len(NAMES), f"{cpu}: the group Common", [row["name"] for row in rows])
    rows = listed("zen2")
    check(
        [rows[name]["source"] for name in NAMES] == ["topdown"] * len(NAMES), "Zen 2 publishes none of them"
    )
    check(
        listed("spr")["IPC"]["source"] == listed("n1")["IPC"]["source"] == "vendor",
        "Intel and Arm publish IPC",
    )


def check_whole_cpus(folder):
    """The CPU time of whole CPUs is unknown, and that of a program is not the user mode's: no clock rate
    follows from either."""
    constants = {"DURATIONTIMEINMILLISECONDS": TIME_MS}
    file = folder / "no-time.json"
    file.write_text(
        json.dumps(
            {
                "format": "topdown-counts",
                "cpu": "amdzen3",
                "smt": 0,
                "constants": constants,
                "counts": {"ls_not_halted_cyc": 8e9, "ex_ret_instr": 1e10},
            }
        )
    )
    rows = json.loads(topdown("report", file, "--metrics", "Clock,IPC", "--format", "json").stdout)["metrics"]
    clock = next(row for row in rows if row["name"] == "clock")
    check(clock["value"] is None and "cpu_time" in clock["reason"], "no CPU time, no clock", clock)


def main():
    cpus = [row["name"] for row in json.loads(topdown("list", "cpus", "--format", "json").stdout)["cpus"]]
    check(len(cpus) >= 63, "CPUs", len(cpus))
    with temporary() as folder:
        for cpu in some(cpus):
            check_cpu(cpu, folder)
        check_whole_cpus(folder)
    check_group()
    finish()


main()
