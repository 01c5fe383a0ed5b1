/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/waits/waits_parts.h"
#include "present/waits/waits_view.h"

#include "common/base/cells.h"
#include "present/document/human.h"

#define MOST_ROWS  10	 /* threads that a screen shows */
#define LEAST_PART 0.05	 /* percent of a cause that has a row */
#define MOST_LINKS 6	 /* of what the main thread waited for */
#define MOST_NAMES 3	 /* of a kind */
#define MOST_SHARE 0.995 /* from here on it is all */

static const char *const kind_titles[WAIT_KINDS] = {
	[WAIT_LOCK] = "Lock",		[WAIT_DISK] = "Disk",	[WAIT_NETWORK] = "Network",
	[WAIT_PIPE] = "Pipe or poll",	[WAIT_TIMER] = "Timer", [WAIT_FAULT] = "Page fault",
	[WAIT_CHILD] = "Child process", [WAIT_OTHER] = "Other", [WAIT_UNKNOWN] = "Unknown",
};

const char *waits_title(enum wait_kind kind)
{
	return kind_titles[kind];
}

static const char *name_of(const struct waiting_thread *thread, struct arena *arena)
{
	return thread->name ? cells_safe(arena, thread->name, true)
			    : arena_printf(arena, "thread %lu", (unsigned long)thread->tid);
}

const char *waits_thread_text(const struct waiting_thread *thread, struct arena *arena)
{
	const char *name = name_of(thread, arena);

	return thread->tid ? arena_printf(arena, "%s (%lu)", name, (unsigned long)thread->tid) : name;
}

static double percent(double part, const struct waiting_thread *thread)
{
	double life = thread_life(thread);

	return life > 0 ? 100 * part / life : 0;
}

static const char *cause_text(const struct wait_cause *cause, struct arena *arena)
{
	return cause->name ? cells_safe(arena, cause->name, true) : "nobody has seen for what";
}

const char *waits_mostly(const struct waiting_thread *thread, struct arena *arena)
{
	const struct wait_cause *first = thread->ncauses && thread->causes[0].time_s > 0 ? &thread->causes[0] : NULL;

	if (!first)
		return NULL;
	return first->name ? arena_printf(arena, "%s: %s", wait_kind_name(first->kind), cause_text(first, arena))
			   : cause_text(first, arena);
}

/* ---- the main thread's clock ---- */

enum { CLOCK_NAME, CLOCK_PERCENT, CLOCK_SECONDS, CLOCK_WHAT, CLOCK_COLUMNS };

static const struct column clock_columns[CLOCK_COLUMNS] = {
	[CLOCK_NAME] = { .heading = "Wall clock", .flags = COLUMN_TREE },
	[CLOCK_PERCENT] = { .heading = "%", .flags = COLUMN_RIGHT, .gap = 2 },
	[CLOCK_SECONDS] = { .heading = "Seconds", .flags = COLUMN_RIGHT, .gap = 2 },
	[CLOCK_WHAT] = { .heading = "What for", .flags = COLUMN_TO_END, .gap = 2, .least = 20 },
};

struct clock_row {
	unsigned depth;
	const char *name, *what;
	double time_s;
};

static void add_row(struct grid *grid, const struct waiting_thread *thread, const struct clock_row *row,
		    struct arena *arena)
{
	const struct cell cells[CLOCK_COLUMNS] = {
		[CLOCK_NAME] = shown_cell(row->name, INK_PLAIN),
		[CLOCK_PERCENT] = shown_cell(human_fixed(arena, percent(row->time_s, thread), 1), INK_PLAIN),
		[CLOCK_SECONDS] = shown_cell(human_fixed(arena, row->time_s, 3), INK_DIM),
		[CLOCK_WHAT] = shown_cell(row->what ? row->what : "", INK_PLAIN),
	};

	grid_add(grid, cells, arena)->depth = row->depth;
}

/* "big_lock 49.0, queue.lock 1.1": the longest of a kind, in percent of the thread's life. */
static const char *names_of_kind(const struct waiting_thread *thread, enum wait_kind kind, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	const struct wait_cause *only = NULL;
	size_t count = 0, more = 0;

	for (size_t i = 0; i < thread->ncauses; i++) {
		const struct wait_cause *cause = &thread->causes[i];

		if (cause->kind != kind || percent(cause->time_s, thread) < LEAST_PART)
			continue;
		only = cause;
		if (count++ >= MOST_NAMES) {
			more++;
			continue;
		}
		string_printf(&text, "%s%s %s", text.length ? ", " : "", cause_text(cause, arena),
			      human_fixed(arena, percent(cause->time_s, thread), 1));
	}
	if (more)
		string_printf(&text, " and %zu more", more);
	return count == 1 ? cause_text(only, arena) : text.text;
}

