/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/simulation_parts.h"

#include "engine/sampling/sampling.h"

/* Into the simulation's profile, or, where the native run comes first, into one of its own. */
static void anchor_samples_begin(struct anchor_samples *samples)
{
	struct profile *profile = samples->measured->profile;
	const struct sample_request request = { .events = &samples->event,
						.nevents = 1,
						.stacks = SAMPLE_STACKS_NONE,
						.machine = samples->machine,
						.is_kernel_unwanted = !samples->is_first };

	if (!profile) {
		profile_init(&samples->own, samples->request->arena);
		profile = &samples->own;
	}
	samples->before = *profile;
	samples->profile = profile;
	profile->seconds = 0;
	samples->late.sampler = sampler_new(profile, &request);
	profile->method = samples->before.method; /* of the simulated stacks */
}

/* Always 0: what can't be sampled becomes a remark, and the run is made. */
static int anchor_samples_on_open(void *context, const struct observer_sites *sites, struct error *err)
{
	struct anchor_samples *samples = context;
	struct observer_site site = sites->items[0];
	struct observer_sites own = *sites;

	if (samples->late.sampler || (!samples->measured->profile && !samples->is_first))
		return 0;
	anchor_samples_begin(samples);
	own.items = &site;
	site.target.machine = samples->machine;
	site.target.arena = samples->request->arena;
	if (sampler_observe(&samples->late, &own, err) < 0)
		error_clear(err);
	return 0;
}

void anchor_samples_init(struct anchor_samples *samples, const struct measurement *measured,
			 const struct machine *machine, const struct request *request)
{
	const struct sampling_choice *choice = &request->setup->sampling;

	*samples = (struct anchor_samples){ .request = request, .machine = machine, .measured = measured };
	samples->event = (struct sample_event){ .name = "cpu-clock", .source = SAMPLE_CPU_CLOCK };
	samples->event.period = choice->period;
	if (!choice->period)
		samples->event.frequency = choice->frequency ? choice->frequency : USUAL_FREQUENCY;
	sampler_observer_init(&samples->late);
	samples->late.observer.open = anchor_samples_on_open;
	samples->late.observer.runs = 1;
}

void anchor_samples_finish(struct anchor_samples *samples)
{
	struct profile *profile = samples->profile;
	struct error refused = { .text = "" };

	if (samples->is_finished || !samples->late.sampler)
		return;
	samples->is_finished = true;
	if (sampled_finish(samples->late.sampler, profile, "Functions of the native run", samples->request, &refused) ==
	    0)
		return;
	if (profile->nremarks == samples->before.nremarks)
		profile_remark(profile,
			       arena_printf(profile->arena, "The native run was not sampled: %s.", refused.text));
	profile->nevents = samples->before.nevents;
	profile->seconds = samples->before.seconds;
}

/* The same place of the other profile, with its names. */
static uint32_t place_in(struct profile *to, const struct profile *from, uint32_t number)
{
	const struct profile_place *place = &from->places[number];
	uint32_t module = profile_module(to, &from->modules[place->module]);
	uint32_t same = profile_place(to, module, place->address);

	if (!to->places[same].nframes) {
		to->places[same].frames = place->frames;
		to->places[same].nframes = place->nframes;
	}
	return same;
}

/* Samples have no callers here. */
static void add_row(struct profile *to, const struct profile *from, const struct profile_row *row, uint32_t event)
{
	struct profile_row like = *row, *same;

	like.stack = profile_stack(to, place_in(to, from, from->stacks[row->stack].place), PROFILE_NONE);
	like.task = profile_task(to, &from->tasks[row->task]);
	like.event = event;
	same = profile_row(to, &like);
	same->samples += row->samples;
	same->weight += row->weight;
}

/* The simulation is of user mode, and so is the time that stands beside it. */
static bool is_user(const struct profile *from, const struct profile_row *row)
{
	const struct profile_place *place = &from->places[from->stacks[row->stack].place];
	enum module_kind kind = from->modules[place->module].kind;

	return kind != MODULE_KERNEL && kind != MODULE_DRIVER;
}

static void leave_out(struct profile_event *event, const struct profile_row *row)
{
	event->samples -= row->samples;
	event->weight -= row->weight;
}

void anchor_samples_move(struct anchor_samples *samples)
{
	struct profile *from = &samples->own, *to = samples->measured->profile;
	uint32_t event;

	if (samples->profile != from || !to || !from->nevents)
		return;
	event = profile_event(to, &from->events[0]);
	for (uint32_t i = 0; i < from->nrows; i++)
		if (is_user(from, &from->rows[i]))
			add_row(to, from, &from->rows[i], event);
		else
			leave_out(&to->events[event], &from->rows[i]);
	for (size_t i = 0; i < from->nremarks; i++)
		profile_remark(to, from->remarks[i]);
	to->seconds = from->seconds;
}
