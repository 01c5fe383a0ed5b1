/* SPDX-License-Identifier: GPL-2.0-or-later */
/* last_test.c - where the last measurement is kept, and where nothing may be made. */
#include "rows.h"
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "store/session/last.h"
#include "store/session/session.h"

#define AT_ONCE 4
#define TIMES	50

struct world {
	struct scratch scratch;
	struct arena arena;
	struct count_run run;
	struct count count;
	struct repeat repeat;
	struct counts part;
	struct measurement measured;
};

static void world_init(struct world *world)
{
	*world = (struct world){ .count = { .event = "A", .value = 5, .raw = 5, .enabled_ns = 1, .running_ns = 1 } };
	world->repeat =
		(struct repeat){ .items = &world->count, .count = 1, .ngroups = 1, .runs = &world->run, .nruns = 1 };
	world->part = (struct counts){ .repeats = &world->repeat, .nrepeats = 1 };
	world->part.origin = (struct origin){ .cpu = "skylake", .command = "./prog" };
	world->measured = (struct measurement){ .parts = &world->part, .count = 1, .from_s = NAN, .to_s = NAN };
	scratch_init(&world->scratch);
	arena_init(&world->arena);
}

static void world_release(struct world *world)
{
	arena_release(&world->arena);
	scratch_release(&world->scratch);
	unsetenv("XDG_STATE_HOME");
	unsetenv("HOME");
}

/* A '%' in value stands for the scratch directory; NULL unsets the variable. */
static void set(const struct world *world, const char *variable, const char *value)
{
	char text[256];

	if (!value) {
		unsetenv(variable);
		return;
	}
	snprintf(text, sizeof(text), "%s%s", *value == '%' ? world->scratch.path : "", value + (*value == '%'));
	setenv(variable, text, 1);
}

static const char *inside(struct world *world, const char *name)
{
	return arena_printf(&world->arena, "%s/%s", world->scratch.path, name);
}

static mode_t mode_of(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 ? status.st_mode & 07777 : 0;
}

static size_t entries(const char *path)
{
	DIR *directory = opendir(path);
	size_t count = 0;

	if (!directory)
		return 0;
	while (readdir(directory))
		count++;
	closedir(directory);
	return count - 2;
}

static const char *kept_command(struct world *world, const char *path)
{
	struct measurement found;
	struct error err = { .text = "" };

	return session_read(&found, path, &world->arena, &err) < 0 ? NULL : found.parts[0].origin.command;
}

/* ---- where it is ---- */

static const struct {
	const char *state, *home, *place;
} places[] = {
	{ "%/state", NULL, "state/topdown/last.json" },	       { "%/state", "%", "state/topdown/last.json" },
	{ NULL, "%", ".local/state/topdown/last.json" },       { "", "%", ".local/state/topdown/last.json" },
	{ "relative", "%", ".local/state/topdown/last.json" },
};

static void test_places(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(places); i++) {
		struct error err = { .text = "" };
		struct world world;
		const char *path;

		world_init(&world);
		set(&world, "XDG_STATE_HOME", places[i].state);
		set(&world, "HOME", places[i].home);
		path = inside(&world, places[i].place);
		row_expect_text(&rows, places[i].place, last_path(&world.arena), path);
		row_expect(&rows, places[i].place, last_keep(&world.measured, &err) == 0, err.text);
		row_expect_text(&rows, places[i].place, kept_command(&world, path), "./prog");
		row_expect(&rows, places[i].place, mode_of(path) == 0600, "only its user reads it");
		*strrchr(path, '/') = '\0';
		row_expect(&rows, places[i].place, mode_of(path) == 0700, "nor is its directory for others");
		row_expect(&rows, places[i].place, entries(path) == 1, "nothing else is left");
		world_release(&world);
	}
	rows_end(&rows);
}

/* ---- where nothing may be made ---- */

/* make: a shell command in the scratch directory, before. It has theirs/, which has to stay empty. */
static const struct refusal {
	const char *make, *state, *home, *error;
} refusals[] = {
	{ "", NULL, NULL, "HOME is not a directory of this user" },
	{ "", NULL, "/", "HOME is not a directory of this user" },
	{ "", NULL, "//", "HOME is not a directory of this user" },
	{ "", NULL, "%/none", "No such file or directory" },
	{ "", "%/none/state", NULL, "No such file or directory" },
	{ ": > file", "%/file", NULL, "Not a directory" },
	{ "", "/dev/full", NULL, "Not a directory" },
	{ "ln -s ../theirs state/topdown", "%/state", NULL, "Not a directory" },
	{ "ln -s ../none state/topdown", "%/state", NULL, "Not a directory" },
	{ "mkdir -m 777 state/topdown", "%/state", NULL, "Operation not permitted" },
	{ "mkdir -m 700 state/topdown state/topdown/last.json", "%/state", NULL, "Is a directory" },
};

