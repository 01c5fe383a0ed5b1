/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts_file.h - the counts as a file in the form of wire.h: of the process, and with source rows or shares
 * of each source line or thread.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_COUNTS_FILE_H
#define TOPDOWN_SIMULATOR_GUEST_COUNTS_FILE_H

#include "simulator/guest/core_totals.h"
#include "simulator/guest/effects.h"
#include "simulator/guest/source_rows.h"
#include "simulator/guest/successor.h"
#include "simulator/guest/system_calls.h"

/* What a process keeps when it becomes another program by exec. */
struct heritage {
	ULong lineage;
	ULong head; /* instructions that are still to be modelled in full before sampling begins */
};

struct counts_request {
	const HChar *directory; /* the file's name in it is PID.NUMBER.counts, the first that is free */
	const struct block *blocks;
	const struct guest_threads *threads;
	ULong execs,
		failed_execs; /* another program takes the process's place after this file, or did not after the last */
	struct heritage heritage;	    /* for the program that takes the process's place */
	Bool is_whole;			    /* nothing was left out of the model since the last file */
	Bool is_continued;		    /* the same program goes on, into another file */
	const struct effects *effects;	    /* since the last file */
	const struct system_calls *calls;   /* likewise */
	const struct successor *successor;  /* of execs; what can't be simulated is named */
	ULong forks;			    /* processes that this one has started, each of which writes a file too */
	struct source_rows *source_rows;    /* NULL: nobody asked for them */
	const struct thread_shares *shares; /* all closed; NULL: nobody asked for them */
};

/* False when it can't be written. */
Bool counts_file_write(const struct counts_request *request);

/* From the last file of this process. False, and as it was: it has written none. */
Bool counts_file_inherit(struct heritage *heritage, const HChar *directory);

#endif
