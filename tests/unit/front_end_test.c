/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * front_end_test.c - a second front end: it measures two programs, keeps them, reports and compares what was kept, and
 * has no command line and nothing of command/.
 */
#include "engine/engine.h"

#include <stdlib.h>

#include "engine/saved.h"
#include "faults_machine.h"
#include "present/document/render.h"
#include "rows.h"
#include "store/session/session.h"

static const struct style plain = { .format = FORMAT_TEXT, .is_verbose = true };

static int save(void *path, struct measurement *measured, struct error *err)
{
	return session_save(path, measured, err);
}

/* What can be done next is data: nobody here says how a user would ask for it. */
static void check_actions(const struct report *report)
{
	const struct next_actions *actions = &report->actions;

	assert_int_equal(actions->again.kind, ACTION_MEASURE);
	assert_int_equal(actions->again.question.level, 1);
	assert_string_equal(actions->again.save, "after.json");
	assert_ptr_equal(strstr(actions->again.origin->command, "/bin/sh"), actions->again.origin->command);
	assert_null(actions->again.command);
	assert_int_equal(actions->compare.kind, ACTION_COMPARE);
}

static int print(void *file, const struct outcome *outcome, struct error *err)
{
	check_actions(&outcome->reports->parts[0]);
	return outcome->is_last ? render_reports(file, outcome->reports, NULL, &plain, err) : 0;
}

static void measure_report_and_compare(void **state UNUSED)
{
	char *commands[][4] = { { "/bin/sh", "-c", "exit 3" }, { "/bin/sh", "-c", "/bin/true; /bin/true" } };
	char paths[2][256], *text = NULL;
	struct measurement measured[2];
	struct comparison comparison;
	struct compare_request sides = { .before.label = "before", .after.label = "after" };
	struct question question = { .level = 1 };
	struct setup setup = { .packing.repeats = 2 };
	struct faults_machine machine;
	struct error err = { .text = "" };
	struct scratch scratch;
	struct arena arena;
	struct sink sink = { .measured = save };
	const struct request request = { &question, &setup, &sink, &arena };
	size_t length;
	FILE *out = open_memstream(&text, &length);

	arena_init(&arena);
	scratch_init(&scratch);
	faults_machine_make(&machine, &scratch);
	setup.machine = (struct machine_choice){ .sysroot = machine.sysroot, .database = machine.database };
	for (size_t i = 0; i < 2; i++) {
		sink = (struct sink){ .measured = save, .context = paths[i] };
		snprintf(paths[i], sizeof(paths[i]), "%s/%zu.json", scratch.path, i);
		setup.program = (struct program_choice){ .words = commands[i], .nwords = 3, .hides_output = true };
		assert_int_equal(engine_measure(&request, &err), 0);
	}
	sink = (struct sink){ .outcome = print, .context = out };
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(session_read(&measured[i], paths[i], &arena, &err), 0);
		assert_int_equal(engine_report(&(struct saved){ &measured[i], paths[i], false }, &request, &err), 0);
		assert_int_equal(saved_side(i ? &sides.after : &sides.before, &measured[i], &request, &err), 0);
	}
	assert_int_equal(compare(&comparison, &sides, &arena, &err), 0);
	assert_int_equal(render_comparison(out, &comparison, NULL, &plain, &err), 0);
	fclose(out);
	assert_non_null(strstr(text, "Minor"));			  /* the tree */
	assert_non_null(strstr(text, "Status   3\n"));		  /* of the first */
	assert_non_null(strstr(text, "/bin/true; /bin/true"));	  /* of the second */
	assert_non_null(strstr(strstr(text, "before"), "after")); /* and both */
	free(text);
	arena_release(&arena);
	scratch_release(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(measure_report_and_compare) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
