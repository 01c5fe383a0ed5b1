/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/foreign.h"
#include "common/base/text.h"
#include "cpu/load/model.h"

#define MOST_NUMBER    1000000
#define MOST_SECONDS   1e6
#define LEAST_MS       10.0
#define LEAST_FRACTION 0.001

/* ---- values ---- */

static void *field(struct options *options, const struct option_row *row)
{
	return (char *)options + row->offset;
}

static int take_choice(unsigned *value, const struct option_row *row, const char *text, struct error *err)
{
	struct arena arena;
	struct string names;
	unsigned i = 0;

	if (row->offset == AT(output.format) && !strcmp(text, "md"))
		text = "markdown"; /* as in names of files */
	while (row->choices[i] && strcmp(row->choices[i], text) != 0)
		i++;
	if (row->choices[i]) {
		*value = i;
		return 0;
	}
	arena_init(&arena);
	names = STRING_INIT(&arena);
	for (i = 0; row->choices[i]; i++)
		string_printf(&names, "%s%s", !i ? "" : row->choices[i + 1] ? ", " : " or ", row->choices[i]);
	error_set(err, "--%s %s: must be one of %s", row->name, text, names.text);
	arena_release(&arena);
	return -1;
}

static int take_number(unsigned *value, const struct option_row *row, const char *text, struct error *err)
{
	uint64_t number, most = row->take == TAKE_LEVEL ? DEEPEST_LEVEL : MOST_NUMBER;
	bool is_number = text_u64(text, &number) && number >= 1 && number <= most;

	if (is_number)
		*value = (unsigned)number;
	else if (row->take == TAKE_LEVEL)
		error_set(err, "-l %s: a level is a number from 1 to %d", text, DEEPEST_LEVEL);
	else
		error_set(err, "--%s %s: it is a number from 1 to %d", row->name, text, MOST_NUMBER);
	return is_number ? 0 : -1;
}

static int options_take_count(uint64_t *value, const struct option_row *row, const char *text, struct error *err)
{
	if (text_u64(text, value) && *value)
		return 0;
	return error_set(err, "--%s %s: not a number from 1", row->name, text);
}

static int take_time(double *value, const struct option_row *row, const char *text, struct error *err)
{
	bool is_ms = row->take == TAKE_MS;

	if (text_double(text, value) && *value > 0 && *value <= (is_ms ? 1e3 : 1) * MOST_SECONDS &&
	    (!is_ms || *value >= LEAST_MS))
		return 0;
	if (is_ms)
		return error_set(err, "--%s %s: a time is a number of milliseconds, %g or more", row->name, text,
				 LEAST_MS);
	return error_set(err, "--%s %s: a time is a number of seconds above 0, such as 2.5", row->name, text);
}

static int take_budget(double *value, const struct option_row *row, const char *text, struct error *err)
{
	if (!text_double(text, value) || *value != 0)
		return take_time(value, row, text, err);
	*value = NO_SECONDS;
	return 0;
}

#define MOST_INSTRUCTIONS 1e15

/* "50M": a number with a unit is one of instructions. False: it is none, or too large. */
static bool read_instructions(double *instructions, const char *text)
{
	static const char units[] = "kMG";
	static const double factors[] = { 1e3, 1e6, 1e9 };
	const char *end, *unit;

	if (!text_double_prefix(text, &end, instructions) || !*end || end[1])
		return false;
	unit = strchr(units, *end);
	*instructions *= unit ? factors[unit - units] : 0;
	return *instructions >= 1 && *instructions <= MOST_INSTRUCTIONS;
}

static int take_delay(struct delay_choice *delay, const struct option_row *row, const char *text, struct error *err)
{
	*delay = (struct delay_choice){ .ms = 0 };
	if (read_instructions(&delay->instructions, text))
		return 0;
	delay->instructions = 0;
	if (text_double(text, &delay->ms) && delay->ms <= 1e3 * MOST_SECONDS &&
	    (delay->ms >= 0 || !(delay->ms < DELAY_UNTIL_SIGUSR2 || delay->ms > DELAY_UNTIL_SIGUSR2)))
		return 0;
	return error_set(err,
			 "--%s %s: a delay is a number of milliseconds, -1 to wait for SIGUSR2, or for a simulated "
			 "program a number of instructions followed by k, M or G (50M)",
			 row->name, text);
}

