/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deltas_test.c - groups that are read with samples, of records that the test has made up: what lies between two samples
 * of one function is its own, everything else is mixed, and nothing is lost. Then the trees of these functions.
 */
#include "evaluate_fixture.h"
#include "where_fixture.h"

#include "analyse/hotspots/hotspots.h"
#include "collect/sample/sampler.h"

enum { F, F_TOO, G, OTHER, NAMELESS, INLINED, PLACES }; /* INLINED: h within f */
enum { CYCLES, FRONT, ISSUED, DONE, BACK, EVENTS };

static const char *names[] = { "CYCLES", "FRONT", "ISSUED", "DONE", "BACK" };

struct drawn {
	struct arena arena;
	struct profile profile;
	uint32_t places[PLACES];
	struct deltas *deltas;
};

static void draw(struct drawn *d, size_t nevents)
{
	static const char *const places[] = { "f:1", "f:2", "g", "lib!f", "?", "f+h" };

	arena_init(&d->arena);
	profile_init(&d->profile, &d->arena);
	(void)profile_event(&d->profile, &(struct profile_event){ .event = "CYCLES" });
	(void)profile_group(&d->profile, &(struct profile_group){ .event = 0, .events = names, .nevents = nevents });
	for (size_t i = 0; i < PLACES; i++)
		d->places[i] = drawn_place(&d->profile, places[i]);
	d->deltas = deltas_new(&d->profile);
}

/* A sample at the place, when the counters stand at cycles. */
static void take(struct drawn *d, uint32_t tid, size_t place, uint64_t cycles)
{
	const struct delta_sample sample = { .counters = 1,
					     .is_of_thread = true,
					     .tid = tid,
					     .place = d->places[place],
					     .values = (const uint64_t[]){ cycles } };

	deltas_take(d->deltas, &sample);
}

/* "f 30/2 mixed 70/3": cycles and pairs, after the deltas have got functions. */
static const char *sums(struct drawn *d)
{
	static const struct {
		const char *name;
		size_t place;
	} asked[] = { { "f", F }, { "g", G }, { "lib!f", OTHER }, { "?", NAMELESS }, { "mixed", PLACES } };
	struct string text = STRING_INIT(&d->arena);

	profile_condense(&d->profile);
	for (size_t i = 0; i < COUNT_OF(asked); i++) {
		uint32_t place = asked[i].place == PLACES ? PROFILE_NONE : d->places[asked[i].place];
		double cycles = 0;
		uint64_t pairs = 0;

		for (uint32_t k = 0; k < d->profile.ndeltas; k++) {
			const struct profile_delta *delta = &d->profile.deltas[k];

			assert_int_equal(delta->from, delta->to);
			cycles += delta->from == place ? delta->values[0] : 0;
			pairs += delta->from == place ? delta->pairs : 0;
		}
		if (pairs)
			string_printf(&text, "%s%s %g/%llu", text.length ? " " : "", asked[i].name, cycles,
				      (unsigned long long)pairs);
	}
	return text.text;
}

/* What happens, as "THREAD PLACE CYCLES"; x: samples were lost; e: the thread has ended. */
static const struct {
	const char *label, *story, *expected;
} stories[] = {
	{ "one function", "7f10 7f30 7F60", "f 50/2 mixed 10/1" },
	{ "what was inlined belongs to the function around it", "7f10 7i30 7F60", "f 50/2 mixed 10/1" },
	{ "another one between", "7f10 7g30 7f60 7f100", "f 40/1 mixed 60/3" },
	{ "two threads do not mix", "7f10 8g5 7f30 8g25", "f 20/1 g 20/1 mixed 15/2" },
	{ "of one name in two files", "7f10 7o30 7o40", "lib!f 10/1 mixed 30/2" },
	{ "code without a name is no function", "7?10 7?30", "mixed 30/2" },
	{ "lost samples", "7f10 7f30 x 7f60 7f70", "f 30/2 mixed 40/2" },
	{ "a thread's number is used again", "7f10 7f30 e7 7f5 7f15", "f 30/2 mixed 15/2" },
};

static void tell(struct drawn *d, const char *story)
{
	static const char letters[] = "fFgo?i";

	while (*story) {
		unsigned tid, cycles;
		char letter;

		if (*story == ' ') {
			story++;
		} else if (*story == 'x') {
			deltas_interrupt(d->deltas);
			story++;
		} else if (*story == 'e') {
			deltas_end_thread(d->deltas, (uint32_t)story[1] - '0');
			story += 2;
		} else {
			assert_int_equal(sscanf(story, "%1u%c%u", &tid, &letter, &cycles), 3);
			take(d, tid, (size_t)(strchr(letters, letter) - letters), cycles);
			story += strcspn(story, " ");
		}
	}
}