static void add_kinds(struct grid *grid, const struct waiting_thread *thread, struct arena *arena)
{
	bool is_added[WAIT_KINDS] = { false };

	for (size_t i = 0; i < thread->ncauses; i++) {
		enum wait_kind kind = thread->causes[i].kind;
		double time_s = thread_waited(thread, kind);

		if (is_added[kind] || percent(time_s, thread) < LEAST_PART)
			continue;
		is_added[kind] = true;
		add_row(grid, thread,
			&(struct clock_row){ 1, kind_titles[kind], names_of_kind(thread, kind, arena), time_s }, arena);
	}
}

/* The tree of the process, whose slots are those of the time in which it ran. */
static void add_level1(struct grid *grid, const struct waiting_thread *thread, const struct report *report,
		       struct arena *arena)
{
	for (size_t i = 0; report && i < report->nnodes; i++) {
		const struct result *node = &report->nodes[i];

		if (node->metric->level == 1 && isfinite(node->value))
			add_row(grid, thread,
				&(struct clock_row){ 1, node->metric->title, NULL,
						     node->value / 100 * thread->running_s },
				arena);
	}
}

static struct grid *clock_grid(const struct waiting_thread *thread, const struct report *report, struct arena *arena)
{
	struct grid *grid = arena_alloc(arena, sizeof(*grid));
	double ready_s = thread->preempted_s + thread->queued_s;
	double preempted_s = thread->preempted_s - thread->throttled_s;

	*grid = (struct grid){ .columns = clock_columns, .ncolumns = CLOCK_COLUMNS, .has_heads = true };
	add_row(grid, thread, &(struct clock_row){ 0, "Running", NULL, thread->running_s }, arena);
	add_level1(grid, thread, report, arena);
	add_row(grid, thread, &(struct clock_row){ 0, "Ready, not running", NULL, ready_s }, arena);
	if (percent(preempted_s, thread) >= LEAST_PART)
		add_row(grid, thread, &(struct clock_row){ 1, "Preempted", NULL, preempted_s }, arena);
	if (percent(thread->throttled_s, thread) >= LEAST_PART)
		add_row(grid, thread,
			&(struct clock_row){ 1, "Throttled", "the CPU quota of its cgroup", thread->throttled_s },
			arena);
	if (percent(thread->queued_s, thread) >= LEAST_PART)
		add_row(grid, thread, &(struct clock_row){ 1, "Woken, no CPU yet", NULL, thread->queued_s }, arena);
	add_row(grid, thread, &(struct clock_row){ 0, "Waiting", NULL, thread_waited(thread, WAIT_KINDS) }, arena);
	add_kinds(grid, thread, arena);
	return grid;
}

/* ---- threads ---- */

enum { THREAD_NAME, THREAD_LIFE, THREAD_RUNNING, THREAD_IS_READY, THREAD_WAITING, THREAD_MOSTLY, THREAD_COLUMNS };

static const struct column thread_columns[THREAD_COLUMNS] = {
	[THREAD_NAME] = { .heading = "Thread" },
	[THREAD_LIFE] = { .heading = "Seconds", .flags = COLUMN_RIGHT, .gap = 2 },
	[THREAD_RUNNING] = { .heading = "Running", .flags = COLUMN_RIGHT, .gap = 2 },
	[THREAD_IS_READY] = { .heading = "Ready", .flags = COLUMN_RIGHT, .gap = 2 },
	[THREAD_WAITING] = { .heading = "Waiting", .flags = COLUMN_RIGHT, .gap = 2 },
	[THREAD_MOSTLY] = { .heading = "Mostly for", .flags = COLUMN_TO_END, .gap = 2, .least = 20 },
};

static struct cell share_cell(double part, const struct waiting_thread *thread, struct arena *arena)
{
	return shown_cell(human_fixed(arena, percent(part, thread), 1), INK_PLAIN);
}

static void waits_add_thread(struct grid *grid, const struct waiting_thread *thread, const char *id,
			     struct arena *arena)
{
	const char *mostly = waits_mostly(thread, arena);
	const struct cell cells[THREAD_COLUMNS] = {
		[THREAD_NAME] = shown_cell(waits_thread_text(thread, arena), INK_PLAIN),
		[THREAD_LIFE] = shown_cell(human_fixed(arena, thread_life(thread), 3), INK_DIM),
		[THREAD_RUNNING] = share_cell(thread->running_s, thread, arena),
		[THREAD_IS_READY] = share_cell(thread->preempted_s + thread->queued_s, thread, arena),
		[THREAD_WAITING] = share_cell(thread_waited(thread, WAIT_KINDS), thread, arena),
		[THREAD_MOSTLY] = shown_cell(mostly ? mostly : "", INK_PLAIN),
	};

