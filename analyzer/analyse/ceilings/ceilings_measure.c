/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/ceilings/ceilings.h"
#include "analyse/ceilings/kernels.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "analyse/ceilings/crew.h"
#include "common/base/text.h"
#include "common/system/loop.h"
#include "cpu/identify/surroundings.h"

#define WINDOW_NS     1000000 /* of computing and caches; short, so that some are undisturbed on a busy machine */
#define WINDOW_RAM_NS 2000000
#define CHUNK_ROUNDS  16384		  /* of a compute kernel */
#define CHUNK_BYTES   ((uint64_t)4 << 20) /* of a stream, all arrays together: passes over what is in a core's caches */
#define SLICE_BYTES   ((uint64_t)1 << 20) /* or a part of what is beyond */
#define PAGE	      4096
#define SLOW	      4 /* windows that a chunk may take: an emulated CPU needs smaller ones */

#define BEST	     3	   /* the best attempts that have to agree */
#define AGREE	     0.005 /* by which part */
#define LEAST_TRIES  16	   /* of a round */
#define SPREAD_LIMIT 0.02
#define CLOCK_LIMIT  0.97 /* of the nominal one */
#define LIMIT_SHARE  0.02 /* of time waited or stolen, from which on it is named */
#define WARM_UP_S    0.15

/*
 * All rows are measured once, then all of them again: what disturbed the first round is gone in the second. The third
 * one is for those that did not agree.
 */
#define ROUNDS 3
static const double round_ends[ROUNDS] = { 0.45, 0.8, 1 }; /* parts of the time */

/* How an attempt differs from others of its row. */
struct variant {
	unsigned place; /* of the arrays, below STREAM_PLACES */
	bool is_tight;	/* which loop of the kernel */
};

struct tried {
	double best[BEST]; /* highest first */
	double of_round;   /* the best before this round */
	bool is_steady;	   /* both rounds agree */
	unsigned attempts;
	double clock_hz, waited; /* of the best attempt */
	struct variant variant;
};

struct measuring {
	const struct ceilings_machine *here;
	const struct ceilings_effort *effort;
	struct ceilings_plan plan;
	struct crew *crew;
	char **regions;	   /* [plan.ncpus] */
	uint64_t *cursors; /* where each member is in its arrays */
	struct tried *tried;
	double begin_s, waited_s, worked_s;
	/* while a window runs */
	const struct planned_ceiling *row;
	double chunk;	 /* its operations or bytes */
	uint64_t shrink; /* by this factor it is smaller than usual; 0: as usual */
	uint64_t iterations, slice, passes;
	uint64_t shift; /* of the arrays in their regions, bytes */
	bool is_tight;	/* the kernel's tight loop runs */
};

/* ---- chunks ---- */

static void compute_chunk(void *context, size_t member)
{
	struct measuring *m = context;
	double sink;

	(void)member;
	m->row->compute->run(m->iterations, &sink);
}

static void stream_chunk(void *context, size_t member)
{
	struct measuring *m = context;
	uint64_t at = m->cursors[member], stride = m->row->array + STREAM_STAGGER;
	char *region = m->regions[member] + m->shift + at;
	const struct stream stream = { .a = (double *)(void *)region,
				       .b = (const double *)(const void *)(region + stride),
				       .c = (const double *)(const void *)(region + 2 * stride),
				       .bytes = m->slice,
				       .passes = m->passes,
				       .factor = 0.5 };

	(m->is_tight ? m->row->stream->tight : m->row->stream->run)(&stream);
	m->cursors[member] = at + 2 * m->slice <= m->row->array ? at + m->slice : 0;
}

static uint64_t at_least(uint64_t number, uint64_t least)
{
	return number > least ? number : least;
}

static void set_chunk(struct measuring *m, const struct planned_ceiling *row)
{
	uint64_t shrink = at_least(m->shrink, 1);

	m->row = row;
	if (row->compute) {
		m->iterations = at_least(CHUNK_ROUNDS / row->compute->rounds / shrink, 1);
		m->chunk = (double)m->iterations * kernel_operations(row->compute, row->row.bits);
		return;
	}

	unsigned arrays = stream_arrays(row->stream->pattern);
	uint64_t most = SLICE_BYTES / arrays / STREAM_STEP * STREAM_STEP;
	uint64_t less = at_least(most / shrink / STREAM_STEP * STREAM_STEP, STREAM_STEP);
	bool is_small = row->array <= most;

	m->slice = is_small ? row->array : less;
	m->passes = is_small ? at_least(CHUNK_BYTES / arrays / row->array / shrink, 1) : 1;
	memset(m->cursors, 0, m->plan.ncpus * sizeof(*m->cursors));
	m->chunk = (double)(m->slice * m->passes * arrays);
}

