/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/ranks/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/waits/waits.h"

struct rank_sums {
	struct arena *arena;
	struct counts *parts; /* of the first session that had such a part, with the sums as their items' values */
	size_t nparts, parts_room;
	struct rank *ranks;
	size_t nranks, ranks_room;
	struct job_place job; /* of the first session */
	const char *command;
	size_t nfiles;	 /* that were added */
	bool are_spread; /* each of them has one group of several */
	const char **remarks;
	size_t nremarks, remarks_room;
};

struct rank_sums *rank_sums_new(struct arena *arena)
{
	struct rank_sums *sums = arena_alloc(arena, sizeof(*sums));

	sums->arena = arena;
	return sums;
}

static void rank_sums_remark(struct rank_sums *sums, const char *sentence)
{
	sums->remarks =
		arena_grow(sums->arena, sums->remarks, sums->nremarks, &sums->remarks_room, sizeof(*sums->remarks));
	sums->remarks[sums->nremarks++] = sentence;
}

void rank_sums_leave_out(struct rank_sums *sums, const char *file, const char *reason)
{
	rank_sums_remark(sums, arena_printf(sums->arena, "%s is left out: %s.", file, reason));
}

/* ---- which part ---- */

static bool is_part_of(const struct counts *part, const struct counts *one)
{
	return compare_texts(part->origin.cpu, one->origin.cpu) == 0 &&
	       compare_texts(part->origin.machine, one->origin.machine) == 0 &&
	       compare_texts(part->origin.pmu, one->origin.pmu) == 0 &&
	       compare_texts(part->origin.part, one->origin.part) == 0;
}

static struct counts *find_part(const struct rank_sums *sums, const struct counts *one)
{
	for (size_t i = 0; i < sums->nparts; i++)
		if (is_part_of(&sums->parts[i], one))
			return &sums->parts[i];
	return NULL;
}

bool rank_sums_is_new(const struct rank_sums *sums, const struct measurement *one)
{
	for (size_t i = 0; i < one->count; i++)
		if (!find_part(sums, &one->parts[i]))
			return true;
	return false;
}

/* Items and runs like these stand behind those of the sum, with nothing counted yet. */
static void append_items(struct repeat *sum, const struct repeat *one, struct arena *arena)
{
	struct count *items = arena_array(arena, sum->count + one->count + 1, sizeof(*items));
	struct count_run *runs = arena_array(arena, sum->nruns + one->nruns + 1, sizeof(*runs));

	for (size_t i = 0; i < sum->count + one->count; i++) {
		items[i] = i < sum->count ? sum->items[i] : one->items[i - sum->count];
		if (i < sum->count)
			continue;
		items[i].event = arena_strdup(arena, items[i].event);
		items[i].reason = items[i].reason ? arena_strdup(arena, items[i].reason) : NULL;
		items[i].unit = items[i].unit ? arena_strdup(arena, items[i].unit) : NULL;
		items[i].run += sum->nruns;
		items[i].by_cpu = NULL;
		items[i].slices = NULL;
		items[i].nslices = 0;
		items[i].value = items[i].state == COUNT_OK ? 0 : NAN;
		items[i].raw = items[i].enabled_ns = items[i].running_ns = 0;
	}
	for (size_t i = 0; i < sum->nruns + one->nruns; i++)
		runs[i] = i < sum->nruns
				  ? sum->runs[i]
				  : (struct count_run){ .wall_s = NAN, .status = one->runs[i - sum->nruns].status };
	sum->items = items;
	sum->runs = runs;
	sum->count += one->count;
	sum->nruns += one->nruns;
	sum->ngroups = one->ngroups > sum->ngroups ? one->ngroups : sum->ngroups;
}

