/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/probe.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "collect/perf/perf.h"
#include "collect/perf/refusals.h"
#include "common/measurement/counts.h"
#include "cpu/plan/bits.h"

#define COUNTERS_MOST 32
#define GROUP_MOST    64
#define MOMENT_NS     200000 /* in which every counter of a running CPU counts something */
#define MOMENTS	      100    /* 20 ms: long enough for the kernel to multiplex groups that share the counters */
#define LIVE_SHARE    0.9    /* of the last counter's count, for it to be live */

/* Never enabled: the kernel checks that a group fits when its events are opened, so nothing needs to run. */
static int attr_of_row(struct perf_event_attr *attr, const struct pmu *pmu, const struct event_row *row,
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
static int open_counter(struct perf_event_attr attr, int leader)
{
	attr.disabled = leader < 0;
	attr.enable_on_exec = leader < 0;
	return perf_open(&attr, 0, leader);
}

/*
 * An event can be in a group once for each counter that it may be on, with SMT or without; all
 * are tried where none are named.
 */
static unsigned most_counters(const struct event_row *row)
{
	unsigned with = (unsigned)bits_count(row->counters & GENERAL_COUNTERS);
	unsigned without = (unsigned)bits_count(row->counters_smt_off & GENERAL_COUNTERS);
	unsigned most = with > without ? with : without;

	return row->counters ? most : COUNTERS_MOST;
}

/* Of descriptors, not of counters. */
static bool is_shortage(int error_number)
{
	return error_number == EMFILE || error_number == ENFILE;
}

static void refuse_counter(struct error *err, int error_number, const struct machine *machine,
			   const struct event_row *row)
{
	struct refusal known = { .error_number = error_number, .machine = machine, .event = row->name };

	refusal_complete(&known);
	refusal_explain(err, &known);
}

static unsigned probe_counters(const struct pmu *pmu, const struct event_row *row, const struct machine *machine,
			       struct error *err)
{
	struct perf_event_attr attr;
	int fds[COUNTERS_MOST] = { -1 };
	unsigned count = 0, most = most_counters(row);

	if (!pmu || !pmu->is_real) {
		refusal(err, ENOENT, machine, row->name);
		return 0;
	}
	if (attr_of_row(&attr, pmu, row, err) < 0)
		return 0;
	for (; count < most; count++) {
		fds[count] = open_counter(attr, count ? fds[0] : -1);
		if (fds[count] < 0)
			break;
	}
	for (unsigned i = count; i > 0; i--)
		close(fds[i - 1]);
	if (count == 0 || (count < most && is_shortage(-fds[count]))) {
		refuse_counter(err, -fds[count], machine, row);
		return 0;
	}
	return count;
}

unsigned abilities_probe_counters(const struct pmu *pmu, const struct event_row *row, const struct machine *machine,
				  struct error *err)
{
	struct rlimit descriptors;
	bool is_known = getrlimit(RLIMIT_NOFILE, &descriptors) == 0;
	unsigned count = probe_counters(pmu, row, machine, err);

	if (is_known)
		setrlimit(RLIMIT_NOFILE, &descriptors);
	return count;
}

/* ---- groups that are opened on this process, and counted ---- */

struct probe_group {
	int fds[GROUP_MOST];
	size_t count;
};

/* As PERF_FORMAT_GROUP returns it. */
struct probe_values {
	uint64_t count, enabled_ns, running_ns, values[GROUP_MOST];
};

static bool group_add(struct probe_group *group, const struct perf_event_attr *attr)
{
	struct perf_event_attr copy = *attr;
	int fd;

	if (group->count == COUNT_OF(group->fds))
		return false;
	copy.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = open_counter(copy, group->count ? group->fds[0] : -1);
	if (fd < 0)
		return false;
	group->fds[group->count++] = fd;
	return true;
}

static bool group_add_times(struct probe_group *group, const struct perf_event_attr *attr, size_t times)
{
	for (size_t i = 0; i < times; i++)
		if (!group_add(group, attr))
			return false;
	return true;
}

static void group_close(struct probe_group *group)
{
	while (group->count)
		close(group->fds[--group->count]);
}

static void spend(long nanoseconds)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < nanoseconds);
}

static bool group_read(const struct probe_group *group, struct probe_values *values)
{
	size_t size = (3 + group->count) * sizeof(uint64_t);

	return read(group->fds[0], values, size) == (ssize_t)size && values->count == group->count;
}

