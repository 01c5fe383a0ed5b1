/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "count/count.h"
#include "count/perf.h"

#define PROBE_MOST 32

/* Never enabled: the kernel checks that a group fits when its events are opened, so nothing needs to run. */
static int probe_attr(struct perf_event_attr *attr, const struct pmu *pmu, const struct event_row *row,
		      struct error *err)
{
	const struct pmu_term all[] = {
		/* clang-format off */
		{ "event", row->code },
		{ "umask", row->umask },
		{ "cmask", row->counter_mask },
		{ "inv",   row->invert },
		{ "edge",  row->edge },
		/* clang-format on */
	};
	struct pmu_term terms[COUNT_OF(all)];
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(all); i++)
		if (i == 0 || all[i].value)
			terms[count++] = all[i];
	if (perf_attr_init(attr, pmu, terms, count, err) < 0)
		return error_in(err, "%s", row->name);
	attr->exclude_kernel = 1; /* needs the least permission, and the same counters */
	attr->exclude_hv = 1;
	return 0;
}

/* enable_on_exec keeps arm64 from leaving the disabled leader out when it counts the counters that a group uses. */
static int open_next(struct perf_event_attr attr, int leader)
{
	attr.disabled = leader < 0;
	attr.enable_on_exec = leader < 0;
	return perf_open(&attr, 0, leader);
}

/* An event can be in a group once for each counter that it may be on, with SMT or without; all are tried where none are named. */
static unsigned most_counters(const struct event_row *row)
{
	unsigned with = (unsigned)__builtin_popcountll(row->counters & GENERAL_COUNTERS);
	unsigned without = (unsigned)__builtin_popcountll(row->counters_smt_off & GENERAL_COUNTERS);
	unsigned most = with > without ? with : without;

	return row->counters ? most : PROBE_MOST;
}

static unsigned probe(const struct pmu *pmu, const struct event_row *row, const struct machine *machine,
		      struct error *err)
{
	struct perf_event_attr attr;
	int fds[PROBE_MOST] = { -1 };
	unsigned count = 0, most = most_counters(row);

	if (!pmu || !pmu->is_real) {
		refusal(err, ENOENT, machine, row->name);
		return 0;
	}
	if (probe_attr(&attr, pmu, row, err) < 0)
		return 0;
	for (; count < most; count++) {
		fds[count] = open_next(attr, count ? fds[0] : -1);
		if (fds[count] < 0)
			break;
	}
	if (count == 0)
		refusal(err, -fds[0], machine, row->name);
	for (unsigned i = count; i > 0; i--)
		close(fds[i - 1]);
	return count;
}

unsigned count_probe_counters(const struct pmu *pmu, const struct event_row *row, const struct machine *machine,
			      struct error *err)
{
	struct rlimit descriptors;
	bool is_known = getrlimit(RLIMIT_NOFILE, &descriptors) == 0;
	unsigned count = probe(pmu, row, machine, err);

	if (is_known) /* what perf_open may have raised; a program that follows has the old one */
		setrlimit(RLIMIT_NOFILE, &descriptors);
	return count;
}