/* What a chunk takes of a member's time, waiting left out, decides about the next one. */
static void fit_chunk(struct measuring *m, const struct crew_work *work, const struct crew_window *window)
{
	double chunk_ns =
		window->seconds * 1e9 * (1 - window->waited) * (double)m->row->team.count / (double)window->chunks;

	if (!(chunk_ns > SLOW * (double)work->window_ns))
		return;
	m->shrink = at_least(m->shrink, 1) * (uint64_t)(chunk_ns / (double)work->window_ns);
	set_chunk(m, m->row);
}

/* ---- memory ---- */

/* The first touch decides on which node a page is, so the thread that will use it does it. */
static void touch_chunk(void *context, size_t member)
{
	struct measuring *m = context;

	for (uint64_t at = 0; at < m->plan.regions[member]; at += PAGE)
		m->regions[member][at] = 0;
}

static int get_memory(struct measuring *m, const struct team *all, struct error *err)
{
	const struct crew_work touching = { touch_chunk, m, 0 };
	struct crew_window window;

	for (size_t i = 0; i < m->plan.ncpus; i++) {
		size_t size = (size_t)m->plan.regions[i];
		void *region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (region == MAP_FAILED)
			return error_set(err, "%zu MiB of memory for a thread can't be allocated: %s", size >> 20,
					 strerror(errno));
		(void)madvise(region, size, MADV_HUGEPAGE); /* else page tables are what is measured */
		m->regions[i] = region;
	}
	crew_run(m->crew, all, &touching, &window);
	return 0;
}

static void release(struct measuring *m)
{
	crew_free(m->crew);
	for (size_t i = 0; i < m->plan.ncpus; i++)
		if (m->regions[i])
			munmap(m->regions[i], (size_t)m->plan.regions[i]);
}

/* ---- attempts ---- */

static bool agree(const struct tried *tried)
{
	return tried->attempts >= BEST && tried->best[BEST - 1] >= tried->best[0] * (1 - AGREE);
}

/*
 * A cache that finds its lines by a hash of their addresses (AMD's first level) can't hold just any pages together. And
 * which of two loops is faster depends on the CPU and on the size. So the first attempts try all places with all loops,
 * and the others repeat the best of them.
 */
static struct variant variant_of_attempt(const struct tried *tried, const struct planned_ceiling *row)
{
	unsigned loops = row->stream && row->stream->tight ? 2 : 1;

	if (tried->attempts >= loops * STREAM_PLACES)
		return tried->variant;
	return (struct variant){ tried->attempts / loops, tried->attempts % loops == 1 };
}

static void attempt(struct measuring *m, size_t n)
{
	const struct planned_ceiling *row = &m->plan.rows[n];
	const struct crew_work work = { row->compute ? compute_chunk : stream_chunk, m,
					row->row.level == CEILING_DRAM ? WINDOW_RAM_NS : WINDOW_NS };
	struct tried *tried = &m->tried[n];
	struct variant variant = variant_of_attempt(tried, row);
	struct crew_window window;
	double value;

	m->shift = variant.place * STREAM_SHIFT;
	m->is_tight = variant.is_tight;
	crew_run(m->crew, &row->team, &work, &window);
	value = m->chunk * (double)window.chunks / window.seconds;
	m->worked_s += window.seconds;
	m->waited_s += window.seconds * window.waited;
	tried->attempts++;
	if (value > tried->best[0]) {
		tried->clock_hz = window.clock_hz;
		tried->waited = window.waited;
		tried->variant = variant;
	}
	for (size_t i = 0; i < BEST; i++)
		if (value > tried->best[i]) {
			double lower = tried->best[i];

			tried->best[i] = value;
			value = lower;
		}
	fit_chunk(m, &work, &window);
}

static bool may_go_on(const struct measuring *m, double part)
{
	return !m->effort->go_on || m->effort->go_on(m->effort->context, part);
}

/* As many attempts as a value needs, or one when all of the time is over already. */
static bool has_enough(const struct measuring *m, unsigned attempts, double until_s)
{
	double now_s = clock_now();

	return now_s >= until_s && (attempts >= BEST || (attempts && now_s >= m->begin_s + m->effort->seconds));
}

