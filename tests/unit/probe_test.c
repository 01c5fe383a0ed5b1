/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe_test.c - the counters that are found on made-up machines: perf_event_open, ioctl and read are wrapped, and answer as the
 * kernel does (arch/x86/events/core.c: the fixed counter of an event first, then the general ones in their order).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/perf/abilities.h"
#include "collect/perf/probe.h"
#include "rows.h"

#define CODE_INSTRUCTIONS 0xc0
#define CODE_CYCLES	  0x3c
#define CODE_REFERENCE	  0x300
#define CODE_SLOTS	  0x400
#define CODE_RETIRING	  0x8000
#define CODE_BE_BOUND	  0x8300
#define FDS		  256
#define ARGUMENTS	  5

/* A PMU: what its kernel checks when a group is opened, and what there really is. */
struct fake_pmu {
	unsigned general; /* that a group can be opened with */
	unsigned live;	  /* of them, so many count; of a group that needs more the first so many do */
	unsigned dead;	  /* ... or all but this one and those behind it, from 1 */
	unsigned rest;	  /* what such a one counts all the same */
	unsigned halves;  /* bit n: in such a group counter n has only a half of it */
	unsigned wild;	  /* from 1: this one starts at 2^47 */
	unsigned spoilt;  /* in the first so many readings; 0: in all */
	unsigned held;	  /* of them, so many are never free */
	unsigned fixed;	  /* bit n: fixed counter n can be opened */
	unsigned idle;	  /* bit n: and counts nothing */
	bool is_watched,
		is_secret; /* the NMI watchdog holds a counter that can count cycles; and /proc does not say so */
	uint64_t slots, shares[4]; /* what slots and the fields of PERF_METRICS count */
	int refusal;		   /* of slots, an errno */
	bool is_all_refused;	   /* so are all others */
};

static struct fake_pmu fake;

static struct fake_event {
	bool is_open;
	int leader;
	uint64_t config;
} events[FDS];
static bool is_enabled;

static int fixed_of(uint64_t config)
{
	return config == CODE_INSTRUCTIONS ? 0
	       : config == CODE_CYCLES	   ? 1
	       : config == CODE_REFERENCE  ? 2
	       : config == CODE_SLOTS	   ? 3
					   : -1;
}

static bool is_metric(uint64_t config)
{
	return config >= CODE_RETIRING && config <= CODE_BE_BOUND;
}

static bool has_general(uint64_t config)
{
	return config != CODE_REFERENCE && config != CODE_SLOTS;
}

/* A counter from 0, in a group that needs so many. */
static uint64_t count_of_general(unsigned counter, unsigned needed)
{
	unsigned dead = needed > fake.live ? needed - fake.live : 0;
	unsigned first = fake.dead ? fake.dead - 1 : fake.live;

	if (fake.wild == counter + 1)
		return 1ull << 47;
	if (needed > fake.live && fake.halves >> counter & 1)
		return 500;
	return counter >= first && counter < first + dead ? fake.rest : 1000;
}

