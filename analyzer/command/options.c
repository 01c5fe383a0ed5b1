/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/options.h"

#include <assert.h>
#include <getopt.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"

#define MOST_NUMBER 1000000

/* How an option's argument is taken. */
enum take {
	TAKE_FLAG,
	TAKE_TEXT,
	TAKE_LEVEL,
	TAKE_NUMBER,
	TAKE_CHOICE,
	TAKE_TOGGLE,
	TAKE_SECONDS,
	TAKE_MS,
	TAKE_DELAY,
	TAKE_FRACTION
};

static const char *const format_names[] = { "text", "json", "csv", "markdown", NULL };
static const char *const pmu_names[] = { "auto", "cpu", "sim", NULL };
static const char *const color_names[] = { "auto", "always", "never", NULL };
static const char *const interval_names[] = { "all", "rotate", NULL };

static const char *const watchdog_names[] = { "keep", "off", NULL };

/* A bit for each command, in the order of their table. */
enum {
	MEASURE = 1 << 0,
	PLAN = 1 << 1,
	DOCTOR = 1 << 2,
	REPORT = 1 << 3,
	METRICS = 1 << 4,
	EXPLAIN = 1 << 5,
	LIST = 1 << 6,
	IMPORT = 1 << 7,
	EVERYWHERE = (1 << 8) - 1,
	COUNTING = MEASURE | METRICS,
	KEPT = 1 << 8, /* it says how something is measured, so that it is said again when the same is measured again */
	CHOSEN = 1 << 9, /* it says which metrics, and of what */
};

