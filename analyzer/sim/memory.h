/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.h - zeroed memory for the model, never given back; the tool and the unit tests each bring their own. Never NULL. */
#ifndef TOPDOWN_SIM_MEMORY_H
#define TOPDOWN_SIM_MEMORY_H

#include <stddef.h>

void *sim_allocate(size_t count, size_t size);

#endif
