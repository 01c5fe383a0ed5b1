# SPDX-License-Identifier: GPL-2.0-or-later
"""Sapphire Rapids, whose events are sampled; L3 misses, which locate a node, come often enough. The second mix is that of phases.py;
a program switches between the two, so that its functions have different trees."""
from dataclasses import replace

from machine import definitions, intel

BASE = definitions("sapphirerapids")["MACHINE"]
PHASES = definitions("phases")["MACHINE"]
L3_MISSES = 0.05  # of the cycles: one sample each 2 million cycles, by the database's period

MACHINE = replace(BASE, qemu=[*BASE.qemu, "--smp", "2"], script="sampling",
                  rates=BASE.rates | {"MEM_LOAD_RETIRED.L3_MISS": (intel(0xd1, 0x20), L3_MISSES)},
                  rates2=PHASES.rates2, second_level1=PHASES.second_level1)
