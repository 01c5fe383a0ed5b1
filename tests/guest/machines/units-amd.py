# SPDX-License-Identifier: GPL-2.0-or-later
"""Zen 4 with two sockets of two cores: data fabric, L3 and memory controllers.

The formats are those of the kernel's driver (arch/x86/events/amd/uncore.c) and of the memory controllers' in
Linux 6.9.
"""
from dataclasses import replace

from machine import Units, definitions

BASE = definitions("amdzen4")["MACHINE"]

MACHINE = replace(
    BASE,
    qemu=[*BASE.qemu[:2], "--smp", "4,sockets=2,cores=2,threads=1", "--memory", "1024"],
    second=None,
    units=(
        Units("amd_umc", 4, 4, {"event": "config:0-7", "rdwrmask": "config:8-9"}),
        Units("amd_df", 0, 4, {"event": "config:0-7,32-37", "umask": "config:8-15,24-27"}),
        Units(
            "amd_l3",
            0,
            6,
            {
                "event": "config:0-7",
                "umask": "config:8-15",
                "coreid": "config:42-44",
                "enallslices": "config:46",
                "enallcores": "config:47",
                "sliceid": "config:48-50",
                "threadmask": "config:56-57",
            },
        ),
    ),
    some_metrics=("umc_mem_read_bandwidth", "umc_mem_bandwidth", "l3_read_miss_latency"),
    units_turns="dram_read_data_for_local_processor",
    script="units",
)
