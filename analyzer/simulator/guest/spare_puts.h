/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spare_puts.h - writes of registers that nobody reads, as the block writes the register again first. VEX would remove
 * them before the model sees the block, and with them loads without a use (tool.c). Once the model has seen it they
 * only take time. At each access to memory and at each exit all registers are up to date, as by VEX's
 * allregs-at-mem-access.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_SPARE_PUTS_H
#define TOPDOWN_SIMULATOR_GUEST_SPARE_PUTS_H

#include "simulator/guest/valgrind.h"

/* From a block as it is to run: with all that was added to it. */
void spare_puts_drop(IRSB *block, const VexGuestLayout *layout);

#endif