/* What can be added of each repeat: items whose values begin at 0. Places, CPUs and trials are of one rank alone. */
static void begin_part(struct rank_sums *sums, const struct counts *one)
{
	struct counts *part;

	sums->parts = arena_grow(sums->arena, sums->parts, sums->nparts, &sums->parts_room, sizeof(*sums->parts));
	part = &sums->parts[sums->nparts++];
	*part = *one;
	part->cpus = NULL;
	part->trials = NULL;
	part->lines = NULL;
	part->ncpus = part->ntrials = part->nlines = 0;
	part->has_lines = false;
	part->anchor = arena_alloc(sums->arena, sizeof(*part->anchor));
	part->origin.file = NULL;
	part->repeats = arena_array(sums->arena, one->nrepeats + 1, sizeof(*part->repeats));
	for (size_t i = 0; i < one->nrepeats; i++) {
		struct repeat *repeat = &part->repeats[i];

		*repeat = one->repeats[i];
		repeat->calls = NULL;
		repeat->printed = NULL;
		repeat->wall = NULL;
		repeat->ncalls = repeat->nprinted = 0;
		repeat->count = repeat->nruns = 0;
		append_items(repeat, &one->repeats[i], sums->arena);
	}
}

/* ---- what fits ---- */

/* Of the machine, and not of this rank. */
static bool is_of_machine(const struct count *item)
{
	return item->state == COUNT_REFUSED && compare_texts(item->reason, COUNTED_ELSEWHERE) == 0;
}

/* Where the sum has such items: those of the same group, or all; sum->count: it has none yet. */
static size_t first_like(const struct rank_sums *sums, const struct repeat *sum, const struct repeat *one)
{
	size_t first = 0;

	while (sums->are_spread && one->count && first < sum->count && sum->items[first].group != one->items[0].group)
		first++;
	return first;
}

/* Why the repeat can't be added, as a clause; NULL: it can. */
static const char *misfit_of_repeat(const struct rank_sums *sums, const struct repeat *sum, const struct repeat *one)
{
	const size_t first = first_like(sums, sum, one);
	const bool are_spread = sums->are_spread;

	if (are_spread && first == sum->count && one->nruns == 1)
		return NULL;
	if (first + one->count > sum->count || one->nruns != (are_spread ? 1 : sum->nruns) ||
	    (!are_spread && sum->count != one->count))
		return "it has other events than those before";
	for (size_t i = 0; i < one->count; i++) {
		const struct count *item = &sum->items[first + i];

		if (item->group != one->items[i].group || (!are_spread && item->run != one->items[i].run) ||
		    compare_texts(item->event, one->items[i].event) != 0)
			return "it has other events than those before";
		if (item->state == COUNT_OK && one->items[i].state != COUNT_OK && !is_of_machine(&one->items[i]))
			return arena_printf(sums->arena, "%s was not counted", one->items[i].event);
	}
	return NULL;
}

/* Of spread ranks each has one run, and in each repeat the same items as in the first. */
static bool are_repeats_alike(const struct counts *one)
{
	const struct repeat *first = &one->repeats[0];

	for (size_t i = 0; i < one->nrepeats; i++) {
		const struct repeat *repeat = &one->repeats[i];

		if (repeat->count != first->count || (one->origin.job.is_spread && repeat->nruns != 1) ||
		    (first->count && repeat->items[0].group != first->items[0].group))
			return false;
	}
	return one->nrepeats > 0;
}

static const char *misfit_of_part(const struct rank_sums *sums, const struct counts *one)
{
	const struct counts *part = find_part(sums, one);
	const char *misfit = NULL;

	if (!are_repeats_alike(one))
		return "its repeats differ";
	if (!part)
		return NULL;
	if (part->nrepeats != one->nrepeats)
		return "it has another number of repeats";
	for (size_t i = 0; i < one->nrepeats && !misfit; i++)
		misfit = misfit_of_repeat(sums, &part->repeats[i], &one->repeats[i]);
	return misfit;
}

/* A session's number in its job; of sessions of none, in their order. */
static uint64_t number_of(const struct rank_sums *sums, const struct measurement *one)
{
	return one->parts[0].origin.job.launcher ? one->parts[0].origin.job.rank : sums->nfiles;
}

static const struct rank *find_rank(const struct rank_sums *sums, uint64_t number)
{
	for (size_t i = 0; i < sums->nranks; i++)
		if (sums->ranks[i].number == number)
			return &sums->ranks[i];
	return NULL;
}

