/* SPDX-License-Identifier: GPL-2.0-or-later */
/* beside.c - what is open beside the groups: the PMUs beside the cores, and the companion, if there is one. */
#include "collect/count/collector.h"

size_t beside_runs(const struct collector *c)
{
	return c->request->companion ? c->request->companion->runs : 0;
}

int beside_open(struct collector *c, pid_t program, struct error *err)
{
	const struct companion *companion = c->request->companion;
	struct companion_sites sites = {
		.name = c->request->subject.name, .program = program, .run = c->run, .repeat = c->repeat
	};
	struct companion_site *items;

	units_open(c);
	if (!companion)
		return 0;
	items = arena_array(c->arena, c->sites.count, sizeof(*items));
	for (; sites.count < c->sites.count; sites.count++) {
		const struct site *site = &c->sites.items[sites.count];

		items[sites.count] =
			(struct companion_site){ .target = site_target(c, site, program), .type = site->type };
		items[sites.count].target.start = c->start;
	}
	sites.items = items;
	return companion->open(companion->context, &sites, err);
}

void beside_attach(const struct collector *c, struct loop *loop)
{
	if (c->request->companion)
		c->request->companion->attach(c->request->companion->context, loop);
}

void beside_change(const struct collector *c, bool is_on)
{
	units_switch(c, is_on);
	if (c->request->companion)
		c->request->companion->change(c->request->companion->context, is_on);
}

void beside_interval(const struct collector *c, size_t number)
{
	if (c->request->companion)
		c->request->companion->interval(c->request->companion->context, number);
}

void beside_close(struct collector *c)
{
	units_close(c);
	if (c->request->companion)
		c->request->companion->close(c->request->companion->context);
}
