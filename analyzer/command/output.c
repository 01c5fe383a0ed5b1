/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/output.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool has_color(const struct options *options, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	return isatty(fd) && !(no_color && *no_color) && terminal && strcmp(terminal, "dumb") != 0;
}

bool is_utf8_locale(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static unsigned width(int fd)
{
	struct winsize size = { 0 };

	return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int output_open(struct output *output, const struct options *options, FILE *otherwise, struct error *err)
{
	*output = (struct output){ .file = otherwise, .path = options->output };
	if (output->path && strcmp(output->path, "-") != 0)
		output->file = fopen(output->path, "we");
	else if (output->path)
		output->file = stdout;
	if (!output->file)
		return error_set(err, "-o %s: %s", output->path, strerror(errno));
	output->style = (struct style){
		.format = options->format,
		.has_color = has_color(options, fileno(output->file)),
		.has_utf8 = is_utf8_locale(),
		.is_verbose = options->is_verbose,
		.width = width(fileno(output->file)),
	};
	return 0;
}

static bool is_own(const struct output *output)
{
	return output->file != stdout && output->file != stderr;
}

int output_failed(struct output *output, struct error *err)
{
	if (is_own(output))
		fclose(output->file);
	return output->path ? error_in(err, "-o %s", output->path) : -1;
}

int output_close(struct output *output, struct error *err)
{
	int failed = fflush(output->file) != 0 || ferror(output->file);
	int number = errno;

	if (is_own(output) && fclose(output->file) != 0)
		failed = 1;
	return failed ? error_set(err, "%s: %s", output->path ? output->path : "output", strerror(number)) : 0;
}
