/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/latency/latency_view.h"

#include <string.h>

#include "common/base/cells.h"
#include "present/document/document.h"
#include "present/document/human.h"

#define NS	     1e-9
#define MOST_ROWS    10	 /* that a screen shows */
#define BAR	     40	 /* columns */
#define MOST_RETURNS 64	 /* include/linux/uprobes.h, MAX_URETPROBE_DEPTH */
#define LARGE_PART   0.2 /* of the median, that is the probe's own */

const char *call_kind_name(enum call_kind kind)
{
	static const char *const names[] = { "function", "kernel function", "syscall", "tracepoint" };

	return names[kind];
}

bool latency_powers(const struct call_times *times, unsigned *first, unsigned *last)
{
	const struct log_histogram *all = &times->all;

	if (!all->count)
		return false;
	*first = all->least ? 63u - (unsigned)__builtin_clzll(all->least) : 0;
	*last = all->most ? 63u - (unsigned)__builtin_clzll(all->most) : 0;
	return true;
}

/* ---- words ---- */

static const char *ns_text(double ns, struct arena *arena)
{
	return ns > 0 && ns < 1000 ? arena_printf(arena, "%.0f ns", ns) : human_seconds(arena, ns * NS);
}

static const char *time_at(const struct log_histogram *times, double share, struct arena *arena)
{
	return ns_text((double)log_histogram_at(times, share), arena);
}

/* "12,034" */
static const char *exact_count(uint64_t count, struct arena *arena)
{
	const char *digits = arena_printf(arena, "%llu", (unsigned long long)count);
	size_t length = strlen(digits);
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < length; i++)
		string_printf(&text, "%s%c", i && (length - i) % 3 == 0 ? "," : "", digits[i]);
	return text.text;
}

static const char *calls_text(uint64_t count, struct arena *arena)
{
	return arena_printf(arena, "%s call%s", exact_count(count, arena), count == 1 ? "" : "s");
}

static const char *row_name(const struct call_row *row, struct arena *arena)
{
	return row->name ? cells_safe(arena, row->name, true) : arena_printf(arena, "thread %u", row->tid);
}

static double share_of(double part_ns, const struct call_times *times)
{
	return times->length_s > 0 ? 100 * part_ns * NS / times->length_s : 0;
}

/* "0.31 %", "12 %" */
static const char *percent_of(double part_ns, const struct call_times *times, struct arena *arena)
{
	double percent = share_of(part_ns, times);

	return arena_printf(arena, percent < 9.95 ? "%.2g %%" : "%.0f %%", percent);
}

/* "decode_block", "read (system call)" */
static const char *thing(const struct call_times *times, struct arena *arena)
{
	const char *name = cells_safe(arena, times->name, true);

	return times->kind == CALL_SYSCALL ? arena_printf(arena, "The system call %s", name) : name;
}

/* Whose longest time is that of all. */
static const struct call_row *slowest(struct call_row *const *rows, size_t count, const struct call_times *times)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i]->times.most == times->all.most)
			return rows[i];
	return NULL;
}

static const char *where_slowest(const struct call_times *times, struct arena *arena)
{
	const struct call_row *thread = slowest(times->threads, times->nthreads, times);
	const struct call_row *caller = slowest(times->callers, times->ncallers, times);
	struct string text = STRING_INIT(arena);

	string_printf(&text, "The slowest took %s", ns_text((double)times->all.most, arena));
	if (thread && times->nthreads > 1)
		string_printf(&text, ", in %s", row_name(thread, arena));
	if (caller && times->kind != CALL_TRACEPOINT)
		string_printf(&text, ", %s %s", times->kind == CALL_SYSCALL ? "made by" : "called by",
			      row_name(caller, arena));
	return text.text;
}

static const char *nothing_seen(const struct call_times *times, struct arena *arena)
{
	if (times->unreturned + times->begun_before + times->doubtful)
		return arena_printf(arena, "%s: no call was seen from its begin to its end in %s.", thing(times, arena),
				    human_seconds(arena, times->length_s));
	return arena_printf(arena, "%s was not called in the %s that were watched.", thing(times, arena),
			    human_seconds(arena, times->length_s));
}

