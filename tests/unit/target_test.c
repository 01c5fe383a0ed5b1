/* SPDX-License-Identifier: GPL-2.0-or-later */
/* target_test.c - what is read of the machine and the databases is kept, as long as it is about the same. */
#include "engine/target.h"

#include <unistd.h>

#include "faults_machine.h"
#include "rows.h"

struct world {
	struct scratch scratch;
	struct faults_machine machine;
	struct arena arena;
	struct error err;
	struct setup setup;
	struct request request;
	char cpuinfo[256];
};

static void world_init(struct world *world)
{
	*world = (struct world){ .request = { .setup = &world->setup, .arena = &world->arena } };
	arena_init(&world->arena);
	scratch_init(&world->scratch);
	faults_machine_make(&world->machine, &world->scratch);
	scratch_write(&world->scratch, "root/proc/cpuinfo", CPUINFO, world->cpuinfo);
	world->setup.machine.sysroot = world->machine.sysroot;
	world->setup.machine.database = world->machine.database;
}

static void world_release(struct world *world)
{
	arena_release(&world->arena);
	scratch_release(&world->scratch);
}

static void kept_until_forgotten(void **state UNUSED)
{
	const struct machine *machine;
	struct database *database;
	struct world world;

	world_init(&world);
	identified_keep(&world.setup.machine, &world.arena);
	machine = identified_machine(&world.request, &world.err);
	database = identified_database(&world.request, &world.err);
	assert_non_null(machine);
	assert_non_null(database);
	assert_int_equal(unlink(world.cpuinfo), 0);
	assert_ptr_equal(identified_machine(&world.request, &world.err), machine);
	assert_ptr_equal(identified_database(&world.request, &world.err), database);
	identified_forget_machine(&world.request);
	assert_null(identified_machine(&world.request, &world.err));
	assert_non_null(strstr(world.err.text, "cpuinfo can't be read"));
	assert_ptr_equal(identified_database(&world.request, &world.err), database);
	world_release(&world);
}

static void no_failure_is_kept(void **state UNUSED)
{
	struct world world;

	world_init(&world);
	identified_keep(&world.setup.machine, &world.arena);
	assert_int_equal(unlink(world.cpuinfo), 0);
	assert_null(identified_machine(&world.request, &world.err));
	scratch_write(&world.scratch, "root/proc/cpuinfo", CPUINFO, world.cpuinfo);
	assert_non_null(identified_machine(&world.request, &world.err));
	world_release(&world);
}

/* A copy of the setup that names other files gets what they are, and the first keeps its own. */
static void other_files(void **state UNUSED)
{
	struct world world;
	struct setup other;
	struct request request;
	struct database *database;

	world_init(&world);
	identified_keep(&world.setup.machine, &world.arena);
	database = identified_database(&world.request, &world.err);
	other = world.setup;
	request = (struct request){ .setup = &other, .arena = &world.arena };
	assert_ptr_equal(identified_database(&request, &world.err), database);
	other.machine.database = world.machine.sysroot;
	assert_null(identified_database(&request, &world.err));
	assert_non_null(strstr(world.err.text, "neither events/ nor models/ in it"));
	assert_ptr_equal(identified_database(&world.request, &world.err), database);
	world_release(&world);
}

static void nothing_is_kept_unasked(void **state UNUSED)
{
	struct world world;

	world_init(&world);
	assert_non_null(identified_machine(&world.request, &world.err));
	assert_int_equal(unlink(world.cpuinfo), 0);
	assert_null(identified_machine(&world.request, &world.err));
	world_release(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_until_forgotten),
		cmocka_unit_test(no_failure_is_kept),
		cmocka_unit_test(other_files),
		cmocka_unit_test(nothing_is_kept_unasked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
