/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/output.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text.h"
#include "common/system/file.h"
#include "common/system/gzip.h"

static bool has_color(enum color color, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	return isatty(fd) && !(no_color && *no_color) && terminal && strcmp(terminal, "dumb") != 0;
}

bool is_utf8_locale(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
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

int output_choose(struct output_choice *choice, struct error *err)
{
	struct arena arena;
	int result = 0;

	arena_init(&arena);
	if (choice->path && !choice->has_format)
		result = take_suffix(&choice->format, choice->path, suffix_of(choice->path, &arena), err);
	if (result == 0 && choice->path && is_gzip_name(choice->path))
		result = gzip_check(choice->path, err);
	if (result == 0 && choice->save && is_gzip_name(choice->save))
		result = gzip_check(choice->save, err);
	arena_release(&arena);
	return result;
}

/* A new file, compressed where its name says so. NULL and errno when it can't be made. */
static FILE *output_open_file(const char *path)
{
	int fd;

	if (!is_gzip_name(path))
		return fopen(path, "we");
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return fd < 0 ? NULL : gzip_stream(fd);
}

int output_open(struct output *output, const struct output_choice *choice, FILE *otherwise, struct error *err)
{
	*output = (struct output){ .file = otherwise, .path = choice->path };
	if (output->path && !*output->path)
		return error_set(err, "-o: '': a file needs a name");
	if (output->path && strcmp(output->path, "-") != 0)
		output->file = output_open_file(output->path);
	else if (output->path)
		output->file = stdout;
	if (!output->file)
		return error_set(err, "-o %s: %s", output->path, strerror(errno));
	output->style = (struct style){
		.format = choice->format,
		.has_color = has_color(choice->color, fileno(output->file)),
		.has_utf8 = is_utf8_locale(),
		.is_verbose = choice->is_verbose,
		.width = output_width(fileno(output->file)),
		.is_piped = !isatty(fileno(output->file)),
	};
	return 0;
}

static bool is_own(const struct output *output)
{
	return output->file != stdout && output->file != stderr;
}

void output_make_private(const struct output *output)
{
	struct stat status;

	if (is_own(output) && output->path && stat(output->path, &status) == 0 && S_ISREG(status.st_mode) &&
	    chmod(output->path, status.st_mode & 0700) < 0)
		errno = 0; /* a file system without permissions */
}

/* Half a report might be taken for a whole one. Only a file is removed, no device, and no link to one. */
static void remove_half(const struct output *output)
{
	struct stat status;

	if (is_own(output) && lstat(output->path, &status) == 0 && S_ISREG(status.st_mode))
		unlink(output->path);
}

int output_failed(struct output *output, struct error *err)
{
	if (is_own(output))
		fclose(output->file);
	remove_half(output);
	return output->path ? error_in(err, "-o %s", output->path) : -1;
}

int output_close(struct output *output, struct error *err)
{
	int failed = fflush(output->file) != 0 || ferror(output->file);
	int number = errno;

	if (is_own(output) && fclose(output->file) != 0) {
		failed = 1;
		number = errno;
	}
	if (failed)
		remove_half(output);
	return failed ? error_set(err, "%s: %s", output->path ? output->path : "standard output",
				  write_failure_text(number))
		      : 0;
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
