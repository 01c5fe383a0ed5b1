/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plans.c on|cores|off LEVEL[n] CPU... - the plan of each named CPU, with SMT on (cores: and all of a core counted) or off, for a level ("6n": per node): a line with the
 * number of groups, the lower bound by matching, the simple one (events that only general counters can hold, divided by these
 * counters), and median and least time of planning alone in ms: from model and counters to groups and runs, with nothing read or printed.
 */
#include "bench.h"

#include <string.h>

#include "cpu/identify/machine.h"
#include "cpu/load/database.h"
#include "cpu/plan/plan.h"

struct planning {
	struct arena kept, arena; /* what lasts, and what one plan takes */
	struct database database;
	struct event_database events;
	struct model model;
	struct plan_request request;
	struct plan plan;
	struct error err;
};

static int load(struct planning *p, const char *name, const char *smt)
{
	struct facts facts = facts_assumed();
	struct model_target target = { .database = &p->events, .facts = &facts };
	const char *cpu = database_name(&p->database, name, &p->kept, &p->err), *events, *models;

	facts.smt_on = strcmp(smt, "off") != 0;
	facts.core_wide = strcmp(smt, "cores") == 0;
	events = cpu ? database_file(&p->database, "events", cpu, &p->kept, &p->err) : NULL;
	models = events ? database_file(&p->database, "models", cpu, &p->kept, &p->err) : NULL;
	if (!models || event_database_load(&p->events, events, &p->kept, &p->err) < 0)
		return -1;
	target.pmu = pmu_assumed(p->events.pmu, p->events.vendor, &p->kept);
	if (model_load(&p->model, models, &target, &p->kept, &p->err) < 0)
		return -1;
	p->request.limits = plan_limits_published(&p->events, facts.smt_on != 0);
	return plan_build(&p->plan, &p->model, &p->request, &p->kept, &p->err);
}

static void build(void *context)
{
	struct planning *p = context;
	struct plan plan;

	if (plan_build(&plan, &p->model, &p->request, &p->arena, &p->err) < 0)
		exit(1);
	arena_release(&p->arena);
}

/* Whatever is counted and has no fixed counter needs a general one in some group. */
static size_t simple_bound(const struct planning *p)
{
	size_t count = 0, general = p->request.limits.general;

	for (size_t i = 0; i < p->plan.nevents; i++) {
		const struct event *event = &p->model.events.events[i];

		count += p->plan.counted[i] && (event->counters & GENERAL_COUNTERS) &&
			 !(event->counters & p->request.limits.fixed);
	}
	return count > general ? (count + general - 1) / general : 1;
}

static void print_line(struct planning *p)
{
	struct bench_times times = bench_measure(build, p);

	printf("%zu %zu %zu %g %g\n", p->plan.ngroups, p->plan.lower_bound, simple_bound(p), times.median * 1e3,
	       times.least * 1e3);
}

static int print_plan(const char *name, const char *smt, const char *level)
{
	struct planning p = { .request = { .level = (unsigned)(level[0] - '0'), .is_per_node = level[1] == 'n' },
			      .err = { .text = "" } };
	int result;

	arena_init(&p.kept);
	arena_init(&p.arena);
	result = database_open(&p.database, NULL, &p.kept, &p.err);
	if (result == 0)
		result = load(&p, name, smt);
	if (result == 0)
		print_line(&p);
	else
		fprintf(stderr, "plans: %s: %s\n", name, p.err.text);
	arena_release(&p.kept);
	return result;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	for (int i = 3; i < argc; i++)
		if (print_plan(argv[i], argv[1], argv[2]) < 0)
			return 1;
	return 0;
}
