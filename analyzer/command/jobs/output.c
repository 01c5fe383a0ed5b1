/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/output.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command/programs/programs.h"
#include "common/base/cells.h"
#include "common/base/text.h"
#include "common/system/file.h"
#include "common/system/gzip.h"
#include "common/system/job_place.h"

static bool has_color(enum color color, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	return isatty(fd) && !(no_color && *no_color) && terminal && strcmp(terminal, "dumb") != 0;
}

unsigned output_width(int fd)
{
	const char *asked = getenv("COLUMNS");
	struct winsize size = { 0 };
	uint64_t columns;

	if (isatty(fd))
		return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
	return asked && text_u64(asked, &columns) && columns <= UINT_MAX ? (unsigned)columns : 0;
}

/* What a name ends in, before ".gz". */
static const char *suffix_of(const char *path, struct arena *arena)
{
	const char *name = is_gzip_name(path) ? arena_strndup(arena, path, strlen(path) - strlen(".gz")) : path;
	const char *dot = strrchr(name, '.');

	return dot && !strchr(dot, '/') ? dot : "";
}

static int take_suffix(enum format *format, const char *path, const char *suffix, struct error *err)
{
	static const struct {
		const char *suffix;
		enum format format;
	} rows[] = {
		{ ".txt", FORMAT_TEXT },    { ".json", FORMAT_JSON },	      { ".csv", FORMAT_CSV },
		{ ".md", FORMAT_MARKDOWN }, { ".markdown", FORMAT_MARKDOWN }, { ".html", FORMAT_HTML },
		{ ".htm", FORMAT_HTML },
	};
	/* Names of other forms: text in such a file would be a surprise. */
	static const char *const others[] = { ".svg", ".xlsx", ".xls", ".yaml", ".yml", ".xml", ".pdf", ".db", ".png" };

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (is_same_name(suffix, rows[i].suffix))
			*format = rows[i].format;
	for (size_t i = 0; i < COUNT_OF(others); i++)
		if (is_same_name(suffix, others[i]))
			return error_set(err,
					 "-o %s: topdown writes text, JSON, CSV, Markdown and HTML; a name ending in "
					 ".html gets HTML, and --format overrides the name",
					 path);
	return 0;
}

static int place_file(const char **file, const char *option, bool is_measuring, struct arena *arena, struct error *err)
{
	const struct job_place place = job_place_find();
	const char *pattern = *file;

	if (!pattern || !strcmp(pattern, "-"))
		return 0;
	*file = job_place_path(&place, pattern, arena, err);
	if (!*file)
		return error_in(err, "%s %s", option, pattern);
	if (is_measuring && job_place_is_shared(&place) && !strstr(pattern, "%r") &&
	    !(strstr(pattern, "%h") && strstr(pattern, "%l")))
		return error_set(err,
				 "%s %s: this is rank %llu of a job (%s), and all of its ranks would write that file; "
				 "put %%r into its name, as in run-%%r.json",
				 option, pattern, (unsigned long long)place.rank, place.launcher);
	return 0;
}

int output_place(struct output_choice *choice, bool is_measuring, struct arena *arena, struct error *err)
{
	int path = place_file(&choice->path, "-o", is_measuring, arena, err);

	return path < 0 ? -1 : place_file(&choice->save, "--save", is_measuring, arena, err);
}

int output_choose(struct output_choice *choice, struct error *err)
{
	struct arena arena;
	int result = 0;

	if (choice->budget && choice->budget < LEAST_BUDGET)
		return error_set(err, "--budget %u: %d bytes or more; less would hold no answer", choice->budget,
				 LEAST_BUDGET);

	arena_init(&arena);
	if (choice->path && !choice->has_format)
		result = take_suffix(&choice->format, choice->path, suffix_of(choice->path, &arena), err);
	if (result == 0 && choice->budget && choice->format == FORMAT_HTML)
		result = error_set(err, "--budget and --format html exclude each other: half a page is none");
	if (result == 0 && choice->path && is_gzip_name(choice->path))
		result = gzip_check(choice->path, err);
	if (result == 0 && choice->save && is_gzip_name(choice->save))
		result = gzip_check(choice->save, err);
	arena_release(&arena);
	return result;
}

/* The path stands there already. */
static int output_option_failed(struct error *err)
{
	struct error said = *err;

	error_clear(err);
	return error_set(err, "-o %s", said.text);
}

static int hold(struct output *output, unsigned budget, struct error *err)
{
	FILE *held = open_memstream(&output->text, &output->length);

	if (!held)
		return error_set(err, "no memory");
	output->whole = output->file;
	output->file = held;
	output->budget = budget ? budget : BRIEF_BUDGET;
	return 0;
}

int output_open(struct output *output, const struct output_choice *choice, FILE *otherwise, struct error *err)
{
	*output = (struct output){ .file = otherwise, .path = choice->path };
	if (output->path && !*output->path)
		return error_set(err, "-o: '': a file needs a name");
	if (output->path || choice->is_packed) {
		output->is_own = true;
		if (output_file_open(&output->own, output->path ? output->path : "-",
				     choice->is_packed ? OUTPUT_PACKED : 0, err) < 0)
			return output->path ? output_option_failed(err) : -1;
		output->file = output->own.stream;
	}
	output->style = (struct style){
		.format = choice->format,
		.has_color = has_color(choice->color, fileno(output->file)),
		.has_utf8 = is_utf8_locale(),
		.is_verbose = choice->is_verbose,
		.width = output_width(fileno(output->file)),
		.is_piped = !isatty(fileno(output->file)),
	};
	return choice->budget || choice->format == FORMAT_BRIEF ? hold(output, choice->budget, err) : 0;
}

/* What is held goes out, cut. */
static int release(struct output *output, struct error *err)
{
	FILE *whole = output->whole;
	int result;

	if (!whole)
		return 0;
	fclose(output->file);
	result = budget_write(whole, output->text, output->budget, output->style.format, err);
	free(output->text);
	output->file = whole;
	output->whole = NULL;
	output->text = NULL;
	return result;
}

int output_show(struct output *output, struct error *err)
{
	if (output->whole)
		return 0; /* the budget is that of all of it */
	if (!output->is_own || output_file_show(&output->own, err) == 0)
		return 0;
	output_file_drop(&output->own);
	return output_option_failed(err);
}

int output_failed(struct output *output, struct error *err)
{
	struct error ignored = { .text = "" };

	(void)release(output, &ignored);
	if (output->is_own)
		output_file_drop(&output->own);
	return output->path ? error_in(err, "-o %s", output->path) : -1;
}

int output_close(struct output *output, struct error *err)
{
	if (release(output, err) < 0)
		return output_failed(output, err);
	if (output->is_own && output_file_close(&output->own, err) < 0)
		return output->path ? output_option_failed(err) : -1;
	if (output->is_own || (fflush(output->file) == 0 && !ferror(output->file)))
		return 0;
	return error_set(err, "standard output: %s", write_failure_text(errno));
}

int output_listing(const struct output_choice *choice, const struct listing *listing, struct error *err)
{
	struct output output;

	if (output_open(&output, choice, stdout, err) < 0)
		return -1;
	if (render_listing(output.file, listing, &output.style, err) < 0)
		return output_failed(&output, err);
	return output_close(&output, err);
}
