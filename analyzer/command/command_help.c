/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_help.c - topdown help [PAGE], topdown version, and what --help prints. That comes from the tables, as do the
 * options of a page.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/commands.h"
#include "command/jobs/output.h"
#include "command/manual_pages.h"
#include "common/base/cells.h"
#include "common/base/text.h"
#include "present/document/render.h"

#define WIDTH	      80
#define LEAST_WIDTH   40
#define LEAST_BESIDE  30 /* columns that a text needs beside what it is about; else it stands below */
#define BELOW	      6	 /* and begins there */
#define OPTION_WIDTH  27 /* columns of an option with its argument; what it does stands behind them */
#define USAGE_WIDTH   39
#define TOPIC_WIDTH   21
#define COMMAND_WIDTH 12
#define ALL_OPTIONS   "options" /* topdown help options: those of a measurement */
#define EXIT_STATUS   "exit"	/* topdown help exit: what each status means */

/* The options of a measurement that people use, those first that the overview has too. */
static const char *const used[] = { "level",	 "nodes",    "metrics",	  "lines",	 "all-cpus",
				    "pid",	 "interval", "repeat",	  "max-runs",	 "pmu",
				    "save",	 "output",   "format",	  "verbose",	 "bottlenecks",
				    "callers",	 "annotate", "functions", "cpus",	 "duration",
				    "drilldown", "what-if",  "toggle",	  "sim-seconds", "cpu" };
#define MOST_USED 14 /* the first so many */

