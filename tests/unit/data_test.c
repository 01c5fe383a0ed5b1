/* SPDX-License-Identifier: GPL-2.0-or-later */
/* data_test.c - the shipped data hold together: each CPU of events/mapfile.csv, with SMT and without. */
#include "model_fixture.h"

#include "base/text.h"
#include "identify/machine.h"
#include "load/database.h"
#include "load/glossary.h"

/* One CPU's data under examination; failed rows are named CPU: NAME. */
struct examined {
	struct rows *rows;
	const char *cpu;
	struct loaded *loaded;
	const struct pmu *pmu;
};

static void expect(const struct examined *e, const char *name, bool is_right, const char *what)
{
	char row[256];

	snprintf(row, sizeof(row), "%s: %s", e->cpu, name);
	row_expect(e->rows, row, is_right, what);
}

static void check_warnings(const struct examined *e)
{
	const struct event_database *database = &e->loaded->database;
	const struct model *model = &e->loaded->model;

	for (size_t i = 0; i < database->nwarnings; i++)
		expect(e, "events", false, database->warnings[i]);
	for (size_t i = 0; i < model->nwarnings; i++)
		expect(e, "model", false, model->warnings[i]);
	expect(e, "events", is_same_name(database->cpu, e->cpu), "the header names another CPU");
}

static void check_rows(const struct examined *e)
{
	const struct event_database *database = &e->loaded->database;
	unsigned most = database->general_smt_off > database->general ? database->general_smt_off : database->general;
	uint64_t general = (1ull << most) - 1, fixed = ((1ull << database->fixed) - 1) << FIXED_COUNTER;

	expect(e, "events", most > 0 && database->pmu && database->cycles && database->instructions,
	       "incomplete header");
	for (size_t i = 0; i < database->count; i++) {
		const struct event_row *row = &database->rows[i];

		expect(e, row->name, !row->unit, "is no event of the core");
		expect(e, row->name, row->is_metric || row->counters, "has no counters");
		expect(e, row->name, !((row->counters | row->counters_smt_off) & ~(general | fixed)),
		       "wants a counter that the header does not have");
		expect(e, row->name, !row->msr == !row->nmsr, "an MSR that is not understood");
	}
}

/* Everything that the database has can be asked for by name and fits into the configuration words. */
static void check_encodings(const struct examined *e)
{
	struct event_set *set = &e->loaded->model.events;

	for (size_t i = 0; i < e->loaded->database.count; i++) {
		struct error err = { .text = "" };
		const char *name = e->loaded->database.rows[i].name;

		expect(e, name, event_set_add(set, name, &err) != TABLE_NONE, err.text);
	}
	for (size_t i = 0; i < set->count; i++) {
		const struct event *event = &set->events[i];
		struct error err = { .text = "" };
		uint64_t config[4];

		if (event->kind == EVENT_DURATION || event->kind == EVENT_TSC)
			continue;
		expect(e, event->name, event->nterms > 0, "has no terms");
		expect(e, event->name, pmu_pack(config, e->pmu, event->terms, event->nterms, &err) == 0, err.text);
	}
}

static void check_samples(const struct examined *e, const struct metric *metric)
{
	for (size_t i = 0; i < metric->nsamples; i++) {
		struct error err = { .text = "" };
		size_t number = event_set_add(&e->loaded->model.events, metric->samples[i], &err);

		expect(e, metric->name, number != TABLE_NONE, err.text);
	}
}

static bool has_group(const struct model *model, const char *group)
{
	for (size_t i = 0; i < model->count; i++)
		if (has_word(model->metrics[i].groups, ";", group))
			return true;
	return model_find(model, group) != TABLE_NONE;
}

static void check_next_groups(const struct examined *e, const struct metric *metric)
{
	const char *cursor = metric->next_groups, *part;
	char group[128];
	size_t length;

	while ((length = text_next(&cursor, ";", &part)) > 0) {
		snprintf(group, sizeof(group), "%.*s", (int)length, part);
		expect(e, metric->name, has_group(&e->loaded->model, group), group);
	}
}