static bool is_mostly_probe(const struct call_times *times)
{
	return times->cost.inside_s / NS >= (double)log_histogram_at(&times->all, 0.5) / 2;
}

static const char *latency_answer(const struct call_times *times, struct arena *arena)
{
	const struct log_histogram *all = &times->all;
	const struct call_row *first = times->nthreads ? times->threads[0] : NULL;
	const char *verb = times->kind == CALL_TRACEPOINT ? "lasted" : "took", *length, *part;

	if (!all->count)
		return nothing_seen(times, arena);
	length = human_seconds(arena, times->length_s);
	if (all->count == 1)
		return arena_printf(arena, "%s %s %s, in its only call in %s.", thing(times, arena), verb,
				    ns_text((double)all->most, arena), length);
	part = !first || times->nthreads == 1
		       ? arena_printf(arena, "%s of the %s that were watched",
				      percent_of((double)times->outer, times, arena), length)
		       : arena_printf(arena, "and %s was in it for %s of the %s that were watched",
				      row_name(first, arena), percent_of((double)first->outer, times, arena), length);
	return arena_printf(
		arena, "%s %s %s in the median%s and %s at 99 %%: %s, %s. %s.", thing(times, arena), verb,
		time_at(all, 0.5, arena), is_mostly_probe(times) ? ", most of it the probe's own time," : "",
		time_at(all, 0.99, arena), calls_text(all->count, arena), part, where_slowest(times, arena));
}

/* ---- the histogram ---- */

enum { TIME_FROM, TIME_TO, TIME_CALLS, TIME_PERCENT, TIME_BAR, TIME_COLUMNS };

static const struct column time_columns[TIME_COLUMNS] = {
	[TIME_FROM] = { .heading = "From", .flags = COLUMN_RIGHT },
	[TIME_TO] = { .heading = "To", .flags = COLUMN_RIGHT, .gap = 2 },
	[TIME_CALLS] = { .heading = "Calls", .flags = COLUMN_RIGHT, .gap = 2 },
	[TIME_PERCENT] = { .heading = "%", .flags = COLUMN_RIGHT, .gap = 2 },
	[TIME_BAR] = { .heading = "", .gap = 2 },
};

static const char *bar_of(double share, const struct document *doc)
{
	struct string bar = STRING_INIT(doc->arena);
	int length = (int)(share * BAR + 0.5);

	for (int i = 0; i < length || (i == 0 && share > 0); i++)
		string_add(&bar, doc->style->has_utf8 ? "\u2588" : "#");
	return bar.text;
}

static uint64_t most_of_powers(const struct call_times *times, unsigned first, unsigned last)
{
	uint64_t most = 1;

	for (unsigned power = first; power <= last; power++)
		if (log_histogram_power(&times->all, power) > most)
			most = log_histogram_power(&times->all, power);
	return most;
}

static void add_histogram(struct document *doc, const struct call_times *times)
{
	struct grid *grid = grid_new(doc->arena, time_columns, TIME_COLUMNS);
	struct arena *arena = doc->arena;
	unsigned first, last;
	uint64_t most;

	if (!latency_powers(times, &first, &last))
		return;
	grid->has_heads = true;
	most = most_of_powers(times, first, last);
	for (unsigned power = first; power <= last; power++) {
		uint64_t count = log_histogram_power(&times->all, power);
		double low = (double)((uint64_t)1 << power);
		const struct cell cells[TIME_COLUMNS] = {
			[TIME_FROM] = shown_cell(power ? ns_text(low, arena) : "0 s", INK_PLAIN),
			[TIME_TO] = shown_cell(ns_text(2 * low, arena), INK_PLAIN),
			[TIME_CALLS] = shown_cell(exact_count(count, arena), INK_PLAIN),
			[TIME_PERCENT] = shown_cell(
				human_fixed(arena, 100 * (double)count / (double)times->all.count, 1), INK_DIM),
			[TIME_BAR] = shown_cell(bar_of((double)count / (double)most, doc), INK_PLAIN),
		};

		grid_add(grid, cells, arena);
	}
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
}

