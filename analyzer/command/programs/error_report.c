/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/programs/programs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/base/macros.h"
#include "common/base/text.h"
#include "common/json/json_write.h"

#define OPTION		 "--errors"
#define STATUS_REFUSED	 126 /* the program can't be executed */
#define STATUS_NOT_THERE 127

bool wants_json_errors(int argc, char *const *argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], OPTION "=json") ||
		    (!strcmp(argv[i], OPTION) && i + 1 < argc && !strcmp(argv[i + 1], "json")))
			return true;
	return false;
}

static const char *code_of(const struct failure *failure)
{
	if (failure->is_usage)
		return "usage";
	if (failure->status == STATUS_REFUSED || failure->status == STATUS_NOT_THERE)
		return "program";
	return failure->err->interrupted_by ? "interrupted" : "failed";
}

/* "PROGRAM", "[OPTION]...", "FILE": a place for something else; or a command that means nothing without it. */
static bool has_placeholder(const char *command)
{
	static const char *const bare[] = { "topdown sample", "topdown report", "topdown compare", "topdown import" };
	size_t capitals = 0;

	for (size_t i = 0; i < COUNT_OF(bare); i++)
		if (!strcmp(command, bare[i]))
			return true;
	if (strpbrk(command, "[|<*?$") || strstr(command, "..."))
		return true;
	for (; *command; command++) {
		capitals = isupper((unsigned char)*command) ? capitals + 1 : 0;
		if (capitals > 1)
			return true;
	}
	return false;
}

/* A command of topdown's that the message names, and that can be run as it is; NULL: there is none. */
static const char *named_command(const char *message, struct arena *arena)
{
	for (const char *at = strchr(message, '`'), *end; at; at = end ? strchr(end + 1, '`') : NULL) {
		const char *command;

		end = strchr(at + 1, '`');
		if (!end)
			return NULL;
		command = arena_strndup(arena, at + 1, (size_t)(end - at - 1));
		if (!strncmp(command, "topdown ", strlen("topdown ")) && !has_placeholder(command))
			return command;
	}
	return NULL;
}

/* What comes last of "what: why; what to do"; NULL: the message says none. */
static const char *fix_of(const char *message)
{
	const char *last = NULL;

	for (const char *at = message; (at = strstr(at, "; ")); at++)
		last = at + 2;
	if (last)
		return last;
	last = strstr(message, "did you mean");
	return last ? last : strchr(message, '`');
}

static const char *helping_command(const struct failure *failure, struct arena *arena)
{
	const char *named = named_command(failure->err->text, arena);

	if (named)
		return named;
	if (failure->is_usage && failure->command)
		return arena_printf(arena, "topdown help %s", failure->command);
	return failure->is_usage ? "topdown help" : "topdown doctor";
}

void error_report(const struct failure *failure, struct arena *arena)
{
	struct json_writer *writer = json_writer_new();
	struct error ignored = { .text = "" };

	json_write_string(writer, "format", "topdown-error");
	json_write_integer(writer, "version", 1);
	json_write_object(writer, "error");
	json_write_string(writer, "code", code_of(failure));
	json_write_integer(writer, "status", failure->status);
	json_write_string(writer, "message", failure->err->text);
	json_write_string(writer, "fix", fix_of(failure->err->text));
	json_write_string(writer, "command", helping_command(failure, arena));
	json_write_end(writer);
	json_writer_on_one_line(writer);
	if (json_writer_finish(writer, stderr, &ignored) < 0)
		fprintf(stderr, "topdown: %s\n", failure->err->text);
}
