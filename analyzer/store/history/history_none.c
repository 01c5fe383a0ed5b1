/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history_none.c - of a program without SQLite: no history is opened, so that nothing else is ever asked. */
#include "store/history/series.h"

static struct history *history_none_refuse(const char *path, struct error *err)
{
	error_set(err, "%s: this topdown was built without SQLite 3, so it has no history; {save} keeps a session",
		  path);
	return NULL;
}

struct history *history_open(const char *path, struct error *err)
{
	return history_none_refuse(path, err);
}

struct history *history_open_to_read(const char *path, struct error *err)
{
	return history_none_refuse(path, err);
}

void history_close(struct history *history UNUSED)
{
}

int history_add(struct history *history UNUSED, struct history_run *run UNUSED, const char *session UNUSED,
		size_t length UNUSED, struct error *err)
{
	history_none_refuse("history", err);
	return -1;
}

int history_has(struct history *history UNUSED, const struct history_run *run UNUSED, struct error *err)
{
	history_none_refuse("history", err);
	return -1;
}

int64_t history_find(struct history *history UNUSED, const char *word, struct error *err)
{
	history_none_refuse(word, err);
	return -1;
}

int64_t history_baseline(struct history *history UNUSED, const char *program, const char *machine UNUSED,
			 struct error *err)
{
	history_none_refuse(program, err);
	return -1;
}

int history_read_run(struct history *history UNUSED, int64_t id UNUSED, struct history_run *run UNUSED,
		     struct arena *arena UNUSED, struct error *err)
{
	history_none_refuse("history", err);
	return -1;
}

char *history_read_session(struct history *history UNUSED, int64_t id UNUSED, size_t *length UNUSED,
			   struct arena *arena UNUSED, struct error *err)
{
	history_none_refuse("history", err);
	return NULL;
}

int history_accept(struct history *history UNUSED, int64_t id UNUSED, struct error *err)
{
	history_none_refuse("history", err);
	return -1;
}

int history_annotate(struct history *history UNUSED, int64_t id UNUSED, const char *note, struct error *err)
{
	history_none_refuse(note, err);
	return -1;
}

int64_t history_prune(struct history *history UNUSED, const struct history_pruning *pruning UNUSED, struct error *err)
{
	history_none_refuse("history", err);
	return -1;
}

int series_read(struct series_list *list UNUSED, struct history *history UNUSED,
		const struct history_filter *filter UNUSED, struct arena *arena UNUSED, struct error *err)
{
	history_none_refuse("history", err);
	return -1;
}

int series_metrics(const char ***names UNUSED, size_t *count UNUSED, struct history *history UNUSED,
		   struct arena *arena UNUSED, struct error *err)
{
	history_none_refuse("history", err);
	return -1;
}

int series_values_read(struct series_values *values, const struct series *series UNUSED, struct history *history UNUSED,
		       struct arena *arena UNUSED, struct error *err)
{
	history_none_refuse(values->name, err);
	return -1;
}