static void check_metrics(const struct examined *e)
{
	const struct model *model = &e->loaded->model;

	for (size_t i = 0; i < model->count; i++) {
		const struct metric *metric = &model->metrics[i];

		expect(e, metric->name, !metric->failure || has_name_prefix(metric->failure, "needs "),
		       metric->failure);
		expect(e, metric->name, !isnan(metric->scale) && metric->scale > 0, "scale");
		expect(e, metric->name, (metric->level > 0) == (i < model->nnodes), "nodes come first");
		expect(e, metric->name, (metric->level > 1) == (metric->parent != NO_PARENT), "parent");
		expect(e, metric->name, metric->level < 2 || metric->parent < i, "a parent comes first");
		expect(e, metric->name, metric->level == 0 || metric->has_threshold, "a node without a threshold");
		expect(e, metric->name, model_find(model, metric->name) == i, "its name finds another");
		expect(e, metric->name, model_find(model, metric->path) != TABLE_NONE, "its path finds none");
		check_samples(e, metric);
		check_next_groups(e, metric);
	}
}

static void check_cpu(struct rows *rows, const char *cpu, bool smt_on)
{
	struct examined e = { .rows = rows, .cpu = cpu };
	struct loaded loaded;

	loaded_shipped(&loaded, cpu, smt_on);
	e.loaded = &loaded;
	e.pmu = pmu_assumed(loaded.database.pmu, loaded.database.vendor, &loaded.arena);
	check_warnings(&e);
	check_rows(&e);
	check_metrics(&e);
	check_encodings(&e);
	loaded_release(&loaded);
}

/* The rows of the shipped map, which is the first that is read. Each CPU once. */
static size_t shipped(const char **names, size_t max, struct arena *arena)
{
	struct database database;
	struct error err = { .text = "" };
	size_t count = 0;

	if (database_open(&database, ".", arena, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < database.ncpus && count < max; i++) {
		bool is_new = true;

		for (size_t k = 0; k < count; k++)
			is_new = is_new && strcmp(names[k], database.cpus[i].name) != 0;
		if (is_new)
			names[count++] = database.cpus[i].name;
	}
	return count;
}

enum { MAX_CPUS = 256 };

static void test_cpus(void **state UNUSED)
{
	struct rows rows = { 0 };
	const char *names[MAX_CPUS];
	struct arena arena;
	size_t count;

	arena_init(&arena);
	count = shipped(names, MAX_CPUS, &arena);
	assert_true(count >= 7);
	for (size_t i = 0; i < count; i++) {
		check_cpu(&rows, names[i], true);
		check_cpu(&rows, names[i], false);
	}
	arena_release(&arena);
	rows_end(&rows);
}

/* Each node of a tree has words, in each of the three parts. */
static void test_words(void **state UNUSED)
{
	struct rows rows = { 0 };
	const char *names[MAX_CPUS];
	struct error err = { .text = "" };
	struct loaded loaded;
	struct arena arena;
	size_t count;

	arena_init(&arena);
	count = shipped(names, MAX_CPUS, &arena);
	for (size_t i = 0; i < count; i++) {
		loaded_shipped(&loaded, names[i], true);
		for (size_t k = 0; k < loaded.model.nnodes; k++) {
			struct examined e = { .rows = &rows, .cpu = names[i] };
			struct glossary_entry words;

			if (glossary_read_entry(&words, "models/glossary.json", loaded.model.metrics[k].name, &arena,
						&err) < 0)
				fail_msg("%s", err.text);
			expect(&e, loaded.model.metrics[k].name,
			       words.means && *words.means && words.hurts && *words.hurts && words.advice &&
				       *words.advice,
			       "no words in models/glossary.json");
		}
		loaded_release(&loaded);
	}
	arena_release(&arena);
	rows_end(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cpus), cmocka_unit_test(test_words) };

	return cmocka_run_group_tests_name("data", tests, NULL, NULL);
}
