/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unnamed_functions.h - where functions begin that have no symbol: in the table of .eh_frame_hdr, which strip leaves,
 * and which is mapped with the object (Linux Standard Base 5, 10.6.2).
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_UNNAMED_FUNCTIONS_H
#define TOPDOWN_SIMULATOR_GUEST_UNNAMED_FUNCTIONS_H

#include "simulator/guest/valgrind.h"

/* Where the function begins that has the address, which is mapped; 0: unknown. info: of its object. */
Addr unnamed_functions_find(const DebugInfo *info, Addr address);

#endif
