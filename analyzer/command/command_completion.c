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
