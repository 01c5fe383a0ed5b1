# SPDX-License-Identifier: GPL-2.0-or-later
"""Sapphire Rapids, for programs that are compared and judged. The second rates have more cycles for the same
instructions; all slots of the further cycles wait for memory. Time follows the instructions, so that a busy
host changes nothing.
"""
from dataclasses import replace

from machine import definitions

BASE = definitions("sapphirerapids")
FIRST = BASE["MACHINE"]
SLOTS = BASE["SLOTS"]
FURTHER = 1  # cycles for each cycle of the first rates

GROWN = {
    "CPU_CLK_UNHALTED.THREAD": FURTHER,
    "CPU_CLK_UNHALTED.THREAD:c1": FURTHER,
    "TOPDOWN.SLOTS": SLOTS * FURTHER,
    "TOPDOWN.SLOTS_P": SLOTS * FURTHER,
    "topdown-be-bound": SLOTS * FURTHER,
    "topdown-mem-bound": SLOTS * FURTHER,
    "TOPDOWN.BACKEND_BOUND_SLOTS": SLOTS * FURTHER,
    "TOPDOWN.MEMORY_BOUND_SLOTS": SLOTS * FURTHER,
    "EXE_ACTIVITY.BOUND_ON_LOADS": FURTHER,
    "MEMORY_ACTIVITY.STALLS_L1D_MISS": FURTHER,
    "MEMORY_ACTIVITY.STALLS_L2_MISS": FURTHER,
    "MEMORY_ACTIVITY.STALLS_L3_MISS": FURTHER,
}

MACHINE = replace(
    FIRST,
    qemu=[*FIRST.qemu, "--shift", "0"],
    rates2={name: (FIRST.rates[name][0], FIRST.rates[name][1] + more) for name, more in GROWN.items()},
    script="gate",
)