static int take_fraction(double *value, const struct option_row *row, const char *text, struct error *err)
{
	if (text_double(text, value) && *value >= LEAST_FRACTION && *value <= 1)
		return 0;
	return error_set(err, "--%s %s: it is a fraction from %g to 1 (all of it), such as 0.1", row->name, text,
			 LEAST_FRACTION);
}

static int take_percent(double *value, const struct option_row *row, const char *text, struct error *err)
{
	if (text_double(text, value) && *value >= 0 && *value <= 100)
		return 0;
	return error_set(err, "--%s %s: it is a percentage from 0 to 100, such as 5", row->name, text);
}

static int take_one_more(struct text_choice *texts, const struct option_row *row, const char *text, struct error *err)
{
	if (texts->count == MOST_TEXTS)
		return error_set(err, "--%s: at most %d times; a list is separated by commas", row->name, MOST_TEXTS);
	texts->items[texts->count++] = text;
	return 0;
}

static int take_tag(struct history_choice *history, const char *text, struct error *err)
{
	const char *sign = strchr(text, '=');

	if (!sign || sign == text)
		return error_set(err, "--tag %s: a tag is KEY=VALUE, such as compiler=gcc-12", text);
	if (history->ntags == MOST_TAGS)
		return error_set(err, "--tag %s: a run takes " AS_TEXT(MOST_TAGS) " tags at most", text);
	history->tags[history->ntags++] = text;
	return 0;
}

static int options_take(struct options *options, const struct option_row *row, const char *text, struct error *err)
{
	switch (row->take) {
	case TAKE_FLAG: *(bool *)field(options, row) = true; return 0;
	case TAKE_TEXT: *(const char **)field(options, row) = text; return 0;
	case TAKE_TEXTS: return take_one_more(field(options, row), row, text, err);
	case TAKE_LEVEL:
	case TAKE_NUMBER: return take_number(field(options, row), row, text, err);
	case TAKE_COUNT: return options_take_count(field(options, row), row, text, err);
	case TAKE_TENS: return take_number(field(options, row), row, text ? text : "10", err);
	case TAKE_STEADY: *(const char **)field(options, row) = text ? text : "pin"; return 0;
	case TAKE_SECONDS:
	case TAKE_MS: return take_time(field(options, row), row, text, err);
	case TAKE_BUDGET: return take_budget(field(options, row), row, text, err);
	case TAKE_DELAY: return take_delay(field(options, row), row, text, err);
	case TAKE_FRACTION: return take_fraction(field(options, row), row, text, err);
	case TAKE_PERCENT: return take_percent(field(options, row), row, text, err);
	case TAKE_TAG: return take_tag(&options->history, text, err);
	case TAKE_CHOICE: return take_choice(field(options, row), row, text, err);
	}
	return -1;
}

/* ---- the options of a command, and those of all others ---- */

#define MOST_ROWS 192 /* of all commands */

struct row_list {
	const struct option_row *rows[MOST_ROWS];
	size_t nown; /* the first ones, which the command takes: their numbers are those of options->given */
	size_t count;
};

static void options_add_rows(struct row_list *list, const struct command *command)
{
	for (size_t i = 0; command->sets[i]; i++)
		for (size_t k = 0; k < command->sets[i]->count; k++) {
			const struct option_row *row = &command->sets[i]->rows[k];
			bool is_there = false;

			for (size_t n = 0; n < list->count; n++)
				is_there |= list->rows[n] == row;
			if (!is_there && list->count < MOST_ROWS)
				list->rows[list->count++] = row;
		}
}

/* Other commands' options are known too, so that they get an answer of their own. */
static struct row_list list_rows(const struct command *command)
{
	struct row_list list = { .count = 0 };

	options_add_rows(&list, command);
	list.nown = list.count;
	for (size_t i = 0; i < ncommands; i++)
		options_add_rows(&list, commands[i]);
	return list;
}

static bool has_row(const struct command *command, const struct option_row *row)
{
	struct row_list own = { .count = 0 };

	options_add_rows(&own, command);
	for (size_t i = 0; i < own.count; i++)
		if (own.rows[i] == row)
			return true;
	return false;
}

/* The command's name as people type it: "`topdown plan`", or "a measurement". */
static const char *command_title(const struct command *command, struct arena *arena)
{
	return command->name ? arena_printf(arena, "`topdown %s`", command->name) : "a measurement";
}

