/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/sampling/sampling.h"

#include <string.h>

#include "analyse/hotspots/locating.h"
#include "common/base/text.h"

#define FREQUENCY	 1000 /* samples a second of each event */
#define FREQUENCY_BESIDE 400  /* in a run that counts: each sample takes time from what is counted */

/* What was counted is not lost where nothing can be sampled: on_finish says why. */
static int latencies_on_open(void *context, const struct observer_sites *sites, struct error *err UNUSED)
{
	struct latencies *latencies = context;
	struct observer_sites own = *sites;
	struct error refused = { .text = "" };

	if (sites->run < latencies->first_run)
		return 0;
	own.run -= latencies->first_run;
	if (sampler_observe(&latencies->late, &own, &refused) < 0)
		request_notice(latencies->request, NOTICE_WARNING, "%s", refused.text);
	return 0;
}

/* The event itself: what its samples say is the latency. */
static const struct event *sampled_event(const struct event *event, struct arena *arena)
{
	struct event *plain = arena_alloc(arena, sizeof(*plain));

	*plain = *event;
	plain->name = event->row->name;
	plain->is_retire_latency = false;
	return plain;
}

static bool latencies_has_event(const struct latencies *latencies, const char *name, size_t type)
{
	for (size_t i = 0; i < latencies->nevents; i++)
		if (latencies->events[i].type == type && !strcmp(latencies->events[i].name, name))
			return true;
	return false;
}

static void take_event(struct latencies *latencies, size_t type, const struct event *event)
{
	struct arena *arena = latencies->request->arena;
	const struct event_database *database = latencies->types->items[type].model.database;

	if (!event->is_retire_latency || !event->row || latencies_has_event(latencies, event->row->name, type))
		return;
	latencies->events[latencies->nevents++] = (struct sample_event){
		.name = event->row->name,
		.source = SAMPLE_EVENT,
		.event = sampled_event(event, arena),
		.type = type,
		.frequency = latencies->is_beside ? FREQUENCY_BESIDE : FREQUENCY,
		.precise = locating_precise(database, event->row),
	};
}

static void take_type(struct latencies *latencies, size_t type)
{
	const struct model *model = &latencies->types->items[type].model;
	const struct plan *plan = latencies->plans[type];

	for (size_t i = 0; i < plan->nwanted; i++) {
		const struct metric *metric = &model->metrics[plan->wanted[i]];

		for (size_t k = 0; k < metric->nevents; k++)
			take_event(latencies, type, &model->events.events[metric->events[k]]);
	}
}

static bool begin_sampling(struct latencies *latencies, size_t first_run)
{
	const struct target_types *types = latencies->types;
	struct arena *arena = latencies->request->arena;
	struct sample_request request = { .machine = &types->items[0].machine,
					  .stacks = SAMPLE_STACKS_NONE,
					  .wants_latencies = true };
	size_t most = 1;

	for (size_t i = 0; i < types->count; i++)
		most += types->items[i].model.events.count;
	latencies->events = arena_array(arena, most, sizeof(*latencies->events));
	for (size_t i = 0; i < types->count; i++)
		take_type(latencies, i);
	if (!latencies->nevents)
		return false;
	latencies->first_run = first_run;
	request.events = latencies->events;
	request.nevents = latencies->nevents;
	profile_init(&latencies->profile, arena);
	latencies->late.sampler = sampler_new(&latencies->profile, &request);
	latencies->late.observer.runs = first_run + 1;
	return true;
}

bool latencies_begin(struct latencies *latencies, size_t first_run)
{
	if (!latencies->request || latencies->late.sampler)
		return false;
	return begin_sampling(latencies, first_run);
}

static void add_mean(struct repeat *repeat, const char *name, const struct profile_event *sampled, struct arena *arena)
{
	const struct count mean = {
		.event = name,
		.value = sampled->latencies / (double)sampled->samples,
		.raw = sampled->samples,
		.enabled_ns = 1,
		.running_ns = 1,
		.state = COUNT_OK,
	};

	repeat_add(repeat, &mean, arena);
}