static const char *misfit_of_job(const struct rank_sums *sums, const struct measurement *one)
{
	const struct job_place *job = &one->parts[0].origin.job;
	const struct rank *same = find_rank(sums, number_of(sums, one));
	const char *command = one->parts[0].origin.command;

	if (!sums->nfiles)
		return NULL;
	if (!job->launcher != !sums->job.launcher)
		return job->launcher ? "it is of a job, and those before are of none"
				     : "it is no rank of a job, as those before are";
	if (job->is_spread != sums->are_spread)
		return "not all ranks were to count one group each";
	if (job->id && sums->job.id && strcmp(job->id, sums->job.id) != 0)
		return arena_printf(sums->arena, "it is of job %s, and those before are of job %s", job->id,
				    sums->job.id);
	if (!(job->id && sums->job.id) && compare_texts(command, sums->command) != 0)
		return arena_printf(sums->arena, "it measured %s, and those before %s",
				    command ? command : "no program", sums->command ? sums->command : "none");
	if (same)
		return arena_printf(sums->arena, "rank %llu is %s already", (unsigned long long)same->number,
				    same->file);
	return NULL;
}

static const char *misfit_of(const struct rank_sums *sums, const struct measurement *one)
{
	const char *misfit;

	if (!one->count || !one->parts[0].nrepeats || !one->parts[0].repeats[0].count)
		return "nothing was counted in it";
	misfit = misfit_of_job(sums, one);
	for (size_t i = 0; i < one->count && !misfit; i++)
		misfit = misfit_of_part(sums, &one->parts[i]);
	return misfit;
}

/* ---- adding ---- */

static double known_sum(double sum, double value)
{
	return isnan(value) ? sum : sum + value;
}

static void add_run(struct count_run *sum, const struct count_run *one)
{
	sum->wall_s = fmax(sum->wall_s, one->wall_s);
	sum->cpu_s += one->cpu_s;
	sum->preemptions += one->preemptions;
	sum->waited_s += one->waited_s;
	sum->status = sum->status > 0 ? sum->status : one->status;
	sum->is_cut |= one->is_cut;
	sum->has_lost_target |= one->has_lost_target;
}

