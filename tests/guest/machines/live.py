# SPDX-License-Identifier: GPL-2.0-or-later
"""The Sapphire Rapids of sapphirerapids.py, whose intervals are counted and sampled at once. Seven events of
ASKED and the one that level 1 has on a general counter fill all eight: what is sampled beside them needs one
of these."""
from dataclasses import replace

from machine import definitions

BASE = definitions("sampling")["MACHINE"]
ASKED = (
    "BR_INST_RETIRED.ALL_BRANCHES",
    "BR_INST_RETIRED.COND",
    "BR_INST_RETIRED.NEAR_TAKEN",
    "BR_INST_RETIRED.NEAR_CALL",
    "BR_MISP_RETIRED.ALL_BRANCHES",
    "BR_MISP_RETIRED.COND",
    "UOPS_ISSUED.ANY",
)

MACHINE = replace(BASE, script="live", asked=ASKED, rates2={}, second_level1={})
