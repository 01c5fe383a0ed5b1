/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lookout.h - how far a simulation is, once a second, for whoever shows it on the terminal that the program may write
 * on too.
 */
#ifndef TOPDOWN_COLLECT_SIMULATE_LOOKOUT_H
#define TOPDOWN_COLLECT_SIMULATE_LOOKOUT_H

#include "common/base/arena.h"
#include "common/base/error.h"

struct simulated_so_far {
	double instructions, seconds;
	bool is_sampled; /* a part of the instructions is modelled by now, not all */
	bool is_idle;	 /* nothing was simulated since the last time, or it has ended: what is shown is to go */
	bool is_taken;	 /* the program has written there; what was shown has gone already */
};

/* What is called with it. */
struct simulation_listener {
	void *context;
	void (*so_far)(void *context, const struct simulated_so_far *so_far); /* NULL: nobody listens */
	bool has_line; /* it stands on a terminal, where the program may be in its way */
};

struct lookout {
	const struct simulation_listener *listener;
	const char *progress, *shown; /* files, of wire.h */
	double began_s;		      /* of clock_now() */
	double head;		      /* instructions until it is sampled */
	struct simulated_so_far last;
	bool is_shown;
};

#define LOOKOUT_PERIOD_S 1.0

/* In the folder of the counts. Without a listener nothing is made there. */
int lookout_open(struct lookout *lookout, const struct simulation_listener *listener, const char *folder,
		 struct arena *arena, struct error *err) MUST_CHECK;

/* At most once in LOOKOUT_PERIOD_S. */
void lookout_report(struct lookout *lookout);

/* The simulation has ended: the files go, and the listener learns whether what it shows still stands. */
void lookout_close(struct lookout *lookout);

#endif
