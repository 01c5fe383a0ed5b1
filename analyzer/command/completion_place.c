/* SPDX-License-Identifier: GPL-2.0-or-later */
/* completion_place.c - reads a command line as far as it is typed, by the rules of options.c. */
#include <string.h>

#include "command/completion.h"

/* The command's option whose long name this is, or begins like it and like no other. */
static const struct option_row *long_option(const struct command *command, const char *name, size_t length)
{
	const struct option_row *found = NULL;
	size_t nfound = 0;

	for (const struct option_set *const *set = command->sets; *set; set++)
		for (size_t i = 0; i < (*set)->count; i++) {
			const struct option_row *row = &(*set)->rows[i];

			if (strncmp(row->name, name, length) != 0)
				continue;
			if (!row->name[length])
				return row;
			found = row;
			nfound++;
		}
	return nfound == 1 ? found : NULL;
}

static const struct option_row *short_option(const struct command *command, char letter)
{
	for (const struct option_set *const *set = command->sets; *set; set++)
		for (size_t i = 0; i < (*set)->count; i++)
			if ((*set)->rows[i].letter == letter)
				return &(*set)->rows[i];
	return NULL;
}

/* The option whose value is the next word; NULL: none waits for one. */
static const struct option_row *waiting_option(const struct command *command, const char *word)
{
	const struct option_row *row;

	if (!strncmp(word, "--", 2)) {
		row = strchr(word, '=') ? NULL : long_option(command, word + 2, strlen(word + 2));
		return row && row->argument && *row->argument != '[' ? row : NULL;
	}
	for (word++; *word; word++) {
		row = short_option(command, *word);
		if (!row || row->argument)
			return row && !word[1] ? row : NULL;
	}
	return NULL;
}

static bool is_option(const char *word)
{
	return *word == '-' && word[1];
}

static bool begins_program(const struct command *command)
{
	return !command->name || command->begins_program;
}

/* The last word, which no option waits for. */
static void find_last(struct completion_place *place)
{
	const char *sign = strchr(place->word, '=');

	if (*place->word != '-')
		return;
	place->is_option = true;
	if (strncmp(place->word, "--", 2) != 0 || !sign)
		return;
	place->option = long_option(place->command, place->word + 2, (size_t)(sign - place->word) - 2);
	place->from = (size_t)(sign - place->word) + 1;
}

static void take_word(struct completion_place *place, const char *word)
{
	if (!place->first)
		place->first = word;
	else if (!place->second)
		place->second = word;
}

void completion_find(struct completion_place *place, char **words, size_t count)
{
	const struct option_row *waiting = NULL;
	bool is_behind_dashes = false;
	size_t at = 0;

	*place = (struct completion_place){ .command = commands[0], .word = words[count - 1], .program = NO_PROGRAM };
	for (size_t i = 1; i < ncommands && count > 1; i++)
		if (!strcmp(commands[i]->name, words[0])) {
			place->command = commands[i];
			at = 1;
		}
	place->may_be_command = count == 1;
	for (; at + 1 < count && place->program == NO_PROGRAM; at++) {
		if (waiting) {
			waiting = NULL;
		} else if (!is_behind_dashes && !strcmp(words[at], "--")) {
			is_behind_dashes = true;
			if (!place->command->name || place->command->has_program)
				place->program = at + 1;
		} else if (!is_behind_dashes && is_option(words[at])) {
			waiting = waiting_option(place->command, words[at]);
		} else if (begins_program(place->command)) {
			place->program = at;
		} else {
			take_word(place, words[at]);
		}
	}
	if (place->program != NO_PROGRAM)
		return;
	place->option = waiting;
	if (!waiting && !is_behind_dashes)
		find_last(place);
	if (!waiting && !place->is_option && begins_program(place->command))
		place->program = count - 1;
}