/* Until the best attempts agree, or the time is over. False: it was interrupted. */
static bool try_row(struct measuring *m, size_t n, double until_s, double part)
{
	struct tried *tried = &m->tried[n];

	m->shrink /= 2; /* this row's may be faster */
	set_chunk(m, &m->plan.rows[n]);
	tried->of_round = tried->best[0];
	for (unsigned i = 0; i < LEAST_TRIES || !agree(tried); i++) {
		if (has_enough(m, i, until_s))
			break;
		if (!may_go_on(m, part))
			return false;
		attempt(m, n);
	}
	tried->is_steady = agree(tried) && tried->of_round >= tried->best[0] * (1 - 2 * AGREE);
	return true;
}

/* Each row gets the same share of what is left of the round's time. */
static bool try_round(struct measuring *m, unsigned round)
{
	double end_s = m->begin_s + m->effort->seconds * round_ends[round];
	double before = round ? round_ends[round - 1] : 0, size = round_ends[round] - before;

	for (size_t i = 0; i < m->plan.count; i++) {
		double now_s = clock_now(), left = (double)(m->plan.count - i);

		if (m->plan.rows[i].twin != i || m->tried[i].is_steady)
			continue;
		if (round && now_s >= end_s)
			return true;
		if (!try_row(m, i, now_s + fmax(end_s - now_s, 0) / left,
			     before + size * (double)i / (double)m->plan.count))
			return false;
	}
	return true;
}

/* Clocks rise when there is work; what comes first shall not be measured at a low one. */
static void warm_up(struct measuring *m, const struct team *all)
{
	const struct crew_work work = { compute_chunk, m, WINDOW_NS };
	double end_s = clock_now() + WARM_UP_S;
	struct crew_window window;

	set_chunk(m, &m->plan.rows[0]); /* scalar computing, which every CPU has */
	while (clock_now() < end_s && may_go_on(m, 0))
		crew_run(m->crew, all, &work, &window);
}

/* ---- what limited it ---- */

struct activity {
	double steal;	 /* share of all CPUs' time */
	double siblings; /* busy share of CPUs beside those that worked, on the same cores; NAN: there are none */
};

static size_t core_of(const struct machine *machine, unsigned cpu)
{
	for (size_t i = 0; machine->cpus && i < machine->online_cpus; i++)
		if (machine->cpus[i].number == cpu)
			return machine->cpus[i].core;
	return SIZE_MAX;
}

static bool is_sibling(const struct measuring *m, unsigned cpu)
{
	size_t core = core_of(m->here->machine, cpu);
	bool is_any = false;

	for (size_t i = 0; i < m->plan.ncpus; i++) {
		if (m->plan.cpus[i] == cpu)
			return false;
		is_any |= core != SIZE_MAX && core_of(m->here->machine, m->plan.cpus[i]) == core;
	}
	return is_any;
}

static struct activity activity_between(const struct measuring *m, const struct cpu_ticks *then,
					const struct cpu_ticks *now, size_t count)
{
	double steal = 0, all = 0, busy = 0, beside = 0;

	for (size_t i = 0; i < count; i++) {
		double ticks = (double)now[i].all - (double)then[i].all;

		steal += (double)now[i].steal - (double)then[i].steal;
		all += ticks;
		if (!is_sibling(m, now[i].number))
			continue;
		busy += (double)now[i].busy - (double)then[i].busy;
		beside += ticks;
	}
	return (struct activity){ all > 0 ? steal / all : NOT_COUNTED, beside > 0 ? busy / beside : NOT_COUNTED };
}

static unsigned common_limits(const struct measuring *m, const struct activity *activity)
{
	return (activity->steal > LIMIT_SHARE ? CEILING_BY_STEAL : 0u) |
	       (activity->siblings > LIMIT_SHARE ? CEILING_BY_SMT : 0u) |
	       (crew_floats(m->crew) ? CEILING_BY_FLOATING : 0u);
}

static void fill_row(struct ceiling *row, const struct measuring *m, size_t n, unsigned limits)
{
	const struct tried *tried = &m->tried[m->plan.rows[n].twin];
	double nominal = m->here->resources->nominal_hz;

	*row = m->plan.rows[n].row;
	if (!tried->attempts)
		return;
	row->value = tried->best[0];
	row->attempts = tried->attempts;
	row->clock_hz = tried->clock_hz;
	if (tried->attempts >= BEST)
		row->spread = 1 - tried->best[BEST - 1] / tried->best[0];
	row->limits |= limits;
	if (!(row->spread <= SPREAD_LIMIT)) /* nobody knows it of one attempt or two */
		row->limits |= CEILING_BY_SPREAD;
	if (tried->waited > LIMIT_SHARE)
		row->limits |= CEILING_BY_LOAD;
	if (row->clock_hz < nominal * CLOCK_LIMIT)
		row->limits |= CEILING_BY_CLOCK;
	if (m->plan.is_quota && row->scope == CEILING_ALL)
		row->limits |= CEILING_BY_QUOTA;
}