	grid_add(grid, cells, arena)->id = id;
}

bool waits_has_row(const struct waits *waits, size_t number)
{
	size_t rows = 0;

	for (size_t i = 0; i < waits->count; i++)
		rows += !i || !thread_is_idle(&waits->threads[i]);
	return rows > 1 && (!number || !thread_is_idle(&waits->threads[number]));
}

static void add_threads(struct document *doc, const struct waits *waits)
{
	const size_t most = doc->style->is_verbose || doc->is_page ? SIZE_MAX : MOST_ROWS;
	struct grid *grid = grid_new(doc->arena, thread_columns, THREAD_COLUMNS);
	size_t idle = 0, more = 0;

	grid->has_heads = true;
	for (size_t i = 0; i < waits->count; i++) {
		if (i && thread_is_idle(&waits->threads[i]))
			idle++;
		else if (grid->count >= most)
			more++;
		else
			waits_add_thread(grid, &waits->threads[i], arena_printf(doc->arena, WAIT_ROW "%zu", i),
					 doc->arena);
	}
	if (grid->count > 1) {
		doc_gap(doc);
		doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	}
	if (more)
		doc_sentence(doc, arena_printf(doc->arena, "and %zu more threads", more));
	if (idle)
		doc_sentence(doc, arena_printf(doc->arena,
					       "%zu idle thread%s not shown: %s waited in one place for over %.0f %% "
					       "of its time.",
					       idle, idle == 1 ? " is" : "s are", idle == 1 ? "it" : "each",
					       100 * WAIT_IDLE));
}

/* ---- whom it waited for ---- */

enum { FOR_WHOM, FOR_PERCENT, FOR_SECONDS, FOR_WHAT, FOR_COLUMNS };

static const struct column for_columns[FOR_COLUMNS] = {
	[FOR_WHOM] = { .heading = "It waited for" },
	[FOR_PERCENT] = { .heading = "%", .flags = COLUMN_RIGHT, .gap = 2 },
	[FOR_SECONDS] = { .heading = "Seconds", .flags = COLUMN_RIGHT, .gap = 2 },
	[FOR_WHAT] = { .heading = "Which", .flags = COLUMN_TO_END, .gap = 2, .least = 20 },
};

/* ", 78 % in compress (DRAM_Bound 61 %)", " in compress" */
static const char *waits_place_text(const struct wait_place *place, struct arena *arena)
{
	const char *share = place->share < MOST_SHARE
				    ? arena_printf(arena, ", %s %%", human_fixed(arena, 100 * place->share, 0))
				    : "";
	const char *tree = place->node ? arena_printf(arena, " (%s %s %%)", cells_safe(arena, place->node, true),
						      human_fixed(arena, place->node_percent, 0))
				       : "";

	return place->function
		       ? arena_printf(arena, "%s in %s%s", share, cells_safe(arena, place->function, true), tree)
		       : "";
}

static const char *link_text(const struct wait_link *link, struct arena *arena)
{
	const char *place = waits_place_text(&link->place, arena);

	switch (link->what) {
	case LINK_RUNS: return arena_printf(arena, "ran%s", place);
	case LINK_READY: return "was ready and had no CPU";
	case LINK_WAITS:
		return link->cause ? arena_printf(arena, "waited: %s%s", cells_safe(arena, link->cause, true), place)
				   : arena_printf(arena, "waited%s", place);
	case LINK_UNKNOWN:
	default: return "had not begun, or did what is not known any more";
	}
}

