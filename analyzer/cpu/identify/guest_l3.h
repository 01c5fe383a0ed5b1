/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guest_l3.h - how much L3 a virtual machine really has: sysfs states the whole of the host's, of which other guests
 * use a part. It is measured once per boot and kept, so that two runs have the same.
 */
#ifndef TOPDOWN_CPU_IDENTIFY_GUEST_L3_H
#define TOPDOWN_CPU_IDENTIFY_GUEST_L3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/identify/machine.h"

/*
 * KiB of an L3 that answers like one: at most l3_kib, and l2_kib where none of it does. Kept, or measured in 40 to 150
 * ms (200 ms at most) and then kept in $XDG_STATE_HOME/topdown/l3-MACHINE.json. 0: nothing is known beyond l3_kib. The
 * machine is no guest or a snapshot, l3_kib is no more than 2 * l2_kib, the times say nothing, or they can't be kept:
 * the next run would find others.
 */
uint64_t guest_l3_kib(const struct machine *machine, uint64_t l2_kib, uint64_t l3_kib, struct arena *arena);

/* ---- the measurement: guest_l3_chase.c ---- */

#define GUEST_L3_SIZES 24

/*
 * Times of loads of which each needs the one before, on random lines that are used again as late as by a program: other
 * guests' lines come in between.
 */
struct l3_latencies {
	double l2_ns;		      /* of lines in L2 */
	double memory_ns;	      /* of lines in no cache */
	uint64_t kib[GUEST_L3_SIZES]; /* ascending, from 2 * L2 */
	double ns[GUEST_L3_SIZES];    /* of lines in so many KiB, each read before */
	size_t count;
};

/*
 * From this time on a load is one from memory: the geometric mean of L3's time and memory's. L3's is that of the first
 * size, or less where other guests left none of it. NAN: memory is not clearly slower than L2, as in an emulator.
 */
double guest_l3_limit(const struct l3_latencies *latencies);

/*
 * Fills latencies, up to l3_kib, 32 MiB, or two sizes like memory, whichever comes first. False: it took too long,
 * memory is not clearly slower than L2, there is no memory for it, or this architecture has no instruction that empties
 * caches.
 */
bool guest_l3_chase(struct l3_latencies *latencies, uint64_t l2_kib, uint64_t l3_kib) MUST_CHECK;

/*
 * The largest size below the first two in a row, or the last one, that are like memory: l2_kib where these are the
 * first, l3_kib where there are none. 0: the limit is unknown.
 */
uint64_t guest_l3_decide(const struct l3_latencies *latencies, uint64_t l2_kib, uint64_t l3_kib);

/* ---- the file ---- */

/* What was measured, and under which conditions: another one of those makes it stale. */
struct l3_kept {
	const char *cpu;  /* the machine's cpuid and its model's name */
	const char *boot; /* /proc/sys/kernel/random/boot_id */
	uint64_t l2_kib, l3_kib;
	uint64_t kib; /* l2_kib to l3_kib */
};

/* Replaces the file of the machine of this name. -1 when it can't be kept. */
int guest_l3_keep(const struct l3_kept *kept, const char *machine, struct error *err) MUST_CHECK;

/* The size that is kept under the conditions of now. 0: none, or the file is no such one, or not of the user's own. */
uint64_t guest_l3_kept(const struct l3_kept *now, const char *machine, struct arena *arena);

#endif