static const struct option_row {
	const char *name;
	char letter;	      /* 0: long form only */
	const char *argument; /* NULL: none */
	enum take take;
	size_t offset; /* in struct options */
	const char *const *choices;
	unsigned commands; /* that have a use for it; KEPT, CHOSEN */
	const char *help;
} rows[] = {
	{ "level", 'l', "N", TAKE_LEVEL, offsetof(struct options, level), NULL,
	  COUNTING | CHOSEN | PLAN | DOCTOR | REPORT, "levels of the tree, 1 to 9 (default 1)" },
	{ "verbose", 'v', NULL, TAKE_FLAG, offsetof(struct options, is_verbose), NULL, EVERYWHERE,
	  "all nodes, those below their threshold too" },
	{ "event", 'e', "LIST", TAKE_TEXT, offsetof(struct options, events), NULL, COUNTING | PLAN,
	  "count these events as well, separated by commas" },
	{ "nodes", 0, "LIST", TAKE_TEXT, offsetof(struct options, nodes), NULL, COUNTING | CHOSEN | PLAN | REPORT,
	  "only these nodes: Memory_Bound^, DRAM_Bound*, L3_Bound/4, !Retiring" },
	{ "groups", 0, "LIST", TAKE_TEXT, offsetof(struct options, groups), NULL, COUNTING | CHOSEN | PLAN | REPORT,
	  "only the nodes and metrics of these groups" },
	{ "metrics", 0, "LIST", TAKE_TEXT, offsetof(struct options, metrics), NULL, COUNTING | CHOSEN | PLAN | REPORT,
	  "only these metrics: IPC, *MPKI*" },
	{ "multiplex", 0, NULL, TAKE_FLAG, offsetof(struct options, is_multiplexed), NULL, COUNTING | KEPT | PLAN,
	  "one run: all groups share the counters by turns" },
	{ "max-runs", 0, "N", TAKE_NUMBER, offsetof(struct options, max_runs), NULL, COUNTING | KEPT | PLAN,
	  "at most N runs: groups share the last ones by turns" },
	{ "per-node", 0, NULL, TAKE_FLAG, offsetof(struct options, is_per_node), NULL, COUNTING | KEPT | PLAN,
	  "each metric whole in one group wherever it fits" },
	{ "repeat", 'r', "N", TAKE_NUMBER, offsetof(struct options, repeats), NULL, COUNTING | KEPT,
	  "measure all of it N times: mean, 95 % interval" },
	{ "all-output", 0, NULL, TAKE_FLAG, offsetof(struct options, wants_all_output), NULL, COUNTING | KEPT,
	  "the program's output in all runs, not only the first" },
	{ "drilldown", 0, NULL, TAKE_FLAG, offsetof(struct options, is_drilldown), NULL, COUNTING,
	  "level 1, then only what is below the bottlenecks" },
	{ "counters", 0, "N", TAKE_NUMBER, offsetof(struct options, counters), NULL, COUNTING | KEPT | PLAN,
	  "use N of the general counters" },
	{ "smt", 0, "on|off", TAKE_TOGGLE, offsetof(struct options, smt), NULL, PLAN,
	  "plan: for a machine whose SMT is on or off" },
	{ "watchdog", 0, "on|off", TAKE_TOGGLE, offsetof(struct options, assumed_watchdog), NULL, PLAN,
	  "plan: for one whose NMI watchdog is on or off" },
	{ "pid", 'p', "LIST", TAKE_TEXT, offsetof(struct options, processes), NULL, COUNTING,
	  "these processes, with all their threads" },
	{ "tid", 0, "LIST", TAKE_TEXT, offsetof(struct options, threads), NULL, COUNTING, "these threads" },
	{ "all-cpus", 'a', NULL, TAKE_FLAG, offsetof(struct options, is_all_cpus), NULL, COUNTING | PLAN,
	  "whatever runs on any CPU" },
	{ "cpus", 'C', "LIST", TAKE_TEXT, offsetof(struct options, cpus), NULL, COUNTING,
	  "whatever runs on these CPUs: 0-3,8" },
	{ "cgroup", 0, "PATH", TAKE_TEXT, offsetof(struct options, cgroup), NULL, COUNTING,
	  "all processes of this cgroup" },
	{ "duration", 0, "SECONDS", TAKE_SECONDS, offsetof(struct options, duration_s), NULL, COUNTING | KEPT,
	  "how long, where no program decides it" },
	{ "timeout", 0, "SECONDS", TAKE_SECONDS, offsetof(struct options, timeout_s), NULL, COUNTING | KEPT,
	  "counting ends then, and the program gets SIGTERM" },
	{ "delay", 'D', "MS", TAKE_DELAY, offsetof(struct options, delay_ms), NULL, COUNTING | KEPT,
	  "counting begins so much later; -1: when SIGUSR2 comes" },
	{ "control", 0, "FIFO[,FIFO]", TAKE_TEXT, offsetof(struct options, control), NULL, COUNTING | KEPT,
	  "enable, disable and stop are read there" },
	{ "interval", 'I', "MS", TAKE_MS, offsetof(struct options, interval_ms), NULL, COUNTING | KEPT,
	  "a tree each MS milliseconds, and one for all" },
	{ "interval-plan", 0, "PLAN", TAKE_CHOICE, offsetof(struct options, interval_plan), interval_names,
	  COUNTING | KEPT, "all (groups in each interval) or rotate (one in each)" },
	{ "per-thread", 0, NULL, TAKE_FLAG, offsetof(struct options, is_per_thread), NULL, COUNTING | KEPT,
	  "a tree for each thread of -p or --tid, or of a simulated program" },
	{ "per-core", 0, NULL, TAKE_FLAG, offsetof(struct options, is_per_core), NULL, COUNTING | KEPT,
	  "a tree for each core" },
	{ "per-socket", 0, NULL, TAKE_FLAG, offsetof(struct options, is_per_socket), NULL, COUNTING | KEPT,
	  "a tree for each socket" },
	{ "user", 'u', NULL, TAKE_FLAG, offsetof(struct options, is_user_only), NULL, COUNTING | KEPT,
	  "count user mode only" },
	{ "kernel", 'k', NULL, TAKE_FLAG, offsetof(struct options, is_kernel_only), NULL, COUNTING | KEPT,
	  "count kernel mode only" },
	{ "pmu", 0, "PMU", TAKE_CHOICE, offsetof(struct options, pmu), pmu_names, COUNTING | CHOSEN | EXPLAIN | LIST,
	  "auto, cpu or sim: sim simulates a core instead of counting" },
	{ "sim-core", 0, "NAME", TAKE_TEXT, offsetof(struct options, sim_core), NULL, COUNTING | KEPT,
	  "the core that is simulated, or its file (default: the nearest)" },
	{ "sim-sample", 0, "F", TAKE_FRACTION, offsetof(struct options, sim_sample), NULL, COUNTING | KEPT,
	  "sim: model this fraction in detail (0.001 to 1)" },
	{ "trace-children", 0, NULL, TAKE_FLAG, offsetof(struct options, has_children), NULL, COUNTING | KEPT,
	  "sim: the programs that PROGRAM starts too" },
	{ "lines", 0, NULL, TAKE_FLAG, offsetof(struct options, wants_lines), NULL, COUNTING | REPORT,
	  "the source lines that lose the slots of the worst node" },
	{ "no-anchor", 0, NULL, TAKE_FLAG, offsetof(struct options, has_no_anchor), NULL, COUNTING | KEPT,
	  "sim: do not run the program natively too, to compare" },
	{ "nmi-watchdog", 0, "STATE", TAKE_CHOICE, offsetof(struct options, watchdog), watchdog_names,
	  COUNTING | KEPT | PLAN, "keep or off (while counting, on again afterwards)" },
	{ "mux-interval", 0, "MS", TAKE_NUMBER, offsetof(struct options, mux_interval_ms), NULL, COUNTING | KEPT,
	  "how long groups by turns have the counters" },
	{ "output", 'o', "FILE", TAKE_TEXT, offsetof(struct options, output), NULL, EVERYWHERE,
	  "the report goes to FILE" },
	{ "format", 0, "FORMAT", TAKE_CHOICE, offsetof(struct options, format), format_names, EVERYWHERE,
	  "text, json, csv or markdown" },
	{ "save", 0, "FILE", TAKE_TEXT, offsetof(struct options, save), NULL, COUNTING,
	  "save the counts, for `topdown report FILE`" },
	{ "color", 0, "WHEN", TAKE_CHOICE, offsetof(struct options, color), color_names, EVERYWHERE,
	  "auto, always or never" },
	{ "cpu", 0, "NAME", TAKE_TEXT, offsetof(struct options, cpu), NULL, EVERYWHERE | KEPT,
	  "take this CPU's events and model (clx, neoverse-v1)" },
	{ "db", 0, "DIR", TAKE_TEXT, offsetof(struct options, database), NULL, EVERYWHERE | CHOSEN | KEPT,
	  "look here first for events/ and models/" },
	{ "sysroot", 0, "DIR", TAKE_TEXT, offsetof(struct options, sysroot), NULL, EVERYWHERE,
	  "identify the machine by the proc/ and sys/ below DIR" },
	{ "from", 0, "FORM", TAKE_TEXT, offsetof(struct options, from), NULL, IMPORT,
	  "import: the files are of perfmon, perf or arm" },
	{ "with-text", 0, NULL, TAKE_FLAG, offsetof(struct options, wants_text), NULL, IMPORT,
	  "import: keep the vendor's descriptions" },
	{ "help", 'h', NULL, TAKE_FLAG, offsetof(struct options, wants_help), NULL, EVERYWHERE, "this help" },
	{ "version", 'V', NULL, TAKE_FLAG, offsetof(struct options, wants_version), NULL, EVERYWHERE, "the version" },
};

