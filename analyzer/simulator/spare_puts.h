/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spare_puts.h - writes of registers that nobody reads, as the block writes the register again first. VEX would remove
 * them before the model sees the block, and with them loads without a use (tool.c). Once the model has seen it they
 * only take time: a third of that of a program's own code.
 */
#ifndef TOPDOWN_SIMULATOR_SPARE_PUTS_H
#define TOPDOWN_SIMULATOR_SPARE_PUTS_H

#include "simulator/valgrind.h"

/* From a block as it is to run: with all that was added to it. */
void spare_puts_drop(IRSB *block, const VexGuestLayout *layout);

#endif
