/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs.h - two commands, measured in turns: in each pair both, in an order that chance decides and the next pair
 * reverses (ABBA or BAAB), so that whatever drifts on the machine meets both alike.
 */
#ifndef TOPDOWN_COMMAND_PAIRS_H
#define TOPDOWN_COMMAND_PAIRS_H

#include "base/shell_words.h"
#include "command/commands.h"
#include "measurement/counts.h"

struct pair_request {
	const struct options *options; /* how it is measured: question, setup; setup.packing.repeats pairs */
	const char *texts[2];	       /* of the commands: before and after */
	struct shell_words commands[2];
	const char *cpus; /* both run on these; NULL: on any */
	bool is_duet;	  /* both at once, on two CPUs, which they swap from pair to pair */
};

enum pair_way {
	PAIRS_COUNTED,	/* with this machine's counters */
	PAIRS_TIMED,	/* no counter can be opened: wall time and CPU time, and one sampled run more of each */
	PAIRS_SIMULATED /* one simulation each, which repeats itself */
};

struct pairs {
	enum pair_way way;
	struct measurement sides[2]; /* repeat i of both is pair i */
	size_t count;
	bool is_cut; /* a signal ended it before all pairs were made */
};

#define USUAL_PAIRS 10

/* -1 where a command can't be run (err->status 126 or 127), or not even one pair could be measured. */
int pairs_measure(struct pairs *pairs, const struct pair_request *request, struct arena *arena,
		  struct error *err) MUST_CHECK;

#endif
