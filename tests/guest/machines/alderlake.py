# SPDX-License-Identifier: GPL-2.0-or-later
"""Alder Lake: two performance cores (six slots, perf-metrics) and two efficient ones (five slots, all on
general counters)."""
from dataclasses import replace

from machine import Machine, definitions, intel

CORE = definitions("sapphirerapids")["MACHINE"]
SLOTS = 5
FRONTEND, BAD, BACKEND, RETIRING = 0.35, 0.05, 0.15, 0.45

ATOM = Machine(
    arch=CORE.arch,
    qemu=[],
    cycles="CPU_CLK_UNHALTED.CORE",
    ipc=1.2,
    khz=CORE.khz // 2,
    pmu={
        "name": "cpu_atom",
        "counters": "6",
        "fixed": "c0,3c,300",
        "masks": "0-0:0",
        "cpus": "2-3",
        "formats": (
            "event:config:0-7;umask:config:8-15;edge:config:18;pc:config:19;inv:config:23;cmask:config:24-31;"
            "offcore_rsp:config1:0-63;ldlat:config1:0-15"
        ),
        "events": (
            "branch-instructions:event=0xc4;branch-misses:event=0xc5;cpu-cycles:event=0x3c;instructions:event=0xc0;"  # noqa: E501
            "ref-cycles:event=0x00,umask=0x03;topdown-retiring:event=0xc2,umask=0x0;"
            "topdown-bad-spec:event=0x73,umask=0x0;topdown-fe-bound:event=0x71,umask=0x0;"
            "topdown-be-bound:event=0x74,umask=0x0"
        ),
        "caps": "pmu_name:alderlake_hybrid;branches:32;max_precise:3",
    },
    rates={
        "CPU_CLK_UNHALTED.CORE": (intel(0x3C), 1),
        "CPU_CLK_UNHALTED.REF_TSC": (intel(0x00, 0x03), 1),
        "INST_RETIRED.ANY": (intel(0xC0), 1.2),
        "TOPDOWN_FE_BOUND.ALL": (intel(0x71), SLOTS * FRONTEND),
        "TOPDOWN_BAD_SPECULATION.ALL": (intel(0x73), SLOTS * BAD),
        "TOPDOWN_BE_BOUND.ALL": (intel(0x74), SLOTS * BACKEND),
        "TOPDOWN_RETIRING.ALL": (intel(0xC2), SLOTS * RETIRING),
    },
    level1={
        "tma_frontend_bound": 100 * FRONTEND,
        "tma_bad_speculation": 100 * BAD,
        "tma_backend_bound": 100 * BACKEND,
        "tma_retiring": 100 * RETIRING,
    },
)

MACHINE = replace(
    CORE,
    qemu=[
        "--cpu",
        "max,vendor=GenuineIntel,family=6,model=151,stepping=2",
        "--smp",
        "4,sockets=1,cores=4,threads=1",
    ],
    pmu=CORE.pmu
    | {"name": "cpu_core", "cpus": "0-1", "caps": "pmu_name:alderlake_hybrid;branches:32;max_precise:3"},
    deeper=CORE.deeper,
    second=ATOM,
    script="hybrid",
)