static void check_refusal(struct rows *rows, const struct refusal *row, struct world *world)
{
	const char *name = *row->make ? row->make : row->home ? row->home : row->state ? row->state : "(nothing)";
	const char *list = arena_printf(&world->arena, "cd %s && find . | sort > /tmp/topdown-test-%d",
					world->scratch.path, (int)getpid());
	const char *compare = arena_printf(&world->arena, "cd %s && find . | sort | cmp - /tmp/topdown-test-%d",
					   world->scratch.path, (int)getpid());
	struct error err = { .text = "" };

	row_expect(rows, name,
		   system(arena_printf(&world->arena, "cd %s && mkdir theirs && mkdir -m 700 state && (umask 0; :%s%s)",
				       world->scratch.path, *row->make ? "; " : "", row->make)) == 0,
		   "the place is made");
	row_expect(rows, name, system(list) == 0, "listed");
	set(world, "XDG_STATE_HOME", row->state);
	set(world, "HOME", row->home);
	row_expect(rows, name, last_keep(&world->measured, &err) < 0, "refused");
	row_expect(rows, name, strstr(err.text, row->error), err.text);
	row_expect(rows, name, system(compare) == 0, "nothing was made");
	unlink(strrchr(list, ' ') + 1);
}

static void test_refusals(void **state UNUSED)
{
	struct rows rows = { 0 };

	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		struct world world;

		world_init(&world);
		check_refusal(&rows, &refusals[i], &world);
		world_release(&world);
	}
	rows_end(&rows);
}

/* sudo can leave HOME as it was: root makes nothing in it. */
static void test_other_user(void **state UNUSED)
{
	struct world world;
	struct error err = { .text = "" };

	if (geteuid() != 0)
		skip();
	world_init(&world);
	assert_int_equal(chown(world.scratch.path, 65534, 65534), 0);
	set(&world, "HOME", "%");
	assert_int_equal(last_keep(&world.measured, &err), -1);
	assert_non_null(strstr(err.text, "Operation not permitted"));
	set(&world, "XDG_STATE_HOME", "%");
	assert_int_equal(last_keep(&world.measured, &err), -1);
	assert_int_equal(entries(world.scratch.path), 0);
	world_release(&world);
}

/* ---- what is there already ---- */

static void test_planted_file(void **state UNUSED)
{
	struct world world;
	struct error err = { .text = "" };
	char target[256];

	world_init(&world);
	scratch_write(&world.scratch, "target", "mine", target);
	scratch_write(&world.scratch, "topdown/other", "", (char[256]){ "" });
	set(&world, "XDG_STATE_HOME", "%");
	assert_int_equal(symlink(target, inside(&world, "topdown/last.json")), 0);
	assert_int_equal(last_keep(&world.measured, &err), 0);
	assert_string_equal(kept_command(&world, inside(&world, "topdown/last.json")), "./prog");
	assert_null(kept_command(&world, target));
	world_release(&world);
}

/* A disk that is full, as a file that may not grow: the old one stays, and no temporary file. */
static void test_full(void **state UNUSED)
{
	const struct rlimit none = { 16, RLIM_INFINITY }, all = { RLIM_INFINITY, RLIM_INFINITY };
	struct world world;
	struct error err = { .text = "" };

	world_init(&world);
	set(&world, "XDG_STATE_HOME", "%");
	assert_int_equal(last_keep(&world.measured, &err), 0);
	world.part.origin.command = "./later";
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(last_keep(&world.measured, &err), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_non_null(strstr(err.text, strerror(EFBIG)));
	assert_string_equal(kept_command(&world, inside(&world, "topdown/last.json")), "./prog");
	assert_int_equal(entries(inside(&world, "topdown")), 1);
	world_release(&world);
}

static void test_nothing_counted(void **state UNUSED)
{
	struct world world;
	struct error err = { .text = "" };

	world_init(&world);
	set(&world, "XDG_STATE_HOME", "%");
	world.count.state = COUNT_REFUSED;
	assert_int_equal(last_keep(&world.measured, &err), -1);
	assert_string_equal(err.text, "nothing was counted");
	assert_int_equal(entries(world.scratch.path), 0);
	world_release(&world);
}

static void keep_often(struct world *world)
{
	struct error err = { .text = "" };

	for (size_t i = 0; i < TIMES; i++)
		if (last_keep(&world->measured, &err) < 0)
			_exit(1);
	_exit(0);
}

/* Several processes that end at once: each time a reader finds a whole one. */
static void test_at_once(void **state UNUSED)
{
	struct world world;
	size_t failed = 0;
	int status;

	world_init(&world);
	set(&world, "XDG_STATE_HOME", "%");
	for (size_t i = 0; i < AT_ONCE; i++)
		if (fork() == 0)
			keep_often(&world);
	for (size_t i = 0; i < AT_ONCE; i++)
		failed += wait(&status) < 0 || status != 0;
	assert_int_equal(failed, 0);
	assert_string_equal(kept_command(&world, inside(&world, "topdown/last.json")), "./prog");
	assert_int_equal(entries(inside(&world, "topdown")), 1);
	world_release(&world);
}

static void test_switch(void **state UNUSED)
{
	setenv("TOPDOWN_LAST", "0", 1);
	assert_true(last_is_off());
	setenv("TOPDOWN_LAST", "1", 1);
	assert_false(last_is_off());
	unsetenv("TOPDOWN_LAST");
	assert_false(last_is_off());
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),	   cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_other_user), cmocka_unit_test(test_planted_file),
		cmocka_unit_test(test_full),	   cmocka_unit_test(test_nothing_counted),
		cmocka_unit_test(test_at_once),	   cmocka_unit_test(test_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
