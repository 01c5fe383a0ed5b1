/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command_export.c - topdown export --to FORM [FILE]: the profile of a session or the last measurement, for others; of
 * two files their difference.
 */
#include "present/export/export.h"

#include <string.h>
#include <unistd.h>

#include "command/commands.h"
#include "command/jobs/export_choice.h"
#include "command/jobs/output.h"
#include "command/jobs/saved_files.h"
#include "common/base/text.h"
#include "common/system/gzip.h"
#include "present/plot/flame.h"

/* "svg, folded, ... or callgrind" */
static const char *form_names(struct arena *arena)
{
	struct string names = STRING_INIT(arena);

	for (size_t i = 0; i < EXPORT_FORMS; i++)
		string_printf(&names, "%s%s", !i ? "" : i + 1 < EXPORT_FORMS ? ", " : " or ", export_forms[i].name);
	return names.text;
}

/* What --to says, or the name behind -o. */
static int choose_form(enum export_form *form, const struct options *options, struct arena *arena, struct error *err)
{
	const char *path = options->output.path ? options->output.path : "", *to = options->export.to;
	enum export_form by_name = export_form_of_file(path);

	*form = to ? export_form_named(to) : by_name;
	if (to && *form == EXPORT_FORMS)
		return error_set(err, "export: --to %s: must be one of %s", to, form_names(arena));
	if (*form == EXPORT_FORMS)
		return error_set(err, "export: which form? Choose one with --to: %s", form_names(arena));
	if (to && by_name != EXPORT_FORMS && by_name != *form)
		return error_set(err, "export: -o %s is a file name for %s, but --to says %s; leave out one of them",
				 path, export_forms[by_name].name, to);
	if (export_forms[*form].missing)
		return error_set(
			err,
			"export: this topdown was built without %s, which %s needs; --to folded and speedscope "
			"need no library",
			export_forms[*form].missing, export_forms[*form].name);
	return 0;
}

static bool is_to_stdout(const struct options *options)
{
	return !options->output.path || !strcmp(options->output.path, "-");
}

/* gzip's files have no place on a terminal, and need zlib. */
static int check_packed(const struct export_form_row *row, const struct options *options, struct error *err)
{
	const char *path = options->output.path;

	if (row->is_packed && is_to_stdout(options) && isatty(STDOUT_FILENO))
		return error_set(err, "export: %s is binary, not for a terminal; use -o FILE%s", row->name,
				 row->suffixes[0]);
	if (path && !*path)
		return error_set(err, "-o: '': a file needs a name");
	return row->is_packed || (path && is_gzip_name(path)) ? gzip_check(path ? path : row->name, err) : 0;
}

static int check_profile(struct measurement *measured, struct arena *arena, struct error *err)
{
	if (export_choice_find_profile(measured, arena))
		return 0;
	if (measured->profile)
		return error_set(err, "no sample was taken, so there is nothing to show; sample for longer");
	return error_set(err, "this session has no profile; `topdown --lines PROGRAM` and `topdown sample PROGRAM` "
			      "measure one");
}