/* What each event of the leader's group counts, in the order in which they were opened. False: they have no room. */
static bool assign(int leader, unsigned general, bool is_watched, uint64_t *values, size_t *count)
{
	unsigned used_fixed = 0, used = 0, watched = 0;
	uint64_t *generals[FDS];

	if (is_watched && fake.fixed & 2)
		used_fixed = 2;
	else
		watched = is_watched;
	*count = 0;
	for (int fd = leader; fd < FDS; fd++) {
		int fixed = fixed_of(events[fd].config);

		if (!events[fd].is_open || (fd != leader && events[fd].leader != leader))
			continue;
		if (is_metric(events[fd].config)) {
			values[(*count)++] = fake.shares[(events[fd].config - CODE_RETIRING) >> 8];
		} else if (fixed >= 0 && fake.fixed >> fixed & 1 && !(used_fixed >> fixed & 1)) {
			used_fixed |= 1u << fixed;
			values[(*count)++] = fake.idle >> fixed & 1 ? 0 : fixed == 3 ? fake.slots : 1000;
		} else if (has_general(events[fd].config) && used + watched < general) {
			generals[used++] = &values[(*count)++];
		} else {
			return false;
		}
	}
	for (unsigned i = 0; i < used; i++)
		*generals[i] = count_of_general(i, used);
	return true;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* Like the C library's, it takes as many arguments as any call has, more than most callers pass. */
__attribute__((no_sanitize("address"))) long __wrap_syscall(long number, ...)
{
	const struct perf_event_attr *attr;
	uint64_t values[FDS];
	long arguments[ARGUMENTS];
	size_t count;
	va_list list;
	int fd;

	va_start(list, number);
	for (size_t i = 0; i < ARGUMENTS; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (number != SYS_perf_event_open)
		return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
	attr = (const struct perf_event_attr *)(uintptr_t)arguments[0];
	if (fake.refusal && (attr->config == CODE_SLOTS || fake.is_all_refused)) {
		errno = fake.refusal;
		return -1;
	}
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_in_range(fd, 0, FDS - 1);
	events[fd] = (struct fake_event){ true, (int)arguments[3], attr->config };
	is_enabled = is_enabled && (int)arguments[3] >= 0;
	if (assign(events[fd].leader < 0 ? fd : events[fd].leader, fake.general, false, values, &count))
		return fd;
	events[fd].is_open = false;
	close(fd);
	errno = EINVAL;
	return -1;
}

int __real_close(int fd);
int __wrap_close(int fd);

int __wrap_close(int fd)
{
	if (fd >= 0 && fd < FDS)
		events[fd].is_open = false;
	return __real_close(fd);
}

int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	(void)fd;
	is_enabled = is_enabled || request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size);

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	uint64_t values[FDS], *answer = buffer;
	size_t count;
	bool fits;

	if (fd < 0 || fd >= FDS || !events[fd].is_open)
		return __real_read(fd, buffer, size);
	fits = assign(fd, fake.general - fake.held, fake.is_watched, values, &count);
	if (!fits) /* as many as there are, none of which ran */
		for (count = 0; count < (size - 3 * sizeof(*answer)) / sizeof(*answer); count++)
			values[count] = 0;
	answer[0] = count;
	answer[1] = 1000000;
	answer[2] = fits && is_enabled ? 1000000 : 0;
	memcpy(answer + 3, values, count * sizeof(*values));
	if (fake.spoilt && !--fake.spoilt)
		fake.wild = 0;
	return (ssize_t)((3 + count) * sizeof(*answer));
}

/* ---- the machines ---- */

static const struct row {
	const char *name;
	struct fake_pmu pmu;
	bool is_bare;			       /* no virtual machine */
	unsigned opened, general, fixed, idle; /* found */
	bool is_counted;
} table[] = {
	{ "all of it", { .general = 8, .live = 8, .fixed = 0xf, .slots = 9 }, false, 8, 8, 0xf, 0, true },
	{ "all of it, bare", { .general = 8, .live = 8, .fixed = 0xf, .slots = 9 }, true, 8, 8, 0xf, 0, false },
	{ "fewer counters", { .general = 4, .live = 4, .fixed = 0xf, .slots = 9 }, false, 4, 4, 0xf, 0, true },
	{ "no slots", { .general = 8, .live = 8, .fixed = 0x7 }, false, 8, 8, 0x7, 0, true },
	{ "no fixed cycles", { .general = 8, .live = 8, .fixed = 0x5 }, false, 8, 8, 0x5, 0, true },
	{ "no fixed cycles, bare", { .general = 4, .live = 4, .fixed = 0x5 }, true, 4, 4, 0x5, 0, false },
	{ "no reference cycles", { .general = 6, .live = 6, .fixed = 0x3 }, false, 6, 6, 0x3, 0, true },
	{ "instructions only", { .general = 6, .live = 6, .fixed = 0x1 }, false, 6, 6, 0x1, 0, true },
	{ "no fixed counter", { .general = 4, .live = 4, .fixed = 0 }, false, 4, 4, 0, 0, true },
	{ "cycles that count nothing",
	  { .general = 8, .live = 8, .fixed = 0x7, .idle = 0x2 },
	  false,
	  8,
	  8,
	  0x5,
	  0x2,
	  true },
	{ "two that count nothing",
	  { .general = 8, .live = 8, .fixed = 0x7, .idle = 0x6 },
	  false,
	  8,
	  8,
	  0x1,
	  0x6,
	  true },
	{ "general ones that count nothing", { .general = 8, .live = 5, .fixed = 0x7 }, false, 8, 5, 0x7, 0, true },
	{ "the same, bare: not tried", { .general = 8, .live = 5, .fixed = 0x7 }, true, 8, 8, 0x7, 0, false },
	{ "six of which the first is dead", { .general = 6, .live = 5, .dead = 1 }, false, 6, 5, 0, 0, true },
	{ "the second", { .general = 6, .live = 5, .dead = 2 }, false, 6, 5, 0, 0, true },
	{ "the last", { .general = 6, .live = 5, .dead = 6 }, false, 6, 5, 0, 0, true },
	{ "the first has a rest", { .general = 6, .live = 5, .dead = 1, .rest = 99 }, false, 6, 5, 0, 0, true },
	{ "it has a little", { .general = 6, .live = 5, .dead = 3, .rest = 1 }, false, 6, 5, 0, 0, true },
	{ "two have a half each", { .general = 6, .live = 5, .dead = 7, .halves = 0x5 }, false, 6, 5, 0, 0, true },
	{ "three are dead", { .general = 6, .live = 3, .dead = 2 }, false, 6, 3, 0, 0, true },
	{ "dead ones beside a fixed counter",
	  { .general = 6, .live = 5, .dead = 1, .fixed = 0x7 },
	  false,
	  6,
	  5,
	  0x7,
	  0,
	  true },
	{ "all dead: it is the event", { .general = 6, .live = 0 }, false, 6, 6, 0, 0, true },
	{ "all dead but the fixed counter", { .general = 6, .live = 0, .fixed = 0x7 }, false, 6, 6, 0x7, 0, true },
	{ "one at 2^47 for once", { .general = 6, .live = 6, .wild = 2, .spoilt = 1 }, false, 6, 6, 0, 0, true },
	{ "one at 2^47", { .general = 6, .live = 6, .wild = 6 }, false, 6, 5, 0, 0, true },
	{ "general ones held by somebody",
	  { .general = 8, .live = 8, .held = 3, .fixed = 0x7 },
	  false,
	  8,
	  5,
	  0x7,
	  0,
	  true },
	{ "all but one held", { .general = 4, .live = 4, .held = 3, .fixed = 0x7 }, false, 4, 1, 0x7, 0, true },
	{ "watchdog on the fixed counter",
	  { .general = 8, .live = 8, .fixed = 0x7, .is_watched = true },
	  false,
	  8,
	  8,
	  0x7,
	  0,
	  true },
	{ "a watchdog that nobody reports",
	  { .general = 8, .live = 8, .fixed = 0x7, .is_watched = true, .is_secret = true },
	  false,
	  8,
	  8,
	  0x5,
	  0,
	  true },
	{ "watchdog on a general one",
	  { .general = 4, .live = 4, .fixed = 0x1, .is_watched = true },
	  false,
	  4,
	  4,
	  0x1,
	  0,
	  true },
};