/* "a measurement, `topdown plan` and `topdown metrics`" */
static const char *users_of(const struct option_row *row, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	size_t left = 0;

	for (size_t i = 0; i < ncommands; i++)
		left += has_row(commands[i], row);
	for (size_t i = 0; i < ncommands; i++) {
		if (!has_row(commands[i], row))
			continue;
		left--;
		string_add(&text, !text.length ? "" : left ? ", " : " and ");
		string_add(&text, command_title(commands[i], arena));
	}
	return text.text;
}

/* An option that the command would ignore is refused. */
static int of_other_command(const struct option_row *row, const struct command *command, struct error *err)
{
	struct arena arena;

	arena_init(&arena);
	error_set(err, "--%s is for %s: %s has no use for it", row->name, users_of(row, &arena),
		  command_title(command, &arena));
	arena_release(&arena);
	return -1;
}

/* The number of the row of this name, the command's own before others'; list->count: there is none. */
static size_t find_named(const struct row_list *list, const char *name)
{
	size_t i = 0;

	while (i < list->count && strcmp(list->rows[i]->name, name) != 0)
		i++;
	return i;
}

/* The options of all commands as they are typed, first *own of them the command's and their older spellings. */
static size_t fill_names(const char **names, size_t *own, const struct row_list *list, struct arena *arena)
{
	size_t count = 0;

	for (size_t i = 0; i < list->nown; i++)
		names[count++] = arena_printf(arena, "--%s", list->rows[i]->name);
	for (size_t i = 0; i < noption_aliases; i++)
		if (find_named(list, option_aliases[i].option) < list->nown)
			names[count++] = arena_printf(arena, "--%s", option_aliases[i].name);
	*own = count;
	for (size_t i = list->nown; i < list->count; i++)
		names[count++] = arena_printf(arena, "--%s", list->rows[i]->name);
	return count;
}

static int unknown_option(const char *word, const struct row_list *list, struct error *err)
{
	const char *names[MOST_ROWS + MOST_ALIASES], *near = NULL;
	size_t own, count;
	struct arena arena;

	if (word && foreign_option(word, err) < 0)
		return -1;
	arena_init(&arena);
	count = fill_names(names, &own, list, &arena);
	if (word && has_name_prefix(word, "--"))
		near = nearest_names(&arena, word, names, own);
	if (word && has_name_prefix(word, "--") && !near)
		near = nearest_names(&arena, word, names, count);
	if (near)
		error_set(err, "unknown option '%s': did you mean %s?", word, near);
	else
		error_set(err, "unknown option '%s': `topdown --help` lists the options", word ? word : "?");
	arena_release(&arena);
	return -1;
}

/* -1 and -12 of a command that counts back; getopt finds an unknown letter in each of their digits. */
static bool is_count_back(const struct options *options, const char *word)
{
	return options->command->counts_back && word[0] == '-' && word[1] &&
	       strspn(word + 1, "0123456789") == strlen(word + 1);
}

/* ---- the command line ---- */

#define LONG_BASE  256			   /* getopt's value of row number 0, above all letters */
#define ALIAS_BASE (LONG_BASE + MOST_ROWS) /* and of the first alias */
#define MOST_LONGS (MOST_ROWS + MOST_ALIASES + 1)
#define WORD	   1 /* getopt's way to hand over a word between options */

/* Behind "=" only. */
static bool has_optional_value(const struct option_row *row)
{
	return row->take == TAKE_TENS || row->take == TAKE_STEADY;
}

static struct option long_of(const struct option_row *row, size_t number)
{
	return (struct option){ .name = row->name,
				.has_arg = has_optional_value(row) ? optional_argument
					   : row->argument	   ? required_argument
								   : no_argument,
				.val = (int)number + LONG_BASE };
}

/* Is it one of the command's, or of another one whose options have no such name? */
static bool is_alias_known(const struct row_list *list, const struct option_alias *alias)
{
	return find_named(list, alias->option) < list->nown || find_named(list, alias->name) == list->count;
}

/* Of several with the same name getopt takes the first: the command's own, then its aliases. */
static void fill_longs(struct option *longs, const struct row_list *list)
{
	for (size_t i = 0; i < list->nown; i++)
		*longs++ = long_of(list->rows[i], i);
	for (size_t i = 0; i < noption_aliases; i++)
		if (is_alias_known(list, &option_aliases[i]))
			*longs++ = (struct option){ .name = option_aliases[i].name, .val = (int)i + ALIAS_BASE };
	for (size_t i = list->nown; i < list->count; i++)
		*longs++ = long_of(list->rows[i], i);
}

