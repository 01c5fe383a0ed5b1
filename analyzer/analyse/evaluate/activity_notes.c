/* SPDX-License-Identifier: GPL-2.0-or-later */
/* activity_notes.c - where the tree is about little of what the program does: it hardly ran, or it mostly waited. */
#include <math.h>

#include "analyse/evaluate/evaluation.h"

#define START_INSTRUCTIONS 3e6	 /* of a program in C with its kernel's part, up to its main function, and some more */
#define MOST_CPUS	   0.5	 /* of a program that mostly waits */
#define LEAST_SLEPT_S	   0.1	 /* of a simulation, where the disk takes as long as natively */
#define PREEMPTED_S	   0.004 /* that another program has the CPU at once: a time slice, of 3 ms, and some more */
#define MOST_PREEMPTIONS   20.0	 /* of a native run beside a simulated one: with several others, each costs more */

/* That the first thread waited is known; that others did follows from how often they had to leave their CPU. */
static struct time_used ready_too(double wall_s, double cpu_s, double waited_s, double preemptions)
{
	return (struct time_used){ wall_s, cpu_s, fmax(waited_s, preemptions * PREEMPTED_S) };
}

struct time_used time_used(const struct evaluation *e)
{
	const struct anchor *anchor = e->counts->anchor;
	const struct count_run *run = &e->repeat->runs[0];

	if (!e->model->is_simulated)
		return ready_too(run->wall_s, run->cpu_s, run->waited_s, run->preemptions);
	if (!anchor || !(anchor->cpu_s > 0) ||
	    (anchor->preemptions > MOST_PREEMPTIONS && anchor->waited_s < anchor->preemptions * PREEMPTED_S))
		return (struct time_used){ 0, 0, 0 };
	return ready_too(anchor->wall_s, anchor->cpu_s, anchor->waited_s, anchor->preemptions);
}

/* Who started before counting did was not started in it. */
static const char *little_text(const struct evaluation *e, double instructions)
{
	if (e->counts->origin.selector.kind == SUBJECT_PROGRAM)
		return arena_printf(e->arena,
				    "Only %.2f M instructions were executed, and starting a program takes about as "
				    "many: the tree says little about its own work.",
				    instructions / 1e6);
	return arena_printf(e->arena,
			    "Only %.2f M instructions were executed while it was counted: the tree says little about "
			    "what was measured.",
			    instructions / 1e6);
}

/* Who has to leave the CPU to others waits for it, and not for something to do. */
static bool is_waiting(const struct time_used *time)
{
	double idle_s = time->wall_s - time->cpu_s;

	return time->cpu_s < MOST_CPUS * time->wall_s && idle_s > WAITS_LEAST_S && time->ready_s < idle_s / 2;
}

/*
 * What hardly executes anything takes next to no time natively, but sleeps as long as in the simulation. Of more work
 * the simulator's own time says nothing.
 */
static double waited_in_simulation(const struct evaluation *e)
{
	const struct count_run *run = &e->repeat->runs[0];
	double idle_s = run->wall_s - run->cpu_s - fmax(run->waited_s, run->preemptions * PREEMPTED_S);

	return e->model->is_simulated && idle_s > LEAST_SLEPT_S ? idle_s : 0;
}

void activity_note(struct evaluation *e)
{
	const struct origin *origin = &e->counts->origin;
	double instructions = e->report->summary.instructions;
	struct time_used time;
	bool is_program = origin->selector.kind == SUBJECT_PROGRAM;

	/* An interval, a thread's part and whole CPUs have no CPU time. */
	if (origin->is_flat || !e->repeat->nruns || isnan(e->repeat->runs[0].cpu_s))
		return;
	time = time_used(e);
	if (time.wall_s > WAITS_FROM * time.cpu_s && time.wall_s - time.cpu_s - time.ready_s > WAITS_LEAST_S)
		e->report->waited_share = (time.wall_s - time.cpu_s - time.ready_s) / time.wall_s;
	/* That nothing ran at all is said elsewhere. */
	if (!origin->part && instructions < START_INSTRUCTIONS && (is_program || instructions > 0)) {
		note_add(e, "%s", little_text(e, instructions));
		e->report->start_note = e->report->notes[e->report->nnotes - 1];
		if (!(time.wall_s > 0) && waited_in_simulation(e) > 0) {
			note_add(e, "It waited for about %.1f s, which no tree covers.", waited_in_simulation(e));
			e->report->has_waited = true;
		}
	}
	/* Who has ended meanwhile did not wait. */
	if (is_waiting(&time) && !e->repeat->runs[0].has_lost_target) {
		note_add(e,
			 "%s mostly waited: it used %.2f CPUs. The tree covers the time in which it ran, not what it "
			 "waited for.",
			 is_program ? "The program" : "What was measured", time.cpu_s / time.wall_s);
		e->report->has_waited = true;
	}
}