/* As wide as lines of help are where there is room. */
static size_t page_width(void)
{
	size_t width = output_width(STDOUT_FILENO);

	return !width || width > WIDTH ? WIDTH : width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

/* first, then text behind column `indent`, on as many lines as it needs. */
static void print_beside(const char *first, size_t indent, const char *text)
{
	size_t width = cells_width(first), page = page_width();

	indent = indent + LEAST_BESIDE > page ? BELOW : indent;
	printf("%s", first);
	if (width && width + 2 > indent)
		printf("\n%*s", (int)indent, "");
	else
		printf("%*s", (int)(indent - width), "");
	while (*text) {
		size_t bytes = cells_break(text, page - indent);

		printf("%.*s\n", (int)bytes, text);
		text += bytes + strspn(text + bytes, " ");
		if (*text)
			printf("%*s", (int)indent, "");
	}
}

static void print_option(const struct option_row *row)
{
	char form[64], letter[8] = "    ";

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	snprintf(form, sizeof(form), "  %s--%s%s%s", letter, row->name,
		 row->argument && *row->argument != '[' ? " " : "", row->argument ? row->argument : "");
	print_beside(form, OPTION_WIDTH, row->help);
}

static void print_usage(const struct command *command)
{
	char form[128];

	snprintf(form, sizeof(form), "  topdown %s%s%s", command->name ? command->name : "", command->name ? " " : "",
		 command->arguments);
	print_beside(form, USAGE_WIDTH, command->summary);
}

static void print_examples(const struct command *command)
{
	const char *lines = command->examples, *line;
	size_t length;

	printf("\nexamples:\n");
	while ((length = text_next(&lines, "\n", &line)) > 0)
		printf("  %.*s\n", (int)length, line);
}

static void print_options(const struct command *command)
{
	const char *heading = "";

	for (const struct option_set *const *set = command->sets; *set; set++) {
		if (strcmp(heading, (*set)->heading) != 0)
			printf("\n%s:\n", (*set)->heading);
		heading = (*set)->heading;
		for (size_t i = 0; i < (*set)->count; i++)
			print_option(&(*set)->rows[i]);
	}
}

/*
 * Does the command have the option that such a name of exclusions.h is about? "PROGRAM" is no option's. What is more
 * than an option depends on who counts.
 */
static bool has_option(const struct command *command, const char *name)
{
	for (const struct option_set *const *set = command->sets; *name == '{' && *set; set++)
		for (size_t i = 0; i < (*set)->count; i++) {
			const char *option = (*set)->rows[i].name;

			if (!strncmp(name + 1, option, strlen(option)) && strchr("} ", name[1 + strlen(option)]))
				return strchr(name, '}')[1] != ' ' || has_option(command, "{pmu}");
		}
	return *name != '{';
}

/* The names of a row whose options the command has. */
static const char *option_names(const struct exclusion *row, const struct command *command, struct arena *arena)
{
	struct string names = STRING_INIT(arena);
	const char *cursor = row->each, *name;
	size_t length;

	while (has_option(command, row->other) && (length = text_next(&cursor, ",", &name)) > 0)
		if (has_option(command, name))
			string_printf(&names, "%s%.*s", names.length ? ", " : "", (int)length, name);
	return names.text;
}

/* "  --pmu sim       not with --pid, --tid: a simulated core ..."; the first one behind the heading. */
static void print_exclusion(const struct exclusion *row, const struct command *command, const char **heading,
			    struct arena *arena)
{
	const char *names = option_names(row, command, arena), *relation = row->is_need ? "needed by" : "not with";
	char other[128], text[MOST_WORDED];

	if (!*names)
		return;
	printf("%s", *heading);
	*heading = "";
	print_beside(text_worded(other, sizeof(other), arena_printf(arena, "  %s", row->other)), OPTION_WIDTH,
		     text_worded(text, sizeof(text), arena_printf(arena, "%s %s: %s", relation, names, row->reason)));
}

static void print_exclusions(const struct command *command)
{
	const char *heading = "\noptions that exclude or need each other:\n";
	struct arena arena;

	arena_init(&arena);
	for (const struct exclusion *row = command->exclusions; row && row->each; row++)
		print_exclusion(row, command, &heading, &arena);
	for (size_t i = 0; i < nexclusions; i++)
		print_exclusion(&exclusions[i], command, &heading, &arena);
	arena_release(&arena);
}

static bool is_used(const struct option_row *row, size_t most)
{
	for (size_t i = 0; i < most; i++)
		if (!strcmp(row->name, used[i]))
			return true;
	return false;
}

static void print_used(const struct command *command, const char *heading, size_t most)
{
	printf("\n");
	print_beside("", 0, heading);
	for (const struct option_set *const *set = command->sets; *set; set++)
		for (size_t i = 0; i < (*set)->count; i++)
			if (is_used(&(*set)->rows[i], most))
				print_option(&(*set)->rows[i]);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < ncommands; i++)
		if (commands[i]->name && !strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void print_command(const struct command *command)
{
	char form[64];

	snprintf(form, sizeof(form), "  %s", command->name);
	print_beside(form, 2 + COMMAND_WIDTH, command->summary);
}

/* Those that no command's name finds. */
static void print_page_names(void)
{
	struct arena arena;
	struct string names;

	arena_init(&arena);
	names = STRING_INIT(&arena);
	for (size_t i = 0; i < nmanual_texts; i++) {
		const char *topic = manual_topic(&manual_texts[i], &arena);

		if (!find_command(topic))
			string_printf(&names, "%s%s", names.length ? ", " : "", topic);
	}
	print_beside("", 0, arena_printf(&arena, "Other pages for `topdown help`: %s.", names.text));
	arena_release(&arena);
}

static void print_overview(void)
{
	printf("usage:\n"
	       "  topdown %s\n"
	       "  topdown COMMAND [OPTION]... [WORD]...\n"
	       "\ncommands:\n",
	       commands[0]->arguments);
	for (size_t i = 1; i < ncommands; i++)
		print_command(commands[i]);
	print_used(commands[0], "most-used options of a measurement:", MOST_USED);
	print_examples(commands[0]);
	printf("\n");
	print_beside(
		"", 0,
		"`topdown help COMMAND` shows a command's manual page, `topdown COMMAND --help` lists its "
		"options, `topdown help " ALL_OPTIONS
		"` those of a measurement (--every: all of them). Put -- before a program that has a command's name.");
	print_page_names();
	print_beside("", 0,
		     "The exit status is the program's; 125 when topdown itself failed, 126 when the program "
		     "can't be executed, 127 when it is not found.");
}

/* Output that did not arrive is a failure. */
static int command_help_finish(struct error *err)
{
	return fflush(stdout) || ferror(stdout) ? error_set(err, "standard output: %s", strerror(errno)) : 0;
}

static int print_all(const struct command *command, struct error *err)
{
	printf("usage:\n");
	print_usage(command);
	print_options(command);
	print_exclusions(command);
	if (command->examples)
		print_examples(command);
	return command_help_finish(err);
}

static int print_short(const struct command *command, struct error *err)
{
	printf("usage:\n");
	print_usage(command);
	print_used(command, "options that people use:", COUNT_OF(used));
	printf("\n");
	print_beside("", 0, "`topdown help " ALL_OPTIONS " --every` has every one, by topic, with what excludes what.");
	return command_help_finish(err);
}

int help_print(const struct command *command, struct error *err)
{
	if (command->name)
		return print_all(command, err);
	print_beside("", 0, "topdown - where a program's CPU cycles go, and what to look at next");
	printf("\n");
	print_overview();
	return command_help_finish(err);
}

int version_print(struct error *err)
{
	printf("topdown " TOPDOWN_VERSION "\n");
	return command_help_finish(err);
}

static int unknown_page(const char *word, struct arena *arena, struct error *err)
{
	const char **names = arena_array(arena, nmanual_texts + 1, sizeof(const char *)), *near;

	for (size_t i = 0; i < nmanual_texts; i++)
		names[i] = manual_topic(&manual_texts[i], arena);
	names[nmanual_texts] = ALL_OPTIONS;
	near = nearest_names(arena, word, names, nmanual_texts + 1);
	if (near)
		return error_set(err, "help: '%s'? Did you mean %s?", word, near);
	return error_set(
		err,
		"help: '%s' is not a page: `topdown help` lists them; `topdown explain` explains nodes and metrics",
		word);
}

/* The section of a page that begins with this line, up to the next one. */
static const char *section_of(const char *markdown, const char *heading, struct arena *arena)
{
	const char *begin = strstr(markdown, heading), *end = begin ? strstr(begin + 1, "\n## ") : NULL;

	if (!begin)
		return markdown;
	return end ? arena_strndup(arena, begin, (size_t)(end - begin) + 1) : begin;
}

static int print_markdown(const char *markdown, const struct options *options, struct arena *arena, struct error *err)
{
	struct output output;
	struct pager pager;

	if (output_open(&output, &options->output, stdout, err) < 0)
		return -1;
	if (options->help.form == HELP_MARKDOWN) {
		fputs(markdown, stdout);
		return output_close(&output, err);
	}
	pager_open(&pager);
	render_manual(pager.file, markdown, &output.style, arena);
	return pager_close(&pager, err);
}

static int run_help(const struct options *options, struct arena *arena, struct error *err)
{
	const char *word = options->nwords ? options->words[0] : NULL;
	const struct manual_text *page;
	const char *markdown;

	if (!word && options->help.form == HELP_MARKDOWN)
		return error_set(err, "help: which page as Markdown? `topdown help` lists them");
	if (!word)
		return help_print(commands[0], err);
	if (options->nwords > 1)
		return error_set(err, "help: one page at a time; `topdown help` lists them");
	if (!strcmp(word, ALL_OPTIONS) || !strcmp(word, "measure"))
		return options->help.wants_all ? print_all(commands[0], err) : print_short(commands[0], err);
	page = manual_find(strcmp(word, EXIT_STATUS) ? word : "topdown", arena);
	if (!page)
		return unknown_page(word, arena, err);
	markdown = manual_compose(page, arena);
	if (!strcmp(word, EXIT_STATUS))
		markdown = section_of(markdown, "## EXIT STATUS", arena);
	return print_markdown(markdown, options, arena, err);
}

static int run_version(const struct options *options, struct arena *arena UNUSED, struct error *err)
{
	if (options->nwords)
		return error_set(err, "version: '%s'? It takes no arguments", options->words[0]);
	return version_print(err);
}

static const char *const form_names[] = { [HELP_TEXT] = "text", [HELP_MARKDOWN] = "markdown", NULL };

static const struct option_row page_rows[] = {
	{ "format", 0, TAKE_CHOICE, REPEATED_NEVER, "FORMAT", AT(help.form), form_names,
	  "text, or markdown: the page's source" },
	{ "every", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(help.wants_all), NULL,
	  "of `topdown help options` every one" },
};
static const struct option_set page_options = OPTION_SET("output", page_rows);

const struct command command_help = {
	.name = "help",
	.arguments = "[OPTION]... [PAGE]",
	.summary = "this overview, or a page of the manual",
	.examples = "topdown help plan\n"
		    "topdown help session\n"
		    "topdown help " ALL_OPTIONS "\n",
	.run = run_help,
	.sets = { &page_options, &general_options },
};

const struct command command_version = {
	.name = "version",
	.arguments = "",
	.summary = "print the version",
	.examples = "topdown version\n",
	.run = run_version,
	.sets = { &general_options },
};