/* getopt's view of the rows. */
static void fill_letters(char *letters, const struct row_list *list, const struct command *command)
{
	size_t n = 0;

	/*
	 * The first word that is no option is the program, and its options are its own; of a
	 * command each word comes as 1.
	 */
	letters[n++] = command->name && !command->begins_program ? '-' : '+';
	letters[n++] = ':';
	for (size_t i = 0; i < list->count; i++) {
		const struct option_row *row = list->rows[i];

		if (!row->letter)
			continue;
		letters[n++] = row->letter;
		if (row->argument)
			letters[n++] = ':';
	}
	letters[n] = '\0';
}

/* The row's number, or list->count. */
static size_t options_find_row(const struct row_list *list, int found)
{
	size_t i = 0;

	while (i < list->count && found != (int)i + LONG_BASE &&
	       !(list->rows[i]->letter && found == list->rows[i]->letter))
		i++;
	return i;
}

/* What follows "--" is the program of a command that measures one, else more words. */
static void take_rest(struct options *options, char **rest, size_t count)
{
	if (!options->command->name || options->command->has_program) {
		options->setup.program.words = rest;
		options->setup.program.nwords = count;
	} else {
		memmove(options->words + options->nwords, rest, count * sizeof(*rest));
		options->nwords += count;
	}
}

static int take_found(struct options *options, const struct row_list *list, size_t number, const char *value,
		      struct error *err)
{
	const struct option_row *row = list->rows[number];

	if (number >= list->nown)
		return of_other_command(row, options->command, err);
	if (options_take(options, row, value, err) < 0)
		return -1;
	options->given[number] = row->argument && value ? value : "";
	options->output.has_format |= row->offset == AT(output.format);
	return 0;
}

/* "--pre" for --pressure: not where it is another tool's whole name. */
static bool is_shortened(const char *word, const struct option_row *row)
{
	return !strncmp(word, "--", 2) && strcspn(word + 2, "=") < strlen(row->name);
}

/* A host that is slower than most, such as one of CI, has its usual time in the environment. */
static int take_usual_budget(double *seconds, struct error *err)
{
	const char *named = getenv("TOPDOWN_SIM_SECONDS");

	if (!named || !*named || (text_double(named, seconds) && *seconds > 0 && *seconds <= MOST_SECONDS))
		return 0;
	return error_set(err, "TOPDOWN_SIM_SECONDS=%s: it is a number of seconds above 0, such as 60", named);
}

static int parse(struct options *options, int argc, char **argv, struct error *err)
{
	const struct row_list list = list_rows(options->command);
	struct option longs[MOST_LONGS] = { { NULL, 0, NULL, 0 } };
	char letters[MOST_ROWS * 2 + 3];
	const char *value = NULL, *back = NULL; /* of the last option; the last word like -1 */
	int found;

	fill_longs(longs, &list);
	fill_letters(letters, &list, options->command);
	options->words = argv + 1; /* words of a command move up there: never beyond what getopt has read */
	optind = 0;		   /* getopt begins anew, also behind another command line */
	opterr = 0;
	for (int at = 1; (found = getopt_long(argc, argv, letters, longs, NULL)) != -1; at = optind) {
		const struct option_alias *alias = found >= ALIAS_BASE ? &option_aliases[found - ALIAS_BASE] : NULL;
		size_t number = alias ? find_named(&list, alias->option) : options_find_row(&list, found);

		value = optarg;
		if (found == WORD) {
			options->words[options->nwords++] = optarg;
			continue;
		}
		if (found == ':')
			return error_set(err, "option '%s' needs a value", argv[optind - 1]);
		if (number == list.count && is_count_back(options, argv[at])) {
			if (argv[at] != back)
				options->words[options->nwords++] = argv[at];
			back = argv[at];
			continue;
		}
		if (number == list.count)
			return unknown_option(optopt && optopt < LONG_BASE ? (char[]){ '-', (char)optopt, '\0' }
									   : argv[optind - 1],
					      &list, err);
		if (is_shortened(argv[at], list.rows[number]) && foreign_option(argv[at], err) < 0)
			return -1;
		if (take_found(options, &list, number, alias ? alias->value : optarg, err) < 0)
			return -1;
	}
	options->is_behind_dashes = optind > 1 && argv[optind - 1] != value && !strcmp(argv[optind - 1], "--");
	take_rest(options, argv + optind, (size_t)(argc - optind));
	if (options->output.format == FORMAT_PERF && !options->command->has_perf_form)
		return error_set(err, "--format perf is for `topdown plan`: it prints lines for perf stat");
	return take_usual_budget(&options->setup.simulation.usual_seconds, err);
}

