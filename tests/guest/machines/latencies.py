# SPDX-License-Identifier: GPL-2.0-or-later
"""Granite Rapids, whose samples say how long their instructions took to retire; its counters are Sapphire
Rapids'."""
from dataclasses import replace

from machine import definitions, intel

BASE = definitions("sapphirerapids")["MACHINE"]
LOCKED, CYCLES, PUBLISHED = (
    0.001,
    40,
    63.76,
)  # locked loads a cycle; cycles of each, chosen; Intel's mean of them

MACHINE = replace(
    BASE,
    qemu=["--cpu", "max,vendor=GenuineIntel,family=6,model=173,stepping=1"],
    pmu=BASE.pmu | {"precise": "3", "latencies": f"21d0:{CYCLES},3c6:{CYCLES}"},
    rates=BASE.rates | {"MEM_INST_RETIRED.LOCK_LOADS": (intel(0xD0, 0x21), LOCKED)},
    script="latencies",
)
