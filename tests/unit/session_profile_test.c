/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_profile_test.c - a profile is read back as it was saved, for its owner only; each wrong number is named. */
#include "rows.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/measurement/profile.h"
#include "store/session/session.h"

enum { PLACES = 300, STACKS = 2000, ROWS = 3000 };

static struct count_run run = { .wall_s = 1, .cpu_s = 1 };
static struct count items[] = { { .event = "A", .value = 1, .raw = 1, .enabled_ns = 1, .running_ns = 1 },
				{ .event = "B", .value = 2, .raw = 2, .enabled_ns = 1, .running_ns = 1 } };
static struct repeat repeat = { .planned_runs = 1, .ngroups = 1, .runs = &run, .nruns = 1, .items = items, .count = 2 };
static struct counts counts = { .origin = { .cpu = "sim" }, .repeats = &repeat, .nrepeats = 1 };

static char *written(const struct profile *profile, size_t *length)
{
	const struct measurement measured = { .parts = &counts,
					      .count = 1,
					      .profile = (struct profile *)(uintptr_t)profile };
	struct error err = { .text = "" };
	char *text;
	FILE *stream = open_memstream(&text, length);

	assert_non_null(stream);
	assert_int_equal(session_write(stream, &measured, &err), 0);
	fclose(stream);
	return text;
}

static int read_back(struct profile **profile, const char *text, size_t length, struct arena *arena, struct error *err)
{
	const struct session_text session = { .text = text, .length = length, .source = "run.json" };
	struct measurement measured;

	if (session_read_text(&measured, &session, arena, err) < 0)
		return -1;
	*profile = measured.profile;
	return 0;
}

/* ---- profiles ---- */

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void name_places(struct profile *profile, uint64_t *state)
{
	static const char *const names[] = {
		"main", "Main", "work", "std::vector<int>::push_back", "<script>", NULL, ""
	};

	for (uint32_t i = 0; i < profile->nplaces; i++) {
		struct profile_place *place = &profile->places[i];

		place->nframes = next_random(state) % 4;
		place->frames = arena_array(profile->arena, place->nframes, sizeof(*place->frames));
		for (size_t k = 0; k < place->nframes; k++)
			place->frames[k] =
				(struct profile_frame){ .function = names[next_random(state) % COUNT_OF(names)],
							.file = next_random(state) % 2 ? "/src/a.c" : NULL,
							.line = (uint32_t)(next_random(state) % 1000),
							.begin = place->address & ~0xfffu,
							.size = next_random(state) % 3 * 100 };
	}
}

static void add_rows(struct profile *profile, uint64_t *state)
{
	for (uint32_t i = 0; i < ROWS; i++) {
		const struct profile_row key = { .stack = (uint32_t)(next_random(state) % profile->nstacks),
						 .task = (uint32_t)(next_random(state) % profile->ntasks),
						 .event = i % 3 ? i % 2 : PROFILE_NONE,
						 .method = (enum stack_method)(next_random(state) % STACK_METHODS),
						 .is_truncated = next_random(state) % 5 == 0,
						 .interval = i % 4 };
		struct profile_row *row = profile_row(profile, &key);

		row->samples += i % 3;
		row->weight += i % 3 ? 1e6 / (i + 1) : 0;
		if (key.event == PROFILE_NONE && !row->ncounts) {
			row->counts = arena_array(profile->arena, 2, sizeof(*row->counts));
			row->ncounts = 1 + i % 2;
			row->counts[0] = (struct source_count){ .item = 1, .value = i };
			row->counts[1] = (struct source_count){ .item = 0, .value = 0.5 };
		}
	}
}

/* One with lines, and one without; some places are in one of them. */
static void add_loops(struct profile *profile)
{
	static struct profile_loop loops[] = { { 0x40, "only a loop's", "/src/only loops.c", 12, 14 },
					       { UINT64_MAX, NULL, NULL, 0, 0 } };

	profile->loops = loops;
	profile->nloops = COUNT_OF(loops);
	profile->no_loops = "objdump is not here";
	for (uint32_t i = 0; i < profile->nplaces; i++)
		profile->places[i].loop = i % 3;
}