static_assert(COUNT_OF(rows) <= MOST_OPTIONS, "options->given has a place for each row");

static void *field(struct options *options, const struct option_row *row)
{
	return (char *)options + row->offset;
}

static int choose(unsigned *value, const struct option_row *row, const char *text, struct error *err)
{
	for (unsigned i = 0; row->choices[i]; i++) {
		if (strcmp(row->choices[i], text) != 0)
			continue;
		*value = i;
		return 0;
	}
	return error_set(err, "--%s %s: it is one of %s", row->name, text, row->help);
}

static int take_toggle(enum toggle *value, const struct option_row *row, const char *text, struct error *err)
{
	*value = !strcmp(text, "on") ? TOGGLE_ON : !strcmp(text, "off") ? TOGGLE_OFF : TOGGLE_UNSAID;
	return *value == TOGGLE_UNSAID ? error_set(err, "--%s %s: it is on or off", row->name, text) : 0;
}

#define MOST_SECONDS 1e6
#define LEAST_MS     10.0

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

static int take_delay(double *value, const struct option_row *row, const char *text, struct error *err)
{
	if (text_double(text, value) && *value <= 1e3 * MOST_SECONDS &&
	    (*value >= 0 || !(*value < DELAY_UNTIL_SIGN || *value > DELAY_UNTIL_SIGN)))
		return 0;
	return error_set(err, "--%s %s: a delay is a number of milliseconds, or -1 to wait for SIGUSR2", row->name,
			 text);
}

#define LEAST_FRACTION 0.001