struct world {
	struct arena arena;
	struct pmu pmu;
	struct machine machine;
	struct event_database database;
	struct plan_limits published;
	struct event_row rows[5];
};

static void world_init(struct world *world, const struct row *row)
{
	static const struct event_row database_rows[] = {
		{ .name = "INST", .code = CODE_INSTRUCTIONS, .counters = 1ull << FIXED_COUNTER },
		{ .name = "CYC", .code = CODE_CYCLES, .counters = 2ull << FIXED_COUNTER },
		{ .name = "REF", .umask = CODE_REFERENCE >> 8, .counters = 4ull << FIXED_COUNTER },
		{ .name = "SLOTS", .umask = CODE_SLOTS >> 8, .counters = 8ull << FIXED_COUNTER },
		{ .name = "ANY", .code = 0x42, .counters = 0xff },
	};

	memset(world, 0, sizeof(*world));
	arena_init(&world->arena);
	fake = row->pmu;
	world->pmu = *pmu_assumed("cpu", "Intel", &world->arena);
	world->pmu.is_real = true;
	world->machine = (struct machine){ .hypervisor = row->is_bare ? NULL : "KVM", .pmus = &world->pmu, .npmus = 1 };
	memcpy(world->rows, database_rows, sizeof(database_rows));
	world->database = (struct event_database){ .cpu = "fake",
						   .pmu = "cpu",
						   .rows = world->rows,
						   .count = COUNT_OF(world->rows),
						   .instructions = "INST",
						   .cycles = "CYC",
						   .reference = "REF",
						   .slots_event = "SLOTS" };
	world->database.by_name = TABLE_INIT(&world->arena);
	for (size_t i = 0; i < COUNT_OF(world->rows); i++)
		table_set(&world->database.by_name, world->rows[i].name, i);
	world->published = (struct plan_limits){ .general = 8,
						 .fixed = 0xfull << FIXED_COUNTER,
						 .has_watchdog = row->pmu.is_watched && !row->pmu.is_secret };
}

