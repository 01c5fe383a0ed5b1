/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callgrind.c - what KCachegrind and callgrind_annotate read (Valgrind's manual, "Callgrind Format Specification"):
 * each weighing is an event; costs by function and line, and what each line's calls cost in all. How often somebody
 * called is not known, and stands there as 1. A function that calls itself, however indirectly, is entered once in each
 * stack: so the sum of the calls to it is what it cost, and never more.
 */
#include "present/export/forms.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cells.h"
#include "common/base/finder.h"
#include "common/base/text.h"
#include "present/export/frames.h"
#include "present/export/texts.h"

#define ALL "[all]" /* calls the outermost function of each stack */

/* What a line of a function cost; with a callee what its calls to that cost. */
struct cost {
	uint32_t function, callee; /* callee: PROFILE_NONE: none */
	uint32_t line;
	double *values;
};

struct ledger {
	const struct export_subject *subject;
	struct export_frames frames;
	uint32_t all; /* the function number of ALL */
	struct arena *arena;
	struct cost *costs;
	uint32_t count;
	size_t room;
	struct finder index; /* of the costs, by function, callee and line */
	uint32_t *seen;	     /* of each function: the row in which it was met last, + 1 */
	uint32_t *chain;     /* room for the deepest stack */
};

/* ---- adding up ---- */

static bool is_same_cost(const void *owner, uint32_t number, const void *key)
{
	const struct cost *a = &((const struct ledger *)owner)->costs[number], *b = key;

	return a->function == b->function && a->callee == b->callee && a->line == b->line;
}

static struct cost *take_cost(struct ledger *ledger, const struct cost *wanted)
{
	const uint64_t numbers[] = { wanted->function, wanted->callee, wanted->line };
	const struct finder_key key = { hash_numbers(numbers, COUNT_OF(numbers)), is_same_cost, ledger, wanted };
	struct arena *arena = ledger->arena;
	bool is_new;
	uint32_t number = finder_take(&ledger->index, &key, &ledger->count, &is_new, arena);

	if (is_new) {
		ledger->costs = arena_grow(arena, ledger->costs, number, &ledger->room, sizeof(*ledger->costs));
		ledger->costs[number] = *wanted;
		ledger->costs[number].values =
			arena_array(arena, ledger->subject->weighings->count + 1, sizeof(double));
	}
	return &ledger->costs[number];
}

static void callgrind_add(struct ledger *ledger, const struct cost *wanted, uint32_t row)
{
	const struct weighings *weighings = ledger->subject->weighings;
	struct cost *cost = take_cost(ledger, wanted);

	for (size_t i = 0; i < weighings->count; i++)
		if (weighings->items[i].weights[row] > 0)
			cost->values[i] += weighings->items[i].weights[row];
}

static void callgrind_add_row(struct ledger *ledger, uint32_t row)
{
	const struct profile *profile = ledger->subject->profile;
	struct cost here = { .function = ledger->all };
	uint32_t count = 0;

	for (uint32_t stack = profile->rows[row].stack; stack != PROFILE_NONE && count < profile->nstacks;
	     stack = profile->stacks[stack].caller)
		ledger->chain[count++] = profile->stacks[stack].place;
	while (count--)
		for (uint32_t i = ledger->frames.first[ledger->chain[count]];
		     i < ledger->frames.first[ledger->chain[count] + 1]; i++) {
			const struct export_frame *frame = &ledger->frames.frames[i];

			here.callee = frame->function;
			if (ledger->seen[frame->function] != row + 1)
				callgrind_add(ledger, &here, row);
			ledger->seen[frame->function] = row + 1;
			here = (struct cost){ .function = frame->function, .line = frame->line };
		}
	here.callee = PROFILE_NONE;
	callgrind_add(ledger, &here, row);
}

static bool is_empty(const struct weighings *weighings, uint32_t row)
{
	for (size_t i = 0; i < weighings->count; i++)
		if (weighings->items[i].weights[row] > 0)
			return false;
	return true;
}

/* By function; in it its own lines first, then its calls. */
static int compare_costs(const void *a, const void *b)
{
	const struct cost *left = a, *right = b;
	bool is_left_call = left->callee != PROFILE_NONE, is_right_call = right->callee != PROFILE_NONE;

	if (left->function != right->function)
		return left->function < right->function ? -1 : 1;
	if (is_left_call != is_right_call)
		return is_left_call ? 1 : -1;
	if (left->line != right->line)
		return left->line < right->line ? -1 : 1;
	return (left->callee > right->callee) - (left->callee < right->callee);
}

/* ---- writing ---- */

/* A word of letters, digits and '_', which no other event has. */
static const char *event_word(const struct weighings *weighings, size_t number, struct arena *arena)
{
	char *word = arena_printf(arena, "%s%s", isalpha((unsigned char)*weighings->items[number].title) ? "" : "E",
				  weighings->items[number].title);

	for (char *c = word; *c; c++)
		if ((unsigned char)*c >= 0x80 || !isalnum((unsigned char)*c))
			*c = '_';
	for (size_t i = 0; i < number; i++)
		if (!strcmp(weighings->items[i].title, weighings->items[number].title))
			return arena_printf(arena, "%s_%zu", word, number + 1);
	return word;
}

static void write_head(FILE *out, const struct ledger *ledger)
{
	const struct weighings *weighings = ledger->subject->weighings;
	const char *command = ledger->subject->command;

	fprintf(out, "# callgrind format\nversion: 1\ncreator: topdown " TOPDOWN_VERSION "\n");
	if (command)
		fprintf(out, "cmd: %s\n", cells_safe(ledger->arena, command, true));
	fprintf(out, "positions: line\n");
	for (size_t i = 0; i < weighings->count; i++)
		fprintf(out, "event: %s : %s (%s)\n", event_word(weighings, i, ledger->arena),
			cells_safe(ledger->arena, weighings->items[i].title, true), weighings->items[i].unit);
	fprintf(out, "events:");
	for (size_t i = 0; i < weighings->count; i++)
		fprintf(out, " %s", event_word(weighings, i, ledger->arena));
	fprintf(out, "\n");
}

/* " (7) name" where the number comes first, then " (7)". */
struct numbering {
	struct texts texts;
	uint32_t defined;
};

static void callgrind_write_text(FILE *out, const char *word, struct numbering *numbering, const char *text)
{
	uint32_t number = texts_number(&numbering->texts, text);

	if (number < numbering->defined) {
		fprintf(out, "%s=(%u)\n", word, number + 1);
		return;
	}
	numbering->defined = number + 1;
	fprintf(out, "%s=(%u) %s\n", word, number + 1, text);
}

struct names {
	struct numbering objects, files;
	const char *object, *file; /* of the function whose costs are written */
	bool *is_defined;	   /* of each function */
};

static const char *callgrind_known(const char *text)
{
	return text && *text ? text : "???";
}

static void write_name(FILE *out, const struct ledger *ledger, struct names *names, uint32_t function, const char *word)
{
	if (names->is_defined[function])
		fprintf(out, "%s=(%u)\n", word, function + 1);
	else
		fprintf(out, "%s=(%u) %s\n", word, function + 1,
			function == ledger->all ? ALL : ledger->frames.items[function].name);
	names->is_defined[function] = true;
}

static void write_function(FILE *out, const struct ledger *ledger, struct names *names, uint32_t function)
{
	const struct export_function *item = &ledger->frames.items[function]; /* of ALL nothing is known */

	names->object = callgrind_known(item->module);
	names->file = callgrind_known(item->file);
	callgrind_write_text(out, "ob", &names->objects, names->object);
	callgrind_write_text(out, "fl", &names->files, names->file);
	write_name(out, ledger, names, function, "fn");
}

/* In the same object and file, unless it says another. */
static void write_callee(FILE *out, const struct ledger *ledger, struct names *names, uint32_t function)
{
	const struct export_function *item = &ledger->frames.items[function];

	if (strcmp(callgrind_known(item->module), names->object) != 0)
		callgrind_write_text(out, "cob", &names->objects, callgrind_known(item->module));
	if (strcmp(callgrind_known(item->file), names->file) != 0)
		callgrind_write_text(out, "cfi", &names->files, callgrind_known(item->file));
	write_name(out, ledger, names, function, "cfn");
	fprintf(out, "calls=1 0\n");
}

/* Own costs add up to the whole; those of calls are each rounded by themselves. */
static void write_cost(FILE *out, const struct ledger *ledger, const struct cost *cost, struct whole *wholes)
{
	fprintf(out, "%u", cost->line);
	for (size_t i = 0; i < ledger->subject->weighings->count; i++)
		fprintf(out, " %llu",
			cost->callee == PROFILE_NONE ? (unsigned long long)whole_next(&wholes[i], cost->values[i])
						     : (unsigned long long)llround(fmin(cost->values[i], 9e18)));
	fprintf(out, "\n");
}

static void write_body(FILE *out, const struct ledger *ledger)
{
	struct names names = { .objects = { .texts = TEXTS_INIT(ledger->arena) },
			       .files = { .texts = TEXTS_INIT(ledger->arena) },
			       .is_defined = arena_array(ledger->arena, (size_t)ledger->all + 1, sizeof(bool)) };
	size_t count = ledger->subject->weighings->count;
	struct whole *wholes = arena_array(ledger->arena, count + 1, sizeof(*wholes));

	for (size_t i = 0; i < ledger->count; i++) {
		const struct cost *cost = &ledger->costs[i];

		if (!i || cost->function != cost[-1].function) {
			fprintf(out, "\n");
			write_function(out, ledger, &names, cost->function);
		}
		if (cost->callee != PROFILE_NONE)
			write_callee(out, ledger, &names, cost->callee);
		write_cost(out, ledger, cost, wholes);
	}
	fprintf(out, "\ntotals:");
	for (size_t i = 0; i < count; i++)
		fprintf(out, " %llu", (unsigned long long)wholes[i].given);
	fprintf(out, "\n");
}

int callgrind_write(FILE *out, const struct export_subject *subject, struct arena *arena, struct error *err UNUSED)
{
	const struct profile *profile = subject->profile;
	struct ledger ledger = { .subject = subject, .arena = arena };

	frames_init(&ledger.frames, profile, arena);
	ledger.all = ledger.frames.count;
	ledger.seen = arena_array(arena, (size_t)ledger.all + 1, sizeof(*ledger.seen));
	ledger.chain = arena_array(arena, (size_t)profile->nstacks + 1, sizeof(*ledger.chain));
	for (uint32_t i = 0; i < profile->nrows; i++)
		if (!is_empty(subject->weighings, i))
			callgrind_add_row(&ledger, i);
	qsort(ledger.costs, ledger.count, sizeof(*ledger.costs), compare_costs);
	write_head(out, &ledger);
	write_body(out, &ledger);
	return 0;
}
