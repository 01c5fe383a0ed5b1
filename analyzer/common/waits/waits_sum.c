/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waits_sum.c - of many threads the sum, as if they were one: whole CPUs and a cgroup have no main thread. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/waits/waits.h"

static int compare_kinds(const void *first, const void *second)
{
	const struct wait_cause *a = first, *b = second;
	int order = (a->kind > b->kind) - (a->kind < b->kind);

	return order ? order : compare_texts(a->name, b->name);
}

/* Those that wait for the same follow each other, and become one. */
static size_t join_causes(struct wait_cause *causes, size_t count)
{
	size_t joined = 0;

	if (count)
		qsort(causes, count, sizeof(*causes), compare_kinds);
	for (size_t i = 0; i < count; i++) {
		struct wait_cause *last = joined ? &causes[joined - 1] : NULL;

		if (!last || compare_kinds(last, &causes[i]) != 0) {
			causes[joined++] = causes[i];
			continue;
		}
		if (causes[i].longest_s > last->longest_s) {
			last->by = causes[i].by;
			last->by_name = causes[i].by_name;
			last->by_place = causes[i].by_place;
		}
		last->time_s += causes[i].time_s;
		last->longest_s = fmax(last->longest_s, causes[i].longest_s);
		last->waits += causes[i].waits;
		last->looks += causes[i].looks;
	}
	return joined;
}

static void add_thread(struct waiting_thread *sum, const struct waiting_thread *thread)
{
	sum->to_s += thread_life(thread);
	sum->running_s += thread->running_s;
	sum->preempted_s += thread->preempted_s;
	sum->throttled_s += thread->throttled_s;
	sum->queued_s += thread->queued_s;
	sum->waits += thread->waits;
	sum->preemptions += thread->preemptions;
	sum->migrations += thread->migrations;
	sum->ready_longest_s = fmax(sum->ready_longest_s, thread->ready_longest_s);
	memcpy(sum->causes + sum->ncauses, thread->causes, thread->ncauses * sizeof(*thread->causes));
	sum->ncauses += thread->ncauses;
}

/* Who wanted a CPU most comes first. */
static int compare_demands(const void *first, const void *second)
{
	const struct waiting_thread *a = first, *b = second;
	double times[] = { a->running_s + a->preempted_s + a->queued_s, b->running_s + b->preempted_s + b->queued_s };
	int order = (times[0] < times[1]) - (times[0] > times[1]);

	return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

void waits_sum(struct waits *waits, struct arena *arena)
{
	struct waiting_thread sum = { .name = "all threads" };
	size_t ncauses = 0;

	for (size_t i = 0; i < waits->count; i++)
		ncauses += waits->threads[i].ncauses;
	sum.causes = arena_array(arena, ncauses + 1, sizeof(*sum.causes));
	for (size_t i = 0; i < waits->count; i++)
		if (!thread_is_idle(&waits->threads[i]))
			add_thread(&sum, &waits->threads[i]);
	sum.ncauses = join_causes(sum.causes, sum.ncauses);
	waits_sort_causes(&sum);
	if (waits->count)
		qsort(waits->threads, waits->count, sizeof(*waits->threads), compare_demands);
	memmove(waits->threads + 1, waits->threads, waits->count * sizeof(*waits->threads));
	waits->threads[0] = sum;
	waits->count++;
	waits->is_of_many = true;
}
