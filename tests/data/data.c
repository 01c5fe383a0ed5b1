/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data.c - the shipped data of a CPU hold together, with SMT and without:
 *
 *   data_test FILE    events/FILE.json and models/FILE.json
 *   data_test map     events/mapfile.csv has a row for each of them, and they are all there
 */
#include "data.h"

#include "common/base/text.h"
#include "common/system/file.h"
#include "cpu/identify/machine.h"
#include "cpu/load/database.h"
#include "cpu/load/glossary.h"

void expect(const struct machine_check *e, const char *name, bool is_right, const char *what)
{
	char row[256];

	snprintf(row, sizeof(row), "%s, SMT %s: %s", e->cpu, e->smt_on ? "on" : "off", name);
	row_expect(e->rows, row, is_right, what);
}

static void check_warnings(const struct machine_check *e)
{
	const struct event_database *database = &e->loaded->database;
	const struct model *model = &e->loaded->model;

	for (size_t i = 0; i < database->nwarnings; i++)
		expect(e, "events", false, database->warnings[i]);
	for (size_t i = 0; i < model->nwarnings; i++)
		expect(e, "model", false, model->warnings[i]);
}

static void check_rows(const struct machine_check *e)
{
	const struct event_database *database = &e->loaded->database;
	unsigned most = database->general_smt_off > database->general ? database->general_smt_off : database->general;
	uint64_t general = (1ull << most) - 1, fixed = ((1ull << database->fixed) - 1) << FIXED_COUNTER;

	expect(e, "events", most > 0 && database->pmu && database->cycles && database->instructions,
	       "incomplete header");
	for (size_t i = 0; i < database->count; i++) {
		const struct event_row *row = &database->rows[i];

		if (row->unit)
			continue;
		expect(e, row->name, row->is_metric || row->counters, "has no counters");
		expect(e, row->name, !((row->counters | row->counters_smt_off) & ~(general | fixed)),
		       "wants a counter that the header does not have");
		expect(e, row->name, !row->msr == !row->nmsr, "an MSR that is not understood");
	}
}

/* Everything that the database has can be asked for by name and fits into the configuration words. */
static void check_encodings(const struct machine_check *e)
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
		expect(e, event->name, event->nterms > 0 || event->alias, "has no terms");
		if (event->kind == EVENT_UNIT)
			continue;
		expect(e, event->name, pmu_pack(config, e->pmu, event->terms, event->nterms, &err) == 0, err.text);
	}
}

static void check_samples(const struct machine_check *e, const struct metric *metric)
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

static void check_next_groups(const struct machine_check *e, const struct metric *metric)
{
	const char *cursor = metric->next_groups, *part;
	char group[128];
	size_t length;

	while ((length = text_next(&cursor, ";", &part)) > 0) {
		snprintf(group, sizeof(group), "%.*s", (int)length, part);
		expect(e, metric->name, has_group(&e->loaded->model, group), group);
	}
}

static void check_metrics(const struct machine_check *e)
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
		expect(e, metric->name, metric->level == 0 || *metric->domain, "a share of nobody knows what");
		expect(e, metric->name, model_find(model, metric->name) == i, "its name finds another");
		expect(e, metric->name, model_find(model, metric->path) != TABLE_NONE, "its path finds none");
		check_samples(e, metric);
		check_next_groups(e, metric);
	}
}

/* Each node of a tree has words, in each of the three parts. */
static void check_words(const struct machine_check *e)
{
	const struct model *model = &e->loaded->model;

	for (size_t i = 0; i < model->nnodes; i++) {
		struct error err = { .text = "" };
		struct glossary_entry words;

		if (glossary_read_entry(&words, "models/glossary.json", model->metrics[i].name, &e->loaded->arena,
					&err) < 0)
			fail_msg("%s", err.text);
		expect(e, model->metrics[i].name,
		       words.means && *words.means && words.hurts && *words.hurts && words.advice && *words.advice,
		       "no words in models/glossary.json");
	}
}

/* "alderlake-atom.json" has the data of alderlake:atom. */
static bool is_file_of(const char *file, const char *cpu)
{
	size_t i;

	for (i = 0; cpu[i]; i++)
		if ((cpu[i] == ':' ? '-' : cpu[i]) != file[i])
			return false;
	return !file[i] || !strcmp(file + i, ".json");
}

static void check_cpu(struct rows *rows, const char *file, bool smt_on)
{
	struct machine_check e = { .rows = rows, .smt_on = smt_on };
	struct loaded loaded;

	loaded_shipped(&loaded, file, smt_on);
	e.cpu = loaded.database.cpu;
	e.loaded = &loaded;
	e.pmu = pmu_assumed(loaded.database.pmu, loaded.database.vendor, &loaded.arena);
	expect(&e, "events", is_file_of(file, e.cpu), "the header names another CPU");
	expect(&e, "level 0", loaded.model.count > 0, "no metrics");
	check_warnings(&e);
	check_rows(&e);
	check_metrics(&e);
	check_level_1(&e);
	check_words(&e);
	check_encodings(&e); /* last, because it asks for events that no formula reads */
	loaded_release(&loaded);
}

