/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model_fixture.h - events and a model as the program loads them: the shipped ones, or small ones of a test's own. */
#ifndef TOPDOWN_TEST_MODEL_FIXTURE_H
#define TOPDOWN_TEST_MODEL_FIXTURE_H

#include "rows.h"

#include <stdlib.h>
#include <unistd.h>

#include "cpu/identify/machine.h"
#include "cpu/load/model.h"

static const char *const shipped_cpus[] = {
	"skylakex", "cascadelakex", "sapphirerapids", "amdzen4", "amdzen5", "neoverse-n1", "neoverse-v1",
};

/* Does not move: the model borrows from it. Released with loaded_release. */
struct loaded {
	struct arena arena;
	struct error err;
	struct facts facts;
	struct event_database database;
	struct model model;
};

/* What is asked of loaded_init: files, the SMT state, and events by name. */
struct loaded_request {
	const char *events, *model;
	bool smt_on;
	const char *asked;
	enum model_form form;
};

static inline void loaded_init(struct loaded *loaded, const struct loaded_request *request)
{
	struct model_target target = {
		.database = &loaded->database, .facts = &loaded->facts, .events = request->asked, .form = request->form
	};

	*loaded = (struct loaded){ .facts = facts_assumed() };
	loaded->facts.smt_on = request->smt_on;
	arena_init(&loaded->arena);
	if (event_database_load(&loaded->database, request->events, &loaded->arena, &loaded->err) < 0)
		fail_msg("%s", loaded->err.text);
	if (!loaded->database.slots)
		loaded->facts.slots = 5; /* no file says the width: a machine would (caps/slots of its PMU) */
	target.pmu = pmu_assumed(loaded->database.pmu, loaded->database.vendor, &loaded->arena);
	if (model_load(&loaded->model, request->model, &target, &loaded->arena, &loaded->err) < 0)
		fail_msg("%s", loaded->err.text);
}

/* In that form, where the CPU has two. */
static inline void loaded_shipped_in(struct loaded *loaded, const char *cpu, bool smt_on, enum model_form form)
{
	char file[64], events[96], model[96], *colon;

	snprintf(file, sizeof(file), "%s", cpu);
	colon = strchr(file, ':');
	if (colon)
		*colon = '-'; /* alderlake:atom is alderlake-atom.json */
	snprintf(events, sizeof(events), "events/%s.json", file);
	snprintf(model, sizeof(model), "models/%s.json", file);
	loaded_init(loaded,
		    &(struct loaded_request){ .events = events, .model = model, .smt_on = smt_on, .form = form });
}

static inline void loaded_shipped(struct loaded *loaded, const char *cpu, bool smt_on)
{
	loaded_shipped_in(loaded, cpu, smt_on, FORM_PERF_METRICS);
}

static inline void loaded_release(struct loaded *loaded)
{
	arena_release(&loaded->arena);
}

/* The number of an event of the model; the test fails when there is none. */
static inline size_t event_number(const struct loaded *loaded, const char *name)
{
	size_t number = event_set_find(&loaded->model.events, name);

	if (number == TABLE_NONE)
		fail_msg("the model has no event %s", name);
	return number;
}

#endif
