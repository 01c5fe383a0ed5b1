/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_counts.c - what a run counts for the whole machine, in PMUs beside the cores: opened when the groups are, and
 * counted for the same time. Core types have plans of their own, so each has its own units.
 */
#include "collect/count/collector.h"

static const struct count_type *type_of(const struct collector *c, size_t type)
{
	return &c->request->types[type];
}

void units_open(struct collector *c)
{
	c->nunits = 0;
	for (size_t type = 0; type < c->request->ntypes; type++)
		c->nunits += type_of(c, type)->plan->nunits;
	c->units = arena_array(c->arena, c->nunits + 1, sizeof(*c->units));
	c->nunits = 0;
	for (size_t type = 0; type < c->request->ntypes; type++) {
		const struct plan *plan = type_of(c, type)->plan;

		for (size_t i = 0; i < plan->nunits; i++) {
			if (plan->units[i].run != c->run)
				continue;
			c->units[c->nunits] = (struct open_unit){ .type = type };
			perf_unit_open(&c->units[c->nunits++].group, &plan->units[i], &type_of(c, type)->model->events,
				       c->request->machine, c->arena);
		}
	}
}

void units_switch(const struct collector *c, bool is_on)
{
	for (size_t i = 0; i < c->nunits; i++)
		perf_unit_switch(&c->units[i].group, is_on);
}

void units_read(const struct collector *c)
{
	for (size_t i = 0; i < c->nunits; i++)
		perf_unit_read(&c->units[i].group);
}

void units_remember(const struct collector *c)
{
	for (size_t i = 0; i < c->nunits; i++)
		perf_unit_remember(&c->units[i].group);
}

void units_close(struct collector *c)
{
	for (size_t i = 0; i < c->nunits; i++)
		perf_unit_close(&c->units[i].group);
	c->nunits = 0;
}

size_t units_items(const struct collector *c, size_t type)
{
	const struct plan *plan = type_of(c, type)->plan;
	size_t items = 0;

	for (size_t i = 0; i < plan->nunits; i++)
		items += plan->units[i].count;
	return items;
}

void units_fill(const struct collector *c, size_t type, struct repeat *repeat, const struct unit_span *span)
{
	for (size_t i = 0; i < c->nunits; i++) {
		const struct perf_unit *group = &c->units[i].group;

		for (size_t k = 0; k < group->count && c->units[i].type == type; k++) {
			struct count *item = &repeat->items[repeat->count++];

			*item = (struct count){
				.event = type_of(c, type)->model->events.events[group->events[k].event].name,
				.group = span->group,
				.run = repeat->nruns - 1,
			};
			perf_unit_count(item, &group->events[k], span->is_interval);
		}
	}
}
