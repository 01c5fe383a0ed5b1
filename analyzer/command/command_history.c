/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_history.c - topdown history FILE.db: the runs that --history has added, their trends and changes. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "command/jobs/history_record.h"
#include "command/jobs/output.h"
#include "common/base/text.h"
#include "common/system/file.h"
#include "present/history/trends.h"
#include "store/history/run_table.h"

/* What a subcommand is given: the open file, and the words behind its own. */
struct asked {
	struct history *history;
	const char *path;
	char *const *words;
	size_t nwords;
	const struct options *options;
	struct request request; /* from options */
	struct arena *arena;
	const char **names; /* of the metrics that are shown */
	size_t nnames;
};

/* ---- trends ---- */

static int filter_of(struct history_filter *filter, const struct asked *asked, struct error *err)
{
	const struct history_choice *choice = &asked->options->history;
	struct history_tag *tags = arena_array(asked->arena, choice->ntags + 1, sizeof(*tags));

	*filter = (struct history_filter){ .program = choice->program,
					   .machine = choice->machine,
					   .branch = choice->branch,
					   .tags = tags,
					   .ntags = choice->ntags,
					   .last = choice->last,
					   .since_ms = INT64_MIN };
	for (size_t i = 0; i < choice->ntags; i++) {
		size_t length = strcspn(choice->tags[i], "=");

		tags[i] = (struct history_tag){ arena_strndup(asked->arena, choice->tags[i], length),
						choice->tags[i] + length + 1 };
	}
	if (choice->since && !history_time(&filter->since_ms, choice->since))
		return error_set(err, "--since %s: a time is 2026-11-23, 2026-11-23T01:02:03Z or seconds since 1970",
				 choice->since);
	return 0;
}

/* Without --metrics what the head and level 1 of a tree have; -v and machines get all. */
static const char *const usual[] = {
	"wall",	     "cpu_time",       "instructions", "cycles", "IPC", "*frontend_bound", "*bad_speculation",
	"*retiring", "*backend_bound", "*/wall",       "*/IPC"
};

static const char *without_prefix(const char *name)
{
	return has_name_prefix(name, "tma_") ? name + strlen("tma_") : name;
}

static bool is_pattern(const char *pattern, const char *name)
{
	return fnmatch(pattern, name, FNM_CASEFOLD) == 0 || fnmatch(pattern, without_prefix(name), FNM_CASEFOLD) == 0;
}

static bool command_history_is_listed(const char *list, const char *name, struct arena *arena)
{
	const char *part;
	size_t length;

	while ((length = text_next(&list, ",;", &part)) > 0)
		if (is_pattern(arena_strndup(arena, part, length), name))
			return true;
	return false;
}

static bool command_history_is_wanted(const struct asked *asked, const char *name)
{
	const struct options *options = asked->options;

	if (options->question.metrics)
		return command_history_is_listed(options->question.metrics, name, asked->arena);
	for (size_t i = 0; i < COUNT_OF(usual); i++)
		if (is_pattern(usual[i], name))
			return true;
	return options->output.is_verbose || options->output.format == FORMAT_JSON ||
	       options->output.format == FORMAT_CSV || options->output.format == FORMAT_BRIEF;
}

static int nothing_named(const struct asked *asked, const char *const *names, size_t count, struct error *err)
{
	const char *list = asked->options->question.metrics, *near;
	const char **shorter = arena_array(asked->arena, count + 1, sizeof(*shorter));

	for (size_t i = 0; i < count; i++)
		shorter[i] = without_prefix(names[i]);
	near = nearest_names(asked->arena, list, shorter, count);
	return error_set(err, "%s: no metric '%s' was measured%s%s%s", asked->path, list, near ? ": did you mean " : "",
			 near ? near : "", near ? "?" : "");
}