/* False: the kernel never put it on counters, or it can't be read. */
static bool group_counts(const struct probe_group *group, struct probe_values *values)
{
	*values = (struct probe_values){ .count = 0 };
	if (!group->count || ioctl(group->fds[0], PERF_EVENT_IOC_ENABLE, 0) < 0)
		return false;
	for (int i = 0; i < MOMENTS && !values->running_ns; i++) {
		spend(MOMENT_NS);
		if (!group_read(group, values))
			return false;
	}
	return values->running_ns > 0;
}

/* ---- fixed counters ---- */

bool probe_attr(struct perf_event_attr *attr, const struct ability_probe *probe, const char *name, struct arena *arena)
{
	struct error err = { .text = "" };
	struct event_set set;
	size_t number;

	event_set_init(&set, probe->database, probe->pmu, probe->machine->smt_on, arena);
	number = event_set_add(&set, name, &err);
	if (number == TABLE_NONE ||
	    perf_attr_init(attr, probe->pmu, set.events[number].terms, set.events[number].nterms, &err) < 0)
		return false;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	return true;
}

/* An event that the fixed counter counts: one with a fixed role before others, which may be extensions of it. */
static const char *event_of_fixed(const struct event_database *database, uint64_t counter)
{
	const char *const roles[] = { database->instructions, database->cycles, database->reference,
				      database->slots_event };

	for (size_t i = 0; i < COUNT_OF(roles); i++) {
		const struct event_row *row = roles[i] ? event_database_find(database, roles[i]) : NULL;

		if (row && row->counters & counter)
			return row->name;
	}
	for (size_t i = 0; i < database->count; i++)
		if (database->rows[i].counters & counter && !database->rows[i].is_deprecated)
			return database->rows[i].name;
	return NULL;
}

/* What is being found, by whom, and with which events. */
struct finder {
	struct found *found;
	const struct ability_probe *probe;
	struct arena *arena;
	struct perf_event_attr fill;	     /* any general counter can count it */
	struct perf_event_attr instructions; /* the same, and it is never 0; may have a fixed counter too */
	bool has_instructions;
};

/* The event of a published fixed counter. */
static bool fixed_attr(const struct finder *f, struct perf_event_attr *attr, unsigned number)
{
	uint64_t counter = 1ull << (FIXED_COUNTER + number);
	const char *event = f->probe->published->fixed & counter ? event_of_fixed(f->probe->database, counter) : NULL;

	return event && probe_attr(attr, f->probe, event, f->arena);
}

/* The last counter first: slots have to lead a group on some kernels. */
static size_t add_fixed(const struct finder *f, struct probe_group *group, uint64_t fixed)
{
	struct perf_event_attr attr;
	size_t added = 0;

	for (unsigned i = FIXED_COUNTER; i-- > 0;)
		if (fixed >> (FIXED_COUNTER + i) & 1 && fixed_attr(f, &attr, i))
			added += group_add(group, &attr);
	return added;
}

/* They are there when their events take none of the general counters away from the others of a group. */
static bool has_fixed(const struct finder *f, uint64_t fixed)
{
	struct probe_group group = { .count = 0 };
	bool has =
		add_fixed(f, &group, fixed) == bits_count(fixed) && group_add_times(&group, &f->fill, f->found->opened);

	group_close(&group);
	return has;
}

static void find_fixed(const struct finder *f)
{
	uint64_t published = f->probe->published->fixed;

	f->found->limits.fixed = published;
	if (!published || has_fixed(f, published))
		return;
	for (unsigned i = 0; i < FIXED_COUNTER; i++) {
		uint64_t counter = 1ull << (FIXED_COUNTER + i);

		if (published & counter && !has_fixed(f, counter))
			f->found->limits.fixed &= ~counter;
	}
}

/* ---- what counts, of that which opens ---- */

/* The fixed counter of instructions, as a bit; 0: there is none. */
static uint64_t counter_of_instructions(const struct finder *f)
{
	const char *name = f->probe->database->instructions;
	const struct event_row *row = name ? event_database_find(f->probe->database, name) : NULL;

	return row ? row->counters & f->found->limits.fixed : 0;
}