/* Two groups, of three events and of one; what was counted in functions, and in none. */
static void add_deltas(struct profile *profile)
{
	static const char *first[] = { "slots", "A \"B\"", "cycles" }, *second[] = { "cycles" };

	profile_group(profile, &(struct profile_group){ .event = 1, .events = first, .nevents = 3 });
	profile_group(profile, &(struct profile_group){ .event = 0, .events = second, .nevents = 1 });
	for (uint32_t i = 0; i < 40; i++) {
		uint32_t place = i % 5 ? i % 7 : PROFILE_NONE;
		const struct profile_delta like = {
			.from = place, .to = place, .group = i % 2, .batch = i % 10, .loop = place == 1 ? i % 3 : 0
		};
		struct profile_delta *delta = profile_delta(profile, &like);

		delta->pairs += i + 1;
		for (size_t k = 0; k < profile->groups[like.group].nevents; k++)
			delta->values[k] += 1e9 / (i + 1) + (double)k;
	}
}

/* Of everything something, with kernel addresses, names that differ in case, and nothing where nothing is known. */
static void make_profile(struct profile *profile, struct arena *arena)
{
	static const struct profile_module modules[] = {
		{ MODULE_FILE, "/bin/a \"b\"", "00ff", NULL, 0 },
		{ MODULE_KERNEL, "[kernel.kallsyms]", NULL, "kernel.kptr_restrict hides the names", 0 },
		{ MODULE_JIT, NULL, NULL, NULL, 77 },
	};
	const struct profile_event events[] = {
		{ .event = "cpu-clock", .period = 1003009, .weight = 1.5, .samples = 12, .enabled_ns = 1e9 },
		{ .event = "MEM_LOAD_RETIRED.L3_MISS",
		  .node = "tma_dram_bound",
		  .pmu = "cpu_core",
		  .frequency = 997,
		  .precise = 2,
		  .wanted = 3,
		  .lost = 5,
		  .throttled = 1,
		  .run = 1,
		  .weight = 4 },
	};
	const struct profile_task tasks[] = { { 5, 5, "a", "/bin/a" }, { 5, 6, NULL, NULL } };
	uint64_t state = 15;

	profile_init(profile, arena);
	for (uint32_t i = 0; i < COUNT_OF(modules); i++)
		profile_module(profile, &modules[i]);
	for (uint32_t i = 0; i < PLACES; i++)
		profile_place(profile, i % 3, (i % 3 == 1 ? 0xffffffff81000000u : 0x1000) + next_random(&state) % 9999);
	for (uint32_t i = 0; i < STACKS; i++)
		profile_stack(profile, (uint32_t)(next_random(&state) % profile->nplaces),
			      profile->nstacks && i % 7 ? (uint32_t)(next_random(&state) % profile->nstacks)
							: PROFILE_NONE);
	for (size_t i = 0; i < COUNT_OF(tasks); i++)
		profile_task(profile, &tasks[i]);
	for (size_t i = 0; i < COUNT_OF(events); i++)
		profile_event(profile, &events[i]);
	name_places(profile, &state);
	add_rows(profile, &state);
	add_deltas(profile);
	add_loops(profile);
	profile_remark(profile, "5 records were lost.");
	profile->seconds = 1.25;
	profile->scope = "user+kernel";
	profile->method = "auto";
}

/* ---- what is read is what was saved ---- */

static void expect_text(const char *found, const char *expected)
{
	assert_int_equal(found == NULL, expected == NULL);
	if (found)
		assert_string_equal(found, expected);
}

