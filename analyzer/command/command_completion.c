/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_completion.c - topdown completion bash|zsh|fish prints what the shell reads once; topdown completion words --
 * WORD... is what it asks at each key: a line with what the shell adds itself, then a line for each word that fits.
 */
#include <stdio.h>
#include <string.h>

#include "command/commands.h"
#include "command/completion.h"
#include "command/jobs/output.h"
#include "command/manual_pages.h"
#include "common/base/text.h"

static const char *const more_names[] = {
	[MORE_NOTHING] = "words", [MORE_FILES] = "files", [MORE_FOLDERS] = "folders", [MORE_PROGRAM] = "program"
};

/* The options before the last word, as far as they can be read. */
static void read_options(struct options *options, char **words, size_t count, struct arena *arena)
{
	char **argv = arena_array(arena, count + 1, sizeof(char *));
	struct error unused = { .text = "" };

	argv[0] = arena_strdup(arena, "topdown");
	memcpy(argv + 1, words, (count - 1) * sizeof(char *));
	if (options_parse(options, (int)count, argv, &unused) < 0)
		options->nwords = 0;
}

static int print_words(char **words, size_t count, struct arena *arena, struct error *err)
{
	struct completion completion = { .arena = arena };
	struct completion_place place;
	struct options options;
	struct output output = { .file = stdout };

	completion_find(&place, words, count);
	read_options(&options, words, count, arena);
	completion_fill(&completion, &place, &options);
	printf("%s %zu\n", more_names[completion.more], completion.more == MORE_PROGRAM ? place.program : place.from);
	for (size_t i = 0; i < completion.count; i++)
		printf("%s\t%s\n", completion.items[i].word, completion.items[i].what ? completion.items[i].what : "");
	return output_close(&output, err);
}

static int run_completion(const struct options *options, struct arena *arena, struct error *err)
{
	const char *word = options->nwords ? options->words[0] : "";
	struct output output = { .file = stdout };

	if (!strcmp(word, "words") && options->nwords > 1)
		return print_words(options->words + 1, options->nwords - 1, arena, err);
	for (size_t i = 0; i < ncompletion_scripts && options->nwords == 1; i++)
		if (!strcmp(word, completion_scripts[i].name)) {
			fputs(completion_scripts[i].text, stdout);
			return output_close(&output, err);
		}
	return error_set(err, "completion: for which shell? `topdown completion bash|zsh|fish`");
}

const struct command command_completion = {
	.name = "completion",
	.arguments = "bash|zsh|fish",
	.summary = "print a completion script for bash, zsh or fish",
	.examples = "topdown completion bash > topdown.bash\n"
		    "topdown completion fish > topdown.fish\n",
	.run = run_completion,
	.sets = { &general_options },
};

/* ---- a command line as far as it is typed, read by the rules of options.c ---- */

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
