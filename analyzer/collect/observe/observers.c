/* SPDX-License-Identifier: GPL-2.0-or-later */
/* observers.c - what is open beside the groups: the PMUs beside the cores, and the request's observers. */
#include "collect/count/collector.h"

size_t observers_runs(const struct collector *c)
{
	size_t most = 0;

	for (struct observer *const *each = c->request->observers; each && *each; each++)
		most = (*each)->runs > most ? (*each)->runs : most;
	return most;
}

int observers_open(struct collector *c, pid_t program, struct error *err)
{
	struct observer_sites sites = {
		.name = c->request->subject.name, .program = program, .run = c->run, .repeat = c->repeat
	};
	struct observer_site *items;

	units_open(c);
	if (!c->request->observers)
		return 0;
	items = arena_array(c->arena, c->sites.count, sizeof(*items));
	for (; sites.count < c->sites.count; sites.count++) {
		const struct site *site = &c->sites.items[sites.count];

		items[sites.count] =
			(struct observer_site){ .target = site_target(c, site, program), .type = site->type };
		items[sites.count].target.start = c->start;
	}
	sites.items = items;
	for (struct observer *const *each = c->request->observers; *each; each++)
		if ((*each)->open && (*each)->open((*each)->context, &sites, err) < 0)
			return -1;
	return 0;
}

void observers_attach(const struct collector *c, struct loop *loop)
{
	for (struct observer *const *each = c->request->observers; each && *each; each++)
		if ((*each)->attach)
			(*each)->attach((*each)->context, loop);
}

void observers_change(const struct collector *c, bool is_on)
{
	units_switch(c, is_on);
	for (struct observer *const *each = c->request->observers; each && *each; each++)
		if ((*each)->change)
			(*each)->change((*each)->context, is_on);
}

void observers_interval(const struct collector *c, size_t number)
{
	for (struct observer *const *each = c->request->observers; each && *each; each++)
		if ((*each)->interval)
			(*each)->interval((*each)->context, number);
}

void observers_close(struct collector *c)
{
	units_close(c);
	for (struct observer *const *each = c->request->observers; each && *each; each++)
		if ((*each)->close)
			(*each)->close((*each)->context);
}

void observers_finish(const struct count_request *request, struct measurement *measured)
{
	for (struct observer *const *each = request->observers; each && *each; each++)
		if ((*each)->finish)
			(*each)->finish((*each)->context, measured);
}
