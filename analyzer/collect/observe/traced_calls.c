/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/observe/observer.h"

#include <errno.h>
#include <string.h>

#include "common/base/text.h"
#include "cpu/identify/tracepoint.h"

#define TRACEPOINT "raw_syscalls/sys_enter"

/* ---- the counters of a run ---- */

static void close_all(struct traced_calls *traced, bool is_kept)
{
	uint64_t count;

	for (size_t i = 0; i < traced->nopen; i++)
		if (perf_tracepoint_close(traced->open[i].fd, &count) && is_kept)
			traced->calls[traced->open[i].call].count += (double)count;
	traced->nopen = 0;
}

static int traced_calls_refuse(struct traced_calls *traced, int failure, const struct perf_target *target)
{
	if (failure == EACCES || failure == EPERM)
		return error_set(&traced->refused,
				 "the kernel allows raw_syscalls:sys_enter only to root, or with "
				 "/proc/sys/kernel/perf_event_paranoid at 1 or less (it is %d)",
				 target->machine ? target->machine->paranoid : PARANOID_UNKNOWN);
	return error_set(&traced->refused, "the kernel refuses raw_syscalls:sys_enter: %s", strerror(failure));
}

static int open_site(struct traced_calls *traced, const struct perf_target *target)
{
	for (size_t i = 0; i < traced->ncalls; i++) {
		int fd = perf_tracepoint_open(target, traced->tracepoint, traced->filters[i]);

		if (fd < 0 && perf_target_is_gone(target, -fd))
			return 0;
		if (fd < 0)
			return traced_calls_refuse(traced, -fd, target);
		traced->open =
			arena_grow(traced->arena, traced->open, traced->nopen, &traced->room, sizeof(*traced->open));
		traced->open[traced->nopen++] = (struct traced_fd){ fd, i };
	}
	return 0;
}

/* What can't be counted costs the measurement nothing but that. */
static void open_sites(struct traced_calls *traced, const struct observer_sites *sites)
{
	for (size_t i = 0; i < traced->ncalls; i++)
		traced->calls[i].count = 0;
	for (size_t i = 0; i < sites->count; i++) {
		traced->starts_by_itself = sites->items[i].target.start == PERF_START_WITH_EXEC &&
					   perf_target_is_task(&sites->items[i].target);
		if (open_site(traced, &sites->items[i].target) < 0) {
			close_all(traced, false);
			return;
		}
	}
}

static void keep_repeat(struct traced_calls *traced)
{
	struct system_call *calls = arena_array(traced->arena, traced->ncalls, sizeof(*calls));

	memcpy(calls, traced->calls, traced->ncalls * sizeof(*calls));
	traced->repeats = arena_grow(traced->arena, traced->repeats, traced->nrepeats, &traced->repeats_room,
				     sizeof(struct system_call *));
	traced->repeats[traced->nrepeats++] = calls;
}

/* ---- the observer ---- */

static int traced_calls_on_open(void *context, const struct observer_sites *sites, struct error *err UNUSED)
{
	struct traced_calls *traced = context;

	traced->nopen = 0;
	if (!*traced->refused.text && sites->run == 0 && sites->repeat == traced->nrepeats)
		open_sites(traced, sites);
	return 0;
}

static void on_change(void *context, bool is_on)
{
	struct traced_calls *traced = context;

	for (size_t i = 0; i < traced->nopen && !(is_on && traced->starts_by_itself); i++)
		perf_tracepoint_switch(traced->open[i].fd, is_on);
	traced->starts_by_itself = false;
}

static void on_close(void *context)
{
	struct traced_calls *traced = context;

	if (!traced->nopen)
		return;
	close_all(traced, true);
	keep_repeat(traced);
}

/* Into the first part of each repeat: calls, or why there are none. */
static void on_finish(void *context, struct measurement *measured)
{
	const struct traced_calls *traced = context;
	struct counts *counts = measured && measured->count ? &measured->parts[0] : NULL;

	for (size_t i = 0; counts && i < counts->nrepeats; i++) {
		struct repeat *repeat = &counts->repeats[i];

		if (i < traced->nrepeats) {
			repeat->calls = traced->repeats[i];
			repeat->ncalls = traced->ncalls;
		} else {
			repeat->no_calls = *traced->refused.text ? arena_strdup(traced->arena, traced->refused.text)
								 : "this repeat was not finished";
		}
	}
}

/* ---- what is asked for ---- */

static bool is_sum(const char *name)
{
	return !strcmp(name, TRACED_ALL);
}

int traced_calls_check(const char *names, struct arena *arena, struct error *err)
{
	const char *part;
	size_t length;
	uint64_t number;

	while ((length = text_next(&names, ",", &part)) > 0) {
		const char *name = arena_strndup(arena, part, length);

		if (!is_sum(name) && !system_call_number(&number, name))
			return error_set(err,
					 "--syscalls: '%s' is not a system call of this machine's kernel; `man 2 "
					 "syscalls` lists them",
					 name);
	}
	return 0;
}

static void traced_calls_add_name(struct traced_calls *traced, const char *name)
{
	uint64_t number;

	if (is_sum(name) || !system_call_number(&number, name))
		return;
	traced->filters[traced->ncalls] = arena_printf(traced->arena, "id == %llu", (unsigned long long)number);
	traced->calls[traced->ncalls++].name = name;
}

void traced_calls_init(struct traced_calls *traced, const char *names, const char *sysroot, struct arena *arena)
{
	size_t most = strlen(names) + 2, length;
	const char *part;

	*traced = (struct traced_calls){ .arena = arena, .ncalls = 1 };
	traced->observer = (struct observer){ .context = traced,
					      .open = traced_calls_on_open,
					      .change = on_change,
					      .close = on_close,
					      .finish = on_finish };
	traced->calls = arena_array(arena, most, sizeof(*traced->calls));
	traced->filters = arena_array(arena, most, sizeof(*traced->filters));
	traced->calls[0].name = TRACED_ALL;
	while ((length = text_next(&names, ",", &part)) > 0)
		traced_calls_add_name(traced, arena_strndup(arena, part, length));
	if (tracepoint_identify(&traced->tracepoint, sysroot, TRACEPOINT, arena, &traced->refused) < 0)
		traced->ncalls = 0;
}