/* The names that are wanted; where none of the usual ones is there, all. */
static int choose_names(struct asked *asked, struct error *err)
{
	const char **all;
	size_t nall;

	if (series_metrics(&all, &nall, asked->history, asked->arena, err) < 0)
		return -1;
	asked->names = arena_array(asked->arena, nall + 1, sizeof(*asked->names));
	for (size_t i = 0; i < nall; i++)
		if (command_history_is_wanted(asked, all[i]))
			asked->names[asked->nnames++] = all[i];
	if (asked->nnames)
		return 0;
	if (asked->options->question.metrics)
		return nothing_named(asked, all, nall, err);
	asked->names = all;
	asked->nnames = nall;
	return 0;
}

/* What differs from the runs before, which are a series of their own. */
static const char *split_text(const struct series *series, const struct series *before, struct arena *arena)
{
	const struct {
		const char *what, *from, *to;
	} rows[] = { { "CPU", before->around.model, series->around.model },
		     { "microcode", before->around.microcode, series->around.microcode },
		     { "kernel", before->around.kernel, series->around.kernel } };
	struct string text = STRING_INIT(arena);

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (strcmp(rows[i].from, rows[i].to) != 0)
			string_printf(&text, "%s%s %s instead of %s", text.length ? ", " : "", rows[i].what,
				      *rows[i].to ? rows[i].to : "unknown", *rows[i].from ? rows[i].from : "unknown");
	return arena_printf(arena, "The series was split: %s. Its %zu earlier runs are a series of their own.",
			    text.text, series->nearlier);
}

#define COSTS 3

#define MOST_CAUSES 5 /* of the newest changes: each takes the comparison of two sessions */

/* Of the runs at which something changed, from the newest on. */
static const char **find_causes(const struct trend_set *set, const struct asked *asked)
{
	const struct series *series = set->series;
	const char **causes = arena_array(asked->arena, series->count + 1, sizeof(char *));
	bool *has_changed = arena_array(asked->arena, series->count + 1, sizeof(*has_changed));
	size_t left = MOST_CAUSES;

	for (size_t i = 0; i < set->count; i++)
		for (size_t k = 0; k < set->trends[i].nchanges; k++)
			has_changed[set->trends[i].changes[k].run] = true;
	for (size_t i = series->count; i-- > 1 && left;) {
		if (!has_changed[i])
			continue;
		causes[i] = history_cause(asked->history, series->runs[i - 1].id, series->runs[i].id, &asked->request);
		left--;
	}
	return causes;
}

/* What a program costs: whether shares and ratios got better or worse, these say. */
static int read_costs(struct trend *costs, const struct series *series, const struct asked *asked, struct error *err)
{
	static const char *const names[COSTS] = { "cycles", "cpu_time", "wall" };
	const struct trend_rule rule = { .least = asked->options->history.least };

	for (size_t i = 0; i < COSTS; i++) {
		costs[i] = (struct trend){ .series = series, .values = { .name = names[i] } };
		if (trend_read(&costs[i], &rule, asked->history, asked->arena, err) < 0)
			return -1;
	}
	return 0;
}

static int fill_set(struct trend_set *set, const struct series_list *list, size_t n, const struct asked *asked,
		    struct error *err)
{
	const struct trend_rule rule = { .least = asked->options->history.least };
	const struct series *series = &list->items[n];
	struct trend costs[COSTS];
	struct trend *trends = arena_array(asked->arena, asked->nnames + 1, sizeof(*trends));

	*set = (struct trend_set){ .series = series, .trends = trends };
	for (size_t i = 0; i < asked->nnames; i++) {
		struct trend *trend = &trends[set->count];

		*trend = (struct trend){ .series = series, .values = { .name = asked->names[i] } };
		if (trend_read(trend, &rule, asked->history, asked->arena, err) < 0)
			return -1;
		set->count += trend->nmeasured > 0;
	}
	if (read_costs(costs, series, asked, err) < 0)
		return -1;
	trends_agree(trends, set->count, costs, COSTS);
	set->causes = find_causes(set, asked);
	if (n && list->items[n - 1].id == series->id)
		set->split = split_text(series, &list->items[n - 1], asked->arena);
	return 0;
}