static void expect_frames(const struct profile_place *found, const struct profile_place *expected)
{
	assert_int_equal(found->module, expected->module);
	assert_int_equal(found->address, expected->address);
	assert_int_equal(found->loop, expected->loop);
	assert_int_equal(found->nframes, expected->nframes);
	for (size_t i = 0; i < found->nframes; i++) {
		expect_text(found->frames[i].function, expected->frames[i].function);
		expect_text(found->frames[i].file, expected->frames[i].file);
		assert_int_equal(found->frames[i].line, expected->frames[i].line);
		assert_int_equal(found->frames[i].begin, expected->frames[i].begin);
		assert_int_equal(found->frames[i].size, expected->frames[i].size);
	}
}

static void expect_rows(const struct profile *found, const struct profile *expected)
{
	assert_int_equal(found->nrows, expected->nrows);
	for (uint32_t i = 0; i < found->nrows; i++) {
		const struct profile_row *a = &found->rows[i], *b = &expected->rows[i];

		assert_true(a->stack == b->stack && a->task == b->task && a->event == b->event &&
			    a->method == b->method && a->is_truncated == b->is_truncated &&
			    a->interval == b->interval && a->samples == b->samples && a->ncounts == b->ncounts);
		assert_memory_equal(&a->weight, &b->weight, sizeof(a->weight));
		for (size_t k = 0; k < a->ncounts; k++)
			assert_true(a->counts[k].item == b->counts[k].item &&
				    a->counts[k].value >= b->counts[k].value &&
				    a->counts[k].value <= b->counts[k].value);
	}
}

static void expect_lists(const struct profile *found, const struct profile *expected)
{
	assert_int_equal(found->nmodules, expected->nmodules);
	for (uint32_t i = 0; i < found->nmodules; i++) {
		assert_int_equal(found->modules[i].kind, expected->modules[i].kind);
		assert_int_equal(found->modules[i].pid, expected->modules[i].pid);
		expect_text(found->modules[i].path, expected->modules[i].path);
		expect_text(found->modules[i].build_id, expected->modules[i].build_id);
		expect_text(found->modules[i].remark, expected->modules[i].remark);
	}
	assert_int_equal(found->ntasks, expected->ntasks);
	for (uint32_t i = 0; i < found->ntasks; i++) {
		assert_int_equal(found->tasks[i].tid, expected->tasks[i].tid);
		expect_text(found->tasks[i].name, expected->tasks[i].name);
		expect_text(found->tasks[i].program, expected->tasks[i].program);
	}
	assert_int_equal(found->nevents, expected->nevents);
	for (uint32_t i = 0; i < found->nevents; i++) {
		const struct profile_event *a = &found->events[i], *b = &expected->events[i];

		expect_text(a->event, b->event);
		expect_text(a->node, b->node);
		expect_text(a->pmu, b->pmu);
		assert_true(a->period == b->period && a->frequency == b->frequency && a->precise == b->precise &&
			    a->wanted == b->wanted && a->samples == b->samples && a->lost == b->lost &&
			    a->throttled == b->throttled && a->run == b->run);
		assert_memory_equal(&a->weight, &b->weight, sizeof(a->weight));
	}
}

static void expect_deltas(const struct profile *found, const struct profile *expected)
{
	assert_int_equal(found->ngroups, expected->ngroups);
	for (uint32_t i = 0; i < found->ngroups; i++) {
		assert_int_equal(found->groups[i].event, expected->groups[i].event);
		assert_int_equal(found->groups[i].nevents, expected->groups[i].nevents);
		for (size_t k = 0; k < found->groups[i].nevents; k++)
			expect_text(found->groups[i].events[k], expected->groups[i].events[k]);
	}
	assert_int_equal(found->ndeltas, expected->ndeltas);
	for (uint32_t i = 0; i < found->ndeltas; i++) {
		const struct profile_delta *a = &found->deltas[i], *b = &expected->deltas[i];

		assert_true(a->from == b->from && a->to == b->to && a->group == b->group && a->batch == b->batch &&
			    a->pairs == b->pairs && a->loop == b->loop);
		assert_memory_equal(a->values, b->values, found->groups[a->group].nevents * sizeof(*a->values));
	}
}