static int take_fraction(double *value, const struct option_row *row, const char *text, struct error *err)
{
	if (text_double(text, value) && *value >= LEAST_FRACTION && *value <= 1)
		return 0;
	return error_set(err, "--%s %s: it is a fraction from %g to 1 (all of it), such as 0.1", row->name, text,
			 LEAST_FRACTION);
}

static int take(struct options *options, const struct option_row *row, const char *text, struct error *err)
{
	uint64_t number;
	unsigned choice = 0;

	switch (row->take) {
	case TAKE_FLAG: *(bool *)field(options, row) = true; return 0;
	case TAKE_TEXT: *(const char **)field(options, row) = text; return 0;
	case TAKE_LEVEL:
		if (!text_u64(text, &number) || number < 1 || number > 9)
			return error_set(err, "-l %s: a level is a number from 1 to 9", text);
		*(unsigned *)field(options, row) = (unsigned)number;
		return 0;
	case TAKE_NUMBER:
		if (!text_u64(text, &number) || number < 1 || number > MOST_NUMBER)
			return error_set(err, "--%s %s: it is a number from 1 to %d", row->name, text, MOST_NUMBER);
		*(unsigned *)field(options, row) = (unsigned)number;
		return 0;
	case TAKE_SECONDS:
	case TAKE_MS: return take_time(field(options, row), row, text, err);
	case TAKE_DELAY: return take_delay(field(options, row), row, text, err);
	case TAKE_FRACTION: return take_fraction(field(options, row), row, text, err);
	case TAKE_TOGGLE: return take_toggle(field(options, row), row, text, err);
	case TAKE_CHOICE:
	default:
		if (choose(&choice, row, text, err) < 0)
			return -1;
		memcpy(field(options, row), &choice, sizeof(choice));
		return 0;
	}
}

static int unknown_option(const char *word, struct error *err)
{
	const char *names[COUNT_OF(rows)], *near = NULL;
	struct arena arena;

	arena_init(&arena);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		names[i] = arena_printf(&arena, "--%s", rows[i].name);
	if (word && has_name_prefix(word, "--"))
		near = nearest_names(&arena, word, names, COUNT_OF(rows));
	if (near)
		error_set(err, "unknown option '%s': did you mean %s?", word, near);
	else
		error_set(err, "unknown option '%s': `topdown --help` lists the options", word ? word : "?");
	arena_release(&arena);
	return -1;
}

/* getopt's view of the table: val is the row's number + 256. */
static void fill_getopt(struct option *longs, char *letters, const struct command *command)
{
	size_t n = 0;

	/* The first word that is no option is the program, and its options are its own; of a command each word comes as 1. */
	letters[n++] = command->name ? '-' : '+';
	letters[n++] = ':';
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		longs[i] = (struct option){ .name = rows[i].name,
					    .has_arg = rows[i].argument ? required_argument : no_argument,
					    .val = (int)i + 256 };
		if (!rows[i].letter)
			continue;
		letters[n++] = rows[i].letter;
		if (rows[i].argument)
			letters[n++] = ':';
	}
	letters[n] = '\0';
}

static const struct option_row *find_row(int found)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (found == (int)i + 256 || (rows[i].letter && found == rows[i].letter))
			return &rows[i];
	return NULL;
}

#define WORD 1 /* getopt's way to hand over a word between options */

/* What follows "--" is the program of a command that has one, else more words. */
static void take_rest(struct options *options, const struct command *command, char **rest, size_t count)
{
	if (!command->name) {
		options->words = rest;
		options->nwords = count;
	} else if (command->has_program) {
		options->program = rest;
		options->nprogram = count;
	} else {
		memmove(options->words + options->nwords, rest, count * sizeof(*rest));
		options->nwords += count;
	}
}

/* "a measurement, `topdown plan` and `topdown metrics`" */
static const char *users_of(const struct option_row *row, struct arena *arena)
{
	struct string text = STRING_INIT(arena);
	unsigned left = row->commands;

	for (size_t i = 0; i < ncommands; i++) {
		const char *name = commands[i].name;

		if (!(row->commands >> i & 1))
			continue;
		left &= ~(1u << i);
		string_printf(&text, "%s%s%s%s",
			      !text.length ? ""
			      : left	   ? ", "
					   : " and ",
			      name ? "`topdown " : "a measurement", name ? name : "", name ? "`" : "");
	}
	return text.text;
}

