# SPDX-License-Identifier: GPL-2.0-or-later
"""Cascade Lake with two threads on its core: four counters each, and slots that both threads share.

The slots are half of what is counted for both threads. That takes the cycles' fixed counter at level 1, and rights.
"""
from machine import definitions

MACHINE = definitions("cascadelakex")["cascade_lake"](
    qemu=["--smp", "2,cores=1,threads=2"],
    counters=4,
    fewer=3,
    alone=0.5,
    cycles="CPU_CLK_UNHALTED.THREAD_ANY",
    no_ipc=("level1",),
    not_for_users=("tma_frontend_bound", "tma_bad_speculation", "tma_backend_bound", "tma_retiring"),
)
