# SPDX-License-Identifier: GPL-2.0-or-later
"""Sapphire Rapids, for programs that end, stay or are interrupted in odd ways; level 3 takes seven runs."""
from dataclasses import replace

from machine import definitions

BASE = definitions("sapphirerapids")["MACHINE"]

MACHINE = replace(BASE, qemu=[*BASE.qemu, "--smp", "2"], script="process")
