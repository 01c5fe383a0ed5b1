# SPDX-License-Identifier: GPL-2.0-or-later
"""guest_l3_made.py - what topdown keeps of a guest's L3, made up."""
L3_OF_A_GUEST = {
    "format": "topdown-l3",
    "version": 1,
    "cpu": "AuthenticAMD-25-11-1, AMD EPYC",
    "boot": "0552c4c8-6627-4440-bf24-d05a17fd864c",
    "l2_kib": 1024,
    "l3_kib": 32768,
    "answers_kib": 8192,
}