/* ---- options that exclude each other ---- */

/* "{duet}", "{pmu sim}"; what says more than one option was not given. */
static int is_said(const void *context, const char *name, size_t length)
{
	const struct options *options = context;
	const struct row_list list = list_rows(options->command);

	for (size_t i = 0; i < list.nown; i++) {
		const char *option = list.rows[i]->name, *value = options->given[i];
		size_t end = 1 + strlen(option);

		if (!value || end >= length || strncmp(name + 1, option, end - 1) != 0)
			continue;
		if (name[end] == '}' || (name[end] == ' ' && !strncmp(name + end + 1, value, strlen(value)) &&
					 end + strlen(value) + 2 == length))
			return 1;
	}
	return 0;
}

static bool is_any_said(const struct options *options, const char *names)
{
	const char *name;
	size_t length;

	while ((length = text_next(&names, ",", &name)) > 0)
		if (is_said(options, name, length))
			return true;
	return false;
}

static bool is_excluded(const struct options *options, const struct exclusion *row, const char *name)
{
	if (row->is_need)
		return false;
	return has_word(row->each, ",", name) ? is_any_said(options, row->other)
					      : !strcmp(row->other, name) && is_any_said(options, row->each);
}

bool options_exclude(const struct options *options, const char *name)
{
	for (size_t i = 0; i < nexclusions; i++)
		if (is_excluded(options, &exclusions[i], name))
			return true;
	for (const struct exclusion *row = options->command->exclusions; row && row->each; row++)
		if (is_excluded(options, row, name))
			return true;
	return false;
}

static int check_own(const struct options *options, struct error *err)
{
	for (const struct exclusion *row = options->command->exclusions; row && row->each; row++)
		if (exclusion_check(row, is_said, options, err) < 0)
			return options->command->name ? error_in(err, "%s", options->command->name) : -1;
	return 0;
}

int options_parse(struct options *options, int argc, char **argv, struct error *err)
{
	int skip;

	*options = (struct options){ .setup = { .machine = { .sysroot = "" } }, .command = commands[0] };
	for (size_t i = 1; i < ncommands && argc > 1; i++)
		if (!strcmp(commands[i]->name, argv[1]))
			options->command = commands[i];
	skip = options->command->name ? 1 : 0;
	return parse(options, argc - skip, argv + skip, err) < 0 ? -1 : check_own(options, err);
}

/* ---- options that stand again in a proposed command ---- */

const char *options_repeated(const struct options *options, enum repeated kind, const char *except, struct arena *arena)
{
	const struct row_list list = list_rows(options->command);
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < list.nown; i++) {
		const struct option_row *row = list.rows[i];

		if (!options->given[i] || !(row->repeated & kind) || !strcmp(row->name, except))
			continue;
		string_add(&text, text.length ? " " : "");
		if (row->letter)
			string_printf(&text, "-%c", row->letter);
		else
			string_printf(&text, "--%s", row->name);
		if (!row->argument || (has_optional_value(row) && !*options->given[i]))
			continue;
		string_add(&text, has_optional_value(row) ? "=" : " ");
		string_add_shell_word(&text, options->given[i]);
	}
	return text.length ? text.text : NULL;
}

bool options_is_given(const struct options *options, const char *name)
{
	const struct row_list list = list_rows(options->command);

	for (size_t i = 0; i < list.nown; i++)
		if (options->given[i] && !strcmp(list.rows[i]->name, name))
			return true;
	return false;
}

const char *options_measuring(const struct options *options)
{
	size_t number = 0;

	for (const struct option_set *const *set = options->command->sets; *set; set++)
		for (size_t i = 0; i < (*set)->count; i++, number++)
			if ((*set)->is_measuring && options->given[number])
				return (*set)->rows[i].name;
	return NULL;
}
