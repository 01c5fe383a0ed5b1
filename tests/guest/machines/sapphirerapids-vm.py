# SPDX-License-Identifier: GPL-2.0-or-later
"""The Sapphire Rapids of sapphirerapids.py as clouds rent it out: no slots and no PERF_METRICS, six general
counters, and no fixed counter but that of instructions, so that cycles take a general one and reference
cycles can't be counted.

The shares that are expected are computed here, from the rates, by the formulas of Intel's PerfSpect for such
machines (spr_alt_tma_metrics.json).
"""
from dataclasses import replace

from machine import definitions

BASE = definitions("sapphirerapids")["MACHINE"]
RATE = {name: rate for name, (_, rate) in BASE.rates.items()}

slots = RATE["TOPDOWN.SLOTS_P"]
dropped = RATE["INT_MISC.UOP_DROPPING"]
frontend = (RATE["IDQ_BUBBLES.CORE"] - dropped) / slots
latency = (RATE["IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE"] * 6 - dropped) / slots
backend = RATE["TOPDOWN.BACKEND_BOUND_SLOTS"] / slots
memory = RATE["TOPDOWN.MEMORY_BOUND_SLOTS"] / slots
retiring = RATE["UOPS_RETIRED.SLOTS"] / slots
heavy = RATE["UOPS_RETIRED.HEAVY"] / slots
bad = max(1 - (frontend + backend + retiring), 0)
mispredicts = RATE["TOPDOWN.BR_MISPREDICT_SLOTS"] / slots


def without(text, names):
    return ";".join(item for item in text.split(";") if item.split(":")[0] not in names)


HIDDEN = {
    "slots",
    *(
        f"topdown-{name}"
        for name in (
            "retiring",
            "bad-spec",
            "fe-bound",
            "be-bound",
            "heavy-ops",
            "br-mispredict",
            "fetch-lat",
            "mem-bound",
        )
    ),
}

MACHINE = replace(
    BASE,
    verified={},
    pmu={key: value for key, value in BASE.pmu.items() if key != "metrics"}
    | {
        "counters": "6",
        "fixed": "c0+100",
        "events": without(BASE.pmu["events"], HIDDEN),
        "caps": "pmu_name:sapphire_rapids;max_precise:0",
    },
    rates={name: item for name, item in BASE.rates.items() if name not in HIDDEN | {"TOPDOWN.SLOTS"}},
    level1={
        "tma_frontend_bound": 100 * frontend,
        "tma_bad_speculation": 100 * bad,
        "tma_backend_bound": 100 * backend,
        "tma_retiring": 100 * retiring,
    },
    deeper=BASE.deeper
    | {
        "tma_fetch_latency": 100 * latency,
        "tma_fetch_bandwidth": 100 * max(0, frontend - latency),
        "tma_branch_mispredicts": 100 * mispredicts,
        "tma_machine_clears": 100 * max(0, bad - mispredicts),
        "tma_memory_bound": 100 * memory,
        "tma_core_bound": 100 * max(0, backend - memory),
        "tma_heavy_operations": 100 * heavy,
        "tma_light_operations": 100 * max(0, retiring - heavy),
    },
    findings={
        "general_counters": ("limits", "6 of 8"),
        "fixed_counters": ("limits", "1 of 4; none for cycles, reference cycles"),
        "slots": ("limits", "none"),
    },
    note="This machine has no fixed counter for cycles, reference cycles",
    drill_level=0,
    part=(),
    fewer=4,
    refused=False,
    faults="vm",
)