/* Nothing of the general form needs slots or PERF_METRICS. */
static void check_general_events(const struct machine_check *e)
{
	const struct model *model = &e->loaded->model;

	for (size_t i = 0; i < model->count; i++)
		for (size_t k = 0; k < model->metrics[i].nevents; k++)
			expect(e, model->metrics[i].name,
			       model->events.events[model->metrics[i].events[k]].kind != EVENT_METRIC &&
				       model->events.events[model->metrics[i].events[k]].kind != EVENT_SLOTS,
			       "reads slots or PERF_METRICS in the general form");
}

/* Where there are two forms, the other one too. */
static void check_general_form(struct rows *rows, const char *file, bool smt_on)
{
	struct machine_check e = { .rows = rows, .smt_on = smt_on };
	struct loaded loaded;

	loaded_shipped_in(&loaded, file, smt_on, FORM_GENERAL);
	e.cpu = loaded.database.cpu;
	e.loaded = &loaded;
	e.pmu = pmu_assumed(loaded.database.pmu, loaded.database.vendor, &loaded.arena);
	if (loaded.model.form == FORM_GENERAL) {
		check_warnings(&e);
		check_metrics(&e);
		check_level_1(&e);
		check_general_events(&e);
	}
	expect(&e, "general form", loaded.model.has_forms == (loaded.model.general_source != NULL),
	       "a source without formulas, or formulas without a source");
	loaded_release(&loaded);
}

static void test_cpu(void **state)
{
	struct rows rows = { 0 };

	check_cpu(&rows, *state, false);
	check_cpu(&rows, *state, true);
	check_general_form(&rows, *state, false);
	check_general_form(&rows, *state, true);
	rows_end(&rows);
}

/* The map's third column. */
struct names {
	const char *items[256];
	size_t count;
};

static void read_map(struct names *names, struct arena *arena)
{
	struct error err = { .text = "" };
	size_t length;
	char *text = file_read("events/mapfile.csv", &length, arena, &err), *rest, *column;

	assert_non_null(text);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		column = strchr(line, ',');
		column = column ? strchr(column + 1, ',') : NULL;
		assert_non_null(column);
		assert_true(names->count < COUNT_OF(names->items));
		if (strncmp(column, ",Filename,", 10) != 0)
			names->items[names->count++] = arena_strndup(arena, column + 1, strcspn(column + 1, ","));
	}
}

/* Files that are of no CPU. */
static bool is_common(const char *file)
{
	return !strcmp(file, "cpus.json") || !strncmp(file, "glossary", strlen("glossary")) ||
	       !strcmp(file, "common.json") || !strcmp(file, "assessment.json") || !strcmp(file, "roofline.json") ||
	       !strcmp(file, SIMULATED_CPU ".json");
}

static void check_folder(struct rows *rows, const struct names *cpus, const char *folder, struct arena *arena)
{
	struct error err = { .text = "" };
	bool has_file[COUNT_OF(cpus->items)] = { false };
	size_t count;
	const char **files = directory_list(folder, ".json", &count, arena, &err);

	assert_non_null(files);
	for (size_t i = 0; i < count; i++) {
		bool has_row = is_common(files[i]);

		for (size_t k = 0; k < cpus->count; k++) {
			has_file[k] = has_file[k] || is_file_of(files[i], cpus->items[k]);
			has_row = has_row || is_file_of(files[i], cpus->items[k]);
		}
		row_expect(rows, arena_printf(arena, "%s/%s", folder, files[i]), has_row, "has no row in the map");
	}
	for (size_t k = 0; k < cpus->count; k++)
		row_expect(rows, cpus->items[k], has_file[k], arena_printf(arena, "has no file in %s", folder));
}

static void test_map(void **state UNUSED)
{
	struct names cpus = { .count = 0 };
	struct rows rows = { 0 };
	struct arena arena;

	arena_init(&arena);
	read_map(&cpus, &arena);
	assert_true(cpus.count > 0);
	check_folder(&rows, &cpus, "events", &arena);
	check_folder(&rows, &cpus, "models", &arena);
	arena_release(&arena);
	rows_end(&rows);
}

/* The map, and each file of events/ or those that are named: a test with the file's name for each. */
int main(int argc, char **argv)
{
	struct CMUnitTest tests[COUNT_OF(((struct names *)NULL)->items) + 1] = { cmocka_unit_test(test_map) };
	struct error err = { .text = "" };
	struct arena arena;
	const char **files;
	size_t count, used = 1;
	int failed;

	arena_init(&arena);
	files = directory_list("events", ".json", &count, &arena, &err);
	for (size_t i = 0; files && i < count; i++) {
		char *cpu = arena_strndup(&arena, files[i], strlen(files[i]) - strlen(".json"));

		if (strcmp(cpu, "cpus") != 0 && used < COUNT_OF(tests) && (argc < 2 || !strcmp(argv[1], cpu)))
			tests[used++] = (struct CMUnitTest){ cpu, test_cpu, NULL, NULL, cpu };
	}
	if (used == 1)
		fprintf(stderr, "data_test: %s\n", err.text[0] ? err.text : "no such file in events/");
	failed = _cmocka_run_group_tests("data", tests, used, NULL, NULL);
	arena_release(&arena);
	return failed || used == 1;
}