static uint64_t sum_within(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Returns the rank's own values, of items from first on. */
static double *add_repeat(const struct rank_sums *sums, struct repeat *sum, const struct repeat *one, size_t first)
{
	double *values = arena_array(sums->arena, one->count + 1, sizeof(*values));
	const size_t run = sums->are_spread && first < sum->count ? sum->items[first].run : 0;

	for (size_t i = 0; i < one->count; i++) {
		struct count *item = &sum->items[first + i];

		if (is_of_machine(item) && one->items[i].state == COUNT_OK) {
			item->state = COUNT_OK;
			item->reason = NULL;
			item->value = 0;
		}
		values[i] = item->state == COUNT_OK ? one->items[i].value : NAN;
		item->value = known_sum(item->value, values[i]);
		item->raw = sum_within(item->raw, one->items[i].raw);
		item->enabled_ns = sum_within(item->enabled_ns, one->items[i].enabled_ns);
		item->running_ns = sum_within(item->running_ns, one->items[i].running_ns);
	}
	for (size_t i = 0; i < one->nruns; i++)
		add_run(&sum->runs[run + i], &one->runs[i]);
	return values;
}

/* Of a simulation the native run says how long it took. */
static void take_times(struct rank *rank, const struct counts *one)
{
	const struct anchor *anchor = one->anchor;
	const struct count_run *run = one->repeats[0].nruns ? &one->repeats[0].runs[0] : NULL;

	rank->wall_s = anchor && anchor->wall_s > 0 ? anchor->wall_s : run && !anchor ? run->wall_s : NAN;
	rank->cpu_s = anchor && anchor->wall_s > 0 ? anchor->cpu_s : run && !anchor ? run->cpu_s : NAN;
}

/* Native runs beside a simulation are added too, if each rank has one: the clock is then that of their mean cycle. */
static void add_anchor(struct counts *part, const struct counts *one, struct anchor *sum)
{
	const struct anchor *own = one->anchor;
	const double cycles = sum->user_s * sum->hz + (own ? own->user_s * own->hz : NAN);

	if (!own || own->reason || isnan(cycles)) {
		part->anchor = NULL;
		return;
	}
	sum->user_s += own->user_s;
	sum->hz = sum->user_s > 0 ? cycles / sum->user_s : own->hz;
	sum->cycles += own->cycles;
	sum->wall_s = fmax(sum->wall_s, own->wall_s);
	sum->cpu_s += own->cpu_s;
	sum->faults += own->faults;
	sum->preemptions += own->preemptions;
	sum->waited_s += own->waited_s;
	sum->tick_s = own->tick_s;
	sum->runs = own->runs;
}

static void take_waits(struct rank *rank, const struct waits *waits)
{
	const struct waiting_thread *first;
	double life_s;

	rank->waited = rank->ready = NAN;
	if (!waits || waits->refused || !waits->count)
		return;
	first = &waits->threads[0];
	life_s = thread_life(first);
	if (!(life_s > 0))
		return;
	rank->waited = 100 * thread_waited(first, WAIT_KINDS) / life_s;
	rank->ready = 100 * (first->preempted_s + first->queued_s) / life_s;
}

static struct rank *add_part(struct rank_sums *sums, const struct counts *one, uint64_t number, const char *file)
{
	struct counts *part = find_part(sums, one);
	struct rank *rank;

	sums->ranks = arena_grow(sums->arena, sums->ranks, sums->nranks, &sums->ranks_room, sizeof(*sums->ranks));
	rank = &sums->ranks[sums->nranks++];
	*rank = (struct rank){ .number = number,
			       .host = one->origin.host ? arena_strdup(sums->arena, one->origin.host) : NULL,
			       .file = file,
			       .part = (size_t)(part - sums->parts),
			       .of = part->repeats,
			       .first = first_like(sums, &part->repeats[0], &one->repeats[0]),
			       .count = one->repeats[0].count,
			       .values = arena_array(sums->arena, part->nrepeats + 1, sizeof(*rank->values)) };
	take_times(rank, one);
	for (size_t i = 0; i < part->nrepeats; i++) {
		if (one->repeats[i].count &&
		    first_like(sums, &part->repeats[i], &one->repeats[i]) == part->repeats[i].count)
			append_items(&part->repeats[i], &one->repeats[i], sums->arena);
		rank->values[i] = add_repeat(sums, &part->repeats[i], &one->repeats[i],
					     first_like(sums, &part->repeats[i], &one->repeats[i]));
	}
	if (part->anchor)
		add_anchor(part, one, (struct anchor *)part->anchor);
	if (compare_texts(part->origin.host, one->origin.host) != 0)
		part->origin.host = NULL;
	return rank;
}

void rank_sums_add(struct rank_sums *sums, const struct measurement *one, const char *file)
{
	const char *misfit = misfit_of(sums, one);
	uint64_t number = number_of(sums, one);

	if (misfit) {
		rank_sums_leave_out(sums, file, misfit);
		return;
	}
	if (!sums->nfiles) {
		sums->job = one->parts[0].origin.job;
		sums->command = one->parts[0].origin.command;
		sums->are_spread = one->parts[0].origin.job.is_spread;
	}
	for (size_t i = 0; i < one->count; i++)
		if (!find_part(sums, &one->parts[i]))
			begin_part(sums, &one->parts[i]);
	for (size_t i = 0; i < one->count; i++)
		take_waits(add_part(sums, &one->parts[i], number, arena_strdup(sums->arena, file)), one->waits);
	sums->nfiles++;
}

/* ---- the end ---- */

static int compare_ranks(const void *first, const void *second)
{
	const struct rank *a = first, *b = second;
	int order = (a->part > b->part) - (a->part < b->part);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static int compare_hosts(const void *first, const void *second)
{
	return compare_texts(*(const char *const *)first, *(const char *const *)second);
}

static size_t count_hosts(const struct rank_sums *sums)
{
	const char **hosts = arena_array(sums->arena, sums->nranks + 1, sizeof(*hosts));
	size_t known = 0, count = 0;

	for (size_t i = 0; i < sums->nranks; i++)
		if (sums->ranks[i].host)
			hosts[known++] = sums->ranks[i].host;
	if (known)
		qsort(hosts, known, sizeof(*hosts), compare_hosts);
	for (size_t i = 0; i < known; i++)
		count += !i || strcmp(hosts[i], hosts[i - 1]) != 0;
	return count;
}

#define MOST_MISSING 8 /* that are named */

static void remark_missing(struct rank_sums *sums)
{
	const uint64_t size = sums->job.size;
	struct string text = STRING_INIT(sums->arena);
	uint64_t missing = 0;

	for (uint64_t number = 0; size > sums->nfiles && number < size && missing <= MOST_MISSING; number++)
		if (!find_rank(sums, number) && missing++ < MOST_MISSING)
			string_printf(&text, "%s%llu", text.length ? ", " : "", (unsigned long long)number);
	if (missing)
		rank_sums_remark(sums, arena_printf(sums->arena, "Of %llu ranks %llu %s missing: %s%s.",
						    (unsigned long long)size, (unsigned long long)(size - sums->nfiles),
						    size - sums->nfiles == 1 ? "is" : "are", text.text,
						    missing > MOST_MISSING ? " and more" : ""));
}

/* Of several CPU models each is called by its own. */
static void name_models(struct rank_sums *sums)
{
	bool are_several = false;

	for (size_t i = 1; i < sums->nparts; i++)
		are_several |= compare_texts(sums->parts[i].origin.machine, sums->parts[0].origin.machine) != 0;
	for (size_t i = 0; are_several && i < sums->nparts; i++) {
		struct origin *origin = &sums->parts[i].origin;
		const char *machine = origin->machine ? origin->machine : "an unknown CPU";

		origin->part = origin->part ? arena_printf(sums->arena, "%s, %s", machine, origin->part) : machine;
		origin->part_kind = "core type";
	}
}

/* What a part of the ranks has counted stands for all of them. */
static void scale_run(struct repeat *repeat, size_t run, double times)
{
	for (size_t i = 0; i < repeat->count; i++)
		if (repeat->items[i].run == run)
			repeat->items[i].value *= times;
	repeat->runs[run].cpu_s *= times;
}

static void scale_spread(struct rank_sums *sums, size_t number)
{
	struct counts *part = &sums->parts[number];
	size_t all = 0, *made = arena_array(sums->arena, part->repeats[0].nruns + 1, sizeof(*made));

	for (size_t i = 0; i < sums->nranks; i++) {
		if (sums->ranks[i].part != number)
			continue;
		made[part->repeats[0].items[sums->ranks[i].first].run] += sums->ranks[i].count > 0;
		all++;
	}
	for (size_t i = 0; i < part->nrepeats; i++) {
		part->repeats[i].planned_runs = part->repeats[i].nruns;
		for (size_t run = 0; run < part->repeats[i].nruns; run++)
			scale_run(&part->repeats[i], run, made[run] ? (double)all / (double)made[run] : 1);
	}
}

static void finish_spread(struct rank_sums *sums)
{
	if (!sums->are_spread)
		return;
	for (size_t i = 0; i < sums->nparts; i++)
		scale_spread(sums, i);
	rank_sums_remark(sums,
			 arena_printf(sums->arena,
				      "Over ranks: each has counted one group, of %zu in all, which stands for all "
				      "ranks. What several groups have is right as far as they did alike.",
				      sums->parts[0].repeats[0].nruns));
}

int rank_sums_finish(struct measurement *sum, struct rank_sums *sums, struct error *err)
{
	struct rank_set *set = arena_alloc(sums->arena, sizeof(*set));

	if (!sums->nfiles)
		return error_set(err, "there is nothing to add up: %s",
				 sums->nremarks ? sums->remarks[0] : "no session was given");
	remark_missing(sums);
	name_models(sums);
	finish_spread(sums);
	qsort(sums->ranks, sums->nranks, sizeof(*sums->ranks), compare_ranks);
	*set = (struct rank_set){ .launcher = sums->job.launcher,
				  .id = sums->job.id,
				  .size = sums->job.size,
				  .nranks = sums->nfiles,
				  .nhosts = count_hosts(sums),
				  .items = sums->ranks,
				  .count = sums->nranks,
				  .is_spread = sums->are_spread,
				  .remarks = sums->remarks,
				  .nremarks = sums->nremarks };
	*sum = (struct measurement){
		.parts = sums->parts, .count = sums->nparts, .from_s = NAN, .to_s = NAN, .ranks = set
	};
	return 0;
}