static void add_links(struct document *doc, const struct waits *waits)
{
	const size_t most = doc->style->is_verbose || doc->is_page ? SIZE_MAX : MOST_LINKS;
	const struct waiting_thread *main = &waits->threads[0];
	struct grid *grid = grid_new(doc->arena, for_columns, FOR_COLUMNS);
	struct arena *arena = doc->arena;

	grid->has_heads = true;
	for (size_t i = 0; i < waits->nlinks && grid->count < most; i++) {
		const struct wait_link *link = &waits->links[i];
		const char *name = link->thread ? cells_safe(arena, link->thread, true) : "thread";
		const struct cell cells[FOR_COLUMNS] = {
			[FOR_WHOM] =
				shown_cell(arena_printf(arena, "%s (%lu)", name, (unsigned long)link->tid), INK_PLAIN),
			[FOR_PERCENT] = shown_cell(human_fixed(arena, percent(link->time_s, main), 1), INK_PLAIN),
			[FOR_SECONDS] = shown_cell(human_fixed(arena, link->time_s, 3), INK_DIM),
			[FOR_WHAT] = shown_cell(link_text(link, arena), INK_PLAIN),
		};

		if (percent(link->time_s, main) >= LEAST_PART)
			grid_add(grid, cells, arena);
	}
	if (!grid->count)
		return;
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

/* ---- all of it ---- */

/* Idle ones are left out: else a machine waits for nearly all of its threads' time. */
static const char *answer_of_many(const struct waits *waits, struct arena *arena)
{
	const struct waiting_thread *all = &waits->threads[0];
	double waited_s = thread_waited(all, WAIT_KINDS);
	const char *mostly = waits_mostly(all, arena);
	size_t count = 0;

	for (size_t i = 1; i < waits->count; i++)
		count += !thread_is_idle(&waits->threads[i]);
	return arena_printf(arena, "%zu thread%s in %s ran for %s, %s ready without a CPU for %s%s.", count,
			    count == 1 ? "" : "s", human_seconds(arena, waits->length_s),
			    human_seconds(arena, all->running_s), count == 1 ? "was" : "were",
			    human_seconds(arena, all->preempted_s + all->queued_s),
			    waited_s > 0 ? arena_printf(arena, ", and waited %s, mostly for %s",
							human_seconds(arena, waited_s), mostly)
					 : "");
}

const char *waits_answer(const struct waits *waits, struct arena *arena)
{
	const struct waiting_thread *main = &waits->threads[0];
	double waited_s = thread_waited(main, WAIT_KINDS), ready_s = main->preempted_s + main->queued_s;
	const char *name = name_of(main, arena), *life = human_seconds(arena, thread_life(main));
	const char *mostly = waits_mostly(main, arena);

	if (waits->is_of_many)
		return answer_of_many(waits, arena);
	if (waited_s > main->running_s && waited_s >= ready_s)
		return arena_printf(arena, "%s waited %s %% of its %s, mostly for %s.", name,
				    human_fixed(arena, percent(waited_s, main), 1), life, mostly);
	if (ready_s > main->running_s)
		return arena_printf(arena, "%s was ready for %s %% of its %s and had no CPU.", name,
				    human_fixed(arena, percent(ready_s, main), 1), life);
	return arena_printf(arena, "%s ran for %s %% of its %s.", name,
			    human_fixed(arena, percent(main->running_s, main), 1), life);
}

/* Beside what threads ran; what the kernel needs to record each switch is in their own time. */
static void add_cost(struct document *doc, const struct waits *waits)
{
	double ran_s = 0;

	for (size_t i = waits->is_of_many; i < waits->count; i++)
		ran_s += waits->threads[i].running_s;
	if (!(waits->cpu_s > 0) || !(ran_s > 0))
		return;
	doc_sentence(doc,
		     arena_printf(doc->arena, "%s took %s of CPU time, %s %% of what these threads ran.",
				  waits->is_summed ? "Adding this up in the kernel" : "Reading the records of this",
				  human_seconds(doc->arena, waits->cpu_s),
				  human_fixed(doc->arena, 100 * waits->cpu_s / ran_s, 1)));
}

static void add_doubts(struct document *doc, const struct waits *waits)
{
	if (waits->lost)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
					     .text = arena_printf(doc->arena,
								  "%llu records of switches were lost: the times of "
								  "threads are uncertain.",
								  (unsigned long long)waits->lost) });
	if (waits->unlooked)
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
					     .text = arena_printf(doc->arena, "What threads waited for is unknown: %s.",
								  waits->unlooked) });
}

bool are_waits_known(const struct waits *waits)
{
	return waits && !waits->refused && waits->count;
}

void waits_add(struct document *doc, const struct waits *waits, const struct report *report)
{
	if (!waits)
		return;
	doc_gap(doc);
	if (doc->is_page || doc->style->format == FORMAT_MARKDOWN)
		doc_add(doc, (struct block){ .kind = BLOCK_HEADING, .text = "Wall clock", .level = 2 });
	if (!are_waits_known(waits)) {
		doc_add(doc, (struct block){ .kind = BLOCK_NOTE,
					     .text = arena_printf(doc->arena, "The wall clock is unknown: %s.",
								  waits->refused ? waits->refused : "nothing ran") });
		return;
	}
	doc_sentence(doc, waits_answer(waits, doc->arena));
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = clock_grid(&waits->threads[0], report, doc->arena) });
	waits_add_intervals(doc, waits);
	add_links(doc, waits);
	add_threads(doc, waits);
	waits_add_locks(doc, waits);
	waits_add_ready(doc, waits);
	add_cost(doc, waits);
	add_doubts(doc, waits);
	doc_gap(doc);
}

void waits_hint(struct document *doc, double share)
{
	if (!(share > 0))
		return;
	doc_sentence(doc,
		     arena_worded(doc->arena, "It waited %.0f %% of its time: {wall} shows for what.", 100 * share));
	doc_gap(doc);
}
