/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain.h - additions that each need the one before: one takes one cycle on every core that topdown knows, so their
 * time says the clock of the CPU that runs them.
 */
#ifndef TOPDOWN_COMMON_BASE_CHAIN_H
#define TOPDOWN_COMMON_BASE_CHAIN_H

/* Runs so many blocks of 64 additions; returns the number of additions, 0 on architectures without such a block. */
double chain_run(unsigned blocks);

#endif