/* Of a series that was split text has the latest part; -v has all. */
static bool is_shown(const struct series_list *list, size_t n, const struct options *options)
{
	bool is_latest = n + 1 == list->count || list->items[n + 1].id != list->items[n].id;

	return list->items[n].count &&
	       (is_latest || options->output.is_verbose || options->output.format != FORMAT_TEXT);
}

static int fill_page(struct trend_page *page, const struct series_list *list, struct asked *asked, struct error *err)
{
	struct trend_set *sets = arena_array(asked->arena, list->count + 1, sizeof(*sets));

	if (choose_names(asked, err) < 0)
		return -1;
	page->sets = sets;
	page->has_runs = asked->options->question.metrics != NULL;
	for (size_t i = 0; i < list->count; i++)
		if (is_shown(list, i, asked->options) && fill_set(&sets[page->count++], list, i, asked, err) < 0)
			return -1;
	if (page->count)
		return 0;
	if (!asked->nnames)
		return error_set(err, "%s: it has no runs yet; `topdown --history %s PROGRAM` adds them", asked->path,
				 asked->path);
	return error_set(err, "%s: no run matches the options; `topdown history %s` lists all", asked->path,
			 asked->path);
}

static int write_page(const struct trend_page *page, const struct options *options, struct error *err)
{
	struct output output;

	if (output_open(&output, &options->output, stdout, err) < 0)
		return -1;
	if (render_trends(output.file, page, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

static int run_trends(struct asked *asked, struct error *err)
{
	struct trend_page page = { .count = 0 };
	struct history_filter filter;
	struct series_list list;

	if (filter_of(&filter, asked, err) < 0 || series_read(&list, asked->history, &filter, asked->arena, err) < 0 ||
	    fill_page(&page, &list, asked, err) < 0)
		return -1;
	return write_page(&page, asked->options, err);
}

/* ---- runs ---- */

static int run_show(struct asked *asked, struct error *err)
{
	int64_t id = history_find(asked->history, asked->words[0], err);

	return id <= 0 ? -1 : history_show(asked->history, id, &asked->options->output, &asked->request, err);
}

static int run_compare(struct asked *asked, struct error *err)
{
	int64_t before = history_find(asked->history, asked->words[0], err), after;

	after = before > 0 ? history_find(asked->history, asked->words[1], err) : 0;
	if (after <= 0)
		return -1;
	return history_compare(asked->history, (int64_t[]){ before, after }, &asked->options->output, &asked->request,
			       err);
}

/* What was done, where results go. */
static int say(const struct asked *asked, const char *sentence, struct error *err)
{
	struct output output;

	if (output_open(&output, &asked->options->output, stdout, err) < 0)
		return -1;
	fprintf(output.file, "%s\n", sentence);
	return output_close(&output, err);
}

static int run_accept(struct asked *asked, struct error *err)
{
	int64_t id = history_find(asked->history, asked->words[0], err);

	if (id <= 0 || history_accept(asked->history, id, err) < 0)
		return -1;
	return say(asked, arena_printf(asked->arena, "Run %lld is accepted.", (long long)id), err);
}

static int run_annotate(struct asked *asked, struct error *err)
{
	int64_t id = history_find(asked->history, asked->words[0], err);
	struct string note = STRING_INIT(asked->arena);

	for (size_t i = 1; i < asked->nwords; i++)
		string_printf(&note, "%s%s", i > 1 ? " " : "", asked->words[i]);
	return id <= 0 ? -1 : history_annotate(asked->history, id, note.text, err);
}

static int run_prune(struct asked *asked, struct error *err)
{
	const struct history_choice *choice = &asked->options->history;
	struct history_pruning pruning = { .keep = choice->keep, .is_sessions_only = choice->is_sessions_only };
	int64_t count;

	if (choice->before && !history_time(&pruning.before_ms, choice->before))
		return error_set(err, "--before %s: a time is 2026-11-23, 2026-11-23T01:02:03Z or seconds since 1970",
				 choice->before);
	if (!choice->keep && !choice->before && !choice->is_sessions_only)
		return error_set(err,
				 "prune: what? --keep N of each series, --before DATE, --sessions; accepted runs and "
				 "those with a note stay");
	if (!choice->keep && !choice->before)
		pruning.before_ms = INT64_MAX;
	count = history_prune(asked->history, &pruning, err);
	if (count < 0)
		return -1;
	return say(asked,
		   arena_printf(asked->arena, "%lld %s%s deleted.", (long long)count,
				choice->is_sessions_only ? "session" : "run", count == 1 ? " was" : "s were"),
		   err);
}

static int run_import(struct asked *asked, struct error *err)
{
	int added = 0;

	for (size_t i = 0; i < asked->nwords; i++) {
		int result =
			history_import(asked->history, asked->words[i], &asked->options->history, &asked->request, err);

		if (result < 0)
			return -1;
		added += result;
	}
	return say(asked,
		   arena_printf(asked->arena, "%d %s added; duplicates were skipped.", added,
				added == 1 ? "run was" : "runs were"),
		   err);
}

/* ---- the command ---- */

static const struct subcommand {
	const char *word;
	size_t least, most; /* words behind it */
	bool is_writing;
	const char *usage;
	int (*run)(struct asked *asked, struct error *err);
} subcommands[] = {
	{ "", 0, 0, false, "", run_trends },
	{ "show", 1, 1, false, "RUN", run_show },
	{ "compare", 2, 2, false, "RUN RUN", run_compare },
	{ "accept", 1, 1, true, "RUN", run_accept },
	{ "annotate", 1, SIZE_MAX, true, "RUN [TEXT]...", run_annotate },
	{ "prune", 0, 0, true, "[--keep N] [--before DATE] [--sessions]", run_prune },
	{ "import", 1, SIZE_MAX, true, "FILE...", run_import },
};

static const struct subcommand *find_subcommand(const char *word)
{
	for (size_t i = 0; i < COUNT_OF(subcommands); i++)
		if (!strcmp(subcommands[i].word, word))
			return &subcommands[i];
	return NULL;
}

static int unknown_subcommand(const char *word, struct arena *arena, struct error *err)
{
	const char *words[COUNT_OF(subcommands)], *near;

	for (size_t i = 0; i < COUNT_OF(subcommands); i++)
		words[i] = subcommands[i].word;
	near = nearest_names(arena, word, words + 1, COUNT_OF(words) - 1);
	if (near)
		return error_set(err, "history: '%s'? Did you mean %s?", word, near);
	return error_set(err, "history: '%s'? After the file comes show, compare, accept, annotate, prune or import",
			 word);
}

/* The file. Without one the first word is a subcommand, and TOPDOWN_HISTORY names it. NULL with err. */
static const char *find_path(const struct options *options)
{
	const char *named = getenv("TOPDOWN_HISTORY");

	if (named && *named &&
	    (!options->nwords || (find_subcommand(options->words[0]) && !is_file(options->words[0]))))
		return named;
	return options->nwords ? options->words[0] : NULL;
}

/* What stands behind the file, with as many words as it takes. NULL with err. */
static const struct subcommand *take_words(struct asked *asked, struct error *err)
{
	const struct options *options = asked->options;
	const struct subcommand *subcommand;
	size_t first;

	asked->path = find_path(options);
	if (!asked->path) {
		error_set(err, "history: which file? `topdown history FILE.db`, which `topdown --history FILE.db "
			       "PROGRAM` fills");
		return NULL;
	}
	first = options->nwords && asked->path == options->words[0];
	asked->nwords = options->nwords - first;
	asked->words = options->words + first;
	subcommand = find_subcommand(asked->nwords ? asked->words[0] : "");
	if (!subcommand) {
		unknown_subcommand(asked->words[0], asked->arena, err);
		return NULL;
	}
	if (asked->nwords) {
		asked->nwords--;
		asked->words++;
	}
	if (asked->nwords >= subcommand->least && asked->nwords <= subcommand->most)
		return subcommand;
	error_set(err, "history: `topdown history %s %s %s`", asked->path, subcommand->word, subcommand->usage);
	return NULL;
}

static int run_history(const struct options *options, struct arena *arena, struct error *err)
{
	struct options own = *options;
	struct asked asked = { .options = &own, .request = request_of(&own, arena), .arena = arena };
	const struct subcommand *subcommand = take_words(&asked, err);
	int result;

	if (!subcommand)
		return -1;
	if (!(own.history.least > 0)) /* 0 is said by --least only where it is given */
		own.history.least = options_is_given(options, "least") ? 0 : LEAST_CHANGE;
	if (subcommand->is_writing && subcommand->run != run_import && !is_file(asked.path))
		return error_set(err, "%s: no such history", asked.path);
	asked.history = subcommand->is_writing ? history_open(asked.path, err) : history_open_to_read(asked.path, err);
	if (!asked.history)
		return -1;
	result = subcommand->run(&asked, err);
	history_close(asked.history);
	return result;
}

/* clang-format off */
static const struct option_row which_rows[] = {
	{ "program", 0, TAKE_TEXT, REPEATED_NEVER, "PATTERN", AT(history.program), NULL,
	  "only these programs: a glob, or part of the name" },
	{ "machine", 0, TAKE_TEXT, REPEATED_NEVER, "PATTERN", AT(history.machine), NULL, "only these machines" },
	{ "branch", 0, TAKE_TEXT, REPEATED_NEVER, "NAME", AT(history.branch), NULL, "only runs of this branch" },
	{ "tag", 0, TAKE_TAG, REPEATED_NEVER, "KEY=VALUE", AT(history.tags), NULL,
	  "only runs with this tag (may be repeated); import: tag the runs" },
	{ "since", 0, TAKE_TEXT, REPEATED_NEVER, "DATE", AT(history.since), NULL, "only runs since DATE" },
	{ "last", 0, TAKE_COUNT, REPEATED_NEVER, "N", AT(history.last), NULL, "only the last N runs of each series" },
};

static const struct option_row what_rows[] = {
	{ "metrics", 0, TAKE_TEXT, REPEATED_NEVER, "LIST", AT(question.metrics), NULL,
	  "metrics and nodes, by name or glob; list every run" },
	{ "least", 0, TAKE_PERCENT, REPEATED_NEVER, "PERCENT", AT(history.least), NULL,
	  "ignore changes below PERCENT (points, for shares; default 0.5)" },
};

static const struct option_row prune_rows[] = {
	{ "keep", 0, TAKE_COUNT, REPEATED_NEVER, "N", AT(history.keep), NULL,
	  "keep the newest N runs of each series" },
	{ "before", 0, TAKE_TEXT, REPEATED_NEVER, "DATE", AT(history.before), NULL, "delete older runs" },
	{ "sessions", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(history.is_sessions_only), NULL,
	  "delete sessions, keep runs" },
};
/* clang-format on */

static const struct option_set which_options = OPTION_SET("which runs", which_rows);
static const struct option_set what_options = OPTION_SET("what to look at", what_rows);
static const struct option_set prune_options = OPTION_SET("what prune deletes", prune_rows);

const struct command command_history = {
	.name = "history",
	.arguments = "[OPTION]... [FILE.db] [DO [WORD]...]",
	.summary = "measurements over time: trends and changes",
	.examples = "topdown --history perf.db -r 5 ./prog\n"
		    "topdown history perf.db\n"
		    "topdown history perf.db --metrics wall,IPC --last 20\n"
		    "topdown history perf.db show 1a2b3c4\n"
		    "topdown history perf.db compare 1a2b3c4 last\n"
		    "topdown history perf.db accept last\n"
		    "topdown history perf.db annotate last 'inlining lost'\n"
		    "topdown history perf.db prune --keep 1000\n"
		    "topdown history perf.db import run.json\n",
	.counts_back = true,
	.run = run_history,
	.sets = { &which_options, &what_options, &level_options, &prune_options, &cpu_options, &sysroot_options,
		  &file_options, &style_options, &general_options },
};
