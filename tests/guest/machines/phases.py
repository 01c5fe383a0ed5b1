# SPDX-License-Identifier: GPL-2.0-or-later
"""The Sapphire Rapids of sapphirerapids.py, with a second mix of rates that alternates with its own by time:
40 points less retiring, 40 more backend bound.
"""
from dataclasses import replace

from machine import definitions

BASE = definitions("sapphirerapids")
FIRST = BASE["MACHINE"]
SLOTS, CYCLES = BASE["SLOTS"], 1
FRONTEND, BAD, BACKEND, RETIRING = 0.12, 0.10, 0.72, 0.06
DROPPED = 0.004
LATENCY, MISPREDICTS, MEMORY, HEAVY = 0.05, 0.08, 0.62, 0.01
L1, L2, L3, DRAM, STORES = 0.05, 0.03, 0.12, 0.42, 0.09  # of the cycles
ICACHE, ITLB, LCP, DIVIDER = 0.02, 0.005, 0.001, 0.15
IPC = 0.5

SECOND = {
    "INST_RETIRED.ANY": IPC,
    "topdown-retiring": SLOTS * RETIRING,
    "topdown-bad-spec": SLOTS * (BAD - DROPPED),
    "topdown-fe-bound": SLOTS * (FRONTEND + DROPPED),
    "topdown-be-bound": SLOTS * BACKEND,
    "topdown-heavy-ops": SLOTS * HEAVY,
    "topdown-br-mispredict": SLOTS * MISPREDICTS,
    "topdown-fetch-lat": SLOTS * (LATENCY + DROPPED),
    "topdown-mem-bound": SLOTS * MEMORY,
    "INT_MISC.UOP_DROPPING": SLOTS * DROPPED,
    "ICACHE_DATA.STALLS": ICACHE,
    "ICACHE_TAG.STALLS": ITLB,
    "DECODE.LCP": LCP,
    "EXE_ACTIVITY.BOUND_ON_LOADS": L1 + L2 + L3 + DRAM,
    "MEMORY_ACTIVITY.STALLS_L1D_MISS": L2 + L3 + DRAM,
    "MEMORY_ACTIVITY.STALLS_L2_MISS": L3 + DRAM,
    "MEMORY_ACTIVITY.STALLS_L3_MISS": DRAM,
    "EXE_ACTIVITY.BOUND_ON_STORES": STORES,
    "ARITH.DIV_ACTIVE": DIVIDER,
}

# Programs shall begin and end in little of the time that their phases take: 2 ns for an instruction.
MACHINE = replace(
    FIRST,
    qemu=[*FIRST.qemu, "--shift", "1"],
    rates2={name: (FIRST.rates[name][0], rate * CYCLES) for name, rate in SECOND.items()},
    second_level1={
        "tma_frontend_bound": 100 * FRONTEND,
        "tma_bad_speculation": 100 * BAD,
        "tma_backend_bound": 100 * BACKEND,
        "tma_retiring": 100 * RETIRING,
    },
    second_deeper={
        "tma_fetch_latency": 100 * LATENCY,
        "tma_fetch_bandwidth": 100 * (FRONTEND - LATENCY),
        "tma_branch_mispredicts": 100 * MISPREDICTS,
        "tma_machine_clears": 100 * (BAD - MISPREDICTS),
        "tma_memory_bound": 100 * MEMORY,
        "tma_core_bound": 100 * (BACKEND - MEMORY),
        "tma_heavy_operations": 100 * HEAVY,
        "tma_light_operations": 100 * (RETIRING - HEAVY),
        "tma_icache_misses": 100 * ICACHE,
        "tma_itlb_misses": 100 * ITLB,
        "tma_lcp": 100 * LCP,
        "tma_l1_bound": 100 * L1,
        "tma_l2_bound": 100 * L2,
        "tma_l3_bound": 100 * L3,
        "tma_l3_miss_bound": 100 * DRAM,
        "tma_store_bound": 100 * STORES,
        "tma_divider": 100 * DIVIDER,
    },
    script="phases",
)