/* ---- the whole ---- */

static bool run_all(struct measuring *m, const struct team *all)
{
	warm_up(m, all);
	for (unsigned round = 0; round < ROUNDS; round++)
		if (!try_round(m, round))
			return false;
	return true;
}

static const char *ceilings_measure_time_text(struct arena *arena)
{
	time_t now = time(NULL);
	struct tm broken;
	char text[32];

	if (!gmtime_r(&now, &broken) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &broken))
		return NULL;
	return arena_strdup(arena, text);
}

struct ceiling_conditions ceilings_conditions(const struct ceilings_machine *here, struct arena *arena)
{
	const struct machine *machine = here->machine;
	const struct resources *resources = here->resources;
	const struct resource_cache *caches = resources->cpus[0].caches;

	return (struct ceiling_conditions){
		.cpu = machine->model_name ? arena_printf(arena, "%s, %s", machine->cpuid, machine->model_name)
					   : machine->cpuid,
		.microcode = machine->microcode,
		.kernel = machine->kernel,
		.governor = here->governors,
		.cpus = resources->list,
		.version = TOPDOWN_VERSION,
		.nominal_hz = resources->nominal_hz,
		.nominal_of = resources->nominal_of,
		.quota_cpus = resources->quota_cpus,
		.load = NOT_COUNTED,
		.steal = NOT_COUNTED,
		.waited = NOT_COUNTED,
		.smt_on = machine->smt_on,
		.l1 = caches[0].bytes,
		.l2 = caches[1].bytes,
		.l3 = caches[2].bytes,
		.l3_cpus = caches[2].shared,
	};
}

static void ceilings_measure_fill(struct ceilings *ceilings, const struct measuring *m, const struct activity *activity,
				  struct arena *arena)
{
	unsigned limits = common_limits(m, activity);

	ceilings->rows = arena_array(arena, m->plan.count + 1, sizeof(*ceilings->rows));
	ceilings->count = m->plan.count;
	for (size_t i = 0; i < m->plan.count; i++)
		fill_row(&ceilings->rows[i], m, i, limits);
	ceilings->conditions.measured = ceilings_measure_time_text(arena);
	ceilings->conditions.took_s = clock_now() - m->begin_s;
	ceilings->conditions.steal = activity->steal;
	ceilings->conditions.waited = m->worked_s > 0 ? m->waited_s / m->worked_s : NOT_COUNTED;
	ceilings->conditions.sizes = m->plan.sizes;
}

static int ceilings_measure_all(struct ceilings *ceilings, struct measuring *m, struct arena *arena, struct error *err)
{
	struct cpu_ticks *then, *now;
	size_t nthen = cpu_ticks_read(&then, m->here->sysroot, arena), nnow;
	size_t *members = arena_array(arena, m->plan.ncpus, sizeof(*members));
	struct activity activity;

	for (size_t i = 0; i < m->plan.ncpus; i++)
		members[i] = i;
	m->crew = crew_new(m->plan.cpus, m->plan.ncpus, err);
	if (!m->crew || get_memory(m, &(struct team){ members, m->plan.ncpus }, err) < 0)
		return -1;
	if (!run_all(m, &(struct team){ members, m->plan.ncpus }))
		return error_set(err, "interrupted");
	nnow = cpu_ticks_read(&now, m->here->sysroot, arena);
	activity = activity_between(m, then, now, nnow < nthen ? nnow : nthen);
	ceilings_measure_fill(ceilings, m, &activity, arena);
	return 0;
}

int ceilings_measure(struct ceilings *ceilings, const struct ceilings_machine *here,
		     const struct ceilings_effort *effort, struct arena *arena, struct error *err)
{
	struct measuring m = { .here = here, .effort = effort, .begin_s = clock_now() };
	int result;

	*ceilings = (struct ceilings){ .conditions = ceilings_conditions(here, arena) };
	ceilings->conditions.load = load_average(here->sysroot, arena);
	ceilings_plan(&m.plan, here->resources, arena);
	m.regions = arena_array(arena, m.plan.ncpus, sizeof(*m.regions));
	m.cursors = arena_array(arena, m.plan.ncpus, sizeof(*m.cursors));
	m.tried = arena_array(arena, m.plan.count + 1, sizeof(*m.tried));
	result = ceilings_measure_all(ceilings, &m, arena, err);
	release(&m);
	return result;
}