static void add_figures(struct document *doc, const struct call_times *times)
{
	static const struct {
		const char *label;
		double share;
	} shares[] = { { "Median", 0.5 }, { "90 %", 0.9 }, { "99 %", 0.99 }, { "99.9 %", 0.999 } };
	const struct log_histogram *all = &times->all;
	struct fact *facts = arena_array(doc->arena, COUNT_OF(shares) + 3, sizeof(*facts));
	size_t count = 0;

	if (!all->count)
		return;
	facts[count++] = (struct fact){ "Least", ns_text((double)all->least, doc->arena), false };
	for (size_t i = 0; i < COUNT_OF(shares); i++)
		facts[count++] = (struct fact){ shares[i].label, time_at(all, shares[i].share, doc->arena), false };
	facts[count++] = (struct fact){ "Most", ns_text((double)all->most, doc->arena), false };
	facts[count++] = (struct fact){ "Total", ns_text((double)all->sum, doc->arena), false };
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_FACTS, .facts = facts, .nfacts = count, .label = 8 });
}

/* ---- threads and callers ---- */

enum { ROW_NAME, ROW_CALLS, ROW_TOTAL, ROW_SHARE, ROW_MEDIAN, ROW_99, ROW_MOST, ROW_COLUMNS };

static const struct column row_columns[2][ROW_COLUMNS] = {
#define ROW_FIGURES                                                                                                    \
	[ROW_CALLS] = { .heading = "Calls", .flags = COLUMN_RIGHT, .gap = 2 },                                         \
	[ROW_TOTAL] = { .heading = "Total", .flags = COLUMN_RIGHT, .gap = 2 },                                         \
	[ROW_SHARE] = { .heading = "% of time", .flags = COLUMN_RIGHT, .gap = 2 },                                     \
	[ROW_MEDIAN] = { .heading = "Median", .flags = COLUMN_RIGHT, .gap = 2 },                                       \
	[ROW_99] = { .heading = "99 %", .flags = COLUMN_RIGHT, .gap = 2 },                                             \
	[ROW_MOST] = { .heading = "Most", .flags = COLUMN_RIGHT, .gap = 2 }
	{ [ROW_NAME] = { .heading = "Thread", .flags = COLUMN_SHRINKS, .least = 12 }, ROW_FIGURES },
	{ [ROW_NAME] = { .heading = "Called by", .flags = COLUMN_SHRINKS | COLUMN_CODE, .least = 12 }, ROW_FIGURES },
};

struct row_list {
	struct call_row *const *rows;
	size_t count;
	bool is_thread;
};

static void latency_add_rows(struct document *doc, const struct call_times *times, const struct row_list *list)
{
	const size_t most = doc->style->is_verbose || doc->is_page ? SIZE_MAX : MOST_ROWS;
	struct grid *grid = grid_new(doc->arena, row_columns[!list->is_thread], ROW_COLUMNS);
	struct arena *arena = doc->arena;

	grid->has_heads = true;
	for (size_t i = 0; i < list->count && i < most; i++) {
		const struct call_row *row = list->rows[i];
		const char *name = row_name(row, arena);
		const struct cell cells[ROW_COLUMNS] = {
			[ROW_NAME] = shown_cell(list->is_thread && row->tid && row->name
							? arena_printf(arena, "%s (%u)", name, row->tid)
							: name,
						INK_PLAIN),
			[ROW_CALLS] = shown_cell(exact_count(row->times.count, arena), INK_PLAIN),
			[ROW_TOTAL] = shown_cell(ns_text((double)row->times.sum, arena), INK_PLAIN),
			[ROW_SHARE] = shown_cell(human_fixed(arena, share_of((double)row->outer, times), 1), INK_DIM),
			[ROW_MEDIAN] = shown_cell(time_at(&row->times, 0.5, arena), INK_PLAIN),
			[ROW_99] = shown_cell(time_at(&row->times, 0.99, arena), INK_PLAIN),
			[ROW_MOST] = shown_cell(ns_text((double)row->times.most, arena), INK_PLAIN),
		};

		grid_add(grid, cells, arena);
	}
	if (!grid->count)
		return;
	doc_gap(doc);
	doc_add(doc, (struct block){ .kind = BLOCK_TABLE, .grid = grid });
	if (list->count > most)
		doc_sentence(doc, arena_printf(arena, "and %zu more", list->count - most));
}

