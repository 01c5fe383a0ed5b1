/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pairs.h - two commands, measured in turns: in each pair both, in an order that chance decides and the next pair
 * reverses (ABBA or BAAB), so that whatever drifts on the machine meets both alike.
 */
#ifndef TOPDOWN_ENGINE_PAIRS_H
#define TOPDOWN_ENGINE_PAIRS_H

#include "common/base/shell_words.h"
#include "engine/engine.h"

struct pair_command {
	const char *text; /* what errors and notices call it */
	struct shell_words words;
};

struct pair_request {
	const struct setup *setup; /* how, but for its program's words; packing.repeats pairs, 0: USUAL_PAIRS */
	const struct question *question;
	struct pair_command commands[2]; /* before and after */
	const char *cpus;		 /* both run on these, "0-3,8"; NULL: on any */
	bool is_duet;			 /* both at once, on two CPUs, which they swap from pair to pair */
};

enum pair_way {
	PAIRS_COUNTED,	/* with this machine's counters */
	PAIRS_TIMED,	/* no counter can be opened: wall time and CPU time, and one sampled run more of each */
	PAIRS_SIMULATED /* one simulation each, which repeats itself */
};

struct pairs {
	enum pair_way way;
	struct measurement sides[2]; /* repeat i of both is pair i; they live in the arena */
	size_t count;
	bool is_cut; /* a signal ended it before all pairs were made */
};

#define USUAL_PAIRS 10

/*
 * The sink gets progress and notices, which are those of the first pair; the measurements are in pairs alone. -1 where
 * a command can't be run (err->status 126 or 127), or not even one pair could be measured.
 */
int pairs_measure(struct pairs *pairs, const struct pair_request *request, const struct sink *sink, struct arena *arena,
		  struct error *err) MUST_CHECK;

#endif
