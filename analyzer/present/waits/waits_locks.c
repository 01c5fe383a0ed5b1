/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waits_locks.c - what all threads together waited for: their locks, in system calls, and for a CPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "present/document/human.h"
#include "present/waits/waits_parts.h"

#define MOST_LOCKS   5	  /* on a screen */
#define LEAST_OF_ALL 0.01 /* of what threads together waited: a lock with less is no news */

/* ---- locks ---- */

/* A lock with what all threads waited for it. */
struct contended {
	const char *name;
	struct wait_cause all;
	double by_s; /* of the thread's waits that all.by has ended */
};

static int compare_locks(const void *first, const void *second)
{
	const struct contended *a = first, *b = second;
	int order = (a->all.time_s < b->all.time_s) - (a->all.time_s > b->all.time_s);

	return order ? order : compare_texts(a->name, b->name);
}

static int compare_names(const void *first, const void *second)
{
	return compare_texts(((const struct contended *)first)->name, ((const struct contended *)second)->name);
}

static void join(struct contended *to, const struct contended *from)
{
	to->all.time_s += from->all.time_s;
	to->all.waits += from->all.waits;
	to->all.longest_s = fmax(to->all.longest_s, from->all.longest_s);
	if (from->all.by && from->by_s > to->by_s) {
		to->by_s = from->by_s;
		to->all.by = from->all.by;
		to->all.by_name = from->all.by_name;
		to->all.by_place = from->all.by_place;
	}
}

typedef const char *(*name_of_cause)(const struct wait_cause *cause);

static const char *lock_of(const struct wait_cause *cause)
{
	return cause->kind == WAIT_LOCK ? cause->name : NULL;
}

static const char *call_of(const struct wait_cause *cause)
{
	return cause->call;
}

/* Each name once, with what all threads waited; what has none is left out. */
static struct contended *find_all(size_t *count, const struct waits *waits, name_of_cause name, struct arena *arena)
{
	struct contended *all;
	size_t most = 0, found = 0;

	for (size_t i = 0; i < waits->count; i++)
		most += waits->threads[i].ncauses;
	all = arena_array(arena, most + 1, sizeof(*all));
	for (size_t i = waits->is_of_many; i < waits->count; i++)
		for (size_t k = 0; k < waits->threads[i].ncauses; k++) {
			const struct wait_cause *cause = &waits->threads[i].causes[k];

			if (name(cause))
				all[found++] = (struct contended){ name(cause), *cause, cause->by ? cause->time_s : 0 };
		}
	*count = 0;
	if (found)
		qsort(all, found, sizeof(*all), compare_names);
	for (size_t i = 0; i < found; i++)
		if (*count && compare_names(&all[*count - 1], &all[i]) == 0)
			join(&all[*count - 1], &all[i]);
		else
			all[(*count)++] = all[i];
	if (*count)
		qsort(all, *count, sizeof(*all), compare_locks);
	return all;
}

enum { LOCK_NAME, LOCK_WAITS, LOCK_SECONDS, LOCK_LONGEST, LOCK_BY, LOCK_COLUMNS };

static const struct column lock_columns[LOCK_COLUMNS] = {
	[LOCK_NAME] = { .heading = "Lock, of all threads" },
	[LOCK_WAITS] = { .heading = "Waits", .flags = COLUMN_RIGHT, .gap = 2 },
	[LOCK_SECONDS] = { .heading = "Seconds", .flags = COLUMN_RIGHT, .gap = 2 },
	[LOCK_LONGEST] = { .heading = "Longest", .flags = COLUMN_RIGHT, .gap = 2 },
	[LOCK_BY] = { .heading = "Mostly ended by", .flags = COLUMN_TO_END, .gap = 2, .least = 16 },
};

static const char *by_place(const struct wait_place *place, struct arena *arena)
{
	return place->function ? arena_printf(arena, ", mostly in %s", cells_safe(arena, place->function, true)) : "";
}

static void add_lock(struct grid *grid, const struct contended *lock, struct arena *arena)
{
	const struct wait_cause *all = &lock->all;
	const char *by = !all->by ? ""
				  : arena_printf(arena, "%s (%lu)%s",
						 cells_safe(arena, all->by_name ? all->by_name : "thread", true),
						 (unsigned long)all->by, by_place(&all->by_place, arena));
	const struct cell cells[LOCK_COLUMNS] = {
		[LOCK_NAME] = shown_cell(cells_safe(arena, lock->name, true), INK_PLAIN),
		[LOCK_WAITS] = shown_cell(all->waits ? human_fixed(arena, (double)all->waits, 0) : "-", INK_PLAIN),
		[LOCK_SECONDS] = shown_cell(human_fixed(arena, all->time_s, 3), INK_PLAIN),
		[LOCK_LONGEST] = shown_cell(all->longest_s > 0 ? human_seconds(arena, all->longest_s) : "-", INK_DIM),
		[LOCK_BY] = shown_cell(by, INK_PLAIN),
	};

	grid_add(grid, cells, arena);
}

/* Nobody knows who ended a wait, or several things were waited for. */
static struct column *without_by(struct arena *arena)
{
	struct column *columns = arena_alloc(arena, sizeof(lock_columns));

	memcpy(columns, lock_columns, sizeof(lock_columns));
	columns[LOCK_BY].heading = NULL;
	return columns;
}

