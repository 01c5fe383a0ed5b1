# SPDX-License-Identifier: GPL-2.0-or-later
"""Neoverse N1 with QEMU's own PMUv3 under the kernel's own driver. Each instruction takes a cycle of 1 ns,
and it never stalls."""
from machine import Machine

MACHINE = Machine(
    arch="arm64",
    qemu=["--cpu", "neoverse-n1", "--shift", "0"],
    cycles="CPU_CYCLES",
    ipc=1.0,
    khz=1_000_000,
    level1={"frontend_stalled_cycles": 0, "backend_stalled_cycles": 0},
    hidden="ITLB_WALK",  # PMCEID has few bits set: of level 3 these two nodes remain
)
