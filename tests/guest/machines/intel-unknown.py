# SPDX-License-Identifier: GPL-2.0-or-later
"""A CPU that no data file knows, with the PMU of Sapphire Rapids: what PERF_METRICS has, as it stands there.

The corrections of a known CPU are missing: dropped operations stay frontend bound.
"""
from dataclasses import replace

from machine import definitions

SPR = definitions("sapphirerapids")
FRONTEND, BAD = SPR["FRONTEND"] + SPR["DROPPED"], SPR["BAD"] - SPR["DROPPED"]
LATENCY, MISPREDICTS, MEMORY, HEAVY = (
    SPR["LATENCY"] + SPR["DROPPED"],
    SPR["MISPREDICTS"],
    SPR["MEMORY"],
    SPR["HEAVY"],
)

MACHINE = replace(
    SPR["MACHINE"],
    qemu=["--cpu", "max,vendor=GenuineIntel,family=6,model=240,stepping=1"],
    level1={
        "tma_frontend_bound": 100 * FRONTEND,
        "tma_bad_speculation": 100 * BAD,
        "tma_backend_bound": 100 * SPR["BACKEND"],
        "tma_retiring": 100 * SPR["RETIRING"],
    },
    deeper={
        "tma_fetch_latency": 100 * LATENCY,
        "tma_fetch_bandwidth": 100 * (FRONTEND - LATENCY),
        "tma_branch_mispredicts": 100 * MISPREDICTS,
        "tma_machine_clears": 100 * (BAD - MISPREDICTS),
        "tma_memory_bound": 100 * MEMORY,
        "tma_core_bound": 100 * (SPR["BACKEND"] - MEMORY),
        "tma_heavy_operations": 100 * HEAVY,
        "tma_light_operations": 100 * (SPR["RETIRING"] - HEAVY),
    },
    drill_level=0,
    placed=None,
    verified={"divide": "tma_core_bound", "adds": "tma_retiring"},  # its tree ends above the divider
    drilled=(),
    not_drilled=(),
    part=(),
    part_rows=(),
    fewer=0,
    refused=False,
    faults="",
)
