/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - the counts as a file: lines of "name value", the names those of events/sim.json, and the line "end", without which the file is not
 * whole. With places more of them follow, each below a
 * line "@LINE<tab>FUNCTION<tab>FILE<tab>OBJECT" that says of which source line they are; what is unknown is 0 or empty. With shares those of each
 * thread follow, below a line "%NUMBER<tab>NAME".
 */
#ifndef TOPDOWN_SIM_OUTPUT_H
#define TOPDOWN_SIM_OUTPUT_H

#include "sim/places.h"
#include "sim/shares.h"

struct output_request {
	const HChar *directory; /* the file's name in it is PID.NUMBER.counts, the first that is free */
	const struct block *blocks;
	const struct threads *threads;
	ULong execs,
		failed_execs; /* another program takes the process's place after this file, or did not after the last */
	ULong lineage;	      /* told to the program that takes the process's place */
	ULong refused_execs;  /* of failed_execs, those that Valgrind has refused */
	ULong forks;	      /* processes that this one has started, each of which writes a file too */
	const struct places *places; /* NULL: nobody asked for them */
	const struct shares *shares; /* all closed; NULL: nobody asked for them */
};

/* False when it can't be written. */
Bool output_write(const struct output_request *request);

/* The lineage in the last file of this process; 0: it has written none. */
ULong output_lineage(const HChar *directory);

#endif
