# SPDX-License-Identifier: GPL-2.0-or-later
"""The Sapphire Rapids of sapphirerapids.py, measured while a program waits for memory:
docs/sample-session.json has the
result. Not a test; recorded as docs/TESTING.md says.
"""
from dataclasses import replace

from machine import definitions

BASE = definitions("sapphirerapids")
SLOTS = BASE["SLOTS"]
FRONTEND, BAD, BACKEND, RETIRING = 0.056, 0.031, 0.682, 0.231
DROPPED = 0.004
LATENCY, MISPREDICTS, MEMORY, HEAVY = 0.031, 0.027, 0.547, 0.012
L1, L2, L3, DRAM, STORES = 0.041, 0.022, 0.068, 0.412, 0.017
IPC = 1.21

RATES = {
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
    "EXE_ACTIVITY.BOUND_ON_LOADS": L1 + L2 + L3 + DRAM,
    "MEMORY_ACTIVITY.STALLS_L1D_MISS": L2 + L3 + DRAM,
    "MEMORY_ACTIVITY.STALLS_L2_MISS": L3 + DRAM,
    "MEMORY_ACTIVITY.STALLS_L3_MISS": DRAM,
    "EXE_ACTIVITY.BOUND_ON_STORES": STORES,
    "ARITH.DIV_ACTIVE": 0.004,
}

MACHINE = replace(
    BASE["MACHINE"],
    ipc=IPC,
    rates={name: (config, RATES.get(name, rate)) for name, (config, rate) in BASE["MACHINE"].rates.items()},
    level1={
        "tma_frontend_bound": 100 * FRONTEND,
        "tma_bad_speculation": 100 * BAD,
        "tma_backend_bound": 100 * BACKEND,
        "tma_retiring": 100 * RETIRING,
    },
    deeper={"tma_memory_bound": 100 * MEMORY, "tma_l3_miss_bound": 100 * DRAM},
)
