/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/simulation_parts.h"

#include "engine/sampling/sampling.h"

static void anchor_samples_begin(struct anchor_samples *samples)
{
	struct profile *profile = samples->measured->profile;
	const struct sample_request request = { .events = &samples->event,
						.nevents = 1,
						.stacks = SAMPLE_STACKS_NONE,
						.machine = samples->machine,
						.is_kernel_unwanted = true };

	samples->before = *profile;
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

	if (!samples->measured->profile || samples->late.sampler)
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
	struct profile *profile = samples->measured->profile;
	struct error refused = { .text = "" };

	if (sampled_finish(samples->late.sampler, profile, "Functions of the native run", samples->request, &refused) ==
	    0)
		return;
	if (profile->nremarks == samples->before.nremarks)
		profile_remark(profile,
			       arena_printf(profile->arena, "The native run was not sampled: %s.", refused.text));
	profile->nevents = samples->before.nevents;
	profile->seconds = samples->before.seconds;
}
