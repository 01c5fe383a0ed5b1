/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/late_sampler.h"

#include "program/code/profile_loops.h"

/* NULL: there is nobody yet to whom it could be passed on. */
static const struct companion *sampler_of(const struct late_sampler *late)
{
	return late->sampler ? sampler_companion(late->sampler) : NULL;
}

static int on_open(void *context, const struct companion_sites *sites, struct error *err)
{
	const struct late_sampler *late = context;

	return late->open(late->owner, sites, err);
}

static void on_attach(void *context, struct loop *loop)
{
	const struct companion *sampler = sampler_of(context);

	if (sampler)
		sampler->attach(sampler->context, loop);
}

static void on_change(void *context, bool is_on)
{
	const struct companion *sampler = sampler_of(context);

	if (sampler)
		sampler->change(sampler->context, is_on);
}

static void on_interval(void *context, size_t number)
{
	const struct companion *sampler = sampler_of(context);

	if (sampler)
		sampler->interval(sampler->context, number);
}

static void on_close(void *context)
{
	const struct companion *sampler = sampler_of(context);

	if (sampler)
		sampler->close(sampler->context);
}

void late_sampler_init(struct late_sampler *late,
		       int (*open)(void *owner, const struct companion_sites *sites, struct error *err), void *owner)
{
	*late = (struct late_sampler){ .open = open, .owner = owner };
	late->companion = (struct companion){ .context = late,
					      .open = on_open,
					      .attach = on_attach,
					      .change = on_change,
					      .interval = on_interval,
					      .close = on_close };
}

int late_sampler_open(const struct late_sampler *late, const struct companion_sites *sites, struct error *err)
{
	const struct companion *sampler = sampler_of(late);

	return sampler ? sampler->open(sampler->context, sites, err) : 0;
}

/* Of the functions with the most pairs of samples, which come by cycles. */
static void find_loops(struct profile *profile, const struct symbol_request *symbols, const struct request *request)
{
	double *weights = arena_array(request->arena, (size_t)profile->nplaces + 1, sizeof(*weights));
	const struct loop_request loops = { .symbols = symbols,
					    .weights = weights,
					    .most = request->question->nper_function };

	for (uint32_t i = 0; i < profile->ndeltas; i++)
		if (profile->deltas[i].to != PROFILE_NONE)
			weights[profile->deltas[i].to] += (double)profile->deltas[i].pairs;
	if (profile->ndeltas)
		profile_loops_find(profile, &loops);
}

int late_sampler_finish(const struct late_sampler *late, struct profile *profile, const char *whose,
			const struct request *request, struct error *err)
{
	const struct symbol_request lookup = { .sysroot = request->setup->machine.sysroot };
	struct error unnamed = { .text = "" };

	if (!late->sampler)
		return 0;
	if (sampler_finish(late->sampler, err) < 0)
		return -1;
	if (symbols_resolve(profile, &lookup, &unnamed) < 0)
		profile_remark(profile, arena_printf(profile->arena, "%s have no names: %s.", whose, unnamed.text));
	if (request->question->wants_roofline && request->question->nper_function)
		find_loops(profile, &lookup, request);
	profile_condense(profile);
	return 0;
}

int late_sampler_fail(const struct late_sampler *late)
{
	struct error ignored = { .text = "" };

	if (late->sampler && sampler_finish(late->sampler, &ignored) < 0)
		return -1;
	return -1;
}
