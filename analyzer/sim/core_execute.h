/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_execute.h - the instructions of a block on their way through delivery, issue, execution and retirement. */
#ifndef TOPDOWN_SIM_CORE_EXECUTE_H
#define TOPDOWN_SIM_CORE_EXECUTE_H

#include "sim/core.h"

/* All instructions of the block, without what its branch does to fetch. addresses: of its accesses; 0: was not made. */
void core_execute(struct core *core, const struct block *block, const uint64_t *addresses);

#endif
