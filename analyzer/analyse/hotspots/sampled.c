/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/hotspots/sampled.h"

#include <math.h>
#include <string.h>

#include "analyse/hotspots/weighing.h"
#include "common/base/table.h"

#define LONG_S 0.1 /* of CPU time: at any usual rate there is a sample in it */

static bool is_of_clock(const struct profile_event *event)
{
	return !strcmp(event->event, "cpu-clock") || !strcmp(event->event, "task-clock");
}

const char *sampled_rate(const struct profile_event *event, struct arena *arena)
{
	if (event->frequency)
		return arena_printf(arena, "%u a second", event->frequency);
	if (is_of_clock(event))
		return arena_printf(arena, "every %g ms", (double)event->period / 1e6);
	return arena_printf(arena, "every %llu", (unsigned long long)event->period);
}

static void add_note(struct sampled *sampled, struct table *known, const char *sentence)
{
	if (table_set(known, sentence, 0) == TABLE_NONE)
		sampled->notes[sampled->nnotes++] = sentence;
}

/* begin_new_exec() of Linux' fs/exec.c ends the events of a user on a program that the user may not look into. */
static const char *nothing_text(const struct profile *profile, const struct repeat *repeat, struct arena *arena)
{
	double ran_s = repeat->nruns ? repeat->runs[0].cpu_s : NOT_COUNTED;

	if (!(ran_s >= LONG_S) || !profile->nevents || !is_of_clock(&profile->events[0]))
		return "No sample was taken: what was sampled hardly ran, or waited all of the time.";
	return arena_printf(
		arena,
		"No sample was taken in %.2f s of CPU time: the kernel spent it, or it samples this program "
		"for root alone, as it does where a user may not read the program or gets other rights by it "
		"(set-uid).",
		ran_s);
}

/* What is said of the profile, which no table repeats (analyse/hotspots/hotspots.c), and of the runs. */
static void sampled_add_notes(struct sampled *sampled, const struct repeat *repeat, struct arena *arena)
{
	const struct profile *profile = sampled->profile;
	struct table known = TABLE_INIT(arena);

	sampled->notes = arena_array(arena, profile->nremarks + repeat->nremarks + 1, sizeof(*sampled->notes));
	for (size_t i = 0; i < profile->nremarks; i++)
		add_note(sampled, &known, profile->remarks[i]);
	for (size_t i = 0; i < repeat->nremarks; i++)
		add_note(sampled, &known, repeat->remarks[i]);
	if (!sampled->samples)
		add_note(sampled, &known, nothing_text(profile, repeat, arena));
}

#define MUCH_MORE 1.5

/* What nobody waits for is in no account of wait4(): samples have it. */
static double cpu_time_of(const struct count_run *run, const struct profile *profile)
{
	double sampled_s = 0;

	for (uint32_t i = 0; i < profile->nevents; i++)
		if (is_of_clock(&profile->events[i]))
			sampled_s += profile->events[i].weight * 1e-9;
	return sampled_s > MUCH_MORE * run->cpu_s + LONG_S ? sampled_s : run->cpu_s;
}

void sampled_fill(struct sampled *sampled, const struct measurement *measured, struct arena *arena)
{
	const struct counts *counts = &measured->parts[0];
	const struct repeat *repeat = &counts->repeats[0];

	*sampled = (struct sampled){ .origin = &counts->origin,
				     .profile = measured->profile,
				     .wall_s = NOT_COUNTED,
				     .cpus_used = NOT_COUNTED,
				     .runs = repeat->nruns };
	if (repeat->nruns) {
		sampled->wall_s = repeat->runs[0].wall_s;
		sampled->cpus_used = cpu_time_of(&repeat->runs[0], measured->profile) / repeat->runs[0].wall_s;
		sampled->waited_s = repeat->runs[0].waited_s;
		sampled->status = repeat->runs[0].status;
		sampled->has_status = counts->origin.command && sampled->status != STATUS_UNKNOWN;
	}
	for (uint32_t i = 0; i < measured->profile->nevents; i++) {
		if (!is_waiting_event(&measured->profile->events[i]))
			sampled->samples += measured->profile->events[i].samples;
		sampled->lost += measured->profile->events[i].lost;
	}
	software_results(&sampled->software, counts, arena);
	sampled_add_notes(sampled, repeat, arena);
}
