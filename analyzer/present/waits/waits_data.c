/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "present/waits/waits_view.h"

#include <math.h>

static struct cell causes_cell(const struct waiting_thread *thread, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < thread->ncauses; i++) {
		const struct wait_cause *cause = &thread->causes[i];

		grid_members(grid, arena,
			     MEMBERS({ "kind", text_cell(wait_kind_name(cause->kind)) },
				     { "name", text_cell(cause->name) }, { "call", text_cell(cause->call) },
				     { "time_s", exact_cell(cause->time_s) },
				     { "longest_s", exact_cell(cause->longest_s) },
				     { "waits", known_cell(cause->waits) }, { "looks", whole_cell(cause->looks) },
				     { "by", known_cell(cause->by) }, { "by_name", text_cell(cause->by_name) },
				     { "by_function", text_cell(cause->by_place.function) }));
	}
	return rows_cell(grid);
}

static struct cell threads_cell(const struct waits *waits, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < waits->count; i++) {
		const struct waiting_thread *thread = &waits->threads[i];

		grid_members(grid, arena,
			     MEMBERS({ "pid", whole_cell(thread->pid) }, { "tid", whole_cell(thread->tid) },
				     { "name", text_cell(thread->name) }, { "from_s", exact_cell(thread->from_s) },
				     { "to_s", exact_cell(thread->to_s) },
				     { "running_s", exact_cell(thread->running_s) },
				     { "preempted_s", exact_cell(thread->preempted_s) },
				     { "throttled_s", exact_cell(thread->throttled_s) },
				     { "queued_s", exact_cell(thread->queued_s) },
				     { "waiting_s", exact_cell(thread_waited(thread, WAIT_KINDS)) },
				     { "causes", causes_cell(thread, arena) }, { "waits", whole_cell(thread->waits) },
				     { "preemptions", whole_cell(thread->preemptions) },
				     { "migrations", whole_cell(thread->migrations) },
				     { "ready_longest_s", exact_cell(thread->ready_longest_s) },
				     { "idle", truth_cell(i && thread_is_idle(thread)) }));
	}
	return rows_cell(grid);
}

static struct cell timeline_cell(const struct waits *waits, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < waits->count; i++) {
		const struct waiting_thread *thread = &waits->threads[i];

		for (size_t k = 0; k < thread->nsegments; k++) {
			const struct wait_segment *segment = &thread->segments[k];
			const char *kind = segment->waiting_s > 0 ? wait_kind_name(segment->kind) : NULL;

			grid_members(grid, arena,
				     MEMBERS({ "thread", whole_cell(i) }, { "from_s", exact_cell(segment->from_s) },
					     { "to_s", exact_cell(segment->to_s) },
					     { "running_s", exact_cell(segment->running_s) },
					     { "ready_s", exact_cell(segment->ready_s) },
					     { "waiting_s", exact_cell(segment->waiting_s) },
					     { "kind", text_cell(kind) }));
		}
	}
	return rows_cell(grid);
}

static struct cell intervals_cell(const struct waits *waits, struct arena *arena)
{
	static const char *const keys[WALL_PARTS] = {
		"running_s", "ready_s", "lock_s",  "disk_s",  "network_s", "pipe_s",
		"timer_s",   "fault_s", "child_s", "other_s", "unknown_s",
	};
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < waits->nintervals; i++) {
		const struct wall_interval *interval = &waits->intervals[i];
		struct member members[WALL_PARTS + 2] = { { "from_s", exact_cell(interval->from_s) },
							  { "to_s", exact_cell(interval->to_s) } };

		for (size_t k = 0; k < WALL_PARTS; k++)
			members[2 + k] = (struct member){ keys[k], exact_cell(interval->parts[k]) };
		grid_members(grid, arena, members, COUNT_OF(members));
	}
	return rows_cell(grid);
}

static struct cell links_cell(const struct waits *waits, struct arena *arena)
{
	struct grid *grid = grid_new(arena, NULL, 0);

	for (size_t i = 0; i < waits->nlinks; i++) {
		const struct wait_link *link = &waits->links[i];

		grid_members(grid, arena,
			     MEMBERS({ "tid", whole_cell(link->tid) }, { "thread", text_cell(link->thread) },
				     { "what", text_cell(link_kind_name(link->what)) },
				     { "cause", text_cell(link->cause) }, { "time_s", exact_cell(link->time_s) },
				     { "depth", whole_cell(link->depth) },
				     { "function", text_cell(link->place.function) },
				     { "function_share",
				       link->place.function ? exact_cell(link->place.share) : number_cell(NAN) },
				     { "node", text_cell(link->place.node) },
				     { "node_percent",
				       link->place.node ? exact_cell(link->place.node_percent) : number_cell(NAN) }));
	}
	return rows_cell(grid);
}

/* ns to seconds, of a share of all times. */
static struct cell ready_at(const struct log_histogram *ready, double share)
{
	return exact_cell((double)log_histogram_at(ready, share) * 1e-9);
}

static struct cell ready_cell(const struct log_histogram *ready, struct arena *arena)
{
	struct grid *powers = grid_new(arena, NULL, 0);

	if (!ready)
		return text_cell(NULL);
	for (unsigned power = 0; power < 64; power++)
		if (log_histogram_power(ready, power))
			grid_members(powers, arena,
				     MEMBERS({ "from_s", exact_cell(power ? ldexp(1e-9, (int)power) : 0) },
					     { "to_s", exact_cell(ldexp(1e-9, (int)power + 1)) },
					     { "count", whole_cell(log_histogram_power(ready, power)) }));
	return object_cell(arena, MEMBERS({ "count", whole_cell(ready->count) }, { "median_s", ready_at(ready, 0.5) },
					  { "p99_s", ready_at(ready, 0.99) },
					  { "longest_s", exact_cell((double)ready->most * 1e-9) },
					  { "histogram", rows_cell(powers) }));
}

void waits_json(struct json_writer *writer, const struct waits *waits, struct arena *arena)
{
	if (!waits)
		return;
	json_write_object(writer, "wall");
	json_members(writer,
		     MEMBERS({ "length_s", exact_cell(waits->length_s) }, { "threads", threads_cell(waits, arena) },
			     { "wakes", truth_cell(waits->has_wakes) }, { "calls", truth_cell(waits->has_calls) },
			     { "summed", truth_cell(waits->is_summed) }, { "of_many", truth_cell(waits->is_of_many) },
			     { "timeline", timeline_cell(waits, arena) }, { "intervals", intervals_cell(waits, arena) },
			     { "links", links_cell(waits, arena) }, { "ready", ready_cell(waits->ready, arena) },
			     { "lost", whole_cell(waits->lost) }, { "looks", whole_cell(waits->looks) },
			     { "short_s", exact_cell(waits->short_s) }, { "cpu_s", exact_cell(waits->cpu_s) },
			     { "refused", text_cell(waits->refused) }, { "unlooked", text_cell(waits->unlooked) }));
	json_write_end(writer);
}