/* The fixed events were counted first, as add_fixed opened them. */
static void judge_fixed(const struct finder *f, const uint64_t *values, uint64_t fixed)
{
	size_t next = 0;

	for (unsigned i = FIXED_COUNTER; i-- > 0;)
		if (fixed >> (FIXED_COUNTER + i) & 1 && !values[next++])
			f->found->idle_fixed |= 1ull << (FIXED_COUNTER + i);
}

/* One that could not be, which a virtual counter can start with, is none. */
static uint64_t count_of_copy(const struct probe_values *values, size_t copy)
{
	return is_count_possible(values->values[copy], values->running_ns) ? values->values[copy] : 0;
}

/*
 * General counters that were live for the whole time, of those that counted the same event: the last so many copies of
 * it. A host with fewer leaves any of them without a count, or with the count of a moment, or two with a part each: so
 * their sum says the number. Nine tenths of the last one will do.
 */
static size_t count_live(const struct probe_values *values, size_t copies, size_t general)
{
	uint64_t largest = 0;
	double sum = 0;

	for (size_t i = values->count - copies; i < values->count; i++) {
		uint64_t count = count_of_copy(values, i);

		largest = count > largest ? count : largest;
		sum += i >= values->count - general ? (double)count : 0;
	}
	return largest ? (size_t)(sum / (double)largest + 1 - LIVE_SHARE) : 0;
}

/* The fixed counters, and instructions on so many general ones, of which live count. False: never counted. */
static bool count_group(const struct finder *f, uint64_t fixed, size_t general, size_t *live)
{
	uint64_t own = counter_of_instructions(f);
	struct probe_group group = { .count = 0 };
	struct probe_values values;
	size_t nfixed = bits_count(fixed & ~own), copies = general + (own != 0);
	bool is_counted = add_fixed(f, &group, fixed & ~own) == nfixed &&
			  group_add_times(&group, &f->instructions, copies) && group_counts(&group, &values);

	if (is_counted) {
		judge_fixed(f, values.values, fixed & ~own);
		*live = count_live(&values, copies, general);
	}
	group_close(&group);
	return is_counted;
}

/* As count_group. What used the counters before can spoil one start of them, so there is another. */
static bool count_twice(const struct finder *f, uint64_t fixed, size_t general, size_t *live)
{
	size_t again;

	if (!count_group(f, fixed, general, live))
		return false;
	if (*live < general && count_group(f, fixed, general, &again) && again > *live)
		*live = again;
	return true;
}

/*
 * Counts a group of so many general counters. Where fewer of them are live, a group of that many is counted too, until
 * all of one are. False: the first was never counted.
 */
static bool find_live(const struct finder *f, uint64_t fixed, size_t general)
{
	size_t live, first;

	if (!count_twice(f, fixed, general, &live))
		return false;
	first = live;
	while (live && live < general) {
		general = live;
		if (!count_twice(f, fixed, general, &live))
			break;
	}
	if (live || first) /* else it is the event that is not counted */
		f->found->limits.general = (unsigned)(live ? live : first);
	return true;
}

/* One fixed counter that somebody holds; true: without it a group has all others. */
static bool find_held_fixed(const struct finder *f)
{
	uint64_t fixed = f->found->limits.fixed;
	unsigned all = f->found->limits.general;

	for (unsigned i = 0; i < FIXED_COUNTER; i++) {
		uint64_t counter = 1ull << (FIXED_COUNTER + i);

		if (!(fixed & counter) || counter == counter_of_instructions(f))
			continue;
		f->found->limits.fixed = fixed & ~counter;
		if (find_live(f, f->found->limits.fixed, all))
			return true;
	}
	f->found->limits.fixed = fixed;
	return false;
}

/* Somebody holds counters: as many as are left. */
static void find_free(const struct finder *f)
{
	unsigned all = f->found->limits.general;
	size_t live;

	f->found->is_counted = count_group(f, 0, 1, &live);
	if (f->found->is_counted && find_held_fixed(f))
		return;
	for (unsigned n = all - 1; f->found->is_counted && n > 0; n--) {
		f->found->limits.general = n;
		if (find_live(f, f->found->limits.fixed, n))
			return;
	}
	f->found->limits.general = all; /* not even one can be had now, so that nothing is known */
}