static void expect_loops(const struct profile *found, const struct profile *expected)
{
	expect_text(found->no_loops, expected->no_loops);
	assert_int_equal(found->nloops, expected->nloops);
	for (uint32_t i = 0; i < found->nloops; i++) {
		expect_text(found->loops[i].inlined, expected->loops[i].inlined);
		expect_text(found->loops[i].file, expected->loops[i].file);
		assert_true(found->loops[i].offset == expected->loops[i].offset &&
			    found->loops[i].line == expected->loops[i].line &&
			    found->loops[i].last_line == expected->loops[i].last_line);
	}
}

static void test_round_trip(void **state UNUSED)
{
	struct error err = { .text = "" };
	struct profile profile, *found = NULL;
	struct arena arena;
	size_t length, again_length;
	char *text, *again;

	arena_init(&arena);
	make_profile(&profile, &arena);
	text = written(&profile, &length);
	if (read_back(&found, text, length, &arena, &err) < 0)
		fail_msg("%s", err.text);
	assert_non_null(found);
	expect_lists(found, &profile);
	assert_int_equal(found->nplaces, profile.nplaces);
	for (uint32_t i = 0; i < found->nplaces; i++)
		expect_frames(&found->places[i], &profile.places[i]);
	assert_int_equal(found->nstacks, profile.nstacks);
	assert_memory_equal(found->stacks, profile.stacks, found->nstacks * sizeof(*found->stacks));
	expect_rows(found, &profile);
	expect_deltas(found, &profile);
	expect_loops(found, &profile);
	assert_int_equal(found->nremarks, 1);
	expect_text(found->remarks[0], "5 records were lost.");
	expect_text(found->scope, "user+kernel");
	expect_text(found->method, "auto");
	again = written(found, &again_length);
	assert_string_equal(again, text);
	free(again);
	free(text);
	arena_release(&arena);
}

static void test_empty(void **state UNUSED)
{
	struct error err = { .text = "" };
	struct profile profile, *found = NULL;
	struct arena arena;
	size_t length;
	char *text;

	arena_init(&arena);
	profile_init(&profile, &arena);
	text = written(&profile, &length);
	assert_int_equal(read_back(&found, text, length, &arena, &err), 0);
	assert_int_equal(found->nrows + found->nplaces + found->nevents, 0);
	free(text);
	arena_release(&arena);
}

/* ---- what is wrong is named ---- */

