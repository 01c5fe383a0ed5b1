/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_schema.c - topdown schema [NAME]: the JSON Schema of a form, or the names of all. */
#include <stdio.h>
#include <string.h>

#include "command/commands.h"
#include "common/base/text.h"

/* schema/topdown.json, by the build. Its definitions stand one on a line, below a line with all else. */
extern const char schema_json[];

#define DEFINITION "\n\"topdown-"
#define CHOICE	   "\"oneOf\": ["

static size_t collect_names(const char ***names, struct arena *arena)
{
	size_t count = 0, capacity = 0;

	for (const char *at = schema_json; (at = strstr(at, DEFINITION)); at++) {
		const char *name = at + strlen("\n\"");

		*names = arena_grow(arena, *names, count, &capacity, sizeof(**names));
		(*names)[count++] = arena_strndup(arena, name, strcspn(name, "\""));
	}
	return count;
}

/* The same definitions, of which this one is meant. */
static void print_schema(const char *name, FILE *out)
{
	const char *choice = strstr(schema_json, CHOICE), *rest = choice ? strchr(choice, ']') : NULL;

	if (rest)
		fprintf(out, "%.*s\"required\": [\"format\"], \"$ref\": \"#/$defs/%s\"%s", (int)(choice - schema_json),
			schema_json, name, rest + 1);
}

static int run_schema(const struct options *options, struct arena *arena, struct error *err)
{
	const char **names = NULL, *near;
	size_t count = collect_names(&names, arena);
	const char *word = options->nwords ? options->words[0] : NULL;
	struct output output;

	if (options->nwords > 1)
		return error_set(err, "schema: one at a time; `topdown schema` lists them");
	if (output_open(&output, &options->output, stdout, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (!word)
			fprintf(output.file, "%s\n", names[i]);
		else if (!strcmp(word, names[i]) || !strcmp(word, names[i] + strlen("topdown-")))
			print_schema(names[i], output.file);
		else
			continue;
		if (word)
			return output_close(&output, err);
	}
	if (!word)
		return output_close(&output, err);
	near = nearest_names(arena, word, names, count);
	error_set(err, "schema: no form is called '%s'%s%s; `topdown schema` lists them", word,
		  near ? ": did you mean " : "", near ? near : "");
	return output_failed(&output, err);
}

const struct command command_schema = {
	.name = "schema",
	.arguments = "[OPTION]... [NAME]",
	.summary = "the JSON Schema of what is printed as JSON",
	.examples = "topdown schema\n"
		    "topdown schema topdown-report > report.schema.json\n",
	.run = run_schema,
	.sets = { &file_options, &general_options },
};
