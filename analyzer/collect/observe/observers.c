/* SPDX-License-Identifier: GPL-2.0-or-later */
/* observers.c - the observers of a measurement, one after the other. */
#include "collect/observe/observer.h"

size_t observers_runs(struct observer *const *observers)
{
	size_t most = 0;

	for (struct observer *const *each = observers; each && *each; each++)
		most = (*each)->runs > most ? (*each)->runs : most;
	return most;
}

int observers_open(struct observer *const *observers, const struct observer_sites *sites, struct error *err)
{
	for (struct observer *const *each = observers; each && *each; each++)
		if ((*each)->open && (*each)->open((*each)->context, sites, err) < 0)
			return -1;
	return 0;
}

void observers_attach(struct observer *const *observers, struct loop *loop)
{
	for (struct observer *const *each = observers; each && *each; each++)
		if ((*each)->attach)
			(*each)->attach((*each)->context, loop);
}

void observers_change(struct observer *const *observers, bool is_on)
{
	for (struct observer *const *each = observers; each && *each; each++)
		if ((*each)->change)
			(*each)->change((*each)->context, is_on);
}

void observers_read(struct observer *const *observers)
{
	for (struct observer *const *each = observers; each && *each; each++)
		if ((*each)->read)
			(*each)->read((*each)->context);
}

void observers_add(struct observer *const *observers, const struct observed *to)
{
	for (struct observer *const *each = observers; each && *each; each++)
		if ((*each)->add)
			(*each)->add((*each)->context, to);
}

void observers_interval(struct observer *const *observers, size_t number)
{
	for (struct observer *const *each = observers; each && *each; each++)
		if ((*each)->interval)
			(*each)->interval((*each)->context, number);
}

void observers_close(struct observer *const *observers)
{
	for (struct observer *const *each = observers; each && *each; each++)
		if ((*each)->close)
			(*each)->close((*each)->context);
}

void observers_finish(struct observer *const *observers, struct measurement *measured)
{
	for (struct observer *const *each = observers; each && *each; each++)
		if ((*each)->finish)
			(*each)->finish((*each)->context, measured);
}
