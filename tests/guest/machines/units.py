# SPDX-License-Identifier: GPL-2.0-or-later
"""Sapphire Rapids with two sockets of one core with two threads, and its PMUs beside the cores.

Their formats are those of the kernel's driver (arch/x86/events/intel/uncore_snbep.c); two of a server's
dozens of caches are enough, since a sum over two differs from one.
"""
from dataclasses import replace

from machine import Units, definitions

BASE = definitions("sapphirerapids")["MACHINE"]
PLAIN = {
    "event": "config:0-7",
    "umask": "config:8-15",
    "edge": "config:18",
    "inv": "config:23",
    "thresh": "config:24-31",
}
JOULES = "2.3283064365386962890625e-10"

MACHINE = replace(
    BASE,
    qemu=[*BASE.qemu, "--smp", "4,sockets=2,cores=1,threads=2", "--memory", "1024"],
    units=(
        Units("uncore_imc", 4, 4, PLAIN),
        Units("uncore_cha", 2, 4, PLAIN | {"umask": "config:8-15,32-55"}),
        Units("uncore_upi", 3, 4, PLAIN | {"umask": "config:8-15,32-55"}),
        Units("uncore_m2m", 2, 4, PLAIN | {"umask": "config:8-15,32-39"}),
        Units("uncore_iio", 2, 4, PLAIN | {"ch_mask": "config:36-43", "fc_mask": "config:44-46"}),
        Units("uncore_pcu", 0, 4, PLAIN),
        Units(
            "power",
            0,
            8,
            {"event": "config:0-7"},
            {
                "energy-pkg": "event=0x02",
                "energy-pkg.scale": JOULES,
                "energy-pkg.unit": "Joules",
                "energy-ram": "event=0x03",
                "energy-ram.scale": JOULES,
                "energy-ram.unit": "Joules",
            },
        ),
        Units(
            "cstate_core",
            0,
            8,
            {"event": "config:0-63"},
            {"c1-residency": "event=0x00", "c6-residency": "event=0x02"},
        ),
        Units(
            "cstate_pkg",
            0,
            8,
            {"event": "config:0-63"},
            {"c2-residency": "event=0x00", "c6-residency": "event=0x02"},
        ),
    ),
    some_metrics=(
        "memory_bandwidth_read",
        "memory_bandwidth_total",
        "uncore_frequency",
        "tma_info_system_power",
    ),
    units_asked=(
        "cstate_core/c6-residency/",
        "cstate_pkg/c2-residency/",
        "power/energy-pkg/",
        "power/energy-ram/",
        "UNC_M_CAS_COUNT.RD",
        "msr/tsc/",
        "msr/smi/",
    ),
    script="units",
)
