/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * observer_test.c - an observer of a front end's own: it counts minor page faults beside the groups, and what it has
 * comes through the whole pipeline into the session, with no change elsewhere.
 */
#include "collect/observe/observer.h"

#include <unistd.h>

#include "engine/engine.h"
#include "faults_machine.h"
#include "rows.h"
#include "store/session/session.h"

/* ---- the observer ---- */

struct fault_observer {
	struct observer observer;
	struct arena *arena;
	int fd;
	uint64_t faults; /* of the first run */
	size_t changes;
	bool is_refusing, has_failed;
};

static int fault_open(void *context, const struct observer_sites *sites, struct error *err)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_PAGE_FAULTS_MIN,
					.disabled = 1,
					.inherit = 1,
					.enable_on_exec = 1 };
	struct fault_observer *own = context;

	if (own->is_refusing)
		return error_set(err, "no faults here");
	attr.exclude_kernel =
		sites->items[0].target.scope == SCOPE_USER; /* as for the groups, where nothing else is allowed */
	own->fd = sites->run == 0 ? perf_open_at(&attr, &sites->items[0].target, -1) : -1;
	return 0;
}

static void fault_change(void *context, bool is_on UNUSED)
{
	((struct fault_observer *)context)->changes++;
}

static void fault_close(void *context)
{
	struct fault_observer *own = context;

	if (own->fd < 0)
		return;
	assert_int_equal(read(own->fd, &own->faults, sizeof(own->faults)), sizeof(own->faults));
	close(own->fd);
	own->fd = -1;
}

static void fault_finish(void *context, struct measurement *measured)
{
	struct fault_observer *own = context;
	const struct count count = { .event = "test.faults",
				     .value = (double)own->faults,
				     .raw = own->faults,
				     .enabled_ns = 1,
				     .running_ns = 1,
				     .state = COUNT_OK };

	own->has_failed = !measured;
	if (measured)
		repeat_add(&measured->parts[0].repeats[0], &count, own->arena);
}

/* ---- the front end ---- */

struct world {
	struct scratch scratch;
	struct faults_machine machine;
	struct arena arena;
	struct fault_observer faults;
	struct observer *observers[2];
	struct question question;
	struct setup setup;
	struct sink sink;
	struct error err;
};

static int on_measured(void *path, struct measurement *measured, struct error *err)
{
	return session_save(path, measured, err);
}

static void world_init(struct world *world, char **words, size_t nwords, char *path)
{
	*world = (struct world){ .question = { .level = 1 }, .sink = { .measured = on_measured, .context = path } };
	arena_init(&world->arena);
	scratch_init(&world->scratch);
	faults_machine_make(&world->machine, &world->scratch);
	world->faults = (struct fault_observer){ .observer = { .context = &world->faults,
							       .open = fault_open,
							       .change = fault_change,
							       .close = fault_close,
							       .finish = fault_finish },
						 .arena = &world->arena,
						 .fd = -1 };
	world->observers[0] = &world->faults.observer;
	world->setup.observers = world->observers;
	world->setup.machine.sysroot = world->machine.sysroot;
	world->setup.machine.database = world->machine.database;
	world->setup.program = (struct program_choice){ .words = words, .nwords = nwords };
	snprintf(path, 256, "%s/session.json", world->scratch.path);
}

static int measure(struct world *world)
{
	return engine_measure(&(struct request){ &world->question, &world->setup, &world->sink, &world->arena },
			      &world->err);
}

static void world_release(struct world *world)
{
	arena_release(&world->arena);
	scratch_release(&world->scratch);
}

static double count_called(const struct measurement *measured, const char *name)
{
	const struct repeat *repeat = &measured->parts[0].repeats[0];

	for (size_t i = 0; i < repeat->count; i++)
		if (!strcmp(repeat->items[i].event, name))
			return repeat->items[i].value;
	return -1;
}

/* The plan counts the same event of the same program in the same run. */
static void observed(void **state UNUSED)
{
	static char *words[] = { "/bin/sh", "-c", "/bin/true", NULL };
	struct measurement measured;
	struct world world;
	char path[256];

	world_init(&world, words, 3, path);
	assert_int_equal(measure(&world), 0);
	assert_int_equal(session_read(&measured, path, &world.arena, &world.err), 0);
	assert_true(count_called(&measured, "test.faults") > 0);
	assert_true(count_called(&measured, "test.faults") == count_called(&measured, "MINOR"));
	assert_true(world.faults.changes >= 2 * measured.parts[0].repeats[0].nruns); /* on and off in each */
	assert_false(world.faults.has_failed);
	world_release(&world);
}

/* What it can't do without ends the measurement with its error; and it learns that nothing was measured. */
static void refused(void **state UNUSED)
{
	static char *words[] = { "/bin/true", NULL };
	struct world world;
	char path[256];

	world_init(&world, words, 1, path);
	world.faults.is_refusing = true;
	assert_int_equal(measure(&world), -1);
	assert_string_equal(world.err.text, "no faults here");
	assert_true(world.faults.has_failed);
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(observed), cmocka_unit_test(refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