static bool is_of_type(const struct latencies *latencies, const struct counts *part, size_t type)
{
	const char *cpu = latencies->types->items[type].model.cpu;

	return latencies->types->count == 1 || (part->origin.cpu && cpu && !strcmp(part->origin.cpu, cpu));
}

static void add_means(const struct latencies *latencies, struct measurement *measured, size_t number,
		      struct arena *arena)
{
	const struct profile_event *sampled = &latencies->profile.events[number];
	const struct sample_event *event = &latencies->events[number];
	const char *name = arena_printf(arena, "%s" RETIRE_LATENCY, event->name);

	for (size_t i = 0; i < measured->count; i++)
		for (size_t k = 0;
		     k < measured->parts[i].nrepeats && is_of_type(latencies, &measured->parts[i], event->type); k++)
			add_mean(&measured->parts[i].repeats[k], name, sampled, arena);
}

/* Of those that a sample with a latency has come of; their number. */
static size_t add_known(const struct latencies *latencies, struct measurement *measured, struct arena *arena)
{
	size_t known = 0;

	for (size_t i = 0; i < latencies->nevents && i < latencies->profile.nevents; i++) {
		if (!(latencies->profile.events[i].latencies > 0))
			continue;
		known++;
		add_means(latencies, measured, i, arena);
	}
	return known;
}

struct measurement latencies_so_far(const struct latencies *latencies, const struct measurement *interval,
				    struct arena *arena)
{
	struct measurement with = *interval;

	if (!latencies->nevents)
		return with;
	with.parts = arena_array(arena, interval->count + 1, sizeof(*with.parts));
	for (size_t i = 0; i < interval->count; i++) {
		struct counts *part = &with.parts[i];

		*part = interval->parts[i];
		part->repeats = arena_array(arena, part->nrepeats + 1, sizeof(*part->repeats));
		if (part->nrepeats)
			memcpy(part->repeats, interval->parts[i].repeats, part->nrepeats * sizeof(*part->repeats));
	}
	(void)add_known(latencies, &with, arena);
	return with;
}

static void remark(struct measurement *measured, const char *sentence, struct arena *arena)
{
	struct repeat *first = measured->count && measured->parts[0].nrepeats ? &measured->parts[0].repeats[0] : NULL;
	const char **remarks;

	if (!first)
		return;
	remarks = arena_array(arena, first->nremarks + 1, sizeof(*remarks));
	for (size_t i = 0; i < first->nremarks; i++)
		remarks[i] = first->remarks[i];
	remarks[first->nremarks++] = sentence;
	first->remarks = remarks;
}

static void on_finish(void *context, struct measurement *measured)
{
	struct latencies *latencies = context;
	struct arena *arena = latencies->request->arena;
	struct error err = { .text = "" };
	size_t known, samples = 0;

	if (!latencies->late.sampler)
		return;
	if (sampler_finish(latencies->late.sampler, &err) < 0 && measured) {
		request_notice(latencies->request, NOTICE_WARNING,
			       "no retire latency was sampled, so the vendor's means are used: %s", err.text);
		return;
	}
	for (size_t i = 0; measured && i < latencies->nevents && i < latencies->profile.nevents; i++)
		samples += latencies->profile.events[i].samples;
	if (!measured)
		return;
	known = add_known(latencies, measured, arena);
	if (known)
		remark(measured,
		       arena_printf(arena, "Retire latencies of %zu of %zu events are means of samples, %zu in all%s.",
				    known, latencies->nevents, samples,
				    known < latencies->nevents ? "; the vendor's means are used for the others" : ""),
		       arena);
	else
		remark(measured,
		       samples ? "The samples have no retire latencies: this CPU or kernel does not measure them. The "
				 "vendor's means are used."
			       : "No retire latency was sampled, so the vendor's means are used.",
		       arena);
}

bool latencies_init(struct latencies *latencies, const struct target_types *types, struct plan *const *plans,
		    const struct request *request)
{
	if (!request->setup->packing.wants_latencies)
		return false;
	*latencies = (struct latencies){
		.request = request, .types = types, .plans = plans, .is_beside = request->setup->timing.interval_ms > 0
	};
	sampler_observer_init(&latencies->late);
	latencies->late.observer.open = latencies_on_open;
	latencies->late.observer.finish = on_finish;
	return true;
}
