# SPDX-License-Identifier: GPL-2.0-or-later
"""Sapphire Rapids with two sockets of one core with two threads: everything that topdown can be pointed
at."""
from dataclasses import replace

from machine import definitions

BASE = definitions("sapphirerapids")["MACHINE"]
KERNEL_SHARE = 0.25

MACHINE = replace(
    BASE,
    qemu=[*BASE.qemu, "--smp", "4,sockets=2,cores=1,threads=2", "--memory", "512"],
    pmu=BASE.pmu | {"kernel_share": str(round(1000 * KERNEL_SHARE))},
    kernel_share=KERNEL_SHARE,
    script="targets",
)
