/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/latency/latency_view.h"

#include "present/document/data.h"

#define NS 1e-9

static struct cell at_cell(const struct log_histogram *times, double share)
{
	return cell_if(times->count > 0, exact_cell((double)log_histogram_at(times, share) * NS));
}

static struct cell seconds_cell(uint64_t ns)
{
	return exact_cell((double)ns * NS);
}

static const struct column power_columns[] = { { .key = "from_s" }, { .key = "to_s" }, { .key = "calls" } };

static struct grid *histogram_grid(const struct call_times *times, struct arena *arena)
{
	struct grid *grid = grid_new(arena, power_columns, COUNT_OF(power_columns));
	unsigned first, last;

	if (!latency_powers(times, &first, &last))
		return grid;
	for (unsigned power = first; power <= last; power++) {
		double low_s = (double)((uint64_t)1 << power) * NS;
		const struct cell cells[COUNT_OF(power_columns)] = {
			number_cell(power ? low_s : 0),
			number_cell(2 * low_s),
			whole_cell(log_histogram_power(&times->all, power)),
		};

		grid_add(grid, cells, arena);
	}
	return grid;
}

/* The same of all rows; a caller is no thread. */
static struct cell latency_rows(struct call_row *const *rows, size_t count, bool is_thread, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < count; i++) {
		const struct log_histogram *times = &rows[i]->times;

		grid_members(grid, arena,
			     MEMBERS({ "name", text_cell(rows[i]->name) },
				     { "pid", is_thread ? whole_cell(rows[i]->pid) : absent_cell() },
				     { "tid", is_thread ? whole_cell(rows[i]->tid) : absent_cell() },
				     { "calls", whole_cell(times->count) }, { "total_s", seconds_cell(times->sum) },
				     { "outer_s", seconds_cell(rows[i]->outer) }, { "median_s", at_cell(times, 0.5) },
				     { "p99_s", at_cell(times, 0.99) }, { "most_s", seconds_cell(times->most) }));
	}
	return rows_cell(grid);
}

static struct cell latency_cost(const struct probe_cost *cost, struct arena *arena)
{
	return object_cell(arena, MEMBERS({ "added_s", number_cell(cost->added_s) },
					  { "inside_s", number_cell(cost->inside_s) },
					  { "refused", text_cell(cost->refused) }));
}

void latency_json(struct json_writer *writer, const void *what, struct arena *arena)
{
	const struct call_times *times = what;
	const struct log_histogram *all = &times->all;

	json_members(writer,
		     MEMBERS({ "format", text_cell("topdown-latency") }, { "version", whole_cell(1) },
			     { "kind", text_cell(call_kind_name(times->kind)) }, { "name", text_cell(times->name) },
			     { "file", text_cell(times->file) }, { "length_s", exact_cell(times->length_s) },
			     { "calls", whole_cell(all->count) }, { "total_s", seconds_cell(all->sum) },
			     { "outer_s", seconds_cell(times->outer) },
			     { "least_s", cell_if(all->count > 0, seconds_cell(all->least)) },
			     { "median_s", at_cell(all, 0.5) }, { "p90_s", at_cell(all, 0.9) },
			     { "p99_s", at_cell(all, 0.99) }, { "p999_s", at_cell(all, 0.999) },
			     { "most_s", cell_if(all->count > 0, seconds_cell(all->most)) },
			     { "begun_before", whole_cell(times->begun_before) },
			     { "unreturned", whole_cell(times->unreturned) }, { "deepest", whole_cell(times->deepest) },
			     { "doubtful", whole_cell(times->doubtful) }, { "lost", whole_cell(times->lost) },
			     { "others", whole_cell(times->others) }, { "cost", latency_cost(&times->cost, arena) },
			     { "histogram", rows_cell(histogram_grid(times, arena)) },
			     { "threads", latency_rows(times->threads, times->nthreads, true, arena) },
			     { "callers", latency_rows(times->callers, times->ncallers, false, arena) }));
}

void latency_csv(struct sheet *sheet, const void *what)
{
	csv_grid(sheet, histogram_grid(what, sheet->arena));
}
