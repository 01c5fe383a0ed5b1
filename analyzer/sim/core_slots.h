/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_slots.h - moving the cycle of issue forward, with each slot that is lost by it charged to a cause. */
#ifndef TOPDOWN_SIM_CORE_SLOTS_H
#define TOPDOWN_SIM_CORE_SLOTS_H

#include "sim/core.h"

/* How many entries of the reorder buffer are taken. */
uint64_t slots_in_flight(const struct core *core);

/* How many micro-ops are in the scheduler. */
uint32_t slots_waiting(struct core *core);

/* Nothing issues before the cycle, because of one cause, at one place. */
void slots_lose(struct core *core, uint64_t until, enum cause cause, uint32_t place);

/* The same because room is missing: charged to the oldest instruction that has not retired, as long as it has not. */
void slots_wait(struct core *core, uint64_t until);

/* Waits until count more micro-ops have room in the scheduler. */
void slots_wait_scheduler(struct core *core, uint32_t count);

#endif
