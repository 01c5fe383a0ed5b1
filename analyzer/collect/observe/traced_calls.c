/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * traced_calls.c - system calls, counted by the kernel's tracepoint raw_syscalls:sys_enter beside the first run of each
 * repeat: all of them, and those of some names. While it is open, each system call of the machine takes longer, so
 * nothing is counted unasked.
 */
#include "collect/observe/observer.h"

#include <errno.h>
#include <string.h>

#include "common/base/text.h"
#include "common/measurement/counts.h"
#include "common/request/request.h"
#include "cpu/identify/tracepoint.h"

#define TRACEPOINT "raw_syscalls/sys_enter"
#define TRACED_ALL "all" /* the name of their sum */

struct traced_fd {
	int fd;
	size_t call; /* of calls */
};

struct traced_calls {
	struct observer observer;
	struct arena *arena;
	uint64_t tracepoint;
	struct system_call *calls; /* of one repeat, from 0: the sum, then those that were asked for */
	char **filters;		   /* NULL: of the sum */
	size_t ncalls;
	struct traced_fd *open;
	size_t nopen, room;
	bool starts_by_itself;
	struct system_call **repeats; /* calls of each that was counted; NULL: it was not */
	size_t nrepeats, repeats_room;
	struct error refused; /* why they are not counted; "": they are */
};

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

static bool are_wanted(const struct request *request)
{
	return request->setup->packing.calls;
}

/* -1 where one of the names, which are separated by commas, is no system call. */
static int check_names(const struct request *request, struct error *err)
{
	const char *part, *names = request->setup->packing.calls;
	size_t length;
	uint64_t number;

	while ((length = text_next(&names, ",", &part)) > 0) {
		const char *name = arena_strndup(request->arena, part, length);

		if (!is_sum(name) && !system_call_number(&number, name))
			return error_set(err,
					 "{syscalls}: '%s' is not a system call of this machine's kernel; `man 2 "
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

/* "all" alone is the sum only. What the machine does not allow is no error: the counts say it. */
static struct observer *make_calls(const struct request *request)
{
	const char *part, *names = request->setup->packing.calls;
	size_t most = strlen(names) + 2, length;
	struct arena *arena = request->arena;
	struct traced_calls *traced = arena_alloc(arena, sizeof(*traced));

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
	if (tracepoint_identify(&traced->tracepoint, request->setup->machine.sysroot, TRACEPOINT, arena,
				&traced->refused) < 0)
		traced->ncalls = 0;
	return &traced->observer;
}

const struct observer_kind observe_calls = { are_wanted, check_names, make_calls };
