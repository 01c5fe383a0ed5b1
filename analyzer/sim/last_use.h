/* SPDX-License-Identifier: GPL-2.0-or-later */
/* last_use.h - which temporaries of a superblock are still needed, and until where. */
#ifndef TOPDOWN_SIM_LAST_USE_H
#define TOPDOWN_SIM_LAST_USE_H

#include "sim/flow.h"

/* Sets last_use of each of the builder's temporaries: the number of a statement; that of the block's end is the one behind the last. */
void find_last_uses(struct builder *builder, const IRSB *superblock);

#endif