static void machines(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		const struct row *row = &table[i];
		struct error err = { .text = "" };
		struct found found;
		struct world world;

		world_init(&world, row);
		row_expect(&rows, row->name,
			   found_probe(&found,
				       &(struct ability_probe){ &world.pmu, &world.machine, &world.database,
								&world.rows[4], &world.published },
				       &world.arena, &err) == 0,
			   err.text);
		row_expect_number(&rows, row->name, found.opened, row->opened);
		row_expect_number(&rows, row->name, found.limits.general, row->general);
		row_expect_number(&rows, row->name, (double)(found.limits.fixed >> FIXED_COUNTER), row->fixed);
		row_expect_number(&rows, row->name, (double)(found.idle_fixed >> FIXED_COUNTER), row->idle);
		row_expect(&rows, row->name, found.is_counted == row->is_counted, "is counted");
		for (int fd = 0; fd < FDS; fd++)
			row_expect(&rows, row->name, !events[fd].is_open, "all are closed");
		arena_release(&world.arena);
	}
	rows_end(&rows);
}

static const struct metrics_row {
	const char *name;
	struct fake_pmu pmu;
	bool is_bare, are_live;
} metrics_table[] = {
	{ "shares",
	  { .general = 8, .live = 8, .fixed = 0xf, .slots = 900, .shares = { 100, 200, 300, 300 } },
	  false,
	  true },
	{ "all 0", { .general = 8, .live = 8, .fixed = 0xf }, false, false },
	{ "slots only", { .general = 8, .live = 8, .fixed = 0xf, .slots = 900 }, false, false },
	{ "all the same",
	  { .general = 8, .live = 8, .fixed = 0xf, .slots = 900, .shares = { 900, 900, 900, 900 } },
	  false,
	  false },
	{ "refused", { .general = 8, .live = 8, .fixed = 0x7 }, false, false },
	{ "bare: not tried", { .general = 8, .live = 8, .fixed = 0x7 }, true, true },
	{ "nothing counts now", { .general = 8, .live = 8, .held = 8, .fixed = 0x8 }, false, true },
};

static struct pmu_entry aliases[] = {
	{ "instructions", "event=0xc0" },
	{ "cycles", "event=0x3c" },
	{ "slots", "event=0x00,umask=0x4" },
	{ "topdown-be-bound", "event=0x00,umask=0x83" },
	{ "topdown-bad-spec", "event=0x00,umask=0x81" },
	{ "topdown-fe-bound", "event=0x00,umask=0x82" },
	{ "topdown-retiring", "event=0x00,umask=0x80" },
};

static void perf_metrics(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(metrics_table); i++) {
		const struct metrics_row *row = &metrics_table[i];
		struct world world;

		world_init(&world, &(struct row){ .pmu = row->pmu, .is_bare = row->is_bare });
		world.pmu.events = aliases;
		world.pmu.nevents = COUNT_OF(aliases);
		row_expect(&rows, row->name, has_live_metrics(&world.pmu, &world.machine) == row->are_live, "live");
		arena_release(&world.arena);
	}
	rows_end(&rows);
}

/* A refusal that is about the event says that there are none; one that is about its user, or of everything, says nothing. */
static const struct form_row {
	const char *name;
	struct fake_pmu pmu;
	enum answer answer;
} form_table[] = {
	{ "both open", { .general = 8, .fixed = 0xf }, ANSWER_YES },
	{ "no such event", { .general = 8, .fixed = 0x7, .refusal = ENOENT }, ANSWER_NO },
	{ "an invalid one", { .general = 8, .fixed = 0x7, .refusal = EINVAL }, ANSWER_NO },
	{ "one that is not supported", { .general = 8, .fixed = 0x7, .refusal = EOPNOTSUPP }, ANSWER_NO },
	{ "no such device", { .general = 8, .fixed = 0x7, .refusal = ENODEV }, ANSWER_NO },
	{ "no rights", { .general = 8, .fixed = 0x7, .refusal = EACCES }, ANSWER_UNKNOWN },
	{ "no descriptors", { .general = 8, .fixed = 0x7, .refusal = EMFILE }, ANSWER_UNKNOWN },
	{ "no PMU", { .general = 8, .fixed = 0x7, .refusal = ENOENT, .is_all_refused = true }, ANSWER_UNKNOWN },
};

static void forms(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(form_table); i++) {
		const struct form_row *row = &form_table[i];
		struct world world;

		world_init(&world, &(struct row){ .pmu = row->pmu });
		world.pmu.events = aliases;
		world.pmu.nevents = COUNT_OF(aliases);
		row_expect_number(&rows, row->name,
				  abilities_probe_metrics(&world.pmu, &world.database, &world.machine, &world.arena),
				  row->answer);
		arena_release(&world.arena);
	}
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(machines), cmocka_unit_test(perf_metrics),
					    cmocka_unit_test(forms) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
