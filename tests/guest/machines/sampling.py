# SPDX-License-Identifier: GPL-2.0-or-later
"""Sapphire Rapids, whose events are sampled; L3 misses, which locate a node, come often enough. The second
mix is that of phases.py, and computes less and moves more; a program switches between the two, so that its
functions have different trees and intensities."""
from dataclasses import replace

from machine import Placed, definitions, intel

SAPPHIRERAPIDS = definitions("sapphirerapids")
BASE = SAPPHIRERAPIDS["MACHINE"]
PHASES = definitions("phases")["MACHINE"]
L3_MISSES = 0.05  # of the cycles: one sample each 2 million cycles, by the database's period

# Instructions a cycle of the second mix, of which a tenth of the operations are those of vectors; lines a
# cycle.
FP_ARITH = SAPPHIRERAPIDS["FP_ARITH"]
SECOND_FP = {
    "SCALAR_DOUBLE": 0.36,
    "SCALAR_SINGLE": 0.09,
    "128B_PACKED_DOUBLE": 0.005,
    "128B_PACKED_SINGLE": 0.0025,
    "256B_PACKED_DOUBLE": 0.0025,
    "256B_PACKED_SINGLE": 0.00125,
    "512B_PACKED_DOUBLE": 0.000625,
    "512B_PACKED_SINGLE": 0.000625,
}
SECOND_OPERATIONS = {FP_ARITH[name][1:3]: FP_ARITH[name][3] * rate for name, rate in SECOND_FP.items()}
SECOND_LINES = {
    "L1D.REPLACEMENT": 0.2,
    "L2_LINES_IN.ALL": 0.1,
    "L2_LINES_OUT.NON_SILENT": 0.06,
    "LONGEST_LAT_CACHE.MISS": 0.03,
    "OCR.WRITE_ESTIMATE.MEMORY": 0.01,
}
SECOND = {**{f"FP_ARITH_INST_RETIRED.{name}": rate for name, rate in SECOND_FP.items()}, **SECOND_LINES}

SECOND_PLACED = Placed(
    widths=SECOND_OPERATIONS,
    lines={"L2": 0.2, "L3": 0.1 + 0.06, "DRAM": 0.03 + 0.01},
    sources=BASE.placed.sources,
    vectors=100
    * sum(rate for (_, bits), rate in SECOND_OPERATIONS.items() if bits >= 128)
    / sum(SECOND_OPERATIONS.values()),
)

MACHINE = replace(
    BASE,
    script="sampling",
    rates=BASE.rates | {"MEM_LOAD_RETIRED.L3_MISS": (intel(0xD1, 0x20), L3_MISSES)},
    rates2=PHASES.rates2 | {name: (BASE.rates[name][0], rate) for name, rate in SECOND.items()},
    second_level1=PHASES.second_level1,
)