/* What nobody would look at is refused. */
static int check_command(const struct option_row *row, const struct command *command, struct error *err)
{
	struct arena arena;

	if (row->commands >> (command - commands) & 1)
		return 0;
	/* The state of a machine can be assumed where nothing is done with it. */
	if (row->take == TAKE_TOGGLE)
		return error_set(err, "--%s is for `topdown plan`; everything else takes the machine as it is",
				 row->name);
	arena_init(&arena);
	error_set(err, "--%s is for %s: %s%s%s has no use for it", row->name, users_of(row, &arena),
		  command->name ? "`topdown " : "a measurement", command->name ? command->name : "",
		  command->name ? "`" : "");
	arena_release(&arena);
	return -1;
}

static int parse_options(struct options *options, const struct command *command, int argc, char **argv,
			 struct error *err)
{
	struct option longs[COUNT_OF(rows) + 1] = { { NULL, 0, NULL, 0 } };
	char letters[COUNT_OF(rows) * 2 + 3];
	int found;

	fill_getopt(longs, letters, command);
	options->words = argv + 1; /* words of a command move up there: never beyond what getopt has read */
	optind = 1;
	opterr = 0;
	while ((found = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		const struct option_row *row = find_row(found);

		if (found == WORD) {
			options->words[options->nwords++] = optarg;
			continue;
		}
		if (found == ':')
			return error_set(err, "option '%s' needs a value", argv[optind - 1]);
		if (!row)
			return unknown_option(
				optopt && optopt < 256 ? (char[]){ '-', (char)optopt, '\0' } : argv[optind - 1], err);
		if (check_command(row, command, err) < 0 || take(options, row, optarg, err) < 0)
			return -1;
		options->given[row - rows] = row->argument ? optarg : "";
	}
	take_rest(options, command, argv + optind, (size_t)(argc - optind));
	return 0;
}

const struct command *options_parse(struct options *options, int argc, char **argv, struct error *err)
{
	const struct command *command = &commands[0];
	int skip = 0;

	*options = (struct options){ .sysroot = "" };
	for (size_t i = 1; i < ncommands && argc > 1; i++)
		if (!strcmp(commands[i].name, argv[1]))
			command = &commands[i];
	if (command->name)
		skip = 1;
	return parse_options(options, command, argc - skip, argv + skip, err) < 0 ? NULL : command;
}

bool options_have_subject(const struct options *options)
{
	return options->processes || options->threads || options->is_all_cpus || options->cpus || options->cgroup;
}

static const char *said_again(const struct options *options, unsigned kind, const char *except, struct arena *arena)
{
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct option_row *row = &rows[i];

		if (!options->given[i] || !(row->commands & kind) || !strcmp(row->name, except))
			continue;
		string_add(&text, text.length ? " " : "");
		if (row->letter)
			string_printf(&text, "-%c", row->letter);
		else
			string_printf(&text, "--%s", row->name);
		if (!row->argument)
			continue;
		string_add(&text, " ");
		string_add_shell_word(&text, options->given[i]);
	}
	return text.length ? text.text : NULL;
}

const char *options_kept(const struct options *options, const char *except, struct arena *arena)
{
	return said_again(options, KEPT, except, arena);
}

const char *options_chosen(const struct options *options, struct arena *arena)
{
	return said_again(options, CHOSEN, "", arena);
}

const char *options_counting(const struct options *options)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (options->given[i] && (rows[i].commands & EVERYWHERE) == COUNTING)
			return rows[i].name;
	return NULL;
}

static void help_option(FILE *out, const struct option_row *row)
{
	char form[64], letter[8] = "    ";

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	snprintf(form, sizeof(form), "%s--%s%s%s", letter, row->name, row->argument ? " " : "",
		 row->argument ? row->argument : "");
	fprintf(out, "  %-26s %s\n", form, row->help);
}

void options_help(FILE *out)
{
	fputs("usage:\n", out);
	for (size_t i = 0; i < ncommands; i++)
		fprintf(out, "  topdown %s%s%-*s %s\n", commands[i].name ? commands[i].name : "",
			commands[i].name ? " " : "", (int)(40 - (commands[i].name ? strlen(commands[i].name) + 1 : 0)),
			commands[i].arguments, commands[i].summary);
	fputs("\noptions:\n", out);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		help_option(out, &rows[i]);
	fputs("\nThe exit status is the program's; 125 when topdown itself failed, 126 when the program can't be "
	      "executed,\n"
	      "127 when it is not found.\n",
	      out);
}
