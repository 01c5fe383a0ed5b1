/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model_world.h - models of a few lines over a made-up event database. */
#ifndef TOPDOWN_TEST_MODEL_WORLD_H
#define TOPDOWN_TEST_MODEL_WORLD_H

#include "rows.h"

#include "common/base/text.h"
#include "cpu/identify/machine.h"
#include "cpu/load/model.h"
#include "scratch.h"

static const char events_text[] =
	"{\"Header\":{\"Cpu\":\"madeup\",\"Vendor\":\"Intel\",\"Pmu\":\"cpu\",\"Slots\":6,\"Cycles\":\"CYC\","
	"\"Instructions\":\"INST\"},"
	"\"Events\":["
	"{\"EventName\":\"CYC\",\"EventCode\":\"0x3c\",\"Counter\":\"0,1,2,3\"},"
	"{\"EventName\":\"INST\",\"EventCode\":\"0xc0\",\"Counter\":\"0,1,2,3\"},"
	"{\"EventName\":\"STALL.A\",\"EventCode\":\"0xa3\",\"UMask\":\"1\",\"Counter\":\"0,1,2,3\"},"
	"{\"EventName\":\"STALL.B\",\"EventCode\":\"0xa3\",\"UMask\":\"2\",\"Counter\":\"0,1,2,3\"},"
	"{\"EventName\":\"UNC.R\",\"EventCode\":\"1\",\"Unit\":\"CHA\"}]}";

struct world {
	struct scratch scratch;
	struct arena arena;
	struct event_database database;
	struct facts facts;
	struct model_target target;
	struct model model;
	struct error err;
	char path[256];
};

static inline void world_init(struct world *w)
{
	*w = (struct world){ .facts = facts_assumed() };
	scratch_init(&w->scratch);
	arena_init(&w->arena);
	scratch_write(&w->scratch, "events.json", events_text, w->path);
	if (event_database_load(&w->database, w->path, &w->arena, &w->err) < 0)
		fail_msg("%s", w->err.text);
	w->target = (struct model_target){ .database = &w->database,
					   .pmu = pmu_assumed("cpu", "Intel", &w->arena),
					   .facts = &w->facts };
}

static inline void world_release(struct world *w)
{
	arena_release(&w->arena);
	scratch_release(&w->scratch);
}

/* Loads {"Metrics":[metrics]}; single quotes stand for double ones. */
static inline int load(struct world *w, const char *metrics)
{
	char *text = arena_printf(
		&w->arena, "{\"Header\":{\"Version\":\"3\",\"TmaVersion\":\"5.2\"},\"Metrics\":[\n%s]}", metrics);

	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	scratch_write(&w->scratch, "model.json", text, w->path);
	w->err = (struct error){ .text = "" };
	return model_load(&w->model, w->path, &w->target, &w->arena, &w->err);
}

static inline void load_well(struct world *w, const char *metrics)
{
	if (load(w, metrics) < 0)
		fail_msg("%s", w->err.text);
}

static inline const char *events_text_of(struct world *w, const struct metric *metric)
{
	struct string text = STRING_INIT(&w->arena);

	for (size_t i = 0; i < metric->nevents; i++)
		string_printf(&text, "%s%s", i ? " " : "", w->model.events.events[metric->events[i]].name);
	return text.text;
}

#endif
