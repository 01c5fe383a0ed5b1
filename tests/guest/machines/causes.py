# SPDX-License-Identifier: GPL-2.0-or-later
"""Sapphire Rapids: what stands in the way of counting, and what happens meanwhile."""
from dataclasses import replace

from machine import definitions

BASE = definitions("sapphirerapids")["MACHINE"]

MACHINE = replace(BASE, qemu=[*BASE.qemu, "--memory", "1024"], script="causes")
