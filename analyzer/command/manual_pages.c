/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/manual_pages.h"

#include <ctype.h>
#include <string.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "command/commands.h"
#include "command/options.h"
#include "common/base/text.h"

#define PROGRAM "topdown"
#define OPTIONS "\n## OPTIONS\n"

const char *manual_topic(const struct manual_text *page, struct arena *arena)
{
	const char *name = page->name;

	if (has_name_prefix(name, PROGRAM "-"))
		name += strlen(PROGRAM "-");
	return arena_strndup(arena, name, strcspn(name, "."));
}

const struct manual_text *manual_find(const char *topic, struct arena *arena)
{
	for (size_t i = 0; i < nmanual_texts; i++) {
		const char *name = manual_texts[i].name;

		if (!strcmp(topic, name) || !strcmp(topic, arena_strndup(arena, name, strcspn(name, "."))) ||
		    !strcmp(topic, manual_topic(&manual_texts[i], arena)))
			return &manual_texts[i];
	}
	return NULL;
}

/* NULL: the page is about no command. */
static const struct command *command_of(const struct manual_text *page, struct arena *arena)
{
	const char *topic = manual_topic(page, arena);

	for (size_t i = 0; i < ncommands; i++)
		if (!strcmp(topic, commands[i]->name ? commands[i]->name : PROGRAM))
			return commands[i];
	return NULL;
}

/* The section of a page behind its heading, and its length; NULL where the page has none. */
static const char *options_of(const char *markdown, size_t *length)
{
	const char *begin = strstr(markdown, OPTIONS), *end;

	if (!begin)
		return NULL;
	begin += strlen(OPTIONS);
	end = strstr(begin - 1, "\n## ");
	*length = end ? (size_t)(end - begin) + 1 : strlen(begin);
	return begin;
}

/* Items begin at the margin, in bold. */
static size_t item_length(const char *item, const char *end)
{
	const char *next = strstr(item, "\n**");

	return (size_t)((next && next < end ? next + 1 : end) - item);
}

/* What the page says of the option, or NULL. */
static const char *find_item(const char *markdown, const struct option_row *row, struct arena *arena)
{
	const char *name = arena_printf(arena, "**--%s**", row->name), *at, *end;
	size_t length = 0;

	at = options_of(markdown, &length);
	for (end = at ? at + length : at; at && at < end; at += length) {
		const char *found = strstr(at, name);

		length = item_length(at, end);
		if (has_name_prefix(at, "**-") && found && found < at + strcspn(at, "\n"))
			return arena_strndup(arena, at, length);
	}
	return NULL;
}

/* "**-l**, **--level** *N*" */
static void manual_pages_add_term(struct string *page, const struct option_row *row)
{
	if (row->letter)
		string_printf(page, "**-%c**, ", row->letter);
	string_printf(page, "**--%s**", row->name);
	if (row->argument && *row->argument == '[')
		string_printf(page, "[=*%.*s*]", (int)strlen(row->argument) - 3, row->argument + 2);
	else if (row->argument)
		string_printf(page, " *%s*", row->argument);
}

static char capital(char letter)
{
	return (char)(toupper)((unsigned char)letter); /* not the macro, which nests */
}

/* The command's own words on an option, else those for a measurement, else the sentence of the table. */
static void add_item(struct string *page, const char *own, const struct option_row *row)
{
	const char *item = find_item(own, row, page->arena);
	const struct manual_text *main_page = manual_find(PROGRAM, page->arena);

	if (!item && main_page)
		item = find_item(main_page->text, row, page->arena);
	item = item ? strchr(item, '\n') : NULL;
	manual_pages_add_term(page, row);
	if (item)
		string_printf(page, "\n\n%s\n", item + strspn(item, "\n"));
	else
		string_printf(page, "\n\n> %c%s.\n\n", capital(*row->help), row->help + 1);
}

static void add_items(struct string *page, const char *own, const struct command *command)
{
	const char *heading = "";

	for (const struct option_set *const *set = command->sets; *set; set++) {
		if (strcmp(heading, (*set)->heading) != 0)
			string_printf(page, "### %c%s\n\n", capital(*(*set)->heading), (*set)->heading + 1);
		heading = (*set)->heading;
		for (size_t i = 0; i < (*set)->count; i++)
			add_item(page, own, &(*set)->rows[i]);
	}
}

const char *manual_compose(const struct manual_text *page, struct arena *arena)
{
	const struct command *command = command_of(page, arena);
	const char *own = page->text, *options, *first;
	struct string text = STRING_INIT(arena);
	size_t length = 0;

	options = command ? options_of(own, &length) : NULL;
	if (!options)
		return own;
	first = has_name_prefix(options, "**") ? options : strstr(options, "\n**");
	string_addn(&text, own, (size_t)(options - own));
	if (first && first < options + length)
		string_addn(&text, options, (size_t)(first - options));
	else
		string_addn(&text, options, length);
	string_add(&text, "\n");
	add_items(&text, own, command);
	string_add(&text, options + length);
	return text.text;
}

/* As git does it: less with colours, which ends by itself where all of it fits the window. */
#define USUAL_PAGER "if command -v less >/dev/null 2>&1; then exec less; else exec cat; fi"
#define USUAL_LESS  "FRX"

static const char *wanted_pager(void)
{
	const char *asked = getenv("PAGER"), *terminal = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || !terminal || !strcmp(terminal, "dumb"))
		return NULL;
	if (!asked)
		return USUAL_PAGER;
	return *asked && strcmp(asked, "cat") != 0 ? asked : NULL;
}

/* Ctrl-C is the pager's, and a reader who leaves early is no failure. */
static void leave_signals_to_it(void)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGPIPE };

	for (size_t i = 0; i < COUNT_OF(signals); i++)
		signal(signals[i], SIG_IGN);
}

void pager_open(struct pager *pager)
{
	const char *command = wanted_pager();

	*pager = (struct pager){ .file = stdout };
	if (!command || setenv("LESS", USUAL_LESS, 0) < 0)
		return;
	fflush(stdout);
	pager->file = popen(command, "w");
	pager->is_piped = pager->file;
	if (!pager->file)
		pager->file = stdout;
	else
		leave_signals_to_it();
}

int pager_close(struct pager *pager, struct error *err)
{
	if (pager->is_piped) {
		pclose(pager->file);
		return 0;
	}
	return fflush(stdout) || ferror(stdout) ? error_set(err, "standard output: %s", strerror(errno)) : 0;
}
