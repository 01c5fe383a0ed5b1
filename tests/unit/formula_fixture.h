/* SPDX-License-Identifier: GPL-2.0-or-later */
/* formula_fixture.h - formulas over made-up names: events with chosen values, metrics listed or numbered m0, m1, ... */
#ifndef TOPDOWN_TEST_FORMULA_FIXTURE_H
#define TOPDOWN_TEST_FORMULA_FIXTURE_H

#include "rows.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/table.h"
#include "common/base/text.h"
#include "common/formula/formula.h"

enum { MAX_EVENTS = 16, SOURCES = 3 };

struct made_up {
	const char *values;  /* "a=1 b=nan": events in this order, with their counts; K_ names are constants */
	const char *metrics; /* "x y": names of slot 0, 1, ...; m<N> is always slot N */
	struct facts facts;
	struct arena arena;
	struct formula_names names;
	struct program *program;
};

/* The event's number in "a=1 b=2" and its count; TABLE_NONE if it is not there. */
static inline size_t listed_value(const char *list, const char *name, double *value)
{
	const char *part;
	size_t length, number = 0;

	while (list && (length = text_next(&list, " ", &part)) > 0) {
		size_t name_length = strcspn(part, "=");

		if (name_length == strlen(name) && !memcmp(part, name, name_length)) {
			*value = strtod(part + name_length + 1, NULL);
			return number;
		}
		number++;
	}
	return TABLE_NONE;
}

static inline bool metric_number(const struct made_up *m, const char *id, size_t *number)
{
	const char *list = m->metrics, *part;
	uint64_t digits;
	size_t length;

	if (id[0] == 'm' && text_u64(id + 1, &digits)) {
		*number = (size_t)digits;
		return true;
	}
	for (*number = 0; list && (length = text_next(&list, " ", &part)) > 0; ++*number)
		if (length == strlen(id) && has_name_prefix(part, id))
			return true;
	return false;
}

static inline struct name made_up_resolve(void *context, const char *id, struct error *err)
{
	struct made_up *m = context;
	struct name name = { .kind = NAME_EVENT };
	size_t number;

	if (metric_number(m, id, &number))
		return (struct name){ .kind = NAME_METRIC, .index = number };
	name.index = listed_value(m->values, id, &name.value);
	if (has_name_prefix(id, "K_"))
		name.kind = NAME_CONSTANT;
	if (!strcmp(id, "uncore"))
		error_set(err, "needs uncore PMU 'cha' for 'uncore'");
	if (name.index == TABLE_NONE)
		name.kind = NAME_UNKNOWN;
	return name;
}

static inline bool made_up_has(void *context, const char *id)
{
	struct made_up *m = context;
	double value;

	return listed_value(m->values, id, &value) != TABLE_NONE;
}

static inline double made_up_sources(void *context UNUSED, const char *id UNUSED)
{
	return SOURCES;
}

static inline const char *made_up_slot(void *context, size_t slot)
{
	struct made_up *m = context;
	const char *list = m->metrics, *part;
	size_t length;

	for (size_t i = 0; list && (length = text_next(&list, " ", &part)) > 0; i++)
		if (i == slot)
			return arena_strndup(&m->arena, part, length);
	return arena_printf(&m->arena, "m%zu", slot);
}

/* Facts that differ from each other, so that a mix-up shows. */
static inline struct facts made_up_facts(void)
{
	return (struct facts){ .smt_on = 1,
			       .core_wide = 0,
			       .num_cpus = 64,
			       .num_cpus_online = 48,
			       .num_cores = 32,
			       .num_dies = 4,
			       .num_packages = 2,
			       .slots = 6,
			       .system_tsc_freq = 2.5e9,
			       .has_pmem = NAN,
			       .cpuid = "0x00000000412fd491" };
}

static inline void made_up_init(struct made_up *m, const char *values, const char *metrics)
{
	*m = (struct made_up){ .values = values, .metrics = metrics, .facts = made_up_facts() };
	arena_init(&m->arena);
	m->names = (struct formula_names){ .context = m,
					   .resolve = made_up_resolve,
					   .has_event = made_up_has,
					   .source_count = made_up_sources,
					   .slot_name = made_up_slot,
					   .facts = &m->facts };
	m->program = program_new(&m->arena, 4);
}

static inline void made_up_release(struct made_up *m)
{
	arena_release(&m->arena);
}

static inline void made_up_counts(const struct made_up *m, double events[MAX_EVENTS])
{
	const char *list = m->values, *part;
	size_t length;

	for (size_t i = 0; list && i < MAX_EVENTS && (length = text_next(&list, " ", &part)) > 0; i++)
		events[i] = strtod(part + strcspn(part, "=") + 1, NULL);
}

/* The slot's value with the listed counts, after program_link. */
static inline double made_up_value(struct made_up *m, size_t slot)
{
	double events[MAX_EVENTS] = { 0 }, result;
	double *values = malloc((program_size(m->program) + 1) * sizeof(*values));

	made_up_counts(m, events);
	program_eval(m->program, events, values);
	result = program_value(m->program, values, slot);
	free(values);
	return result;
}

/* The events that the slot reads, as "a c". */
static inline const char *made_up_used(struct made_up *m, size_t slot)
{
	struct string text = STRING_INIT(&m->arena);
	size_t used[MAX_EVENTS], count = program_events(m->program, slot, used), written = 0, length;
	const char *list = m->values, *part;

	for (size_t i = 0; list && (length = text_next(&list, " ", &part)) > 0; i++)
		if (written < count && used[written] == i)
			string_printf(&text, "%s%.*s", written++ ? " " : "", (int)strcspn(part, "="), part);
	return text.text;
}

/* Runs body in a child with 1 MiB of stack: recursion over the input would kill it. */
static inline bool is_fine_on_small_stack(bool (*body)(void))
{
	struct rlimit limit = { .rlim_cur = 1 << 20, .rlim_max = 1 << 20 };
	pid_t child = fork();
	int status = -1;

	if (child == 0)
		_exit(setrlimit(RLIMIT_STACK, &limit) == 0 && body() ? 0 : 1);
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
