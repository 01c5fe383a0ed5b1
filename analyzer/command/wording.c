/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wording.c - how a command line says what the program below it names: options in sentences, and what to type next. */
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
#include "common/measurement/action.h"
#include "common/measurement/scope.h"

int front_end_word(char *text, size_t size, const char *name, size_t length)
{
	return snprintf(text, size, "%s%.*s", length == 1 || name[1] == ' ' ? "-" : "--", (int)length, name);
}

static void word_add(struct string *text, const char *words)
{
	if (words && *words)
		string_printf(text, "%s%s", text->length ? " " : "", words);
}

static void word_option(struct string *text, const char *option, const char *value)
{
	if (!value)
		return;
	word_add(text, option);
	string_add(text, " ");
	if (strchr(value, '^') && !strchr(value, '\'')) /* a bare ^ means something to zsh and fish */
		string_printf(text, "'%s'", value);
	else
		string_add_shell_word(text, value);
}

static void word_number(struct string *text, const char *option, size_t number)
{
	if (number)
		word_add(text, arena_printf(text->arena, "%s%zu", option, number));
}

static void word_question(struct string *text, const struct question *question)
{
	word_add(text, question->wants_lines ? "--lines" : NULL);
	word_option(text, "--annotate", question->annotated);
	word_number(text, "-l", question->level);
	word_option(text, "--nodes", question->nodes);
	word_option(text, "--groups", question->groups);
	word_option(text, "--metrics", question->metrics);
	word_option(text, "-e", question->events);
	word_add(text, question->wants_causes ? "-B" : NULL);
}

/* Whose work; before the program "-- ", where the words before it would be taken for its own, or it for one of them. */
static void word_work(struct string *text, const struct origin *origin, const char *before)
{
	word_add(text, selector_text(&origin->selector, text->arena));
	if (action_program(origin))
		word_add(text, arena_printf(text->arena, "%s%s", before, action_program(origin)));
}

/* "topdown -l3 -r 5 -D 100 -a ./prog" */
static void word_measure(struct string *text, const struct action *action)
{
	word_add(text, action->is_simulated ? "--pmu sim" : NULL);
	word_question(text, &action->question);
	word_add(text, action->tries_causes ? "--what-if worst" : NULL);
	word_number(text, "-r ", action->repeats);
	word_option(text, "--save", action->save);
	word_add(text, action->origin->options);
	word_work(text, action->origin, "");
}

/* "topdown metrics L2_MPKI -- ./prog": there names are words. */
static void word_metrics(struct string *text, const struct action *action)
{
	char *names = arena_strdup(text->arena, action->question.metrics);

	for (char *comma = names; (comma = strchr(comma, ','));)
		*comma = ' ';
	word_add(text, "metrics");
	word_add(text, names);
	word_add(text, action->origin->options);
	word_work(text, action->origin, "-- ");
}

static void word_sample(struct string *text, const struct action *action)
{
	const char *scope = action->origin->scope ? action->origin->scope : "";

	word_add(text, "sample");
	word_add(text, !strcmp(scope, "user") ? "-u" : !strcmp(scope, "kernel") ? "-k" : NULL);
	word_question(text, &action->question);
	word_work(text, action->origin, "-- ");
}

static void word_report(struct string *text, const struct action *action)
{
	word_add(text, "report");
	word_question(text, &action->question);
	word_add(text, action->origin->file); /* quoted already */
}

static void word_compare(struct string *text, const struct action *action)
{
	word_add(text, "compare");
	word_add(text, action->before); /* quoted already */
	word_add(text, action->after);
}

static void word_pairs(struct string *text, const struct action *action)
{
	word_add(text, "compare --run");
	word_add(text, action->is_simulated ? "--pmu sim" : NULL);
	word_number(text, "--layouts ", action->layouts);
	word_number(text, "-r ", action->repeats);
	string_add(text, " ");
	string_add_shell_word(text, action->before);
	string_add(text, " ");
	string_add_shell_word(text, action->after);
}

const char *front_end_command(const struct action *action, struct arena *arena)
{
	static void (*const wordings[])(struct string * text, const struct action *action) = {
		[ACTION_MEASURE] = word_measure, [ACTION_METRICS] = word_metrics, [ACTION_SAMPLE] = word_sample,
		[ACTION_REPORT] = word_report,	 [ACTION_COMPARE] = word_compare, [ACTION_PAIRS] = word_pairs,
	};
	struct string text = STRING_INIT(arena);

	if (action->kind == ACTION_NONE)
		return NULL;
	string_add(&text, "topdown");
	wordings[action->kind](&text, action);
	return text.text;
}