/* The system calls that they waited in; only where everything is shown. */
static void add_calls(struct document *doc, const struct waits *waits)
{
	struct column *columns = without_by(doc->arena);
	struct grid *grid = grid_new(doc->arena, columns, LOCK_COLUMNS);
	size_t count;
	struct contended *calls = find_all(&count, waits, call_of, doc->arena);

	columns[LOCK_NAME].heading = "System call, of all threads";
	grid->has_heads = true;
	for (size_t i = 0; i < count; i++) {
		calls[i].all.by = 0;
		add_lock(grid, &calls[i], doc->arena);
	}
	if (!grid->count)
		return;
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

void waits_add_locks(struct document *doc, const struct waits *waits)
{
	const size_t most = doc->style->is_verbose || doc->is_page ? SIZE_MAX : MOST_LOCKS;
	struct grid *grid = grid_new(doc->arena, lock_columns, LOCK_COLUMNS);
	double waited_s = 0;
	size_t count;
	struct contended *locks = find_all(&count, waits, lock_of, doc->arena);

	for (size_t i = waits->is_of_many; i < waits->count; i++)
		waited_s += thread_waited(&waits->threads[i], WAIT_KINDS);
	if (!waits->has_wakes)
		grid->columns = without_by(doc->arena);
	grid->has_heads = true;
	for (size_t i = 0; i < count && grid->count < most; i++)
		if (locks[i].all.time_s >= LEAST_OF_ALL * waited_s)
			add_lock(grid, &locks[i], doc->arena);
	if (grid->count) {
		doc_gap(doc);
		doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	}
	if (doc->style->is_verbose || doc->is_page)
		add_calls(doc, waits);
}

/* ---- CPUs ---- */

enum { SCHED_THREAD, SCHED_WAITS, SCHED_PREEMPTED, SCHED_MIGRATIONS, SCHED_READY, SCHED_LONGEST, SCHED_COLUMNS };

static const struct column sched_columns[SCHED_COLUMNS] = {
	[SCHED_THREAD] = { .heading = "Thread" },
	[SCHED_WAITS] = { .heading = "Waits", .flags = COLUMN_RIGHT, .gap = 2 },
	[SCHED_PREEMPTED] = { .heading = "Preempted", .flags = COLUMN_RIGHT, .gap = 2 },
	[SCHED_MIGRATIONS] = { .heading = "Migrations", .flags = COLUMN_RIGHT, .gap = 2 },
	[SCHED_READY] = { .heading = "Ready s", .flags = COLUMN_RIGHT, .gap = 2 },
	[SCHED_LONGEST] = { .heading = "Longest", .flags = COLUMN_RIGHT, .gap = 2 },
};

static struct cell count_cell(uint64_t count, struct arena *arena)
{
	return shown_cell(human_fixed(arena, (double)count, 0), INK_PLAIN);
}

/* As `perf sched latency` has it. */
static void add_scheduling(struct document *doc, const struct waits *waits)
{
	struct grid *grid = grid_new(doc->arena, sched_columns, SCHED_COLUMNS);
	struct arena *arena = doc->arena;

	grid->has_heads = true;
	for (size_t i = 0; i < waits->count; i++) {
		const struct waiting_thread *thread = &waits->threads[i];
		const struct cell cells[SCHED_COLUMNS] = {
			[SCHED_THREAD] = shown_cell(waits_thread_text(thread, arena), INK_PLAIN),
			[SCHED_WAITS] = count_cell(thread->waits, arena),
			[SCHED_PREEMPTED] = count_cell(thread->preemptions, arena),
			[SCHED_MIGRATIONS] = count_cell(thread->migrations, arena),
			[SCHED_READY] =
				shown_cell(human_fixed(arena, thread->preempted_s + thread->queued_s, 3), INK_PLAIN),
			[SCHED_LONGEST] = shown_cell(human_seconds(arena, thread->ready_longest_s), INK_DIM),
		};

		if (!i || !thread_is_idle(thread))
			grid_add(grid, cells, arena);
	}
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

static const char *ready_text(const struct log_histogram *ready, double share, struct arena *arena)
{
	return human_seconds(arena, (double)log_histogram_at(ready, share) * 1e-9);
}

/* "Without a CPU, though ready: 1,204 times, 0.12 ms in the median, 3.1 ms at 99 %, 14 ms at most." */
void waits_add_ready(struct document *doc, const struct waits *waits)
{
	const struct log_histogram *ready = waits->ready;
	struct arena *arena = doc->arena;

	if (doc->style->is_verbose || doc->is_page)
		add_scheduling(doc, waits);
	if (!ready)
		return;
	doc_gap(doc);
	if (ready->count == 1) {
		doc_sentence(doc, arena_printf(arena, "Ready, but without a CPU: once, for %s.",
					       human_seconds(arena, (double)ready->most * 1e-9)));
		return;
	}
	doc_sentence(doc,
		     arena_printf(arena,
				  "Ready, but without a CPU: %s times, for %s in the median, %s at 99 %%, %s at "
				  "most%s.",
				  human_fixed(arena, (double)ready->count, 0), ready_text(ready, 0.5, arena),
				  ready_text(ready, 0.99, arena), human_seconds(arena, (double)ready->most * 1e-9),
				  waits->has_wakes ? "" : " (preempted; how long woken threads were is a sum only)"));
}