/* ---- what has to be known of the figures ---- */

static void latency_note(struct document *doc, const char *text)
{
	doc_add(doc, (struct block){ .kind = BLOCK_NOTE, .text = text });
}

static void add_cost(struct document *doc, const struct call_times *times)
{
	const struct probe_cost *cost = &times->cost;
	double median = (double)log_histogram_at(&times->all, 0.5), inside = cost->inside_s / NS;
	double calls = (double)(times->all.count + times->unreturned + times->doubtful);
	double total = cost->added_s / NS * calls;
	struct arena *arena = doc->arena;
	const char *share;

	if (cost->refused) {
		latency_note(doc, arena_printf(arena, "What a call costs more is unknown: %s.", cost->refused));
		return;
	}
	share = times->nthreads > 1 ? arena_printf(arena, "over %zu threads", times->nthreads)
				    : arena_printf(arena, "%s of the run", percent_of(total, times, arena));
	latency_note(doc,
		     arena_printf(arena,
				  "Each call cost about %s more, as measured on an empty one: %s in all, %s. About %s "
				  "of it is in each time above.",
				  ns_text(cost->added_s / NS, arena), ns_text(total, arena), share,
				  ns_text(inside, arena)));
	if (times->all.count && inside >= LARGE_PART * median)
		latency_note(doc, arena_printf(arena, "That is %.0f %% of the median: the times are %sthe probe's own.",
					       fmin(100 * inside / median, 100),
					       inside >= median / 2 ? "mostly " : "to a large part "));
}

static void add_losses(struct document *doc, const struct call_times *times)
{
	struct arena *arena = doc->arena;

	if (times->lost)
		latency_note(doc,
			     arena_printf(arena,
					  "%s records were lost, because calls came faster than they were read: their "
					  "calls are missing above.",
					  exact_count(times->lost, arena)));
	if (times->doubtful)
		latency_note(doc, arena_printf(arena, "%s under way when that happened, and %s left out.",
					       times->doubtful == 1 ? "1 call was"
								    : arena_printf(arena, "%s were",
										   calls_text(times->doubtful, arena)),
					       times->doubtful == 1 ? "is" : "are"));
	if (times->unreturned && times->deepest > MOST_RETURNS)
		latency_note(doc,
			     arena_printf(arena,
					  "%s did not return, as far as was seen: the kernel watches the returns of %d "
					  "calls in each other, and here were up to %s.",
					  calls_text(times->unreturned, arena), MOST_RETURNS,
					  exact_count(times->deepest, arena)));
	else if (times->unreturned)
		latency_note(doc, arena_printf(arena,
					       "%s did not return: by longjmp, an exception, the end of a thread, or "
					       "because %s still under way at the end.",
					       calls_text(times->unreturned, arena),
					       times->unreturned == 1 ? "it was" : "they were"));
	if (times->begun_before)
		latency_note(doc,
			     arena_printf(arena, "%s returned whose begin was not seen, as of what had begun before.",
					  calls_text(times->begun_before, arena)));
	if (times->others)
		latency_note(doc,
			     arena_printf(arena,
					  "Other processes made %s meanwhile. They are not in the figures, but the "
					  "probe slowed them too.",
					  calls_text(times->others, arena)));
}

/* ---- all of it ---- */

static void latency_document(struct document *doc, const void *what)
{
	const struct call_times *times = what;

	doc_add(doc, (struct block){ .kind = BLOCK_TITLE,
				     .text = arena_printf(doc->arena, "Latency of %s",
							  cells_safe(doc->arena, times->name, true)),
				     .level = 1 });
	doc_sentence(doc, latency_answer(times, doc->arena));
	add_histogram(doc, times);
	add_figures(doc, times);
	latency_add_rows(doc, times, &(struct row_list){ times->threads, times->nthreads, true });
	if (times->kind == CALL_FUNCTION || times->kind == CALL_SYSCALL)
		latency_add_rows(doc, times, &(struct row_list){ times->callers, times->ncallers, false });
	doc_gap(doc);
	add_cost(doc, times);
	add_losses(doc, times);
	doc_gap(doc);
}

const struct view latency_view = { .document = latency_document, .json = latency_json, .csv = latency_csv };