static void test_stories(void **state UNUSED)
{
	size_t failures = 0;

	for (size_t i = 0; i < COUNT_OF(stories); i++) {
		struct drawn d;
		const char *found;

		draw(&d, 1);
		tell(&d, stories[i].story);
		found = sums(&d);
		if (strcmp(found, stories[i].expected) != 0) {
			print_error("%s: %s, expected %s\n", stories[i].label, found, stories[i].expected);
			failures++;
		}
		arena_release(&d.arena);
	}
	assert_int_equal(failures, 0);
}

/* A task's counters stand for each CPU: between two samples on one of them it was elsewhere. */
static void test_migration(void **state UNUSED)
{
	struct delta_sample sample = { .is_of_thread = true, .tid = 7 };
	uint64_t values[] = { 10 };
	struct drawn d;

	draw(&d, 1);
	sample.place = d.places[F];
	sample.values = values;
	deltas_take(d.deltas, &sample);
	sample.counters = 1;
	values[0] = 5;
	deltas_take(d.deltas, &sample);
	values[0] = 8;
	deltas_take(d.deltas, &sample);
	sample.counters = 0;
	values[0] = 20;
	deltas_take(d.deltas, &sample);
	assert_string_equal(sums(&d), "f 3/1 mixed 25/3");
	arena_release(&d.arena);
}

/* A CPU's counters count whoever runs: two samples of one thread with another's between say nothing. */
static void test_cpu(void **state UNUSED)
{
	static const uint32_t tids[] = { 7, 7, 8, 7 };
	struct drawn d;

	draw(&d, 1);
	for (uint64_t i = 0; i < COUNT_OF(tids); i++)
		deltas_take(d.deltas, &(struct delta_sample){ .tid = tids[i],
							      .place = d.places[F],
							      .values = (const uint64_t[]){ 10 * (i + 1) } });
	assert_string_equal(sums(&d), "f 10/1 mixed 30/3");
	arena_release(&d.arena);
}

/* ---- trees ---- */

/* A thousand cycles more of a mix of slots (four a cycle), in percent: frontend, bad speculation, retiring; a remainder. */
static void advance(uint64_t *values, unsigned front, unsigned bad, unsigned done)
{
	values[CYCLES] += 1000;
	values[FRONT] += 40 * front;
	values[ISSUED] += 40 * (done + bad);
	values[DONE] += 40 * done;
	values[BACK] += 40 * (100 - front - bad - done);
}

static void take_all(struct drawn *d, size_t place, const uint64_t *values)
{
	deltas_take(
		d->deltas,
		&(struct delta_sample){
			.counters = 1, .is_of_thread = true, .tid = 7, .place = d->places[place], .values = values });
}

static double value_of(const struct function_trees *trees, const struct function_tree *tree, const char *title)
{
	for (size_t i = 0; i < trees->model->nnodes; i++)
		if (!strcmp(trees->model->metrics[i].title, title))
			return tree->values[i];
	fail_msg("there is no %s", title);
	return 0;
}

static void assert_tree(const struct function_trees *trees, size_t number, const char *function,
			const double *frontend_bad_backend_retiring)
{
	static const char *const titles[] = { "Frontend_Bound", "Bad_Speculation", "Backend_Bound", "Retiring" };
	const struct function_tree *tree = &trees->items[number];

	if (function)
		assert_string_equal(tree->function, function);
	for (size_t i = 0; i < COUNT_OF(titles); i++)
		assert_true(fabs(value_of(trees, tree, titles[i]) - frontend_bad_backend_retiring[i]) < 1e-9);
}

/* f has 40 pairs of one mix, g 20 of another that varies; between them 3 deltas of both. */
static void test_trees(void **state UNUSED)
{
	uint64_t values[EVENTS] = { 0 };
	struct function_trees trees;
	struct evaluated e;
	struct drawn d;

	evaluated_init(&e, &(struct evaluate_request){ .counts = "CYCLES=1000 FRONT=400 ISSUED=1200 DONE=800 BACK=2400",
						       .level = 1 });
	draw(&d, EVENTS);
	for (size_t turn = 0; turn < 2; turn++) {
		advance(values, 25, 25, 25);
		take_all(&d, F, values);
		for (size_t i = 0; i < 20; i++) {
			advance(values, 10, 10, 20);
			take_all(&d, F_TOO, values);
		}
		advance(values, 25, 25, 25);
		take_all(&d, G, values);
		for (unsigned i = 0; i < 10; i++) {
			advance(values, i % 2 ? 60 : 40, 5, 15);
			take_all(&d, G, values);
		}
	}
	profile_condense(&d.profile);
	assert_true(
		sampled_trees_fill(&trees, &d.profile, &(struct sampled_model){ &e.loaded.model, NULL }, 2, &d.arena));
	assert_int_equal(trees.count, 3);
	assert_tree(&trees, 0, "f", (const double[]){ 10, 10, 60, 20 });
	assert_tree(&trees, 1, "g", (const double[]){ 50, 5, 30, 15 });
	assert_tree(&trees, 2, NULL, (const double[]){ 25, 25, 25, 25 });
	assert_true(trees.items[2].is_mixed && !trees.items[0].is_mixed);
	assert_true(fabs(trees.items[0].cycles.percent - 100.0 * 40 / 64) < 1e-9);
	assert_true(fabs(trees.items[2].cycles.percent - 100.0 * 4 / 64) < 1e-9);
	assert_int_equal(trees.items[0].cycles.samples, 40);
	assert_false(trees.items[0].cycles.is_rough);
	assert_true(trees.items[1].cycles.is_rough && trees.items[1].cycles.samples == 20);
	assert_true(fabs(trees.rest) < 1e-9);
	for (size_t i = 0; i < trees.model->nnodes; i++)
		if (trees.model->metrics[i].level == 1)
			assert_true(trees.items[0].high[i] - trees.items[0].low[i] < 1e-6);
	arena_release(&d.arena);
	evaluated_release(&e);
}