static int write_output(const struct export_form_row *row, const struct export_subject *subjects,
			const struct options *options, struct arena *arena, struct error *err)
{
	const struct export_pair pair = { &subjects[0], &subjects[1], options->export.is_normalized };
	struct output_choice choice = options->output;
	struct output output;

	choice.is_packed = row->is_packed;
	if (output_open(&output, &choice, stdout, err) < 0)
		return -1;
	if (options->nwords == 2)
		flame_difference_write(output.file, &pair, arena);
	else if (row->write(output.file, subjects, arena, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}

/* The difference is one picture, in which colours say what has changed. */
static int check_difference(enum export_form form, const struct options *options, struct error *err)
{
	if (options->nwords != 2)
		return options->export.is_normalized
			       ? error_set(err, "--normalize needs two files: `topdown export --to svg BEFORE AFTER`")
			       : 0;
	if (form != EXPORT_SVG)
		return error_set(err, "export: only --to svg shows the difference of two files");
	if (options->export.roots != ROOTS_NONE)
		return error_set(err, "--by: threads of two files can't be matched; leave it out");
	if (options->export.colors != COLORS_MODULE)
		return error_set(err, "--color-by: with two files, colours show the difference; leave it out");
	return 0;
}

static int export_pair_of(const struct export_form_row *row, const struct options *options, struct arena *arena,
			  struct error *err)
{
	const struct request request = request_of(options, arena);
	struct export_subject subjects[2];
	struct measurement measured[2];

	for (size_t i = 0; i < COUNT_OF(measured); i++) {
		if (saved_files_read(&measured[i], options->words[i], arena, err) < 0)
			return -1;
		if (check_profile(&measured[i], arena, err) < 0)
			return error_in(err, "%s", options->words[i]);
	}
	if (export_choice_pair(subjects, measured, options->words, &request, err) < 0)
		return error_in(err, "export");
	return write_output(row, subjects, options, arena, err);
}

static int run_export(const struct options *options, struct arena *arena, struct error *err)
{
	const struct request request = request_of(options, arena);
	struct export_subject subject;
	struct saved_file recorded;
	enum export_form form;

	if (choose_form(&form, options, arena, err) < 0 || check_packed(&export_forms[form], options, err) < 0 ||
	    check_difference(form, options, err) < 0)
		return -1;
	if (options->nwords == 2)
		return export_pair_of(&export_forms[form], options, arena, err);
	if (saved_files_find(&recorded, options_files(options), &request, err) < 0)
		return -1;
	if (check_profile(&recorded.measured, arena, err) < 0 ||
	    export_choice_subject(&subject, &recorded.measured, &options->export, &request, err) < 0)
		return error_in(err, "export");
	return write_output(&export_forms[form], &subject, options, arena, err);
}

static const char *const roots_names[] = {
	[ROOTS_NONE] = "none", [ROOTS_PROCESS] = "process", [ROOTS_THREAD] = "thread", NULL
};
static const char *const colors_names[] = { [COLORS_MODULE] = "module", [COLORS_NODE] = "node", NULL };

static const struct option_row export_rows[] = {
	{ "to", 0, TAKE_TEXT, REPEATED_NEVER, "FORM", AT(export.to), NULL,
	  "svg, folded, speedscope, firefox, pprof or callgrind" },
	{ "nodes", 0, TAKE_TEXT, REPEATED_NEVER, "LIST", AT(question.nodes), NULL,
	  "the node to show (default: the worst)" },
	{ "event", 'e', TAKE_TEXT, REPEATED_NEVER, "LIST", AT(question.events), NULL, "the event to show" },
	{ "by", 0, TAKE_CHOICE, REPEATED_NEVER, "PARTS", AT(export.roots), roots_names,
	  "svg and folded: group stacks by process or thread (default none)" },
	{ "color-by", 0, TAKE_CHOICE, REPEATED_NEVER, "WHAT", AT(export.colors), colors_names,
	  "svg: colour by module, or by node (what loses most of its slots)" },
	{ "normalize", 0, TAKE_FLAG, REPEATED_NEVER, NULL, AT(export.is_normalized), NULL,
	  "with two files: compare shares, not amounts" },
};

static const struct exclusion export_exclusions[] = {
	{ "{nodes}", "{event}", false, "one of them chooses what is shown" },
	{ NULL, NULL, false, NULL },
};

static const struct option_set export_options = OPTION_SET("what to write", export_rows);

const struct command command_export = {
	.name = "export",
	.arguments = "[OPTION]... [FILE [AFTER]]",
	.summary = "flame graph (also of a difference) or profile for other viewers",
	.examples = "topdown export --to svg -o run.svg run.json\n"
		    "topdown export -o run.pb.gz run.json\n"
		    "topdown export --to folded\n"
		    "topdown export --to svg -o diff.svg before.json after.json\n",
	.run = run_export,
	.exclusions = export_exclusions,
	.sets = { &export_options, &cpu_options, &form_options, &file_options, &general_options },
	.has_own_forms = true,
};
