# SPDX-License-Identifier: GPL-2.0-or-later
"""Cascade Lake with two threads on its core: four counters each, and slots that both threads share.

The sibling is busy for half of the time, and then has half of the slots. To know how long it was takes two
counters more, so that level 1 takes two runs; recovery is counted for both threads, which takes rights.
"""
from machine import definitions

MACHINE = definitions("cascadelakex")["cascade_lake"](
    qemu=["--smp", "2,cores=1,threads=2"],
    counters=4,
    fewer=3,
    alone=0.5,
    cycles="CPU_CLK_UNHALTED.THREAD",
    level1_runs=2,
    refused=True,
    note="other thread was busy for 50 % of the time",
    not_for_users=("tma_bad_speculation", "tma_backend_bound"),
)