/* The watchdog's counter is one of those that are there. */
static void find_counting(const struct finder *f)
{
	unsigned watched = f->probe->published->has_watchdog && f->found->limits.general > 1;

	f->found->limits.general -= watched;
	f->found->is_counted = find_live(f, f->found->limits.fixed, f->found->limits.general);
	if (!f->found->is_counted)
		find_free(f);
	f->found->limits.fixed &= ~f->found->idle_fixed;
	f->found->limits.general += watched;
}

/* On a bare machine what opens counts. On a hybrid this process may be on the other type's cores. */
static bool is_to_be_counted(const struct finder *f)
{
	return f->has_instructions && f->probe->machine->hypervisor && f->probe->machine->npmus == 1;
}

static int probe_all(struct found *found, const struct ability_probe *probe, struct arena *arena, struct error *err)
{
	struct finder f = { .found = found, .probe = probe, .arena = arena };
	const char *instructions = probe->database->instructions;

	*found = (struct found){ .limits = *probe->published };
	found->opened = probe_counters(probe->pmu, probe->general, probe->machine, err);
	if (!found->opened)
		return -1;
	found->limits.general = found->opened;
	if (attr_of_row(&f.fill, probe->pmu, probe->general, err) < 0)
		return -1;
	find_fixed(&f);
	f.has_instructions = instructions && probe_attr(&f.instructions, probe, instructions, arena);
	if (is_to_be_counted(&f))
		find_counting(&f);
	return 0;
}

int found_probe(struct found *found, const struct ability_probe *probe, struct arena *arena, struct error *err)
{
	struct rlimit descriptors;
	bool is_known = getrlimit(RLIMIT_NOFILE, &descriptors) == 0;
	int result = probe_all(found, probe, arena, err);

	if (is_known) /* what perf_open may have raised; a program that follows has the old one */
		setrlimit(RLIMIT_NOFILE, &descriptors);
	return result;
}

/* ---- PERF_METRICS ---- */

/* Of an event that the kernel lists, for user mode. */
static bool attr_of_alias(struct perf_event_attr *attr, const struct pmu *pmu, const char *name, struct arena *arena)
{
	struct pmu_term terms[EVENT_TERMS];
	struct error err = { .text = "" };
	const char *text = pmu_event(pmu, name);
	int count = text ? pmu_parse_terms(text, terms, EVENT_TERMS, arena, &err) : -1;

	if (count < 0 || perf_attr_init(attr, pmu, terms, (size_t)count, &err) < 0)
		return false;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	return true;
}

#define FIELDS 4

/* Slots advance, and the fields are shares of them that are neither all 0 nor all the same. */
static bool are_shares(const uint64_t *values)
{
	bool differ = false;

	for (size_t i = 1; i <= FIELDS; i++)
		differ = differ || values[i] != values[1];
	return values[0] > 0 && differ;
}

static bool count_metrics(bool *are_live, const struct pmu *pmu, struct arena *arena)
{
	static const char *const names[1 + FIELDS] = { "slots", "topdown-retiring", "topdown-bad-spec",
						       "topdown-fe-bound", "topdown-be-bound" };
	struct probe_group group = { .count = 0 };
	struct probe_values values;
	struct perf_event_attr attr;
	bool is_complete = true;

	for (size_t i = 0; i < COUNT_OF(names) && is_complete; i++)
		is_complete = attr_of_alias(&attr, pmu, names[i], arena) && group_add(&group, &attr);
	*are_live = is_complete && group_counts(&group, &values) && are_shares(values.values);
	group_close(&group);
	return is_complete;
}

/* May this process count anything here? */
static bool can_count(const struct pmu *pmu, struct arena *arena)
{
	struct probe_group group = { .count = 0 };
	struct probe_values values;
	struct perf_event_attr attr;
	bool can = attr_of_alias(&attr, pmu, "instructions", arena) && group_add(&group, &attr) &&
		   group_counts(&group, &values) && values.values[0] > 0;

	group_close(&group);
	return can;
}

bool has_live_metrics(const struct pmu *pmu, const struct machine *machine)
{
	struct arena scratch;
	bool are_live = true;

	if (!machine->hypervisor || machine->npmus != 1 || !pmu->is_real || !pmu_event(pmu, "slots"))
		return true;
	arena_init(&scratch);
	if (!count_metrics(&are_live, pmu, &scratch) || !are_live)
		are_live = !can_count(pmu, &scratch);
	arena_release(&scratch);
	return are_live;
}