/* In the text of a small profile one piece is replaced. */
static const struct {
	const char *piece, *by, *error;
} bad_rows[] = {
	{ "\"caller\":[-1,0]", "\"caller\":[-1,1]",
	  "profile.stacks.caller[1]: expected a stack before this one, or -1, found 1" },
	{ "\"caller\":[-1,0]", "\"caller\":[-1,2]",
	  "profile.stacks.caller[1]: expected the number of one that is there, or -1, found 2" },
	{ "\"caller\":[-1,0]", "\"caller\":[-1]",
	  "profile.stacks.caller: expected an array of 2 numbers, found an array" },
	{ "\"caller\":[-1,0]", "\"caller\":[-2,0]",
	  "profile.stacks.caller[0]: expected the number of one that is there, or -1, found -2" },
	{ "\"caller\":[-1,0]", "\"collar\":[-1,0]",
	  "profile.stacks.caller: expected an array of 2 numbers, found nothing" },
	{ "\"module\":[0,0]", "\"module\":[0,1]",
	  "profile.places.module[1]: expected the number of one that is there, found 1" },
	{ "\"module\":[0,0]", "\"module\":[0,-1]",
	  "profile.places.module[1]: expected the number of one that is there, found -1" },
	{ "\"module\":[0,0]", "\"module\":[0,true]",
	  "profile.places.module[1]: expected the number of one that is there, found true" },
	{ "\"address\":[", "\"address\":[\"x\",",
	  "profile.places.address: expected an array of 2 numbers, found an array" },
	{ "\"address\":[", "\"x\":[", "profile.places.address: expected an array of 2 numbers, found nothing" },
	{ "\"frames\":[1,1]", "\"frames\":[1,2]",
	  "profile.places.frames: expected numbers whose sum is the number of frames, 2" },
	{ "\"frames\":[1,1]", "\"frames\":[1,0]",
	  "profile.places.frames: expected numbers whose sum is the number of frames, 2" },
	{ "\"function\":[0,1]", "\"function\":[0,2]",
	  "profile.frames.function[1]: expected a number of \"texts\", or -1, found 2" },
	{ "\"task\":[0]", "\"task\":[1]", "profile.rows.task[0]: expected the number of one that is there, found 1" },
	{ "\"stack\":[1]", "\"stack\":[2]",
	  "profile.rows.stack[0]: expected the number of one that is there, found 2" },
	{ "\"stack\":[1]", "\"stack\":[0.5]",
	  "profile.rows.stack[0]: expected the number of one that is there, found 0.5" },
	{ "\"event\":[0]", "\"event\":[1]",
	  "profile.rows.event[0]: expected the number of one that is there, or -1, found 1" },
	{ "\"method\":[1]", "\"method\":[5]", "profile.rows.method[0]: expected the number of a method, found 5" },
	{ "\"samples\":[7]", "\"samples\":[-7]", "profile.rows.samples[0]: expected a whole number from 0, found -7" },
	{ "\"weight\":[7]", "\"weight\":[null]",
	  "profile.rows.weight[0]: expected a number from 0 to 1e24, found null" },
	{ "\"item\":[1]", "\"item\":[2]", "profile.counts.item[0]: expected the number of one that is there, found 2" },
	{ "\"row\":[0]", "\"row\":[1]", "profile.counts.row[0]: expected the number of one that is there, found 1" },
	{ "\"rows\":{", "\"rows\":7,\"x\":{", "profile.rows: expected an object of columns, found 7" },
	{ "\"kind\":\"file\"", "\"kind\":\"fine\"",
	  "profile.modules[0].kind: expected \"file\", \"kernel\", \"driver\", \"vdso\", \"jit\" or \"unknown\", found "
	  "\"fine\"" },
	{ "\"texts\":[", "\"texts\":[3,", "profile.texts[0]: expected text, found 3" },
	{ "\"remarks\":[", "\"remarks\":[3,", "profile.remarks[0]: expected text, found 3" },
	{ "\"seconds\":", "\"seconds\":-1,\"x\":",
	  "profile.seconds: expected a number from 0 to 1e24 or null, found -1" },
	{ "\"loop\":[1,0]", "\"loop\":[1,2]",
	  "profile.places.loop[1]: expected the number of one that is there, from 1, or 0, found 2" },
	{ "\"loop\":[1,0]", "\"loop\":[-1,0]",
	  "profile.places.loop[0]: expected the number of one that is there, from 1, or 0, found -1" },
	{ "\"loop\":[1,0]", "\"loop\":[1]", "profile.places.loop: expected an array of 2 numbers, found an array" },
	{ "\"loop\":[1]", "\"loop\":[2]",
	  "profile.deltas.loop[0]: expected the number of one that is there, from 1, or 0, found 2" },
	{ "\"last_line\":[14]", "\"last_line\":[-14]",
	  "profile.loops.last_line[0]: expected a whole number from 0, found -14" },
	{ "\"last_line\":[14]", "\"last\":[14]",
	  "profile.loops.last_line: expected an array of 1 numbers, found nothing" },
	{ "\"loops\":{", "\"loops\":7,\"x\":{", "profile.loops: expected an object of columns, found 7" },
	{ "\"loops\":{", "\"x\":{",
	  "profile.places.loop[0]: expected the number of one that is there, from 1, or 0, found 1" },
	{ "\"profile\":{", "\"profile\":[],\"x\":{", "profile: expected an object, found an array" },
};

