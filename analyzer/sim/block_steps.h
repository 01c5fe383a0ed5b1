/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block_steps.h - a block's instructions as steps, in which the core goes through it. */
#ifndef TOPDOWN_SIM_BLOCK_STEPS_H
#define TOPDOWN_SIM_BLOCK_STEPS_H

#include "sim/block.h"

/* Fills in steps and nsteps of a block whose instructions and micro-ops are finished. */
void block_make_steps(struct block *block, const struct parameters *parameters);

#endif