/* splitmix64 */
static double draw_number(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

#define PROGRAMS 400

/* Of 400 programs whose deltas vary between 20 % and 60 % frontend bound, which part of the intervals holds the 40 %? */
static void test_coverage(void **state UNUSED)
{
	struct evaluated e;
	uint64_t seed = 3;
	size_t held = 0;

	evaluated_init(&e, &(struct evaluate_request){ .counts = "CYCLES=1000 FRONT=400 ISSUED=1200 DONE=800 BACK=2400",
						       .level = 1 });
	for (size_t i = 0; i < PROGRAMS; i++) {
		uint64_t values[EVENTS] = { 0 };
		struct function_trees trees;
		struct drawn d;

		draw(&d, EVENTS);
		for (size_t k = 0; k <= 100; k++) {
			advance(values, (unsigned)(20.5 + 40 * draw_number(&seed)), 10, 10);
			take_all(&d, F, values);
		}
		profile_condense(&d.profile);
		assert_true(sampled_trees_fill(&trees, &d.profile, &(struct sampled_model){ &e.loaded.model, NULL }, 1,
					       &d.arena));
		for (size_t k = 0; k < trees.model->nnodes; k++)
			if (!strcmp(trees.model->metrics[k].title, "Frontend_Bound"))
				held += trees.items[0].low[k] <= 40 && 40 <= trees.items[0].high[k];
		arena_release(&d.arena);
	}
	assert_in_range(held, PROGRAMS * 92 / 100, PROGRAMS * 98 / 100);
	evaluated_release(&e);
}

/* Two groups, each with cycles, which are not the same: brought together by them. */
static void test_groups(void **state UNUSED)
{
	static const char *first[] = { "CYCLES", "FRONT", "BACK" }, *second[] = { "CYCLES", "ISSUED", "DONE" };
	/* 1000 cycles with 10 % and 60 % of 4000 slots; 500 cycles with 30 % and 20 % of 2000. */
	const uint64_t values[2][2][3] = { { { 7, 7, 7 }, { 1007, 407, 2407 } }, { { 9, 9, 9 }, { 509, 609, 409 } } };
	struct function_trees trees;
	struct evaluated e;
	struct drawn d;

	evaluated_init(&e, &(struct evaluate_request){ .counts = "CYCLES=1000 FRONT=400 ISSUED=1200 DONE=800 BACK=2400",
						       .level = 1 });
	draw(&d, 1);
	d.profile.ngroups = 0;
	(void)profile_group(&d.profile, &(struct profile_group){ .events = first, .nevents = 3 });
	(void)profile_group(&d.profile, &(struct profile_group){ .events = second, .nevents = 3 });
	for (uint32_t group = 0; group < 2; group++)
		for (size_t i = 0; i < 2; i++)
			deltas_take(d.deltas, &(struct delta_sample){ .group = group,
								      .counters = group,
								      .tid = 7,
								      .place = d.places[G],
								      .values = values[group][i] });
	profile_condense(&d.profile);
	assert_true(
		sampled_trees_fill(&trees, &d.profile, &(struct sampled_model){ &e.loaded.model, NULL }, 5, &d.arena));
	assert_int_equal(trees.count, 2);
	assert_tree(&trees, 0, "g", (const double[]){ 10, 10, 60, 20 });
	arena_release(&d.arena);
	evaluated_release(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_stories),  cmocka_unit_test(test_migration),
					    cmocka_unit_test(test_cpu),	     cmocka_unit_test(test_trees),
					    cmocka_unit_test(test_coverage), cmocka_unit_test(test_groups) };

	return cmocka_run_group_tests_name("deltas", tests, NULL, NULL);
}