static void make_small(struct profile *profile, struct arena *arena)
{
	static struct profile_frame frames[] = { { .function = "a", .line = 1 }, { .function = "b", .line = 2 } };
	static struct profile_loop loop = { 0x40, NULL, "b", 12, 14 };
	static const char *names[] = { "cpu-clock" };
	static struct source_count part = { .item = 1, .value = 2 };
	const struct profile_module module = { .kind = MODULE_FILE, .path = "/bin/a" };
	const struct profile_task task = { .pid = 1, .tid = 1 };
	const struct profile_event event = { .event = "cpu-clock", .period = 1000 };
	struct profile_row key = { .method = STACK_FP }, *row;

	profile_init(profile, arena);
	profile_module(profile, &module);
	profile_stack(profile, profile_place(profile, 0, 0x1000), PROFILE_NONE);
	key.stack = profile_stack(profile, profile_place(profile, 0, 0x1100), 0);
	profile_remark(profile, "A remark.");
	key.task = profile_task(profile, &task);
	key.event = profile_event(profile, &event);
	row = profile_row(profile, &key);
	row->samples = 7;
	row->weight = 7;
	row->counts = &part;
	row->ncounts = 1;
	profile->loops = &loop;
	profile->nloops = profile->places[0].loop = 1;
	profile_group(profile, &(struct profile_group){ .event = key.event, .events = names, .nevents = 1 });
	profile_delta(profile, &(struct profile_delta){ .from = 0, .to = 0, .loop = 1 })->values[0] = 3;
	for (uint32_t i = 0; i < 2; i++) {
		profile->places[i].frames = &frames[i];
		profile->places[i].nframes = 1;
	}
}

static void test_bad(void **state UNUSED)
{
	struct rows rows = { 0 };
	struct profile profile, *found;
	struct arena arena;
	const char *text;
	size_t length;
	char *saved;

	arena_init(&arena);
	make_small(&profile, &arena);
	saved = written(&profile, &length);
	text = arena_strdup(&arena, saved);
	free(saved);
	for (size_t i = 0; i < COUNT_OF(bad_rows); i++) {
		const char *at = strstr(text, bad_rows[i].piece);
		struct error err = { .text = "" };
		char *broken;

		row_expect(&rows, bad_rows[i].piece, at != NULL, "the text has no such piece");
		if (!at)
			continue;
		broken = arena_printf(&arena, "%.*s%s%s", (int)(at - text), text, bad_rows[i].by,
				      at + strlen(bad_rows[i].piece));
		row_expect(&rows, bad_rows[i].by, read_back(&found, broken, strlen(broken), &arena, &err) < 0,
			   "it was read");
		row_expect_text(&rows, bad_rows[i].by, err.text,
				arena_printf(&arena, "run.json: %s", bad_rows[i].error));
	}
	arena_release(&arena);
	rows_end(&rows);
}

/* ---- files ---- */

/* Whatever the umask is, and whatever a file of that name was before. */
static void test_mode(void **state UNUSED)
{
	const mode_t mask = umask(0);
	char directory[] = "/tmp/topdown-test-XXXXXX";
	struct measurement measured = { .parts = &counts, .count = 1 };
	struct error err = { .text = "" };
	struct profile profile;
	struct stat status;
	struct arena arena;

	arena_init(&arena);
	make_small(&profile, &arena);
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	assert_int_equal(session_save("counts.json", &measured, &err), 0);
	assert_int_equal(stat("counts.json", &status), 0);
	assert_int_equal(status.st_mode & 0777, 0666);
	measured.profile = &profile;
	assert_int_equal(session_save("new.json", &measured, &err), 0);
	assert_int_equal(stat("new.json", &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(session_save("counts.json", &measured, &err), 0);
	assert_int_equal(stat("counts.json", &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	umask(mask);
	unlink("counts.json");
	unlink("new.json");
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(directory), 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
