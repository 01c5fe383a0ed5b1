/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traced_points.c - tracepoints that -e names, counted beside the kernel's own events; a part of software_counts.c. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "collect/observe/observer.h"
#include "common/base/text.h"
#include "common/measurement/software.h"
#include "cpu/identify/tracepoint.h"

struct traced_point {
	const char *name; /* "sched:sched_switch" */
	uint64_t number;
	const char *refused; /* why it is not counted; NULL: it is */
};

struct open_point {
	int fd;
	size_t point, part;
};

struct traced_points {
	struct arena *arena;
	struct traced_point *items;
	size_t count, room;
	struct open_point *open; /* of the current run */
	size_t nopen, open_room;
	double *now, *before; /* [parts][count] as they were read last, and when the last interval ended */
	size_t nparts;
};

/* "block/block_rq_issue", as tracefs has it. */
static const char *tracefs_path(const char *name, struct arena *arena)
{
	char *path = arena_strdup(arena, name);

	path[strcspn(path, ":")] = '/';
	return path;
}

static void traced_points_add(struct traced_points *points, const char *name, const char *sysroot)
{
	struct error err = { .text = "" };
	struct traced_point *point;

	points->items = arena_grow(points->arena, points->items, points->count, &points->room, sizeof(*points->items));
	point = &points->items[points->count++];
	*point = (struct traced_point){ .name = name };
	if (tracepoint_identify(&point->number, sysroot, tracefs_path(name, points->arena), points->arena, &err) < 0)
		point->refused = arena_strdup(points->arena, err.text);
}

struct traced_points *traced_points_new(const char *events, const char *sysroot, struct arena *arena)
{
	struct traced_points *points = arena_alloc(arena, sizeof(*points));
	const char *part;
	size_t length;

	points->arena = arena;
	while (events && (length = text_next(&events, ",", &part)) > 0) {
		const char *name = arena_strndup(arena, part, length);

		if (is_tracepoint_name(name))
			traced_points_add(points, name, sysroot);
	}
	return points->count ? points : NULL;
}

void traced_points_begin(struct traced_points *points, size_t nparts)
{
	if (!points)
		return;
	points->nparts = nparts;
	points->now = arena_array(points->arena, nparts * points->count, sizeof(*points->now));
	points->before = arena_array(points->arena, nparts * points->count, sizeof(*points->before));
}

static void open_point(struct traced_points *points, size_t number, const struct observer_site *at)
{
	struct traced_point *point = &points->items[number];
	int fd = perf_tracepoint_open(&at->target, point->number, NULL);

	if (fd < 0) {
		if (!perf_target_is_gone(&at->target, -fd))
			point->refused =
				-fd == EACCES || -fd == EPERM
					? "tracepoints are for root, or with kernel.perf_event_paranoid at 1"
					: arena_printf(points->arena, "the kernel refuses it: %s", strerror(-fd));
		return;
	}
	points->open =
		arena_grow(points->arena, points->open, points->nopen, &points->open_room, sizeof(*points->open));
	points->open[points->nopen++] = (struct open_point){ fd, number, at->part };
}

/* Tasks are counted on the cores of all types at once. */
void traced_points_open(struct traced_points *points, const struct observer_site *at)
{
	for (size_t i = 0; points && i < points->count && (!at->type || at->target.cpu); i++)
		if (!points->items[i].refused)
			open_point(points, i, at);
}

void traced_points_switch(const struct traced_points *points, bool is_on)
{
	for (size_t i = 0; points && i < points->nopen; i++)
		perf_tracepoint_switch(points->open[i].fd, is_on);
}

void traced_points_read(struct traced_points *points)
{
	if (!points)
		return;
	memset(points->now, 0, points->nparts * points->count * sizeof(*points->now));
	for (size_t i = 0; i < points->nopen; i++) {
		const struct open_point *open = &points->open[i];
		uint64_t count;

		if (read(open->fd, &count, sizeof(count)) == (ssize_t)sizeof(count))
			points->now[open->part * points->count + open->point] += (double)count;
	}
}

void traced_points_take(struct software *to, struct traced_points *points, const struct observed *of)
{
	if (!points)
		return;
	to->traced = arena_array(of->arena, points->count, sizeof(*to->traced));
	to->ntraced = points->count;
	for (size_t i = 0; i < points->count; i++) {
		const struct traced_point *point = &points->items[i];
		size_t at = of->part * points->count + i;
		double value = points->now[at] - (of->is_interval ? points->before[at] : 0);

		to->traced[i] =
			(struct software_traced){ point->name, point->refused ? software_withheld(point->refused)
									      : software_known(value, "perf") };
		points->before[at] = of->is_interval ? points->now[at] : points->before[at];
	}
}

void traced_points_close(struct traced_points *points)
{
	for (size_t i = 0; points && i < points->nopen; i++)
		close(points->open[i].fd);
	if (points)
		points->nopen = 0;
}
