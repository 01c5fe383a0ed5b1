/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_formula.c - any lines as formulas that refer to each other: computed or refused with words, never a crash. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/formula/formula.h"

enum { EVENTS = 8, LINES = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* m<digit...> is a metric, K... a constant, u... unknown, everything else one of eight events. */
static struct name resolve(void *context UNUSED, const char *id, struct error *err UNUSED)
{
	size_t sum = 0;

	for (const char *c = id; *c; c++)
		sum = sum * 31 + (unsigned char)*c;
	if (id[0] == 'm')
		return (struct name){ .kind = NAME_METRIC, .index = (size_t)atoi(id + 1) % LINES };
	if (id[0] == 'K')
		return (struct name){ .kind = NAME_CONSTANT, .value = (double)(sum % 7) };
	return (struct name){ .kind = id[0] == 'u' ? NAME_UNKNOWN : NAME_EVENT, .index = sum % EVENTS };
}

static bool has_event(void *context UNUSED, const char *id)
{
	return id[0] != 'u';
}

static double source_count(void *context UNUSED, const char *id UNUSED)
{
	return 2;
}

static const char *slot_name(void *context UNUSED, size_t slot)
{
	static char name[32];

	snprintf(name, sizeof(name), "m%zu", slot);
	return name;
}

static void add_lines(struct program *program, char *text, const struct formula_names *names)
{
	char *rest, *line = strtok_r(text, "\n", &rest);

	for (size_t slot = 0; line && slot < LINES; slot++, line = strtok_r(NULL, "\n", &rest)) {
		struct error err = { .text = "" };

		if ((program_add(program, slot, line, names, &err) < 0) != is_error(&err))
			abort();
	}
}

/* What can't be computed has a reason and no value; what can reads only events that there are. */
static void check(struct program *program)
{
	double events[EVENTS] = { 0, 1, -1, 1e300, NAN, 0.5, 3, 1e-300 };
	double *values = malloc((program_size(program) + 1) * sizeof(*values));

	program_eval(program, events, values);
	for (size_t i = 0; i < LINES; i++) {
		const char *failure = program_failure(program, i);
		size_t used[EVENTS], count = program_events(program, i, used);

		for (size_t k = 0; k < count; k++)
			if (used[k] >= EVENTS || (k && used[k] <= used[k - 1]))
				abort();
		if (failure && (!*failure || !isnan(program_value(program, values, i))))
			abort();
	}
	free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct facts facts = facts_assumed();
	struct formula_names names = { .resolve = resolve,
				       .has_event = has_event,
				       .source_count = source_count,
				       .slot_name = slot_name,
				       .facts = &facts };
	struct program *program;
	struct arena arena;

	facts.cpuid = "0x410fd491";
	arena_init(&arena);
	program = program_new(&arena, 0);
	add_lines(program, arena_strndup(&arena, (const char *)data, size), &names);
	program_link(program, &names);
	check(program);
	arena_release(&arena);
	return 0;
}
