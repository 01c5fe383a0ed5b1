/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/waits/waits.h"

#include <stdlib.h>

#include "common/base/text.h"

static const char *const kind_names[WAIT_KINDS] = {
	[WAIT_LOCK] = "lock",	[WAIT_DISK] = "disk",	[WAIT_NETWORK] = "network",
	[WAIT_PIPE] = "pipe",	[WAIT_TIMER] = "timer", [WAIT_FAULT] = "fault",
	[WAIT_CHILD] = "child", [WAIT_OTHER] = "other", [WAIT_UNKNOWN] = "unknown",
};

const char *link_kind_name(enum link_kind kind)
{
	static const char *const names[] = {
		[LINK_RUNS] = "runs", [LINK_READY] = "ready", [LINK_WAITS] = "waits", [LINK_UNKNOWN] = "unknown"
	};

	return names[kind];
}

const char *wait_kind_name(enum wait_kind kind)
{
	return kind_names[kind];
}

static const struct {
	const char *name, *title;
} wall_names[WALL_PARTS] = {
	[WALL_RUNNING] = { "wall.running", "Running" },
	[WALL_READY] = { "wall.ready", "Ready, no CPU" },
	[WALL_WAITS + WAIT_LOCK] = { "wall.lock", "Waiting: lock" },
	[WALL_WAITS + WAIT_DISK] = { "wall.disk", "Waiting: disk" },
	[WALL_WAITS + WAIT_NETWORK] = { "wall.network", "Waiting: network" },
	[WALL_WAITS + WAIT_PIPE] = { "wall.pipe", "Waiting: pipe" },
	[WALL_WAITS + WAIT_TIMER] = { "wall.timer", "Waiting: timer" },
	[WALL_WAITS + WAIT_FAULT] = { "wall.fault", "Waiting: page" },
	[WALL_WAITS + WAIT_CHILD] = { "wall.child", "Waiting: child" },
	[WALL_WAITS + WAIT_OTHER] = { "wall.other", "Waiting: other" },
	[WALL_WAITS + WAIT_UNKNOWN] = { "wall.unknown", "Waiting: unknown" },
};

const char *wall_part_name(size_t part)
{
	return wall_names[part].name;
}

const char *wall_part_title(size_t part)
{
	return wall_names[part].title;
}

void wall_parts(double parts[WALL_PARTS], const struct waiting_thread *thread)
{
	parts[WALL_RUNNING] = thread->running_s;
	parts[WALL_READY] = thread->preempted_s + thread->queued_s;
	for (unsigned kind = 0; kind < WAIT_KINDS; kind++)
		parts[WALL_WAITS + kind] = thread_waited(thread, (enum wait_kind)kind);
}

double thread_waited(const struct waiting_thread *thread, enum wait_kind kind)
{
	double sum = 0;

	for (size_t i = 0; i < thread->ncauses; i++)
		if (kind == WAIT_KINDS || thread->causes[i].kind == kind)
			sum += thread->causes[i].time_s;
	return sum;
}

double thread_life(const struct waiting_thread *thread)
{
	return thread->to_s - thread->from_s;
}

bool thread_is_idle(const struct waiting_thread *thread)
{
	const struct wait_cause *first = thread->ncauses ? &thread->causes[0] : NULL;

	return first && (first->kind == WAIT_LOCK || first->kind == WAIT_PIPE) &&
	       first->time_s > WAIT_IDLE * thread_life(thread);
}

static int compare_causes(const void *first, const void *second)
{
	const struct wait_cause *a = first, *b = second;
	int order = (a->time_s < b->time_s) - (a->time_s > b->time_s);

	return order ? order : compare_texts(a->name, b->name);
}

void waits_sort_causes(struct waiting_thread *thread)
{
	if (thread->ncauses)
		qsort(thread->causes, thread->ncauses, sizeof(*thread->causes), compare_causes);
}

static int compare_lives(const void *first, const void *second)
{
	const struct waiting_thread *a = first, *b = second;
	double lives[] = { thread_life(a), thread_life(b) };
	int order = (lives[0] < lives[1]) - (lives[0] > lives[1]);

	return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

void waits_sort_threads(struct waits *waits)
{
	if (waits->count > 1)
		qsort(waits->threads + 1, waits->count - 1, sizeof(*waits->threads), compare_lives);
}

bool is_thread_called(const struct waiting_thread *thread, const char *typed)
{
	uint64_t number;

	return (text_u64(typed, &number) && number == thread->tid) ||
	       (thread->name && is_same_name(thread->name, typed));
}

void waits_lead(struct waits *waits, uint32_t tid)
{
	for (size_t i = waits->count; i > 1; i--)
		if (waits->threads[i - 1].tid == tid) {
			const struct waiting_thread first = waits->threads[0];

			waits->threads[0] = waits->threads[i - 1];
			waits->threads[i - 1] = first;
			return;
		}
}
